//! The display document: a copy of the document that explains our extension keys in words.
//!
//! Operations get badges, and a paragraph with their access rules. Everything else gets short marks in its
//! description, as do operations for keys without a badge. The marks come first in descriptions of responses,
//! because the page truncates these, and last in all others. A response also lists the operations that its
//! links lead to. Nothing is removed.

use indexmap::IndexMap;

use crate::json::{Json, Members};
use crate::policy;

/// The access policy of an operation, which is shown as sentences and a badge.
const POLICY: &str = "x-policy";

/// Links of the document, by the reference to each.
type Links = IndexMap<String, Json>;

/// Members whose keys are names that the author chose: a property may be called `example`.
const NAMED: &[&str] = &[
    "callbacks",
    "content",
    "encoding",
    "headers",
    "links",
    "parameters",
    "paths",
    "properties",
    "requestBodies",
    "responses",
    "schemas",
    "securitySchemes",
    "variables",
    "x-webhooks",
];

/// Members that hold the author's data, in which our keys have no meaning.
const DATA: &[&str] = &["default", "enum", "example", "examples", "value"];

/// Members of a path item that are operations.
const METHODS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put", "trace"];

/// Keys that are meant for the page itself.
const FOR_THE_PAGE: &[&str] = &["x-badges", "x-codeSamples", "x-displayName", "x-scalar-", "x-tagGroups"];

/// Adds the meaning of our keys to the document.
pub(crate) fn prepare(document: &mut Json) {
    let links = shared_links(document);
    let Some(root) = document.as_object_mut() else { return };
    for (key, part) in root.iter_mut() {
        match key.as_str() {
            "paths" | "x-webhooks" => each_member(part, |item| path_item(item, &links)),
            "components" => each_named(part, |key, part| match key {
                "responses" => each_member(part, |part| response(part, &links)),
                key => part_of(key, part),
            }),
            key => part_of(key, part),
        }
    }
}

/// Returns the links that responses refer to, by the reference to each.
fn shared_links(document: &Json) -> Links {
    let components = document.as_object().and_then(|root| root.get("components")).and_then(Json::as_object);
    let links = components.and_then(|components| components.get("links")).and_then(Json::as_object);
    let links = links.into_iter().flatten();
    links.map(|(name, link)| (format!("#/components/links/{name}"), link.clone())).collect()
}

fn path_item(item: &mut Json, links: &Links) {
    each_named(
        item,
        |key, part| {
            if METHODS.contains(&key) { operation(part, links) } else { part_of(key, part) }
        },
    );
}

fn operation(operation: &mut Json, links: &Links) {
    each_named(operation, |key, part| match key {
        "callbacks" => each_member(part, |callback| each_member(callback, |item| path_item(item, links))),
        "responses" => each_member(part, |part| response(part, links)),
        key => part_of(key, part),
    });
    let Some(members) = operation.as_object_mut() else { return };
    let mut badges: Vec<Json> = BADGES.iter().filter_map(|badge| badge.on(members)).collect();
    let access =
        members.get(POLICY).and_then(|policy| Some((policy::callers(policy)?, policy::sentences(policy)?)));
    let is_shown =
        |key: &str| BADGES.iter().any(|badge| badge.key == key) || key == POLICY && access.is_some();
    let marks = marks(members, |key| !is_shown(key));
    append(members, &marks);
    if let Some((callers, sentences)) = access {
        append_block(members, &sentences);
        badges.push(badge(callers, ACCESS));
    }
    if badges.is_empty() {
        return;
    }
    match members.get_mut("x-badges") {
        Some(Json::Array(present)) => present.extend(badges),
        _ => drop(members.insert("x-badges".to_owned(), Json::Array(badges))),
    }
}

fn response(response: &mut Json, links: &Links) {
    each_named(response, part_of);
    let Some(members) = response.as_object_mut() else { return };
    let marks = marks(members, |_| true);
    if !marks.is_empty() {
        let description = members.get("description").and_then(Json::as_text).unwrap_or_default();
        members.insert("description".to_owned(), Json::Text(format!("{marks} {description}")));
    }
    let next = members.get("links").and_then(Json::as_object).into_iter().flat_map(Members::values);
    let next: Vec<String> = next
        .filter_map(|link| {
            let link = link.as_object()?;
            let shared = link.get("$ref").and_then(Json::as_text).and_then(|reference| links.get(reference));
            let link = shared.and_then(Json::as_object).unwrap_or(link);
            let operation = link.get("operationId").or_else(|| link.get("operationRef"))?;
            Some(format!("`{}`", operation.as_text()?))
        })
        .collect();
    if !next.is_empty() {
        append(members, &format!("Next operations: {}.", next.join(", ")));
    }
}

