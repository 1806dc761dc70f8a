//! Types: what the model crate is made of.

use frontdesk_document::NodeId;
use serde_json::Value;

/// Names a [`TypeDef`] of an [`Api`](super::Api).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub usize);

/// A type with a name of its own.
#[derive(Clone, Debug)]
pub struct TypeDef {
    /// The Rust name, in PascalCase.
    pub name: String,
    /// The name that the document gives it or its place, whatever the language keeps for itself. Other types
    /// may have the same.
    pub label: String,
    /// The module of the model crate that holds it, in snake_case; inline types live with the type that uses
    /// them.
    pub root_module: String,
    /// The type in the same root module that it belongs to; `None` for the type that the root module is named
    /// after.
    pub holder: Option<TypeId>,
    /// Its module within that of its holder, where there is so much to say that it has one of its own.
    pub module: String,
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// The name and URL of further documentation (`externalDocs`).
    pub link: Option<(String, String)>,
    /// Whether the document marks it as deprecated.
    pub deprecated: bool,
    /// The name that the document gives it, under `components`; one without is named by its place.
    pub component: Option<String>,
    /// The type that it equals in all that Rust sees, and of which it is an alias.
    pub duplicate_of: Option<TypeId>,
    /// Whether it stands under `components`, so that its name is not that of an operation which uses it.
    pub shared: bool,
    /// The schema that it was made of, where that is a single one: for tests that hold types to their
    /// schemas.
    pub origin: Option<NodeId>,
    /// What it is.
    pub shape: Shape,
    /// The name of the struct of its required members, for an object with more of them than a reader of a
    /// call can tell by their order.
    pub required: Option<String>,
    /// Where it occurs.
    pub usage: Usage,
    /// The groups whose operations reach it, by index, ascending; none for one that no operation reaches.
    pub groups: Vec<usize>,
}

impl TypeDef {
    /// A type that stands for no schema of its own, and of which the document says nothing more.
    pub fn made(name: String, root_module: String, shape: Shape) -> Self {
        Self {
            label: name.clone(),
            name,
            root_module,
            holder: None,
            module: String::new(),
            docs: None,
            link: None,
            deprecated: false,
            component: None,
            duplicate_of: None,
            shared: false,
            origin: None,
            shape,
            required: None,
            usage: Usage::default(),
            groups: Vec::new(),
        }
    }
}

/// On which side of a call a type occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Usage {
    /// A client sends it.
    pub request: bool,
    /// A server sends it.
    pub response: bool,
    /// A server sends it in a response that is not a success.
    pub error: bool,
}

/// What a named type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An object with known fields.
    Struct(Struct),
    /// A string out of a list.
    Enum(StringEnum),
    /// One of several types.
    Union(Union),
    /// A list or a map with a name, around which a type would otherwise contain itself endlessly.
    Newtype(Element),
    /// A UUID with a name, which identifies one kind of thing.
    Id,
}

impl Shape {
    /// The types that a value of it holds directly: members first, in their order.
    pub fn parts(&self) -> Box<dyn Iterator<Item = &Type> + '_> {
        match self {
            Self::Struct(Struct { fields, extra, .. }) => {
                Box::new(fields.iter().map(|field| &field.element).chain(extra).map(|element| &element.ty))
            }
            Self::Union(union) => Box::new(union.branches.iter().map(|branch| &branch.element.ty)),
            Self::Newtype(element) => Box::new(std::iter::once(&element.ty)),
            Self::Enum(_) | Self::Id => Box::new(std::iter::empty()),
        }
    }

    /// Like [`parts`](Self::parts), to change them.
    pub fn parts_mut(&mut self) -> Box<dyn Iterator<Item = &mut Type> + '_> {
        match self {
            Self::Struct(Struct { fields, extra, .. }) => Box::new(
                fields.iter_mut().map(|field| &mut field.element).chain(extra).map(|element| &mut element.ty),
            ),
            Self::Union(union) => Box::new(union.branches.iter_mut().map(|branch| &mut branch.element.ty)),
            Self::Newtype(element) => Box::new(std::iter::once(&mut element.ty)),
            Self::Enum(_) | Self::Id => Box::new(std::iter::empty()),
        }
    }
}

/// An object with known fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Struct {
    /// The fields.
    pub fields: Vec<Field>,
    /// The type of further members, where the document declares one or says `additionalProperties: true`.
    pub extra: Option<Element>,
    /// Whether further members are refused by a server (`additionalProperties: false`).
    pub closed: bool,
    /// Members that the document declares and that this variant of the type does not have: `readOnly` ones in
    /// requests, `writeOnly` ones in responses. They are skipped where further members are refused or kept.
    pub skipped: Vec<String>,
    /// `minProperties` and `maxProperties`.
    pub constraints: Vec<Constraint>,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of the document on its own")]
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
    /// Whether only answers carry it. After lowering, a type that requests carry has no such field.
    pub read_only: bool,
    /// Whether only requests carry it. After lowering, a type that answers carry has no such field.
    pub write_only: bool,
    /// What absence means: a value that fits the element.
    pub default: Option<Value>,
    /// `example`, where it fits the element.
    pub example: Option<Value>,
    /// What it holds.
    pub element: Element,
}

/// A value in a place: its type, and what the place asks of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// The type.
    pub ty: Type,
    /// Whether `null` may stand in its place.
    pub nullable: bool,
    /// What the value must satisfy.
    pub constraints: Vec<Constraint>,
}

impl Element {
    /// A value that must satisfy nothing but its type.
    pub fn of(ty: Type) -> Self {
        Self { ty, nullable: false, constraints: Vec::new() }
    }
}

