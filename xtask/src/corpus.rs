//! `cargo xtask corpus`: runs the generator and the compiler on a folder of documents.
//!
//! Each document becomes a workspace of its own, as for a user, so that compilation errors of one do not
//! affect another. All of them share a target folder and the locked versions of this workspace.
//!
//! - [`documents`]: the documents of a folder, and the names of their crates.
//! - [`generation`]: generates from one document, without writing files.
//! - [`mod@check`]: compiles the crates of one document, and measures time and memory.
//! - [`round_trip`]: sends instances of one document's schemas through the generated types.
//! - [`differential`]: sends the same requests to the mock and to the generated server.
//! - [`stamp`]: records what a result depends on, so that unchanged documents are skipped.
//! - [`table`]: the report.

pub mod check;
pub mod differential;
pub mod documents;
pub mod generation;
pub mod round_trip;
pub mod stamp;
pub mod table;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use frontdesk_codegen::fileset::{FileSet, Plan};
use frontdesk_disk::{Folder, canonical, relative};
use fs_err as fs;

use self::check::{Checked, Checker, Compiler};
use self::differential::{Differential, DifferentialOutcome};
use self::documents::Document;
use self::generation::Outcome;
use self::round_trip::{RoundTrip, RoundTripOutcome};
use self::stamp::{Fingerprint, Stamp};
use self::table::Row;
use crate::command_line::CorpusArguments;
use crate::workspace::root;
use frontdesk_commands::{Exit, terminal};

/// The default output folder, relative to the root of the workspace.
const OUT: &str = "target/corpus";
/// The runtime crate that generated code calls.
const RUNTIME: &str = "crates/runtime";

/// Generates from every document, checks the crates if requested, and prints the table on standard output.
pub fn run(arguments: &CorpusArguments) -> Result<Exit> {
    let workspace = root()?;
    let documents = selected(arguments)?;
    let out = match &arguments.out {
        Some(out) => canonical(out)?,
        None => workspace.join(OUT),
    };
    let runtime = workspace.join(RUNTIME);
    let compiler = Compiler::new(&workspace, arguments.jobs)?;
    let checker = arguments.check.then(|| Checker::new(&out, compiler.clone()));
    let engine = if checker.is_some() { stamp::of_crate(&runtime)? } else { String::new() };
    let differential = arguments.differential.then(|| Differential::new(&out, &runtime, compiler.clone()));
    let round_trip =
        if arguments.round_trip { Some(RoundTrip::new(&workspace, &out, &runtime, compiler)?) } else { None };
    let mut rows = Vec::with_capacity(documents.len());
    let mut written = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        terminal::say(&format!("{}/{} {}: ", index + 1, documents.len(), document.name))?;
        let place = out.join(&document.name);
        let (mut facts, files) =
            generation::generate(&arguments.folder, document, &relative(&place, &runtime));
        if let Some(files) = files {
            let fingerprint = checker.as_ref().map(|checker| {
                let mut fingerprint = Fingerprint::new();
                fingerprint.add("runtime", engine.as_bytes());
                fingerprint.add("tools", checker.tools().as_bytes());
                fingerprint.add("runs", b"with all tags, one and none");
                files.iter().fold(fingerprint, |mut fingerprint, (path, text)| {
                    fingerprint.add(path, text.as_bytes());
                    fingerprint
                })
            });
            write(files.clone(), &place)?;
            if checker.is_some() || round_trip.is_some() {
                terminal::say(&format!("generated in {} ms, ", facts.milliseconds))?;
            }
            if let (Some(checker), Some(fingerprint)) = (&checker, fingerprint) {
                facts.checked = Some(check(checker, &out, document, &fingerprint.hex())?);
            }
            if let Some(round_trip) = &round_trip {
                facts.round_trip = Some(round_trip.run(&arguments.folder, document, &files)?);
            }
            if let Some(differential) = &differential {
                differential.write(document, &files)?;
                written.push(document.clone());
            }
        }
        let row = Row::new(document, facts);
        terminal::say(&format!("{}\n", row.outcome()))?;
        rows.push(row);
    }
    if let Some(differential) = &differential {
        test(differential, &arguments.folder, &written, &mut rows)?;
    }
    terminal::print(&table::render(&rows))?;
    Ok(exit(&rows))
}

