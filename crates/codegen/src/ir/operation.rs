//! Operations: requests, responses, security and pagination.

use super::{Api, Body, Element, Payload, Type};
use serde_json::Value;
use std::collections::BTreeSet;

/// The index of a [`Response`] of an [`Api`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResponseId(pub usize);

/// A response with a type of its own.
#[derive(Clone, Debug)]
pub struct Response {
    /// The Rust name, in PascalCase.
    pub name: String,
    /// The description.
    pub docs: Option<String>,
    /// The tag whose module contains it; `None` for a response that is shared through `components.responses`.
    pub group: Option<String>,
    /// The indices of the groups whose operations use it, ascending.
    pub groups: Vec<usize>,
    /// The headers.
    pub headers: Vec<Header>,
    /// The body.
    pub body: Option<Payload>,
}

/// A header of a response.
#[derive(Clone, Debug)]
pub struct Header {
    /// The name on the wire.
    pub wire: String,
    /// The name in Rust.
    pub rust: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// Whether the header is required.
    pub required: bool,
    /// The type of the value.
    pub ty: Type,
    /// Whether the members of an object are written as `name=value`.
    pub explode: bool,
    /// Whether the value is JSON: `content` with a JSON media type instead of a schema.
    pub json: bool,
}

/// Operations that share their first tag.
#[derive(Clone, Debug)]
pub struct Group {
    /// The tag.
    pub tag: String,
    /// The module, in snake_case.
    pub module: String,
    /// The trait of the server and the handle of the client, in PascalCase.
    pub name: String,
    /// The tag's description.
    pub docs: Option<String>,
    /// The operations.
    pub operations: Vec<Operation>,
}

impl Group {
    /// Whether each operation has its own file, in a folder of the group.
    pub fn is_large(&self) -> bool {
        self.operations.len() > 8
    }

    /// Returns the name of the function of the server crate that adds the group's operations to routes.
    pub fn mount(&self) -> String {
        format!("mount_{}", self.module.trim_end_matches('_'))
    }

    /// Returns the name of the group's cargo feature, which exists in large documents.
    pub fn feature(&self) -> String {
        let name = self.module.trim_start_matches("r#").trim_end_matches('_').replace('_', "-");
        // The generated crates use these feature names themselves.
        if matches!(name.as_str(), "all" | "default" | "rustls" | "server") {
            format!("{name}-operations")
        } else {
            name
        }
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// `operationId`, or an identifier derived from method and path.
    pub id: String,
    /// The name in snake_case, which no other operation has.
    pub function: String,
    /// The name of the handler and of the modules, without the tag's words at its start if the rest is free
    /// in its group.
    pub handler: String,
    /// The request's name, in PascalCase; it is the prefix of the operation's other names.
    pub name: String,
    /// The constant's name, in SCREAMING_SNAKE_CASE.
    pub constant: String,
    /// The client's method, without the tag's word if the rest is unique.
    pub short: String,
    /// The HTTP method, in upper case.
    pub method: String,
    /// The path template.
    pub path: String,
    /// `summary`.
    pub summary: Option<String>,
    /// `description`.
    pub description: Option<String>,
    /// The operations that its responses lead to (`links`).
    pub links: Vec<Link>,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// `x-stability-level`.
    pub stability: Stability,
    /// The name and URL of further documentation (`externalDocs`).
    pub link: Option<(String, String)>,
    /// `x-sunset`: the date from which it may be removed.
    pub sunset: Option<String>,
    /// Whether a repetition has no further effect although the method is not idempotent: `x-idempotent`.
    pub idempotent: bool,
    /// How the next page is found: `x-pagination`, `x-ms-pageable`, or a `Link` header in the response.
    pub pagination: Option<Pagination>,
    /// The servers of the operation, if they differ from those of the document.
    pub servers: Vec<Server>,
    /// The required credentials; any one alternative is enough, an empty list requires nothing.
    pub security: Vec<Vec<SchemeUse>>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The body.
    pub body: Option<Body>,
    /// The document's first example of the body, as JSON that the type reads.
    pub request_example: Option<Value>,
    /// The first success of which the document has an example that the type reads.
    pub response_example: Option<ResponseExample>,
    /// The responses with a 2xx status.
    pub successes: Vec<Answer>,
    /// All other responses.
    pub errors: Vec<Answer>,
    /// The index of the set of these errors in [`Api::error_sets`](super::Api::error_sets).
    pub error_set: usize,
    /// The client's second method, if the success is one body or a stream of events, as the caller asks.
    pub streaming: Option<Streaming>,
    /// The extension keys that the document's root lists in `x-operation-constants`, with their values as
    /// JSON text.
    pub extensions: Vec<(String, String)>,
}

impl Operation {
    /// Returns whether handlers receive a caller.
    pub fn caller(&self) -> Caller {
        if self.security.is_empty() || self.security.iter().all(Vec::is_empty) {
            Caller::Nobody
        } else if self.security.iter().any(Vec::is_empty) {
            Caller::Anybody
        } else {
            Caller::Known
        }
    }

