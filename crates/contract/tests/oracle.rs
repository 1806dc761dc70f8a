//! What the oracle says where the specification leaves room.

use frontdesk_contract::{Oracle, Side, places};
use frontdesk_document::{Document, MemoryLoader};
use serde_json::json;

const DOCUMENT: &str = "
openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    NullableEnum: {type: string, nullable: true, enum: [a]}
    NullableRef: {nullable: true, allOf: [{$ref: '#/components/schemas/Open'}]}
    Open: {type: string, x-extensible-enum: true, enum: [a]}
    Byte: {type: integer, format: uint8}
    Above: {type: number, minimum: 0, exclusiveMinimum: true}
    Text: {type: string, pattern: '^(?=a)\\p{L}{2}$', minLength: '9'}
    Cat: {type: object, properties: {kind: {type: string}}}
    Dog: {type: object, properties: {kind: {type: string, enum: [hound]}}}
    Pet:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind, mapping: {tiger: '#/components/schemas/Cat'}}
";

#[test]
fn open_places_are_read_as_documented() {
    let (document, problems) = Document::read("t.yaml", &MemoryLoader::new().with("t.yaml", DOCUMENT));
    let document = document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)));
    let places = places(&document);
    let oracle = Oracle::new(places.iter().map(|place| place.schema), Side::Request).unwrap();
    for (name, good, bad) in [
        ("NullableEnum", json!([null, "a"]), json!(["b", 1])),
        ("NullableRef", json!([null, "a", "b"]), json!([1])),
        ("Byte", json!([0, 255]), json!([-1, 256, 0.5, "1", null])),
        ("Above", json!([1e-300, 1]), json!([0, -1])),
        ("Text", json!(["ab", "aé"]), json!(["ba", "a1", "abc"])),
        (
            "Pet",
            json!([{"kind": "tiger"}, {"kind": "hound"}]),
            json!([{}, {"kind": "Cat"}, {"kind": "Dog"}, {"kind": 1}]),
        ),
    ] {
        let schema = places.iter().find(|place| place.component == Some(name)).unwrap().schema;
        for value in good.as_array().unwrap() {
            assert_eq!(oracle.faults(schema, value), [], "{name}: {value}");
            assert!(oracle.is_valid(schema, value), "{name}: {value}");
        }
        for value in bad.as_array().unwrap() {
            assert!(!oracle.is_valid(schema, value), "{name}: {value}");
            assert!(!oracle.faults(schema, value).is_empty(), "{name}: {value}");
        }
    }
}
