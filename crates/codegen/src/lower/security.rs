//! Lowering of security schemes and requirements.

use super::{Lowering, docs, flag, names, shown, text};
use crate::ir::{Credential, Scheme, SchemeUse};
use frontdesk_document::{Diagnostic, NodeRef};

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
            if text(target, "type") == Some("mutualTLS") {
                self.connection_schemes.insert(key.text.to_owned());
                self.warn_once(
                    target,
                    "mutual-tls",
                    format!(
                        "`{}` is proven by the connection; neither client nor server checks it",
                        key.text
                    ),
                    "set the client's certificate on its HTTP client, and check it where the server ends TLS",
                );
                continue;
            }
            let credential = credential(target).unwrap_or_else(|message| {
                let meant = guessed(key.text);
                self.problems.push(
                    Diagnostic::warning("unknown-scheme", shown(target), message)
                        .note(reading(&meant))
                        .hint("`type` is http (with `scheme`), apiKey (with `name` and `in`), oauth2 or openIdConnect"),
                );
                meant
            });
            let index = self.add_scheme(key.text, docs(target), credential);
            self.schemes[index].server_only = flag(target, "x-server-only");
        }
    }

    /// Adds a scheme, and returns its index.
    fn add_scheme(&mut self, wire: &str, docs: Option<String>, credential: Credential) -> usize {
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
        self.schemes.push(Scheme { wire: wire.to_owned(), rust, docs, credential, server_only: false });
        self.schemes.len() - 1
    }

    /// Returns the requirements of an operation: its own, or those of the whole document.
    pub(super) fn security(&mut self, operation: NodeRef<'d>) -> Vec<Vec<SchemeUse>> {
        let own = operation.get("security").filter(|security| security.is_array());
        let Some(requirements) = own.or_else(|| self.document.root().get("security")) else {
            return if self.optional_schemes { self.every_scheme_or_none() } else { Vec::new() };
        };
        requirements.items().map(|requirement| self.requirement(requirement)).collect()
    }

    /// Finds out whether the document defines schemes and says nowhere what requires them. Otherwise a
    /// credential that callers set would never be sent.
    pub(super) fn find_optional_schemes(&mut self) {
        let root = self.document.root();
        let said = root.get("security").is_some()
            || self.document.operations().any(|operation| operation.node.get("security").is_some());
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

    fn requirement(&mut self, requirement: NodeRef<'d>) -> Vec<SchemeUse> {
        let mut uses = Vec::new();
        for (key, scopes) in requirement.entries() {
            if self.connection_schemes.contains(key.text) {
                continue;
            }
            let known = self.schemes.iter().position(|scheme| scheme.wire == key.text);
            let scheme = known.unwrap_or_else(|| {
                let credential = guessed(key.text);
                self.problems.push(
                    Diagnostic::warning(
                        "undefined-scheme",
                        key.span,
                        format!("there is no security scheme `{}`", key.text),
                    )
                    .note(reading(&credential))
                    .hint("define it under components.securitySchemes, or correct the name"),
                );
                self.undefined_schemes.insert(key.text.to_owned());
                self.add_scheme(key.text, None, credential)
            });
            if self.undefined_schemes.contains(key.text) {
                let place = format!("the security requirement `{}`", key.text);
                self.degraded(
                    scopes,
                    place,
                    "the document does not define the scheme; how it is sent is a guess",
                );
            }
            uses.push(SchemeUse {
                scheme,
                scopes: scopes.items().filter_map(NodeRef::as_str).map(str::to_owned).collect(),
            });
        }
        uses
    }
}

/// The credential that the name of a scheme suggests, where the document does not say what it is.
fn guessed(name: &str) -> Credential {
    if name.to_ascii_lowercase().contains("basic") { Credential::Basic } else { Credential::Bearer }
}

/// How a scheme that the document does not describe is read.
fn reading(credential: &Credential) -> &'static str {
    match credential {
        Credential::Basic => "it is read as a credential of this name, sent as `Authorization: Basic …`",
        _ => "it is read as a credential of this name, sent as `Authorization: Bearer …`",
    }
}

/// Returns the location of a scheme's credential, or the problem of the scheme.
fn credential(node: NodeRef<'_>) -> Result<Credential, String> {
    match text(node, "type") {
        Some("http") => {
            let scheme = text(node, "scheme").unwrap_or_default().trim().to_ascii_lowercase();
            match scheme.as_str() {
                "" => Err("a scheme of type `http` needs `scheme`".to_owned()),
                "bearer" => Ok(Credential::Bearer),
                "basic" => Ok(Credential::Basic),
                _ if scheme.bytes().all(is_token) => Ok(Credential::Http(scheme)),
                _ => Err(format!("`{scheme}` is not the name of an HTTP authentication scheme")),
            }
        }
        Some("apiKey") => {
            let name = text(node, "name").filter(|name| !name.trim().is_empty());
            let name = name.ok_or_else(|| "a scheme of type `apiKey` needs `name`".to_owned())?.to_owned();
            match text(node, "in") {
                Some("header") if name.bytes().all(is_token) => Ok(Credential::Header(name)),
                Some("header") => Err(format!("`{name}` is not the name of a header")),
                Some("query") => Ok(Credential::Query(name)),
                Some("cookie") => Ok(Credential::Cookie(name)),
                _ => Err("a scheme of type `apiKey` stands `in` header, query or cookie".to_owned()),
            }
        }
        // Both result in a token that the caller sends.
        Some("oauth2" | "openIdConnect") => Ok(Credential::Bearer),
        Some(other) => Err(format!("`{other}` is not a type of security scheme in OpenAPI 3.0")),
        None => Err("a security scheme needs `type`".to_owned()),
    }
}

/// Whether the byte may be part of a token (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
