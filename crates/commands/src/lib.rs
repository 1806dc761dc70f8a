//! The commands for a document and its repository, as a library that programs and tests call.
//!
//! - [`command_line`]: the commands and their options, with the texts of `--help`.
//! - [`codegen`]: generates crates from a document, and writes or checks them.
//! - [`compat`]: compares two documents and reports breaking changes.
//! - [`release`]: checks whether the contract may be released, and releases it.
//! - [`lint`](mod@lint): checks a document against the lint rules.
//! - [`explain`]: prints the explanation of a diagnostic code.
//! - [`mock`]: serves a document without an implementation.
//! - [`program`]: the program that runs the commands, and its repository.
//! - [`contract`]: the document that a command is for, and where its history is.
//! - [`terminal`]: writes to standard error and standard output.
//!
//! **Invariant**: this crate does not depend on any generated crate, so `codegen` works when they do not
//! compile.

pub mod codegen;
pub mod command_line;
pub mod compat;
pub mod contract;
pub mod explain;
pub mod lint;
pub mod mock;
pub mod program;
pub mod release;
mod releases;
pub mod terminal;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

pub use crate::program::{Program, Repository};

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

/// Runs a command of a program.
pub fn run(program: &Program, command: &Command) -> Result<Exit> {
    match command {
        Command::Codegen(arguments) => codegen::run(program, arguments),
        Command::Compat(arguments) => compat::run(program, arguments),
        Command::Lint(arguments) => lint::run(program, arguments),
        Command::Release(arguments) => release::run(program, arguments),
        Command::Explain(arguments) => explain::run(program, arguments),
        Command::Mock(arguments) => mock::run(program, arguments),
    }
}

/// Parses a command line, which begins with the program's name, runs its command, and reports failures on
/// standard error.
///
/// `configure` gets the definition of the command line before it is used.
pub fn main<C: Parser>(
    program: &Program,
    arguments: impl IntoIterator<Item = OsString>,
    configure: impl FnOnce(clap::Command) -> clap::Command,
    run: impl FnOnce(C) -> Result<Exit>,
) -> ExitCode {
    let matches = configure(C::command()).try_get_matches_from(arguments);
    let command_line = match matches.and_then(|matches| C::from_arg_matches(&matches)) {
        Ok(command_line) => command_line,
        Err(usage) => {
            // Output that cannot be written does not change the exit code.
            let _ = usage.print();
            // The parser uses 2 for wrong usage, but here 2 means that a document was rejected.
            return if usage.use_stderr() { Exit::Failed } else { Exit::Done }.into();
        }
    };
    match run(command_line) {
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal::report(program, &error);
            Exit::Failed.into()
        }
    }
}
