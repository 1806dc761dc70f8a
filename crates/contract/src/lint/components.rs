//! Unused components.

use std::collections::HashSet;

use frontdesk_document::{NodeId, NodeRef};

use super::finding::Drafts;
use super::rules::UNUSED_COMPONENT;
use super::survey::{Survey, object};

/// Reports components without references. Security schemes are named rather than referenced, so they are not
/// checked here.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    // A document without operations is a library of components for other documents.
    if survey.operations.is_empty() && survey.events.is_empty() {
        return;
    }
    let used = used(survey);
    // A component that is only a reference is replaced by its target when references are followed, so it
    // counts by name.
    let named: HashSet<&str> = survey
        .references
        .iter()
        .filter_map(|(site, _)| site.reference())
        .filter_map(|text| text.find('#').map(|at| &text[at..]))
        .collect();
    for component in survey.components.iter().filter(|component| component.section != "securitySchemes") {
        let node = component.node;
        let is_alias = node.reference().is_some();
        if used.contains(&node.id()) || is_alias && named.contains(node.pointer().as_str()) {
            continue;
        }
        let message = format!("`{}` in `components.{}` is not used", component.name, component.section);
        drafts.report(UNUSED_COMPONENT, node, message, "remove it, or refer to it");
    }
}

/// Returns every object that is referenced, or has a referenced part, from outside of it.
fn used(survey: &Survey<'_>) -> HashSet<NodeId> {
    let mut used = HashSet::new();
    for (site, target) in &survey.references {
        let holders: HashSet<NodeId> = above(*site).map(NodeRef::id).collect();
        used.extend(above(*target).map(NodeRef::id).filter(|id| !holders.contains(id)));
    }
    for schema in &survey.schemas {
        let mapped = schema.node.get("discriminator").and_then(|it| it.get("mapping"));
        for (_, value) in mapped.into_iter().flat_map(NodeRef::members) {
            used.extend(value.referred().into_iter().flat_map(above).map(NodeRef::id));
        }
        // A value of the parent may be a value of a child that extends it, depending on the discriminator.
        let parts = schema.node.get("allOf").into_iter().flat_map(NodeRef::items).filter_map(object);
        if parts.into_iter().any(|part| part.get("discriminator").is_some()) {
            used.insert(schema.node.id());
        }
    }
    used
}

/// Returns a node and all its ancestors.
fn above(node: NodeRef<'_>) -> impl Iterator<Item = NodeRef<'_>> {
    std::iter::successors(Some(node), |node| node.parent())
}
