//! Extension keys of operations that become part of their constants, as the root's `x-operation-constants`
//! lists them.

use super::Lowering;
use frontdesk_document::{Key, Kind, NodeRef};

/// The key of the document's root.
const KEY: &str = "x-operation-constants";

/// The extension keys that the generator reads, whether a value has their shape, and what that shape is.
type Shapes = &'static [(&'static str, fn(NodeRef<'_>) -> bool, &'static str)];

const SHAPES: Shapes = &[
    ("x-rust-name", |node| node.as_str().is_some(), "a text"),
    (
        "x-stability-level",
        |node| STABILITY.iter().any(|level| node.as_str() == Some(level)),
        "a level: draft, alpha, beta or stable",
    ),
    ("x-sunset", |node| node.as_str().is_some(), "a date"),
    ("x-extensible-enum", |node| node.as_bool().is_some(), "`true` or `false`"),
    ("x-server-only", |node| node.as_bool().is_some(), "`true` or `false`"),
    ("x-idempotent", |node| node.as_bool().is_some(), "`true` or `false`"),
    ("x-pagination", |node| node.is_object(), "an object with `style`, `parameter`, `next` and `items`"),
    ("x-ms-pageable", |node| node.is_object(), "an object with `nextLinkName` and `itemName`"),
];

/// The values of `x-stability-level`.
const STABILITY: [&str; 4] = ["draft", "alpha", "beta", "stable"];

impl<'d> Lowering<'d, '_> {
    /// Reads `x-operation-constants`. Whatever is not the name of an extension key is ignored with a warning,
    /// because other tools may use the key for something else.
    pub(super) fn read_constant_keys(&mut self) {
        let Some(list) = self.document.root().get(KEY) else { return };
        if list.kind() != Kind::Array {
            self.ignore_constants(list);
            return;
        }
        for entry in list.items() {
            match entry.as_str().filter(|name| name.starts_with("x-")) {
                Some(name) if self.constant_keys.contains(&name) => {}
                Some(name) => self.constant_keys.push(name),
                None => self.ignore_constants(entry),
            }
        }
    }

    /// Reports the extension keys of an object that the generator knows and that have another shape: other
    /// tools may use the same names. Nothing else reads such a value.
    pub(super) fn check_extensions(&mut self, node: NodeRef<'d>) {
        for (key, value) in node.members().filter(|(key, _)| key.starts_with("x-")) {
            let Some((_, fits, shape)) = SHAPES.iter().find(|(name, _, _)| *name == key) else { continue };
            if !fits(value) {
                self.warn_once(
                    value,
                    "extension-ignored",
                    format!(
                        "`{key}` must be {shape}; the value is ignored, as it may be meant for another tool"
                    ),
                    "write a value of that shape, or rename the key",
                );
            }
        }
    }

    fn ignore_constants(&mut self, node: NodeRef<'d>) {
        self.warn_once(
            node,
            "extension-ignored",
            format!("`{KEY}` is a list of extension keys; this is ignored"),
            "write a list of names that begin with `x-`, such as [x-policy], or remove the key",
        );
    }

    /// Returns the listed keys that an operation has, in the order of the list, with their values as JSON
    /// text.
    pub(super) fn extensions(&self, operation: NodeRef<'d>) -> Vec<(String, String)> {
        let value = |name: &&str| Some(((*name).to_owned(), json(operation.get(name)?)));
        self.constant_keys.iter().filter_map(value).collect()
    }
}

/// Writes a value as JSON on one line, with the members of objects in the document's order.
fn json(node: NodeRef<'_>) -> String {
    let list = |parts: Vec<String>| parts.join(",");
    match node.kind() {
        Kind::Array => format!("[{}]", list(node.items().map(json).collect())),
        Kind::Object => {
            let member = |(key, value): (Key<'_>, NodeRef<'_>)| {
                format!("{}:{}", serde_json::Value::from(key.text), json(value))
            };
            format!("{{{}}}", list(node.entries().map(member).collect()))
        }
        // The number as it is written, which a floating-point number may not be able to hold.
        Kind::Integer | Kind::Number => node.as_number().unwrap_or_default().to_owned(),
        _ => node.to_json().to_string(),
    }
}
