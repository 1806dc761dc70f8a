//! Schemas that are closed over all their parts.

use crate::node::NodeRef;
use crate::version::Version;
use std::collections::BTreeSet;

/// Keywords that make it depend on the value which members are evaluated.
const CHOICES: [&str; 8] =
    ["oneOf", "anyOf", "not", "if", "then", "else", "dependentSchemas", "patternProperties"];

/// Returns the members that a schema and the parts of its `allOf` declare or require, if
/// `unevaluatedProperties: false` forbids all others.
///
/// `None` if the schema does not say so, as in OpenAPI 3.0, which does not have the keyword, or if the value
/// decides which members are evaluated. The schema is resolved.
pub fn closed_members<'d>(schema: NodeRef<'d>) -> Option<BTreeSet<&'d str>> {
    let is_known = schema.document().version() == Version::V3_1;
    if !is_known || schema.get("unevaluatedProperties")?.as_bool() != Some(false) {
        return None;
    }
    let mut parts: Vec<NodeRef<'d>> = Vec::new();
    let mut waiting = vec![schema];
    while let Some(next) = waiting.pop() {
        if parts.contains(&next) {
            continue;
        }
        let has = |key: &&str| next.get(key).is_some();
        if CHOICES.iter().any(has) || has(&"additionalProperties") {
            return None;
        }
        parts.push(next);
        for part in next.get("allOf").into_iter().flat_map(NodeRef::items) {
            waiting.push(part.resolve().ok().filter(|part| part.is_object())?);
        }
    }
    let each = |keyword: &'static str| parts.iter().filter_map(move |part| part.get(keyword));
    let declared = each("properties").flat_map(NodeRef::entries).map(|(name, _)| name.text);
    let required = each("required").flat_map(NodeRef::items).filter_map(NodeRef::as_str);
    Some(declared.chain(required).collect())
}
