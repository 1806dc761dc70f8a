//! Owns [`choose`]: the value that an answer shows: an example of the document, or one that is made.

use crate::{media::Content, prefer::Preferences};
use frontdesk_contract::{Instances, Oracle};
use frontdesk_document::NodeRef;
use serde_json::Value;

/// What an answer shows.
#[derive(Clone, Debug)]
pub(crate) enum Shown {
    /// What stands in the document, with its members in their order.
    Given(NodeRef<'static>),
    /// What was made, or changed.
    Made(Value),
}

impl Shown {
    pub(crate) fn into_json(self) -> Value {
        match self {
            Self::Given(node) => node.to_json(),
            Self::Made(value) => value,
        }
    }

    /// As JSON text.
    pub(crate) fn to_text(&self) -> String {
        match self {
            Self::Given(node) => serde_json::to_string(node).unwrap_or_default(),
            Self::Made(value) => value.to_string(),
        }
    }
}

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// No example has the name that was asked for; these are there.
    Example(Vec<&'static str>),
    /// The schema has no instance that could be found, for this reason.
    Instance(String),
}

/// The value for a content: what the caller prefers, else what the document gives, else one that is made from the seed.
///
/// `None` where the document says nothing of it.
pub(crate) fn choose(
    content: &Content,
    preferences: &Preferences,
    oracle: &Oracle,
    seed: u64,
) -> Result<Option<Shown>, Missing> {
    if let Some(name) = &preferences.example {
        let example = examples(content.node).into_iter().find(|(own, _)| own == name);
        return match example {
            Some((_, value)) => Ok(Some(Shown::Given(value))),
            None => Err(Missing::Example(examples(content.node).into_iter().map(|(name, _)| name).collect())),
        };
    }
    if !preferences.dynamic
        && let Some(example) = given(content)
    {
        return Ok(Some(Shown::Given(example)));
    }
    match content.schema {
        Some(schema) => {
            let made = instance(schema, preferences, oracle, seed);
            made.map(|value| Some(Shown::Made(value))).map_err(Missing::Instance)
        }
        None => Ok(None),
    }
}

/// A value that is made.
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
        // Plain values are tried first; awkward ones reach schemas that those do not.
        .or_else(|_| Instances::new(oracle).valid(schema, seed))
        .map_err(|reason| reason.to_string())
}

/// What the document gives for a content without being asked for a name.
pub(crate) fn given(content: &Content) -> Option<NodeRef<'static>> {
    let own = content.node.get("example");
    let named = || examples(content.node).into_iter().next().map(|(_, value)| value);
    own.or_else(named).or_else(|| of_schema(content.schema?))
}

/// The example that a schema gives itself.
pub(crate) fn of_schema(schema: NodeRef<'static>) -> Option<NodeRef<'static>> {
    schema.resolve().ok()?.get("example").filter(|example| !example.is_null())
}

/// The examples that have a name, with their values. Those that are kept elsewhere are left out: nothing is fetched.
pub(crate) fn examples(node: NodeRef<'static>) -> Vec<(&'static str, NodeRef<'static>)> {
    let entries = node.get("examples").into_iter().flat_map(NodeRef::entries);
    entries.filter_map(|(key, example)| Some((key.text, example.resolve().ok()?.get("value")?))).collect()
}
