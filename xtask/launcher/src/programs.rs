//! Programs of the workspace: building one, and becoming it.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

/// Builds that take less time are not worth a line.
const NOTABLE: Duration = Duration::from_secs(5);

/// A program of the workspace.
#[derive(Copy, Clone, Debug)]
pub struct Program {
    /// The name of its binary.
    name: &'static str,
    /// What it is called in messages.
    title: &'static str,
    /// What to expect of the first build.
    first_build: &'static str,
    /// Whether Cargo shows its progress in every build, not only in the first.
    shows_progress: bool,
}

impl Program {
    /// The development commands.
    pub const XTASK: Self = Self {
        name: "xtask",
        title: "development commands",
        first_build: "The first build takes one to two minutes on two processors",
        shows_progress: false,
    };
    /// The service.
    pub const SERVICE: Self = Self {
        name: "frontdesk",
        title: "service",
        first_build: "The first build downloads and compiles about 500 packages, which takes about four minutes on two processors",
        shows_progress: true,
    };

    /// Builds the program if necessary, and says how long it takes. Returns the exit code of Cargo if the
    /// build fails.
    pub fn build(self, root: &Path) -> io::Result<Result<(), ExitCode>> {
        let is_first = !self.path()?.exists();
        if is_first {
            writeln!(
                io::stderr(),
                "Building the {}. {}; later builds compile only what has changed.",
                self.title,
                self.first_build
            )?;
        }
        let started = Instant::now();
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        // With `--workspace`, the features are those of the whole workspace, as in `cargo test --workspace`.
        cargo.args(["build", "--workspace", "--bin", self.name]).current_dir(root);
        if !is_first && !self.shows_progress {
            cargo.arg("--quiet");
        }
        let status = cargo.status().map_err(|error| {
            io::Error::new(
                error.kind(),
                format!("`cargo build --workspace --bin {}` cannot be started: {error}", self.name),
            )
        })?;
        if !status.success() {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return Ok(Err(code.map_or(ExitCode::FAILURE, ExitCode::from)));
        }
        if started.elapsed() >= NOTABLE {
            writeln!(io::stderr(), "Built the {} in {}.", self.title, duration(started.elapsed()))?;
        }
        Ok(Ok(()))
    }

    /// Builds the program and replaces this process by it. Returns the exit code of Cargo if the build fails.
    pub fn build_and_become(self, root: &Path, arguments: &[OsString]) -> io::Result<ExitCode> {
        match self.build(root)? {
            Ok(()) => hand_over(self.command(root)?.args(arguments)),
            Err(code) => Ok(code),
        }
    }

    /// Returns the command that starts the program, which has been built.
    pub fn command(self, root: &Path) -> io::Result<Command> {
        let mut command = Command::new(self.path()?);
        // The variable with which Cargo gives a program the folder of its package.
        command.env("CARGO_MANIFEST_DIR", root.join("xtask"));
        Ok(command)
    }

    /// Returns the path of the program. Cargo puts all programs of the workspace into the folder of this one.
    fn path(self) -> io::Result<PathBuf> {
        Ok(env::current_exe()?.with_file_name(format!("{}{}", self.name, env::consts::EXE_SUFFIX)))
    }
}

fn duration(elapsed: Duration) -> String {
    match (elapsed.as_secs() / 60, elapsed.as_secs() % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

/// Replaces this process by the program if the system supports it, so that signals reach the program;
/// otherwise waits for it.
#[cfg(unix)]
fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;

    let error = command.exec();
    Err(io::Error::new(
        error.kind(),
        format!("{} cannot be started: {error}", command.get_program().display()),
    ))
}

#[cfg(not(unix))]
fn hand_over(command: &mut Command) -> io::Result<ExitCode> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_readable() {
        assert_eq!(duration(Duration::from_millis(7900)), "7 s");
        assert_eq!(duration(Duration::from_secs(222)), "3 min 42 s");
    }
}
