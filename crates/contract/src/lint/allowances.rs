//! `x-lint-allow`: what a document allows itself, where, and why.

use std::collections::HashMap;

use frontdesk_document::{NodeId, NodeRef};

use super::finding::Drafts;
use super::rules::{ALLOWANCE_REASON, ALLOWANCE_UNKNOWN, ALLOWANCE_UNUSED, rule};
use super::settings::Settings;

/// The key.
const KEY: &str = "x-lint-allow";

/// A rule that may be broken at a place and below it.
#[derive(Debug)]
struct Allowance<'d> {
    rule: &'static str,
    reason: &'d str,
    node: NodeRef<'d>,
    used: bool,
}

/// Every allowance of a document, by the object that it stands on.
#[derive(Debug, Default)]
pub(super) struct Allowances<'d> {
    by_object: HashMap<NodeId, Vec<Allowance<'d>>>,
}

impl<'d> Allowances<'d> {
    /// Those of these objects. Entries that allow nothing are told.
    pub(super) fn of(objects: &[NodeRef<'d>], drafts: &mut Drafts<'d>) -> Self {
        let mut by_object: HashMap<NodeId, Vec<Allowance<'d>>> = HashMap::new();
        for object in objects {
            let Some(entries) = object.get(KEY) else { continue };
            if !entries.is_object() {
                let message = format!("`{KEY}` is {}, and must be an object", entries.kind());
                drafts.tell(ALLOWANCE_REASON, entries, message, "write `x-lint-allow: {rule: why}`");
            }
            for (id, node) in entries.members() {
                let Some(rule) = rule(id) else {
                    let message = format!("there is no rule `{id}`");
                    drafts.tell(ALLOWANCE_UNKNOWN, node, message, "`cargo xtask explain` lists the rules");
                    continue;
                };
                match node.as_str().map(str::trim) {
                    Some(reason) if !reason.is_empty() => {
                        let allowance = Allowance { rule: rule.id, reason, node, used: false };
                        by_object.entry(object.id()).or_default().push(allowance);
                    }
                    _ => {
                        let message = format!("`{id}` is allowed without a reason");
                        drafts.tell(ALLOWANCE_REASON, node, message, "write why the rule may be broken here");
                    }
                }
            }
        }
        Self { by_object }
    }

    /// Why a rule may be broken at a place: the reason that stands nearest.
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

    /// Tells the allowances that allowed nothing, of rules that were looked at.
    pub(super) fn tell_unused(&self, settings: &Settings, drafts: &mut Drafts<'d>) {
        // The order of a hash map does not show: findings are sorted by their places.
        let mut unused: Vec<&Allowance<'d>> =
            self.by_object.values().flatten().filter(|allowance| !allowance.used).collect();
        unused.sort_by_key(|allowance| allowance.node.id());
        for allowance in unused {
            if rule(allowance.rule).is_some_and(|rule| settings.level(rule).is_some()) {
                let message = format!("nothing here breaks `{}`", allowance.rule);
                drafts.tell(ALLOWANCE_UNUSED, allowance.node, message, "remove the entry");
            }
        }
    }
}
