//! Values of structured data, one or several, as text.

use serde_json::Value;

use super::super::clean::clean_text;
use super::super::dom;

/// Longest value, in bytes.
const LONGEST_VALUE: usize = 4_000;

pub(super) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        Value::Null => &[],
        value => std::slice::from_ref(value),
    }
}

pub(super) fn first(value: &Value) -> &Value {
    items(value).first().unwrap_or(&Value::Null)
}

/// Returns a simple value as text, without markup; `None` for an object or nothing.
pub(super) fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => without_markup(&text[..text.floor_char_boundary(LONGEST_VALUE)]),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Array(values) if values.len() == 1 => return values[0].as_str().map(without_markup),
        Value::Object(object) => return object.get("@value").and_then(Value::as_str).map(without_markup),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Returns one or several simple values.
pub(super) fn strings(value: &Value) -> Vec<String> {
    items(value).iter().take(100).filter_map(text).collect()
}

/// Returns the names of things that are stated as text or as objects; features that are stated as absent are
/// left out.
pub(super) fn names_of(value: &Value) -> Vec<String> {
    items(value)
        .iter()
        .take(100)
        .filter(|item| !matches!(text(&item["value"]).as_deref(), Some("false" | "False" | "no" | "No")))
        .filter_map(|item| text(item).or_else(|| text(&item["name"])))
        .collect()
}

fn without_markup(text: &str) -> String {
    if !text.contains(['<', '&']) {
        return clean_text(text);
    }
    let (document, _) = dom::parse(text);
    let mut plain = String::new();
    for node in document.tree.root().descendants() {
        if let Some(text) = node.value().as_text() {
            let inside = node.parent().map_or("", |parent| dom::name(&parent));
            if !matches!(inside, "script" | "style") {
                plain.push_str(text);
            }
        } else if matches!(dom::name(&node), "br" | "p" | "div" | "li") {
            plain.push(' ');
        }
    }
    clean_text(&plain)
}
