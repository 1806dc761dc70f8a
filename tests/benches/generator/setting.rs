//! Environment of a benchmark: folders, documents, rounds, and messages to the user.

use std::env;
use std::env::consts::EXE_SUFFIX;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::available_parallelism;

use anyhow::{Context, Result, ensure};
use fs_err as fs;
use xtask::corpus::documents::{self, Document};

/// Names the folder of documents.
const CORPUS: &str = "FRONTDESK_CORPUS";
/// Names a folder to generate into, instead of one in the target folder.
const OUT: &str = "FRONTDESK_BENCH_OUT";
/// Gives the number of measured rounds.
const ROUNDS: &str = "FRONTDESK_BENCH_ROUNDS";

/// Where and on what a benchmark runs.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The root of this workspace.
    pub(crate) workspace: PathBuf,
    /// The folder of documents.
    pub(crate) corpus: PathBuf,
    /// The documents of it by size, the smallest first.
    pub(crate) documents: Vec<Document>,
    /// The documents that the command line names, if it names any.
    pub(crate) wanted: Vec<String>,
    /// The target folder of this workspace.
    pub(crate) target: PathBuf,
    /// A folder of this benchmark alone.
    pub(crate) work: PathBuf,
    /// How often everything is measured.
    pub(crate) rounds: usize,
}

impl Setting {
    /// For the benchmark of this name; `None`, told on standard error, where there are no documents.
    pub(crate) fn new(name: &str, rounds: usize, wanted: Vec<String>) -> Result<Option<Self>> {
        let Some(corpus) = env::var_os(CORPUS) else {
            say(&format!("SKIPPED: {CORPUS} is not set; set it to a folder of OpenAPI documents\n"))?;
            return Ok(None);
        };
        let corpus = fs::canonicalize(PathBuf::from(corpus))?;
        let documents = documents::find(&corpus)?;
        for name in &wanted {
            ensure!(
                documents.iter().any(|document| document.name == *name),
                "`{}` holds no document `{name}`",
                corpus.display()
            );
        }
        let rounds = match env::var(ROUNDS) {
            Ok(text) => text
                .parse()
                .ok()
                .filter(|rounds| *rounds > 0)
                .context("FRONTDESK_BENCH_ROUNDS is no number")?,
            Err(_) => rounds,
        };
        let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let work = env::var_os(OUT).map_or_else(|| temporary.to_owned(), PathBuf::from).join(name);
        fs::create_dir_all(&work)?;
        Ok(Some(Self {
            workspace: folder_above(Path::new(env!("CARGO_MANIFEST_DIR")))?,
            corpus,
            documents,
            wanted,
            target: folder_above(temporary)?,
            work,
            rounds,
        }))
    }

    /// A program that the installing script has put beside this workspace's own.
    pub(crate) fn peer(&self, program: &str) -> PathBuf {
        self.workspace.join(format!("target/peers/bin/{program}{EXE_SUFFIX}"))
    }

    /// The package manager, with nothing of this run of it.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.current_dir(&self.workspace).env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
        command
    }

    /// The machine and its state, for a reader who has only the table.
    pub(crate) fn conditions(&self) -> String {
        let processors = available_parallelism().map_or(1, usize::from);
        let load = fs::read_to_string("/proc/loadavg").ok();
        let load = load.and_then(|text| Some(format!(", load {}", text.split_whitespace().nth(1)?)));
        format!("{processors} processors{}, {} rounds", load.unwrap_or_default(), self.rounds)
    }
}

/// The contestants of a round, each time in another order, so that none always runs in the wake of the same
/// other.
pub(crate) fn order(contestants: usize, round: usize) -> impl Iterator<Item = usize> {
    (0..contestants).map(move |place| (place + round) % contestants)
}

/// Tells how it goes, on standard error.
pub(crate) fn say(text: &str) -> Result<()> {
    io::stderr().lock().write_all(text.as_bytes()).context("failed to write to standard error")
}

/// Writes results on standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    io::stdout().lock().write_all(text.as_bytes()).context("failed to write to standard output")
}

fn folder_above(path: &Path) -> Result<PathBuf> {
    Ok(path.parent().with_context(|| format!("`{}` has no parent", path.display()))?.to_owned())
}
