//! [`Operation`]: the facts of one operation of a document, as a constant that the generated crates share.

use http::Method;

/// One operation of a document.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The document's `operationId`.
    pub id: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path template, with `{name}` for each parameter.
    pub path: &'static str,
    /// The first tag, which names the trait or the client group that the operation belongs to.
    pub tag: &'static str,
    /// The required credentials. Any one requirement is enough; an empty list requires nothing.
    pub security: &'static [Requirement],
    /// The stability of the operation.
    pub stability: Stability,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// Every status that the document declares, in its order; `default` and ranges such as `4XX` are not
    /// listed.
    pub statuses: &'static [u16],
    /// The extension keys of the operation that the document's root lists in `x-operation-constants`.
    pub extensions: &'static [Extension],
    /// The document's example of a successful response, in programs that have the feature `test-util`.
    pub example: Option<Example>,
}

/// A response as the document shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The status.
    pub status: u16,
    /// The body as JSON text; empty if the response has none.
    pub json: &'static str,
}

/// The list of all operations of a document of which every group is a feature.
#[doc(hidden)]
#[macro_export]
macro_rules! operations {
    (
        $(#[$docs:meta])*
        pub static $list:ident in $parent:ident;
        $($feature:literal $group:ident: $($constant:ident),*;)*
    ) => {
        $(#[$docs])*
        pub static $list: &[&$crate::Operation] = &[
            $($(
                #[cfg(feature = $feature)]
                &$parent::$group::$constant,
            )*)*
        ];
    };
}

/// The example of an operation, which only tests need: without the feature `test-util` it is not part of a
/// program.
#[cfg(feature = "test-util")]
#[doc(hidden)]
#[macro_export]
macro_rules! example {
    ($status:literal, $json:literal) => {
        Some($crate::Example { status: $status, json: $json })
    };
}

/// The example of an operation, which only tests need.
#[cfg(not(feature = "test-util"))]
#[doc(hidden)]
#[macro_export]
macro_rules! example {
    ($status:literal, $json:literal) => {
        None
    };
}

/// The example of a type, which only tests need: JSON text, or the response of an operation.
#[cfg(feature = "test-util")]
#[doc(hidden)]
#[macro_export]
macro_rules! example_of {
    ($type:ty, $json:literal) => {
        $crate::example_of!(@method $type, Some($json));
    };
    ($type:ty, $operation:ident) => {
        $crate::example_of!(@method $type, $operation.example.map(|example| example.json));
    };
    (@method $type:ty, $json:expr) => {
        impl $type {
            /// Returns the document's example, to begin with in tests.
            ///
            /// # Panics
            ///
            /// The document's example is not of this type, which the generator rules out.
            pub fn example() -> Self {
                $crate::macros::read_example($json)
            }
        }
    };
}

/// The example of a type, which only tests need.
#[cfg(not(feature = "test-util"))]
#[doc(hidden)]
#[macro_export]
macro_rules! example_of {
    ($type:ty, $example:tt) => {};
}

/// Reads the example of a type.
#[cfg(feature = "test-util")]
pub fn read_example<T: serde::de::DeserializeOwned>(json: Option<&str>) -> T {
    let json = json.expect("an operation whose response is an example has one");
    serde_json::from_str(json).expect("the generator tests examples before it writes them")
}

/// The requirements of an operation: `or` separates alternatives, and `and` schemes that a caller must
/// satisfy together.
#[doc(hidden)]
#[macro_export]
macro_rules! security {
    ($($first:ident $(and $further:ident)*) or +) => {
        &[$($crate::Requirement { schemes: &[$first $(, $further)*] }),+]
    };
}

/// The extension keys of an operation, with their values as JSON text.
#[doc(hidden)]
#[macro_export]
macro_rules! extensions {
    ($($name:literal, $json:literal);+) => {
        &[$($crate::Extension { name: $name, json: $json }),+]
    };
}

/// An extension key of an operation, such as `x-policy`, and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension {
    /// The key.
    pub name: &'static str,
    /// The value as JSON text, without line breaks.
    pub json: &'static str,
}

impl Operation {
    /// Whether sending the same request twice has the same effect as sending it once (RFC 9110, section
    /// 9.2.2).
    pub fn is_idempotent(&self) -> bool {
        self.method.is_idempotent()
    }

    /// Returns the value of an extension key as JSON text, or `None` if the operation does not have the key
    /// or the document's root does not list it in `x-operation-constants`.
    pub fn extension(&self, name: &str) -> Option<&'static str> {
        self.extensions.iter().find(|extension| extension.name == name).map(|extension| extension.json)
    }

    /// Whether a caller may be anonymous: there are no requirements, or one of the alternatives is empty.
    pub fn allows_anonymous(&self) -> bool {
        self.security.is_empty() || self.security.iter().any(|requirement| requirement.schemes.is_empty())
    }
}

/// Schemes that a caller must satisfy together.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// All of these schemes; an empty list accepts everybody.
    pub schemes: &'static [Scheme],
}

/// A security scheme as one requirement names it.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// The key of the scheme under `components.securitySchemes`.
    pub name: &'static str,
    /// The location of the credential in a request.
    pub credential: Credential,
    /// The scopes that the requirement lists, for OAuth 2.0 and OpenID Connect.
    pub scopes: &'static [&'static str],
}

/// The location of a credential in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer …` (RFC 6750), also used for OAuth 2.0 and OpenID Connect.
    Bearer,
    /// `Authorization: Basic …` (RFC 7617).
    Basic,
    /// `Authorization` with another scheme of this name, such as `Digest`: the text after the name,
    /// unchanged.
    Http(&'static str),
    /// A header of this name.
    Header(&'static str),
    /// A query parameter of this name.
    Query(&'static str),
    /// A cookie of this name.
    Cookie(&'static str),
    /// The connection, as with mutual TLS, and nothing of the request.
    Connection,
}

/// The stability of an operation: `x-stability-level`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stability {
    /// May be removed at any time.
    Draft,
    /// May change in any version.
    Alpha,
    /// May change with a minor version.
    Beta,
    /// Changes only as the document's versioning policy allows. The default.
    #[default]
    Stable,
}
