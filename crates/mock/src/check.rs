//! Warnings that are reported when the mock starts: examples that do not match their schemas, and constructs
//! that cannot be served.

use crate::{address, codes, media::Content, operation::ServedOperation, security, shared::Oracles, value};
use frontdesk_contract::Oracle;
use frontdesk_document::{Credential, Diagnostic, Diagnostics, NodeId, NodeRef};
use std::collections::HashSet;

/// Checks everything that may be served, once.
pub(crate) fn document(root: NodeRef<'static>, served: &[ServedOperation], oracles: &Oracles) -> Diagnostics {
    let mut check = Check { found: root.document().diagnostics(), seen: HashSet::new() };
    check.schemes(root);
    check.paths(root);
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

    /// Reports paths that are left out, because no request tells their parameters apart.
    fn paths(&mut self, root: NodeRef<'static>) {
        for item in root.document().path_items() {
            if address::is_routable(&address::template(item.key.text)) {
                continue;
            }
            let message = "nothing separates two parameters of the path; the mock leaves it out";
            let hint = "write text between the two, such as `{a}-{b}` or `{a}/{b}`";
            self.found.push(Diagnostic::warning(codes::UNROUTABLE_PATH, item.key.span, message).hint(hint));
        }
    }

    /// Reports requirements whose credential the document does not describe, or that no request can show.
    fn schemes(&mut self, root: NodeRef<'static>) {
        let document = root.document();
        for security in document.operations().filter_map(|operation| operation.security(document)) {
            for required in security.requirements.iter().flat_map(|requirement| &requirement.schemes) {
                let name = required.name;
                let described = security::defined(root, name).and_then(|scheme| Credential::of(scheme).ok());
                let (message, hint) = match described {
                    None => (
                        format!(
                            "`{name}` is not a defined security scheme; the mock asks for {} as generated servers do",
                            match Credential::assumed(name) {
                                Credential::Basic => "`Authorization: Basic …`",
                                _ => "`Authorization: Bearer …`",
                            }
                        ),
                        "define it under `components.securitySchemes` with its `type`, and with `in` and `name` for an API key",
                    ),
                    Some(Credential::Connection) => (
                        format!("`{name}` is proven by the connection; the mock accepts every connection"),
                        "nothing to do, unless you want to test certificates, which the mock does not see",
                    ),
                    Some(_) => continue,
                };
                if self.seen.insert(required.scopes.id()) {
                    self.found
                        .push(Diagnostic::warning(codes::UNKNOWN_SCHEME, required.span, message).hint(hint));
                }
            }
        }
    }
}
