//! `cargo xtask serve`: updates the generated crates, then runs the service with demo data.
//!
//! The launcher comes here only for the help; run directly, this program generates without asking Git whether
//! that is necessary.

use std::process::ExitCode;

use anyhow::Result;

use crate::command_line::ServeArguments;
use crate::contracts;
use crate::workspace;
use frontdesk_commands::Exit;

/// Generates the crates, then builds the service and becomes it. Returns only if one of them fails.
pub fn run(arguments: &ServeArguments) -> Result<Exit> {
    let exit = contracts::generate()?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    let code = xtask_launcher::serve::start(&workspace::root()?, &arguments.arguments)?;
    Ok(if code == ExitCode::SUCCESS { Exit::Done } else { Exit::Failed })
}
