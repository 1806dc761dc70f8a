//! What holds for every text, whatever it says: the test of the seeds and the fuzz targets, which include
//! this file, ask it alike.
//!
//! A document may be refused, and then every problem has a place. What is taken must come back unchanged from
//! its bundle, and lead to files in their languages; no two things of one scope have the same name, and no
//! type holds itself without a box.

use std::collections::BTreeSet;
use std::fmt::Debug;

use frontdesk_codegen::ir::{Answer, Api, Content, Payload, Shape, Type, TypeId};
use frontdesk_codegen::{GenerateError, JavaScriptOptions, Options, generate, lower, survey};
use frontdesk_document::{Diagnostics, Document, MemoryLoader};

/// Reads a text as the file of this name. Problems are shown, too, since that must not fail either.
pub(crate) fn read(name: &str, text: &str) -> Option<Document> {
    let loader = MemoryLoader::new().with(name, text);
    let (document, problems) = Document::read(name, &loader);
    assert_eq!(document.is_none(), problems.has_errors(), "only errors keep from a document");
    located(&problems);
    document
}

/// Bundles a document, and reads the bundle again in both formats.
pub(crate) fn bundle(document: &Document) {
    let bundle = document.bundle();
    located(bundle.diagnostics());
    let value = bundle.to_value();
    for (name, text) in [("openapi.yaml", bundle.to_yaml()), ("openapi.json", bundle.to_json())] {
        let loader = MemoryLoader::new().with(name, text.as_str());
        let (again, problems) = Document::read(name, &loader);
        let Some(again) = again else {
            panic!("{}\n{text}", problems.render(problems.sources(), false));
        };
        // The nodes of a later version have been rewritten; its bundle has not.
        assert_eq!(again.bundle().to_value(), value, "{text}");
    }
}

