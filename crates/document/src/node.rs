//! One value of a document.

use std::fmt;

use serde::de::DeserializeOwned;

use crate::codes;
use crate::convert::{self, Value, View};
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::forest::{Failure, NodeId};
use crate::source::{FileId, Place, Span};
use crate::tree::{Data, Text};
use crate::unresolved;

/// The kind of a value.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number written without fraction and exponent, of any size a double can approach.
    Integer,
    /// A number written with a fraction or an exponent.
    Number,
    /// Text.
    String,
    /// A list of values.
    Array,
    /// Keys with values.
    Object,
}

impl Kind {
    /// Returns the kind of a value.
    pub(crate) fn of(data: &Data) -> Self {
        match data {
            Data::Null => Self::Null,
            Data::Bool(_) => Self::Bool,
            Data::Integer(_) => Self::Integer,
            Data::Number(_) => Self::Number,
            Data::String(_) => Self::String,
            Data::Array { .. } => Self::Array,
            Data::Object { .. } => Self::Object,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

/// A key of an object. YAML keys such as `200` are text like all others.
#[derive(Copy, Clone, Debug)]
pub struct Key<'d> {
    /// The text, without quotes and escapes.
    pub text: &'d str,
    /// Where it is written.
    pub span: Span,
}

impl Document {
    /// Returns the outermost object of the root file.
    pub fn root(&self) -> NodeRef<'_> {
        self.node(NodeId { file: FileId::ROOT, node: 0 })
    }

    /// Returns the node of an id of this document.
    ///
    /// # Panics
    ///
    /// If the id is one of another document that has more files or values.
    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef::new(self, id)
    }
}

/// A cheap handle of one value of a [`Document`].
#[derive(Copy, Clone)]
pub struct NodeRef<'d> {
    document: &'d Document,
    id: NodeId,
    /// Where it was found: the node itself, or a `$ref` that replaces it where OpenAPI allows none.
    site: NodeId,
}

impl fmt::Debug for NodeRef<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "NodeRef({}{}: {})", self.file(), self.pointer(), self.kind())
    }
}

/// Two handles are equal if they are of the same place in the same document.
impl PartialEq for NodeRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.document, other.document) && self.id == other.id
    }
}

impl Eq for NodeRef<'_> {}

impl<'d> NodeRef<'d> {
    pub(crate) fn new(document: &'d Document, id: NodeId) -> Self {
        assert!(
            document
                .forest
                .trees
                .get(id.file.index())
                .and_then(Option::as_ref)
                .is_some_and(|tree| (id.node as usize) < tree.nodes.len()),
            "the node id is of another document"
        );
        Self { document, id, site: id }
    }

    /// Returns the node of a member, element or target, after following a `$ref` that replaces it.
    fn at(self, site: NodeId) -> Self {
        let forwards = &self.document.forwards;
        let mut id = site;
        if !forwards.is_empty() {
            // The reader refuses circles, so each is passed once.
            while let Some(next) = forwards.get(&id) {
                id = *next;
            }
        }
        Self { document: self.document, id, site }
    }

    fn data(self) -> Data {
        self.document.forest.node(self.id).data
    }

