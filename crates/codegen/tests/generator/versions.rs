//! Harmless edits of a document, and what they do to the code of its users: each row is an edit, and what clients notice of
//! it in the crates.

use frontdesk_codegen::interface::{Difference, Interface, Weight, differences};
use frontdesk_document::MemoryLoader;

use crate::fixtures::{options, read};

const BASE: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    post:
      operationId: createPet
      tags: [pets]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}
      responses:
        '201': {description: Made., content: {application/json: {schema: {$ref: '#/components/schemas/Animal'}}}}
        '404': {$ref: '#/components/responses/Gone'}
components:
  responses:
    Gone: {description: Gone., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
  schemas:
    NewPet: {type: object, required: [name, owner], properties: {name: {type: string}, owner: {type: string}}}
    Problem: {type: object, required: [message], properties: {message: {type: string}}}
    Cat: {type: object, required: [kind], properties: {kind: {type: string, enum: [cat]}}}
    Dog: {type: object, required: [kind], properties: {kind: {type: string, enum: [dog]}}}
    Animal:
      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]
";

fn interface(text: &str) -> Interface {
    let loader = MemoryLoader::new().with("pets.yaml", text);
    Interface::of(&read("pets.yaml", &loader), &options("pets", "pets.yaml")).unwrap()
}

/// What breaks in the code of clients if the first text of the document becomes the second one.
fn broken(edits: &[(&str, &str)]) -> Vec<String> {
    let revision = edits.iter().fold(BASE.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text.replace(old, new)
    });
    let found = differences(&interface(BASE), &interface(&revision));
    assert!(!found.is_empty(), "nothing is different: {edits:?}");
    let found = found.into_iter().filter(Difference::is_of_client);
    found
        .filter(|difference| difference.weight == Weight::Breaking)
        .map(|difference| difference.text)
        .collect()
}

#[test]
fn a_new_error_status_breaks_no_client() {
    let error = "        '409': {$ref: '#/components/responses/Gone'}\n        '404':";
    // One response under two statuses no longer says which of them is meant, which only servers notice.
    assert_eq!(broken(&[("        '404':", error)]), [""; 0]);
    let other = "        '409': {description: Taken.}\n        '404':";
    assert_eq!(broken(&[("        '404':", other)]), [""; 0]);
}

#[test]
fn a_new_branch_breaks_no_client() {
    let fish =
        "{type: object, title: Fish, required: [kind], properties: {kind: {type: string, enum: [fish]}}}";
    let dog = "{$ref: '#/components/schemas/Dog'}";
    assert_eq!(broken(&[(&format!("{dog}]"), &format!("{dog}, {fish}]"))]), [""; 0]);
}

#[test]
fn a_required_body_that_becomes_optional_breaks_no_client() {
    assert_eq!(broken(&[("        required: true\n", "")]), [""; 0]);
}

#[test]
fn arguments_of_one_type_are_not_exchanged_in_silence() {
    let found = broken(&[(
        "required: [name, owner], properties: {name: {type: string}, owner: {type: string}}",
        "required: [owner, name], properties: {owner: {type: string}, name: {type: string}}",
    )]);
    assert_eq!(found, ["model: `NewPet::new()` takes its arguments in another order"]);
}
