//! Commands that are for all contracts of this repository if no document is named.

use anyhow::Result;
use frontdesk_commands::command_line::{CodegenArguments, Command as Repository};
use frontdesk_commands::{Exit, Program, codegen, terminal};
use frontdesk_openapi::command_line::Command;

use crate::workspace;

/// Runs a command for the document that it names; otherwise for the contracts that it concerns, all of them
/// even if one fails.
pub fn run(program: &Program, command: &Command) -> Result<Exit> {
    match command {
        Command::Repository(Repository::Codegen(arguments)) if is_plain(arguments) => {
            each(|program| codegen::run(program, arguments))
        }
        Command::Repository(Repository::Lint(arguments)) if arguments.file.is_none() => {
            each(|program| frontdesk_openapi::run(program, command))
        }
        Command::Repository(Repository::Release(arguments))
            if arguments.check && arguments.spec.is_none() =>
        {
            each(|program| {
                if is_released(program) {
                    frontdesk_openapi::run(program, command)
                } else {
                    not_released(program)
                }
            })
        }
        _ => frontdesk_openapi::run(program, command),
    }
}

/// Generates the crates of every contract.
pub fn generate() -> Result<Exit> {
    each(|program| codegen::run(program, &CodegenArguments::default()))
}

/// Whether the arguments leave it to the repository what is generated from what.
fn is_plain(arguments: &CodegenArguments) -> bool {
    arguments.spec.is_none()
}

/// Runs a command for every contract, and returns the first outcome that is not a success.
fn each(command: impl Fn(&Program) -> Result<Exit>) -> Result<Exit> {
    let mut outcome = Exit::Done;
    for program in workspace::programs()? {
        let exit = command(&program)?;
        if outcome == Exit::Done {
            outcome = exit;
        }
    }
    Ok(outcome)
}

/// Whether a contract is held to its releases. That of the console is once it has one; until then its pages
/// are its only users, and change with it.
fn is_released(program: &Program) -> bool {
    let Some(repository) = &program.repository else { return false };
    if repository.spec != workspace::CONSOLE_SPEC {
        return true;
    }
    let document = repository.root.join(repository.spec);
    document.parent().is_some_and(|folder| folder.join("released").is_dir())
}

fn not_released(program: &Program) -> Result<Exit> {
    if let Some(repository) = &program.repository {
        terminal::say(&format!(
            "`{}` has no released version yet, so nothing is promised\n",
            repository.spec
        ))?;
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_interface_is_released() {
        let released: Vec<bool> = workspace::programs().expect("programs").iter().map(is_released).collect();
        assert_eq!(released, [true, false]);
    }
}
