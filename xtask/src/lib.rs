//! The commands of `cargo xtask`, as a library that tests can call.
//!
//! - [`command_line`]: the commands and their options, with the texts of `--help`.
//! - [`codegen`]: generates crates from a document, and writes or checks them.
//! - [`new`]: lays out a new repository.
//! - [`compat`]: compares two documents and reports breaking changes.
//! - [`release`]: checks whether the contract may be released, and releases it.
//! - [`lint`](mod@lint): checks a document against the lint rules.
//! - [`explain`]: prints the explanation of a diagnostic code.
//! - [`docs`]: writes the reference page to a folder.
//! - [`mock`]: serves a document without an implementation.
//! - [`serve`]: updates the generated crates and runs the service.
//! - [`corpus`]: runs the generator and the compiler on a folder of documents.
//! - [`tidy`]: checks of the repository itself, such as the direction of imports.
//! - [`ci`]: runs the checks of continuous integration.
//!
//! **Invariant**: this crate does not depend on any generated crate, so `cargo xtask codegen` works when they
//! do not compile.

pub mod ci;
pub mod codegen;
pub mod command_line;
pub mod compat;
pub mod corpus;
pub mod docs;
pub mod eval;
pub mod explain;
pub mod lint;
pub mod mock;
pub mod new;
pub mod release;
mod releases;
pub mod serve;
mod terminal;
pub mod tidy;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::command_line::{Command, CommandLine};

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

/// Runs a command line, which begins with the program's name, and reports failures on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let command_line = match CommandLine::try_parse_from(arguments) {
        Ok(command_line) => command_line,
        Err(usage) => {
            // Output that cannot be written does not change the exit code.
            let _ = usage.print();
            // The parser uses 2 for wrong usage, but here 2 means that a document was rejected.
            return if usage.use_stderr() { Exit::Failed } else { Exit::Done }.into();
        }
    };
    let outcome = match command_line.command {
        Command::Codegen(arguments) => codegen::run(&arguments),
        Command::New(arguments) => new::run(&arguments),
        Command::Compat(arguments) => compat::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Docs(arguments) => docs::run(&arguments),
        Command::Mock(arguments) => mock::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Corpus(arguments) => corpus::run(&arguments),
        Command::Tidy(arguments) => tidy::run(&arguments),
        Command::Ci => ci::run(),
    };
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => {
            terminal::report(&error);
            Exit::Failed.into()
        }
    }
}
