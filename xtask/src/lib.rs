//! The commands of `cargo xtask`, as a library that tests can call.
//!
//! - [`command_line`]: the commands and their options, with the texts of `--help`.
//! - [`contracts`]: runs commands for each of this repository's contracts.
//! - [`serve`]: updates the generated crates and runs the service.
//! - [`eval`]: measures search and answers.
//! - [`corpus`]: runs the generator and the compiler on a folder of documents.
//! - [`tidy`]: checks of the repository itself, such as the direction of imports.
//! - [`ci`]: runs the checks of continuous integration.
//! - [`workspace`]: where this repository is, and its defaults for the commands for any document.
//!
//! The commands for any document are those of [`frontdesk_openapi`].
//!
//! **Invariant**: this crate does not depend on any generated crate, so `cargo xtask codegen` works when they
//! do not compile.

pub mod ci;
pub mod command_line;
pub mod contracts;
pub mod corpus;
pub mod eval;
pub mod serve;
pub mod tidy;
pub mod workspace;

use std::ffi::OsString;
use std::process::ExitCode;

use frontdesk_commands::{Exit, terminal};
use frontdesk_openapi::PROGRAM;

use crate::command_line::{Command, CommandLine};

/// Runs a command line, which begins with the program's name, and reports failures on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let program = match workspace::program() {
        Ok(program) => program,
        Err(error) => {
            terminal::report(&PROGRAM, &error);
            return Exit::Failed.into();
        }
    };
    frontdesk_commands::main(
        &program,
        arguments,
        |command| command,
        |CommandLine { command }| match command {
            Command::Document(command) => contracts::run(&program, &command),
            Command::Serve(arguments) => serve::run(&arguments),
            Command::Eval(arguments) => eval::run(&arguments),
            Command::Corpus(arguments) => corpus::run(&arguments),
            Command::Tidy(arguments) => tidy::run(&arguments),
            Command::Ci => ci::run(),
        },
    )
}
