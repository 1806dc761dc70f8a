//! Generation from one document, timed, with its outcome: files, a rejection, or a defect of the generator.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Instant;

use frontdesk_codegen::fileset::FileSet;
use frontdesk_codegen::{GenerateError, Options, RuntimeDependency};
use frontdesk_document::{Diagnostics, Document as Tree, Severity};

use super::check::Checked;
use super::differential::DifferentialOutcome;
use super::documents::{Document, loader};
use super::round_trip::RoundTripOutcome;
use frontdesk_disk::FolderLoader;

/// The stack size of the main thread on most systems, which is what users have.
const STACK: usize = 8 << 20;

/// Facts about a document after generation.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The number of operations below `paths`; unknown if the document cannot be read.
    pub operations: Option<usize>,
    /// The number of operations without raw JSON values in their types; unknown if nothing was generated.
    pub typed: Option<usize>,
    /// The number of lines of the longest file that contains several types; unknown if nothing was generated.
    pub longest: Option<usize>,
    /// The time of reading and generating, without writing.
    pub milliseconds: u128,
    /// The number of warnings.
    pub warnings: usize,
    /// The outcome of generation.
    pub outcome: Outcome,
    /// The outcome of compilation, if requested.
    pub checked: Option<Checked>,
    /// The outcome of the round trip, if requested.
    pub round_trip: Option<RoundTripOutcome>,
    /// The outcome of the differential test, if requested.
    pub differential: Option<DifferentialOutcome>,
}

/// The outcome of generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Crates were generated.
    Generated,
    /// The document was rejected: the codes of the errors, and their counts.
    Rejected(BTreeMap<&'static str, usize>),
    /// The generator failed, with the first line of its message.
    GeneratorFailed(String),
}

impl Outcome {
    /// Summarizes the outcome in a few words.
    pub fn summary(&self) -> String {
        match self {
            Self::Generated => "generated".to_owned(),
            Self::Rejected(codes) => {
                let codes: Vec<String> =
                    codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
                format!("rejected: {}", codes.join(", "))
            }
            Self::GeneratorFailed(message) => format!("generator failed: {message}"),
        }
    }
}

/// Generates from a document of the corpus; `runtime` is the path from the output folder to the runtime
/// crate.
pub fn generate(corpus: &Path, document: &Document, runtime: &str) -> (Facts, Option<FileSet>) {
    let runtime =
        RuntimeDependency::Path { path: runtime.to_owned(), package: "frontdesk-runtime".to_owned() };
    let options = Options::stand_alone(&document.name, &document.file, runtime);
    let loader = loader(corpus);
    let started = Instant::now();
    let run = || attempt(&document.file, &loader, &options);
    // Generation runs on its own thread, so that a panic becomes a row of the table.
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

fn attempt(file: &str, loader: &FolderLoader, options: &Options) -> (Facts, Option<FileSet>) {
    let (tree, mut diagnostics) = Tree::read(file, loader);
    let Some(tree) = tree else { return (rejected(None, &diagnostics), None) };
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
                round_trip: None,
                differential: None,
            };
            (facts, Some(generated.files))
        }
        Err(GenerateError::Refused(problems)) => {
            diagnostics.append(problems);
            (rejected(operations, &diagnostics), None)
        }
        Err(error) => (Facts { operations, ..broken(&error.to_string()) }, None),
    }
}

/// Counts the operations below `paths`, including those of referenced path items.
fn operations(tree: &Tree) -> usize {
    tree.operations().filter(|operation| operation.item.key.text.starts_with('/')).count()
}

fn rejected(operations: Option<usize>, diagnostics: &Diagnostics) -> Facts {
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
        outcome: Outcome::Rejected(codes),
        checked: None,
        round_trip: None,
        differential: None,
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
        outcome: Outcome::GeneratorFailed(line),
        checked: None,
        round_trip: None,
        differential: None,
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
    fn a_rejection_names_its_reasons() {
        let facts = facts("swagger: '2.0'\npaths: {}\n");
        assert_eq!(facts.operations, None);
        assert_eq!(facts.outcome.summary(), "rejected: unsupported-version 1");
    }

    #[test]
    fn a_panic_is_shown_by_its_first_line() {
        let payload: Box<dyn std::any::Any + Send> = Box::new(String::from("first\nsecond"));
        assert_eq!(broken(&panic_message(&*payload)).outcome.summary(), "generator failed: first");
    }
}
