//! The commands and their options. Their doc comments are what `--help` prints.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::civil::Date;

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
    /// Hold the document to the rules that it is written by.
    #[command(after_help = LINT_EXIT_CODES)]
    Lint(LintArguments),
    /// Freeze the document as a released version, if it keeps the promises of the last one.
    #[command(after_help = RELEASE_EXIT_CODES)]
    Release(ReleaseArguments),
    /// Tell what a diagnostic code means and what to do about it.
    Explain(ExplainArguments),
    /// Write the reference page, which a browser can open without a server.
    #[command(after_help = DOCS_EXIT_CODES)]
    Docs(DocsArguments),
    /// Serve a document: judge requests, and answer with its examples or with generated values.
    #[command(after_help = MOCK_AFTER_HELP)]
    Mock(MockArguments),
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

const DOCS_EXIT_CODES: &str = "\
Exit codes:
  0  the page is written
  1  the tool failed
  2  the document was refused; nothing is written";

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

const LINT_EXIT_CODES: &str = "\
Exit codes:
  0  the document breaks no rule, or only such as make a warning
  1  it breaks a rule that makes an error; with --strict, any rule
  2  the document could not be read, or was refused";

const RELEASE_EXIT_CODES: &str = "\
Exit codes:
  0  the version is released, or nothing changed since the last one; with --check it could be released
  1  something stands in the way, or the tool failed; nothing is written
  2  the document was refused
  4  the generated crates are not fresh";

const MOCK_AFTER_HELP: &str = "\
What a request may ask for:
  Prefer: code=404          another response: a status, `default`, or a range such as `4XX`
  Prefer: example=NAME      an example by its name
  Prefer: dynamic=true      generated values, whatever examples there are
  Prefer: seed=7            other generated values; the same request gets the same answer

What answers tell:
  X-Mock-Violation          what is wrong with the request, once for each rule that it breaks
  X-Mock-Warning            what the document made impossible
  Preference-Applied        which wishes were followed

Paths are served as the document writes them, and below the base paths of its servers. Any credential
of the right kind is good. Pages of every origin may call, so whoever opens one on this machine
lets it read the document's examples.

Exit codes:
  0  ended by Ctrl-C
  1  the tool failed, or the address is not free
  2  the document was refused";

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
    /// Judge as on this day, in UTC
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub today: Option<Date>,
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

/// Arguments of `release`.
#[derive(Clone, Debug, Args)]
pub struct ReleaseArguments {
    /// Write nothing; tell what stands in the way. Between releases this holds every change to its version and changelog
    #[arg(long)]
    pub check: bool,
    /// Hold the list of releases to what it was at this git revision, such as the branch that a change goes to
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// How problems are told
    #[arg(long, value_enum, default_value_t = ReleaseFormat::Text)]
    pub format: ReleaseFormat,
    /// Judge, and release, as on this day, in UTC
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub today: Option<Date>,
}

/// How the problems of a release are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReleaseFormat {
    /// For a terminal
    #[default]
    Text,
    /// Workflow commands, which GitHub shows beside the lines
    Github,
}

/// Arguments of `lint`.
#[derive(Clone, Debug, Args)]
pub struct LintArguments {
    /// Another OpenAPI document than spec/v1/openapi.yaml, YAML or JSON
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How the findings are told
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// Tell too what the document allows itself by `x-lint-allow` (text only; JSON always has it)
    #[arg(long)]
    pub all: bool,
    /// Which rules count: `house` for spec/v1/openapi.yaml, `common` for other documents, unless said otherwise
    #[arg(long, value_enum)]
    pub rules: Option<RulesName>,
    /// Let warnings fail too
    #[arg(long)]
    pub strict: bool,
    /// Turn a rule off; may be given several times
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,
    /// Let a rule make a warning, whichever rules count; may be given several times
    #[arg(long, value_name = "RULE")]
    pub warn: Vec<String>,
    /// Let a rule make an error, whichever rules count; may be given several times
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,
}

/// How findings are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// For a terminal
    #[default]
    Text,
    /// One object, for programs
    Json,
    /// Workflow commands, which GitHub shows beside the lines
    Github,
}

/// The rules that a document is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RulesName {
    /// What every document should hold
    Common,
    /// Those, and what this repository asks of its own contract
    House,
}

/// Arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArguments {
    /// A code as it stands in brackets after `error` or `warning`; without one, all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// Arguments of `docs`.
#[derive(Clone, Debug, Args)]
pub struct DocsArguments {
    /// Folder for the page, which holds nothing else; target/reference of the workspace if not given
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
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

/// Arguments of `mock`.
#[derive(Clone, Debug, Args)]
pub struct MockArguments {
    /// OpenAPI document, YAML or JSON, instead of spec/v1/openapi.yaml
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Where to listen; port 0 takes one that is free
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4010")]
    pub listen: String,
    /// The largest body that is read, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    pub body_limit: usize,
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
