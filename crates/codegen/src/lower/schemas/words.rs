//! Combined meaning of a schema's keywords: which of them apply, and which type follows if none is given.

use crate::lower::flag;
use frontdesk_document::NodeRef;

/// Keywords that limit the values of a schema; all others only describe it.
const WEIGHTY: &[&str] = &[
    "properties",
    "additionalProperties",
    "required",
    "minProperties",
    "maxProperties",
    "items",
    "minItems",
    "maxItems",
    "uniqueItems",
    "enum",
    "const",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "multipleOf",
    "not",
    "x-rust-type",
];

/// Whether a schema itself, without what it is composed of, says more than a description and `type: object`.
pub(super) fn weighs(node: NodeRef<'_>) -> bool {
    node.get("type").is_some_and(|ty| ty.as_str() != Some("object"))
        || node.entries().any(|(key, value)| {
            WEIGHTY.contains(&key.text)
                && !(value.is_empty() && matches!(key.text, "properties" | "required"))
                && !(key.text == "additionalProperties" && value.as_bool() == Some(true))
        })
}

/// The lists of values that a schema allows: its `enum`, and the one value of a `const`, which later versions
/// write.
pub(super) fn lists(node: NodeRef<'_>) -> impl Iterator<Item = Vec<NodeRef<'_>>> {
    let list = node.get("enum").map(|list| list.items().collect());
    list.into_iter().chain(node.get("const").map(|value| vec![value]))
}

/// The one value that a schema allows.
pub(super) fn single(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    lists(node).find_map(|list| match list[..] {
        [only] => Some(only),
        _ => None,
    })
}

/// Whether a schema says no more of a value than that it is a string, or which strings it may be.
pub(super) fn only_text(node: NodeRef<'_>) -> bool {
    let typed = node.get("type").and_then(NodeRef::as_str);
    let mut values = lists(node).flatten().peekable();
    let said = typed == Some("string") || typed.is_none() && values.peek().is_some();
    said && values.all(|value| value.is_null() || value.as_str().is_some())
        && !node
            .entries()
            .any(|(key, _)| WEIGHTY.contains(&key.text) && !matches!(key.text, "enum" | "const"))
}

/// Whether a schema itself, without what it is composed of, takes `null`: it says so, or nothing of the
/// value.
pub(super) fn takes_null(node: NodeRef<'_>) -> bool {
    let limits = |key: &str| node.get(key).is_some_and(|value| !value.is_empty());
    flag(node, "nullable")
        || node.get("type").is_none()
            && implied(node).is_none()
            && !limits("required")
            && lists(node).all(|values| values.iter().any(|value| value.is_null()))
}

/// The type that follows from the other keywords, where `type` is left out.
pub(super) fn implied(node: NodeRef<'_>) -> Option<&'static str> {
    for (kind, keys) in [
        ("object", &["properties", "additionalProperties", "minProperties", "maxProperties"][..]),
        ("array", &["items", "minItems", "maxItems", "uniqueItems"]),
        ("string", &["pattern", "minLength", "maxLength"]),
        ("number", &["multipleOf", "minimum", "maximum"]),
    ] {
        if keys.iter().any(|key| node.get(key).is_some()) {
            return Some(kind);
        }
    }
    None
}
