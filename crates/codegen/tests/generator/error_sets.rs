//! Operations that declare the same errors have one enumeration, under a name of each.

use std::collections::BTreeMap;

use frontdesk_document::MemoryLoader;

use crate::fixtures::{generated, options, read};

const COMPONENTS: &str = "components:
  schemas:
    Problem: {type: object, required: [message], properties: {message: {type: string}}}
  responses:
    NotFound: {description: There is none., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
    Taken: {description: It is taken., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
    Locked: {description: It is locked., content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}
";

/// The model of a document with a path for each operation: its id and its responses besides 204.
fn model(operations: &[(&str, &str)]) -> BTreeMap<String, String> {
    let mut text = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths:\n".to_owned();
    for (id, responses) in operations {
        text.push_str(&format!(
            "  /{id}:\n    get:\n      operationId: {id}\n      tags: [things]\n      responses: {{'204': {{description: Done.}}, {responses}}}\n"
        ));
    }
    text.push_str(COMPONENTS);
    let loader = MemoryLoader::new().with("openapi.yaml", text);
    let files = generated(&read("openapi.yaml", &loader), &options("t", "openapi.yaml")).files;
    files.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// What each operation exports its errors as, such as `GetCatError = Errors404`.
fn exported(files: &BTreeMap<String, String>) -> Vec<String> {
    let operations = &files["model/src/operations/things.rs"];
    let mut found = Vec::new();
    for line in operations.lines() {
        if let Some(export) = line.strip_prefix("pub use crate::errors::") {
            let (shared, own) = export.trim_end_matches(';').split_once(" as ").unwrap();
            found.push(format!("{own} = {shared}"));
        } else if let Some(own) = line.strip_prefix("    pub enum ").filter(|line| line.contains("Error")) {
            found.push(own.trim_end_matches([' ', '{', '}']).to_owned());
        }
    }
    found
}

const NOT_FOUND: &str = "'404': {$ref: '#/components/responses/NotFound'}";

const TAKEN: &str = "'409': {$ref: '#/components/responses/Taken'}";

#[test]
fn operations_with_the_same_errors_in_any_order_share_them() {
    let files = model(&[
        ("getCat", &format!("{NOT_FOUND}, {TAKEN}")),
        ("getDog", &format!("{TAKEN}, {NOT_FOUND}")),
        ("getFish", NOT_FOUND),
        ("feed", ""),
    ]);
    assert_eq!(
        exported(&files),
        ["GetCatError = Errors404_409", "GetDogError = Errors404_409", "GetFishError", "FeedError"]
    );
    let errors = &files["model/src/errors.rs"];
    assert_eq!(errors.matches("errors! {").count(), 1, "{errors}");
    assert!(
        errors.contains("        404 => NotFound(WithHeaders<Problem>) from NotFound refuses NotFound,"),
        "{errors}"
    );
    assert!(errors.contains("        409 => Conflict(WithHeaders<Problem>) from Taken,"), "{errors}");
}

#[test]
fn an_operation_that_is_added_changes_no_other_name() {
    let both = format!("{NOT_FOUND}, {TAKEN}");
    let before = exported(&model(&[("getCat", &both), ("getDog", &both)]));
    let after =
        exported(&model(&[("getBird", &both), ("getCat", &both), ("getDog", &both), ("feed", NOT_FOUND)]));
    assert!(before.iter().all(|name| after.contains(name)), "{before:?} {after:?}");
}

#[test]
fn errors_of_the_same_statuses_are_told_apart_by_what_they_hold() {
    let locked = "'409': {$ref: '#/components/responses/Locked'}";
    let files = model(&[("getCat", TAKEN), ("getDog", TAKEN), ("getFish", locked), ("getBird", locked)]);
    let names = exported(&files);
    assert_eq!(names[1..3], ["GetDogError = Errors409", "GetFishError = Errors409WithLocked"]);
}

#[test]
fn a_header_makes_another_error() {
    let content = "content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}";
    let plain = format!("'404': {{description: None., {content}}}");
    let with_header =
        format!("'404': {{description: None., headers: {{X-A: {{schema: {{type: string}}}}}}, {content}}}");
    let names = exported(&model(&[("getCat", &plain), ("getDog", &plain), ("getFish", &with_header)]));
    assert_eq!(names, ["GetCatError = Errors404", "GetDogError = Errors404", "GetFishError"]);
}

#[test]
fn a_description_of_one_operation_is_told_where_it_says_something_of_its_own() {
    let error = |text: &str| format!("'404': {{description: {text}}}, '409': {{description: It is taken.}}");
    let files = model(&[("getCat", &error("No such cat.")), ("getDog", &error("No such dog."))]);
    let (errors, operations) = (&files["model/src/errors.rs"], &files["model/src/operations/things.rs"]);
    assert!(
        errors.contains("        /// 404\n        404 => NotFound(WithHeaders<()>) as empty"),
        "{errors}"
    );
    assert!(errors.contains("        /// 409: It is taken.\n"), "{errors}");
    for (own, other) in [("cat", "dog"), ("dog", "cat")] {
        let docs = format!("declares.\n///\n/// - 404: No such {own}.\n");
        assert!(operations.contains(&docs) && !errors.contains(other), "{operations}");
    }
}

#[test]
fn classes_and_the_rest_are_words_of_the_name() {
    let rest = "4XX: {description: Refused.}, default: {description: Failed.}";
    let both = format!("{NOT_FOUND}, {rest}");
    let names = exported(&model(&[
        ("getCat", rest),
        ("getDog", rest),
        ("getFish", &both),
        ("getBird", &both),
        ("feed", ""),
        ("groom", ""),
    ]));
    let sets: Vec<&str> = names.iter().filter_map(|name| Some(name.split_once(" = ")?.1)).collect();
    assert_eq!(
        sets,
        [
            "ErrorsClientErrorAndOther",
            "ErrorsClientErrorAndOther",
            "Errors404AndClientErrorAndOther",
            "Errors404AndClientErrorAndOther",
            "NoErrors",
            "NoErrors"
        ]
    );
}
