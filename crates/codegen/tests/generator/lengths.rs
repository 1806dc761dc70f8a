//! How long files are, what is in them, and which of them move when a document grows: those of large
//! documents, which are made here.

use std::collections::{BTreeMap, BTreeSet};
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

/// A file says each condition once for what it imports of a crate, and once for what it exports.
fn conditions_are_said_once(files: &BTreeMap<String, String>) {
    for (path, text) in files.iter().filter(|(path, _)| is_rust(path)) {
        let lines: Vec<&str> = text.lines().collect();
        let mut said = BTreeSet::new();
        for pair in lines.windows(2).filter(|pair| pair[0].starts_with("#[cfg(")) {
            if let Some((item, _)) = pair[1].split_once("::").filter(|(item, _)| item.contains("use ")) {
                assert!(said.insert((pair[0], item)), "{path} has two times `{}` on `{item}::`", pair[0]);
            }
        }
    }
}

#[test]
fn no_file_of_several_types_is_long() {
    for (tags, operations) in [(1, 12), (1, 72), (1, 144), (30, 6)] {
        let files = files(&large(tags, operations, 12, ""));
        modules_are_there(&files);
        conditions_are_said_once(&files);
    }
}

/// The schemas of the file of each module of schemas, by its path below their folder.
fn schemas(text: &str) -> Vec<(String, Vec<String>)> {
    let files = files(text);
    let modules =
        files.iter().filter_map(|(path, text)| Some((path.strip_prefix("model/src/schemas/")?, text)));
    let types = |text: &str| {
        let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("pub struct "));
        names.map(|line| line.trim_end_matches(" {").to_owned()).collect()
    };
    modules.map(|(path, text)| (path.to_owned(), types(text))).collect()
}

/// A schema with so many properties.
fn object(name: &str, properties: usize, more: &str) -> String {
    let properties: String = (0..properties).map(|index| format!("p{index}: {{type: string}}, ")).collect();
    format!("    {name}: {{type: object, properties: {{{properties}{more}}}}}\n")
}

/// A document with the tags `cats` and `shared`, an event, and schemas that these use.
fn shop(more: &str) -> String {
    let refers = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    let body = |name: &str| format!("content: {{application/json: {{schema: {}}}}}", refers(name));
    let operation = |tag: &str, id: &str, schema: &str| {
        format!(
            "get: {{tags: [{tag}], operationId: {id}, responses: {{'200': {{description: It., {}}}}}}}",
            body(schema)
        )
    };
    let mut text = format!(
        "openapi: 3.0.3\ninfo: {{title: Shop, version: '1'}}\npaths:\n  /cats: {{{}}}\n  /dogs: {{{}}}\nx-webhooks:\n  seen: {{post: {{requestBody: {{{}}}, responses: {{'200': {{description: Seen.}}}}}}}}\ncomponents:\n  schemas:\n",
        operation("cats", "getCat", "CatList"),
        operation("shared", "getDog", "Dog"),
        body("Seen"),
    );
    let member = |name: &str| format!("other: {}", refers(name));
    text.push_str(&object("CatList", 1, &format!("cats: {}, {}", refers("Cat"), member("CatFood"))));
    text.push_str(&object("Cat", 1, &member("Owner")));
    text.push_str(&object("CatFood", 40, ""));
    text.push_str(&object("Dog", 1, &member("Owner")));
    text.push_str(&object("Owner", 1, ""));
    text.push_str(&object("Seen", 1, &member("Cat")));
    text.push_str(&object("Lost", 1, &member("Cat")));
    text.push_str(more);
    text
}

#[test]
fn schemas_are_with_the_tag_whose_operations_use_them() {
    let module = |path: &str, types: &[&str]| {
        (path.to_owned(), types.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
    };
    let expected = [
        // Cats are a family, which is too long for one file.
        module("cats.rs", &[]),
        module("cats/cat.rs", &["Cat"]),
        module("cats/cat/cat_food.rs", &["CatFood"]),
        module("cats/cat/cat_list.rs", &["CatList"]),
        module("shared.rs", &["Dog"]),
        // The tag has the name already.
        module("shared_.rs", &["Owner"]),
        module("unused.rs", &["Lost"]),
        module("webhooks.rs", &["Seen"]),
    ];
    assert_eq!(schemas(&shop("")), expected);
    // What is added is in one file, and moves nothing.
    let mut more = expected;
    more[6].1.push("LostToy".to_owned());
    assert_eq!(schemas(&shop(&object("LostToy", 2, ""))), more);
}

#[test]
fn no_module_of_schemas_below_a_tag_is_short() {
    for text in [shop(""), large(1, 12, 12, "")] {
        let files = files(&text);
        let below =
            files.iter().filter(|(path, _)| path.matches('/').count() > 3 && path.contains("/schemas/"));
        let mut count = 0;
        for (path, text) in below {
            assert!(text.lines().count() >= 40, "{path} is short:\n{text}");
            count += 1;
        }
        assert!(count > 0);
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
