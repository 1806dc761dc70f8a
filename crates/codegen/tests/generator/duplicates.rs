//! What becomes of a schema that a document writes out again in another place.

use frontdesk_codegen::ir::Api;
use frontdesk_codegen::lower;

use crate::fixtures::{document, options};

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    Pull:
      type: object
      properties:
        user: &user
          type: object
          properties:
            login: {type: string}
            kind: {type: string, enum: [bot, person]}
            home: {type: object, properties: {street: {type: string}}}
        reviewer: *user
    Issue: {type: object, properties: {user: *user, labels: {type: array, items: {type: string, enum: [bot, person]}}}}
    Commit:
      type: object
      properties:
        user: {type: object, properties: {login: {type: string, description: Their name.}}}
    Same: {type: object, properties: {street: {type: string}}}
    AndAgain: {type: object, properties: {street: {type: string}}}
";

fn api() -> Api {
    lower(&document(DOCUMENT), &options("duplicates", "openapi.yaml")).unwrap()
}

/// The types that are aliases, and of what.
fn aliases(api: &Api) -> Vec<(&str, &str)> {
    let duplicates = api.types.iter().filter_map(|def| Some((def.name.as_str(), def.duplicate_of?)));
    duplicates.map(|(name, duplicate)| (name, api.type_def(duplicate).name.as_str())).collect()
}

#[test]
fn what_is_written_again_is_an_alias_and_names_its_inside_once() {
    let api = api();
    assert_eq!(aliases(&api), [("PullReviewer", "PullUser"), ("IssueUser", "PullUser")]);
    let names: Vec<&str> = api.types.iter().map(|def| def.name.as_str()).collect();
    assert!(names.contains(&"PullUserKind") && !names.contains(&"IssueUserKind"), "{names:?}");
    assert!(names.contains(&"PullUserHome") && !names.contains(&"PullReviewerHome"), "{names:?}");
}

#[test]
fn what_only_happens_to_be_equal_stays_apart() {
    let api = api();
    let own = |name: &str| api.types.iter().any(|def| def.name == name && def.duplicate_of.is_none());
    // Other words: a list of the same values in an unrelated place, and two schemas with names of their own.
    assert!(own("IssueLabel") && own("PullUserKind"));
    assert!(own("Same") && own("AndAgain"));
    // Other content, if only in what is said of a member.
    assert!(own("CommitUser"));
}

#[test]
fn a_component_that_only_adds_null_is_the_one_that_it_adds_it_to() {
    let user = "type: object, properties: {login: {type: string}, home: {type: object, properties: {street: {type: string}}}}";
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n    User: {{title: User, {user}}}\n    nullable-user: {{title: Nullable User, nullable: true, {user}}}\n    NullableOther: {{{user}}}\n    Issue: {{type: object, properties: {{by: {{$ref: '#/components/schemas/nullable-user'}}}}}}\n"
    );
    let api = lower(&document(&text), &options("duplicates", "openapi.yaml")).unwrap();
    assert_eq!(aliases(&api), [("NullableUser", "User"), ("NullableOtherHome", "UserHome")]);
    let names: Vec<&str> = api.types.iter().map(|def| def.name.as_str()).collect();
    assert!(!names.contains(&"NullableUserHome"), "{names:?}");
}

#[test]
fn what_components_describe_is_no_alias_of_what_one_operation_has() {
    let done = "responses: {'204': {description: Done.}}";
    let order = "in: query, name: order, schema: {type: string, enum: [asc, desc]}";
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a: {{get: {{operationId: search, {done}, parameters: [{{{order}}}]}}}}\n  /b: {{get: {{operationId: list, {done}, parameters: [{{$ref: '#/components/parameters/Order'}}]}}}}\ncomponents: {{parameters: {{Order: {{{order}}}}}}}\n"
    );
    let api = lower(&document(&text), &options("duplicates", "openapi.yaml")).unwrap();
    assert_eq!(aliases(&api), [("SearchOrder", "Order")]);
}

#[test]
fn one_value_in_two_operations_is_a_coincidence() {
    let body = |values: &str| {
        format!(
            "requestBody: {{content: {{application/json: {{schema: {{type: object, properties: {{a: {{type: object, properties: {{kind: {{type: string, enum: {values}}}}}}}}}}}}}}}}}, responses: {{'204': {{description: Done.}}}}"
        )
    };
    let found = |values: &str| -> usize {
        let text = format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a: {{post: {{operationId: a, parameters: [{{name: p, in: query, schema: {{type: string}}}}], {}}}}}\n  /b: {{post: {{operationId: b, {}}}}}\n",
            body(values),
            body(values).replace("properties: {a: ", "properties: {z: {type: string}, b: ")
        );
        let api = lower(&document(&text), &options("duplicates", "openapi.yaml")).unwrap();
        aliases(&api).iter().filter(|(name, _)| name.ends_with("Kind")).count()
    };
    assert_eq!(found("[a, b]"), 1);
    assert_eq!(found("[a]"), 0);
}
