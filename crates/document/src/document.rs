//! The document as a whole.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::bundle::Bundle;
use crate::diagnostic::Diagnostics;
use crate::forest::{Forest, NodeId};
use crate::limits::Limits;
use crate::loader::Loader;
use crate::node::NodeRef;
use crate::read::Reader;
use crate::source::{FileId, SourceFile, Sources};

/// An OpenAPI 3.0 document as written: all its files, with the place of every value, and every reference resolved.
pub struct Document {
    pub(crate) forest: Forest,
    /// The immediate target of each object with a `$ref`, and of each mapping value and operation reference.
    pub(crate) targets: HashMap<NodeId, NodeId>,
}

impl fmt::Debug for Document {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&str> = self.files().map(SourceFile::path).collect();
        formatter.debug_struct("Document").field("files", &files).finish_non_exhaustive()
    }
}

impl Document {
    /// Reads the root and every file it references, with the default [`Limits`].
    ///
    /// There is a document exactly if there is no error among the diagnostics, so every reference of a document that
    /// exists has a target. The diagnostics are sorted, and [carry the texts](Diagnostics::sources) that were read.
    pub fn read(root_path: &str, loader: &dyn Loader) -> (Option<Self>, Diagnostics) {
        Self::read_within(root_path, loader, Limits::default())
    }

    /// As [`read`](Self::read), with other limits. The depth limit bounds the stack that reading and every walk need.
    pub fn read_within(root_path: &str, loader: &dyn Loader, limits: Limits) -> (Option<Self>, Diagnostics) {
        let mut reader = Reader::new(loader, limits);
        reader.run(root_path);
        let Reader { forest, targets, problems, .. } = reader;
        let document = (!problems.has_errors()).then_some(Self { forest, targets });
        (document, problems)
    }

    /// The outermost object of the root file.
    pub fn root(&self) -> NodeRef<'_> {
        self.node(NodeId { file: FileId::ROOT, node: 0 })
    }

    /// The node of an id of this document.
    ///
    /// # Panics
    ///
    /// If the id is one of another document that has more files or values.
    pub fn node(&self, id: NodeId) -> NodeRef<'_> {
        NodeRef::new(self, id)
    }

    /// Path and text of every file, in load order: the root first, then as its references were met.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.forest.sources.iter().map(|(_, file)| file)
    }

    /// The texts, for rendering diagnostics that point into them.
    pub fn sources(&self) -> &Sources {
        &self.forest.sources
    }

    /// No diagnostics yet about this document; stages after reading add theirs.
    pub fn diagnostics(&self) -> Diagnostics {
        Diagnostics::with_sources(Arc::clone(&self.forest.sources))
    }

    /// The document as one file; see [`Bundle`].
    pub fn bundle(&self) -> Bundle {
        Bundle::new(self)
    }
}
