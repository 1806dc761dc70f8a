//! `cargo xtask corpus --round-trip`: instances of a document's schemas through the types that were generated of them.
//!
//! What is valid must be read, and written again as it was; what requests carry must pass the server's check if it is
//! valid, and fail it if it is not, by the word of a judge that shares no code with the generator.
//!
//! - [`subjects`]: the types, and the schema of each.
//! - [`cases`]: the instances, valid ones and broken ones.
//! - [`driver`]: a program made of the model crate, which reads instances and tells what it made of them.
//! - [`verdict`]: what it told against what the schemas say.

pub mod cases;
pub mod driver;
pub mod subjects;
pub mod verdict;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use frontdesk_codegen::fileset::FileSet;
use frontdesk_codegen::{Options, RuntimeDependency};
use frontdesk_document::Document as Tree;
use fs_err as fs;

use self::cases::Cases;
use self::driver::Driver;
use self::subjects::Subject;
use self::verdict::Verdict;
use super::check::Compiler;
use super::documents::Document;
use super::stamp::{self, Cost, Fingerprint, Stamp};
use crate::workspace::relative;

/// Where the drivers go, below the folder of the crates.
const DRIVERS: &str = "round-trip";
/// The crates on which the instances, and the judgement of them, depend.
const JUDGES: [&str; 2] = ["crates/contract", "crates/document"];

/// What came of a round trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Travelled {
    /// No difference, in this run.
    Now(Journey),
    /// No difference in an earlier run, and nothing has changed since.
    Before(Journey),
    /// Differences, which stand in this file.
    Differs {
        /// How many kinds of them there are.
        differences: usize,
        /// The file.
        log: String,
    },
    /// The driver does not compile, or stops; the compiler's words, or its own, stand in this file.
    Failed {
        /// The file.
        log: String,
    },
}

/// A round trip without a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journey {
    /// What it depended on, and what it cost.
    pub stamp: Stamp,
    /// How many valid instances there were.
    pub valid: usize,
    /// How many broken ones.
    pub broken: usize,
}

impl Journey {
    /// Reads what `Display` has written; nothing if it is anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let stamp = Stamp::parse(text)?;
        let mut lines = text.lines().skip(Stamp::LINES);
        let mut count = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ')?.parse().ok();
        Some(Self { stamp, valid: count("valid")?, broken: count("broken")? })
    }
}

impl std::fmt::Display for Journey {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { stamp, valid, broken } = self;
        write!(formatter, "{stamp}valid {valid}\nbroken {broken}\n")
    }
}

/// Sends instances of the documents of one corpus through their types.
#[derive(Clone, Debug)]
pub struct RoundTrip {
    compiler: Compiler,
    out: PathBuf,
    runtime: PathBuf,
    /// Fingerprints of everything that is the same for all documents.
    common: Vec<String>,
}

impl RoundTrip {
    /// For documents generated below `out`, with the engine in `runtime`.
    pub fn new(workspace: &Path, out: &Path, runtime: &Path, compiler: Compiler) -> Result<Self> {
        let mut common = vec![stamp::of_crate(runtime)?, compiler.tools().to_owned()];
        for judge in JUDGES {
            common.push(stamp::of_crate(&workspace.join(judge))?);
        }
        Ok(Self { compiler, out: out.to_owned(), runtime: runtime.to_owned(), common })
    }

    /// The result of an earlier run if nothing has changed since, else of a new one. `files` are those of the document,
    /// which are on disk.
    pub fn run(&self, corpus: &Path, document: &Document, files: &FileSet) -> Result<Travelled> {
        let (tree, api) = lowered(corpus, document)?;
        let subjects = subjects::of(&tree, &api);
        let driver = Driver::new(&self.out.join(DRIVERS), &document.name);
        let model = relative(driver.folder(), &self.out.join(&document.name).join("model"));
        let texts =
            driver::texts(&document.name, &model, &relative(driver.folder(), &self.runtime), &subjects);
        let key = self.key(files, &texts);
        let place = self.out.join(format!("{}.journey", document.name));
        if let Ok(text) = fs::read_to_string(&place)
            && let Some(journey) = Journey::parse(&text).filter(|journey| journey.stamp.key == key)
        {
            return Ok(Travelled::Before(journey));
        }
        // An interrupted run must not leave the result of an older one.
        if place.exists() {
            fs::remove_file(&place)?;
        }
        self.travel(&driver, &texts, &subjects, &place, key)
    }

    fn travel(
        &self,
        driver: &Driver,
        texts: &driver::Texts,
        subjects: &[Subject<'_>],
        place: &Path,
        key: String,
    ) -> Result<Travelled> {
        let log = place.with_extension("log");
        let failed = || Ok(Travelled::Failed { log: log.display().to_string() });
        let started = Instant::now();
        driver.write(texts)?;
        let Some(compiled) = driver.compile(&self.compiler, &log)? else { return failed() };
        let cases = Cases::of(subjects).context("the schemas cannot be judged")?;
        let answers = driver.ask(&cases.lines(subjects), &log)?;
        let verdict = Verdict::of(subjects, &cases, &answers);
        fs::write(place.with_extension("differences"), verdict.to_string())?;
        if answers.len() < cases.len() {
            return failed();
        }
        if !verdict.differences.is_empty() {
            let log = place.with_extension("differences").display().to_string();
            return Ok(Travelled::Differs { differences: verdict.differences.len(), log });
        }
        let cost = Cost { time: started.elapsed(), peak: compiled.peak };
        let (valid, broken) = cases.counts();
        let journey = Journey { stamp: Stamp { key, cost }, valid, broken };
        fs::write(place, journey.to_string())?;
        Ok(Travelled::Now(journey))
    }

    fn key(&self, files: &FileSet, texts: &driver::Texts) -> String {
        let mut fingerprint = Fingerprint::new();
        for text in &self.common {
            fingerprint.add("common", text.as_bytes());
        }
        for (path, text) in [("main", &texts.main), ("manifest", &texts.manifest)] {
            fingerprint.add(path, text.as_bytes());
        }
        let read = |path: &str| path.starts_with("model/") || path == "openapi.json";
        for (path, text) in files.iter().filter(|(path, _)| read(path)) {
            fingerprint.add(path, text.as_bytes());
        }
        fingerprint.hex()
    }
}

/// The document, and the contract that emitters read.
fn lowered(corpus: &Path, document: &Document) -> Result<(Tree, frontdesk_codegen::ir::Api)> {
    let options = Options {
        name: document.name.clone(),
        source: document.file.clone(),
        runtime: RuntimeDependency::Workspace,
        strict: false,
    };
    let (tree, _) = Tree::read(&document.file, &super::generation::loader(corpus));
    let tree = tree.with_context(|| format!("`{}` cannot be read", document.file))?;
    let api = frontdesk_codegen::lower(&tree, &options).map_err(|error| anyhow!("{error}"))?;
    Ok((tree, api))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_journey_is_read_as_it_was_written() {
        let cost = Cost { time: Duration::from_millis(1234), peak: 5 << 30 };
        let journey = Journey { stamp: Stamp { key: "ab".to_owned(), cost }, valid: 12, broken: 345 };
        let text = journey.to_string();
        assert_eq!(Journey::parse(&text), Some(journey));
        assert_eq!(Journey::parse(text.strip_suffix("broken 345\n").expect("it ends with the counts")), None);
    }
}
