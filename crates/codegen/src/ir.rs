//! The document as emitters read it, with every reference resolved and nothing left to reject.
//!
//! Two kinds of names are beside each other. Those of the document are for every language: ids of operations,
//! tags, wire names, and labels of types. Those of Rust (`name`, `rust`, `function`, `module`) are final
//! identifiers, safe from keywords and collisions; only the Rust emitters read them. Types are named after
//! those of Rust, whose ranges and formats the document gives, and members that would make a type infinite
//! are boxed, which other languages ignore. Lists keep the document's order.

mod operation;
mod payload;
mod types;

pub use self::{
    operation::{
        Answer, Caller, Content, ErrorSet, Group, Header, Link, Location, Operation, Pages, Pagination,
        Parameter, Response, ResponseExample, ResponseId, Scheme, SchemeUse, Server, ServerVariable,
        Stability, Status, Streaming, Style, Webhook,
    },
    payload::{Body, Coding, Form, Part, Payload},
    types::{
        Branch, Constraint, Element, EnumValue, Field, Format, JsonKind, Shape, StringEnum, Struct, Tag,
        Test, Type, TypeDef, TypeId, Union, Usage,
    },
};

pub use self::operation::Credential;

use std::collections::{BTreeMap, BTreeSet};

/// A whole document.
#[derive(Clone, Debug)]
pub struct Api {
    /// The prefix of the generated packages, in kebab-case: `shop` makes `shop-model`.
    pub name: String,
    /// The document's root file, as generated headers show it.
    pub source: String,
    /// `info.title`.
    pub title: String,
    /// `info.version`.
    pub version: String,
    /// `info.description`.
    pub description: Option<String>,
    /// `servers` of the document: where the service is found.
    pub servers: Vec<Server>,
    /// Security schemes that operations ask for.
    pub schemes: Vec<Scheme>,
    /// Named types.
    pub types: Vec<TypeDef>,
    /// Responses that carry headers, and errors that the document shares under a name.
    pub responses: Vec<Response>,
    /// Operations by their first tag, or by the first word of their path where the document has no tags.
    pub groups: Vec<Group>,
    /// Where each operation is: its group and its place there, by its id. The first has an id that several
    /// have.
    pub by_id: BTreeMap<String, (usize, usize)>,
    /// The different sets of errors that operations declare, each once.
    pub error_sets: Vec<ErrorSet>,
    /// Events that the service sends: `x-webhooks` of the document and the callbacks of operations.
    pub webhooks: Vec<Webhook>,
    /// Whether the document is so large that each group is a cargo feature of its own.
    pub features: bool,
    /// Places that the document types and the output does not.
    pub untyped: Vec<Untyped>,
    /// Defects of the document, with the operations that they degrade.
    pub defects: Vec<Untyped>,
    /// Paths whose operations are left out, with their names as far as they are known.
    pub left_out: Vec<Untyped>,
}

/// A place that the document types and the output holds as raw JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untyped {
    /// The type that stands there instead of a type of its own; every [`Type::Raw`] carries such an index.
    pub place: String,
    /// Why.
    pub reason: String,
    /// Where the document says more: file, line and column.
    pub location: String,
    /// The operations that send or answer with it, by their ids.
    pub operations: Vec<String>,
}

impl Api {
    /// A named type.
    pub fn type_def(&self, id: TypeId) -> &TypeDef {
        &self.types[id.0]
    }

    /// The type that this one is an alias of; itself if it is none.
    pub fn original(&self, id: TypeId) -> TypeId {
        self.type_def(id).duplicate_of.unwrap_or(id)
    }

    /// A response.
    pub fn response(&self, id: ResponseId) -> &Response {
        &self.responses[id.0]
    }

    /// The errors that an operation declares, as a set that others may have too.
    pub fn errors_of(&self, operation: &Operation) -> &ErrorSet {
        &self.error_sets[operation.error_set]
    }

    /// The operations that have a set of errors.
    pub fn operations_of<'a>(&'a self, set: &'a ErrorSet) -> impl Iterator<Item = &'a Operation> {
        set.operations.iter().map(|(group, operation)| &self.groups[*group].operations[*operation])
    }

    /// The operation with this id, and its group.
    pub fn operation(&self, id: &str) -> Option<(&Group, &Operation)> {
        let (group, operation) = self.by_id.get(id)?;
        let group = self.groups.get(*group)?;
        Some((group, group.operations.get(*operation)?))
    }

    /// Every operation.
    pub fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.groups.iter().flat_map(|group| &group.operations)
    }

    /// The schemes that an operation requires or allows and whose credential is part of a request, in the
    /// order of the document. A client says nothing of others, whose credentials it would never send.
    pub fn credentials(&self) -> Vec<&Scheme> {
        let uses = self.operations().flat_map(|operation| operation.security.iter().flatten());
        let used: BTreeSet<usize> = uses.map(|used| used.scheme).collect();
        let schemes = used.into_iter().filter_map(|index| self.schemes.get(index));
        schemes.filter(|scheme| scheme.credential != Credential::Connection).collect()
    }

    /// Every body: of requests, of answers, of responses with a type of their own, and of events.
    pub fn payloads(&self) -> impl Iterator<Item = &Payload> {
        let requests = self.operations().filter_map(|operation| Some(&operation.body.as_ref()?.payload));
        let answers =
            self.operations().flat_map(Operation::answers).filter_map(|answer| match &answer.content {
                Content::Body(payload) => Some(payload),
                Content::Nothing | Content::Response(_) => None,
            });
        let shared = self.responses.iter().filter_map(|response| response.body.as_ref());
        let events = self.webhooks.iter().filter_map(|webhook| webhook.payload.as_ref());
        requests.chain(answers).chain(shared).chain(events)
    }
}
