//! Model, server and client crates from an OpenAPI 3.0 document: a library without disk or network.
//!
//! The stages, in the order of the data, each with a type of its own:
//!
//! - `lower`: from the document that [`frontdesk_document`] has read to the [`ir::Api`]. Names, types and rejections.
//! - [`ir`]: the language-neutral contract.
//! - `emit`: from the IR to token streams, one emitter a file.
//! - `render`: from token streams to text.
//! - [`interface`]: what users of the crates see, and what of it differs between two documents.
//! - [`fileset`]: texts against what is on disk: what is fresh, stale, missing or orphaned.
//!
//! [`generate`] runs all of them but the last two.

mod codes;
mod emit;
pub mod fileset;
pub mod interface;
pub mod ir;
mod lower;
mod render;
mod report;

pub use codes::{CODES, Nature, nature};
pub use report::Report;

use fileset::{FileSet, FileSetError};
use frontdesk_document::{Diagnostics, Document};
use render::RenderError;
use std::{error, fmt, panic::resume_unwind, thread};

/// What the output is called and what it depends on.
#[derive(Clone, Debug)]
pub struct Options {
    /// The prefix of the packages, in kebab-case: `frontdesk` makes `frontdesk-model`, `-server` and `-client`.
    pub name: String,
    /// The document's path, as generated headers show it.
    pub source: String,
    /// Where the generated crates find the engine that they call.
    pub runtime: RuntimeDependency,
    /// Whether a defect of the document that has a sensible reading is an error all the same.
    ///
    /// These are the problems whose [`nature`] is [`Nature::Defect`].
    pub strict: bool,
}

/// Where the generated crates find the engine that they call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeDependency {
    /// They are members of a workspace that names the engine among its dependencies.
    Workspace,
    /// At this path, relative to the output folder; the output is then a workspace of its own.
    Path(String),
}

/// What a run produces.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Every file, with the places below the output folder that belong to the tool.
    pub files: FileSet,
    /// What was taken in a way that a reader of the document should know of.
    pub warnings: Diagnostics,
    /// How much of the document the generated types say.
    pub report: Report,
}

/// Why nothing was generated.
#[derive(Debug)]
pub enum GenerateError {
    /// The document is refused, for these reasons.
    Refused(Diagnostics),
    /// The generator is at fault, whatever the document says.
    Defect(String),
}

impl fmt::Display for GenerateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(problems) => {
                write!(formatter, "the document was refused for {} reasons", problems.counts().errors)
            }
            Self::Defect(message) => {
                write!(formatter, "the generator made something that it should not: {message}")
            }
        }
    }
}

impl error::Error for GenerateError {}

impl From<RenderError> for GenerateError {
    fn from(error: RenderError) -> Self {
        Self::Defect(error.to_string())
    }
}

impl From<FileSetError> for GenerateError {
    fn from(error: FileSetError) -> Self {
        Self::Defect(error.to_string())
    }
}

/// Generates everything from a document.
pub fn generate(document: &Document, options: &Options) -> Result<Generated, GenerateError> {
    let (api, mut problems) = lowered(document, options)?;
    let mut roots =
        vec!["model", "server", "client", "openapi.yaml", "openapi.json", "README.md", "rustfmt.toml"];
    if options.runtime != RuntimeDependency::Workspace {
        roots.push("Cargo.toml");
    }
    let mut files = FileSet::owning(roots);
    // The crates and the bundle do not need each other, and each takes about as long as the other on a large document.
    let (sources, bundle, yaml, json) = thread::scope(|scope| {
        let bundled = scope.spawn(|| {
            let bundle = document.bundle();
            let (yaml, json) = (bundle.to_yaml(), bundle.to_json());
            (bundle, yaml, json)
        });
        let sources = emit::emit(&api, options);
        let (bundle, yaml, json) = bundled.join().unwrap_or_else(|panic| resume_unwind(panic));
        (sources, bundle, yaml, json)
    });
    for (path, text) in sources? {
        files.insert(&path, text)?;
    }
    files.insert("openapi.yaml", yaml)?;
    files.insert("openapi.json", json)?;
    for (path, text) in emit::accompanying(&api) {
        files.insert(path, text)?;
    }
    problems.append(bundle.diagnostics().clone());
    problems.sort();
    Ok(Generated { files, warnings: problems, report: Report::of(&api) })
}

/// The IR of a document, for tests and tools that look at what emitters see.
pub fn lower(document: &Document, options: &Options) -> Result<ir::Api, GenerateError> {
    lowered(document, options).map(|(api, _)| api)
}

/// How much of a document the generated types would say, with the warnings; nothing is generated.
pub fn survey(document: &Document, options: &Options) -> Result<(Report, Diagnostics), GenerateError> {
    lowered(document, options).map(|(api, problems)| (Report::of(&api), problems))
}

/// What the generator finds wrong with a document, whether it would refuse it or not; nothing is generated.
pub fn problems(document: &Document, source: &str) -> Diagnostics {
    let (_, mut problems) = taken(document, "api", source);
    problems.sort();
    problems
}

/// The IR with the warnings.
fn lowered(document: &Document, options: &Options) -> Result<(ir::Api, Diagnostics), GenerateError> {
    let (api, mut problems) = taken(document, &options.name, &options.source);
    if options.strict {
        let strict = problems.into_iter().map(codes::strictly);
        problems = document.diagnostics();
        problems.extend(strict);
    }
    problems.sort();
    match api {
        Some(api) if !problems.has_errors() => Ok((api, problems)),
        _ => Err(GenerateError::Refused(problems)),
    }
}

/// The IR, as far as there is one, with everything that was found on the way.
fn taken(document: &Document, name: &str, source: &str) -> (Option<ir::Api>, Diagnostics) {
    let mut problems = document.diagnostics();
    let api = lower::lower(document, name, source, &mut problems);
    (api, problems)
}
