//! The document as one file: the content of other files is pulled in, and every reference stays within the
//! file.

mod conform;
mod content;
mod name;
mod pull;
mod yaml;

use std::thread;

use openapiv3::OpenAPI;

use crate::codes;
use crate::convert;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::Document;

use self::content::Item;

/// Stack for reading a bundle as the types of `openapiv3`, which recurse through several functions for each
/// level of a schema. Memory is allocated only as far as it is used.
const CONFORMS_STACK: usize = 256 << 20;

/// Why an independent reader does not read a bundle as it is meant.
#[derive(Clone, Debug)]
pub enum Unread {
    /// The YAML says something else than the bundle to that reader, with its words.
    Differs(String),
    /// The document has a value that the types of OpenAPI 3.0 cannot hold.
    Foreign(Box<Diagnostic>),
}

/// A document as one file.
///
/// The root file is kept as it is written, in its order. An object of another file becomes a component: the
/// schema `components/schemas/Chatbot` of any file becomes `#/components/schemas/Chatbot`, an object at
/// another place takes its name from its pointer or its file. One object is one component, however many
/// references lead to it. Where two objects want one name, the later gets its file's name appended, and a
/// warning. A component of the root that only refers to another file is filled with what it refers to. Path
/// items of other files are written in place; a further reference to the same one refers to the first.
#[derive(Clone, Debug)]
pub struct Bundle {
    root: Item,
    diagnostics: Diagnostics,
}

impl Document {
    /// Returns the document as one file; see [`Bundle`].
    pub fn bundle(&self) -> Bundle {
        Bundle::new(self.written.as_deref().unwrap_or(self))
    }
}

impl Bundle {
    pub(crate) fn new(document: &Document) -> Self {
        let (root, diagnostics) = pull::pull(document);
        Self { root, diagnostics }
    }

    /// Names that had to be changed, and what else its author should know.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// Returns the bundle as YAML 1.2 that readers of YAML 1.1 understand alike: texts of several lines are
    /// blocks, and texts that some reader would misunderstand are quoted.
    pub fn to_yaml(&self) -> String {
        yaml::write(&self.root)
    }

    /// Returns the bundle as JSON, indented by two spaces, with a final line break. Numbers are written
    /// as in the source.
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        self.root.write_json(&mut text, 0);
        text.push('\n');
        text
    }

    /// Returns the bundle as a JSON value; numbers beyond 64 bits become doubles.
    pub fn to_value(&self) -> serde_json::Value {
        convert::typed(&self.root).unwrap_or_default()
    }

    /// Reads the YAML of the bundle back with independent readers: of YAML, and of OpenAPI 3.0.
    pub fn reads_back(&self, yaml: &str) -> Result<(), Unread> {
        // The reader of YAML takes 128 levels and integers of 64 bits; the text is sound all the same.
        let is_beyond = |error: &serde_yaml::Error| {
            let problem = error.to_string();
            ["recursion limit", " as u128", " as i128"].iter().any(|limit| problem.contains(limit))
        };
        let read = || match serde_yaml::from_str::<OpenAPI>(yaml) {
            Ok(_) => Ok(true),
            // The readers of some objects hide why they do not fit.
            Err(_) => match serde_yaml::from_str::<serde_json::Value>(yaml) {
                Ok(value) if value == self.to_value() => Ok(false),
                Ok(_) => Err("another reader of YAML finds other values".to_owned()),
                // The values may be beyond the numbers that JSON has here, while the YAML is sound.
                Err(_) => match serde_yaml::from_str::<serde_yaml::Value>(yaml) {
                    Ok(_) => Ok(false),
                    Err(error) if is_beyond(&error) => Ok(true),
                    Err(error) => Err(error.to_string()),
                },
            },
        };
        match on_large_stack(read) {
            Ok(true) => Ok(()),
            Ok(false) => self.conforms().map(drop).map_err(Unread::Foreign),
            Err(problem) => Err(Unread::Differs(problem)),
        }
    }

    /// Reads the bundle with the types of the `openapiv3` crate, an independent reader of OpenAPI 3.0. The
    /// error points into the file from which the offending value came.
    pub fn conforms(&self) -> Result<OpenAPI, Box<Diagnostic>> {
        let read = || {
            conform::read(&self.root).map_err(|fault| {
                let span = self.diagnostics.sources().locate(fault.place.unwrap_or(self.root.place));
                Box::new(
                    Diagnostic::error(codes::INVALID_VALUE, span, fault.message)
                        .note("the types of the `openapiv3` crate cannot hold this document"),
                )
            })
        };
        on_large_stack(read)
    }
}

/// Runs a reader that recurses through several functions for each level.
fn on_large_stack<T: Send>(read: impl Fn() -> T + Send + Sync) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(CONFORMS_STACK).spawn_scoped(scope, &read);
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // Without memory for another stack, this one must do.
            Err(_) => read(),
        }
    })
}
