//! Documents with thousands of like parts. Each would take minutes if the time of reading grew faster than
//! the document.

use frontdesk_codegen::ir::{Api, Shape};
use frontdesk_codegen::lower;
use frontdesk_document::{Document, MemoryLoader};
use serde_json::{Map, Value, json};

use crate::fixtures::{document, options};

fn lowered(schemas: &Map<String, Value>) -> Api {
    let text = json!({ "openapi": "3.0.3", "info": { "title": "T", "version": "1" }, "paths": {},
        "components": { "schemas": schemas } });
    lower(&document(&text.to_string()), &options("t", "openapi.yaml"))
        .unwrap_or_else(|error| panic!("{error:?}"))
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn fields(api: &Api, name: &str) -> usize {
    let ty = api.types.iter().find(|ty| ty.name == name);
    match ty.map(|ty| &ty.shape) {
        Some(Shape::Struct(shape)) => shape.fields.len(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn a_long_chain_of_extensions() {
    const LENGTH: usize = 2000;
    let mut schemas =
        Map::from_iter([("S0".to_owned(), json!({ "properties": { "p": { "type": "string" } } }))]);
    for index in 1..LENGTH {
        schemas.insert(format!("S{index}"), json!({ "allOf": [reference(&format!("S{}", index - 1)), {}] }));
    }
    assert_eq!(lowered(&schemas).types.len(), 1, "the others add nothing");
}

#[test]
fn a_chain_of_extensions_with_members() {
    const LENGTH: usize = 200;
    let mut schemas = Map::from_iter([("S0".to_owned(), json!({ "properties": { "p0": {} } }))]);
    for index in 1..LENGTH {
        let own = json!({ "properties": { format!("p{index}"): {} } });
        schemas.insert(format!("S{index}"), json!({ "allOf": [reference(&format!("S{}", index - 1)), own] }));
    }
    let api = lowered(&schemas);
    assert_eq!((fields(&api, "S0"), fields(&api, "S199")), (1, LENGTH));
}

#[test]
fn many_references() {
    const MEMBERS: usize = 20_000;
    let members: Map<String, Value> =
        (0..MEMBERS).map(|index| (format!("p{index}"), reference("Held"))).collect();
    let held = json!({ "properties": { "x": { "type": "string" } } });
    let schemas =
        Map::from_iter([("Held".to_owned(), held), ("Holder".to_owned(), json!({ "properties": members }))]);
    assert_eq!(fields(&lowered(&schemas), "Holder"), MEMBERS);
}

#[test]
fn many_references_that_lead_nowhere() {
    const PARAMETERS: usize = 20_000;
    let parameters: Vec<Value> = (0..PARAMETERS)
        .map(|index| json!({ "$ref": format!("#/components/parameters/P{index}") }))
        .chain([json!({ "name": "left", "in": "query", "schema": {} })])
        .collect();
    let operation = json!({ "parameters": parameters, "responses": { "204": { "description": "Done." } } });
    let text = json!({ "openapi": "3.0.3", "info": { "title": "T", "version": "1" },
        "paths": { "/a": { "get": operation } } });
    let loader = MemoryLoader::new().with("openapi.yaml", text.to_string());
    let (document, problems) = Document::read("openapi.yaml", &loader);
    assert_eq!(problems.len(), PARAMETERS);
    let document = document.unwrap_or_else(|| panic!("every problem is a warning"));
    let operation = document.operations().next().unwrap_or_else(|| panic!("there is one"));
    assert_eq!(operation.parameters().len(), 1);
}

#[test]
fn many_values_of_one_enumeration() {
    const VALUES: usize = 10_000;
    let equal = json!({ "type": "string", "enum": vec!["x"; VALUES] });
    // In Rust, all of them would be `X`.
    let alike: Vec<String> = (0..VALUES)
        .map(|index| format!("x{}", "-".repeat(index % 100 + 1) + &"_".repeat(index / 100)))
        .collect();
    let alike = json!({ "type": "string", "enum": alike });
    let api = lowered(&Map::from_iter([("Equal".to_owned(), equal), ("Alike".to_owned(), alike)]));
    let values = |name: &str| match &api.types.iter().find(|ty| ty.name == name).unwrap().shape {
        Shape::Enum(shape) => shape.values.iter().map(|value| value.rust.clone()).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(values("Equal"), ["X"]);
    let names = values("Alike");
    assert_eq!((names[0].as_str(), names[1].as_str(), names[2].as_str()), ("X", "XValue", "XValue2"));
    assert_eq!(names.last().map(String::as_str), Some("XValue9999"));
}
