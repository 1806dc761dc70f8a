//! Lowering of security schemes and requirements.

use super::{Lowering, docs, names, shown, text};
use crate::ir::{Credential, Scheme, SchemeUse};
use frontdesk_document::{Diagnostic, NodeRef};

impl<'d> Lowering<'d, '_> {
    pub(super) fn lower_schemes(&mut self) {
        let Some(schemes) =
            self.document.root().get("components").and_then(|components| components.get("securitySchemes"))
        else {
            return;
        };
        let mut taken = names::Scope::default();
        // The authenticator has methods of these names besides those of the schemes.
        taken.take("authorize", "");
        taken.take("refuse", "");
        for (key, node) in schemes.entries().filter(|(key, _)| !key.text.starts_with("x-")) {
            let Some(target) = self.resolve(node) else { continue };
            match credential(target) {
                Ok(credential) => {
                    let rust = taken.take(&names::snake(key.text), "_scheme");
                    self.schemes.push(Scheme {
                        wire: key.text.to_owned(),
                        rust,
                        docs: docs(target),
                        credential,
                    });
                }
                Err(message) => self
                    .problems
                    .push(Diagnostic::error("unknown-scheme", shown(target), message).hint(
                    "`type` is http (with `scheme`), apiKey (with `name` and `in`), oauth2 or openIdConnect",
                )),
            }
        }
    }

    /// Returns the requirements of an operation: its own, or those of the whole document.
    pub(super) fn security(&mut self, operation: NodeRef<'d>) -> Vec<Vec<SchemeUse>> {
        let own = operation.get("security").filter(|security| security.is_array());
        let Some(requirements) = own.or_else(|| self.document.root().get("security")) else {
            return Vec::new();
        };
        requirements.items().map(|requirement| self.requirement(requirement)).collect()
    }

    fn requirement(&mut self, requirement: NodeRef<'d>) -> Vec<SchemeUse> {
        let mut uses = Vec::new();
        for (key, scopes) in requirement.entries() {
            match self.schemes.iter().position(|scheme| scheme.wire == key.text) {
                Some(scheme) => uses.push(SchemeUse {
                    scheme,
                    scopes: scopes.items().filter_map(NodeRef::as_str).map(str::to_owned).collect(),
                }),
                None => self.problems.push(
                    Diagnostic::error(
                        "undefined-scheme",
                        key.span,
                        format!("there is no security scheme `{}`", key.text),
                    )
                    .hint("define it under components.securitySchemes, or correct the name"),
                ),
            }
        }
        uses
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
                _ => Err(format!("`{scheme}` is no name of an HTTP authentication scheme")),
            }
        }
        Some("apiKey") => {
            let name = text(node, "name").filter(|name| !name.trim().is_empty());
            let name = name.ok_or_else(|| "a scheme of type `apiKey` needs `name`".to_owned())?.to_owned();
            match text(node, "in") {
                Some("header") if name.bytes().all(is_token) => Ok(Credential::Header(name)),
                Some("header") => Err(format!("`{name}` is no name of a header")),
                Some("query") => Ok(Credential::Query(name)),
                Some("cookie") => Ok(Credential::Cookie(name)),
                _ => Err("a scheme of type `apiKey` stands `in` header, query or cookie".to_owned()),
            }
        }
        // Both result in a token that the caller sends.
        Some("oauth2" | "openIdConnect") => Ok(Credential::Bearer),
        Some(other) => Err(format!("`{other}` is no type of a security scheme in OpenAPI 3.0")),
        None => Err("a security scheme needs `type`".to_owned()),
    }
}

/// Whether the byte may be part of a token (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
