//! Problems reported by earlier stages, which are included in the findings instead of checked again.

use std::collections::HashMap;

use frontdesk_document::{Diagnostic, Diagnostics, NodeId, NodeRef, SourceFile};

use super::finding::{Draft, Drafts};
use super::rules::{EARLIER, Rule};
use super::survey::Survey;

/// Adds the diagnostics that count as lint rules, at the values that they point to.
pub(super) fn adopt<'d>(survey: &Survey<'d>, diagnostics: &Diagnostics, drafts: &mut Drafts<'d>) {
    let roots = roots(survey);
    let mut places = Places::default();
    for diagnostic in diagnostics {
        let rule: Option<&&'static Rule> = EARLIER.iter().find(|rule| rule.id == diagnostic.code);
        if let Some(rule) = rule {
            let file = survey.document.sources().get(diagnostic.primary.span.file).map(SourceFile::path);
            let root = file.and_then(|file| roots.get(file)).copied();
            let node = places.at(root.unwrap_or_else(|| survey.document.root()), diagnostic);
            let hint =
                diagnostic.hint.clone().or_else(|| diagnostic.notes.first().cloned()).unwrap_or_default();
            drafts.list.push(Draft { rule, node, message: diagnostic.message.clone(), hint });
        }
    }
}

/// Returns the outermost value of each file with a diagnostic.
fn roots<'d>(survey: &Survey<'d>) -> HashMap<&'d str, NodeRef<'d>> {
    let root = survey.document.root();
    let mut roots = HashMap::from([(root.file(), root)]);
    for object in survey.references.iter().flat_map(|(site, target)| [*site, *target]) {
        let mut node = object;
        while let Some(parent) = node.parent() {
            node = parent;
        }
        roots.entry(node.file()).or_insert(node);
    }
    roots
}

/// The children of each value that was searched, because thousands of diagnostics may be in the same one.
#[derive(Default)]
struct Places<'d>(HashMap<NodeId, Vec<NodeRef<'d>>>);

impl<'d> Places<'d> {
    /// Returns the innermost value that contains the location of a diagnostic or has it as its key.
    fn at(&mut self, root: NodeRef<'d>, diagnostic: &Diagnostic) -> NodeRef<'d> {
        let place = diagnostic.primary.span.start_byte;
        let mut node = root;
        loop {
            let children = self
                .0
                .entry(node.id())
                .or_insert_with(|| node.members().map(|(_, child)| child).chain(node.items()).collect());
            // Children are in text order, and a key precedes its value.
            let after = children.partition_point(|child| child.key_span().start_byte <= place);
            let Some(child) = after.checked_sub(1).map(|index| children[index]) else { return node };
            if child.span().end_byte <= place && child.key_span().end_byte <= place {
                return node;
            }
            node = child;
        }
    }
}
