//! Operations: how each is called, and what it answers.

use super::{Api, Body, Element, Payload, Type};
use serde_json::Value;

/// Names a [`Response`] of an [`Api`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResponseId(pub usize);

/// An answer with a type of its own.
#[derive(Clone, Debug)]
pub struct Response {
    /// The Rust name, in PascalCase.
    pub name: String,
    /// The description.
    pub docs: Option<String>,
    /// The tag whose module holds it; `None` for one that is shared through `components.responses`.
    pub group: Option<String>,
    /// The groups whose operations answer with it, by index, ascending.
    pub groups: Vec<usize>,
    /// The headers it carries.
    pub headers: Vec<Header>,
    /// The body it carries.
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
    /// Whether every such response carries it.
    pub required: bool,
    /// What it holds.
    pub ty: Type,
    /// Whether the members of an object stand as `name=value`.
    pub explode: bool,
    /// Whether it is JSON: `content` with a JSON media type in place of a schema.
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
    /// Whether each of its operations has a file of its own, in a folder of the group's.
    pub fn is_large(&self) -> bool {
        self.operations.len() > 8
    }

    /// The cargo feature that switches it on, where a document is large enough to have them.
    pub fn feature(&self) -> String {
        let name = self.module.trim_start_matches("r#").trim_end_matches('_').replace('_', "-");
        // Features of these names have a meaning of their own in the generated crates.
        if matches!(name.as_str(), "all" | "default" | "server") {
            format!("{name}-operations")
        } else {
            name
        }
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// `operationId`, or what was derived from method and path in its place.
    pub id: String,
    /// The handler's name, in snake_case.
    pub function: String,
    /// The request's name, in PascalCase; other names of the operation begin with it.
    pub name: String,
    /// The constant's name, in SCREAMING_SNAKE_CASE.
    pub constant: String,
    /// The client's method, without the tag's own word where that leaves it unique.
    pub short: String,
    /// The HTTP method, in upper case.
    pub method: String,
    /// The path template.
    pub path: String,
    /// `summary`.
    pub summary: Option<String>,
    /// `description`.
    pub description: Option<String>,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// `x-stability-level`.
    pub stability: Stability,
    /// The name and URL of further documentation (`externalDocs`).
    pub link: Option<(String, String)>,
    /// `x-sunset`: the date on which it goes.
    pub sunset: Option<String>,
    /// Whether the service acts once however often a request arrives: `x-idempotent`.
    pub idempotent: bool,
    /// How its pages follow each other: `x-pagination`, or a `Link` header in its answer.
    pub pagination: Option<Pagination>,
    /// Where it is found, if not where the rest of the document is.
    pub servers: Vec<Server>,
    /// What a caller must present; any one alternative is enough, an empty list asks for nothing.
    pub security: Vec<Vec<SchemeUse>>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The body.
    pub body: Option<Body>,
    /// Answers with a 2xx status.
    pub successes: Vec<Answer>,
    /// All other answers.
    pub errors: Vec<Answer>,
}

impl Operation {
    /// Whether a handler gets a caller, may get one, or never does.
    pub fn caller(&self) -> Caller {
        if self.security.is_empty() || self.security.iter().all(Vec::is_empty) {
            Caller::Nobody
        } else if self.security.iter().any(Vec::is_empty) {
            Caller::Anybody
        } else {
            Caller::Known
        }
    }

    /// Every answer, successes first.
    pub fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.successes.iter().chain(&self.errors)
    }

    /// What a request is made of: parameters, then the body.
    pub fn sent(&self) -> impl Iterator<Item = &Type> {
        let parameters = self.parameters.iter().map(|parameter| &parameter.element.ty);
        let body = self.body.iter().flat_map(|body| body.payload.elements());
        parameters.chain(body.map(|element| &element.ty))
    }

    /// What its answers are made of: bodies and headers.
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

/// Who calls an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// Nothing is asked for.
    Nobody,
    /// Credentials are welcome and not needed.
    Anybody,
    /// Credentials are needed.
    Known,
}

/// How firmly an operation is promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// May vanish at any time.
    Draft,
    /// May change in any version.
    Alpha,
    /// May change with a minor version.
    Beta,
    /// Changes only as the versioning policy allows.
    Stable,
}