    /// Returns all responses, successes first.
    pub fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.successes.iter().chain(&self.errors)
    }

    /// Returns the types of a request: parameters, then the body.
    pub fn sent(&self) -> impl Iterator<Item = &Type> {
        let parameters = self.parameters.iter().map(|parameter| &parameter.element.ty);
        let body = self.body.iter().flat_map(|body| body.payload.elements());
        parameters.chain(body.map(|element| &element.ty))
    }

    /// Returns the types of its responses: bodies and headers.
    pub fn answered<'a>(&'a self, api: &'a Api) -> impl Iterator<Item = &'a Type> {
        self.answers().flat_map(|answer| {
            let headers = match answer.content {
                Content::Response(id) => &api.response(id).headers[..],
                Content::Nothing | Content::Body(_) => &[],
            };
            let body = answer.content.payload(&api.responses).into_iter().flat_map(Payload::elements);
            body.map(|element| &element.ty).chain(headers.iter().map(|header| &header.ty))
        })
    }
}

/// A response as the document shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseExample {
    /// The status.
    pub status: u16,
    /// The body as JSON; nothing if the response has none.
    pub body: Option<Value>,
}

/// An operation that a response leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The status of the response, as the document writes it.
    pub status: String,
    /// The id of the operation, or the reference to it if that leads out of the document.
    pub target: String,
    /// The description.
    pub docs: Option<String>,
}

/// The client's method that asks for a stream of events, beside the one that asks for one body.
#[derive(Clone, Debug)]
pub struct Streaming {
    /// The method's name.
    pub short: String,
    /// The name of its endpoint, in PascalCase.
    pub name: String,
}

/// Whether an operation has a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// No credentials are required.
    Nobody,
    /// Credentials are optional.
    Anybody,
    /// Credentials are required.
    Known,
}

/// The stability of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// May be removed at any time.
    Draft,
    /// May change in any version.
    Alpha,
    /// May change with a minor version.
    Beta,
    /// Changes only as the versioning policy allows.
    Stable,
}

/// A scheme in a security requirement.
#[derive(Clone, Debug)]
pub struct SchemeUse {
    /// The index in [`Api::schemes`](super::Api::schemes).
    pub scheme: usize,
    /// The required scopes.
    pub scopes: Vec<String>,
}

/// A security scheme.
#[derive(Clone, Debug)]
pub struct Scheme {
    /// The key under `components.securitySchemes`.
    pub wire: String,
    /// The authenticator's method, in snake_case.
    pub rust: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// The location of the credential.
    pub credential: Credential,
    /// Whether the credential must not be in a page: `x-server-only`.
    pub server_only: bool,
}

/// The location of a credential in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `Authorization: Basic …`.
    Basic,
    /// `Authorization` with another scheme, by its name in lower case; the credential follows the name.
    Http(String),
    /// A header.
    Header(String),
    /// A query parameter.
    Query(String),
    /// A cookie.
    Cookie(String),
    /// The connection, and nothing of the request.
    Connection,
}

/// A parameter.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the document on its own")]
pub struct Parameter {
    /// The name on the wire.
    pub wire: String,
    /// The name in Rust.
    pub rust: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// The location.
    pub location: Location,
    /// Whether the parameter is required.
    pub required: bool,
    /// How a list or an object is encoded.
    pub style: Style,
    /// Whether each entry of a list or object is encoded separately.
    pub explode: bool,
    /// Whether reserved characters of a query parameter remain unencoded.
    pub allow_reserved: bool,
    /// Whether a query parameter may be sent without a value, which is absent unless the type has the empty
    /// text.
    pub allow_empty: bool,
    /// The default: a value that fits the element, which a server fills in if the parameter is absent.
    pub default: Option<Value>,
    /// The type of the value: a scalar, a list, a map or a named type.
    pub element: Element,
}

