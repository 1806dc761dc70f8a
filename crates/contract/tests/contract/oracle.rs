//! Tests of the oracle where the specification leaves questions open.

use frontdesk_contract::{Direction, Oracle, sent_schemas};
use frontdesk_document::{Document, MemoryLoader, NodeRef};
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
    Key:
      properties: {use: {type: string}}
      oneOf: [{$ref: '#/components/schemas/Curve'}, {$ref: '#/components/schemas/Rsa'}]
    Curve: {allOf: [{$ref: '#/components/schemas/Key'}], required: [x], properties: {x: {type: string}}}
    Rsa: {allOf: [{$ref: '#/components/schemas/Key'}], required: [n], properties: {n: {type: string}}}
    Vehicle:
      type: object
      properties: {wheels: {type: integer}}
      discriminator: {propertyName: kind, mapping: {lorry: '#/components/schemas/Truck'}}
    Truck: {allOf: [{$ref: '#/components/schemas/Vehicle'}], required: [load], properties: {load: {type: integer}}}
    Bike: {allOf: [{$ref: '#/components/schemas/Vehicle'}]}
    Van: {allOf: [{$ref: '#/components/schemas/Truck'}]}
    Maybe: {oneOf: [{type: string}, {type: 'null'}]}
    Single: {const: a}
    Implied: {properties: {a: {type: string}}}
    Pet:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
      discriminator: {propertyName: kind, mapping: {tiger: '#/components/schemas/Cat'}}
";

fn read(text: &str) -> Document {
    let (document, problems) = Document::read("t.yaml", &MemoryLoader::new().with("t.yaml", text));
    document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)))
}

/// Returns an oracle of the schemas of a document, and its components by name.
fn components<'d>(document: &'d Document) -> (Oracle, impl Fn(&str) -> NodeRef<'d>) {
    let places = sent_schemas(document);
    let oracle = Oracle::new(places.iter().map(|place| place.schema), Direction::Request)
        .expect("the schemas can be compiled");
    let component = move |name: &str| {
        let found = places.iter().find(|place| place.component == Some(name));
        found.expect("it is a component").schema
    };
    (oracle, component)
}