/// A scheme as a requirement names it.
#[derive(Clone, Debug)]
pub struct SchemeUse {
    /// The index in [`Api::schemes`](super::Api::schemes).
    pub scheme: usize,
    /// The scopes it asks for.
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
    /// Where the credential stands.
    pub credential: Credential,
}

/// Where a credential stands in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `Authorization: Basic …`.
    Basic,
    /// `Authorization` with another scheme, by its name in lower case: what follows it is the credential.
    Http(String),
    /// A header.
    Header(String),
    /// A query parameter.
    Query(String),
    /// A cookie.
    Cookie(String),
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
    /// Where it stands.
    pub location: Location,
    /// Whether it must be sent.
    pub required: bool,
    /// How a list or an object is written.
    pub style: Style,
    /// Whether every entry of a list or object stands for itself.
    pub explode: bool,
    /// Whether reserved characters of a query parameter stay as they are.
    pub allow_reserved: bool,
    /// What absence means: a value that fits the element. A server fills it in.
    pub default: Option<Value>,
    /// What it holds: a scalar, a list, a map or a named type.
    pub element: Element,
}

/// How a list or an object is written as text (OpenAPI 3.0, Parameter Object, `style`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Joined with commas.
    Simple,
    /// With a dot before each.
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
    /// JSON: `content` with a JSON media type in place of a schema.
    Json,
}

/// Where a parameter stands.
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

/// A status, and what comes with it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The statuses.
    pub status: Status,
    /// The variant, named by the status.
    pub variant: String,
    /// Whether the document lists it; else it is what success means where the document lists none.
    pub declared: bool,
    /// The description.
    pub docs: Option<String>,
    /// What comes with it.
    pub content: Content,
}

/// A status as the document writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// One status.
    Code(u16),
    /// A class such as `4XX`, by its first digit.
    Class(u16),
    /// `default`.
    Default,
}

/// What comes with a status.
#[derive(Clone, Debug)]
pub enum Content {
    /// Nothing.
    Nothing,
    /// A body alone.
    Body(Payload),
    /// A response with a type of its own.
    Response(ResponseId),
}

impl Content {
    /// The body, be it alone or that of one of these responses.
    pub fn payload<'a>(&'a self, responses: &'a [Response]) -> Option<&'a Payload> {
        match self {
            Self::Nothing => None,
            Self::Body(payload) => Some(payload),
            Self::Response(id) => responses[id.0].body.as_ref(),
        }
    }
}

/// Where a service is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The URL, with `{name}` for a variable; it may be relative to where the document is found.
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
    /// The value that it has unless said otherwise.
    pub default: String,
    /// The values that it may have; empty for any.
    pub values: Vec<String>,
}

/// How the pages of an operation follow each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pagination {
    /// What leads to the next page.
    pub pages: Pages,
    /// The fields of the success that lead to the list of items, as in `/data`; empty where the body is the list.
    pub items: Vec<String>,
}

/// What leads to the next page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pages {
    /// A value of the answer goes into a query parameter of the next request. Its absence or `null` ends the list.
    Cursor {
        /// The parameter, by its name on the wire.
        parameter: String,
        /// The members that lead to the value, as in `pagination/next_cursor`.
        next: Vec<String>,
    },
    /// A query parameter counts pages, from this number; an empty page ends the list.
    Number {
        /// The parameter, by its name on the wire.
        parameter: String,
        /// The first page.
        first: i64,
    },
    /// A query parameter counts items that went before; an empty page ends the list.
    Offset {
        /// The parameter, by its name on the wire.
        parameter: String,
    },
    /// The `Link` header with `rel="next"` (RFC 8288) has the address of the next page.
    Link,
}

/// An event that the service sends to an address of the user's.
#[derive(Clone, Debug)]
pub struct Webhook {
    /// Its name in the document: the key under `x-webhooks`, or that of the callback.
    pub wire: String,
    /// The variant in Rust.
    pub rust: String,
    /// The operation whose callback it is, by its id.
    pub operation: Option<String>,
    /// `summary` or `description`.
    pub docs: Option<String>,
    /// The HTTP method, in upper case.
    pub method: String,
    /// What the event holds; nothing for one without a body.
    pub payload: Option<Payload>,
    /// The header by which the document lets receivers prove the sender, where it is not that of Standard Webhooks.
    pub signature: Option<String>,
}
