//! The commands and their options. `--help` prints their doc comments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use frontdesk_openapi::command_line as openapi;

/// The width of the help in columns, independent of the terminal, so that its text is the same everywhere.
const HELP_WIDTH: usize = 100;

/// Development commands of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, term_width = HELP_WIDTH, disable_version_flag = true)]
pub struct CommandLine {
    /// The command to run.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Those for any document.
    #[command(flatten)]
    Document(openapi::Command),
    /// Update the generated crates, then run the service with demo data.
    Serve(ServeArguments),
    /// Measure search and answers on labeled websites, or train the extractive writer on them.
    Eval(EvalArguments),
    /// Generate crates from every document of a folder, and check them.
    #[command(after_help = CORPUS_EXIT_CODES)]
    Corpus(CorpusArguments),
    /// Check the repository: directions of imports, paths and numbers in documents, width and words of prose.
    #[command(after_help = TIDY_EXIT_CODES)]
    Tidy(TidyArguments),
    /// Run the checks of continuous integration, in the same order, until one fails.
    Ci,
}

const CORPUS_EXIT_CODES: &str = "\
Exit codes:
  0  every document was accepted; with --check it compiles, with --round-trip no instance differs,
     with --differential nothing disagrees
  1  the tool failed, generated code has warnings or errors, an instance differs, or servers or client disagree
  2  a document was rejected";

const TIDY_EXIT_CODES: &str = "\
Exit codes:
  0  there are no findings, or only those that .config/tidy-baseline.toml tolerates
  1  there are findings, or the tool failed";

/// Arguments of `corpus`.
#[derive(Clone, Debug, Args)]
pub struct CorpusArguments {
    /// Folder of OpenAPI documents: its YAML and JSON files, and one document in each folder below `multi`
    #[arg(long, value_name = "DIR", env = "FRONTDESK_CORPUS", hide_env_values = true)]
    pub folder: PathBuf,
    /// Check that the crates of each document compile without warnings; results of unchanged documents are
    /// reused
    #[arg(long)]
    pub check: bool,
    /// Send valid and invalid instances of the schemas through the generated types and compare; results of
    /// unchanged documents are reused
    #[arg(long, conflicts_with = "check")]
    pub round_trip: bool,
    /// Send the same requests to the mock and to the generated server, and responses of the mock to the
    /// generated client, and compare
    #[arg(long, conflicts_with_all = ["check", "round_trip"])]
    pub differential: bool,
    /// Use only these documents, by their names in the table
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Number of parallel compiler processes
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Output folder for the crates, instead of target/corpus
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Arguments of `serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArguments {
    /// Arguments for `frontdesk serve`, in addition to `--demo`
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// Arguments of `tidy`.
#[derive(Clone, Debug, Args)]
pub struct TidyArguments {
    /// Lower the numbers of .config/tidy-baseline.toml to those of today
    #[arg(long)]
    pub bless: bool,
    /// Show also the findings that .config/tidy-baseline.toml tolerates
    #[arg(long, conflicts_with = "bless")]
    pub list: bool,
}

/// Arguments of `eval`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct EvalArguments {
    /// Folders with `site/` and `questions.jsonl`, and options; `--help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }
}
