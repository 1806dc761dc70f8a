//! Lowering of security schemes and requirements.

use super::{Lowering, docs, flag, names, shown};
use crate::ir::{Credential, Scheme, SchemeUse};
use frontdesk_document::{
    Credential as Described, Diagnostic, NodeRef, Operation, PathItem, RequiredScheme, Requirement, Security,
};

impl<'d> Lowering<'d, '_> {
    pub(super) fn lower_schemes(&mut self) {
        let Some(schemes) =
            self.document.root().get("components").and_then(|components| components.get("securitySchemes"))
        else {
            return;
        };
        for (key, node) in schemes.entries().filter(|(key, _)| !key.text.starts_with("x-")) {
            let Some(target) = self.resolve(node) else { continue };
            self.check_extensions(target);
            let credential = Described::of(target).unwrap_or_else(|message| {
                let assumed = Described::assumed(key.text);
                self.problems.push(
                    Diagnostic::warning("unknown-scheme", shown(target), message)
                        .note(reading(&assumed))
                        .hint("`type` is http (with `scheme`), apiKey (with `name` and `in`), oauth2, openIdConnect or mutualTLS"),
                );
                assumed
            });
            if credential == Described::Connection {
                self.warn_once(
                    target,
                    "mutual-tls",
                    format!("`{}` is proven by the connection, which generated code does not see", key.text),
                    "check the certificate in the server's `Authenticator`, and set that of the client on its HTTP client",
                );
            }
            let index = self.add_scheme(key.text, docs(target), &credential);
            self.schemes[index].server_only = flag(target, "x-server-only");
        }
    }

    /// Adds a scheme, and returns its index.
    fn add_scheme(&mut self, wire: &str, docs: Option<String>, credential: &Described<'_>) -> usize {
        let mut taken = names::Scope::default();
        // The authenticator has methods of these names besides those of the schemes.
        taken.take("authorize", "");
        taken.take("combine", "");
        taken.take("refuse", "");
        taken.take("inspects_body", "");
        taken.take("inspect_body", "");
        for scheme in &self.schemes {
            taken.take(&scheme.rust, "");
        }
        let rust = taken.take(&names::snake(wire), "_scheme");
        let credential = lowered(credential);
        self.schemes.push(Scheme { wire: wire.to_owned(), rust, docs, credential, server_only: false });
        self.schemes.len() - 1
    }

    /// Returns the requirements of an operation: its own, or those of the whole document.
    pub(super) fn security(&mut self, operation: Operation<'d>) -> Vec<Vec<SchemeUse>> {
        let Some(Security { requirements, unreadable }) = operation.security(self.document) else {
            return if self.optional_schemes { self.every_scheme_or_none() } else { Vec::new() };
        };
        for node in unreadable {
            self.warn_once(
                node,
                "invalid-security",
                format!(
                    "`security` lists alternatives such as `{{bearer: []}}`, not {}; it is left out, and opens nothing",
                    node.kind()
                ),
                "name the schemes that callers need, or write `{}` if nobody needs any",
            );
        }
        requirements.into_iter().map(|requirement| self.requirement(requirement)).collect()
    }

    /// Finds out whether the document defines schemes and says nowhere what requires them. Otherwise a
    /// credential that callers set would never be sent.
    pub(super) fn find_optional_schemes(&mut self) {
        let root = self.document.root();
        // A scheme by which the service signs its own calls is none of callers.
        let calls = self.document.webhooks().flat_map(PathItem::operations);
        let mut operations = self.document.operations().chain(calls);
        let said = root.get("security").is_some()
            || operations.any(|operation| operation.node.get("security").is_some());
        self.optional_schemes = !self.schemes.is_empty() && !said;
        let schemes = root.get("components").and_then(|components| components.get("securitySchemes"));
        if let Some(schemes) = schemes.filter(|_| self.optional_schemes) {
            self.problems.push(
                Diagnostic::warning(
                    "unused-schemes",
                    shown(schemes),
                    "the document defines security schemes, and no `security` says which operations require them",
                )
                .note("every scheme is optional for every operation: clients send the credential that the caller sets")
                .hint("add `security` at the root of the document, and `security: []` to operations that need none"),
            );
        }
    }

    /// Returns each scheme by itself as an alternative, and the empty requirement.
    fn every_scheme_or_none(&self) -> Vec<Vec<SchemeUse>> {
        let each = (0..self.schemes.len()).map(|scheme| vec![SchemeUse { scheme, scopes: Vec::new() }]);
        each.chain([Vec::new()]).collect()
    }

    fn requirement(&mut self, requirement: Requirement<'d>) -> Vec<SchemeUse> {
        let Requirement { schemes, is_odd, node } = requirement;
        if is_odd {
            let names: Vec<String> = schemes.iter().map(|scheme| format!("{}: []", scheme.name)).collect();
            self.warn_once(
                node,
                "invalid-security",
                "`security` is a list of objects; this is read as one of them",
                &format!("write `security: [{{{}}}]`", names.join(", ")),
            );
        }
        schemes.into_iter().map(|scheme| self.scheme_use(scheme)).collect()
    }

    fn scheme_use(&mut self, required: RequiredScheme<'d>) -> SchemeUse {
        let RequiredScheme { name, span, scopes } = required;
        let known = self.schemes.iter().position(|scheme| scheme.wire == name);
        let scheme = known.unwrap_or_else(|| {
            let credential = Described::assumed(name);
            self.problems.push(
                Diagnostic::warning(
                    "undefined-scheme",
                    span,
                    format!("there is no security scheme `{name}`"),
                )
                .note(reading(&credential))
                .hint("define it under components.securitySchemes, or correct the name"),
            );
            self.undefined_schemes.insert(name.to_owned());
            self.add_scheme(name, None, &credential)
        });
        if self.undefined_schemes.contains(name) {
            let place = format!("the security requirement `{name}`");
            self.degraded(
                scopes,
                place,
                "the document does not define the scheme; how it is sent is a guess",
            );
        }
        SchemeUse { scheme, scopes: scopes.items().filter_map(NodeRef::as_str).map(str::to_owned).collect() }
    }
}

/// How a scheme that the document does not describe is read.
fn reading(credential: &Described<'_>) -> &'static str {
    match credential {
        Described::Basic => "it is read as a credential of this name, sent as `Authorization: Basic …`",
        _ => "it is read as a credential of this name, sent as `Authorization: Bearer …`",
    }
}

fn lowered(credential: &Described<'_>) -> Credential {
    match credential {
        Described::Bearer => Credential::Bearer,
        Described::Basic => Credential::Basic,
        Described::Http(name) => Credential::Http(name.to_ascii_lowercase()),
        Described::Header(name) => Credential::Header((*name).to_owned()),
        Described::Query(name) => Credential::Query((*name).to_owned()),
        Described::Cookie(name) => Credential::Cookie((*name).to_owned()),
        Described::Connection => Credential::Connection,
    }
}
