//! Owns the lowering of security schemes and requirements.

use super::{Lowering, names, shown};
use crate::ir::{Credential, Scheme, SchemeUse};
use frontdesk_document::{Diagnostic, NodeRef};
use openapiv3::{APIKeyLocation, SecurityScheme};

impl<'d> Lowering<'d, '_> {
    pub(super) fn lower_schemes(&mut self) {
        let Some(schemes) =
            self.document.root().get("components").and_then(|components| components.get("securitySchemes"))
        else {
            return;
        };
        let mut taken = names::Scope::default();
        // The authenticator has methods of these names beside those of the schemes.
        taken.take("admit", "");
        taken.take("refuse", "");
        for (key, node) in schemes.entries() {
            let Some(target) = self.resolve(node) else { continue };
            let (credential, docs) = match target.typed::<SecurityScheme>() {
                Ok(SecurityScheme::HTTP { scheme, description, .. }) => {
                    match scheme.to_ascii_lowercase().as_str() {
                        "bearer" => (Credential::Bearer, description),
                        "basic" => (Credential::Basic, description),
                        other => {
                            self.problems.push(
                            Diagnostic::error("unknown-scheme", shown(target), format!("the HTTP scheme `{other}` is not generated"))
                                .hint("bearer and basic are; describe others as an apiKey in the header `Authorization`"),
                        );
                            continue;
                        }
                    }
                }
                Ok(SecurityScheme::APIKey { location, name, description, .. }) => (
                    match location {
                        APIKeyLocation::Header => Credential::Header(name),
                        APIKeyLocation::Query => Credential::Query(name),
                        APIKeyLocation::Cookie => Credential::Cookie(name),
                    },
                    description,
                ),
                Ok(
                    SecurityScheme::OAuth2 { description, .. }
                    | SecurityScheme::OpenIDConnect { description, .. },
                ) => (Credential::Bearer, description),
                Err(problem) => {
                    self.problems.push(*problem);
                    continue;
                }
            };
            let rust = taken.take(&names::snake(key.text), "_scheme");
            self.schemes.push(Scheme { wire: key.text.to_owned(), rust, docs, credential });
        }
    }

    /// The requirements of an operation: its own, or those of the whole document.
    pub(super) fn security(&mut self, operation: NodeRef<'d>) -> Vec<Vec<SchemeUse>> {
        let Some(requirements) = operation.get("security").or_else(|| self.document.root().get("security"))
        else {
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
