//! The launcher as a process, with a program in place of Cargo that records its arguments and "builds" a
//! script.
#![cfg(unix)]

use std::fs;
use std::process::{Command, Output};

use frontdesk_testkit::program;
use tempfile::TempDir;

/// A copy of the launcher in a folder of its own, where the programs are that it builds.
struct Bench(TempDir);

impl Bench {
    /// `build` is the script that runs in place of Cargo.
    fn new(build: &str) -> Self {
        let bench = Self(tempfile::tempdir().expect("a temporary folder"));
        let launcher = fs::read(env!("CARGO_BIN_EXE_xtask-launcher")).expect("the launcher can be read");
        program::write(&bench.0.path().join("xtask-launcher"), &launcher);
        program::write(&bench.0.path().join("cargo"), format!("#!/bin/sh\n{build}\n").as_bytes());
        bench
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(self.0.path().join("xtask-launcher"))
            .args(arguments)
            .env("CARGO", self.0.path().join("cargo"))
            .env("BENCH", self.0.path())
            .env_remove("CARGO_MANIFEST_DIR")
            .output()
            .expect("the launcher starts")
    }
}

/// Builds the program that the arguments name: a script that prints its own arguments.
const BUILDS: &str = r#"echo "cargo $*"
for last; do [ "$last" = --quiet ] || name=$last; done
printf '#!/bin/sh\necho "%s $*"\n' "$name" > "$BENCH/$name"
chmod +x "$BENCH/$name""#;

#[test]
fn a_command_is_built_and_gets_its_arguments() {
    let bench = Bench::new(BUILDS);
    let output = bench.run(&["lint", "--strict"]);
    let shown = String::from_utf8(output.stdout).expect("text");
    assert_eq!(shown, "cargo build --workspace --bin xtask\nxtask lint --strict\n");
    let messages = String::from_utf8(output.stderr).expect("text");
    assert!(messages.starts_with("Building the development commands. The first build takes"), "{messages}");

    let again = bench.run(&["lint", "--strict"]);
    let shown = String::from_utf8(again.stdout).expect("text");
    assert_eq!(shown, "cargo build --workspace --bin xtask --quiet\nxtask lint --strict\n");
    assert_eq!(again.stderr, b"");
}

#[test]
fn serve_starts_the_service_with_the_demonstration() {
    let output = Bench::new(BUILDS).run(&["serve", "--listen", "127.0.0.1:0"]);
    let shown = String::from_utf8(output.stdout).expect("text");
    let expected = "cargo build --workspace --bin frontdesk\nfrontdesk serve --demo --listen 127.0.0.1:0\n";
    // Before it, the generator runs if this checkout has changes.
    assert!(shown.ends_with(expected), "{shown}");
}

#[test]
fn the_help_of_serve_is_that_of_the_commands() {
    let output = Bench::new(BUILDS).run(&["serve", "--help"]);
    let shown = String::from_utf8(output.stdout).expect("text");
    assert_eq!(shown, "cargo build --workspace --bin xtask\nxtask serve --help\n");
}

#[test]
fn a_failed_build_gives_its_exit_code() {
    let output = Bench::new("exit 101").run(&["ci"]);
    assert_eq!(output.status.code(), Some(101));
}

#[test]
fn without_cargo_the_message_names_the_command() {
    let bench = Bench::new("");
    fs::remove_file(bench.0.path().join("cargo")).expect("the program can be removed");
    let output = bench.run(&["ci"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8(output.stderr).expect("text");
    assert!(shown.contains("error: `cargo build --workspace --bin xtask` cannot be started: "), "{shown}");
}
