//! Where OpenAPI allows a Reference Object: which object belongs in which field of which other one.
//!
//! Everything that the tables do not name (examples, defaults, enum values, extensions) is data, and a `$ref`
//! in it is just a key.

use crate::version::Version;

/// The fields of a Path Item Object that are operations, in the order in which OpenAPI 3.0 lists them.
pub const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// The kind of an object, which follows from its position.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Role {
    OpenApi,
    Components,
    Paths,
    PathItem,
    Operation,
    Parameter,
    RequestBody,
    MediaType,
    Encoding,
    Responses,
    Response,
    Header,
    Schema,
    Discriminator,
    Example,
    Link,
    Callback,
    SecurityScheme,
    /// An object that neither is nor holds a reference, such as `info` or a server.
    Plain,
}

/// How a field holds objects of a role.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Shape {
    One(Role),
    List(Role),
    Map(Role),
}

use Role::{
    Callback, Components, Discriminator, Encoding, Example, Header, Link, MediaType, Operation, Parameter,
    PathItem, Paths, Plain, RequestBody, Response, Responses, Schema, SecurityScheme,
};
use Shape::{List, Map, One};

/// The keywords of JSON Schema 2020-12 that hold schemas, beside those of OpenAPI 3.0.
const SCHEMA_FIELDS_31: &[(&str, Shape)] = &[
    ("$defs", Map(Schema)),
    ("prefixItems", List(Schema)),
    ("unevaluatedItems", One(Schema)),
    ("contains", One(Schema)),
    ("patternProperties", Map(Schema)),
    ("propertyNames", One(Schema)),
    ("unevaluatedProperties", One(Schema)),
    ("dependentSchemas", Map(Schema)),
    ("if", One(Schema)),
    ("then", One(Schema)),
    ("else", One(Schema)),
    ("contentSchema", One(Schema)),
];

impl Role {
    /// Returns the fields that OpenAPI 3.1 adds to those of 3.0.
    fn later_fields(self) -> &'static [(&'static str, Shape)] {
        match self {
            Self::OpenApi => &[("webhooks", Map(PathItem))],
            Components => &[("pathItems", Map(PathItem))],
            Schema => SCHEMA_FIELDS_31,
            _ => &[],
        }
    }

    /// Returns the fields of OpenAPI 3.0 that hold other objects.
    fn fields(self) -> &'static [(&'static str, Shape)] {
        match self {
            Self::OpenApi => &[
                ("info", One(Plain)),
                ("servers", List(Plain)),
                ("paths", One(Paths)),
                ("x-webhooks", Map(PathItem)),
                ("components", One(Components)),
                ("security", List(Plain)),
                ("tags", List(Plain)),
                ("externalDocs", One(Plain)),
            ],
            Components => &[
                ("schemas", Map(Schema)),
                ("responses", Map(Response)),
                ("parameters", Map(Parameter)),
                ("examples", Map(Example)),
                ("requestBodies", Map(RequestBody)),
                ("headers", Map(Header)),
                ("securitySchemes", Map(SecurityScheme)),
                ("links", Map(Link)),
                ("callbacks", Map(Callback)),
            ],
            PathItem => &[
                ("get", One(Operation)),
                ("put", One(Operation)),
                ("post", One(Operation)),
                ("delete", One(Operation)),
                ("options", One(Operation)),
                ("head", One(Operation)),
                ("patch", One(Operation)),
                ("trace", One(Operation)),
                ("servers", List(Plain)),
                ("parameters", List(Parameter)),
            ],
            Operation => &[
                ("externalDocs", One(Plain)),
                ("parameters", List(Parameter)),
                ("requestBody", One(RequestBody)),
                ("responses", One(Responses)),
                ("callbacks", Map(Callback)),
                ("security", List(Plain)),
                ("servers", List(Plain)),
            ],
            Parameter | Header => {
                &[("schema", One(Schema)), ("examples", Map(Example)), ("content", Map(MediaType))]
            }
            RequestBody => &[("content", Map(MediaType))],
            MediaType => &[("schema", One(Schema)), ("examples", Map(Example)), ("encoding", Map(Encoding))],
            Encoding => &[("headers", Map(Header))],
            Response => &[("headers", Map(Header)), ("content", Map(MediaType)), ("links", Map(Link))],
            Schema => &[
                ("allOf", List(Schema)),
                ("oneOf", List(Schema)),
                ("anyOf", List(Schema)),
                ("not", One(Schema)),
                ("items", One(Schema)),
                ("properties", Map(Schema)),
                ("additionalProperties", One(Schema)),
                ("discriminator", One(Discriminator)),
                ("externalDocs", One(Plain)),
                ("xml", One(Plain)),
            ],
            Link => &[("server", One(Plain))],
            Paths | Responses | Callback | Discriminator | Example | SecurityScheme | Plain => &[],
        }
    }

    /// Returns the role of every member, for objects whose keys are names: paths, statuses, callback
    /// expressions. Their `x-` keys are extensions all the same.
    pub(crate) fn members(self) -> Option<Role> {
        match self {
            Paths | Callback => Some(PathItem),
            Responses => Some(Response),
            _ => None,
        }
    }

    /// Returns the role behind a field, if the field holds objects.
    pub(crate) fn field(self, key: &str, version: Version) -> Option<Shape> {
        if let Some(member) = self.members() {
            return (!key.starts_with("x-")).then_some(One(member));
        }
        let later = if version == Version::V3_1 { self.later_fields() } else { &[] };
        self.fields().iter().chain(later).find(|(name, _)| *name == key).map(|(_, shape)| *shape)
    }

    /// Returns whether a reference is allowed in its place.
    pub(crate) fn referable(self) -> bool {
        self == PathItem || self.section().is_some()
    }

    /// Returns the section of `components` for objects of this role.
    pub(crate) fn section(self) -> Option<&'static str> {
        Some(match self {
            Schema => "schemas",
            Response => "responses",
            Parameter => "parameters",
            Example => "examples",
            RequestBody => "requestBodies",
            Header => "headers",
            SecurityScheme => "securitySchemes",
            Link => "links",
            Callback => "callbacks",
            _ => return None,
        })
    }

    /// Returns the role kept in a section of `components`.
    pub(crate) fn of_section(section: &str, version: Version) -> Option<Role> {
        match Components.field(section, version)? {
            Map(role) => Some(role),
            One(_) | List(_) => None,
        }
    }

    /// Returns the name of the object with its article, as the specification calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OpenApi => "an OpenAPI document",
            Components => "a components object",
            Paths => "a paths object",
            PathItem => "a path item",
            Operation => "an operation",
            Parameter => "a parameter",
            RequestBody => "a request body",
            MediaType => "a media type",
            Encoding => "an encoding",
            Responses => "a responses object",
            Response => "a response",
            Header => "a header",
            Schema => "a schema",
            Discriminator => "a discriminator",
            Example => "an example",
            Link => "a link",
            Callback => "a callback",
            SecurityScheme => "a security scheme",
            Plain => "an object of this kind",
        }
    }

    /// Returns the name of several such objects.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Schema => "schemas",
            Response => "responses",
            Parameter => "parameters",
            Example => "examples",
            RequestBody => "request bodies",
            Header => "headers",
            SecurityScheme => "security schemes",
            Link => "links",
            Callback => "callbacks",
            PathItem => "path items",
            MediaType => "media types",
            Encoding => "encodings",
            Operation => "operations",
            _ => "objects",
        }
    }
}
