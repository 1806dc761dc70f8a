//! Copies the root file and pulls in the parts of other files that it refers to.

use std::collections::{HashMap, HashSet};

use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::Document;
use crate::forest::{Forest, NodeId};
use crate::reference::{self, as_fragment, push_token};
use crate::role::{Role, Shape};
use crate::source::FileId;
use crate::tree::Data;
use crate::version::Version;

use super::content::{Content, Item};
use super::name;

/// Path items of other files inside one another, through callbacks.
const MAX_NESTED_PATH_ITEMS: usize = 32;

/// Returns the bundled root, and what there is to say about it.
pub(super) fn pull(document: &Document) -> (Item, Diagnostics) {
    let root = document.root().id();
    let mut puller = Puller {
        document,
        forest: &document.forest,
        placed: HashMap::new(),
        filled: HashMap::new(),
        names: HashSet::new(),
        pulled: Vec::new(),
        at: String::from("#"),
        nested: 0,
        problems: document.diagnostics(),
    };
    puller.plan(root);
    let mut item = puller.copy(root, Some(Role::OpenApi));
    let mut next = 0;
    while let Some(Pulled { role, name, node }) = puller.pulled.get(next).cloned() {
        let section = role.section().unwrap_or_default();
        puller.at = format!("#/components/{section}");
        push_token(&mut puller.at, &name);
        let content = puller.copy(node, Some(role));
        insert(&mut item, section, name, content);
        next += 1;
    }
    let has_paths = document.version == Version::V3_1 || item.member_mut("paths").is_some();
    if let Some(members) = item.members_mut().filter(|_| !has_paths) {
        let place = document.forest.place(root);
        let position = members.iter().position(|(key, _)| key == "components").unwrap_or(members.len());
        members.insert(position, (String::from("paths"), Item::new(place, Content::Object(Vec::new()))));
    }
    puller.problems.sort();
    (item, puller.problems)
}

/// Adds a component, making room for it where the root has none.
fn insert(root: &mut Item, section: &str, name: String, content: Item) {
    let place = content.place;
    let mut object = root;
    for key in ["components", section] {
        if object.member_mut(key).is_none()
            && let Some(members) = object.members_mut()
        {
            members.push((key.to_owned(), Item::new(place, Content::Object(Vec::new()))));
        }
        let Some(member) = object.member_mut(key) else { return };
        object = member;
    }
    if let Some(members) = object.members_mut() {
        members.push((name, content));
    }
}

/// An object of another file that becomes a component.
#[derive(Clone)]
struct Pulled {
    role: Role,
    name: String,
    node: NodeId,
}

struct Puller<'d> {
    document: &'d Document,
    forest: &'d Forest,
    /// Positions in the bundle of objects of other files.
    placed: HashMap<NodeId, String>,
    /// References of the root that are replaced by their target.
    filled: HashMap<NodeId, NodeId>,
    /// Sections and names of components that are in use.
    names: HashSet<(&'static str, String)>,
    /// Components in the order in which they were first referred to; those past the one being copied are
    /// still to come.
    pulled: Vec<Pulled>,
    /// Pointer of the node that is being copied.
    at: String,
    nested: usize,
    problems: Diagnostics,
}