/// Compiles the programs of all documents together, then tests one after the other.
fn test(differential: &Differential, corpus: &Path, documents: &[Document], rows: &mut [Row]) -> Result<()> {
    terminal::say(&format!("compiling {} programs\n", documents.len()))?;
    differential.compile(documents)?;
    for document in documents {
        let outcome = differential.run(corpus, document)?;
        for row in rows.iter_mut().filter(|row| row.name == document.name) {
            row.facts.differential = Some(outcome.clone());
            terminal::say(&format!("{}: {}\n", row.name, row.outcome()))?;
        }
    }
    Ok(())
}

/// Returns the documents of the folder, or the selected ones.
fn selected(arguments: &CorpusArguments) -> Result<Vec<Document>> {
    let mut documents = documents::find(&arguments.folder)?;
    ensure!(
        !documents.is_empty(),
        "`{}` contains no documents; choose a folder with `.yaml` or `.json` files",
        arguments.folder.display()
    );
    if !arguments.only.is_empty() {
        for name in &arguments.only {
            ensure!(
                documents.iter().any(|document| document.name == *name),
                "`{}` contains no document named `{name}`",
                arguments.folder.display()
            );
        }
        documents.retain(|document| arguments.only.contains(&document.name));
    }
    Ok(documents)
}

/// Writes the files of a document to its folder.
pub fn write(files: FileSet, place: &Path) -> Result<()> {
    let mut disk = Folder::new(place);
    let plan = Plan::new(files, &disk).with_context(|| format!("failed to read `{}`", place.display()))?;
    plan.apply(&mut disk).with_context(|| format!("failed to write to `{}`", place.display()))?;
    Ok(())
}

/// Returns the result of an earlier run if nothing has changed since, otherwise of a new one.
fn check(checker: &Checker, out: &Path, document: &Document, key: &str) -> Result<Checked> {
    let place = file_beside(out, document, "stamp");
    if let Ok(text) = fs::read_to_string(&place)
        && let Some(stamp) = Stamp::parse(&text)
        && stamp.key == key
    {
        return Ok(Checked::Before(stamp));
    }
    // An interrupted run must not keep the stamp of an older one.
    if place.exists() {
        fs::remove_file(&place)?;
    }
    let log = file_beside(out, document, "log");
    Ok(match checker.check(&document.name, &log)? {
        Some(cost) => {
            let stamp = Stamp { key: key.to_owned(), cost };
            fs::write(&place, stamp.to_string())?;
            Checked::Now(stamp)
        }
        None => Checked::Failed { log: log.display().to_string() },
    })
}

fn file_beside(out: &Path, document: &Document, extension: &str) -> PathBuf {
    out.join(format!("{}.{extension}", document.name))
}

/// Failures of generated code and of the generator take precedence over rejected documents.
fn exit(rows: &[Row]) -> Exit {
    let failed = |row: &Row| {
        matches!(row.facts.outcome, Outcome::GeneratorFailed(_))
            || matches!(row.facts.checked, Some(Checked::Failed { .. }))
            || matches!(
                row.facts.round_trip,
                Some(RoundTripOutcome::Differs { .. } | RoundTripOutcome::Failed { .. })
            )
            || matches!(
                row.facts.differential,
                Some(DifferentialOutcome::Differs { .. } | DifferentialOutcome::Failed { .. })
            )
    };
    if rows.iter().any(failed) {
        Exit::Failed
    } else if rows.iter().any(|row| matches!(row.facts.outcome, Outcome::Rejected(_))) {
        Exit::Rejected
    } else {
        Exit::Done
    }
}
