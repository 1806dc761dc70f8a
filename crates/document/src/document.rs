//! The document as a whole.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::broken::Broken;
use crate::diagnostic::Diagnostics;
use crate::forest::{Forest, NodeId};
use crate::source::{SourceFile, Sources};
use crate::version::Version;

/// An OpenAPI document: all its files, with the place of every value, and every reference resolved.
///
/// Whatever its version, its nodes have the forms of OpenAPI 3.0: the schemas of a 3.1 document are rewritten
/// while it is read, and keep their places in the source. Keywords without a counterpart stay as they are.
/// [`bundle`](Self::bundle) writes the document in its own version.
pub struct Document {
    pub(crate) forest: Forest,
    /// The immediate target of each object with a `$ref`, and of each mapping value and operation reference.
    pub(crate) targets: HashMap<NodeId, NodeId>,
    /// The target of each `$ref` in place of an object that cannot be referred to.
    pub(crate) forwards: HashMap<NodeId, NodeId>,
    /// The last target of each `$ref` that leads to another one: chains are followed once.
    pub(crate) ends: OnceLock<HashMap<NodeId, NodeId>>,
    pub(crate) version: Version,
    pub(crate) defects: Vec<Broken>,
    /// The document before its schemas were rewritten, if any were.
    pub(crate) written: Option<Box<Document>>,
}

impl fmt::Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&str> = self.files().map(SourceFile::path).collect();
        formatter.debug_struct("Document").field("files", &files).finish_non_exhaustive()
    }
}

impl Document {
    /// Returns where a `$ref` leads in the end, if it leads to another one.
    pub(crate) fn end(&self, node: NodeId) -> Option<NodeId> {
        let next =
            |node: NodeId| self.forest.member(node, "$ref").and_then(|_| self.targets.get(&node)).copied();
        let ends = self.ends.get_or_init(|| {
            let mut ends: HashMap<NodeId, NodeId> = HashMap::new();
            #[expect(clippy::iter_over_hash_type, reason = "a chain has the same end wherever it is entered")]
            for (&start, &target) in &self.targets {
                if next(start).is_none() || next(target).is_none() || ends.contains_key(&start) {
                    continue;
                }
                let (mut passed, mut current) = (Vec::new(), start);
                let mut seen = HashSet::new();
                let end = loop {
                    if let Some(known) = ends.get(&current) {
                        break Some(*known);
                    }
                    // A circle has no end; whoever follows it reports that.
                    if !seen.insert(current) {
                        break None;
                    }
                    let Some(target) = next(current) else { break Some(current) };
                    passed.push(current);
                    current = target;
                };
                if let Some(end) = end {
                    ends.extend(passed.into_iter().map(|node| (node, end)));
                }
            }
            ends
        });
        ends.get(&node).copied()
    }

    /// Returns the version of OpenAPI that the root declares.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns path and text of every file, in load order: the root first, then in the order of the
    /// references to them.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.forest.sources.iter().map(|(_, file)| file)
    }

    /// Returns the texts, for rendering diagnostics that point into them.
    pub fn sources(&self) -> &Sources {
        &self.forest.sources
    }

    /// No diagnostics yet about this document; stages after reading add theirs.
    pub fn diagnostics(&self) -> Diagnostics {
        Diagnostics::with_sources(Arc::clone(&self.forest.sources))
    }
}
