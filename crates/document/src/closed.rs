//! A schema with the parts of its `allOf`, and the members that they allow together.

use crate::node::NodeRef;
use crate::version::Version;
use std::collections::{BTreeSet, HashSet};

/// Keywords that make it depend on the value which members are evaluated, or allow members by themselves.
const CHOICES: [&str; 9] = [
    "additionalProperties",
    "oneOf",
    "anyOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "patternProperties",
];

/// Returns a schema and the schemas that it includes by `allOf`, each once, in the order of the text.
///
/// References are followed. Those without a target, and parts other than objects, are left out.
pub fn schema_parts(schema: NodeRef<'_>) -> Vec<NodeRef<'_>> {
    let mut parts = Vec::new();
    let mut seen = HashSet::new();
    let mut waiting = vec![schema];
    while let Some(next) = waiting.pop() {
        let Some(part) = next.resolve().ok().filter(|part| part.is_object() && seen.insert(part.id())) else {
            continue;
        };
        parts.push(part);
        let inner: Vec<NodeRef<'_>> = part.get("allOf").into_iter().flat_map(NodeRef::items).collect();
        waiting.extend(inner.into_iter().rev());
    }
    parts
}

/// Returns the names of the members that parts of a schema declare or require.
pub fn part_members<'d>(parts: &[NodeRef<'d>]) -> BTreeSet<&'d str> {
    let each = |keyword: &'static str| parts.iter().filter_map(move |part| part.get(keyword));
    let declared = each("properties").flat_map(NodeRef::entries).map(|(name, _)| name.text);
    let required = each("required").flat_map(NodeRef::items).filter_map(NodeRef::as_str);
    declared.chain(required).collect()
}

/// Returns the members that a schema and the parts of its `allOf` declare or require, if
/// `unevaluatedProperties: false` forbids all others.
///
/// `None` if the schema does not say so, as in OpenAPI 3.0, which does not have the keyword, or if the value
/// decides which members are evaluated. The schema is resolved.
pub fn closed_members(schema: NodeRef<'_>) -> Option<BTreeSet<&str>> {
    let is_known = schema.document().version() == Version::V3_1;
    if !is_known || schema.get("unevaluatedProperties")?.as_bool() != Some(false) {
        return None;
    }
    let parts = schema_parts(schema);
    let chooses = |part: &NodeRef<'_>| CHOICES.iter().any(|key| part.get(key).is_some());
    (!parts.iter().any(chooses)).then(|| part_members(&parts))
}
