//! The kinds of values that the fields of OpenAPI hold. What has another kind is read as what was meant, or
//! as if it were absent, with a warning: nothing of a document is dropped in silence.
//!
//! Left out are fields that are reported where they are read: most keywords of schemas, whose values decide
//! what is generated, and the fields of `info`.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::forest::{Forest, NodeId};
use crate::node::Kind;
use crate::role::{Role, Shape};
use crate::tree::Data;
use crate::version::Version;

/// What a field holds.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Expected {
    Text,
    Flag,
    List,
    Object,
}

use Expected::{Flag, List, Object, Text};

impl Expected {
    fn matches(self, data: &Data) -> bool {
        match self {
            Text => matches!(data, Data::String(_)),
            Flag => matches!(data, Data::Bool(_)),
            List => matches!(data, Data::Array { .. }),
            Object => matches!(data, Data::Object { .. }),
        }
    }

    fn words(self) -> &'static str {
        match self {
            Text => "a string",
            Flag => "`true` or `false`",
            List => "an array",
            Object => "an object",
        }
    }

    fn hint(self, found: &Data) -> Option<&'static str> {
        match (self, found) {
            (Text, Data::Integer(_) | Data::Number(_) | Data::Bool(_)) => Some("put it in quotes"),
            (Flag, Data::String(_)) => Some("write `true` or `false` without quotes"),
            (List, Data::Object { .. } | Data::String(_)) => Some("write it as an entry of an array"),
            _ => None,
        }
    }
}

/// Returns the fields of an object of a role whose kinds do not follow from [`Role::field`], with what they
/// hold.
fn own_fields(role: Role) -> &'static [(&'static str, Expected)] {
    match role {
        Role::OpenApi => &[("servers", List), ("tags", List), ("externalDocs", Object), ("webhooks", Object)],
        Role::Components => &[("pathItems", Object)],
        Role::PathItem => &[("summary", Text), ("description", Text)],
        Role::Operation => &[
            ("tags", List),
            ("summary", Text),
            ("description", Text),
            ("operationId", Text),
            ("deprecated", Flag),
        ],
        Role::Parameter | Role::Header => &[
            ("name", Text),
            ("description", Text),
            ("required", Flag),
            ("deprecated", Flag),
            ("allowEmptyValue", Flag),
            ("explode", Flag),
            ("allowReserved", Flag),
        ],
        Role::RequestBody => &[("description", Text), ("required", Flag)],
        Role::Encoding => &[("contentType", Text), ("explode", Flag), ("allowReserved", Flag)],
        Role::Response => &[("description", Text)],
        Role::Schema => &[
            ("title", Text),
            ("description", Text),
            ("readOnly", Flag),
            ("writeOnly", Flag),
            ("deprecated", Flag),
            ("discriminator", Object),
            ("externalDocs", Object),
            ("xml", Object),
        ],
        Role::Example => &[("summary", Text), ("description", Text), ("externalValue", Text)],
        Role::Link => {
            &[("operationRef", Text), ("operationId", Text), ("parameters", Object), ("description", Text)]
        }
        Role::SecurityScheme => &[("description", Text), ("bearerFormat", Text), ("flows", Object)],
        Role::Discriminator => &[("propertyName", Text)],
        Role::MediaType | Role::Paths | Role::Responses | Role::Callback | Role::Plain => &[],
    }
}

/// Whether the entries of a field are texts.
fn lists_texts(role: Role, key: &str) -> bool {
    matches!((role, key), (Role::Operation, "tags") | (Role::Schema, "required"))
}

/// Returns what a field of an object of a role holds; `None` if it is reported where it is read.
fn kind(role: Role, key: &str, version: Version) -> Option<Expected> {
    let own = own_fields(role).iter().find(|(name, _)| *name == key);
    if let Some((_, kind)) = own {
        return Some(*kind);
    }
    let is_reported_elsewhere =
        matches!(role, Role::OpenApi | Role::Schema) || role.members().is_some() || key == "security";
    if is_reported_elsewhere {
        return None;
    }
    match role.field(key, version)? {
        Shape::One(Role::Schema) => None,
        Shape::One(_) | Shape::Map(_) => Some(Object),
        Shape::List(_) => Some(List),
    }
}

