//! `$dynamicRef`: a schema that gives an anchor another meaning, and refers to schemas that use the anchor,
//! gets copies of these schemas with its own meaning.
//!
//! Which schema a `$dynamicRef` leads to depends on the schemas on the way to it, of which the outermost with
//! the anchor counts. A node has one target, so the schemas on the way are copied for each outermost one:
//!
//! ```yaml
//! PetPage:
//!   $ref: '#/components/schemas/Page'        # its items are `{$dynamicRef: '#item'}`
//!   $defs: {item: {$dynamicAnchor: item, $ref: '#/components/schemas/Pet'}}
//! ```
//!
//! The reference becomes an `allOf` with a copy of `Page` in which the items are a `$ref` to the schema under
//! `$defs`. The bundle keeps what is written.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::edit::Edit;
use crate::forest::{Forest, NodeId};
use crate::tree::{Data, KeyData, NONE, Node, Text};

type Targets = HashMap<NodeId, NodeId>;

/// Copies schemas wherever an anchor gets another meaning. Adds the copies to `schemas`.
pub(super) fn bind(forest: &mut Forest, targets: &mut Targets, schemas: &mut Vec<NodeId>) {
    if !schemas.iter().any(|schema| forest.member(*schema, "$dynamicRef").is_some()) {
        return;
    }
    let mut known: HashSet<NodeId> = schemas.iter().copied().collect();
    for schema in schemas.clone() {
        let anchors = anchors(forest, schema);
        if anchors.is_empty() {
            continue;
        }
        // A reference back to the schema has the same meaning already.
        let copies = HashMap::from([(schema, schema)]);
        let known = &mut known;
        Binding { forest, targets, schemas, known, schema, anchors, copies, uses: HashMap::new() }.run();
    }
}

/// Returns the schemas to which a schema gives the names of dynamic anchors: itself, and those in its
/// `$defs`.
fn anchors(forest: &Forest, schema: NodeId) -> HashMap<String, NodeId> {
    let named = |schema: NodeId| {
        let name = forest.member(schema, "$dynamicAnchor").and_then(|anchor| forest.string(anchor))?;
        Some((name.to_owned(), schema))
    };
    let definitions = forest.member(schema, "$defs").into_iter().flat_map(|defs| forest.children(defs));
    definitions.filter_map(named).chain(named(schema)).collect()
}

/// The copies for one schema.
struct Binding<'b> {
    forest: &'b mut Forest,
    targets: &'b mut Targets,
    schemas: &'b mut Vec<NodeId>,
    /// The same schemas.
    known: &'b mut HashSet<NodeId>,
    schema: NodeId,
    anchors: HashMap<String, NodeId>,
    /// What stands for each schema on the way: its copy.
    copies: HashMap<NodeId, NodeId>,
    /// Whether a schema leads to a reference by one of the anchors.
    uses: HashMap<NodeId, bool>,
}

