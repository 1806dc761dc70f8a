//! The language-neutral contract that emitters read: every name chosen, every reference resolved, nothing left to refuse.
//!
//! Lists keep the document's order. Names are final Rust identifiers, already safe from keywords and collisions.

/// A whole document.
#[derive(Clone, Debug)]
pub struct Api {
    /// The prefix of the generated packages, in kebab-case: `frontdesk` makes `frontdesk-model`.
    pub name: String,
    /// The document's root file, as generated headers show it.
    pub source: String,
    /// `info.title`.
    pub title: String,
    /// `info.version`.
    pub version: String,
    /// `info.description`.
    pub description: Option<String>,
    /// Security schemes that operations ask for.
    pub schemes: Vec<Scheme>,
    /// Named types.
    pub types: Vec<TypeDef>,
    /// Responses that carry headers, or that an operation declares as an error.
    pub responses: Vec<Response>,
    /// Operations by their first tag.
    pub groups: Vec<Group>,
}

impl Api {
    /// A named type.
    pub fn type_def(&self, id: TypeId) -> &TypeDef {
        &self.types[id.0]
    }

    /// A response.
    pub fn response(&self, id: ResponseId) -> &Response {
        &self.responses[id.0]
    }

    /// Every operation.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.groups.iter().flat_map(|group| &group.operations)
    }
}

/// Names a [`TypeDef`] of an [`Api`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// Names a [`Response`] of an [`Api`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResponseId(pub usize);

/// A type with a name of its own.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The Rust name, in PascalCase.
    pub name: String,
    /// The module of the model crate that holds it, in snake_case; inline types live with the type that uses them.
    pub home: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// What it is.
    pub shape: Shape,
    /// Where it occurs.
    pub usage: Usage,
}

/// On which side of a call a type occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// A client sends it.
    pub request: bool,
    /// A server sends it.
    pub response: bool,
}

/// What a named type is.
#[derive(Clone, Debug)]
pub enum Shape {
    /// An object with known fields.
    Struct(Struct),
    /// A string out of a list.
    Enum(StringEnum),
    /// One of several types.
    Union(Union),
}

/// An object with known fields.
#[derive(Clone, Debug)]
pub struct Struct {
    /// The fields.
    pub fields: Vec<Field>,
    /// The type of further members, where the document declares one.
    pub extra: Option<Element>,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name on the wire.
    pub wire: String,
    /// The name in Rust.
    pub rust: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// Whether it must be sent.
    pub required: bool,
    /// What it holds.
    pub element: Element,
}

/// A value in a place: its type, and what the place asks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Element {
    /// The type.
    pub ty: Type,
    /// Whether `null` may stand in its place.
    pub nullable: bool,
    /// What the value must fulfil.
    pub constraints: Vec<Constraint>,
}

/// A type in Rust.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Any JSON value.
    Any,
    /// `true` or `false`.
    Bool,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// A number of single precision.
    F32,
    /// A number of double precision.
    F64,
    /// Text.
    String,
    /// Text that must not show in logs.
    Secret,
    /// A UUID.
    Uuid,
    /// An RFC 3339 timestamp.
    Timestamp,
    /// An array.
    List(Box<Element>),
    /// An object used as a map.
    Map(Box<Element>),
    /// A named type.
    Named(TypeId),
    /// A named type on the heap, where it would otherwise contain itself.
    Boxed(TypeId),
}

/// What a value must fulfil.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// `minLength`.
    MinChars(u64),
    /// `maxLength`.
    MaxChars(u64),
    /// `minItems`.
    MinItems(u64),
    /// `maxItems`.
    MaxItems(u64),
    /// `uniqueItems`.
    UniqueItems,
    /// `minimum`, as the document writes it.
    Minimum(String),
    /// `minimum` with `exclusiveMinimum`.
    Above(String),
    /// `maximum`.
    Maximum(String),
    /// `maximum` with `exclusiveMaximum`.
    Below(String),
    /// `multipleOf`.
    MultipleOf(String),
    /// `pattern`.
    Pattern(String),
    /// `format`, for those that have no type of their own.
    Format(Format),
}

/// A string format that is checked and kept as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `uri`.
    Uri,
    /// `email`.
    Email,
    /// `hostname`.
    Hostname,
}

/// A string out of a list.
#[derive(Clone, Debug)]
pub struct StringEnum {
    /// The values.
    pub values: Vec<EnumValue>,
    /// Whether later versions may add values: `x-extensible-enum`.
    pub extensible: bool,
}

/// A value of an enumeration.
#[derive(Clone, Debug)]
pub struct EnumValue {
    /// The value on the wire.
    pub wire: String,
    /// The variant in Rust.
    pub rust: String,
}

/// One of several types, told apart by trying them in order.
#[derive(Clone, Debug)]
pub struct Union {
    /// The branches.
    pub branches: Vec<Branch>,
}

/// A branch of a union.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The variant in Rust.
    pub rust: String,
    /// What it holds.
    pub ty: Type,
}

/// An answer with a type of its own.
#[derive(Clone, Debug)]
pub struct Response {
    /// The Rust name, in PascalCase.
    pub name: String,
    /// The description.
    pub docs: Option<String>,
    /// The tag whose module holds it; `None` for one that is shared through `components.responses`.
    pub group: Option<String>,
    /// The headers it carries.
    pub headers: Vec<Header>,
    /// The JSON body it carries.
    pub body: Option<Type>,
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
    /// The index in [`Api::schemes`].
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
    /// A header.
    Header(String),
    /// A query parameter.
    Query(String),
    /// A cookie.
    Cookie(String),
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name on the wire.
    pub wire: String,
    /// The name in Rust.
    pub rust: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// Where it stands.
    pub location: Location,
    /// Whether it must be sent.
    pub required: bool,
    /// Whether a list repeats the parameter for every entry, rather than joining them with commas.
    pub explode: bool,
    /// What it holds.
    pub element: Element,
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
}

/// A JSON request body.
#[derive(Clone, Debug)]
pub struct Body {
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// Whether it must be sent.
    pub required: bool,
    /// What it holds.
    pub ty: Type,
}

/// A status, and what comes with it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The statuses.
    pub status: Status,
    /// The variant, named by the status.
    pub variant: String,
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
    /// A JSON body alone.
    Body(Type),
    /// A response with a type of its own.
    Response(ResponseId),
}
