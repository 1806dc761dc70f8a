//! The commands of `cargo xtask`, as a library that tests can call.
//!
//! - [`command_line`]: the commands and their options, with the texts of `--help`.
//! - [`serve`]: updates the generated crates and runs the service.
//! - [`eval`]: measures search and answers.
//! - [`corpus`]: runs the generator and the compiler on a folder of documents.
//! - [`tidy`]: checks of the repository itself, such as the direction of imports.
//! - [`ci`]: runs the checks of continuous integration.
//!
//! The commands for any document are those of [`frontdesk_openapi`].
//!
//! **Invariant**: this crate does not depend on any generated crate, so `cargo xtask codegen` works when they
//! do not compile.

pub mod ci;
pub mod command_line;
pub mod corpus;
pub mod eval;
pub mod serve;
pub mod tidy;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use frontdesk_commands::{Exit, terminal};

use crate::command_line::{Command, CommandLine};

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
        Command::Document(command) => frontdesk_openapi::run(&command),
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
