//! The arena of one file: nodes linked to their parents and siblings, in document order.

use crate::source::SourceFile;

/// Stands for "no node" and "no index".
pub(crate) const NONE: u32 = u32::MAX;

/// Objects with more members than this carry a sorted index.
pub(crate) const INDEXED_ABOVE: u32 = 16;

/// A stretch of text: of the source where it is written literally, else of the tree's own pool.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Text {
    start: u32,
    length: u32,
    pooled: bool,
}

impl Text {
    /// These bytes of the source.
    pub(crate) fn source(start: u32, length: u32) -> Self {
        Self { start, length, pooled: false }
    }
}

/// An object key.
#[derive(Copy, Clone, Debug)]
pub(crate) struct KeyData {
    pub(crate) text: Text,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// The value of a node. Number texts follow the grammar of JSON whatever the file's format.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Data {
    Null,
    Bool(bool),
    Integer(Text),
    Number(Text),
    String(Text),
    Array {
        first: u32,
        length: u32,
    },
    /// `sorted` is where the members in key order begin in [`Tree::sorted`].
    Object {
        first: u32,
        length: u32,
        sorted: u32,
    },
}

impl Data {
    /// Returns the kind of the value, with its article.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Integer(_) | Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array { .. } => "an array",
            Self::Object { .. } => "an object",
        }
    }
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Node {
    pub(crate) parent: u32,
    pub(crate) next: u32,
    pub(crate) key: Option<KeyData>,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) data: Data,
}

/// The nodes of one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) pool: String,
    pub(crate) sorted: Vec<u32>,
}

impl Tree {
    pub(crate) fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn pooled(&mut self, text: &str) -> Text {
        let start = crate::source::offset_of(self.pool.len());
        self.pool.push_str(text);
        Text { start, length: crate::source::offset_of(text.len()), pooled: true }
    }

    pub(crate) fn text<'t>(&'t self, source: &'t str, text: Text) -> &'t str {
        let base = if text.pooled { self.pool.as_str() } else { source };
        &base[text.start as usize..(text.start + text.length) as usize]
    }

    /// Children of an array or object in document order.
    pub(crate) fn children(&self, id: u32) -> Children<'_> {
        let next = match self.node(id).data {
            Data::Array { first, .. } | Data::Object { first, .. } => first,
            _ => NONE,
        };
        Children { tree: self, next }
    }

    /// Returns the member of an object with this key.
    pub(crate) fn member(&self, file: &SourceFile, id: u32, key: &str) -> Option<u32> {
        let Data::Object { length, sorted, .. } = self.node(id).data else { return None };
        let key_of = |child: u32| self.key_text(file.text(), child);
        if sorted == NONE {
            return self.children(id).find(|child| key_of(*child) == key);
        }
        let members = &self.sorted[sorted as usize..(sorted + length) as usize];
        let found = members.binary_search_by(|child| key_of(*child).cmp(key)).ok()?;
        Some(members[found])
    }

    /// Returns the key of a member; empty if the node is not a member.
    pub(crate) fn key_text<'t>(&'t self, source: &'t str, id: u32) -> &'t str {
        self.node(id).key.map_or("", |key| self.text(source, key.text))
    }
}

/// Iterates over the children of a node.
pub(crate) struct Children<'t> {
    tree: &'t Tree,
    next: u32,
}

impl Iterator for Children<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.next == NONE {
            return None;
        }
        let current = self.next;
        self.next = self.tree.node(current).next;
        Some(current)
    }
}
