//! OpenAPI 3.1: schemas have the forms of 3.0 after reading, and the bundle keeps those of the source.

use frontdesk_document::{Document, NodeRef, Version};
use serde_json::{Value, json};

use crate::{document, problems, strict_problems};

/// A document of 3.1 with these schemas, each a member `Name: {…}` of JSON.
fn later(schemas: &Value) -> String {
    json!({
        "openapi": "3.1.0",
        "info": {"title": "T", "summary": "Short.", "version": "1", "license": {"name": "MIT", "identifier": "MIT"}},
        "components": {"schemas": schemas},
    })
    .to_string()
}

fn schema<'d>(document: &'d Document, name: &str) -> NodeRef<'d> {
    let components = document.root().get("components").expect("there are components");
    components.get("schemas").and_then(|schemas| schemas.get(name)).expect("the schema is there")
}

/// What a schema becomes.
fn becomes(written: &Value) -> Value {
    let text = later(&json!({"Other": {"type": "object"}, "S": written}));
    let document = document(&[("a.json", &text)]);
    assert_eq!(document.version(), Version::V3_1);
    schema(&document, "S").to_json()
}

#[test]
fn schemas_have_the_forms_of_the_earlier_version() {
    for (written, form) in [
        (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
        (json!({"type": ["string"]}), json!({"type": "string"})),
        (json!({"type": "null"}), json!({"enum": [null], "nullable": true})),
        (json!({"type": ["integer", "number"]}), json!({"type": "number"})),
        (
            json!({"type": ["string", "integer"], "minLength": 1, "minimum": 2, "format": "int32", "title": "A"}),
            json!({
                "title": "A",
                "anyOf": [
                    {"type": "string", "minLength": 1},
                    {"type": "integer", "minimum": 2, "format": "int32"},
                ],
            }),
        ),
        (
            json!({"type": ["string", "number", "integer", "boolean", "array", "object", "null"]}),
            json!({"nullable": true}),
        ),
        (json!({"type": ["string", "integer"], "enum": ["a", 1]}), json!({"enum": ["a", 1]})),
        (
            json!({"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}], "title": "A"}),
            json!({"type": "string", "maxLength": 3, "nullable": true, "title": "A"}),
        ),
        (
            json!({"oneOf": [{"$ref": "#/components/schemas/Other"}, {"type": "null"}], "description": "B"}),
            json!({"allOf": [{"$ref": "#/components/schemas/Other"}], "nullable": true, "description": "B"}),
        ),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": true}),
        ),
        (
            json!({"type": "object", "anyOf": [{"required": ["a"]}, {"type": "null"}]}),
            json!({"type": "object", "required": ["a"]}),
        ),
        (json!({"const": "a"}), json!({"enum": ["a"]})),
        (json!({"const": null, "type": "null"}), json!({"enum": [null], "nullable": true})),
        (
            json!({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 9.5}),
            json!({"type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 9.5, "exclusiveMaximum": true}),
        ),
        (
            json!({"type": "number", "minimum": 5, "exclusiveMinimum": 1}),
            json!({"type": "number", "minimum": 5}),
        ),
        (
            json!({"type": "number", "minimum": 1, "exclusiveMinimum": 1}),
            json!({"type": "number", "minimum": 1, "exclusiveMinimum": true}),
        ),
        (json!({"type": "string", "examples": ["a", "b"]}), json!({"type": "string", "example": "a"})),
        (
            json!({"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}),
            json!({"type": "string", "format": "byte"}),
        ),
        (
            json!({"contentMediaType": "application/octet-stream"}),
            json!({"type": "string", "format": "binary"}),
        ),
        (json!({"type": "string", "contentMediaType": "application/json"}), json!({"type": "string"})),
        (
            json!({"type": "string", "contentEncoding": "base32"}),
            json!({"type": "string", "contentEncoding": "base32"}),
        ),
        (json!(true), json!({})),
        (json!(false), json!({"not": {}})),
        (
            json!({"properties": {"items": true, "b": false}}),
            json!({"properties": {"items": {}, "b": {"not": {}}}}),
        ),
        (json!({"type": "array", "items": true}), json!({"type": "array", "items": {}})),
        (json!({"type": "array", "items": false}), json!({"type": "array", "maxItems": 0})),
        (
            json!({"type": "array", "prefixItems": [{"type": "string"}, true], "items": false}),
            json!({"type": "array", "prefixItems": [{"type": "string"}, {}], "maxItems": 2}),
        ),
        (json!({"$ref": "#/components/schemas/Other"}), json!({"$ref": "#/components/schemas/Other"})),
        (
            json!({"$ref": "#/components/schemas/Other", "type": "object", "description": "A"}),
            json!({"allOf": [{"$ref": "#/components/schemas/Other"}], "description": "A"}),
        ),
        (
            json!({"$ref": "#/components/schemas/Other", "allOf": [{"required": ["a"]}]}),
            json!({"allOf": [{"$ref": "#/components/schemas/Other"}, {"required": ["a"]}]}),
        ),
        (
            json!({"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": false}),
            json!({"type": "object", "patternProperties": {}, "additionalProperties": {"type": "string"}}),
        ),
        (
            json!({"type": "object", "patternProperties": {"^x-": {"type": "string"}}}),
            json!({"type": "object", "patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": true}),
        ),
        (
            json!({"type": "object", "unevaluatedProperties": false}),
            json!({"type": "object", "additionalProperties": false}),
        ),
        (
            json!({"type": "string", "$comment": "c", "$id": "https://example.com/s"}),
            json!({"type": "string"}),
        ),
        // What stands in values is data.
        (
            json!({"default": {"type": ["string", "null"]}, "enum": [{"const": 1}], "x-a": {"anyOf": [{"type": "null"}]}}),
            json!({"default": {"type": ["string", "null"]}, "enum": [{"const": 1}], "x-a": {"anyOf": [{"type": "null"}]}}),
        ),
    ] {
        assert_eq!(becomes(&written), form, "{written}");
    }
}

#[test]
fn references_are_relative_to_the_identifier_around_them() {
    let text = later(&json!({
        "Order": {
            "$id": "https://example.com/schemas/order",
            "properties": {
                "customer": {"$ref": "customer"},
                "address": {"$ref": "/schemas/common/address"},
                "line": {"$id": "parts/line", "properties": {"unit": {"$ref": "unit"}}},
            },
        },
        "Customer": {"$id": "https://example.com/schemas/customer", "type": "object"},
        "Address": {"$id": "https://example.com/schemas/common/address", "type": "object"},
        "Unit": {"$id": "https://example.com/schemas/parts/unit", "type": "string"},
    }));
    assert!(problems(&[("a.json", &text)]).is_empty());
    let document = document(&[("a.json", &text)]);
    let order = schema(&document, "Order").get("properties").unwrap();
    let target = |schema: NodeRef<'_>| schema.resolve().unwrap().pointer();
    assert_eq!(target(order.get("customer").unwrap()), "#/components/schemas/Customer");
    assert_eq!(target(order.get("address").unwrap()), "#/components/schemas/Address");
    let unit = order.get("line").and_then(|line| line.get("properties")?.get("unit")).unwrap();
    assert_eq!(target(unit), "#/components/schemas/Unit");
}

#[test]
fn references_by_anchor_identifier_and_recursion_have_targets() {
    let text = later(&json!({
        "Tree": {
            "$id": "https://example.com/tree",
            "$dynamicAnchor": "node",
            "properties": {
                "left": {"$dynamicRef": "#node"},
                "right": {"$ref": "#/$defs/right"},
                "self": {"$ref": "#"},
            },
            "$defs": {"right": {"$anchor": "right", "type": "string"}},
        },
        "Filter": {"$recursiveAnchor": true, "properties": {"inner": {"$recursiveRef": "#"}}},
        "ByAnchor": {"$ref": "#right"},
        "ById": {"$ref": "https://example.com/tree"},
        "WithinId": {"$ref": "https://example.com/tree#/$defs/right", "description": "A"},
    }));
    assert!(problems(&[("a.json", &text)]).is_empty());
    let document = document(&[("a.json", &text)]);
    let property = |owner: &str, name: &str| {
        let property = schema(&document, owner).get("properties").and_then(|all| all.get(name)).unwrap();
        property.resolve().unwrap().pointer()
    };
    assert_eq!(property("Tree", "left"), "#/components/schemas/Tree");
    assert_eq!(property("Tree", "right"), "#/components/schemas/Tree/$defs/right");
    assert_eq!(property("Tree", "self"), "#/components/schemas/Tree");
    assert_eq!(property("Filter", "inner"), "#/components/schemas/Filter");
    let of = |name: &str| schema(&document, name).resolve().unwrap().pointer();
    assert_eq!(of("ByAnchor"), "#/components/schemas/Tree/$defs/right");
    assert_eq!(of("ById"), "#/components/schemas/Tree");
    let part = schema(&document, "WithinId").get("allOf").and_then(|parts| parts.items().next()).unwrap();
    assert_eq!(part.resolve().unwrap().pointer(), "#/components/schemas/Tree/$defs/right");
    // Every reference that a reader of the form meets is a pointer of its own.
    assert_eq!(schema(&document, "ByAnchor").reference(), Some("#/components/schemas/Tree/$defs/right"));
}

#[test]
fn a_pointer_into_a_rewritten_schema_keeps_its_target() {
    let text = later(&json!({
        "A": {"anyOf": [{"title": "First", "type": "object"}, {"type": "null"}]},
        "B": {"$ref": "#/components/schemas/A/anyOf/0"},
    }));
    let document = document(&[("a.json", &text)]);
    let target = schema(&document, "B").resolve().unwrap();
    assert_eq!(target.to_json(), json!({"title": "First", "type": "object"}));
}

#[test]
fn rewritten_nodes_keep_their_places() {
    let text = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\ncomponents:\n  schemas:\n    A:\n      type: [string, 'null']\n      exclusiveMinimum: 3\n      description: Text\n";
    let document = document(&[("a.yaml", text)]);
    let schema = schema(&document, "A");
    let place = |key: &str| schema.get(key).unwrap().key_span().start.to_string();
    assert_eq!(place("type"), "6:7");
    assert_eq!(schema.get("nullable").unwrap().span().start.to_string(), "6:22");
    assert_eq!((place("minimum"), place("exclusiveMinimum")), ("7:7".to_owned(), "7:7".to_owned()));
    assert_eq!(place("description"), "8:7");
}

#[test]
fn webhooks_and_path_items_of_components_are_read() {
    let text = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\nwebhooks:\n  created: {$ref: '#/components/pathItems/Created'}\ncomponents:\n  pathItems:\n    Created:\n      post: {requestBody: {content: {application/json: {schema: {const: 1}}}}}\n";
    assert!(problems(&[("a.yaml", text)]).is_empty());
    let document = document(&[("a.yaml", text)]);
    let created = document.root().get("x-webhooks").and_then(|events| events.get("created")).unwrap();
    assert!(created.resolve().unwrap().get("post").is_some());
    let bundle = document.bundle().to_value();
    assert_eq!(bundle["webhooks"]["created"]["$ref"], "#/components/pathItems/Created");
    assert_eq!(bundle["openapi"], "3.1.0");
}

#[test]
fn the_bundle_has_the_version_of_the_document() {
    let files = [
        (
            "a.yaml",
            "openapi: 3.1.0\ninfo: {title: T, version: '1'}\ncomponents:\n  schemas:\n    A:\n      prefixItems: [{$ref: 'b.yaml#/B'}, true]\n      if: {$ref: 'b.yaml#/B'}\n      type: [array, 'null']\n",
        ),
        ("b.yaml", "B: {type: [string, 'null'], examples: [a, b]}\n"),
    ];
    let bundle = document(&files).bundle();
    let value = bundle.to_value();
    assert_eq!(
        value["components"]["schemas"],
        json!({
            "A": {
                "prefixItems": [{"$ref": "#/components/schemas/B"}, true],
                "if": {"$ref": "#/components/schemas/B"},
                "type": ["array", "null"],
            },
            "B": {"type": ["string", "null"], "examples": ["a", "b"]},
        })
    );
    assert!(bundle.diagnostics().is_empty() && value.get("paths").is_none());
    let again = document(&[("bundle.yaml", &bundle.to_yaml())]);
    assert_eq!(again.bundle().to_value(), value);
}

#[test]
fn only_a_document_without_content_lacks_paths() {
    let of = |rest: &str| {
        let text = format!("openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\n{rest}");
        problems(&[("a.yaml", &text)]).iter().map(|problem| problem.code).collect::<Vec<_>>()
    };
    assert_eq!(of("components: {}\n"), Vec::<&str>::new());
    assert_eq!(of("webhooks: {}\n"), Vec::<&str>::new());
    assert_eq!(of(""), ["missing-paths"]);
}

#[test]
fn forms_of_the_other_version_are_taken_with_a_warning() {
    let earlier = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents:\n  schemas:\n    A: {type: [string, 'null']}\n    B: {anyOf: [{type: string}], const: 1, examples: [a]}\n";
    let read = document(&[("a.yaml", earlier)]);
    assert_eq!(schema(&read, "A").to_json(), json!({"type": "string", "nullable": true}));
    // Other keywords have no meaning in that version.
    assert_eq!(
        schema(&read, "B").to_json(),
        json!({"anyOf": [{"type": "string"}], "const": 1, "examples": ["a"]})
    );
    assert!(strict_problems(&[("a.yaml", earlier)]).has_errors());
    let text =
        later(&json!({"A": {"type": "integer", "nullable": true, "minimum": 1, "exclusiveMinimum": true}}));
    let codes: Vec<&str> = problems(&[("a.json", &text)]).iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["version-mismatch", "version-mismatch"]);
}
