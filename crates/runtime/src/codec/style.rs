//! The styles of parameters (OpenAPI 3.0, Parameter Object, "Style Values").

mod decode;
mod encode;

#[cfg(feature = "server")]
pub(crate) use self::decode::json_text;
pub(super) use self::decode::{Packed, node};
pub(super) use self::encode::encode_tree;
pub use self::{
    decode::{decode, decode_with},
    encode::encode,
};

/// The location and the style of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name on the wire.
    pub name: &'static str,
    /// The location.
    pub place: Place,
    /// How a list or an object is encoded.
    pub style: Style,
    /// Whether each entry of a list or object is a pair of its own.
    pub explode: bool,
    /// Whether reserved characters of a query remain unencoded (`allowReserved`).
    pub reserved: bool,
    /// The names of the other parameters in this location, which are not members of an exploded map.
    pub others: &'static [&'static str],
}

/// The location of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
}

/// How a list or an object is encoded as text.
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
    /// The whole value as JSON text.
    Json,
    /// JSON text for an object and for a list that holds objects or lists, and else as [`Form`](Self::Form):
    /// for members of a form whose type is not known.
    JsonIfNested,
}

impl Param {
    /// Describes a path parameter in its default style, `simple`.
    pub const fn path(name: &'static str) -> Self {
        Self { name, place: Place::Path, style: Style::Simple, explode: false, reserved: false, others: &[] }
    }

    /// Describes a query parameter in its default style, `form` with `explode`.
    pub const fn query(name: &'static str) -> Self {
        Self { name, place: Place::Query, style: Style::Form, explode: true, reserved: false, others: &[] }
    }

    /// Describes a header in its default style, `simple`.
    pub const fn header(name: &'static str) -> Self {
        Self {
            name,
            place: Place::Header,
            style: Style::Simple,
            explode: false,
            reserved: false,
            others: &[],
        }
    }

    /// Describes a cookie in its default style, `form` with `explode`.
    pub const fn cookie(name: &'static str) -> Self {
        Self { name, place: Place::Cookie, style: Style::Form, explode: true, reserved: false, others: &[] }
    }

    /// Sets the style.
    pub const fn style(self, style: Style, explode: bool) -> Self {
        Self { style, explode, ..self }
    }

    /// Names the other parameters in this location. An exploded object of the style `form` is spread over the
    /// whole query, and one that takes any member leaves these to their owners.
    pub const fn beside(self, others: &'static [&'static str]) -> Self {
        Self { others, ..self }
    }

    /// Leaves reserved characters unencoded.
    pub const fn reserved(self) -> Self {
        Self { reserved: true, ..self }
    }
}

impl Param {
    /// Whether a name belongs to another parameter, by itself or with members in brackets.
    fn is_of_another(&self, name: &str) -> bool {
        self.others.iter().any(|other| {
            name.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        })
    }
}

#[cfg(test)]
mod tests;
