//! Records of places that could not be read as written.

use crate::forest::{Forest, NodeId};
use crate::role::Role;
use crate::source::Span;

/// A place that could not be read as written, while the document is read and after.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) site: NodeId,
    pub(crate) holder: NodeId,
    pub(crate) place: String,
    pub(crate) problem: String,
    pub(crate) reading: &'static str,
    pub(crate) span: Span,
    pub(crate) what: What,
}

/// The treatment of the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A reference in place of an object of this role has no target.
    Reference(Role),
    /// A `$ref` is where it cannot be followed.
    Misplaced,
    /// Nothing.
    Kept,
}

impl Broken {
    fn new(forest: &Forest, site: NodeId, problem: String, reading: &'static str, what: What) -> Self {
        let (place, span) = (forest.pointer(site), forest.key_span(site));
        Self { site, holder: site, place, problem, reading, span, what }
    }

    /// A reference without a target.
    pub(crate) fn reference(forest: &Forest, site: NodeId, role: Role, problem: String) -> Self {
        Self::new(forest, site, problem, Self::reading(role), What::Reference(role))
    }

    /// A `$ref` is where OpenAPI allows none, and its target is not allowed there either.
    pub(crate) fn misplaced(forest: &Forest, site: NodeId, place: &str, reading: &'static str) -> Self {
        Self::new(forest, site, format!("`$ref` cannot stand in place of {place}"), reading, What::Misplaced)
    }

    /// Fields beside a `$ref` that are not read.
    pub(crate) fn beside(forest: &Forest, site: NodeId, reading: &'static str) -> Self {
        let problem = "a path item has a `$ref` and fields of its own".to_owned();
        Self::new(forest, site, problem, reading, What::Kept)
    }

    /// Returns whether operations are left out with it.
    pub(crate) fn leaves_out_operations(&self) -> bool {
        matches!(self.what, What::Reference(Role::PathItem) | What::Kept)
    }

    /// How an object of this role is read if its reference has no target.
    pub(crate) fn reading(role: Role) -> &'static str {
        match role {
            Role::Schema => "the schema is read as one that allows any value",
            Role::Response => "the response is read as one without a documented body",
            Role::RequestBody => "the body is read as any JSON value",
            Role::Header => "the header is read as text",
            Role::Parameter => "the parameter is left out",
            Role::PathItem => "the path item is left out, with all its operations",
            Role::SecurityScheme => "the scheme is read as one that is not defined",
            Role::Discriminator => "the value of the mapping is left out",
            _ => "it is left out",
        }
    }
}
