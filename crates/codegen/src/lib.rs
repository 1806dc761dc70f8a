//! Model, server and client crates, and a client for JavaScript, from an OpenAPI 3.0 or 3.1 document: a
//! library without disk or network.
//!
//! The stages, in the order of the data, each with a type of its own:
//!
//! - `lower`: from the document that [`frontdesk_document`] has read to the [`ir::Api`]. Names, types and
//!   rejections.
//! - [`ir`]: the contract as emitters see it.
//! - `backends`: the table of languages, each with its emitters.
//! - `emit`: from the IR to token streams, one emitter a file; to text for JavaScript.
//! - `render`: from token streams to text.
//! - [`interface`]: what users of the packages see, and what of it differs between two documents.
//! - [`fileset`]: texts against what is on disk: what is fresh, stale, missing or orphaned.
//!
//! [`generate`] runs all of them but the last two. [`settings`] reads options from a file beside the
//! document.
//!
//! A program that generates the crates of a repository, and checks in a test that they are up to date, needs
//! three steps: read, generate, and compare with the disk. The disk is a trait, here held in memory:
//!
//! ```
//! use frontdesk_codegen::fileset::{MemoryDisk, Plan};
//! use frontdesk_codegen::{Options, generate};
//! use frontdesk_document::{Document, MemoryLoader};
//!
//! let text = "openapi: 3.0.3\ninfo: {title: Shop, version: '1'}\npaths: {}\n";
//! let loader = MemoryLoader::new().with("spec/openapi.yaml", text);
//! let (document, problems) = Document::read("spec/openapi.yaml", &loader);
//! let Some(document) = document else {
//!     panic!("{}", problems.render(problems.sources(), false));
//! };
//! let options = Options::of_workspace("shop", "spec/openapi.yaml");
//! let generated = generate(&document, &options)?;
//! let mut disk = MemoryDisk::new();
//! let plan = Plan::new(generated.files, &disk)?;
//! assert!(!plan.is_fresh(), "`--check` would fail");
//! plan.apply(&mut disk)?;
//! assert!(disk.paths().contains(&"server/src/lib.rs"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod backends;
mod codes;
mod emit;
pub mod fileset;
pub mod interface;
pub mod ir;
mod lower;
mod options;
mod package;
mod package_options;
mod render;
mod report;
pub mod settings;

pub use codes::{CODES, Nature, nature};
pub use options::{Crates, Dependency, Layout, Options, RuntimeDependency, VendoredFile};
pub use package_options::{JavaScriptOptions, PackageOptions};
pub use report::Report;

use backends::BACKENDS;
use fileset::{FileSet, FileSetError};
use frontdesk_document::{Diagnostics, Document, Unread, Version};
use package::Package;
use render::RenderError;
use std::{error, fmt, panic::resume_unwind, thread};

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
    /// An option does not fit the document.
    Option {
        /// The option, as `codegen.toml` spells it.
        key: &'static str,
        /// The part of its value that does not fit.
        value: String,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// The generator is at fault, whatever the document says.
    Defect(String),
}

impl fmt::Display for GenerateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(problems) => {
                write!(formatter, "the document was refused for {} reasons", problems.counts().errors)
            }
            Self::Option { key, value, problem } => {
                write!(formatter, "the option `{key}` names `{value}`: {problem}")
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
    // The bundle needs the document alone. It is made while one thread lowers the document, which leaves the
    // other processors free.
    thread::scope(|scope| {
        let bundled = scope.spawn(|| {
            let bundle = document.bundle();
            let (yaml, json) = (bundle.to_yaml(), bundle.to_json());
            let is_earlier = document.version() == Version::V3_0;
            let unread = is_earlier.then(|| bundle.reads_back(&yaml).err()).flatten();
            Bundled { yaml, json, problems: bundle.diagnostics().clone(), unread }
        });
        let (api, problems) = lowered(document, options)?;
        options::check(&api, options)?;
        let package = Package::of(document, options);
        let mut sources = Vec::new();
        for backend in BACKENDS.iter().filter(|backend| (backend.is_chosen)(options)) {
            sources.extend((backend.emit)(&api, options, &package)?);
        }
        let bundled = bundled.join().unwrap_or_else(|panic| resume_unwind(panic));
        assembled(&api, problems, sources, bundled, options, &package)
    })
}

/// The document in one piece, as it is written beside the crates.
struct Bundled {
    yaml: String,
    json: String,
    problems: Diagnostics,
    /// Why another reader of OpenAPI 3.0 does not read it.
    unread: Option<Unread>,
}

/// Puts the files of a run together.
fn assembled(
    api: &ir::Api,
    mut problems: Diagnostics,
    sources: Vec<(String, String)>,
    bundled: Bundled,
    options: &Options,
    package: &Package,
) -> Result<Generated, GenerateError> {
    let mut roots = vec!["openapi.yaml", "openapi.json", "README.md"];
    for backend in BACKENDS.iter().filter(|backend| (backend.is_chosen)(options)) {
        roots.extend((backend.places)(options));
    }
    // With other options these were places of the tool; by now they may be somebody else's.
    let others = BACKENDS.iter().flat_map(|backend| backend.possible_places).copied();
    let mut files = FileSet::owning(roots).releasing(others);
    for (path, text) in sources {
        files.insert(&path, text)?;
    }
    files.insert("openapi.yaml", bundled.yaml)?;
    files.insert("openapi.json", bundled.json)?;
    for (path, text) in emit::accompanying(api, options, package)? {
        files.insert(&path, text)?;
    }
    problems.append(bundled.problems);
    match bundled.unread {
        None => {}
        Some(Unread::Differs(problem)) => {
            return Err(GenerateError::Defect(format!("the bundle is not read as it is meant: {problem}")));
        }
        // Defects that were reported stay in the bundle, which keeps what the document says.
        Some(Unread::Foreign(_)) if problems.counts().warnings > 0 => {}
        Some(Unread::Foreign(problem)) => {
            problems.push(*problem);
            problems.sort();
            return Err(GenerateError::Refused(problems));
        }
    }
    problems.sort();
    Ok(Generated { files, warnings: problems, report: Report::of(api) })
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
        Some(mut api) if !problems.has_errors() => {
            if !options.methods.is_empty() {
                lower::pin_methods(&mut api, &options.methods);
            }
            lower::declare_pagination(&mut api, &options.pagination)?;
            Ok((api, problems))
        }
        _ => Err(GenerateError::Refused(problems)),
    }
}

/// The IR, as far as there is one, with everything that was found on the way.
fn taken(document: &Document, name: &str, source: &str) -> (Option<ir::Api>, Diagnostics) {
    let mut problems = document.diagnostics();
    let api = lower::lower(document, name, source, &mut problems);
    (api, problems)
}