#[test]
fn open_questions_are_answered_as_documented() {
    let document = read(DOCUMENT);
    let (oracle, schema) = components(&document);
    for (name, good, bad) in [
        ("NullableEnum", json!([null, "a"]), json!(["b", 1])),
        ("NullableRef", json!([null, "a", "b"]), json!([1])),
        ("Byte", json!([0, 255, 7.0, 1e1]), json!([-1, 256, 0.5, "1", null])),
        (
            "Key",
            json!([{"x": "", "use": "a"}, {"n": ""}]),
            json!([{}, {"use": "a"}, {"x": "", "use": 1}, {"x": "", "n": ""}]),
        ),
        ("Curve", json!([{"x": ""}, {"x": "", "n": 1}]), json!([{"n": ""}, {"x": "", "use": 1}])),
        (
            "Vehicle",
            json!([{"kind": "lorry", "load": 1}, {"kind": "Bike", "wheels": 2}, {"kind": "Vehicle", "wheels": 2}, {"kind": "Van", "load": 1}]),
            json!([{}, {"wheels": 2}, {"kind": "lorry"}, {"kind": "Bike", "wheels": "2"}, {"kind": "Truck"}]),
        ),
        ("Truck", json!([{"load": 1}, {"load": 1, "kind": "Bike"}]), json!([{"kind": "lorry"}])),
        ("Maybe", json!(["a", null]), json!([1])),
        ("Single", json!(["a"]), json!(["b", null])),
        ("Implied", json!([{}, {"a": ""}]), json!([null, "a", {"a": 1}])),
        ("Above", json!([1e-300, 1]), json!([0, -1])),
        ("Text", json!(["ab", "aé"]), json!(["ba", "a1", "abc"])),
        (
            "Pet",
            json!([{"kind": "tiger"}, {"kind": "hound"}]),
            json!([{}, {"kind": "Cat"}, {"kind": "Dog"}, {"kind": 1}]),
        ),
    ] {
        let schema = schema(name);
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

#[test]
fn several_matching_branches_differ_from_none() {
    let text = "
openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    List: {oneOf: [{type: array, items: {type: string}}, {type: array, items: {type: integer}}]}
    Filter: {oneOf: [{type: string}, {type: object, properties: {of: {$ref: '#/components/schemas/List'}}}]}
    Filters: {type: array, items: {$ref: '#/components/schemas/Filter'}}
";
    let document = read(text);
    let (oracle, schema) = components(&document);
    for (value, several) in [
        (json!([{"of": []}]), &[true][..]),
        (json!([{"of": [true]}]), &[false]),
        (json!([1, {"of": []}]), &[false, true]),
        (json!([{"of": [1]}, "a"]), &[]),
    ] {
        let faults = oracle.faults(schema("Filters"), &value);
        assert_eq!(faults.iter().map(|fault| fault.several).collect::<Vec<_>>(), several, "{value}");
    }
}

/// A grammar of expressions, of which every form has the same members.
const GRAMMAR: &str = "
openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    Expression:
      oneOf: [{$ref: '#/components/schemas/And'}, {$ref: '#/components/schemas/Or'}, {$ref: '#/components/schemas/Term'}]
    And: {type: object, required: [op, of], properties: {op: {type: string, enum: [and]}, of: {type: array, items: {$ref: '#/components/schemas/Expression'}}}}
    Or: {type: object, required: [op, of], properties: {op: {type: string, enum: [or]}, of: {type: array, items: {$ref: '#/components/schemas/Expression'}}}}
    Term: {type: object, required: [field], properties: {field: {type: string}}}
    Link: {anyOf: [{$ref: '#/components/schemas/Left'}, {$ref: '#/components/schemas/Right'}]}
    Left: {type: object, properties: {next: {$ref: '#/components/schemas/Link'}}}
    Right: {type: object, properties: {next: {$ref: '#/components/schemas/Link'}}}
";

#[test]
fn a_mistake_far_inside_of_alternatives_takes_a_bounded_time() {
    let document = read(GRAMMAR);
    let (oracle, schema) = components(&document);
    let nested =
        |depth: usize, inner: serde_json::Value, outer: fn(serde_json::Value) -> serde_json::Value| {
            (0..depth).fold(inner, |value, _| outer(value))
        };
    let or = |value| json!({"op": "or", "of": [value]});
    for (name, wrong, right) in [
        ("Expression", nested(40, json!({"field": 1}), or), nested(40, json!({"field": "a"}), or)),
        (
            "Link",
            nested(60, json!(3), |next| json!({"next": next})),
            nested(60, json!({}), |next| json!({"next": next})),
        ),
    ] {
        let schema = schema(name);
        assert!(!oracle.is_valid(schema, &wrong), "{name}");
        for faults in [oracle.faults(schema, &wrong), oracle.explained(schema, &wrong)] {
            assert!(faults[0].message.starts_with("cannot be judged"), "{name}: {faults:?}");
        }
        assert!(oracle.is_valid(schema, &right), "{name}");
        assert_eq!(oracle.explained(schema, &right), [], "{name}");
    }
    // Not too far inside, the fault is where it is.
    let near = oracle.explained(schema("Expression"), &or(or(json!({"field": 1}))));
    assert_eq!(near[0].pointer, "/of/0/of/0/field");
}

#[test]
fn a_schema_may_be_closed_over_all_its_parts() {
    const CLOSED: &str = "
openapi: 3.1.0
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    Guest: {type: object, required: [room], properties: {name: {type: string}}}
    Stay: {allOf: [{$ref: '#/components/schemas/Guest'}], properties: {nights: {type: integer}}, unevaluatedProperties: false}
    Same: {$ref: '#/components/schemas/Guest', unevaluatedProperties: false}
    Within: {allOf: [{$ref: '#/components/schemas/Stay'}, {type: object, properties: {months: {type: integer}}}]}
    Choice: {anyOf: [{$ref: '#/components/schemas/Guest'}], unevaluatedProperties: false}
";
    let document = read(CLOSED);
    let (oracle, schema) = components(&document);
    for (name, value, expected) in [
        ("Guest", json!({"room": 1, "other": 2}), true),
        ("Stay", json!({"room": 1, "name": "a", "nights": 2}), true),
        ("Stay", json!({"room": 1, "other": 2}), false),
        ("Same", json!({"room": 1, "name": "a"}), true),
        ("Same", json!({"room": 1, "nights": 2}), false),
        // As in generated servers, the members of all parts are allowed.
        ("Within", json!({"room": 1, "nights": 2, "months": 3}), true),
        ("Within", json!({"room": 1, "other": 3}), false),
        ("Choice", json!({"room": 1, "other": 3}), true),
    ] {
        assert_eq!(oracle.is_valid(schema(name), &value), expected, "{name}: {value}");
    }
}

#[test]
fn a_closed_part_allows_the_members_of_all_parts() {
    const CLOSED: &str = "
openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    Guest: {type: object, properties: {name: {type: string}}, additionalProperties: false}
    Stay: {allOf: [{$ref: '#/components/schemas/Guest'}, {type: object, required: [room], properties: {nights: {type: integer}}}]}
    Long: {allOf: [{$ref: '#/components/schemas/Stay'}], properties: {months: {type: integer}}}
    Beside: {additionalProperties: false, properties: {note: {type: string}}, allOf: [{type: object, properties: {nights: {type: integer}}}]}
    Needed: {type: object, required: [room], properties: {name: {type: string}}, additionalProperties: false}
    Mixed: {allOf: [{$ref: '#/components/schemas/Guest'}, {type: object, properties: {a: {}}, additionalProperties: true}]}
    Choice: {allOf: [{$ref: '#/components/schemas/Guest'}, {oneOf: [{type: object, properties: {a: {}}}]}]}
";
    let document = read(CLOSED);
    let (oracle, schema) = components(&document);
    for (name, good, bad) in [
        // On its own, the part allows its own members only.
        ("Guest", json!([{"name": "a"}, {}]), json!([{"nights": 2}])),
        (
            "Stay",
            json!([{"name": "a", "nights": 2, "room": 1}]),
            json!([{"room": 1, "other": 3}, {"room": 1, "nights": "a"}, {"room": 1, "months": 2}]),
        ),
        (
            "Long",
            json!([{"name": "a", "nights": 2, "months": 1, "room": 1}]),
            json!([{"room": 1, "other": 3}]),
        ),
        ("Beside", json!([{"note": "a", "nights": 2}]), json!([{"other": 3}])),
        // A required member is one that somebody may send.
        ("Needed", json!([{"name": "a", "room": 1}]), json!([{"name": "a"}, {"room": 1, "other": 3}])),
        // A part that takes any members speaks for all parts as well.
        ("Mixed", json!([{"name": "a", "a": 1, "other": 3}]), json!([{"name": 1}])),
        // Where there is a choice, the parts count one by one.
        ("Choice", json!([{"name": "a"}]), json!([{"a": 1}])),
    ] {
        for value in good.as_array().unwrap() {
            assert_eq!(oracle.faults(schema(name), value), [], "{name}: {value}");
        }
        for value in bad.as_array().unwrap() {
            assert!(!oracle.faults(schema(name), value).is_empty(), "{name}: {value}");
        }
    }
    let faults = oracle.explained(schema("Stay"), &json!({"room": 1, "other": 3}));
    assert!(matches!(&faults[..], [only] if only.unexpected == ["other"]), "{faults:?}");
}
