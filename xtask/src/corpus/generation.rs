//! One document through the generator, timed, with whatever comes of it: files, a refusal, or a defect of the generator.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Instant;

use frontdesk_codegen::fileset::FileSet;
use frontdesk_codegen::{GenerateError, Options, RuntimeDependency};
use frontdesk_document::{Diagnostics, Document as Tree, METHODS, Severity};

use super::check::Checked;
use super::documents::Document;
use super::round_trip::Travelled;
use crate::folder::FolderLoader;

/// The stack of the main thread on most systems: what generation has where a user runs it.
const STACK: usize = 8 << 20;

/// What is known of a document after generation.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Operations below `paths`; unknown if the document cannot be read.
    pub operations: Option<usize>,
    /// Operations without a raw JSON value in their types; unknown if nothing was generated.
    pub typed: Option<usize>,
    /// Lines of the longest file that does not hold one type alone; unknown if nothing was generated.
    pub longest: Option<usize>,
    /// Reading and generating, without writing.
    pub milliseconds: u128,
    /// Warnings.
    pub warnings: usize,
    /// How it ended.
    pub outcome: Outcome,
    /// What the compiler said, if it was asked.
    pub checked: Option<Checked>,
    /// What came of instances, if they were sent through the types.
    pub travelled: Option<Travelled>,
}

/// How generation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There are crates.
    Generated,
    /// The document was refused: codes of errors, and how often each was met.
    Refused(BTreeMap<&'static str, usize>),
    /// The generator failed, whatever the document says: the first line of what it said.
    Broken(String),
}

impl Outcome {
    /// In a few words.
    pub fn summary(&self) -> String {
        match self {
            Self::Generated => "generated".to_owned(),
            Self::Refused(codes) => {
                let codes: Vec<String> =
                    codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
                format!("refused: {}", codes.join(", "))
            }
            Self::Broken(message) => format!("broken: {message}"),
        }
    }
}

/// Generates from a document of the corpus; `runtime` is the way from the output folder to the engine.
pub fn generate(corpus: &Path, document: &Document, runtime: &str) -> (Facts, Option<FileSet>) {
    let options = Options {
        name: document.name.clone(),
        source: document.file.clone(),
        runtime: RuntimeDependency::Path(runtime.to_owned()),
        strict: false,
    };
    let loader = loader(corpus);
    let started = Instant::now();
    let run = || attempt(&document.file, &loader, &options);
    // A thread of its own, so that a panic is a row of the table and not the end of it.
    let joined = thread::scope(|scope| {
        thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).map(thread::ScopedJoinHandle::join)
    });
    let (mut facts, files) = match joined {
        Ok(Ok(result)) => result,
        Ok(Err(payload)) => (broken(&panic_message(&*payload)), None),
        Err(error) => (broken(&error.to_string()), None),
    };
    facts.milliseconds = started.elapsed().as_millis();
    (facts, files)
}

/// Reads the files of a corpus.
pub fn loader(corpus: &Path) -> FolderLoader {
    match corpus.canonicalize() {
        Ok(corpus) => FolderLoader::new(&corpus, &corpus),
        Err(_) => FolderLoader::new(corpus, corpus),
    }
}

fn attempt(file: &str, loader: &FolderLoader, options: &Options) -> (Facts, Option<FileSet>) {
    let (tree, mut diagnostics) = Tree::read(file, loader);
    let Some(tree) = tree else { return (refused(None, &diagnostics), None) };
    let operations = Some(operations(&tree));
    match frontdesk_codegen::generate(&tree, options) {
        Ok(generated) => {
            let typed = Some(generated.report.typed);
            diagnostics.append(generated.warnings);
            let facts = Facts {
                operations,
                typed,
                longest: Some(generated.files.longest_shared()),
                milliseconds: 0,
                warnings: diagnostics.counts().warnings,
                outcome: Outcome::Generated,
                checked: None,
                travelled: None,
            };
            (facts, Some(generated.files))
        }
        Err(GenerateError::Refused(problems)) => {
            diagnostics.append(problems);
            (refused(operations, &diagnostics), None)
        }
        Err(defect @ GenerateError::Defect(_)) => (Facts { operations, ..broken(&defect.to_string()) }, None),
    }
}

/// Operations below `paths`, through references to path items.
fn operations(tree: &Tree) -> usize {
    let paths = tree.root().get("paths").into_iter().flat_map(|paths| paths.entries().collect::<Vec<_>>());
    paths
        .filter(|(key, _)| key.text.starts_with('/'))
        .filter_map(|(_, item)| item.resolve().ok())
        .flat_map(|item| METHODS.into_iter().filter(move |method| item.get(method).is_some()))
        .count()
}

fn refused(operations: Option<usize>, diagnostics: &Diagnostics) -> Facts {
    let mut codes = BTreeMap::new();
    for diagnostic in diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error) {
        *codes.entry(diagnostic.code).or_default() += 1;
    }
    let warnings = diagnostics.counts().warnings;
    Facts {
        operations,
        typed: None,
        longest: None,
        milliseconds: 0,
        warnings,
        outcome: Outcome::Refused(codes),
        checked: None,
        travelled: None,
    }
}

fn broken(message: &str) -> Facts {
    let line = message.lines().next().unwrap_or_default().to_owned();
    Facts {
        operations: None,
        typed: None,
        longest: None,
        milliseconds: 0,
        warnings: 0,
        outcome: Outcome::Broken(line),
        checked: None,
        travelled: None,
    }
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs_err::write(folder.path().join("a.yaml"), text).expect("it can be written");
        let document = Document { name: "a".to_owned(), file: "a.yaml".to_owned(), bytes: 0 };
        generate(folder.path(), &document, "../runtime").0
    }

    #[test]
    fn operations_are_counted_through_references() {
        let facts = facts(
            "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths:\n  /a: {$ref: '#/x-items/a'}\n  /b:\n    get: {responses: {'204': {description: b}}}\nx-items:\n  a:\n    parameters: []\n    get: {responses: {'204': {description: a}}}\n    put: {responses: {'204': {description: a}}}\n",
        );
        assert_eq!((facts.operations, facts.outcome), (Some(3), Outcome::Generated));
    }

    #[test]
    fn a_refusal_names_its_reasons() {
        let facts = facts("openapi: 3.0.3\npaths:\n  /a: {$ref: '#/nowhere'}\n");
        assert_eq!(facts.operations, None);
        assert_eq!(facts.outcome.summary(), "refused: missing-field 1, unresolved-reference 1");
    }

    #[test]
    fn a_panic_is_told_by_its_first_line() {
        let payload: Box<dyn std::any::Any + Send> = Box::new(String::from("first\nsecond"));
        assert_eq!(broken(&panic_message(&*payload)).outcome.summary(), "broken: first");
    }
}
