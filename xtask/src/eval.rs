//! `cargo xtask eval`: measures search and answers on labeled websites, and trains the extractive writer.
//!
//! The work is done by the package `frontdesk-evaluation`, which is built with optimization. This program
//! does not depend on it, so that generating code does not have to wait for the embedding model to be
//! compiled.

use std::env;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command_line::EvalArguments;
use crate::workspace;
use frontdesk_commands::Exit;

/// Builds and runs the evaluation in the root of the workspace.
pub fn run(arguments: &EvalArguments) -> Result<Exit> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["run", "--release", "--quiet", "--package", "frontdesk-evaluation", "--"])
        .args(&arguments.arguments)
        .current_dir(workspace::root()?);
    let status = command.status().context("failed to start `cargo run --package frontdesk-evaluation`")?;
    Ok(match status.code().and_then(|code| u8::try_from(code).ok()) {
        Some(0) => Exit::Done,
        Some(code) => Exit::Child(code),
        None => Exit::Failed,
    })
}