/// Generates from a document; whether there are files, or the document is refused.
pub(crate) fn generates(document: &Document) -> bool {
    let options = |strict| Options {
        strict,
        javascript: Some(JavaScriptOptions::default()),
        ..Options::of_workspace("sound", "openapi.yaml")
    };
    let strict = survey(document, &options(true));
    match generate(document, &options(false)) {
        Ok(generated) => {
            located(&generated.warnings);
            assert!(!generated.warnings.has_errors(), "what is taken has no errors");
            assert!(generated.files.iter().count() > 3, "all three crates have files");
            if let Ok((report, _)) = &strict {
                assert_eq!(*report, generated.report, "strictness changes no type");
            }
            for (path, text) in generated.files.iter().filter(|(path, _)| path.ends_with("Cargo.toml")) {
                assert!(text.parse::<toml::Table>().is_ok(), "{path} is no TOML:\n{text}");
            }
            for (path, text) in generated.files.iter().filter(|(path, _)| path.starts_with("javascript/")) {
                let extension = path.rsplit('.').next().unwrap_or_default();
                if extension == "json" {
                    assert!(
                        serde_json::from_str::<serde_json::Value>(text).is_ok(),
                        "{path} is no JSON:\n{text}"
                    );
                } else if !path.contains("/runtime/") && ["js", "ts"].contains(&extension) {
                    balanced(path, text);
                }
            }
            let api = lower(document, &options(false)).expect("it has just been lowered");
            names(&api);
            holding(&api);
            true
        }
        Err(GenerateError::Refused(problems)) => {
            located(&problems);
            assert!(problems.has_errors(), "what is refused has an error");
            let strict = generate(document, &options(true));
            assert!(strict.is_err(), "strictness takes nothing that is refused without it");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// Every problem points into a text that was read, and can be shown.
fn located(problems: &Diagnostics) {
    for problem in problems {
        for label in [&problem.primary].into_iter().chain(&problem.related) {
            let file = problems.sources().get(label.span.file);
            let text = file.map_or("", |file| file.text());
            assert!(text.get(label.span.range()).is_some(), "{problem:?} has no place");
        }
    }
    let shown = problems.render(problems.sources(), false);
    assert_eq!(problems.is_empty(), shown.is_empty());
}

/// No scope has a name twice, and no module one that cannot be a file's.
fn names(api: &Api) {
    let modules =
        api.types.iter().map(|def| &def.root_module).chain(api.groups.iter().map(|group| &group.module));
    for file in modules.chain(api.operations().map(|operation| &operation.function)) {
        assert!(file.is_ascii(), "Rust looks for no file of the name {file}");
        assert!(!file.trim_matches('_').contains("__"), "{file} is not in snake_case");
    }
    let answers = |answers: &'_ [Answer]| -> Vec<Payload> {
        answers
            .iter()
            .filter_map(|answer| match &answer.content {
                Content::Body(payload) => Some(payload.clone()),
                Content::Nothing | Content::Response(_) => None,
            })
            .collect()
    };
    let mut payloads: Vec<Payload> =
        api.responses.iter().filter_map(|response| response.body.clone()).collect();
    payloads.extend(api.webhooks.iter().filter_map(|webhook| webhook.payload.clone()));
    for operation in api.operations() {
        payloads.extend(operation.body.iter().map(|body| body.payload.clone()));
        payloads.extend(answers(&operation.successes).into_iter().chain(answers(&operation.errors)));
        distinct("parameters", operation.parameters.iter().map(|parameter| &parameter.rust));
        let variants = operation.successes.iter().chain(&operation.errors).map(|answer| &answer.variant);
        distinct("answers", variants);
    }
    for payload in &payloads {
        assert!(!payload.forms.is_empty(), "a payload has a form");
        distinct("forms", payload.forms.iter().map(|form| &form.variant));
    }
    let operations = || api.operations().map(|operation| operation.name.clone());
    let types = api.types.iter().flat_map(|def| std::iter::once(&def.name).chain(&def.required).cloned());
    let responses = api.responses.iter().map(|response| response.name.clone());
    distinct("types", types.chain(responses).chain(operations()));
    distinct("constants", api.operations().map(|operation| &operation.constant));
    distinct("modules", api.groups.iter().map(|group| &group.module));
    distinct("groups", api.groups.iter().map(|group| &group.name));
    distinct("schemes", api.schemes.iter().map(|scheme| &scheme.rust));
    distinct("events", api.webhooks.iter().map(|webhook| &webhook.rust));
    if api.features {
        distinct("features", api.groups.iter().map(frontdesk_codegen::ir::Group::feature));
    }
    for group in &api.groups {
        distinct("functions", group.operations.iter().map(|operation| &operation.function));
        distinct("methods", group.operations.iter().map(|operation| &operation.short));
    }
    for response in &api.responses {
        distinct("headers", response.headers.iter().map(|header| &header.rust));
    }
    let servers = api.servers.iter().chain(api.operations().flat_map(|operation| &operation.servers));
    for server in servers {
        distinct("variables", server.variables.iter().map(|variable| &variable.rust));
    }
    for def in &api.types {
        match &def.shape {
            Shape::Struct(shape) => {
                let extra = shape.extra.as_ref().map(|_| "extra");
                distinct(&def.name, shape.fields.iter().map(|field| field.rust.as_str()).chain(extra));
                distinct(&def.name, shape.fields.iter().map(|field| &field.wire));
            }
            Shape::Enum(shape) => {
                distinct(&def.name, shape.values.iter().map(|value| &value.rust));
                distinct(&def.name, shape.values.iter().map(|value| &value.wire));
            }
            Shape::Union(shape) => {
                distinct(&def.name, shape.branches.iter().map(|branch| &branch.rust));
                for (value, branch) in shape.tag.iter().flat_map(|tag| &tag.values) {
                    assert!(shape.branches.get(*branch).is_some(), "`{value}` of {} leads nowhere", def.name);
                }
            }
            Shape::Newtype(_) | Shape::Id => {}
        }
    }
}

fn distinct<T: Ord + Debug>(scope: &str, names: impl Iterator<Item = T>) {
    let mut taken = BTreeSet::new();
    for name in names {
        assert!(!taken.contains(&name), "{name:?} is there twice among {scope}");
        taken.insert(name);
    }
}

/// No type holds itself directly: it would have no end. Boxes, lists and maps are on the heap.
fn holding(api: &Api) {
    let mut held: Vec<usize> = vec![0; api.types.len()];
    let holds = |id: usize| -> Vec<TypeId> {
        let types: Vec<&Type> = match &api.types[id].shape {
            Shape::Struct(shape) => shape.fields.iter().map(|field| &field.element.ty).collect(),
            Shape::Union(shape) => shape.branches.iter().map(|branch| &branch.element.ty).collect(),
            Shape::Newtype(element) => vec![&element.ty],
            Shape::Enum(_) | Shape::Id => Vec::new(),
        };
        types.into_iter().filter_map(|ty| if let Type::Named(id) = ty { Some(*id) } else { None }).collect()
    };
    for id in 0..api.types.len() {
        for part in holds(id) {
            held[part.0] += 1;
        }
    }
    // What nothing holds can be taken away; where all hold each other, nothing can.
    let mut free: Vec<usize> = (0..api.types.len()).filter(|id| held[*id] == 0).collect();
    let mut ended = 0;
    while let Some(id) = free.pop() {
        ended += 1;
        for part in holds(id) {
            held[part.0] -= 1;
            if held[part.0] == 0 {
                free.push(part.0);
            }
        }
    }
    let endless: Vec<&str> =
        (0..api.types.len()).filter(|id| held[*id] > 0).map(|id| api.types[id].name.as_str()).collect();
    assert_eq!(ended, api.types.len(), "of {endless:?} some hold themselves");
}

/// Whether every literal, comment and bracket of a module is closed, and nothing in it misleads a reader.
fn balanced(path: &str, text: &str) {
    let misleading = |character: char| {
        matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || (character.is_control() && character != '\n')
    };
    assert!(!text.contains(misleading), "{path} has invisible characters:\n{text}");
    let mut open = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").unwrap_or_else(|| panic!("{path} has an open comment:\n{text}")) + 2
        } else if matches!(first, '\'' | '`') {
            literal(rest, first).unwrap_or_else(|| panic!("{path} has an open literal:\n{text}"))
        } else {
            match first {
                '(' => open.push(')'),
                '[' => open.push(']'),
                '{' => open.push('}'),
                ')' | ']' | '}' => {
                    assert_eq!(open.pop(), Some(first), "{path} has a bracket too many:\n{text}");
                }
                _ => {}
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    assert!(open.is_empty(), "{path} has open brackets:\n{text}");
}

/// The length of the literal at the beginning of a text, if it ends on its line.
fn literal(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
