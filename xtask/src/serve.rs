//! `cargo xtask serve`: updates the generated crates, then runs the service with demo data.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command_line::{CodegenArguments, ServeArguments};
use crate::{Exit, codegen, workspace};

/// Replaces this process by the service if the system supports it, so that signals reach the service; otherwise waits
/// for it.
pub fn run(arguments: &ServeArguments) -> Result<Exit> {
    let exit = codegen::run(&CodegenArguments::default())?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    let mut command = service(&arguments.arguments);
    command.current_dir(workspace::root()?);
    hand_over(command).context("failed to start `cargo run --package frontdesk-service`")
}

/// Returns the command that builds and runs the service.
fn service(arguments: &[OsString]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command
        .args(["run", "--package", "frontdesk-service", "--bin", "frontdesk", "--", "serve", "--demo"])
        .args(arguments);
    command
}

#[cfg(unix)]
fn hand_over(mut command: Command) -> Result<Exit> {
    use std::os::unix::process::CommandExt as _;

    Err(command.exec().into())
}

#[cfg(not(unix))]
fn hand_over(mut command: Command) -> Result<Exit> {
    let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
    Ok(match code {
        Some(0) => Exit::Done,
        Some(code) => Exit::Child(code),
        None => Exit::Failed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_reach_the_service() {
        let command = service(&["--listen".into(), "127.0.0.1:0".into()]);
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments[..5], ["run", "--package", "frontdesk-service", "--bin", "frontdesk"]);
        assert_eq!(arguments[5..], ["--", "serve", "--demo", "--listen", "127.0.0.1:0"]);
    }
}
