//! Warnings that are reported when the mock starts: examples that do not match their schemas, and constructs
//! that cannot be served.

use crate::{codes, media::Content, operation::ServedOperation, security, shared::Oracles, value};
use frontdesk_contract::Oracle;
use frontdesk_document::{Diagnostic, Diagnostics, NodeId, NodeRef};
use std::collections::HashSet;

/// Checks everything that may be served, once.
pub(crate) fn document(root: NodeRef<'static>, served: &[ServedOperation], oracles: &Oracles) -> Diagnostics {
    let mut check = Check { found: root.document().diagnostics(), seen: HashSet::new() };
    check.schemes(root);
    for served in served {
        for content in served.responses.iter().flat_map(|response| &response.contents) {
            check.content(content, &oracles.responses);
        }
        for content in served.body.iter().flat_map(|body| &body.contents) {
            check.content(content, &oracles.requests);
        }
    }
    check.found.sort();
    check.found
}

struct Check {
    found: Diagnostics,
    /// Nodes already checked; shared components occur in many operations.
    seen: HashSet<NodeId>,
}

impl Check {
    fn content(&mut self, content: &Content, oracle: &Oracle) {
        if !self.seen.insert(content.node.id()) {
            return;
        }
        for (key, example) in content.node.get("examples").into_iter().flat_map(NodeRef::entries) {
            let external = example.resolve().ok().and_then(|example| example.get("externalValue"));
            if let Some(external) = external.filter(|external| self.seen.insert(external.id())) {
                let message = format!(
                    "the example `{}` has an `externalValue`, which the mock does not fetch",
                    key.text
                );
                let hint = "write the example under `value`";
                self.found
                    .push(Diagnostic::warning(codes::EXTERNAL_EXAMPLE, external.span(), message).hint(hint));
            }
        }
        let Some(schema) = content.schema.filter(|_| content.is_judged()) else { return };
        let named = value::examples(content.node).into_iter().map(|(_, example)| example);
        let own = content.node.get("example").into_iter().chain(named);
        for example in own.chain(value::of_schema(schema)) {
            let json = example.to_json();
            let fits = oracle.is_valid(schema, &json) || value::written(content, example, oracle).is_some();
            if fits || !self.seen.insert(example.id()) {
                continue;
            }
            let mut diagnostic = Diagnostic::warning(
                codes::INVALID_EXAMPLE,
                example.span(),
                "the example does not match its schema; the mock sends it unchanged",
            );
            for fault in oracle.faults(schema, &json).into_iter().take(3) {
                let place = if fault.pointer.is_empty() { "" } else { &fault.pointer };
                let message: String = fault.message.chars().take(200).collect();
                diagnostic = diagnostic.note(format!("{place} {message}").trim().to_owned());
            }
            self.found.push(diagnostic.hint("correct the example or the schema"));
        }
    }

    /// Reports requirements that cannot be enforced because no usable scheme is defined for them.
    fn schemes(&mut self, root: NodeRef<'static>) {
        let operations = root.document().operations().map(|operation| operation.node);
        let owners = std::iter::once(root).chain(operations);
        for requirement in owners.filter_map(|owner| owner.get("security")).flat_map(NodeRef::items) {
            for (key, scopes) in requirement.entries() {
                if security::scheme(root, key.text).is_none() && self.seen.insert(scopes.id()) {
                    let message = format!(
                        "`{}` is not a defined security scheme; the mock does not enforce it",
                        key.text
                    );
                    let hint = "define it under `components.securitySchemes` with its `type`, and with `in` and `name` for an API key";
                    self.found.push(Diagnostic::warning(codes::UNKNOWN_SCHEME, key.span, message).hint(hint));
                }
            }
        }
    }
}