    fn text(self, text: Text) -> &'d str {
        let forest = &self.document.forest;
        forest.tree(self.id.file).text(forest.source(self.id.file).text(), text)
    }

    /// Returns the document it belongs to.
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Returns the kind of its value.
    pub fn kind(self) -> Kind {
        Kind::of(&self.data())
    }

    /// Returns whether it is `null`.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// Returns whether it is an object.
    pub fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    /// Returns whether it is an array.
    pub fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    /// Returns the text of a string.
    pub fn as_str(self) -> Option<&'d str> {
        match self.data() {
            Data::String(text) => Some(self.text(text)),
            _ => None,
        }
    }

    /// Returns the value of a boolean.
    pub fn as_bool(self) -> Option<bool> {
        match self.data() {
            Data::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the value of an integer that fits; also of a number without a fractional part, such as `1.0`
    /// or `1e3`, that a double holds exactly.
    pub fn as_i128(self) -> Option<i128> {
        match self.data() {
            Data::Integer(text) => self.text(text).parse().ok(),
            Data::Number(text) => convert::whole(self.text(text)),
            _ => None,
        }
    }

    /// Returns the nearest double of an integer or number; always finite.
    pub fn as_f64(self) -> Option<f64> {
        self.as_number().and_then(|text| text.parse().ok())
    }

    /// Returns the exact text of an integer or number, in the grammar of JSON: YAML's `+1`, `0x10` and `.5`
    /// read `1`, `16` and `0.5`.
    pub fn as_number(self) -> Option<&'d str> {
        match self.data() {
            Data::Integer(text) | Data::Number(text) => Some(self.text(text)),
            _ => None,
        }
    }

    /// Returns the member of an object with this key.
    pub fn get(self, key: &str) -> Option<Self> {
        self.document.forest.member(self.id, key).map(|id| self.at(id))
    }

    /// Returns the members of an object in the order in which they are written; none for other kinds.
    pub fn entries(self) -> impl Iterator<Item = (Key<'d>, Self)> {
        let children = self.is_object().then(|| self.document.forest.children(self.id));
        children.into_iter().flatten().filter_map(move |id| {
            let node = self.at(id);
            Some((node.key()?, node))
        })
    }

    /// Returns the members as [`entries`](Self::entries) gives them, without the search for the places of
    /// their keys.
    pub fn members(self) -> impl Iterator<Item = (&'d str, Self)> {
        let children = self.is_object().then(|| self.document.forest.children(self.id));
        children
            .into_iter()
            .flatten()
            .filter_map(move |id| Some((self.document.forest.key(id)?, self.at(id))))
    }

    /// Returns the elements of an array; none for other kinds.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let children = self.is_array().then(|| self.document.forest.children(self.id));
        children.into_iter().flatten().map(move |id| self.at(id))
    }

    /// Number of members or elements; 0 for scalars.
    pub fn len(self) -> usize {
        match self.data() {
            Data::Array { length, .. } | Data::Object { length, .. } => length as usize,
            _ => 0,
        }
    }

    /// Returns whether there are neither members nor elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns its span in the source: of an array or object, from its first to its last character.
    pub fn span(self) -> Span {
        self.document.forest.span(self.id)
    }

    /// Returns its key, if it is a member of an object.
    pub fn key(self) -> Option<Key<'d>> {
        let text = self.document.forest.key(self.site)?;
        Some(Key { text, span: self.document.forest.key_span(self.site) })
    }

    /// Returns the place of its key if it has one, else its own: what to point at when the whole value is
    /// meant.
    pub fn key_span(self) -> Span {
        self.document.forest.key_span(self.site)
    }

    /// Returns the object or array that holds it.
    pub fn parent(self) -> Option<Self> {
        self.document.forest.parent(self.site).map(|id| self.at(id))
    }

    /// Its JSON pointer within its file, such as `#/paths/~1pets/get`; `#` for the outermost value.
    pub fn pointer(self) -> String {
        self.document.forest.pointer(self.id)
    }

    /// Returns the path of its file.
    pub fn file(self) -> &'d str {
        self.document.forest.source(self.id.file).path()
    }

    /// Its identity, which also orders nodes by file and place.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Returns the text of its `$ref`, if it is an object with one. Whether that is a reference depends on
    /// its position: in an example it is data, see [`target`](Self::target).
    pub fn reference(self) -> Option<&'d str> {
        self.document.forest.reference(self.id)
    }

    /// Returns the direct target of its `$ref`, if OpenAPI allows references in its position; data never has
    /// one.
    pub fn target(self) -> Option<Self> {
        self.document.targets.get(&self.id).map(|target| self.at(*target)).filter(|_| self.is_object())
    }

    /// Follows its `$ref`, and those it leads to, across files; a node without `$ref` is its own target.
    ///
    /// Every reference was checked when the document was read, so this fails only for a `$ref` in a place
    /// where OpenAPI 3.0 has none.
    pub fn resolve(self) -> Result<Self, Box<Diagnostic>> {
        let forest = &self.document.forest;
        let mut current = self.document.end(self.id).map_or(self, |end| self.at(end));
        // A chain without a circle visits each reference once.
        for _ in 0..=self.document.targets.len() + 64 {
            let Some(text) = current.reference() else { return Ok(current) };
            let next = match self.document.targets.get(&current.id) {
                Some(target) => Ok(*target),
                None => forest.locate(current.id.file, text),
            };
            current = match next {
                Ok(id) => self.at(id),
                Err(failure) => return Err(Box::new(current.unresolved(text, &failure))),
            };
        }
        Err(Box::new(self.unresolved(self.reference().unwrap_or_default(), &Failure::Circle)))
    }

    /// Returns the target of a string that refers without being a `$ref`: a value of a discriminator's
    /// `mapping` (a schema's name or a reference, resolved completely) or a link's `operationRef`. `None` for
    /// other strings, and for links to other machines.
    pub fn referred(self) -> Option<Self> {
        let target = self.at(*self.document.targets.get(&self.id).filter(|_| self.kind() == Kind::String)?);
        target.resolve().ok()
    }

    fn unresolved(self, text: &str, failure: &Failure) -> Diagnostic {
        let value = self.get("$ref").unwrap_or(self);
        unresolved::explain(&self.document.forest, value.id, text, failure, true)
    }

    /// Returns the subtree as a JSON value. Numbers beyond 64 bits become doubles, and whether key order is
    /// kept depends on features of `serde_json`; [`Serialize`](serde::Serialize) keeps order always.
    pub fn to_json(self) -> serde_json::Value {
        convert::typed(self).unwrap_or_default()
    }

    /// Reads the subtree as a type, such as those of `openapiv3`. References are not followed. The error
    /// points to the innermost value that is known to be wrong.
    pub fn typed<T: DeserializeOwned>(self) -> Result<T, Box<Diagnostic>> {
        convert::typed(self).map_err(|fault| {
            Box::new(Diagnostic::error(
                codes::INVALID_VALUE,
                fault.place.map_or_else(|| self.span(), |place| self.document.sources().locate(place)),
                fault.message,
            ))
        })
    }
}

impl<'d> Value<'d> for NodeRef<'d> {
    fn view(self) -> View<'d, Self> {
        match self.data() {
            Data::Null => View::Null,
            Data::Bool(value) => View::Bool(value),
            Data::Integer(text) | Data::Number(text) => View::Number(self.text(text)),
            Data::String(text) => View::String(self.text(text)),
            Data::Array { .. } => View::Array(self.items().collect()),
            Data::Object { .. } => {
                View::Object(self.entries().map(|(key, value)| (key.text, value)).collect())
            }
        }
    }

    fn place(self) -> Place {
        self.document.forest.place(self.id)
    }
}

impl serde::Serialize for NodeRef<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        convert::serialize(*self, serializer)
    }
}