impl Puller<'_> {
    /// Reserves the root's own names and positions, so that objects of other files get the positions that the
    /// root gives them.
    fn plan(&mut self, root: NodeId) {
        for field in ["paths", "x-webhooks", "webhooks"] {
            if field == "webhooks" && self.document.version == Version::V3_0 {
                continue;
            }
            let Some(items) = self.forest.member(root, field) else { continue };
            for item in self.forest.children(items) {
                self.fill(item, Role::PathItem);
            }
        }
        let Some(components) = self.forest.member(root, "components") else { return };
        for section in self.forest.children(components) {
            let version = self.document.version;
            let role = self.forest.key(section).and_then(|section| Role::of_section(section, version));
            let Some(role) = role else { continue };
            let Some(section_name) = role.section() else { continue };
            for entry in self.forest.children(section) {
                if let Some(key) = self.forest.key(entry) {
                    self.names.insert((section_name, key.to_owned()));
                }
                self.fill(entry, role);
            }
        }
    }

    /// An entry of the root that refers to another file is where the target belongs; the first such entry
    /// wins.
    fn fill(&mut self, entry: NodeId, role: Role) {
        let Some(target) = self.document.targets.get(&entry) else { return };
        let target = self.destination(*target, role);
        if target.file != FileId::ROOT && !self.placed.contains_key(&target) {
            self.placed.insert(target, self.forest.pointer(entry));
            self.filled.insert(entry, target);
        }
    }

    /// Returns the target of a reference in the bundle: along its chain to the first node that is in the
    /// root, and so has a place already, or that has another name than the next one. Path items have no
    /// names, and are followed to the end.
    fn destination(&self, start: NodeId, role: Role) -> NodeId {
        let mut current = start;
        while current.file != FileId::ROOT
            && let Some(next) = self.document.targets.get(&current)
            && (role == Role::PathItem || self.name(current) == self.name(*next))
        {
            current = *next;
        }
        current
    }

    /// Returns the name that a node would like to have.
    fn name(&self, node: NodeId) -> String {
        name::of(&self.forest.tokens(node), self.forest.source(node.file).path())
    }

    fn copy(&mut self, node: NodeId, role: Option<Role>) -> Item {
        if let Some(target) = self.document.forwards.get(&node).copied() {
            return self.copy_in_place(node, target, role);
        }
        if let Some(role) = role.filter(|role| role.referable())
            && self.document.targets.contains_key(&node)
            && self.forest.is_object(node)
        {
            return self.copy_reference(node, role);
        }
        let forest = self.forest;
        let view = self.document.node(node);
        let content = match forest.node(node).data {
            Data::Null => Content::Null,
            Data::Bool(value) => Content::Bool(value),
            Data::Integer(_) | Data::Number(_) => {
                Content::Number(view.as_number().unwrap_or_default().to_owned())
            }
            Data::String(_) => Content::String(view.as_str().unwrap_or_default().to_owned()),
            Data::Array { .. } => {
                let mut items = Vec::with_capacity(view.len());
                for (index, item) in forest.children(node).enumerate() {
                    items.push(self.within(&index.to_string(), |puller| puller.copy(item, role)));
                }
                Content::Array(items)
            }
            Data::Object { .. } => {
                let mut members = Vec::with_capacity(view.len());
                for member in forest.children(node) {
                    let key = forest.key(member).unwrap_or_default();
                    let shape = role.and_then(|role| role.field(key, self.document.version));
                    let item = self.within(key, |puller| puller.copy_member(member, role, key, shape));
                    members.push((key.to_owned(), item));
                }
                Content::Object(members)
            }
        };
        Item::new(forest.place(node), content)
    }

    /// Returns the replacement of a misplaced `$ref`, written out.
    fn copy_in_place(&mut self, node: NodeId, target: NodeId, role: Option<Role>) -> Item {
        if self.nested >= MAX_NESTED_PATH_ITEMS {
            self.problems.push(
                Diagnostic::warning(
                    codes::TOO_DEEP,
                    self.forest.key_span(node),
                    "what stands in for this `$ref` leads back to it; it is left out of the bundle",
                )
                .hint("write the object here"),
            );
            return Item::new(self.forest.place(node), Content::Object(Vec::new()));
        }
        self.nested += 1;
        let item = self.copy(target, role);
        self.nested -= 1;
        item
    }

    fn within(&mut self, token: &str, copy: impl FnOnce(&mut Self) -> Item) -> Item {
        let length = self.at.len();
        push_token(&mut self.at, token);
        let item = copy(self);
        self.at.truncate(length);
        item
    }

    fn copy_member(&mut self, member: NodeId, role: Option<Role>, key: &str, shape: Option<Shape>) -> Item {
        match (role, key, shape) {
            (Some(Role::Discriminator), "mapping", _) => self.copy_mapping(member),
            (Some(Role::Link), "operationRef", _) => self.copy_operation_reference(member),
            (_, _, Some(Shape::One(role))) => self.copy(member, Some(role)),
            // Elements of a list carry the role of the list, which the array passes on.
            (_, _, Some(Shape::List(role))) => self.copy_list(member, role),
            (_, _, Some(Shape::Map(role))) => self.copy_map(member, role),
            (_, _, None) => self.copy(member, None),
        }
    }

    fn copy_list(&mut self, node: NodeId, role: Role) -> Item {
        if let Some(target) = self.document.forwards.get(&node).copied() {
            return self.copy_list(target, role);
        }
        let array = matches!(self.forest.node(node).data, Data::Array { .. });
        self.copy(node, array.then_some(role))
    }

    fn copy_map(&mut self, node: NodeId, role: Role) -> Item {
        if let Some(target) = self.document.forwards.get(&node).copied() {
            if self.nested >= MAX_NESTED_PATH_ITEMS {
                return self.copy_in_place(node, target, None);
            }
            self.nested += 1;
            let item = self.copy_map(target, role);
            self.nested -= 1;
            return item;
        }
        if !self.forest.is_object(node) {
            return self.copy(node, None);
        }
        let forest = self.forest;
        let mut members = Vec::new();
        for member in forest.children(node) {
            let key = forest.key(member).unwrap_or_default();
            let item = self.within(key, |puller| puller.copy(member, Some(role)));
            members.push((key.to_owned(), item));
        }
        Item::new(forest.place(node), Content::Object(members))
    }

    fn copy_reference(&mut self, node: NodeId, role: Role) -> Item {
        if let Some(target) = self.filled.get(&node).copied() {
            return if role == Role::PathItem {
                self.copy_path_item(node, target)
            } else {
                self.copy(target, Some(role))
            };
        }
        let target = self.destination(self.document.targets[&node], role);
        if role == Role::PathItem && self.place(target).is_none() {
            self.placed.insert(target, self.at.clone());
            return self.copy_path_item(node, target);
        }
        let destination = match self.place(target) {
            Some(pointer) => pointer,
            None => self.adopt(target, role),
        };
        self.rewritten(node, target, &destination)
    }

    fn copy_path_item(&mut self, node: NodeId, target: NodeId) -> Item {
        if self.nested >= MAX_NESTED_PATH_ITEMS {
            self.problems.push(
                Diagnostic::error(
                    codes::TOO_DEEP,
                    self.forest.key_span(node),
                    format!("path items refer to one another through callbacks more than {MAX_NESTED_PATH_ITEMS} times"),
                )
                .hint("write the callbacks under `components/callbacks` and refer to them there"),
            );
            return self.copy(node, None);
        }
        self.nested += 1;
        let item = self.copy(target, Some(Role::PathItem));
        self.nested -= 1;
        item
    }

    /// Returns the object with its `$ref` leading to `destination`; a text that says the same already is
    /// kept.
    fn rewritten(&mut self, node: NodeId, target: NodeId, destination: &str) -> Item {
        let mut item = self.copy(node, None);
        let written = self.forest.reference(node).unwrap_or_default();
        if !self.is_same(node, written, target)
            && let Some(value) = item.member_mut("$ref")
        {
            value.content = Content::String(as_fragment(destination));
        }
        item
    }

    /// Returns whether a text in the root, without changes, leads to this node of the root.
    fn is_same(&self, site: NodeId, written: &str, target: NodeId) -> bool {
        site.file == FileId::ROOT
            && target.file == FileId::ROOT
            && reference::parse(written)
                .is_ok_and(|parsed| parsed.file.is_none() && parsed.tokens == self.forest.tokens(target))
    }

    /// Returns the position of a node in the bundle, if the node or one around it has a position.
    fn place(&self, node: NodeId) -> Option<String> {
        if node.file == FileId::ROOT {
            return Some(self.forest.pointer(node));
        }
        let mut way: Vec<String> = Vec::new();
        let mut current = node;
        loop {
            if let Some(pointer) = self.placed.get(&current) {
                let mut pointer = pointer.clone();
                for token in way.iter().rev() {
                    push_token(&mut pointer, token);
                }
                return Some(pointer);
            }
            let parent = self.forest.parent(current)?;
            way.push(match self.forest.key(current) {
                Some(key) => key.to_owned(),
                None => self.forest.children(parent).position(|child| child == current)?.to_string(),
            });
            current = parent;
        }
    }

    /// Makes a node of another file a component, and says where.
    fn adopt(&mut self, node: NodeId, role: Role) -> String {
        let section = role.section().unwrap_or_default();
        let path = self.forest.source(node.file).path();
        let wanted = self.name(node);
        let mut given = wanted.clone();
        let mut count = 1;
        while !self.names.insert((section, given.clone())) {
            given = format!("{wanted}_{}", name::stem(path));
            if count > 1 {
                given = format!("{given}_{count}");
            }
            count += 1;
        }
        if given != wanted {
            self.problems.push(
                Diagnostic::warning(
                    codes::COMPONENT_NAME_CLASH,
                    self.forest.key_span(node),
                    format!("the name `{wanted}` is taken in `components/{section}`; the bundle calls this one `{given}`"),
                )
                .hint("rename one of the two, if the name matters to those who use the bundle"),
            );
        }
        let mut pointer = format!("#/components/{section}");
        push_token(&mut pointer, &given);
        self.placed.insert(node, pointer.clone());
        self.pulled.push(Pulled { role, name: given, node });
        pointer
    }

    /// Returns a discriminator's mapping: names and references of other files lead to components of the
    /// bundle.
    fn copy_mapping(&mut self, mapping: NodeId) -> Item {
        let forest = self.forest;
        let mut item = self.copy(mapping, None);
        for value in forest.children(mapping) {
            let (Some(key), Some(target)) = (forest.key(value), self.document.targets.get(&value)) else {
                continue;
            };
            let target = self.destination(*target, Role::Schema);
            if value.file == FileId::ROOT && target.file == FileId::ROOT {
                continue;
            }
            let destination = self.place(target).unwrap_or_else(|| self.adopt(target, Role::Schema));
            if let Some(copied) = item.member_mut(key) {
                copied.content = Content::String(as_fragment(&destination));
            }
        }
        item
    }

    /// Returns a link's operation, which keeps its place if its path item has one.
    fn copy_operation_reference(&mut self, value: NodeId) -> Item {
        let mut item = self.copy(value, None);
        let Some(target) = self.document.targets.get(&value).copied() else { return item };
        let written = self.forest.string(value).unwrap_or_default();
        if self.is_same(value, written, target) {
            return item;
        }
        match self.place(target) {
            Some(destination) => item.content = Content::String(as_fragment(&destination)),
            None => self.problems.push(
                Diagnostic::warning(
                    codes::UNRESOLVED_REFERENCE,
                    self.forest.span(value),
                    "the operation of this link is not part of the bundle",
                )
                .hint("refer to a path of the root document, or use `operationId`"),
            ),
        }
        item
    }
}
