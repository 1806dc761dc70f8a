//! Components that nothing refers to.

use std::collections::HashSet;

use frontdesk_document::{NodeId, NodeRef};

use super::finding::Drafts;
use super::rules::UNUSED_COMPONENT;
use super::survey::{Survey, object};

/// Tells the components without a use. (Security schemes are named, not referred to.)
pub(super) fn judge<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    // A document without operations is a library: its components are for others.
    if survey.operations.is_empty() && survey.events.is_empty() {
        return;
    }
    let used = used(survey);
    // A component that only refers to another one is named by those who refer to it, and not met by following them.
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
        let message = format!("nothing refers to `{}` of `components.{}`", component.name, component.section);
        drafts.tell(UNUSED_COMPONENT, node, message, "remove it, or use it");
    }
}

/// Every object that something outside of it refers to, or to a part of it.
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
        // A value of the parent may be one of a child that extends it: the tag says which.
        let parts = schema.node.get("allOf").into_iter().flat_map(NodeRef::items).filter_map(object);
        if parts.into_iter().any(|part| part.get("discriminator").is_some()) {
            used.insert(schema.node.id());
        }
    }
    used
}

/// A node and all that hold it.
fn above(node: NodeRef<'_>) -> impl Iterator<Item = NodeRef<'_>> {
    std::iter::successors(Some(node), |node| node.parent())
}
