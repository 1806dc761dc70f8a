//! Tags of operations and of the document.

use std::collections::BTreeSet;

use frontdesk_document::NodeRef;

use super::finding::Drafts;
use super::rules::{DUPLICATE_TAG, TAG_MISSING, TAG_UNDECLARED, TAG_UNUSED};
use super::survey::{Survey, text};

/// Checks the document's tags and those of its operations.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    let tags = |node: NodeRef<'d>| node.get("tags").into_iter().flat_map(NodeRef::items);
    let declared: Vec<(&str, NodeRef<'d>)> =
        tags(survey.document.root()).filter_map(|tag| Some((text(tag, "name")?, tag))).collect();
    let names: BTreeSet<&str> = declared.iter().map(|(name, _)| *name).collect();
    let mut used = BTreeSet::new();
    for operation in &survey.operations {
        if tags(operation.node).next().is_none() {
            let message = format!("{} has no tag", operation.name());
            drafts.report(TAG_MISSING, operation.node, message, "add `tags` with the name of its group");
        }
        for tag in tags(operation.node) {
            let Some(name) = tag.as_str() else { continue };
            if used.insert(name) && !names.contains(name) {
                let message = format!("the tag `{name}` is not declared");
                drafts.report(
                    TAG_UNDECLARED,
                    tag,
                    message,
                    "add it to `tags` of the document, with a description",
                );
            }
        }
    }
    for event in &survey.events {
        used.extend(tags(*event).filter_map(NodeRef::as_str));
    }
    let mut seen = BTreeSet::new();
    for (name, node) in declared {
        if !seen.insert(name) {
            drafts.report(
                DUPLICATE_TAG,
                node,
                format!("the tag `{name}` is declared twice"),
                "remove one of the two",
            );
        } else if !used.contains(name) {
            drafts.report(
                TAG_UNUSED,
                node,
                format!("no operation has the tag `{name}`"),
                "remove it, or add it to an operation",
            );
        }
    }
}
