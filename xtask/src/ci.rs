//! `cargo xtask ci`: runs the checks of continuous integration locally, in the same order.

use std::env;
use std::ffi::OsString;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};

use frontdesk_commands::{Exit, terminal};

use crate::workspace;

/// A check that runs one command.
#[derive(Copy, Clone, Debug)]
struct Check {
    /// The scope of the check.
    title: &'static str,
    program: Program,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
}

#[derive(Copy, Clone, Debug)]
enum Program {
    Cargo,
    /// This program, which does not have to be built again.
    Xtask,
}

const CHECKS: &[Check] = &[
    Check {
        title: "formatting",
        program: Program::Cargo,
        arguments: &["fmt", "--all", "--check"],
        variables: &[],
    },
    Check { title: "the repository is tidy", program: Program::Xtask, arguments: &["tidy"], variables: &[] },
    Check {
        title: "generated code is up to date",
        program: Program::Xtask,
        arguments: &["codegen", "--check"],
        variables: &[],
    },
    Check {
        title: "the contract passes lint",
        program: Program::Xtask,
        arguments: &["lint", "--strict"],
        variables: &[],
    },
    Check {
        title: "the contract may be released",
        program: Program::Xtask,
        arguments: &["release", "--check"],
        variables: &[],
    },
    Check {
        title: "lints",
        program: Program::Cargo,
        arguments: &["clippy", "--workspace", "--all-targets", "--locked", "--", "--deny", "warnings"],
        variables: &[],
    },
    Check {
        title: "documentation",
        program: Program::Cargo,
        arguments: &["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"],
        variables: &[("RUSTDOCFLAGS", "--deny warnings")],
    },
];

/// A snapshot that differs fails the test, without a new snapshot file; and generated crates are compiled
/// outside of the workspace.
const TEST_VARIABLES: &[(&str, &str)] = &[("INSTA_UPDATE", "no"), ("FRONTDESK_TEST_CARGO", "1")];

/// All tests, by Cargo alone.
const TESTS: &[Check] = &[Check {
    title: "tests",
    program: Program::Cargo,
    arguments: &["test", "--workspace", "--locked", "--no-fail-fast"],
    variables: TEST_VARIABLES,
}];

/// All tests, in half the time: cargo-nextest runs those of several packages at once.
const TESTS_BY_NEXTEST: &[Check] = &[
    Check {
        title: "tests",
        program: Program::Cargo,
        arguments: &["nextest", "run", "--workspace", "--locked", "--no-fail-fast", "--profile", "ci"],
        variables: TEST_VARIABLES,
    },
    Check {
        title: "examples in documentation",
        program: Program::Cargo,
        arguments: &["test", "--workspace", "--locked", "--no-fail-fast", "--doc"],
        variables: &[],
    },
];

/// Runs the checks until one fails, and returns its exit code.
pub fn run() -> Result<Exit> {
    let root = workspace::root()?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let tests = if has_nextest(&cargo) { TESTS_BY_NEXTEST } else { TESTS };
    let checks: Vec<&Check> = CHECKS.iter().chain(tests).collect();
    for (index, check) in checks.iter().enumerate() {
        terminal::say(&heading(index + 1, checks.len(), check))?;
        let begun = Instant::now();
        let (name, program) = match check.program {
            Program::Cargo => ("cargo", cargo.clone()),
            Program::Xtask => {
                ("cargo xtask", env::current_exe().context("failed to find the path of this program")?.into())
            }
        };
        let mut command = Command::new(program);
        command.args(check.arguments).envs(check.variables.iter().copied()).current_dir(&root);
        let line = format!("{name} {}", check.arguments.join(" "));
        let status = command.status().with_context(|| format!("failed to start `{line}`"))?;
        if !status.success() {
            terminal::say(&format!("\nerror: {} failed\n\nhint: run `{line}` to repeat it\n", check.title))?;
            let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0);
            return Ok(code.map_or(Exit::Failed, Exit::Child));
        }
        terminal::say(&format!("    {} took {} s\n", check.title, begun.elapsed().as_secs()))?;
    }
    terminal::say(&format!("\nall {} checks passed\n", checks.len()))?;
    Ok(Exit::Done)
}

/// Returns whether Cargo has the command `nextest`.
fn has_nextest(cargo: &OsString) -> bool {
    let output = Command::new(cargo).args(["nextest", "--version"]).output();
    output.is_ok_and(|output| output.status.success())
}

fn heading(number: usize, count: usize, check: &Check) -> String {
    let name = match check.program {
        Program::Cargo => "cargo",
        Program::Xtask => "cargo xtask",
    };
    format!("\n==> {number}/{count} {}: {name} {}\n", check.title, check.arguments.join(" "))
}
