//! `cargo xtask`: the commands of this repository. `cargo xtask --help` lists them.

use std::env;
use std::path::Path;
use std::process::{self, ExitCode};

use @tool_snake@_commands::command_line::{CodegenArguments, Command as Contract};
use @tool_snake@_commands::{Exit, Program, Repository, codegen};

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};

/// The prefix of the names of the generated crates.
const NAME: &str = "@name@";

/// Commands of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[command(flatten)]
    Contract(Contract),
    /// Generate the crates, then build and start the service.
    Serve,
}

fn main() -> ExitCode {
    let program = program();
    let run = |CommandLine { command }| match command {
        Command::Contract(command) => @tool_snake@_commands::run(&program, &command),
        Command::Serve => serve(&program),
    };
    @tool_snake@_commands::main(&program, env::args_os(), |command| command, run)
}

/// Returns this program, for which the contract in `spec/v1` is the default document.
fn program() -> Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().unwrap_or(root);
    Program { command: "cargo xtask", repository: Some(Repository::new(root, NAME)), runtime: None }
}

fn serve(program: &Program) -> Result<Exit> {
    let exit = codegen::run(program, &CodegenArguments::default())?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = process::Command::new(cargo)
        .args(["run", "--package", "@name@-service"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .context("failed to start `cargo run`")?;
    ensure!(status.success(), "the service ended with {status}");
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use @tool_snake@_commands::codegen::Target;

    #[test]
    fn generated_crates_are_up_to_date() {
        let target = Target::of_repository(&super::program()).expect("the contract is there");
        assert!(target.is_fresh().expect("the crates can be read"), "run `cargo xtask codegen`");
    }
}
