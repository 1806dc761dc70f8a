//! Bodies: what stands behind a media type, and how it is written.

use super::{Constraint, Element, TypeId};

/// A request body.
#[derive(Clone, Debug)]
pub struct Body {
    /// The description, if the document has one.
    pub docs: Option<String>,
    /// Whether it must be sent.
    pub required: bool,
    /// What it holds.
    pub payload: Payload,
}

/// What a body may be: one form, or several to choose from.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    /// The alternatives, in the document's order; never empty.
    pub forms: Vec<Form>,
    /// The name of the enumeration of the alternatives, where they differ in what they hold.
    ///
    /// Where they all hold the same type, as the same schema under `application/json` and
    /// `application/x-www-form-urlencoded` does, there is none: the body has that type, a server reads each
    /// of the codings, a client writes the first.
    pub name: Option<String>,
}

impl Payload {
    /// A payload of one form.
    pub fn of(form: Form) -> Self {
        Self { forms: vec![form], name: None }
    }

    /// What it holds, where all alternatives hold the same.
    pub fn only(&self) -> Option<&Form> {
        if self.name.is_none() { self.forms.first() } else { None }
    }

    /// Whether it is one JSON value and nothing else.
    pub fn json(&self) -> Option<&Element> {
        match self.only()? {
            Form { coding: Coding::Json(element), .. } if self.forms.len() == 1 => Some(element),
            _ => None,
        }
    }

    /// Every type that it holds.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.forms.iter().filter_map(Form::element)
    }

    /// Like [`elements`](Self::elements), to change them.
    pub fn elements_mut(&mut self) -> impl Iterator<Item = &mut Element> {
        self.forms.iter_mut().filter_map(|form| match &mut form.coding {
            Coding::Json(element)
            | Coding::Urlencoded(element, _)
            | Coding::Multipart(element, _)
            | Coding::Events(element) => Some(element),
            Coding::Text(_) | Coding::Bytes => None,
        })
    }
}

/// One alternative of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    /// The media type as the document writes it, parameters left off: `application/json`, `image/*`, `*/*`.
    pub media_type: String,
    /// The variant in Rust, where there are several: `Json`, `Form`, `Png`.
    pub variant: String,
    /// How it is written.
    pub coding: Coding,
}

impl Form {
    /// The type that it holds; nothing for text and bytes.
    pub fn element(&self) -> Option<&Element> {
        match &self.coding {
            Coding::Json(element)
            | Coding::Urlencoded(element, _)
            | Coding::Multipart(element, _)
            | Coding::Events(element) => Some(element),
            Coding::Text(_) | Coding::Bytes => None,
        }
    }
}

/// How a body is written.
#[derive(Clone, Debug, PartialEq)]
pub enum Coding {
    /// JSON.
    Json(Element),
    /// `application/x-www-form-urlencoded`; a struct or a map, and how its members are written.
    Urlencoded(Element, Vec<Part>),
    /// `multipart/form-data` and its kin; a struct, and how its members are written.
    Multipart(Element, Vec<Part>),
    /// Text in UTF-8: a `String`, and what it must satisfy.
    Text(Vec<Constraint>),
    /// Anything else: bytes that stream.
    Bytes,
    /// `text/event-stream`: server-sent events, each holding this as JSON, or as text where it is a string.
    Events(Element),
}

/// How one member of a form is written, where that is not the default.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The member, by its name on the wire.
    pub wire: String,
    /// `encoding.contentType`, or what follows from the member's type: `application/json` for an object.
    pub content_type: Option<String>,
    /// Whether `encoding` states the media type, so that no other one is accepted.
    pub states_type: bool,
    /// The style of a member of a urlencoded form.
    pub style: super::Style,
    /// Whether an array repeats the member for every entry.
    pub explode: bool,
    /// Whether reserved characters stay as they are.
    pub allow_reserved: bool,
}

/// The type that an alternative holds, where it is a named one.
impl Form {
    /// The named type, where the coding holds one.
    pub fn named(&self) -> Option<TypeId> {
        match &self.coding {
            Coding::Json(element)
            | Coding::Urlencoded(element, _)
            | Coding::Multipart(element, _)
            | Coding::Events(element) => match element.ty {
                super::Type::Named(id) | super::Type::Boxed(id) => Some(id),
                _ => None,
            },
            Coding::Text(_) | Coding::Bytes => None,
        }
    }
}