/// How a list or an object is encoded as text (OpenAPI 3.0, Parameter Object, `style`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Joined with commas.
    Simple,
    /// Prefixed with a dot each.
    Label,
    /// `;name=value`.
    Matrix,
    /// `name=value`.
    Form,
    /// Joined with spaces.
    SpaceDelimited,
    /// Joined with `|`.
    PipeDelimited,
    /// `name[member]=value`.
    DeepObject,
    /// JSON: `content` with a JSON media type instead of a schema.
    Json,
    /// JSON for objects and lists of them, and else as `Form`: a member of a form whose type the document
    /// does not give.
    JsonIfNested,
}

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Location {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
}

/// A declared response of an operation.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The statuses.
    pub status: Status,
    /// The variant, named by the status.
    pub variant: String,
    /// Whether the document declares it; otherwise it is the implied success of an operation without one.
    pub declared: bool,
    /// The description.
    pub docs: Option<String>,
    /// The content of the response.
    pub content: Content,
}

/// Errors that one operation declares, or several with the same statuses and contents.
#[derive(Clone, Debug)]
pub struct ErrorSet {
    /// The name of the enumeration, in PascalCase: that of the operation's error if only one has the set.
    pub name: String,
    /// The errors: single statuses, then classes, then `default`. An error has the description that all
    /// operations give it, and none if they differ.
    pub errors: Vec<Answer>,
    /// The operations, as indices of groups and of their operations, in the document's order.
    pub operations: Vec<(usize, usize)>,
}

impl ErrorSet {
    /// Whether several operations have it.
    pub fn is_shared(&self) -> bool {
        self.operations.len() > 1
    }

    /// The indices of the groups whose operations have it, each once and ascending.
    pub fn groups(&self) -> BTreeSet<usize> {
        self.operations.iter().map(|(group, _)| *group).collect()
    }
}

/// A status in the document's notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// One status.
    Code(u16),
    /// A class such as `4XX`, by its first digit.
    Class(u16),
    /// `default`.
    Default,
}

/// The content of a response.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// No content.
    Nothing,
    /// Only a body.
    Body(Payload),
    /// A response with a type of its own.
    Response(ResponseId),
}

impl Content {
    /// Returns the body of this content.
    pub fn payload<'a>(&'a self, responses: &'a [Response]) -> Option<&'a Payload> {
        match self {
            Self::Nothing => None,
            Self::Body(payload) => Some(payload),
            Self::Response(id) => responses[id.0].body.as_ref(),
        }
    }
}

/// The location of a service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The URL, with `{name}` for a variable; it may be relative to the location of the document.
    pub url: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// The variables, in the document's order.
    pub variables: Vec<ServerVariable>,
}

/// A variable in the URL of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerVariable {
    /// The name in the URL.
    pub wire: String,
    /// The name in Rust.
    pub rust: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// The default value.
    pub default: String,
    /// The allowed values; empty for any.
    pub values: Vec<String>,
}

/// The pagination of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pagination {
    /// How the next page is found.
    pub pages: Pages,
    /// The path of the list in the body of the success, as in `/data`; empty if the body is the list.
    pub items: Vec<String>,
}

/// How the next page is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pages {
    /// A value of the response becomes a query parameter of the next request. If it is absent or `null`, the
    /// list ends.
    Cursor {
        /// The parameter, by its name on the wire.
        parameter: String,
        /// The path of the value, as in `pagination/next_cursor`.
        next: Vec<String>,
    },
    /// A query parameter counts pages, from this number; an empty page ends the list.
    Number {
        /// The parameter, by its name on the wire.
        parameter: String,
        /// The first page.
        first: i64,
    },
    /// A query parameter counts skipped items; an empty page ends the list.
    Offset {
        /// The parameter, by its name on the wire.
        parameter: String,
    },
    /// The `Link` header with `rel="next"` (RFC 8288) contains the URL of the next page.
    Link,
    /// A value of the response is the URL of the next page. If it is absent, `null` or empty, the list ends.
    Address {
        /// The path of the value, as in `nextLink`.
        next: Vec<String>,
    },
    /// The list has one page.
    Single,
}

/// An event that the service sends to a URL of the user.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// The name in the document: the key under `x-webhooks`, or that of the callback.
    pub wire: String,
    /// The variant in Rust.
    pub rust: String,
    /// The id of the operation whose callback it is.
    pub operation: Option<String>,
    /// `summary` or `description`.
    pub docs: Option<String>,
    /// The HTTP method, in upper case.
    pub method: String,
    /// The content of the event; nothing for one without a body.
    pub payload: Option<Payload>,
    /// The header by which receivers authenticate the event, if it is not that of Standard Webhooks.
    pub signature: Option<String>,
}
