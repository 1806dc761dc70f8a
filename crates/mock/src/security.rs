//! Security requirements of a document, in the form that the runtime evaluates.

use frontdesk_document::{Credential as Described, Document, NodeRef, Operation};
use frontdesk_runtime::{Credential, Requirement, Scheme};

/// Returns the requirements of an operation: its own, or else those of the document.
pub(crate) fn requirements(
    document: &'static Document,
    operation: Operation<'static>,
) -> &'static [Requirement] {
    let Some(security) = operation.security(document) else { return &[] };
    let read = security.requirements.into_iter().map(|requirement| {
        requirement.schemes.iter().map(|required| scheme(document.root(), required.name)).collect()
    });
    let requirements: Vec<Requirement> = read
        .map(|schemes: Vec<Scheme>| Requirement { schemes: Box::leak(schemes.into_boxed_slice()) })
        .collect();
    Box::leak(requirements.into_boxed_slice())
}

/// Returns a scheme by its name. One that the document does not describe is read as generated servers read
/// it.
fn scheme(root: NodeRef<'static>, name: &'static str) -> Scheme {
    let described = defined(root, name).and_then(|scheme| Described::of(scheme).ok());
    let credential = match described.unwrap_or_else(|| Described::assumed(name)) {
        Described::Bearer => Credential::Bearer,
        Described::Basic => Credential::Basic,
        Described::Http(name) => Credential::Http(name),
        Described::Header(name) => Credential::Header(name),
        Described::Query(name) => Credential::Query(name),
        Described::Cookie(name) => Credential::Cookie(name),
        Described::Connection => Credential::Connection,
    };
    Scheme { name, credential, scopes: &[] }
}

/// Returns the definition of a scheme.
pub(crate) fn defined(root: NodeRef<'static>, name: &str) -> Option<NodeRef<'static>> {
    root.get("components")?.get("securitySchemes")?.get(name)?.resolve().ok()
}

/// Describes the accepted credentials, for error messages.
pub(crate) fn accepted_credentials(requirements: &[Requirement]) -> String {
    let scheme = |scheme: &Scheme| {
        let way = match scheme.credential {
            Credential::Bearer => "`Authorization: Bearer …`".to_owned(),
            Credential::Basic => "`Authorization: Basic …`".to_owned(),
            Credential::Http(name) => format!("`Authorization: {name} …`"),
            Credential::Header(name) => format!("the header `{name}`"),
            Credential::Query(name) => format!("the query parameter `{name}`"),
            Credential::Cookie(name) => format!("the cookie `{name}`"),
            Credential::Connection => "a connection of any kind".to_owned(),
        };
        format!("{way} ({})", scheme.name)
    };
    let requirement =
        |requirement: &Requirement| requirement.schemes.iter().map(scheme).collect::<Vec<_>>().join(" and ");
    requirements.iter().map(requirement).collect::<Vec<_>>().join(", or ")
}
