//! The commands for a document and its repository, as a library that programs and tests call.
//!
//! - [`command_line`]: the commands and their options, with the texts of `--help`.
//! - [`codegen`]: generates crates from a document, and writes or checks them.
//! - [`compat`]: compares two documents and reports breaking changes.
//! - [`release`]: checks whether the contract may be released, and releases it.
//! - [`lint`](mod@lint): checks a document against the lint rules.
//! - [`explain`]: prints the explanation of a diagnostic code.
//! - [`mock`]: serves a document without an implementation.
//! - [`workspace`]: where the document of the workspace is.
//! - [`terminal`]: writes to standard error and standard output.
//!
//! **Invariant**: this crate does not depend on any generated crate, so `codegen` works when they do not
//! compile.

pub mod codegen;
pub mod command_line;
pub mod compat;
pub mod explain;
pub mod lint;
pub mod mock;
pub mod release;
mod releases;
pub mod terminal;
pub mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use crate::command_line::Command;

/// The outcome of a command, which determines its exit code.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: success; the files were written or were already up to date.
    Done,
    /// 1: the tool failed, or its arguments are not valid.
    Failed,
    /// 1: the revision has a breaking change, or may not be released.
    Breaking,
    /// 1: the document or the repository violates a rule.
    Violations,
    /// 2: the document was rejected.
    Rejected,
    /// 4: `--check` found files that are not up to date.
    Stale,
    /// The exit code of a program that the command ran.
    Child(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed | Exit::Breaking | Exit::Violations => 1,
            Exit::Rejected => 2,
            Exit::Stale => 4,
            Exit::Child(code) => code,
        })
    }
}

/// Runs a command.
pub fn run(command: &Command) -> Result<Exit> {
    match command {
        Command::Codegen(arguments) => codegen::run(arguments),
        Command::Compat(arguments) => compat::run(arguments),
        Command::Lint(arguments) => lint::run(arguments),
        Command::Release(arguments) => release::run(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Mock(arguments) => mock::run(arguments),
    }
}
