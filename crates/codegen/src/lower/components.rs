//! Component schemas: all of the root file, and those of other files that are referenced.

use super::Lowering;
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
}
