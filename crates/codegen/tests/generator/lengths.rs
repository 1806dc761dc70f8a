//! How long files are, and which of them move when a document grows: those of large documents, which are made here.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::fixtures::{document, generated, options};

/// The most lines of a file of several types.
const MOST_LINES: usize = 400;

/// Words of which names are made.
const WORDS: [&str; 12] = [
    "account", "book", "card", "door", "engine", "field", "garden", "house", "island", "jacket", "key",
    "lamp",
];

/// A document with so many tags, operations for each of them, and members of its one large schema.
fn large(tags: usize, operations: usize, members: usize, more: &str) -> String {
    let mut text = "openapi: 3.0.3\ninfo: {title: Large, version: '1'}\npaths:\n".to_owned();
    for tag in 0..tags {
        for operation in 0..operations {
            let (first, second) = (WORDS[operation % 12], WORDS[operation / 12 % 12]);
            let _ = writeln!(
                text,
                "  /t{tag}/{first}/{second}: {{get: {{tags: [tag{tag}], operationId: {first}_{second}_of_{tag}, responses: {{'200': {{description: It., headers: {{X-Count: {{schema: {{type: integer}}}}}}, content: {{application/json: {{schema: {{$ref: '#/components/schemas/{first}_{second}'}}}}}}}}}}}}}}"
            );
        }
    }
    text.push_str("components:\n  schemas:\n");
    for first in WORDS {
        for second in WORDS {
            let _ = writeln!(
                text,
                "    {first}_{second}: {{type: object, properties: {{name: {{type: string}}}}}}"
            );
        }
    }
    text.push_str(more);
    text.push_str("    whole:\n      type: object\n      properties:\n");
    for member in 0..members {
        let (one, other) = (WORDS[member % 12], WORDS[(member + 5) % 12]);
        let _ = writeln!(
            text,
            "        {one}_part: {{type: object, properties: {{{one}: {{type: object, properties: {{{one}_{member}: {{type: string}}, {other}: {{type: integer}}}}}}, kind: {{type: string, enum: [{one}, {other}]}}, size: {{type: integer}}}}}}"
        );
    }
    text
}

/// The files that are made of a document.
fn files(text: &str) -> BTreeMap<String, String> {
    let made = generated(&document(text), &options("large", "openapi.yaml"));
    assert!(made.files.longest_shared() <= MOST_LINES, "a file has {} lines", made.files.longest_shared());
    made.files.iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
}

/// Every module that a file names has a file, and every file is named by a module.
fn modules_are_there(files: &BTreeMap<String, String>) {
    let mut named = 0;
    for (path, text) in files.iter().filter(|(path, _)| is_rust(path)) {
        let folder = match path.strip_suffix("/src/lib.rs") {
            Some(folder) => format!("{folder}/src"),
            None => path.trim_end_matches(".rs").to_owned(),
        };
        for line in text.lines() {
            let module =
                line.trim_start_matches("pub ").strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
            if let Some(module) = module {
                let file = format!("{folder}/{}.rs", module.trim_start_matches("r#"));
                assert!(files.contains_key(&file), "{path} names {module}, and there is no {file}");
                named += 1;
            }
        }
    }
    let sources = files.keys().filter(|path| is_rust(path) && !path.ends_with("/src/lib.rs"));
    assert_eq!(named, sources.count(), "a file belongs to no module");
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}

#[test]
fn no_file_of_several_types_is_long() {
    for (tags, operations) in [(1, 12), (1, 144), (30, 6)] {
        modules_are_there(&files(&large(tags, operations, 12, "")));
    }
}

#[test]
fn one_more_type_moves_no_other() {
    let before = files(&large(1, 144, 11, ""));
    let more = "    lamp_shade: {type: object, properties: {color: {type: string}}}\n";
    let after = files(&large(1, 144, 12, more));
    let gone: Vec<&String> = before.keys().filter(|path| !after.contains_key(*path)).collect();
    assert!(gone.is_empty(), "{gone:?} are gone");
    let mut changed = String::new();
    for (path, text) in after.iter().filter(|(path, _)| is_rust(path)) {
        if before.get(path) != Some(text) {
            let _ = writeln!(changed, "{path}");
        }
    }
    insta::assert_snapshot!(changed);
}