/// A value of another kind than its field holds, and how it is read.
#[derive(Debug)]
pub(crate) struct Misfit {
    pub(crate) node: NodeId,
    pub(crate) reading: Reading,
    /// The problem, as a strict reader sees it.
    pub(crate) problem: Diagnostic,
}

/// How a value of the wrong kind is read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A number as text.
    Text,
    /// Text as `true` or `false`.
    Flag(bool),
    /// As if it were absent.
    Absent,
}

impl Reading {
    fn of(forest: &Forest, node: NodeId, kind: Expected) -> Self {
        match (kind, &forest.node(node).data, forest.string(node)) {
            (Text, Data::Integer(_) | Data::Number(_), _) => Self::Text,
            (Flag, _, Some("true")) => Self::Flag(true),
            (Flag, _, Some("false")) => Self::Flag(false),
            _ => Self::Absent,
        }
    }

    pub(crate) fn note(self) -> &'static str {
        match self {
            Self::Text => "it is read as text",
            Self::Flag(true) => "it is read as `true`",
            Self::Flag(false) => "it is read as `false`",
            Self::Absent => "it is read as if it were absent",
        }
    }
}

/// Returns the fields of an object that have another kind of value than OpenAPI gives them. An empty value of
/// YAML is a field that was not filled in, and a reference is reported for itself.
pub(crate) fn check(forest: &Forest, node: NodeId, role: Role, version: Version) -> Vec<Misfit> {
    let mut found = Vec::new();
    for member in forest.children(node) {
        let Some(key) = forest.key(member) else { continue };
        let data = &forest.node(member).data;
        if matches!(data, Data::Array { .. }) {
            if lists_texts(role, key) {
                found.extend(forest.children(member).filter_map(|entry| check_text(forest, entry, key)));
            } else if role == Role::OpenApi && key == "tags" {
                let names = forest.children(member).filter_map(|tag| forest.member(tag, "name"));
                found.extend(names.filter_map(|name| check_text(forest, name, "name")));
            }
        }
        let Some(kind) = kind(role, key, version) else { continue };
        let is_reference = matches!(data, Data::Object { .. }) && forest.member(member, "$ref").is_some();
        if kind.matches(data) || matches!(data, Data::Null) || is_reference {
            continue;
        }
        let message = format!("`{key}` must be {}, and is {}", kind.words(), Kind::of(data));
        found.push(misfit(forest, member, message, Reading::of(forest, member, kind), kind.hint(data)));
    }
    found
}

/// Returns what has to be a text of a field, and is none.
fn check_text(forest: &Forest, node: NodeId, key: &str) -> Option<Misfit> {
    let data = &forest.node(node).data;
    if Text.matches(data) {
        return None;
    }
    let message = format!("`{key}` must hold strings, and this is {}", Kind::of(data));
    Some(misfit(forest, node, message, Reading::of(forest, node, Text), Text.hint(data)))
}

/// Returns an entry of a map or a list that has to be an object of a role, and is none.
pub(crate) fn check_entry(forest: &Forest, node: NodeId, role: Role) -> Option<Misfit> {
    let is_reported_elsewhere = !matches!(
        role,
        Role::PathItem
            | Role::Parameter
            | Role::MediaType
            | Role::Encoding
            | Role::Response
            | Role::Header
            | Role::Example
            | Role::Link
            | Role::Callback
            | Role::SecurityScheme
    );
    let data = &forest.node(node).data;
    if is_reported_elsewhere || matches!(data, Data::Object { .. } | Data::Null) {
        return None;
    }
    let message = format!("{} must be an object, and is {}", role.name(), Kind::of(data));
    Some(misfit(forest, node, message, Reading::Absent, None))
}

fn misfit(
    forest: &Forest,
    node: NodeId,
    message: String,
    reading: Reading,
    hint: Option<&'static str>,
) -> Misfit {
    let problem = Diagnostic::error(codes::INVALID_VALUE, forest.span(node), message);
    let problem = match hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    };
    Misfit { node, reading, problem }
}
