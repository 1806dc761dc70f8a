//! The commands and their options. Their doc comments are what `--help` prints.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Columns of the help, whatever the terminal: the same text everywhere.
const HELP_WIDTH: usize = 100;

/// Commands of the workshop.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", version, term_width = HELP_WIDTH, disable_version_flag = true)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write the model, server and client crates from the OpenAPI document.
    #[command(after_help = EXIT_CODES)]
    Codegen(CodegenArguments),
    /// Compare the document with an earlier one, and tell what breaks for whom.
    #[command(after_help = COMPAT_EXIT_CODES)]
    Compat(CompatArguments),
    /// Tell what a diagnostic code means and what to do about it.
    Explain(ExplainArguments),
    /// Bring the generated crates up to date, then run the service with demo data.
    Serve(ServeArguments),
    /// Generate from every document of a folder, and check the crates that come of it.
    #[command(after_help = CORPUS_EXIT_CODES)]
    Corpus(CorpusArguments),
    /// Run what continuous integration runs, in the same order, until something fails.
    Ci,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  the files are written, or were fresh
  1  the tool failed
  2  the document was refused; nothing is written
  4  files are not fresh (with --check)";

const CORPUS_EXIT_CODES: &str = "\
Exit codes:
  0  every document was taken; with --check it compiles, with --round-trip no instance differs
  1  the tool failed, generated code does not compile without a warning, or an instance differs
  2  a document was refused";

const COMPAT_EXIT_CODES: &str = "\
Exit codes:
  0  the revision keeps every promise of the base, or what it breaks is excused
  1  the revision breaks a promise
  2  a document could not be read, or was refused";

/// Arguments of `codegen`.
#[derive(Clone, Debug, Default, Args)]
pub struct CodegenArguments {
    /// Write nothing; tell what is not fresh
    #[arg(long)]
    pub check: bool,
    /// Refuse defects of the document that have a sensible reading, instead of warning of them
    #[arg(long)]
    pub strict: bool,
    /// Write nothing; tell how many operations are fully typed
    #[arg(long, conflicts_with = "check")]
    pub report: bool,
    /// Another OpenAPI document than spec/v1/openapi.yaml, YAML or JSON
    #[arg(long, value_name = "FILE", requires_all = ["out", "name"])]
    pub spec: Option<PathBuf>,
    /// Folder for the crates made from FILE, which then belongs to the tool
    #[arg(long, value_name = "DIR", requires = "spec")]
    pub out: Option<PathBuf>,
    /// First part of the names of the crates made from FILE, in kebab case: `pets` gives `pets-model`
    #[arg(long, value_name = "NAME", requires = "spec", value_parser = crate_name)]
    pub name: Option<String>,
    /// Folder with copies of the files whose addresses begin with ADDRESS, such as
    /// `https://example.com/schemas/=../schemas`; may be given several times
    #[arg(long, value_name = "ADDRESS=DIR", requires = "spec", value_parser = copies)]
    pub map: Vec<(String, PathBuf)>,
}

/// Arguments of `compat`.
#[derive(Clone, Debug, Args)]
pub struct CompatArguments {
    /// The earlier document: a file, or a git revision at which spec/v1/openapi.yaml is read; without it the newest bundle
    /// in spec/v1/released, or HEAD if nothing was released
    #[arg(long, value_name = "FILE|REV")]
    pub base: Option<String>,
    /// The later document, instead of spec/v1/openapi.yaml
    #[arg(long, value_name = "FILE")]
    pub revision: Option<PathBuf>,
    /// How the findings are told
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Tell safe changes too (text only; the other formats always have them, or never)
    #[arg(long)]
    pub all: bool,
    /// Make the crates of both documents, and tell what changes for those who use them; always done for
    /// spec/v1/openapi.yaml, and estimated for other documents unless asked for
    #[arg(long)]
    pub rust: bool,
    /// What changes are held to: `house` for spec/v1/openapi.yaml, `law` for other documents, unless said otherwise
    #[arg(long, value_enum)]
    pub policy: Option<PolicyName>,
}

/// How a comparison is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    #[default]
    Text,
    /// One object, for programs
    Json,
    /// For a pull request
    Markdown,
    /// Workflow commands, which GitHub shows beside the lines
    Github,
}

/// What a comparison holds changes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// What requests may contain must not narrow, what responses may contain must not widen
    Law,
    /// The law for what is stable, a year of notice before removals, and their announcement in CHANGELOG.md
    House,
}

/// Arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArguments {
    /// A code as it stands in brackets after `error` or `warning`; without one, all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// Arguments of `corpus`.
#[derive(Clone, Debug, Args)]
pub struct CorpusArguments {
    /// Folder of OpenAPI documents: its YAML and JSON files, and one document in each folder below `multi`
    #[arg(long, value_name = "DIR", env = "FRONTDESK_CORPUS", hide_env_values = true)]
    pub folder: PathBuf,
    /// Check that the crates of each document compile without a warning; what has not changed since is skipped
    #[arg(long)]
    pub check: bool,
    /// Send instances of the schemas, valid ones and broken ones, through the types that were made of them; what has not
    /// changed since a run without a difference is skipped
    #[arg(long, conflicts_with = "check")]
    pub round_trip: bool,
    /// Take these documents only, by the names in the table
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Processes that a check may run at once
    #[arg(long, value_name = "COUNT", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Folder for the crates, instead of target/corpus
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

/// An address and a folder. An address may hold `=` itself, a folder's name here may not.
fn copies(text: &str) -> Result<(String, PathBuf), &'static str> {
    match text.rsplit_once('=') {
        Some((address, folder)) if !address.is_empty() && !folder.is_empty() => {
            Ok((address.to_owned(), PathBuf::from(folder)))
        }
        _ => Err(
            "write the beginning of an address, `=` and a folder, such as `https://example.com/schemas/=../schemas`",
        ),
    }
}

fn crate_name(name: &str) -> Result<String, &'static str> {
    let starts_well = name.starts_with(|character: char| character.is_ascii_lowercase());
    let plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if starts_well && plain && !name.ends_with('-') && !name.contains("--") {
        Ok(name.to_owned())
    } else {
        Err("write lower-case letters, digits and single hyphens, a letter first, such as `pet-store`")
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn crate_names_are_kebab_case() {
        for name in ["pets", "pet-store", "v2-api", "a"] {
            assert!(crate_name(name).is_ok(), "{name}");
        }
        for name in ["", "Pets", "-pets", "pets-", "pet--store", "2pets", "pet_store", "../pets", "päts"] {
            assert!(crate_name(name).is_err(), "{name}");
        }
    }
}
