//! The commands for any OpenAPI document, as a library that programs and tests call.
//!
//! - [`command_line`]: the commands and their options, with the texts of `--help`.
//! - [`new`]: lays out a new repository.
//! - [`docs`]: writes the reference page to a folder.
//! - [`PROGRAM`]: the program `frontdesk-openapi`.
//!
//! The others are those of [`frontdesk_commands`].

pub mod command_line;
pub mod docs;
pub mod new;

use anyhow::Result;
use frontdesk_commands::{Exit, Program};

use crate::command_line::Command;

/// The installed program: it belongs to no repository, and contains the library that generated code calls.
pub const PROGRAM: Program =
    Program { command: "frontdesk-openapi", repository: None, runtime: Some(frontdesk_vendored::runtime) };

/// Runs a command of a program.
pub fn run(program: &Program, command: &Command) -> Result<Exit> {
    match command {
        Command::Repository(command) => frontdesk_commands::run(program, command),
        Command::New(arguments) => new::run(arguments),
        Command::Docs(arguments) => docs::run(program, arguments),
    }
}
