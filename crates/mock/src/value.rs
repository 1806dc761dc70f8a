//! [`choose`]: selects the value of a response body, an example from the document or a generated value.

use crate::{
    media::{BodyFormat, Content},
    prefer::Preferences,
};
use frontdesk_contract::{Instances, Oracle};
use frontdesk_document::NodeRef;
use serde_json::Value;

/// The value of a response body.
#[derive(Clone, Debug)]
pub(crate) enum BodyValue {
    /// An example from the document, with its members in document order.
    Example(NodeRef<'static>),
    /// An example that the document writes as JSON text: the text, and its value.
    Written(&'static str, Value),
    /// A generated or modified value.
    Generated(Value),
}

impl BodyValue {
    pub(crate) fn into_json(self) -> Value {
        match self {
            Self::Example(node) => node.to_json(),
            Self::Written(_, value) | Self::Generated(value) => value,
        }
    }

    /// Serializes the value as JSON.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Example(node) => serde_json::to_string(node).unwrap_or_default(),
            Self::Written(text, _) => (*text).trim().to_owned(),
            Self::Generated(value) => value.to_string(),
        }
    }
}

/// The reason why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoValue {
    /// No example has the requested name; the available names are listed.
    Example(Vec<&'static str>),
    /// No instance of the schema was found, for this reason.
    Instance(String),
}

/// Returns the value for a content: the one that the caller prefers, else an example of the document, else
/// one generated from the seed.
///
/// Returns `None` if the document has neither a schema nor an example.
pub(crate) fn choose(
    content: &Content,
    preferences: &Preferences,
    oracle: &Oracle,
    seed: u64,
) -> Result<Option<BodyValue>, NoValue> {
    if let Some(name) = &preferences.example {
        let example = examples(content.node).into_iter().find(|(own, _)| own == name);
        return match example {
            Some((_, value)) => Ok(Some(shown(content, value, oracle))),
            None => Err(NoValue::Example(examples(content.node).into_iter().map(|(name, _)| name).collect())),
        };
    }
    if !preferences.dynamic
        && let Some(example) = given(content)
    {
        return Ok(Some(shown(content, example, oracle)));
    }
    match content.schema {
        Some(schema) => {
            let made = instance(schema, preferences, oracle, seed);
            made.map(|value| Some(BodyValue::Generated(value))).map_err(NoValue::Instance)
        }
        None => Ok(None),
    }
}

/// Returns the value that an example shows.
fn shown(content: &Content, example: NodeRef<'static>, oracle: &Oracle) -> BodyValue {
    match written(content, example, oracle) {
        Some((text, value)) => BodyValue::Written(text, value),
        None => BodyValue::Example(example),
    }
}

/// Returns the text and the value of an example that the document writes as JSON text in a string, although
/// the schema wants the value. Many documents do.
pub(crate) fn written(
    content: &Content,
    example: NodeRef<'static>,
    oracle: &Oracle,
) -> Option<(&'static str, Value)> {
    let text = example.as_str().filter(|_| content.format == BodyFormat::Json)?;
    let value: Value = serde_json::from_str(text).ok()?;
    let is_meant = match content.schema {
        Some(schema) => !oracle.is_valid(schema, &text.into()) && oracle.is_valid(schema, &value),
        None => value.is_object() || value.is_array(),
    };
    is_meant.then_some((text, value))
}

/// Generates a value of a schema.
pub(crate) fn instance(
    schema: NodeRef<'static>,
    preferences: &Preferences,
    oracle: &Oracle,
    seed: u64,
) -> Result<Value, String> {
    let instances = Instances::readable(oracle);
    let instances = if preferences.dynamic { instances.without_examples() } else { instances };
    instances
        .valid(schema, seed)
        // Readable values are tried first; edge cases can satisfy schemas for which readable values do not
        // exist.
        .or_else(|_| Instances::new(oracle).valid(schema, seed))
        .map_err(|reason| reason.to_string())
}

/// Returns the example that is used if the caller names none.
pub(crate) fn given(content: &Content) -> Option<NodeRef<'static>> {
    let own = content.node.get("example");
    let named = || examples(content.node).into_iter().next().map(|(_, value)| value);
    own.or_else(named).or_else(|| of_schema(content.schema?))
}

/// Returns the `example` of a schema.
pub(crate) fn of_schema(schema: NodeRef<'static>) -> Option<NodeRef<'static>> {
    schema.resolve().ok()?.get("example").filter(|example| !example.is_null())
}

/// Returns the named examples with their values. Examples with an `externalValue` are left out, because
/// nothing is fetched.
pub(crate) fn examples(node: NodeRef<'static>) -> Vec<(&'static str, NodeRef<'static>)> {
    let entries = node.get("examples").into_iter().flat_map(NodeRef::entries);
    entries.filter_map(|(key, example)| Some((key.text, example.resolve().ok()?.get("value")?))).collect()
}
