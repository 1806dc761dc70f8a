//! What the branches of a choice are called: variants, and types that have no name of their own.

use frontdesk_codegen::ir::{Api, Shape};
use frontdesk_codegen::{generate, lower};

use crate::fixtures::{document, options};

fn api(rest: &str) -> Api {
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    lower(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"))
}

/// The variants of the schema `Choice`, which is written in YAML's flow style.
fn variants(choice: &str, others: &str) -> Vec<String> {
    let api = api(&format!("paths: {{}}\ncomponents:\n  schemas:\n    Choice: {choice}\n{others}"));
    let def = api.types.iter().find(|def| def.name == "Choice").expect("it is a type");
    let Shape::Union(union) = &def.shape else { panic!("{:?}", def.shape) };
    union.branches.iter().map(|branch| branch.rust.clone()).collect()
}

#[test]
fn a_branch_is_called_by_what_the_document_says_of_it() {
    let kinds = "    Base: {type: object, properties: {id: {type: string}}}\n    Cat: {type: object, properties: {purrs: {type: boolean}}}\n    Dog: {type: object, properties: {barks: {type: boolean}}}\n";
    let named = |choice: &str| variants(choice, kinds);
    // What its `allOf` adds to what all have.
    assert_eq!(
        named(
            "{oneOf: [{allOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Base'}]}, {allOf: [{$ref: '#/components/schemas/Base'}, {$ref: '#/components/schemas/Dog'}]}]}"
        ),
        ["Cat", "Dog"]
    );
    // The value that tells it from the others, also where that stands within an `allOf`; not a value that all
    // have.
    assert_eq!(
        named(
            "{oneOf: [{allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {object: {enum: [owner]}, kind: {enum: [person]}}}]}, {type: object, properties: {object: {enum: [owner]}, kind: {enum: [firm]}}}]}"
        ),
        ["Person", "Firm"]
    );
    // A member that only it has, or has to have.
    assert_eq!(
        named(
            "{oneOf: [{type: object, properties: {a: {}, b: {}}, required: [a]}, {type: object, properties: {a: {}, b: {}}, required: [b]}]}"
        ),
        ["WithA", "WithB"]
    );
    // A few values.
    assert_eq!(
        named(
            "{oneOf: [{type: object, properties: {status: {enum: [completed]}}}, {type: object, properties: {status: {enum: [queued, in_progress]}}}]}"
        ),
        ["Completed", "QueuedOrInProgress"]
    );
}

#[test]
fn a_branch_without_a_word_is_called_by_its_type() {
    assert_eq!(
        variants(
            "{oneOf: [{type: string, enum: [a, b]}, {type: object, properties: {x: {}}}, {type: integer}]}",
            ""
        ),
        ["String", "WithX", "Integer"]
    );
    assert_eq!(
        variants(
            "{oneOf: [{type: object, properties: {x: {type: string}}}, {type: object, properties: {x: {type: integer}}}]}",
            ""
        ),
        ["Object", "ObjectVariant"]
    );
    assert_eq!(
        variants(
            "{oneOf: [{type: array, items: {type: integer}}, {type: array, items: {$ref: '#/components/schemas/User'}}]}",
            "    User: {type: object, properties: {id: {type: string}}}\n"
        ),
        ["IntegerList", "UserList"]
    );
}

#[test]
fn a_variant_does_not_say_again_what_the_choice_is_called() {
    let others = "    ChoiceOfFirst: {type: object, properties: {a: {}}}\n    ChoiceSecond: {type: object, properties: {b: {}}}\n";
    let refer = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    assert_eq!(
        variants(&format!("{{oneOf: [{}, {}]}}", refer("ChoiceOfFirst"), refer("ChoiceSecond")), others),
        ["OfFirst", "Second"]
    );
}

#[test]
fn an_entry_beside_its_singular_is_one_of_the_list() {
    let api = api(
        "paths: {}\ncomponents:\n  schemas:\n    Issue: {type: object, properties: {assignee: {type: object, properties: {a: {}}}, assignees: {type: array, items: {type: object, properties: {b: {}}}}}}\n",
    );
    let names: Vec<&str> = api.types.iter().map(|def| def.name.as_str()).collect();
    assert_eq!(names, ["Issue", "IssueAssignee", "IssueAssigneesEntry"]);
}

#[test]
fn the_type_of_a_shared_parameter_has_the_name_of_the_component() {
    let api = api(
        "paths:\n  /a:\n    get: {operationId: listA, parameters: [{$ref: '#/components/parameters/direction'}, {$ref: '#/components/parameters/Sort'}], responses: {'204': {description: Done.}}}\n  /b:\n    get: {operationId: listB, parameters: [{$ref: '#/components/parameters/direction'}], responses: {'204': {description: Done.}}}\ncomponents:\n  parameters:\n    direction: {name: direction, in: query, schema: {type: string, enum: [asc, desc]}}\n    Sort: {name: sort, in: query, schema: {type: string, enum: [name, age]}}\n  schemas:\n    Sort: {type: object, properties: {by: {type: string}}}\n",
    );
    let mut names: Vec<&str> = api.types.iter().map(|def| def.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["Direction", "Sort", "SortParameter"]);
}

#[test]
fn what_is_read_as_a_type_is_asked_for_first() {
    let rest = "paths:\n  /a:\n    get: {operationId: get, responses: {'200': {description: Done., content: {application/octet-stream: {schema: {type: string, format: binary}}, application/json: {schema: {type: object, properties: {a: {type: string}}}}}}}}\n";
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let made = generate(&document, &options("t", "openapi.yaml")).unwrap();
    assert!(
        made.files.iter().any(|(_, text)| text.contains("\"application/json, application/octet-stream\""))
    );
}

#[test]
fn unions_of_each_other_have_the_branches_of_both() {
    let all = |choice: &str, others: &str| {
        let mut variants = variants(choice, others);
        variants.sort();
        variants
    };
    let two =
        "    Other: {anyOf: [{$ref: '#/components/schemas/Choice'}, {type: integer}, {type: string}]}\n";
    assert_eq!(
        all("{oneOf: [{$ref: '#/components/schemas/Other'}, {type: string}]}", two),
        ["Integer", "String"]
    );
    // A circle of three, one of which is its own branch too.
    let three = "    Other: {oneOf: [{$ref: '#/components/schemas/Third'}, {type: boolean}]}\n    Third: {oneOf: [{$ref: '#/components/schemas/Third'}, {$ref: '#/components/schemas/Choice'}, {type: integer}]}\n";
    assert_eq!(
        all("{oneOf: [{$ref: '#/components/schemas/Other'}, {type: string}]}", three),
        ["Boolean", "Integer", "String"]
    );
    // A list is a value of its own: what leads back through it stays.
    let list = "    Other: {oneOf: [{type: array, items: {$ref: '#/components/schemas/Choice'}}, {type: integer}]}\n";
    assert_eq!(
        all("{oneOf: [{$ref: '#/components/schemas/Other'}, {type: string}]}", list),
        ["Other", "String"]
    );
}
