//! Tests of the commands as processes: arguments in; exit code, output and files out.

mod anywhere;
mod ci;
mod codegen;
mod compat;
mod constructs;
mod deploy;
mod docs;
mod explain;
mod help;
mod lint;
mod mock;
mod new;
mod release;
mod words;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A temporary folder in which a test runs commands.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn with(self, path: &str, text: &str) -> Self {
        self.write(path, text);
        self
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let place = self.path(path);
        fs::create_dir_all(place.parent().expect("a file has a folder")).expect("the folder can be made");
        fs::write(place, text).expect("the file can be written");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.args(arguments).current_dir(self.folder.path()).env_remove("CARGO_MANIFEST_DIR");
        command
    }

    /// Returns the exit code and both outputs, without the path of the temporary folder.
    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().expect("the command starts");
        self.shown(&output)
    }

    fn shown(&self, output: &Output) -> String {
        let mut shown = match output.status.code() {
            Some(code) => format!("exit: {code}\n"),
            None => format!("{}\n", output.status),
        };
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if !bytes.is_empty() {
                shown = format!("{shown}--- {name}\n{}", String::from_utf8_lossy(bytes));
            }
        }
        let real = self.folder.path().canonicalize().expect("the folder exists");
        shown
            .replace(&real.display().to_string(), "[BENCH]")
            .replace(&self.folder.path().display().to_string(), "[BENCH]")
    }

    /// Returns every file at or below a folder, with its modification time.
    fn files(&self, folder: &str) -> Vec<(PathBuf, std::time::SystemTime)> {
        let mut found = Vec::new();
        let mut open = vec![self.path(folder)];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).expect("the folder can be read") {
                let entry = entry.expect("the folder can be read");
                let metadata = entry.metadata().expect("the file is there");
                if metadata.is_dir() {
                    open.push(entry.path());
                } else {
                    found.push((entry.path(), metadata.modified().expect("the system keeps times")));
                }
            }
        }
        found.sort();
        found
    }
}
