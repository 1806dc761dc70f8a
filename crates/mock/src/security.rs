//! Security requirements of a document, in the form that the runtime evaluates.

use frontdesk_document::NodeRef;
use frontdesk_runtime::{Credential, Requirement, Scheme};

/// Returns the requirements of an operation: its own, or else those of the document.
pub(crate) fn requirements(root: NodeRef<'static>, operation: NodeRef<'static>) -> &'static [Requirement] {
    let listed = operation.get("security").or_else(|| root.get("security"));
    let requirements: Vec<Requirement> = listed
        .into_iter()
        .flat_map(NodeRef::items)
        .map(|requirement| {
            let schemes: Vec<Scheme> =
                requirement.entries().filter_map(|(key, _)| scheme(root, key.text)).collect();
            Requirement { schemes: Box::leak(schemes.into_boxed_slice()) }
        })
        .collect();
    Box::leak(requirements.into_boxed_slice())
}

/// Returns a scheme by its name, or `None` if the document does not define where its credential is sent.
pub(crate) fn scheme(root: NodeRef<'static>, name: &'static str) -> Option<Scheme> {
    let node = root.get("components")?.get("securitySchemes")?.get(name)?.resolve().ok()?;
    let text = |key| node.get(key).and_then(NodeRef::as_str).map(str::trim);
    let credential = match text("type")? {
        "http" => match text("scheme")? {
            scheme if scheme.eq_ignore_ascii_case("bearer") => Credential::Bearer,
            scheme if scheme.eq_ignore_ascii_case("basic") => Credential::Basic,
            scheme => Credential::Http(scheme),
        },
        "apiKey" => match text("in")? {
            "header" => Credential::Header(text("name")?),
            "query" => Credential::Query(text("name")?),
            "cookie" => Credential::Cookie(text("name")?),
            _ => return None,
        },
        // Both end in a token that the caller sends as a bearer token.
        "oauth2" | "openIdConnect" => Credential::Bearer,
        _ => return None,
    };
    Some(Scheme { name, credential, scopes: &[] })
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
        };
        format!("{way} ({})", scheme.name)
    };
    let requirement =
        |requirement: &Requirement| requirement.schemes.iter().map(scheme).collect::<Vec<_>>().join(" and ");
    requirements.iter().map(requirement).collect::<Vec<_>>().join(", or ")
}