/// A type in Rust.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Any JSON value, as the document says.
    Any,
    /// Any JSON value, where the document says more than a type can: an index into
    /// [`Api::untyped`](super::Api::untyped).
    Raw(usize),
    /// `true` or `false`.
    Bool,
    /// A signed integer of 8 bits.
    I8,
    /// A signed integer of 16 bits.
    I16,
    /// A signed integer of 32 bits.
    I32,
    /// A signed integer of 64 bits.
    I64,
    /// An unsigned integer of 8 bits.
    U8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An unsigned integer of 64 bits.
    U64,
    /// A number of single precision.
    F32,
    /// A number of double precision.
    F64,
    /// A decimal number, kept exactly; `text` says that it is a string on the wire.
    Decimal {
        /// A string on the wire, rather than a number.
        text: bool,
    },
    /// Text.
    String,
    /// Text that must not show in logs.
    Secret,
    /// Bytes, in base64 on the wire.
    Base64,
    /// A UUID.
    Uuid,
    /// An RFC 3339 timestamp.
    Timestamp,
    /// A calendar date, as in `2026-01-31`.
    Date,
    /// A span of time in ISO 8601, as in `P1DT2H`.
    Duration,
    /// An IPv4 address.
    Ipv4,
    /// An IPv6 address.
    Ipv6,
    /// An array.
    List(Box<Element>),
    /// An object used as a map.
    Map(Box<Element>),
    /// A named type.
    Named(TypeId),
    /// A named type on the heap, where it would otherwise contain itself.
    Boxed(TypeId),
    /// A file in a multipart body.
    File,
    /// A type of the user's, by its path: `x-rust-type`.
    Foreign(String),
}

impl Type {
    /// What lists and maps hold in the end; the type itself where it is neither.
    pub fn innermost(&self) -> &Self {
        let mut ty = self;
        while let Self::List(element) | Self::Map(element) = ty {
            ty = &element.ty;
        }
        ty
    }

    /// Like [`innermost`](Self::innermost), to change it.
    pub fn innermost_mut(&mut self) -> &mut Self {
        match self {
            Self::List(element) | Self::Map(element) => element.ty.innermost_mut(),
            ty => ty,
        }
    }

    /// The named type that it is, or that its lists and maps hold.
    pub fn named(&self) -> Option<TypeId> {
        match self.innermost() {
            Self::Named(id) | Self::Boxed(id) => Some(*id),
            _ => None,
        }
    }

    /// Whether one value can be written as different texts, such as a timestamp with another offset.
    pub fn has_several_spellings(&self) -> bool {
        matches!(
            self,
            Self::Uuid
                | Self::Timestamp
                | Self::Duration
                | Self::Ipv6
                | Self::Base64
                | Self::Decimal { text: true }
        )
    }

    /// The least and the greatest value of an integer; nothing for other types.
    pub fn range(&self) -> Option<(i128, i128)> {
        Some(match self {
            Self::I8 => (i8::MIN.into(), i8::MAX.into()),
            Self::I16 => (i16::MIN.into(), i16::MAX.into()),
            Self::I32 => (i32::MIN.into(), i32::MAX.into()),
            Self::I64 => (i64::MIN.into(), i64::MAX.into()),
            Self::U8 => (0, u8::MAX.into()),
            Self::U16 => (0, u16::MAX.into()),
            Self::U32 => (0, u32::MAX.into()),
            Self::U64 => (0, u64::MAX.into()),
            _ => return None,
        })
    }
}

/// What a value must satisfy.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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
    /// `minProperties`.
    MinMembers(u64),
    /// `maxProperties`.
    MaxMembers(u64),
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
    Pattern {
        /// The regular expression.
        source: String,
        /// What it requires, in words: `x-pattern-rule`.
        rule: Option<String>,
    },
    /// `format`, for those that have no type of their own.
    Format(Format),
    /// `enum` of values that are not strings, or of which some are not.
    OneOf(Vec<Value>),
}

/// A string format that is checked and kept as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `uri`.
    Uri,
    /// `email`.
    Email,
    /// `hostname`.
    Hostname,
    /// `time`.
    Time,
}

/// A string out of a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StringEnum {
    /// The values.
    pub values: Vec<EnumValue>,
    /// Whether later versions may add values: `x-extensible-enum`.
    pub extensible: bool,
}

/// A value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EnumValue {
    /// The value on the wire.
    pub wire: String,
    /// The variant in Rust.
    pub rust: String,
    /// What the document says of it (`x-enum-descriptions`).
    pub docs: Option<String>,
}

/// One of several types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Union {
    /// The branches, in the order in which they are tried: the stricter first where one includes the other.
    pub branches: Vec<Branch>,
    /// The property that distinguishes the branches, if the document names one.
    pub tag: Option<Tag>,
}

/// A discriminator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tag {
    /// The property.
    pub wire: String,
    /// Its values, and the index of the branch that each stands for.
    pub values: Vec<(String, usize)>,
}

/// A branch of a union.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Branch {
    /// The variant in Rust.
    pub rust: String,
    /// The description, or the title, if the document has one.
    pub docs: Option<String>,
    /// Whether the document marks it as deprecated, where it describes it itself.
    pub deprecated: bool,
    /// What it holds.
    pub element: Element,
    /// How a value of it is known.
    pub test: Test,
}

/// What can be said of a value's JSON form without decoding it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Test {
    /// The kinds of JSON that the branch takes; empty for any.
    pub kinds: Vec<JsonKind>,
    /// Members that must be there.
    pub required: Vec<String>,
    /// Members that have one of these values where they are there and not `null`; or the values of the branch
    /// itself, under an empty name.
    pub fixed: Vec<(String, Vec<Value>)>,
    /// Every member that the branch declares.
    pub known: Vec<String>,
    /// Of a union: every member that a branch of it declares.
    pub within: Vec<String>,
}

/// A kind of JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonKind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// Text.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}
