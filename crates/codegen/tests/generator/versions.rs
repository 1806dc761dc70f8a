//! Harmless edits of a document, and what they do to the code of its users: each row is an edit, and what
//! clients notice of it in the crates.

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
  /pets/search:
    post:
      operationId: searchPets
      tags: [pets]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Search'}}}
      responses:
        '200': {description: Found., content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Animal'}}}}}
components:
  responses:
    Gone: {description: Gone., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
  schemas:
    NewPet: {type: object, required: [name, owner], properties: {name: {type: string}, owner: {type: string}}}
    Problem: {type: object, required: [message], properties: {message: {type: string}}}
    Order: {type: string, enum: [name, age]}
    Search: {type: object, properties: {order: {$ref: '#/components/schemas/Order'}}}
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
    broken_since(BASE, edits)
}

fn broken_since(base: &str, edits: &[(&str, &str)]) -> Vec<String> {
    let revision = edits.iter().fold(base.to_owned(), |text, (old, new)| {
        assert_eq!(text.matches(old).count(), 1, "{old}");
        text.replace(old, new)
    });
    let found = differences(&interface(base), &interface(&revision));
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
    assert_eq!(
        broken(&[(
            "        required: true\n        content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}",
            "        content: {application/json: {schema: {$ref: '#/components/schemas/NewPet'}}}",
        )]),
        [""; 0]
    );
}

#[test]
fn arguments_of_one_type_are_not_exchanged_in_silence() {
    let found = broken(&[(
        "required: [name, owner], properties: {name: {type: string}, owner: {type: string}}",
        "required: [owner, name], properties: {owner: {type: string}, name: {type: string}}",
    )]);
    assert_eq!(found, ["model: `NewPet::new()` takes its arguments in another order"]);
}

#[test]
fn the_same_response_under_a_second_status_breaks_no_client() {
    let created = CREATED;
    let existed = created.replace("'201': {description: Made.", "'200': {description: Existed.");
    assert_eq!(broken(&[(created, &format!("{existed}\n        {created}"))]), [""; 0]);
    // An inline schema is a type of its own, so it is compared by what it says.
    let listed = "'200': {description: Found., content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Animal'}}}}}";
    let partly = listed.replace("'200': {description: Found.", "'206': {description: Some.");
    assert_eq!(broken(&[(listed, &format!("{listed}\n        {partly}"))]), [""; 0]);
    // Another content is another type.
    let other = "'202': {description: Later., content: {application/json: {schema: {$ref: '#/components/schemas/Cat'}}}}";
    assert!(!broken(&[(created, &format!("{created}\n        {other}"))]).is_empty());
}

#[test]
fn a_request_enumeration_in_a_response_breaks_no_client() {
    let edit = [(
        "{message: {type: string}}}",
        "{message: {type: string}, order: {$ref: '#/components/schemas/Order'}}}",
    )];
    assert_eq!(broken(&edit), [""; 0]);
}

const CREATED: &str = "'201': {description: Made., content: {application/json: {schema: {$ref: '#/components/schemas/Animal'}}}}";

/// The same response with a header that is sent always.
fn with_a_header(response: &str) -> String {
    response.replace(", content:", ", headers: {X-Cost: {required: true, schema: {type: integer}}}, content:")
}

#[test]
fn documenting_a_header_breaks_no_client() {
    assert_eq!(broken(&[(CREATED, &with_a_header(CREATED))]), [""; 0]);
    let shared = "Gone: {description: Gone., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}";
    assert_eq!(broken(&[(shared, &with_a_header(shared))]), [""; 0]);
    // In an error that is described in place, and in one of several successes.
    let conflict = "        '409': {description: Taken., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}\n";
    let accepted = "        '202': {description: Later.}\n";
    let before = BASE.replace("        '404':", &format!("{conflict}{accepted}        '404':"));
    for (old, new) in [
        (conflict, with_a_header(conflict)),
        (CREATED, with_a_header(CREATED)),
        (accepted, accepted.replace('}', ", headers: {X-Cost: {schema: {type: integer}}}}")),
    ] {
        assert_eq!(broken_since(&before, &[(old, &new)]), [""; 0], "{old}");
    }
}

#[test]
fn moving_an_error_to_the_components_breaks_no_client() {
    let content = "content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}";
    let conflict = format!("        '409': {{description: Taken., {content}\n");
    let before = BASE.replace("        '404':", &format!("{conflict}        '404':"));
    let moved = "        '409': {$ref: '#/components/responses/Taken'}\n";
    let component = format!("    Taken: {{description: Taken., {content}\n    Gone:");
    assert_eq!(broken_since(&before, &[(&conflict, moved), ("    Gone:", &component)]), [""; 0]);
}

/// An operation that wants the method `create` of the tag, as `createPet` does.
const SECOND: &str = "  /pets/many:
    post:
      operationId: createPets
      tags: [pets]
      responses: {'204': {description: Made.}}
";

#[test]
fn an_operation_that_is_added_takes_no_method_away() {
    assert_eq!(broken(&[("components:\n", &format!("{SECOND}components:\n"))]), [""; 0]);
    let exact = SECOND.replace("createPets", "create");
    assert_eq!(broken(&[("components:\n", &format!("{exact}components:\n"))]), [""; 0]);
}

#[test]
fn pinned_methods_stay_where_operations_are_added_before_them() {
    let before = BASE.replace("paths:\n", &format!("paths:\n{SECOND}"));
    let found = |pins: &[(&str, &str)]| -> Vec<String> {
        let of = |text: &str| {
            let loader = MemoryLoader::new().with("pets.yaml", text);
            let mut options = options("pets", "pets.yaml");
            options.methods = pins.iter().map(|(id, name)| ((*id).to_owned(), (*name).to_owned())).collect();
            Interface::of(&read("pets.yaml", &loader), &options).unwrap()
        };
        let found = differences(&of(BASE), &of(&before)).into_iter().filter(Difference::is_of_client);
        found.filter(|it| it.weight == Weight::Breaking).map(|it| it.text).collect()
    };
    assert_ne!(found(&[]), [""; 0]);
    assert_eq!(found(&[("createPet", "create")]), [""; 0]);
}
