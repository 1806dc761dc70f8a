//! Changes of a tree after reading: new members, other members, and nodes without a text in the source.
//!
//! A new node has the position of the node that it is made from, so that problems with it point into the
//! source.

use std::collections::{BTreeMap, HashSet};

use crate::source::offset_of;
use crate::tree::{Data, INDEXED_ABOVE, KeyData, NONE, Node, Text, Tree};

/// Changes the tree of one file.
pub(crate) struct Edit<'t> {
    pub(crate) tree: &'t mut Tree,
    source: &'t str,
    /// Texts that are in the pool of the tree already.
    pooled: BTreeMap<String, Text>,
}

impl<'t> Edit<'t> {
    pub(crate) fn new(tree: &'t mut Tree, source: &'t str) -> Self {
        Self { tree, source, pooled: BTreeMap::new() }
    }

    pub(crate) fn data(&self, node: u32) -> Data {
        self.tree.node(node).data
    }

    pub(crate) fn is_object(&self, node: u32) -> bool {
        matches!(self.data(node), Data::Object { .. })
    }

    pub(crate) fn children(&self, node: u32) -> Vec<u32> {
        self.tree.children(node).collect()
    }

    pub(crate) fn key(&self, node: u32) -> &str {
        self.tree.key_text(self.source, node)
    }

    /// Returns the text of a string.
    pub(crate) fn string(&self, node: u32) -> Option<&str> {
        match self.data(node) {
            Data::String(text) => Some(self.tree.text(self.source, text)),
            _ => None,
        }
    }

    /// Returns the value of a number.
    pub(crate) fn number(&self, node: u32) -> Option<f64> {
        match self.data(node) {
            Data::Integer(text) | Data::Number(text) => self.tree.text(self.source, text).parse().ok(),
            _ => None,
        }
    }

    /// Returns the member of this key among members.
    pub(crate) fn find(&self, members: &[u32], key: &str) -> Option<u32> {
        members.iter().copied().find(|member| self.key(*member) == key)
    }

    /// Removes the member of this key from members.
    pub(crate) fn take(&self, members: &mut Vec<u32>, key: &str) -> Option<u32> {
        let index = members.iter().position(|member| self.key(*member) == key)?;
        Some(members.remove(index))
    }

    /// Returns a text that is not in the source.
    pub(crate) fn text(&mut self, text: &str) -> Text {
        if let Some(known) = self.pooled.get(text) {
            return *known;
        }
        let pooled = self.tree.pooled(text);
        self.pooled.insert(text.to_owned(), pooled);
        pooled
    }

    /// Gives a node this key, at the place of the key that it has, or of the node itself.
    pub(crate) fn rename(&mut self, node: u32, key: &str) {
        let text = self.text(key);
        let Node { start, end, key, .. } = *self.tree.node(node);
        let (start, end) = key.map_or((start, end), |key| (key.start, key.end));
        self.tree.nodes[node as usize].key = Some(KeyData { text, start, end });
    }

    /// Replaces the value of a node; its position and key stay.
    pub(crate) fn replace(&mut self, node: u32, data: Data) {
        self.tree.nodes[node as usize].data = data;
    }

    /// Replaces a node by a text.
    pub(crate) fn replace_by_text(&mut self, node: u32, text: &str) {
        let text = self.text(text);
        self.replace(node, Data::String(text));
    }

    /// Adds a node that nothing holds yet.
    pub(crate) fn push(&mut self, node: Node) -> u32 {
        let id = offset_of(self.tree.nodes.len());
        self.tree.nodes.push(node);
        id
    }

    /// Returns a new node at the place of another one.
    fn add(&mut self, at: u32, data: Data) -> u32 {
        let Node { start, end, .. } = *self.tree.node(at);
        self.push(Node { parent: NONE, next: NONE, key: None, start, end, data })
    }

    /// Returns a new member with a boolean value.
    pub(crate) fn flag(&mut self, at: u32, key: &str, value: bool) -> u32 {
        let node = self.add(at, Data::Bool(value));
        self.rename(node, key);
        node
    }

    /// Returns a new member with a text.
    pub(crate) fn word(&mut self, at: u32, key: &str, text: &str) -> u32 {
        let text = self.text(text);
        let node = self.add(at, Data::String(text));
        self.rename(node, key);
        node
    }

    /// Returns a new member with a whole number.
    pub(crate) fn count(&mut self, at: u32, key: &str, count: usize) -> u32 {
        let text = self.text(&count.to_string());
        let node = self.add(at, Data::Integer(text));
        self.rename(node, key);
        node
    }

    /// Returns a new object of these members.
    pub(crate) fn object(&mut self, at: u32, members: Vec<u32>) -> u32 {
        let node = self.add(at, Data::Null);
        self.set_members(node, members);
        node
    }

    /// Returns a new member with an array of these elements.
    pub(crate) fn list(&mut self, at: u32, key: &str, items: &[u32]) -> u32 {
        let node = self.add(at, Data::Null);
        self.rename(node, key);
        self.set_items(node, items);
        node
    }

    /// Orders members by their places, as readers of a tree expect them.
    pub(crate) fn order(&self, members: &mut [u32]) {
        members.sort_by_key(|member| {
            let node = self.tree.node(*member);
            node.key.map_or(node.start, |key| key.start)
        });
    }

    /// Makes a node an object of these members.
    pub(crate) fn set_members(&mut self, node: u32, mut members: Vec<u32>) {
        self.link(node, &members);
        let length = offset_of(members.len());
        let first = members.first().copied().unwrap_or(NONE);
        let mut sorted = NONE;
        if length > INDEXED_ABOVE {
            sorted = offset_of(self.tree.sorted.len());
            members.sort_by(|left, right| {
                self.tree.key_text(self.source, *left).cmp(self.tree.key_text(self.source, *right))
            });
            self.tree.sorted.extend(members);
        }
        self.replace(node, Data::Object { first, length, sorted });
    }

    /// Makes a node an array of these elements, which lose their keys.
    pub(crate) fn set_items(&mut self, node: u32, items: &[u32]) {
        for item in items {
            self.tree.nodes[*item as usize].key = None;
        }
        self.link(node, items);
        let first = items.first().copied().unwrap_or(NONE);
        self.replace(node, Data::Array { first, length: offset_of(items.len()) });
    }

    fn link(&mut self, parent: u32, children: &[u32]) {
        for (index, child) in children.iter().enumerate() {
            let node = &mut self.tree.nodes[*child as usize];
            node.parent = parent;
            node.next = children.get(index + 1).copied().unwrap_or(NONE);
        }
    }

    /// Removes nodes from the object or array that holds them.
    pub(crate) fn detach(&mut self, parent: u32, nodes: &HashSet<u32>) {
        let rest: Vec<u32> = self.tree.children(parent).filter(|child| !nodes.contains(child)).collect();
        if self.is_object(parent) {
            self.set_members(parent, rest);
        } else {
            self.set_items(parent, &rest);
        }
    }
}
