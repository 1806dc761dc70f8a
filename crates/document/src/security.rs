//! Security schemes and requirements, as everything that enforces or sends credentials reads them.
//!
//! A requirement that is not written as OpenAPI asks for never opens an operation: what it names is required
//! all the same.

use crate::document::Document;
use crate::node::NodeRef;
use crate::operations::Operation;
use crate::source::Span;

/// Where a security scheme puts its credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential<'d> {
    /// `Authorization: Bearer …`, also for OAuth 2.0 and OpenID Connect.
    Bearer,
    /// `Authorization: Basic …`.
    Basic,
    /// `Authorization` with another scheme of this name.
    Http(&'d str),
    /// A header of this name.
    Header(&'d str),
    /// A query parameter of this name.
    Query(&'d str),
    /// A cookie of this name.
    Cookie(&'d str),
    /// The connection, as with `mutualTLS`: nothing of the request.
    Connection,
}

impl<'d> Credential<'d> {
    /// Reads a security scheme.
    ///
    /// # Errors
    ///
    /// Returns the problem of a scheme that does not say where its credential is sent.
    pub fn of(scheme: NodeRef<'d>) -> Result<Self, String> {
        let text =
            |key| scheme.get(key).and_then(NodeRef::as_str).map(str::trim).filter(|text| !text.is_empty());
        match text("type") {
            Some("http") => match text("scheme") {
                None => Err("a scheme of type `http` needs `scheme`".to_owned()),
                Some(name) if name.eq_ignore_ascii_case("bearer") => Ok(Self::Bearer),
                Some(name) if name.eq_ignore_ascii_case("basic") => Ok(Self::Basic),
                Some(name) if name.bytes().all(is_token) => Ok(Self::Http(name)),
                Some(name) => Err(format!("`{name}` is not the name of an HTTP authentication scheme")),
            },
            Some("apiKey") => {
                let name = text("name").ok_or_else(|| "a scheme of type `apiKey` needs `name`".to_owned())?;
                match text("in") {
                    Some("header") if name.bytes().all(is_token) => Ok(Self::Header(name)),
                    Some("header") => Err(format!("`{name}` is not the name of a header")),
                    Some("query") => Ok(Self::Query(name)),
                    Some("cookie") => Ok(Self::Cookie(name)),
                    _ => Err("a scheme of type `apiKey` stands `in` header, query or cookie".to_owned()),
                }
            }
            // Both result in a token that the caller sends.
            Some("oauth2" | "openIdConnect") => Ok(Self::Bearer),
            Some("mutualTLS") => Ok(Self::Connection),
            Some(other) => Err(format!("`{other}` is not a type of security scheme in OpenAPI 3.0")),
            None => Err("a security scheme needs `type`".to_owned()),
        }
    }

    /// Returns the credential that is assumed for a scheme that the document does not describe: the one that
    /// its name suggests.
    pub fn assumed(scheme: &str) -> Self {
        if scheme.to_ascii_lowercase().contains("basic") { Self::Basic } else { Self::Bearer }
    }
}

/// Whether the byte may be part of a token (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// The name of the scheme that is required if `security` has values which name none.
const UNKNOWN: &str = "unknown";

/// One alternative of `security`.
#[derive(Clone, Debug)]
pub struct Requirement<'d> {
    /// The schemes that are required together; none for an alternative that admits everybody.
    pub schemes: Vec<RequiredScheme<'d>>,
    /// Whether it is not written as an object in a list.
    pub is_odd: bool,
    /// The value itself.
    pub node: NodeRef<'d>,
}

/// A scheme that a requirement names.
#[derive(Clone, Copy, Debug)]
pub struct RequiredScheme<'d> {
    /// The key under `components.securitySchemes`.
    pub name: &'d str,
    /// Where the name is written.
    pub span: Span,
    /// The value beside the name, which lists scopes; the name itself if there is none.
    pub scopes: NodeRef<'d>,
}

/// The value of `security`.
#[derive(Clone, Debug)]
pub struct Security<'d> {
    /// The alternatives, of which one has to be met; nothing is required if there are none.
    pub requirements: Vec<Requirement<'d>>,
    /// The values that are neither requirements nor names of schemes. They are no alternatives; if there are
    /// only such values, a scheme is required that the document does not define.
    pub unreadable: Vec<NodeRef<'d>>,
}

impl<'d> Security<'d> {
    fn new(security: NodeRef<'d>) -> Self {
        let mut read = Self { requirements: Vec::new(), unreadable: Vec::new() };
        if security.is_array() {
            security.items().for_each(|item| read.add(item, false));
        } else {
            read.add(security, true);
        }
        if let Some(&node) = read.unreadable.first().filter(|_| read.requirements.is_empty()) {
            let schemes = vec![RequiredScheme { name: UNKNOWN, span: node.span(), scopes: node }];
            read.requirements.push(Requirement { schemes, is_odd: false, node });
        }
        read
    }

    fn add(&mut self, item: NodeRef<'d>, alone: bool) {
        let named = |name, span, scopes| RequiredScheme { name, span, scopes };
        let (schemes, is_odd) = match item.as_str() {
            Some(name) => (vec![named(name, item.span(), item)], true),
            None if item.is_object() => {
                (item.entries().map(|(key, scopes)| named(key.text, key.span, scopes)).collect(), alone)
            }
            None => return self.unreadable.push(item),
        };
        self.requirements.push(Requirement { schemes, is_odd, node: item });
    }
}

impl<'d> Operation<'d> {
    /// Returns what callers of the operation must present: its own `security`, or else that of the document;
    /// `None` if neither says anything. A value of `null` says nothing.
    pub fn security(&self, document: &'d Document) -> Option<Security<'d>> {
        let said = |holder: NodeRef<'d>| holder.get("security").filter(|security| !security.is_null());
        said(self.node).or_else(|| said(document.root())).map(Security::new)
    }
}
