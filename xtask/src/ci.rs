//! `cargo xtask ci`: what continuous integration runs, in the same order, so that a green run here is a green run there.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result};

use crate::{Exit, terminal, workspace};

/// One command.
#[derive(Copy, Clone, Debug)]
struct Check {
    /// What it holds.
    title: &'static str,
    program: Program,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
}

#[derive(Copy, Clone, Debug)]
enum Program {
    Cargo,
    /// This command itself: it need not be built again.
    Xtask,
}

const CHECKS: &[Check] = &[
    Check {
        title: "formatting",
        program: Program::Cargo,
        arguments: &["fmt", "--all", "--check"],
        variables: &[],
    },
    Check {
        title: "generated code is fresh",
        program: Program::Xtask,
        arguments: &["codegen", "--check"],
        variables: &[],
    },
    Check {
        title: "the contract keeps its rules",
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
    Check {
        title: "tests",
        program: Program::Cargo,
        arguments: &["test", "--workspace", "--locked"],
        // A snapshot that differs fails, and writes nothing into the tree.
        variables: &[("INSTA_UPDATE", "no")],
    },
];

/// Runs every check until one fails, and returns the exit code of that one.
pub fn run() -> Result<Exit> {
    let root = workspace::root()?;
    for (index, check) in CHECKS.iter().enumerate() {
        terminal::say(&heading(index, check))?;
        let (name, program) = match check.program {
            Program::Cargo => ("cargo", env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))),
            Program::Xtask => {
                ("cargo xtask", env::current_exe().context("this command does not know its own path")?.into())
            }
        };
        let mut command = Command::new(program);
        command.args(check.arguments).envs(check.variables.iter().copied()).current_dir(&root);
        let line = format!("{name} {}", check.arguments.join(" "));
        let status = command.status().with_context(|| format!("failed to start `{line}`"))?;
        if !status.success() {
            terminal::say(&format!(
                "\nerror: {} failed\n\nhint: run `{line}` to see it again\n",
                check.title
            ))?;
            let code = status.code().and_then(|code| u8::try_from(code).ok()).filter(|code| *code != 0);
            return Ok(code.map_or(Exit::Failed, Exit::Child));
        }
    }
    terminal::say(&format!("\nall {} checks passed\n", CHECKS.len()))?;
    Ok(Exit::Done)
}

fn heading(index: usize, check: &Check) -> String {
    let name = match check.program {
        Program::Cargo => "cargo",
        Program::Xtask => "cargo xtask",
    };
    let (number, count) = (index + 1, CHECKS.len());
    format!("\n==> {number}/{count} {}: {name} {}\n", check.title, check.arguments.join(" "))
}
