//! [`Expected`]: what the page must show according to the bundle.

use serde_json::Value;

/// The bundle, as it is committed.
const BUNDLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/openapi.json"));

/// Letters that a word has at least which is worth a search. The search also finds similar words, and a short
/// one is similar to many.
const SHORTEST_WORD: usize = 8;

/// Letters at the end of a word that another form of it may not have: the search for "contacted" also finds
/// "contact".
const ENDING: usize = 2;

/// How often the document may have a word that is searched for, in any form.
const MOST_MATCHES: usize = 6;

/// The document on the page.
pub(super) struct Expected {
    pub(super) title: String,
    pub(super) operations: Vec<Operation>,
}

/// An operation on the page. Texts are as a person reads them.
#[derive(Clone)]
pub(super) struct Operation {
    pub(super) id: String,
    pub(super) tag: String,
    pub(super) summary: String,
    /// The word of its description, but not of its summary, that the document has least often. `None` if the
    /// document has all of them so often that a list of results is too short for them.
    pub(super) word: Option<String>,
    /// Every text of which its section must hold one more: what it is called, where it is, how much may be
    /// built on it.
    pub(super) texts: Vec<String>,
}

impl Expected {
    pub(super) fn read() -> Self {
        let document: Value = serde_json::from_str(BUNDLE).unwrap();
        let info = &document["info"];
        let title = format!("{} {}", text(&info["title"]), text(&info["version"]));
        let mut operations = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                if operation["operationId"].is_string() {
                    operations.push(Operation::of(&document, path, method, operation));
                }
            }
        }
        assert!(!operations.is_empty());
        Self { title, operations }
    }

    /// The first operation of each tag.
    pub(super) fn one_of_each_tag(&self) -> Vec<Operation> {
        let mut found: Vec<Operation> = Vec::new();
        for operation in &self.operations {
            if !found.iter().any(|known| known.tag == operation.tag) {
                found.push(operation.clone());
            }
        }
        found
    }
}

impl Operation {
    fn of(document: &Value, path: &str, method: &str, operation: &Value) -> Self {
        let id = text(&operation["operationId"]);
        let summary = text(&operation["summary"]);
        let mut texts = vec![id.clone(), summary.clone(), format!("{}{path}", method.to_uppercase())];
        for key in ["x-provenance", "x-stability-level"] {
            texts.push(text(&operation[key]));
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = resolved(document, response);
            let marks =
                ["x-provenance", "x-stability-level"].iter().filter_map(|key| response[*key].as_str());
            texts.push([status.as_str()].into_iter().chain(marks).collect::<Vec<_>>().join(" "));
        }
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        let properties = resolved(document, body)["properties"].as_object();
        for (name, property) in properties.into_iter().flatten() {
            texts.push(name.clone());
            if let Some(bounds) = property["x-designed-bounds"].as_array() {
                let bounds: Vec<_> = bounds.iter().map(text).collect();
                texts.push(format!("designed bounds: {}", bounds.join(", ")));
            }
        }
        let word = words(&text(&operation["description"]))
            .filter(|word| word.len() >= SHORTEST_WORD && !words(&summary).any(|known| known == *word))
            .map(|word| (matches(&word), word))
            .min_by_key(|(count, _)| *count)
            .filter(|(count, _)| *count <= MOST_MATCHES)
            .map(|(_, word)| word);
        Self { id, tag: text(&operation["tags"][0]), summary, word, texts }
    }
}

/// How often the document has a word, in any form.
fn matches(word: &str) -> usize {
    let letters = word.chars().count() - ENDING;
    let stem: String = word.chars().take(letters).collect();
    BUNDLE.to_lowercase().matches(&stem).count()
}

fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    match value["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => value,
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|character: char| !character.is_alphabetic()).map(str::to_lowercase);
    words.collect::<Vec<_>>().into_iter()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}
