//! The trees of all files together, and the way from a reference to its target.

use std::collections::HashMap;
use std::sync::Arc;

use crate::reference::{self, Malformed, Reference, push_token};
use crate::source::{FileId, Place, SourceFile, Sources, Span};
use crate::tree::{Data, NONE, Node, Tree};

/// Identity of a node: equal for the same place in the same file of one document, ordered by load order, then
/// document order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    pub(crate) file: FileId,
    pub(crate) node: u32,
}

/// References that one pointer may pass through before it counts as a circle.
const MAX_HOPS: usize = 64;

/// Why a reference has no target.
#[derive(Debug)]
pub(crate) enum Failure {
    Malformed(Malformed),
    /// The file at this path has not been loaded.
    NotLoaded(String),
    /// The loader has not been asked yet which file replaces this address.
    NotAsked(String),
    /// The file is known, and has no tree.
    Unreadable,
    /// `token` is not in the object or array at `parent`; the pointer goes on with `rest`.
    Missing {
        parent: NodeId,
        token: String,
        rest: Vec<String>,
    },
    /// The pointer leads through references in a circle.
    Circle,
}

/// Texts and trees of every file that was loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forest {
    pub(crate) sources: Arc<Sources>,
    /// A tree for each source; `None` where the text could not be read.
    pub(crate) trees: Vec<Option<Tree>>,
    /// The file at each path that was asked for; `None` where it could not be loaded.
    pub(crate) paths: HashMap<String, Option<FileId>>,
    /// The path that replaces each requested address on the network; `None` if there is none.
    pub(crate) local: HashMap<String, Option<String>>,
}

impl Forest {
    pub(crate) fn source(&self, file: FileId) -> &SourceFile {
        self.sources.get(file).expect("file ids are made from the sources of the same forest")
    }

    pub(crate) fn tree(&self, file: FileId) -> &Tree {
        self.trees[file.index()].as_ref().expect("node ids are made for trees that exist")
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.tree(id.file).node(id.node)
    }

    /// Whether this is a node.
    pub(crate) fn has(&self, id: NodeId) -> bool {
        (id.node as usize) < self.tree(id.file).nodes.len()
    }

    /// Returns the outermost value of a file, if it was read.
    pub(crate) fn file_root(&self, file: FileId) -> Option<NodeId> {
        let tree = self.trees.get(file.index())?.as_ref()?;
        (!tree.nodes.is_empty()).then_some(NodeId { file, node: 0 })
    }

    pub(crate) fn span(&self, id: NodeId) -> Span {
        self.sources.locate(self.place(id))
    }

    /// Returns the place of a node, without the search for its line and column.
    pub(crate) fn place(&self, id: NodeId) -> Place {
        let node = self.node(id);
        Place { file: id.file, start: node.start, end: node.end }
    }

    /// Returns the place of a member's key, else of the node itself.
    pub(crate) fn key_span(&self, id: NodeId) -> Span {
        match self.node(id).key {
            Some(key) => self.sources.span(id.file, key.start..key.end),
            None => self.span(id),
        }
    }

    pub(crate) fn key(&self, id: NodeId) -> Option<&str> {
        let key = self.node(id).key?;
        Some(self.tree(id.file).text(self.source(id.file).text(), key.text))
    }

    pub(crate) fn string(&self, id: NodeId) -> Option<&str> {
        match self.node(id).data {
            Data::String(text) => Some(self.tree(id.file).text(self.source(id.file).text(), text)),
            _ => None,
        }
    }

    /// Returns the text of a number, in the grammar of JSON.
    pub(crate) fn number(&self, id: NodeId) -> Option<&str> {
        match self.node(id).data {
            Data::Integer(text) | Data::Number(text) => {
                Some(self.tree(id.file).text(self.source(id.file).text(), text))
            }
            _ => None,
        }
    }

    pub(crate) fn is_object(&self, id: NodeId) -> bool {
        matches!(self.node(id).data, Data::Object { .. })
    }

