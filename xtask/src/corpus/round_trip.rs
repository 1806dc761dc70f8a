//! `cargo xtask corpus --round-trip`: sends instances of a document's schemas through the types generated
//! from them.
//!
//! A valid instance must be decoded, and encoded to the same value. In requests, valid instances must pass
//! the server's check and invalid ones must fail it. An oracle that shares no code with the generator decides
//! which instances are valid.
//!
//! - [`subjects`]: the types, and the schema of each.
//! - [`cases`]: the instances, valid and invalid ones.
//! - [`driver`]: a program that decodes instances with the model crate and reports the results.
//! - [`verdict`]: compares the results with the schemas.

pub mod cases;
pub mod driver;
pub mod subjects;
pub mod verdict;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use frontdesk_codegen::Options;
use frontdesk_codegen::fileset::FileSet;
use frontdesk_disk::relative;
use frontdesk_document::Document as Tree;
use fs_err as fs;

use self::cases::Cases;
use self::driver::Driver;
use self::subjects::Subject;
use self::verdict::Verdict;
use super::check::Compiler;
use super::documents::{self, Document};
use super::stamp::{self, Cost, Fingerprint, Stamp};

/// The folder of the drivers, below the folder of the crates.
const DRIVERS: &str = "round-trip";
/// The crates that generate and validate the instances.
const ORACLE_CRATES: [&str; 2] = ["crates/contract", "crates/document"];

/// The outcome of a round trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundTripOutcome {
    /// No differences, in this run.
    Now(RoundTripResult),
    /// No differences in an earlier run, and nothing has changed since.
    Before(RoundTripResult),
    /// Differences, which are in this file.
    Differs {
        /// The number of kinds of differences.
        differences: usize,
        /// The file with the differences.
        log: String,
    },
    /// The driver did not compile or stopped early; the output is in this file.
    Failed {
        /// The log file.
        log: String,
    },
}

/// A round trip without differences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundTripResult {
    /// The inputs on which the result depends, and its cost.
    pub stamp: Stamp,
    /// The number of valid instances.
    pub valid: usize,
    /// The number of invalid instances.
    pub broken: usize,
}

impl RoundTripResult {
    /// Parses the text that `Display` writes; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let stamp = Stamp::parse(text)?;
        let mut lines = text.lines().skip(Stamp::LINES);
        let mut count = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ')?.parse().ok();
        Some(Self { stamp, valid: count("valid")?, broken: count("broken")? })
    }
}

impl std::fmt::Display for RoundTripResult {
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
    /// The fingerprints of everything that is the same for all documents.
    common: Vec<String>,
}

impl RoundTrip {
    /// Prepares round trips of documents generated below `out`, with the runtime crate in `runtime`.
    pub fn new(workspace: &Path, out: &Path, runtime: &Path, compiler: Compiler) -> Result<Self> {
        let mut common = vec![stamp::of_crate(runtime)?, compiler.tools().to_owned()];
        for judge in ORACLE_CRATES {
            common.push(stamp::of_crate(&workspace.join(judge))?);
        }
        Ok(Self { compiler, out: out.to_owned(), runtime: runtime.to_owned(), common })
    }

    /// Returns the result of an earlier run if nothing has changed since, otherwise of a new one. `files` are
    /// the files of the document, which are on disk.
    pub fn run(&self, corpus: &Path, document: &Document, files: &FileSet) -> Result<RoundTripOutcome> {
        let (tree, api) = lowered(corpus, document)?;
        let subjects = subjects::of(&tree, &api);
        let driver = Driver::new(&self.out.join(DRIVERS), &document.name);
        let model = relative(driver.folder(), &self.out.join(&document.name).join("model"));
        let texts =
            driver::texts(&document.name, &model, &relative(driver.folder(), &self.runtime), &subjects);
        let key = self.key(files, &texts);
        let place = self.out.join(format!("{}.journey", document.name));
        if let Ok(text) = fs::read_to_string(&place)
            && let Some(result) = RoundTripResult::parse(&text).filter(|result| result.stamp.key == key)
        {
            return Ok(RoundTripOutcome::Before(result));
        }
        // An interrupted run must not keep the result of an older one.
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
    ) -> Result<RoundTripOutcome> {
        let log = place.with_extension("log");
        let failed = || Ok(RoundTripOutcome::Failed { log: log.display().to_string() });
        let started = Instant::now();
        driver.write(texts)?;
        let Some(compiled) = driver.compile(&self.compiler, &log)? else { return failed() };
        let cases = Cases::of(subjects).context("the schemas cannot be validated")?;
        let results = driver.ask(&cases.lines(subjects), &log)?;
        let verdict = Verdict::of(subjects, &cases, &results);
        fs::write(place.with_extension("differences"), verdict.to_string())?;
        if results.len() < cases.len() {
            return failed();
        }
        if !verdict.differences.is_empty() {
            let log = place.with_extension("differences").display().to_string();
            return Ok(RoundTripOutcome::Differs { differences: verdict.differences.len(), log });
        }
        let cost = Cost { time: started.elapsed(), peak: compiled.peak };
        let (valid, broken) = cases.counts();
        let result = RoundTripResult { stamp: Stamp { key, cost }, valid, broken };
        fs::write(place, result.to_string())?;
        Ok(RoundTripOutcome::Now(result))
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

/// Returns the document and its intermediate representation.
fn lowered(corpus: &Path, document: &Document) -> Result<(Tree, frontdesk_codegen::ir::Api)> {
    let options = Options::of_workspace(&document.name, &document.file);
    let (tree, _) = Tree::read(&document.file, &documents::loader(corpus));
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
        let result = RoundTripResult { stamp: Stamp { key: "ab".to_owned(), cost }, valid: 12, broken: 345 };
        let text = result.to_string();
        assert_eq!(RoundTripResult::parse(&text), Some(result));
        assert_eq!(
            RoundTripResult::parse(text.strip_suffix("broken 345\n").expect("it ends with the counts")),
            None
        );
    }
}
