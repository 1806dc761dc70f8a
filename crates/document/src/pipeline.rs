//! The stages of reading a document: load its files, repair references that lead nowhere, and normalize its
//! schemas.

use std::sync::OnceLock;

use crate::diagnostic::Diagnostics;
use crate::document::Document;
use crate::limits::Limits;
use crate::loader::Loader;
use crate::normalize;
use crate::read::Reader;
use crate::repair;

impl Document {
    /// Reads the root and every file it references, with the default [`Limits`].
    ///
    /// A defect with a sensible interpretation, such as a reference that leads nowhere, is a warning that
    /// states it; see [`defects`](Self::defects). There is a document exactly if there is no error among the
    /// diagnostics, and every reference of a document has a target: one that had none is gone. The
    /// diagnostics are sorted, and [carry the texts](Diagnostics::sources) that were read.
    pub fn read(root_path: &str, loader: &dyn Loader) -> (Option<Self>, Diagnostics) {
        Self::read_within(root_path, loader, Limits::default())
    }

    /// As [`read`](Self::read), but every defect is an error.
    pub fn read_strictly(root_path: &str, loader: &dyn Loader) -> (Option<Self>, Diagnostics) {
        Self::read_within(root_path, loader, Limits { strict: true, ..Limits::default() })
    }

    /// As [`read`](Self::read), with other limits. The depth limit bounds the stack that reading and every
    /// walk need.
    pub fn read_within(root_path: &str, loader: &dyn Loader, limits: Limits) -> (Option<Self>, Diagnostics) {
        let mut reader = Reader::new(loader, limits);
        reader.run(root_path);
        if reader.problems.has_errors() {
            return (None, reader.problems);
        }
        repair::repair(&mut reader);
        let schemas = reader.visited_schemas();
        let Reader { forest, targets, forwards, version, broken, mut problems, .. } = reader;
        let ends = OnceLock::new();
        let read = Self { forest, targets, forwards, ends, version, defects: broken, written: None };
        let document = normalize::normalize(read, &schemas, limits.strict, &mut problems);
        problems.sort();
        ((!problems.has_errors()).then_some(document), problems)
    }
}