    pub(crate) fn member(&self, id: NodeId, key: &str) -> Option<NodeId> {
        let node = self.tree(id.file).member(self.source(id.file), id.node, key)?;
        Some(NodeId { file: id.file, node })
    }

    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.tree(id.file).children(id.node).map(move |node| NodeId { file: id.file, node })
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        let parent = self.node(id).parent;
        (parent != NONE).then_some(NodeId { file: id.file, node: parent })
    }

    /// Returns the `$ref` of an object, if it is a string.
    pub(crate) fn reference(&self, id: NodeId) -> Option<&str> {
        self.member(id, "$ref").and_then(|value| self.string(value))
    }

    /// Keys and indices from the root of the file to the node.
    pub(crate) fn tokens(&self, id: NodeId) -> Vec<String> {
        let mut tokens = Vec::new();
        let mut current = id;
        while let Some(parent) = self.parent(current) {
            tokens.push(match self.key(current) {
                Some(key) => key.to_owned(),
                None => {
                    self.children(parent).position(|child| child == current).unwrap_or_default().to_string()
                }
            });
            current = parent;
        }
        tokens.reverse();
        tokens
    }

    /// Returns the JSON pointer of a node in its file, after a `#`.
    pub(crate) fn pointer(&self, id: NodeId) -> String {
        let mut pointer = String::from("#");
        for token in self.tokens(id) {
            push_token(&mut pointer, &token);
        }
        pointer
    }

    /// Returns the node that a reference text in `base` leads to: the first one, which may be a reference
    /// itself.
    pub(crate) fn locate(&self, base: FileId, text: &str) -> Result<NodeId, Failure> {
        // One budget for the whole way: pointers through pointers would otherwise multiply.
        self.locate_within(base, text, &mut { MAX_HOPS })
    }

    fn locate_within(&self, base: FileId, text: &str, hops: &mut usize) -> Result<NodeId, Failure> {
        *hops = hops.checked_sub(1).ok_or(Failure::Circle)?;
        let (reference, local) = match reference::parse(text) {
            Ok(reference) => (reference, None),
            Err(Malformed::Remote) => self.in_place_of(text)?,
            Err(malformed) => return Err(Failure::Malformed(malformed)),
        };
        let joined = |relative: String| reference::join(self.source(base).path(), &relative);
        let file = match reference.file.map(joined).or(local) {
            None => base,
            Some(path) => match self.paths.get(&path) {
                Some(Some(file)) => *file,
                Some(None) => return Err(Failure::Unreadable),
                None => return Err(Failure::NotLoaded(path)),
            },
        };
        let mut current = self.file_root(file).ok_or(Failure::Unreadable)?;
        let mut tokens = reference.tokens.into_iter();
        while let Some(token) = tokens.next() {
            current = loop {
                if let Some(child) = self.child(current, &token) {
                    break child;
                }
                // A pointer may pass through a reference, as most tools allow.
                let Some(through) = self.reference(current) else {
                    return Err(Failure::Missing { parent: current, token, rest: tokens.collect() });
                };
                current = self.locate_within(current.file, through, hops)?;
            };
        }
        Ok(current)
    }

    /// Returns the reference relative to the file that replaces its address, and the path of that file.
    fn in_place_of(&self, text: &str) -> Result<(Reference, Option<String>), Failure> {
        let (address, fragment) = text.split_once('#').unwrap_or((text, ""));
        match self.local.get(address) {
            None => Err(Failure::NotAsked(address.to_owned())),
            Some(None) => Err(Failure::Malformed(Malformed::Remote)),
            Some(Some(path)) => {
                let reference = reference::parse(&format!("#{fragment}")).map_err(Failure::Malformed)?;
                Ok((reference, Some(path.clone())))
            }
        }
    }

    /// Returns the object of a file that has one of these keys with this text, such as an anchor.
    pub(crate) fn marked(&self, file: FileId, keys: &[&str], text: &str) -> Option<NodeId> {
        let is_same =
            |mark: &NodeId| self.string(*mark).is_some_and(|mark| mark.trim_end_matches('#') == text);
        self.marks(file, keys).filter(is_same).find_map(|mark| self.parent(mark))
    }

    /// Returns the members of a file that have one of these keys, in the order of the text.
    pub(crate) fn marks<'f>(&'f self, file: FileId, keys: &'f [&str]) -> impl Iterator<Item = NodeId> + 'f {
        let tree = self.trees.get(file.index()).and_then(Option::as_ref);
        tree.into_iter().flat_map(move |tree| {
            let source = self.source(file).text();
            let ids = 0..crate::source::offset_of(tree.nodes.len());
            ids.filter(move |node| keys.contains(&tree.key_text(source, *node)))
                .map(move |node| NodeId { file, node })
        })
    }

    /// Returns the node that a pointer leads to from a node, without passing through references.
    pub(crate) fn below(&self, node: NodeId, pointer: &str) -> Option<NodeId> {
        let tokens = reference::parse(&format!("#{pointer}")).ok()?.tokens;
        tokens.iter().try_fold(node, |node, token| self.child(node, token))
    }

    /// Returns the member or element that a pointer token names.
    pub(crate) fn child(&self, id: NodeId, token: &str) -> Option<NodeId> {
        match self.node(id).data {
            Data::Object { .. } => self.member(id, token),
            Data::Array { .. } if token == "0" || !token.starts_with(['0', '+']) => {
                self.children(id).nth(token.parse().ok()?)
            }
            _ => None,
        }
    }
}
