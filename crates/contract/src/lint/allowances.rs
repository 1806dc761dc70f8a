//! `x-lint-allow`: violations that a document allows, with reasons.

use std::collections::HashMap;

use frontdesk_document::{NodeId, NodeRef};

use super::finding::Drafts;
use super::rules::{ALLOWANCE_REASON, ALLOWANCE_UNKNOWN, ALLOWANCE_UNUSED, rule};
use super::settings::Settings;

/// The extension key.
const KEY: &str = "x-lint-allow";

/// A rule that may be violated in an object and everything inside it.
#[derive(Debug)]
struct Allowance<'d> {
    rule: &'static str,
    reason: &'d str,
    node: NodeRef<'d>,
    used: bool,
}

/// The allowances of a document, by the object that contains the key.
#[derive(Debug, Default)]
pub(super) struct Allowances<'d> {
    by_object: HashMap<NodeId, Vec<Allowance<'d>>>,
}

impl<'d> Allowances<'d> {
    /// Collects the allowances of these objects. Invalid entries are reported.
    pub(super) fn of(objects: &[NodeRef<'d>], drafts: &mut Drafts<'d>) -> Self {
        let mut by_object: HashMap<NodeId, Vec<Allowance<'d>>> = HashMap::new();
        for object in objects {
            let Some(entries) = object.get(KEY) else { continue };
            if !entries.is_object() {
                let message = format!("`{KEY}` is {}, but must be an object", entries.kind());
                drafts.report(ALLOWANCE_REASON, entries, message, "write `x-lint-allow: {rule: reason}`");
            }
            for (id, node) in entries.members() {
                let Some(rule) = rule(id) else {
                    let message = format!("there is no rule `{id}`");
                    drafts.report(ALLOWANCE_UNKNOWN, node, message, "`cargo xtask explain` lists the rules");
                    continue;
                };
                match node.as_str().map(str::trim) {
                    Some(reason) if !reason.is_empty() => {
                        let allowance = Allowance { rule: rule.id, reason, node, used: false };
                        by_object.entry(object.id()).or_default().push(allowance);
                    }
                    _ => {
                        let message = format!("`{id}` is allowed without a reason");
                        drafts.report(
                            ALLOWANCE_REASON,
                            node,
                            message,
                            "write why the violation is acceptable",
                        );
                    }
                }
            }
        }
        Self { by_object }
    }

    /// Returns why a violation at a node is allowed: the reason of the innermost allowance.
    pub(super) fn reason(&mut self, rule: &str, node: NodeRef<'d>) -> Option<&'d str> {
        if self.by_object.is_empty() {
            return None;
        }
        let mut place = Some(node);
        while let Some(object) = place {
            let found = self
                .by_object
                .get_mut(&object.id())
                .and_then(|list| list.iter_mut().find(|allowance| allowance.rule == rule));
            if let Some(allowance) = found {
                allowance.used = true;
                return Some(allowance.reason);
            }
            place = object.parent();
        }
        None
    }

    /// Reports allowances that were not used, for rules that are active.
    pub(super) fn report_unused(&self, settings: &Settings, drafts: &mut Drafts<'d>) {
        // The order of the hash map does not matter, because findings are sorted.
        let mut unused: Vec<&Allowance<'d>> =
            self.by_object.values().flatten().filter(|allowance| !allowance.used).collect();
        unused.sort_by_key(|allowance| allowance.node.id());
        for allowance in unused {
            if rule(allowance.rule).is_some_and(|rule| settings.level(rule).is_some()) {
                let message = format!("nothing here violates `{}`", allowance.rule);
                drafts.report(ALLOWANCE_UNUSED, allowance.node, message, "remove the entry");
            }
        }
    }
}
