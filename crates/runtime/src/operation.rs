//! Owns [`Operation`]: what a document says of one operation, as a constant that generated crates share.

use http::Method;

/// One operation of a document.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The document's `operationId`.
    pub id: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path template, with `{name}` where a parameter stands.
    pub path: &'static str,
    /// The first tag, which names the trait or the client group that the operation belongs to.
    pub tag: &'static str,
    /// What a caller must present. Any one requirement is enough; an empty list asks for nothing.
    pub security: &'static [Requirement],
    /// How firmly the operation is promised.
    pub stability: Stability,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// Every status that the document declares, in its order; `default` and ranges such as `4XX` are not listed.
    pub statuses: &'static [u16],
}

impl Operation {
    /// Whether sending the same request twice has the effect of sending it once (RFC 9110, section 9.2.2).
    pub fn is_idempotent(&self) -> bool {
        self.method.is_idempotent()
    }

    /// Whether a caller may stay anonymous: nothing is asked for, or one alternative asks for nothing.
    pub fn allows_anonymous(&self) -> bool {
        self.security.is_empty() || self.security.iter().any(|requirement| requirement.schemes.is_empty())
    }
}

/// Schemes that a caller must satisfy together.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// All of these; an empty list is satisfied by anybody.
    pub schemes: &'static [Scheme],
}

/// A security scheme as one requirement names it.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// The key of the scheme under `components.securitySchemes`.
    pub name: &'static str,
    /// Where the credential stands in a request.
    pub credential: Credential,
    /// The scopes that the requirement lists, for OAuth 2.0 and OpenID Connect.
    pub scopes: &'static [&'static str],
}

/// Where a credential stands in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer …` (RFC 6750), also used for OAuth 2.0 and OpenID Connect.
    Bearer,
    /// `Authorization: Basic …` (RFC 7617).
    Basic,
    /// `Authorization` with another scheme of this name, such as `Digest`: what stands behind the name, as it is.
    Http(&'static str),
    /// A header of this name.
    Header(&'static str),
    /// A query parameter of this name.
    Query(&'static str),
    /// A cookie of this name.
    Cookie(&'static str),
}

/// How firmly an operation is promised: `x-stability-level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    /// May vanish at any time.
    Draft,
    /// May change in any version.
    Alpha,
    /// May change with a minor version.
    Beta,
    /// Changes only as the versioning policy of the document allows; also where the document says nothing.
    #[default]
    Stable,
}