/// Processes the member of an object by its key.
fn part_of(key: &str, part: &mut Json) {
    if DATA.contains(&key) || key.starts_with("x-") {
        return;
    }
    if NAMED.contains(&key) && part.as_object().is_some() {
        each_member(part, object);
    } else {
        object(part);
    }
}

fn object(value: &mut Json) {
    each_named(value, part_of);
    match value {
        Json::Array(items) => items.iter_mut().for_each(object),
        Json::Object(members) => {
            let marks = marks(members, |_| true);
            append(members, &marks);
        }
        _ => {}
    }
}

fn each_named(value: &mut Json, change: impl Fn(&str, &mut Json)) {
    if let Some(members) = value.as_object_mut() {
        members.iter_mut().for_each(|(key, part)| change(key, part));
    }
}

fn each_member(value: &mut Json, change: impl Fn(&mut Json)) {
    each_named(value, |_, part| change(part));
}

/// Returns the marks of those keys that `shows` selects. A reference gets none, because it has no siblings;
/// its target is marked.
fn marks(members: &Members, shows: impl Fn(&str) -> bool) -> String {
    if members.contains_key("$ref") {
        return String::new();
    }
    let marks: Vec<String> = members
        .iter()
        .filter(|(key, _)| key.starts_with("x-") && shows(key))
        .filter(|(key, _)| !FOR_THE_PAGE.iter().any(|known| key.starts_with(known)))
        .map(|(key, value)| format!("`{}`", mark(key, value).replace('`', "'")))
        .collect();
    marks.join(" ")
}

/// Adds a line to the description.
fn append(members: &mut Members, line: &str) {
    if line.is_empty() {
        return;
    }
    let described = match members.get("description").and_then(Json::as_text).map(str::trim_end) {
        // A description of several blocks may end in a list or in code; the line must not become part of it.
        Some(description) if description.contains('\n') => format!("{description}\n\n{line}"),
        Some(description) if !description.is_empty() => format!("{description} {line}"),
        _ => line.to_owned(),
    };
    members.insert("description".to_owned(), Json::Text(described));
}

/// Adds a paragraph to the description.
fn append_block(members: &mut Members, block: &str) {
    let description = members.get("description").and_then(Json::as_text).unwrap_or_default().trim_end();
    let described =
        if description.is_empty() { block.to_owned() } else { format!("{description}\n\n{block}") };
    members.insert("description".to_owned(), Json::Text(described));
}

/// Returns the meaning of a key in a few words.
fn mark(key: &str, value: &Json) -> String {
    match (key, value) {
        ("x-provenance" | "x-stability-level", Json::Text(text)) => text.clone(),
        ("x-designed-bounds", value) => format!("designed bounds: {}", listed(value)),
        ("x-designed-values", value) => format!("designed values: {}", listed(value)),
        ("x-extensible-enum", Json::Bool(true)) => "more values may follow".to_owned(),
        ("x-sunset", value) => format!("may be removed from {}", listed(value)),
        (key, value) => format!("{key}: {}", listed(value)),
    }
}

/// Formats a value for readers: strings without quotes, lists with commas.
fn listed(value: &Json) -> String {
    match value {
        Json::Text(text) => text.clone(),
        Json::Array(items) => items.iter().map(listed).collect::<Vec<_>>().join(", "),
        value => serde_json::to_string(value).unwrap_or_default(),
    }
}

/// A key of an operation that becomes a badge beside its title.
struct Badge {
    key: &'static str,
    /// Values with a color of their own; others are gray. White text is legible on each of them.
    colors: &'static [(&'static str, &'static str)],
}

const BADGES: &[Badge] = &[
    Badge { key: "x-provenance", colors: &[("given", "#1d4ed8"), ("designed", "#7c3aed")] },
    Badge { key: "x-stability-level", colors: &[("stable", "#15803d"), ("beta", "#b45309")] },
    Badge { key: "x-sunset", colors: &[] },
];

impl Badge {
    fn on(&self, operation: &Members) -> Option<Json> {
        let value = operation.get(self.key)?;
        let name = mark(self.key, value);
        let color = self.colors.iter().find(|(of, _)| *of == name);
        let color = color.map_or(GREY, |(_, color)| *color);
        Some(badge(name, color))
    }
}

/// The color of badges without one of their own.
const GREY: &str = "#57534e";

/// The color of the badge that says who may call an operation.
const ACCESS: &str = "#0f766e";

/// Makes a badge in the format of Scalar.
fn badge(name: String, color: &str) -> Json {
    Json::from([("name", Json::Text(name)), ("position", Json::from("before")), ("color", Json::from(color))])
}
