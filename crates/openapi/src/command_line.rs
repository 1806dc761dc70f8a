//! The command line of the program. `--help` prints the doc comments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use frontdesk_commands::command_line::{self as commands, crate_name};

/// The width of the help in columns, independent of the terminal, so that its text is the same everywhere.
const HELP_WIDTH: usize = 100;

/// Rust crates from an OpenAPI document: types, server traits and a client. Checks, comparisons, releases, a
/// mock server and a reference page for it.
#[derive(Debug, Parser)]
#[command(name = "frontdesk-openapi", version, term_width = HELP_WIDTH)]
pub struct CommandLine {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// What the help says of arguments that mention the contract of a repository, in a program without one: the
/// command, the argument, the text, and whether the argument is required.
const WITHOUT_REPOSITORY: [(&str, &str, &str, bool); 11] = [
    (
        "codegen",
        "spec",
        "OpenAPI document (YAML or JSON). A file `codegen.toml` beside it may give the other options",
        true,
    ),
    ("lint", "file", "OpenAPI document (YAML or JSON) to check", true),
    (
        "lint",
        "rules",
        "Rule set; `project` adds the conventions of the repository of this tool [default: common]",
        false,
    ),
    ("mock", "file", "OpenAPI document (YAML or JSON) to serve", true),
    ("docs", "file", "OpenAPI document (YAML or JSON) to describe", true),
    ("docs", "out", "Output folder, which may contain only the page", true),
    ("compat", "revision", "The later document", true),
    (
        "compat",
        "rust",
        "Generate the crates of both documents and compare their interfaces. Without it, changes of code are estimated",
        false,
    ),
    (
        "compat",
        "javascript",
        "Generate the JavaScript client of both documents and compare its types, for users of TypeScript",
        false,
    ),
    (
        "compat",
        "policy",
        "Rules that changes must follow; `project` needs a CHANGELOG.md beside the document or above [default: basic]",
        false,
    ),
    (
        "release",
        "spec",
        "OpenAPI document to release. Its bundles are in the folder `released` beside it, and CHANGELOG.md is there or above",
        true,
    ),
];

/// Changes the definition of the command line for a program that belongs to no repository: every command has
/// to be given a document.
pub fn without_repository(command: clap::Command) -> clap::Command {
    WITHOUT_REPOSITORY.into_iter().fold(command, |command, (name, argument, help, required)| {
        command.mut_subcommand(name, |command| {
            command.mut_arg(argument, |argument| argument.help(help).required(required))
        })
    })
}

/// The commands for a document.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Those that a repository with a generator of its own has too.
    #[command(flatten)]
    Repository(commands::Command),
    /// Lay out a new repository: a contract, its generated crates, a service, tests and CI.
    #[command(display_order = 1)]
    New(NewArguments),
    /// Write the reference page, which a browser can open without a server.
    #[command(after_help = DOCS_EXIT_CODES, display_order = 6)]
    Docs(DocsArguments),
}

const DOCS_EXIT_CODES: &str = "\
Exit codes:
  0  the page was written
  1  the tool failed
  2  the document was rejected; nothing was written";

/// Arguments of `new`.
#[derive(Clone, Debug, Args)]
pub struct NewArguments {
    /// Folder of the repository, which must be empty or not exist
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Name of the service and prefix of the crates, in kebab case. Default: the name of the folder
    #[arg(long, value_name = "NAME", value_parser = crate_name)]
    pub name: Option<String>,
    /// Where the repository finds the generator: `vendored` into it, `path=DIR` of a checkout, `git=URL`, or
    /// `version=1.2`
    #[arg(long, value_name = "WHERE", default_value = "vendored", value_parser = GeneratorSource::parse)]
    pub generator: GeneratorSource,
}

/// Where a new repository finds the generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GeneratorSource {
    /// In the repository itself, under its name.
    Vendored,
    /// In a checkout.
    Path(String),
    /// In a repository.
    Git(String),
    /// In a registry.
    Version(String),
}

impl GeneratorSource {
    fn parse(text: &str) -> Result<Self, &'static str> {
        match text.split_once('=') {
            None if text == "vendored" => Ok(Self::Vendored),
            Some(("path", path)) if !path.is_empty() => Ok(Self::Path(path.to_owned())),
            Some(("git", url)) if !url.is_empty() => Ok(Self::Git(url.to_owned())),
            Some(("version", version)) if !version.is_empty() => Ok(Self::Version(version.to_owned())),
            _ => Err("write `vendored`, `path=DIR`, `git=URL` or `version=1.2`"),
        }
    }

    /// Returns the value of a dependency on one of the generator's crates, as TOML.
    pub(crate) fn dependency(&self, folder: &str) -> String {
        let text = |text: &str| toml::Value::from(text).to_string();
        match self {
            Self::Vendored => format!("{{ path = {} }}", text(&format!("crates/{folder}"))),
            Self::Path(path) => format!("{{ path = {} }}", text(&format!("{path}/crates/{folder}"))),
            Self::Git(url) => format!("{{ git = {} }}", text(url)),
            Self::Version(version) => text(version),
        }
    }
}

/// Arguments of `docs`.
#[derive(Clone, Debug, Args)]
pub struct DocsArguments {
    /// OpenAPI document (YAML or JSON) to describe instead of spec/v1/openapi.yaml
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Output folder, which may contain only the page. Default: target/reference of the workspace
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// The folder of the contract in a repository of this kind.
    const FOLDER: &str = "spec/v1";

    #[test]
    fn the_help_of_a_program_without_a_repository_mentions_none() {
        let mut command = without_repository(CommandLine::command());
        command.build();
        command.clone().debug_assert();
        for mut command in command.get_subcommands().cloned() {
            let help = command.render_help().to_string();
            assert!(!help.contains(FOLDER) && !help.contains("xtask"), "{help}");
        }
    }
}
