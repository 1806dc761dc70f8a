//! Tests that the same seed gives the same instance, and that seeds differ.

use frontdesk_contract::{Direction, Instances, Oracle, sent_schemas};
use frontdesk_document::{Document, MemoryLoader};

const DOCUMENT: &str = "
openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    Node:
      type: object
      required: [id, kind, secret]
      additionalProperties: false
      properties:
        id: {type: string, format: uuid, readOnly: true}
        secret: {type: string, writeOnly: true, minLength: 3}
        kind: {type: string, enum: [a, b]}
        next: {$ref: '#/components/schemas/Node'}
        nodes: {type: array, maxItems: 2, items: {$ref: '#/components/schemas/Node'}}
        count: {type: integer, minimum: 1, maximum: 9}
    Endless: {type: object, required: [again], properties: {again: {$ref: '#/components/schemas/Endless'}}}
    Contradiction: {allOf: [{type: string}, {type: integer}]}
";

fn document() -> Document {
    let (document, problems) = Document::read("t.yaml", &MemoryLoader::new().with("t.yaml", DOCUMENT));
    document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)))
}

#[test]
fn a_seed_decides() {
    let document = document();
    let places = sent_schemas(&document);
    let oracle = Oracle::new(places.iter().map(|place| place.schema), Direction::Response).unwrap();
    let instances = Instances::new(&oracle);
    let made: Vec<_> = (0..50).map(|seed| instances.valid(places[0].schema, seed).unwrap()).collect();
    let again: Vec<_> = (0..50).map(|seed| instances.valid(places[0].schema, seed).unwrap()).collect();
    assert_eq!(made, again);
    assert!(made.iter().any(|value| value != &made[0]));
}

#[test]
fn members_are_sent_in_their_direction_only() {
    let document = document();
    let places = sent_schemas(&document);
    for (direction, carried, left_out) in
        [(Direction::Request, "secret", "id"), (Direction::Response, "id", "secret")]
    {
        let oracle = Oracle::new(places.iter().map(|place| place.schema), direction).unwrap();
        for seed in 0..50 {
            let value = Instances::new(&oracle).valid(places[0].schema, seed).unwrap();
            assert!(value.get(carried).is_some() && value.get(left_out).is_none(), "{direction:?}: {value}");
        }
    }
}

#[test]
fn mutants_violate_each_keyword() {
    let document = document();
    let places = sent_schemas(&document);
    let oracle = Oracle::new(places.iter().map(|place| place.schema), Direction::Request).unwrap();
    let instances = Instances::new(&oracle);
    let mut keywords = std::collections::BTreeSet::new();
    for seed in 0..50 {
        let value = instances.valid(places[0].schema, seed).unwrap();
        keywords
            .extend(instances.invalid(places[0].schema, &value, seed, 100).into_iter().map(|it| it.keyword));
    }
    let expected = [
        "additionalProperties",
        "enum",
        "maxItems",
        "maximum",
        "minLength",
        "minimum",
        "nullable",
        "required",
        "type",
    ];
    assert_eq!(keywords.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn schemas_without_instances_have_a_reason() {
    let document = document();
    let places = sent_schemas(&document);
    let oracle = Oracle::new(places.iter().map(|place| place.schema), Direction::Request).unwrap();
    let reason = |index: usize| Instances::new(&oracle).valid(places[index].schema, 1).unwrap_err().reason;
    assert!(reason(1).contains("contains itself"), "{}", reason(1));
    assert!(reason(2).contains("a string and an integer"), "{}", reason(2));
}
