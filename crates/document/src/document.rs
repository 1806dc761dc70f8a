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
use crate::normalize;
use crate::read::Reader;
use crate::repair::{self, Broken, Defect};
use crate::source::{FileId, SourceFile, Sources};
use crate::version::Version;

/// An OpenAPI document: all its files, with the place of every value, and every reference resolved.
///
/// Whatever its version, its nodes have the forms of OpenAPI 3.0: the schemas of a 3.1 document are rewritten while it is
/// read, and keep their places in the source. Keywords without a counterpart stay as they are. [`bundle`](Self::bundle)
/// writes the document in its own version.
pub struct Document {
    pub(crate) forest: Forest,
    /// The immediate target of each object with a `$ref`, and of each mapping value and operation reference.
    pub(crate) targets: HashMap<NodeId, NodeId>,
    /// Where a `$ref` stands in place of an object that cannot be referred to: what it leads to.
    pub(crate) forwards: HashMap<NodeId, NodeId>,
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
    /// Reads the root and every file it references, with the default [`Limits`].
    ///
    /// A defect with a sensible interpretation, such as a reference that leads nowhere, is a warning that states it; see
    /// [`defects`](Self::defects). There is a document exactly if there is no error among the diagnostics, and every
    /// reference of a document has a target: one that had none is gone. The diagnostics are sorted, and [carry the
    /// texts](Diagnostics::sources) that were read.
    pub fn read(root_path: &str, loader: &dyn Loader) -> (Option<Self>, Diagnostics) {
        Self::read_within(root_path, loader, Limits::default())
    }

    /// As [`read`](Self::read), but every defect is an error.
    pub fn read_strictly(root_path: &str, loader: &dyn Loader) -> (Option<Self>, Diagnostics) {
        Self::read_within(root_path, loader, Limits { strict: true, ..Limits::default() })
    }

    /// As [`read`](Self::read), with other limits. The depth limit bounds the stack that reading and every walk need.
    pub fn read_within(root_path: &str, loader: &dyn Loader, limits: Limits) -> (Option<Self>, Diagnostics) {
        let mut reader = Reader::new(loader, limits);
        reader.run(root_path);
        if reader.problems.has_errors() {
            return (None, reader.problems);
        }
        repair::repair(&mut reader);
        let schemas = reader.visited_schemas();
        let Reader { forest, targets, forwards, version, broken, mut problems, .. } = reader;
        let read = Self { forest, targets, forwards, version, defects: broken, written: None };
        let document = normalize::normalize(read, &schemas, limits.strict, &mut problems);
        problems.sort();
        ((!problems.has_errors()).then_some(document), problems)
    }

    /// The version of OpenAPI that the root declares.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The places where the document could not be taken as it is written, in the order in which they were found.
    pub fn defects(&self) -> impl Iterator<Item = Defect<'_>> {
        self.defects.iter().map(|broken| broken.defect(self.node(broken.holder)))
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
        Bundle::new(self.written.as_deref().unwrap_or(self))
    }
}