impl Binding<'_> {
    fn run(mut self) {
        let mut sites = Vec::new();
        let mut open = vec![self.schema];
        while let Some(node) = open.pop() {
            if self.forest.member(node, "$ref").is_some() && self.targets.contains_key(&node) {
                sites.push(node);
            }
            open.extend(self.forest.children(node).filter(|child| self.forest.key(*child) != Some("$defs")));
        }
        while let Some(site) = sites.pop() {
            let Some(target) = self.targets.get(&site).copied() else { continue };
            if let Some(copy) = self.copies.get(&target) {
                self.targets.insert(site, *copy);
                continue;
            }
            if !self.uses_anchor(target) {
                continue;
            }
            let mut copied = Vec::new();
            let copy = self.copy(target, site, &mut copied);
            self.attach(site, copy);
            sites.extend(copied.into_iter().filter_map(|(from, copy)| self.connect(from, copy)));
        }
    }

    /// Gives a copied node its target. Returns it if it is a reference that may need a copy of its target.
    fn connect(&mut self, from: NodeId, copy: NodeId) -> Option<NodeId> {
        let target = self.targets.get(&from).copied()?;
        let bound = self.anchor_of(from).and_then(|name| self.anchors.get(name)).copied();
        self.targets.insert(copy, bound.unwrap_or(target));
        (bound.is_none() && self.forest.member(copy, "$ref").is_some()).then_some(copy)
    }

    /// Returns the anchor by which a schema refers to another one.
    fn anchor_of(&self, schema: NodeId) -> Option<&str> {
        let reference = self.forest.member(schema, "$dynamicRef")?;
        self.forest.string(reference)?.split_once('#').map(|(_, name)| name)
    }

    /// Returns whether a schema, or one that it refers to, refers by one of the anchors.
    fn uses_anchor(&mut self, schema: NodeId) -> bool {
        if let Some(known) = self.uses.get(&schema) {
            return *known;
        }
        let mut seen = HashSet::new();
        let mut open = vec![schema];
        let mut found = false;
        while let Some(node) = open.pop() {
            if !seen.insert(node) {
                continue;
            }
            if self.anchor_of(node).is_some_and(|name| self.anchors.contains_key(name)) {
                found = true;
                break;
            }
            if self.forest.member(node, "$ref").is_some() {
                open.extend(self.targets.get(&node));
            }
            open.extend(self.forest.children(node));
        }
        self.uses.insert(schema, found);
        found
    }

    /// Copies a node with everything in it into the file of a site. A node of another file has the place of
    /// the site.
    fn copy(&mut self, from: NodeId, site: NodeId, copied: &mut Vec<(NodeId, NodeId)>) -> NodeId {
        let node = *self.forest.node(from);
        let at = *self.forest.node(site);
        let same = from.file == site.file;
        let (start, end) = if same { (node.start, node.end) } else { (at.start, at.end) };
        let key = node.key.map(|key| {
            let text = self.text(from, site, key.text);
            if same { KeyData { text, ..key } } else { KeyData { text, start, end } }
        });
        let data = match node.data {
            Data::Integer(text) => Data::Integer(self.text(from, site, text)),
            Data::Number(text) => Data::Number(self.text(from, site, text)),
            Data::String(text) => Data::String(self.text(from, site, text)),
            data => data,
        };
        let id = self.edit(site, |edit| edit.push(Node { parent: NONE, next: NONE, key, start, end, data }));
        let copy = NodeId { file: site.file, node: id };
        if self.known.contains(&from) {
            self.known.insert(copy);
            self.schemas.push(copy);
        }
        self.copies.insert(from, copy);
        copied.push((from, copy));
        let children: Vec<NodeId> = self.forest.children(from).collect();
        let children: Vec<u32> =
            children.into_iter().map(|child| self.copy(child, site, copied).node).collect();
        match node.data {
            Data::Object { .. } => self.edit(site, |edit| edit.set_members(id, children)),
            Data::Array { .. } => self.edit(site, |edit| edit.set_items(id, &children)),
            _ => {}
        }
        copy
    }

    /// Returns a text of one file as one of another.
    fn text(&mut self, from: NodeId, site: NodeId, text: Text) -> Text {
        if from.file == site.file {
            return text;
        }
        let text = self.forest.tree(from.file).text(self.forest.source(from.file).text(), text).to_owned();
        self.edit(site, |edit| Some(edit.text(&text))).unwrap_or(Text::source(0, 0))
    }

    /// Puts a copy in place of a reference: a part beside the other keywords.
    fn attach(&mut self, site: NodeId, copy: NodeId) {
        self.targets.remove(&site);
        self.edit(site, |edit| {
            let mut members = edit.children(site.node);
            edit.take(&mut members, "$ref");
            match edit.find(&members, "allOf") {
                Some(parts) => {
                    let mut items = vec![copy.node];
                    items.extend(edit.children(parts));
                    edit.set_items(parts, &items);
                }
                None => {
                    let parts = edit.list(copy.node, "allOf", &[copy.node]);
                    members.push(parts);
                }
            }
            edit.set_members(site.node, members);
        });
    }

    /// Changes the tree of a file. Every node is of a file that was read, so there is one.
    fn edit<T: Default>(&mut self, site: NodeId, change: impl FnOnce(&mut Edit<'_>) -> T) -> T {
        let sources = Arc::clone(&self.forest.sources);
        let tree = self.forest.trees.get_mut(site.file.index()).and_then(Option::as_mut);
        match (tree, sources.get(site.file)) {
            (Some(tree), Some(source)) => change(&mut Edit::new(tree, source.text())),
            _ => T::default(),
        }
    }
}
