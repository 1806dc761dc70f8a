//! Schemas with a discriminator, and the components that extend them by `allOf`.

use super::words;
use frontdesk_document::{NodeId, NodeRef};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the components that extend each schema with a discriminator, also through others, in the
/// document's order.
pub(super) fn find(components: &[NodeRef<'_>]) -> BTreeMap<NodeId, Vec<NodeId>> {
    let mut families: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for &schema in components {
        let mut seen = BTreeSet::from([schema.id()]);
        let mut open = vec![schema];
        while let Some(next) = open.pop() {
            for part in next.get("allOf").into_iter().flat_map(NodeRef::items) {
                let Ok(base) = part.resolve() else { continue };
                if !seen.insert(base.id()) {
                    continue;
                }
                open.push(base);
                if part.reference().is_some() && is_head(base) {
                    families.entry(base.id()).or_default().push(schema.id());
                }
            }
        }
    }
    families
}

fn is_head(schema: NodeRef<'_>) -> bool {
    schema.get("discriminator").is_some() && words::choices(schema).next().is_none()
}

/// Returns whether the head of a family is one of its variants: it describes values, and the values that it
/// lists for the discriminator, if it does, have one that names it.
pub(super) fn has_values_of_its_own(head: NodeRef<'_>) -> bool {
    let composed = head.get("allOf").is_some_and(|parts| !parts.is_empty());
    if !composed && head.get("properties").is_none_or(NodeRef::is_empty) {
        return false;
    }
    let Some(discriminator) = head.get("discriminator") else { return false };
    let property = discriminator.get("propertyName").and_then(NodeRef::as_str).unwrap_or_default();
    let member = head.get("properties").and_then(|members| members.get(property));
    let Some(member) = member.and_then(|member| member.resolve().ok()) else { return true };
    let names = names_of(head, discriminator);
    words::lists(member).all(|list| {
        list.iter().filter_map(|value| value.as_str()).any(|value| names.iter().any(|name| name == value))
    })
}

/// Returns the values of the discriminator that name the head itself.
fn names_of(head: NodeRef<'_>, discriminator: NodeRef<'_>) -> Vec<String> {
    let mapping = discriminator.get("mapping").into_iter().flat_map(NodeRef::entries);
    let mapped: Vec<String> = mapping
        .filter(|(_, target)| target.referred() == Some(head))
        .map(|(name, _)| name.text.to_owned())
        .collect();
    if mapped.is_empty() { vec![crate::lower::last_segment(head)] } else { mapped }
}
