//! The commands behind `cargo xtask`, as a library so that tests share what the commands do.
//!
//! - [`command_line`]: the commands and their options, as `--help` tells them.
//! - [`codegen`]: from a document to a [`Plan`](frontdesk_codegen::fileset::Plan) on a folder; writes it or checks it.
//! - [`compat`]: what changed between two documents, and whether it breaks anybody.
//! - [`release`]: whether the document may be released, and its release.
//! - [`lint`](mod@lint): the rules that a document is written by.
//! - [`explain`]: the long form of a diagnostic code.
//! - [`docs`]: the reference page, in a folder.
//! - [`mock`]: a server of any document.
//! - [`serve`]: fresh code, then the service.
//! - [`corpus`]: the generator and the compiler on a folder of real documents.
//! - [`ci`]: what continuous integration runs.
//! - [`folder`]: the file system, for the generator and for the document reader.
//!
//! **Invariant**: nothing here depends on a generated crate, so that `cargo xtask codegen` works when they do not compile.

pub mod ci;
pub mod codegen;
pub mod command_line;
pub mod compat;
pub mod corpus;
pub mod docs;
pub mod explain;
pub mod folder;
pub mod lint;
pub mod mock;
pub mod release;
mod releases;
pub mod serve;
mod terminal;
mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::command_line::{Command, CommandLine};

/// How a command ended, as the shell sees it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done; files are written or were fresh.
    Done,
    /// 1: the tool failed, or was called in a way that it does not know.
    Failed,
    /// 1: the revision breaks a promise of the base, or may not be released.
    Breaking,
    /// 1: the document breaks a rule.
    Broken,
    /// 2: the document was refused.
    Refused,
    /// 4: `--check` found files that are not fresh.
    Stale,
    /// What a program that the command ran has returned.
    Child(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed | Exit::Breaking | Exit::Broken => 1,
            Exit::Refused => 2,
            Exit::Stale => 4,
            Exit::Child(code) => code,
        })
    }
}

/// Runs a command line, the program's name first, and reports a failure on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let command_line = match CommandLine::try_parse_from(arguments) {
        Ok(command_line) => command_line,
        Err(usage) => {
            // A reader that has gone away does not make the usage wrong.
            let _ = usage.print();
            // The parser's own code for wrong usage, 2, means here that a document was refused.
            return if usage.use_stderr() { Exit::Failed } else { Exit::Done }.into();
        }
    };
    let outcome = match command_line.command {
        Command::Codegen(arguments) => codegen::run(&arguments),
        Command::Compat(arguments) => compat::run(&arguments),
        Command::Release(arguments) => release::run(&arguments),
        Command::Lint(arguments) => lint::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Docs(arguments) => docs::run(&arguments),
        Command::Mock(arguments) => mock::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Corpus(arguments) => corpus::run(&arguments),
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
