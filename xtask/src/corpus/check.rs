//! Compilation of the crates of one document, with warnings denied, and its cost.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fs_err as fs;
use wait4::Wait4 as _;

use super::stamp::{Cost, Stamp};

/// The outcome of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// No warnings and no errors, in this run.
    Now(Stamp),
    /// No warnings and no errors in an earlier run, and nothing has changed since.
    Before(Stamp),
    /// Warnings or errors, which are in this file.
    Failed {
        /// The log file.
        log: String,
    },
}

/// Runs the compiler on workspaces with the locked versions of this one.
#[derive(Clone, Debug)]
pub struct Compiler {
    cargo: OsString,
    lock: PathBuf,
    tools: String,
    jobs: u16,
}

impl Compiler {
    /// Returns a compiler that runs up to `jobs` processes.
    pub fn new(workspace: &Path, jobs: u16) -> Result<Self> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let version = Command::new("rustc").arg("--version").output().context("failed to start `rustc`")?;
        ensure!(version.status.success(), "`rustc --version` failed");
        let lock = workspace.join("Cargo.lock");
        let tools = format!("{}{}", String::from_utf8_lossy(&version.stdout), fs::read_to_string(&lock)?);
        Ok(Self { cargo, lock, tools, jobs })
    }

    /// Returns what a result depends on besides the sources.
    pub fn tools(&self) -> &str {
        &self.tools
    }

    /// Runs `cargo` with these arguments in the root of a workspace, with its output in `output`. Returns
    /// `None` if it fails.
    pub fn run(
        &self,
        folder: &Path,
        target: &Path,
        arguments: &[&str],
        flags: &str,
        output: File,
    ) -> Result<Option<Cost>> {
        let lock = folder.join("Cargo.lock");
        if !lock.exists() {
            fs::copy(&self.lock, &lock)?;
        }
        let started = Instant::now();
        let child = Command::new(&self.cargo)
            .args(arguments)
            .args(["--quiet", "--jobs", &self.jobs.to_string()])
            .arg("--target-dir")
            .arg(target)
            .current_dir(folder)
            .env("RUSTFLAGS", flags)
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()
            .context("failed to start `cargo`")?;
        let used = child.wait4().context("failed to wait for `cargo`")?;
        let cost = Cost { time: started.elapsed(), peak: used.rusage.maxrss };
        Ok(used.status.success().then_some(cost))
    }
}

/// Checks the documents of a corpus.
#[derive(Clone, Debug)]
pub struct Checker {
    compiler: Compiler,
    out: PathBuf,
}

impl Checker {
    /// Returns a checker of documents generated below `out`.
    pub fn new(out: &Path, compiler: Compiler) -> Self {
        Self { compiler, out: out.to_owned() }
    }

    /// Returns what a result depends on besides the sources.
    pub fn tools(&self) -> &str {
        self.compiler.tools()
    }

    /// Checks the model and client crates as users of the client build them, then the server crate. If tags
    /// are features, it also checks with one tag and with none, which the cost does not include. Returns
    /// `None`, with the details in the log, if there are warnings or errors.
    pub fn check(&self, name: &str, log: &Path) -> Result<Option<Cost>> {
        let folder = self.out.join(name);
        let output = fs::File::create(log)?.into_parts().0;
        let (model, client, server) =
            (format!("{name}-model"), format!("{name}-client"), format!("{name}-server"));
        // A combined build would enable server features and hide errors that occur without them.
        let runs: [&[&str]; 2] = [
            &["check", "--package", &model, "--package", &client],
            &["check", "--package", &server, "--all-features"],
        ];
        let target = self.out.join("target");
        let run = |arguments: &[&str]| {
            self.compiler.run(&folder, &target, arguments, "-D warnings", output.try_clone()?)
        };
        let mut cost = Cost { time: Duration::ZERO, peak: 0 };
        for arguments in runs {
            let Some(used) = run(arguments)? else { return Ok(None) };
            cost.time += used.time;
            cost.peak = cost.peak.max(used.peak);
        }
        let manifest = fs::read_to_string(folder.join("client/Cargo.toml"))?;
        let Some(tag) = first_tag(&manifest, name) else { return Ok(Some(cost)) };
        // Code behind a tag's feature must be neither needed nor unused when the feature is off.
        for package in [&client, &server] {
            for features in ["", tag] {
                let arguments =
                    ["check", "--package", package, "--no-default-features", "--features", features];
                if run(&arguments)?.is_none() {
                    return Ok(None);
                }
            }
        }
        Ok(Some(cost))
    }
}

/// Returns the first feature of a client's manifest that selects a tag, recognized because it enables only a
/// feature of the model.
fn first_tag<'m>(manifest: &'m str, name: &str) -> Option<&'m str> {
    manifest.lines().find_map(|line| {
        let (_, value) = line.split_once(" = [")?;
        let tag = value.strip_prefix(&format!("\"{name}-model/"))?.strip_suffix("\"]")?;
        // A feature for tests enables more than one of the model.
        (!tag.contains('"')).then_some(tag)
    })
}

#[cfg(test)]
mod tests {
    use super::first_tag;

    #[test]
    fn a_tag_is_found_where_tags_are_features() {
        let manifest = "default = [\"all\"]\nall = [\n    \"pets\",\n]\npets = [\"shop-model/pets\"]\nx = [\"shop-model/x\"]\n";
        assert_eq!(first_tag(manifest, "shop"), Some("pets"));
        let tests = "test-util = [\"shop-model/server\", \"frontdesk-runtime/test-util\"]\n";
        assert_eq!(first_tag(tests, "shop"), None);
        assert_eq!(first_tag("[dependencies]\nserde_json = \"1\"\n", "shop"), None);
    }
}
