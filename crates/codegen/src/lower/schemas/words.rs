//! Combined meaning of a schema's keywords: which of them apply, and which type follows if none is given.

use crate::lower::flag;
use frontdesk_document::{Keyword, NodeRef, closed_members, keyword};

/// Most compositions within each other that are searched for `null`.
const DEEPEST: usize = 32;

/// Keywords that limit values, and whose presence is asked for in another way: by the type, by references to
/// other schemas, or beside a bound that counts itself.
const ASKED_ELSEWHERE: [&str; 10] = [
    "type",
    "nullable",
    "allOf",
    "anyOf",
    "oneOf",
    "discriminator",
    "readOnly",
    "writeOnly",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

/// Whether a keyword limits the values of a schema; all others only describe it, or compose it of others.
fn is_weighty(key: &str) -> bool {
    matches!(key, "x-rust-type" | "const")
        || !ASKED_ELSEWHERE.contains(&key) && keyword(key).is_some_and(Keyword::limits)
}

/// Whether a schema itself, without what it is composed of, says more than a description and `type: object`.
pub(super) fn weighs(node: NodeRef<'_>) -> bool {
    node.get("type").is_some_and(|ty| ty.as_str() != Some("object"))
        || closed_members(node).is_some()
        || node.entries().any(|(key, value)| {
            is_weighty(key.text)
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
        && !node.entries().any(|(key, _)| is_weighty(key.text) && !matches!(key.text, "enum" | "const"))
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

/// Whether a schema takes `null`, with everything that it is composed of unless it is `bare`. `nullable`
/// beside a composition counts for all of it.
pub(super) fn wholly_takes_null(node: NodeRef<'_>, bare: bool) -> bool {
    fn within(node: NodeRef<'_>, bare: bool, left: usize) -> bool {
        // Compositions that lead into themselves say nothing new.
        let Some(left) = left.checked_sub(1) else { return true };
        let takes =
            |part: NodeRef<'_>| part.resolve().is_ok_and(|part| only_null(part) || within(part, false, left));
        if flag(node, "nullable") || bare {
            return takes_null(node);
        }
        takes_null(node)
            && node.get("allOf").into_iter().flat_map(NodeRef::items).all(takes)
            && choices(node).all(|list| list.items().any(takes))
    }

    within(node, bare, DEEPEST)
}

/// Whether a schema allows `null` and nothing else.
pub(super) fn only_null(node: NodeRef<'_>) -> bool {
    lists(node).any(|values| !values.is_empty() && values.iter().all(|value| value.is_null()))
        || node.get("type").and_then(NodeRef::as_str) == Some("null")
        || flag(node, "nullable") && node.len() == 1
}

/// The type that follows from the other keywords, where `type` is left out.
pub(super) fn implied(node: NodeRef<'_>) -> Option<&'static str> {
    of_kinds(node).next().map(|(kind, ..)| kind)
}

/// The keywords of a schema that are for one type, each with that type and its value.
pub(super) fn of_kinds(node: NodeRef<'_>) -> impl Iterator<Item = (&'static str, &'static str, NodeRef<'_>)> {
    const KINDS: [(&str, &[&str]); 4] = [
        ("object", &["properties", "additionalProperties", "minProperties", "maxProperties"]),
        ("array", &["items", "minItems", "maxItems", "uniqueItems"]),
        ("string", &["pattern", "minLength", "maxLength"]),
        ("number", &["multipleOf", "minimum", "maximum"]),
    ];
    KINDS
        .into_iter()
        .flat_map(move |(kind, keys)| keys.iter().filter_map(move |key| Some((kind, *key, node.get(key)?))))
}

/// The `oneOf` and `anyOf` of a schema that offer a choice.
pub(super) fn choices(node: NodeRef<'_>) -> impl Iterator<Item = NodeRef<'_>> {
    ["oneOf", "anyOf"].into_iter().filter_map(move |key| node.get(key)).filter(|list| !list.is_empty())
}
