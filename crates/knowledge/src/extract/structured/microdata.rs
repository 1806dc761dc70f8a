//! Microdata: attributes on the elements of a page, read as the same objects as JSON-LD.

use ego_tree::iter::Edge;
use scraper::Html;
use serde_json::{Map, Value};

use super::super::clean::clean_text;
use super::super::dom::{self, NodeRef};
use super::super::visibility::Visibility;

/// Most items and properties of a page that are read.
const MAX_PROPERTIES: usize = 5_000;

/// Most nodes of one value that are read.
const MAX_VALUE_NODES: usize = 500;

/// Returns the items of a page that belong to no other item.
///
/// Invisible text is left out; `meta` and `link` elements, which exist only to state values, are read.
pub(super) fn items(document: &Html, visibility: &Visibility) -> Vec<Value> {
    let mut found = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut skipped = None;
    let mut read = 0;
    for edge in document.tree.root().traverse() {
        match edge {
            Edge::Open(node) if skipped.is_none() && node.value().is_element() => {
                if visibility.hides(&node) || read > MAX_PROPERTIES {
                    skipped = Some(node.id());
                    continue;
                }
                let property = dom::attribute(&node, "itemprop");
                if dom::attribute(&node, "itemscope").is_some() {
                    read += 1;
                    let mut item = Map::new();
                    if let Some(kind) = dom::attribute(&node, "itemtype") {
                        let name = kind.trim().rsplit(['/', '#']).next().unwrap_or_default();
                        item.insert("@type".to_owned(), Value::from(name));
                    }
                    let property = property.map(str::to_owned);
                    open.push(Open { node: node.id(), property, item });
                } else if let (Some(names), Some(parent)) = (property, open.last_mut()) {
                    read += 1;
                    if let Some(value) = value(&node, visibility) {
                        names.split_whitespace().for_each(|name| add(&mut parent.item, name, &value));
                    }
                }
            }
            Edge::Close(node) => {
                if skipped == Some(node.id()) {
                    skipped = None;
                } else if skipped.is_none()
                    && open.last().is_some_and(|open| open.node == node.id())
                    && let Some(closed) = open.pop()
                {
                    let value = Value::Object(closed.item);
                    match (open.last_mut(), closed.property) {
                        (Some(parent), Some(names)) => {
                            names.split_whitespace().for_each(|name| add(&mut parent.item, name, &value));
                        }
                        _ => found.push(value),
                    }
                }
            }
            Edge::Open(_) => {}
        }
    }
    found
}

struct Open {
    node: ego_tree::NodeId,
    property: Option<String>,
    item: Map<String, Value>,
}

fn add(item: &mut Map<String, Value>, name: &str, value: &Value) {
    match item.get_mut(name) {
        Some(Value::Array(values)) => values.push(value.clone()),
        Some(first) => *first = Value::Array(vec![first.take(), value.clone()]),
        None => {
            item.insert(name.to_owned(), value.clone());
        }
    }
}

fn value(node: &NodeRef<'_>, visibility: &Visibility) -> Option<Value> {
    let stated = match dom::name(node) {
        "time" => dom::attribute(node, "datetime").or_else(|| dom::attribute(node, "content")),
        "data" | "meter" => dom::attribute(node, "value"),
        "link" => dom::attribute(node, "href"),
        _ => dom::attribute(node, "content"),
    };
    let text = match stated {
        Some(stated) => clean_text(stated),
        None => {
            let mut text = String::new();
            let mut skipped = None;
            for edge in node.traverse().take(MAX_VALUE_NODES) {
                match edge {
                    Edge::Open(inner) if skipped.is_none() => {
                        if let Some(content) = inner.value().as_text() {
                            text.push_str(content);
                        } else if visibility.hides(&inner) || matches!(dom::name(&inner), "script" | "style")
                        {
                            skipped = Some(inner.id());
                        } else if matches!(dom::name(&inner), "br" | "p" | "div" | "li") {
                            text.push(' ');
                        }
                    }
                    Edge::Close(inner) if skipped == Some(inner.id()) => skipped = None,
                    _ => {}
                }
            }
            clean_text(&text)
        }
    };
    (!text.is_empty()).then_some(Value::String(text))
}
