//! Components: the schemas of all files, and the names that others give to the inline schemas in them.

use super::{Lowering, last_segment, names, text};
use frontdesk_document::{Document, NodeRef};
use std::collections::BTreeSet;

impl<'d> Lowering<'d, '_> {
    /// Component schemas in the document's order; a schema that only refers to another is not one of its own.
    pub(super) fn component_schemas(document: &'d Document) -> Vec<NodeRef<'d>> {
        let root = document.root();
        let own = root.get("components").and_then(|components| components.get("schemas"));
        let mut found: Vec<NodeRef<'d>> =
            own.into_iter().flat_map(NodeRef::entries).map(|(_, schema)| schema).collect();
        let mut seen = BTreeSet::new();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if !seen.insert(node.id()) {
                continue;
            }
            // A `$ref` in an example, a default or an extension is data, and has no target.
            let target = node.target().and_then(|_| node.resolve().ok()).or_else(|| node.referred());
            if let Some(target) = target {
                if target.pointer().starts_with("#/components/schemas/") {
                    found.push(target);
                }
                open.push(target);
            }
            let members: Vec<_> = node.entries().map(|(_, member)| member).chain(node.items()).collect();
            open.extend(members.into_iter().rev());
        }
        let mut listed = BTreeSet::new();
        found.retain(|schema| schema.reference().is_none() && listed.insert(schema.id()));
        found
    }

    /// The name of a component of this kind (`responses`), if the node is one.
    pub(super) fn component(node: NodeRef<'_>, kind: &str) -> Option<String> {
        let list = node.parent()?;
        list.pointer().ends_with(&format!("/components/{kind}")).then(|| names::pascal(&last_segment(node)))
    }

    /// The name of the inline type of the body that a component describes.
    pub(super) fn component_body(node: NodeRef<'_>, kind: &str) -> Option<String> {
        let name = Self::component(node, kind)?;
        let name = text(node, "x-rust-name").map_or(name, names::pascal);
        Some(if name.ends_with("Body") { name } else { format!("{name}Body") })
    }
}
