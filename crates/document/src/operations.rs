//! Operations of a document: the path items that hold them, and the parts that they consist of.
//!
//! [`Document::operations`] lists what clients call, [`Document::webhooks`] and [`Operation::callbacks`] the
//! path items that a service calls. Nothing is checked here: a part that is not what OpenAPI asks for is left
//! to those who read it.

use crate::document::Document;
use crate::node::{Key, NodeRef};
use crate::role::METHODS;

/// A path item, with what leads to it.
#[derive(Clone, Copy, Debug)]
pub struct PathItem<'d> {
    /// The key: a path, the name of a webhook, or the expression of a callback.
    pub key: Key<'d>,
    /// The value of the key, which may be a reference.
    pub mount: NodeRef<'d>,
    /// The path item itself.
    pub node: NodeRef<'d>,
}

/// An operation of a path item. A path item that several paths refer to has one for each.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'d> {
    /// The path item.
    pub item: PathItem<'d>,
    /// The method, in lower case, which is its key in the path item.
    pub method: &'static str,
    /// The operation itself.
    pub node: NodeRef<'d>,
}

/// Where a parameter of an operation is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// In the operation.
    Operation,
    /// In the path item.
    Path,
    /// In the list of another parameter with the same name and location, which comes first and counts.
    Repeated,
}

/// A parameter that applies to an operation.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'d> {
    /// The entry of the list, which may be a reference.
    pub listed: NodeRef<'d>,
    /// The parameter itself.
    pub node: NodeRef<'d>,
    /// Where it is listed.
    pub listing: Listing,
}

/// A callback of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Callback<'d> {
    /// Its name.
    pub name: &'d str,
    /// The callback itself.
    pub node: NodeRef<'d>,
}

impl Document {
    /// Returns the path items under `paths`, in the order of the document.
    pub fn path_items(&self) -> impl Iterator<Item = PathItem<'_>> {
        extensible(self.root().get("paths"))
    }

    /// Returns every operation that clients call, in the order of the document and of [`METHODS`].
    pub fn operations(&self) -> impl Iterator<Item = Operation<'_>> {
        self.path_items().flat_map(PathItem::operations)
    }

    /// Returns the path items of the calls that the service makes by itself, by their names.
    pub fn webhooks(&self) -> impl Iterator<Item = PathItem<'_>> {
        entries(self.root().get("x-webhooks")).filter_map(path_item)
    }
}

/// Returns the path items of an object that may have extensions.
fn extensible(object: Option<NodeRef<'_>>) -> impl Iterator<Item = PathItem<'_>> {
    entries(object).filter(|(key, _)| !key.text.starts_with("x-")).filter_map(path_item)
}

fn entries(object: Option<NodeRef<'_>>) -> impl Iterator<Item = (Key<'_>, NodeRef<'_>)> {
    object.into_iter().flat_map(NodeRef::entries)
}

fn path_item<'d>((key, mount): (Key<'d>, NodeRef<'d>)) -> Option<PathItem<'d>> {
    Some(PathItem { key, mount, node: mount.resolve().ok()? })
}

/// Returns the operations of a path item by their methods in lower case, in the order of [`METHODS`].
pub fn methods(item: NodeRef<'_>) -> impl Iterator<Item = (&'static str, NodeRef<'_>)> {
    let operation = move |method| Some((method, item.get(method).filter(|node| node.is_object())?));
    METHODS.into_iter().filter_map(operation)
}

impl<'d> PathItem<'d> {
    /// Returns its operations in the order of [`METHODS`].
    pub fn operations(self) -> impl Iterator<Item = Operation<'d>> {
        methods(self.node).map(move |(method, node)| Operation { item: self, method, node })
    }

    /// Returns the parameters that it lists for all of its operations.
    pub fn parameters(self) -> impl Iterator<Item = NodeRef<'d>> {
        listed(self.node).map(|(_, node)| node)
    }
}

impl<'d> Operation<'d> {
    /// Returns the method in upper case, and the path.
    pub fn name(&self) -> String {
        format!("{} {}", self.method.to_ascii_uppercase(), self.item.key.text)
    }

    /// Returns the parameters that apply: its own, then those of the path item that it does not override.
    ///
    /// Name and location identify a parameter; names of headers are compared without case. A parameter
    /// without a name is none of them. Repeated ones are marked.
    pub fn parameters(&self) -> Vec<Parameter<'d>> {
        let mut found: Vec<Parameter<'d>> = Vec::new();
        let lists = [(self.node, Listing::Operation), (self.item.node, Listing::Path)];
        for (holder, listing) in lists {
            for (listed, node) in listed(holder) {
                let known = found.iter().find(|known| is_same(known.node, node));
                let listing = match known {
                    Some(known) if known.listing == listing => Listing::Repeated,
                    // The operation's own counts.
                    Some(_) => continue,
                    None => listing,
                };
                found.push(Parameter { listed, node, listing });
            }
        }
        found
    }

    /// Returns the parameters that count: those of [`parameters`](Self::parameters) that are not repeated.
    pub fn distinct_parameters(&self) -> impl Iterator<Item = Parameter<'d>> {
        self.parameters().into_iter().filter(|parameter| parameter.listing != Listing::Repeated)
    }

    /// Returns the body of the request, after following a reference.
    pub fn body(&self) -> Option<NodeRef<'d>> {
        self.node.get("requestBody")?.resolve().ok()
    }

    /// Returns the responses by their statuses, without extensions; references are not followed.
    pub fn responses(&self) -> impl Iterator<Item = (Key<'d>, NodeRef<'d>)> {
        entries(self.node.get("responses")).filter(|(status, _)| !status.text.starts_with("x-"))
    }

    /// Returns its callbacks by their names.
    pub fn callbacks(&self) -> impl Iterator<Item = Callback<'d>> {
        let callbacks = self.node.get("callbacks").into_iter().flat_map(NodeRef::members);
        callbacks.filter_map(|(name, node)| Some(Callback { name, node: node.resolve().ok()? }))
    }
}

impl<'d> Callback<'d> {
    /// Returns the path items of the calls that it stands for, by their expressions.
    pub fn path_items(self) -> impl Iterator<Item = PathItem<'d>> {
        extensible(Some(self.node))
    }
}

/// Returns the parameters that a path item or an operation lists, each behind the entry of the list.
fn listed(holder: NodeRef<'_>) -> impl Iterator<Item = (NodeRef<'_>, NodeRef<'_>)> {
    let entries = holder.get("parameters").into_iter().flat_map(NodeRef::items);
    entries.filter_map(|listed| Some((listed, listed.resolve().ok()?)))
}

/// Whether two parameters have the same name and location.
fn is_same(one: NodeRef<'_>, other: NodeRef<'_>) -> bool {
    let ((name, location), (other_name, other_location)) = (identity(one), identity(other));
    !name.is_empty()
        && location == other_location
        && match location {
            "header" => name.eq_ignore_ascii_case(other_name),
            _ => name == other_name,
        }
}

/// Returns the name and the location of a parameter.
fn identity(node: NodeRef<'_>) -> (&str, &str) {
    let text = |key| node.get(key).and_then(NodeRef::as_str).unwrap_or_default();
    (text("name"), text("in"))
}
