//! The commands for any OpenAPI document, as a library that programs and tests call.
//!
//! - [`command_line`]: the commands and their options, with the texts of `--help`.
//! - [`new`]: lays out a new repository.
//! - [`docs`]: writes the reference page to a folder.
//!
//! The others are those of [`frontdesk_commands`].

pub mod command_line;
pub mod docs;
pub mod new;

use anyhow::Result;
use frontdesk_commands::Exit;

use crate::command_line::Command;

/// Runs a command.
pub fn run(command: &Command) -> Result<Exit> {
    match command {
        Command::Repository(command) => frontdesk_commands::run(command),
        Command::New(arguments) => new::run(arguments),
        Command::Docs(arguments) => docs::run(arguments),
    }
}
