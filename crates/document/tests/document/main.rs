//! The document reader from outside: reading, places, problems, the bundle, and inputs that nobody would
//! write.

mod bundling;
mod corpus;
mod diagnostics;
mod later_version;
mod operations;
mod places;
mod reading;
mod robustness;
mod tolerance;

use frontdesk_document::{Diagnostics, Document, MemoryLoader};

/// The files of a test: the first is the root.
fn loader(files: &[(&str, &str)]) -> MemoryLoader {
    files.iter().copied().collect()
}

/// The document of these files, which must be without errors.
fn document(files: &[(&str, &str)]) -> Document {
    let (document, diagnostics) = Document::read(files[0].0, &loader(files));
    document.unwrap_or_else(|| panic!("{}", diagnostics.render(diagnostics.sources(), false)))
}

/// What reading these files reports.
fn problems(files: &[(&str, &str)]) -> Diagnostics {
    Document::read(files[0].0, &loader(files)).1
}

/// What reading these files reports where defects are errors.
fn strict_problems(files: &[(&str, &str)]) -> Diagnostics {
    let (document, diagnostics) = Document::read_strictly(files[0].0, &loader(files));
    assert_eq!(document.is_none(), diagnostics.has_errors());
    diagnostics
}

/// Returns a root document that ends in these members.
fn root(rest: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: Test, version: \"1\"}}\n{rest}")
}
