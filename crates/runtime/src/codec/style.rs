//! Owns the styles of parameters (OpenAPI 3.0, Parameter Object, "Style Values").

mod decode;
mod encode;

pub(super) use self::decode::{Packed, node};
pub(super) use self::encode::encode_tree;
pub use self::{
    decode::{decode, decode_with},
    encode::encode,
};

/// Where a parameter stands, and how it is written there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The name on the wire.
    pub name: &'static str,
    /// Where it stands.
    pub place: Place,
    /// How a list or an object is written.
    pub style: Style,
    /// Whether every entry of a list or object stands for itself.
    pub explode: bool,
    /// Whether reserved characters of a query stay as they are (`allowReserved`).
    pub reserved: bool,
}

/// Where a parameter stands.
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

/// How a list or an object is written as text.
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
    /// The whole value as JSON text.
    Json,
}

impl Param {
    /// A parameter of the path, in its default style: `simple`.
    pub const fn path(name: &'static str) -> Self {
        Self { name, place: Place::Path, style: Style::Simple, explode: false, reserved: false }
    }

    /// A query parameter in its default style: `form` with `explode`.
    pub const fn query(name: &'static str) -> Self {
        Self { name, place: Place::Query, style: Style::Form, explode: true, reserved: false }
    }

    /// A header in its default style: `simple`.
    pub const fn header(name: &'static str) -> Self {
        Self { name, place: Place::Header, style: Style::Simple, explode: false, reserved: false }
    }

    /// A cookie in its default style: `form` with `explode`.
    pub const fn cookie(name: &'static str) -> Self {
        Self { name, place: Place::Cookie, style: Style::Form, explode: true, reserved: false }
    }

    /// The same parameter in another style.
    pub const fn style(self, style: Style, explode: bool) -> Self {
        Self { style, explode, ..self }
    }

    /// The same parameter with reserved characters left as they are.
    pub const fn reserved(self) -> Self {
        Self { reserved: true, ..self }
    }
}

#[cfg(test)]
mod tests;
