//! The commands and their options. `--help` prints their doc comments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use frontdesk_codegen::settings::{Kind, RuntimeSetting, WorkspaceMode, check_name};
use jiff::civil::Date;

/// The commands. Their numbers are the places in the help, in which programs have commands of their own too.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Generate the model, server and client crates from the OpenAPI document.
    #[command(after_help = EXIT_CODES, display_order = 0)]
    Codegen(CodegenArguments),
    /// Compare the document with an earlier one and report breaking changes.
    #[command(after_help = COMPAT_EXIT_CODES, display_order = 2)]
    Compat(CompatArguments),
    /// Check the document against the lint rules.
    #[command(after_help = LINT_EXIT_CODES, display_order = 3)]
    Lint(LintArguments),
    /// Freeze the document as a released version, if it is compatible with the previous one.
    #[command(after_help = RELEASE_EXIT_CODES, display_order = 4)]
    Release(ReleaseArguments),
    /// Explain a diagnostic code, and what to do about it.
    #[command(display_order = 5)]
    Explain(ExplainArguments),
    /// Serve a document as a mock: validate requests, and respond with examples or generated values.
    #[command(after_help = MOCK_AFTER_HELP, display_order = 7)]
    Mock(MockArguments),
}

const EXIT_CODES: &str = "\
Exit codes:
  0  the files were written or were already up to date
  1  the tool failed
  2  the document was rejected; nothing was written
  4  files are not up to date (with --check)";

const COMPAT_EXIT_CODES: &str = "\
Exit codes:
  0  there are no breaking changes, or all of them are exempted
  1  there are breaking changes
  2  a document could not be read or was rejected";

const LINT_EXIT_CODES: &str = "\
Exit codes:
  0  there are no findings, or only warnings
  1  there are errors; with --strict, errors or warnings
  2  the document could not be read or was rejected";

const RELEASE_EXIT_CODES: &str = "\
Exit codes:
  0  the version was released, or is unchanged; with --check, it may be released
  1  the version may not be released, or the tool failed; nothing was written
  2  the document was rejected
  4  the generated crates are not up to date";

const MOCK_AFTER_HELP: &str = "\
Request headers:
  Prefer: code=404          select a response by status, range (`4XX`) or `default`
  Prefer: example=NAME      select an example by name
  Prefer: dynamic=true      generate values even if there are examples
  Prefer: seed=7            vary the generated values; equal requests get equal responses

Response headers:
  X-Mock-Violation          what is wrong with the request, one header for each violation
  X-Mock-Warning            what the mock could not do because of the document
  Preference-Applied        which preferences were applied

Paths are served as written in the document and below the base paths of its servers. Any credential
of the right kind is accepted. Web pages of every origin may call the mock, so every page that a
browser on this machine opens can read the document's examples.

Exit codes:
  0  stopped by Ctrl-C
  1  the tool failed, or the address is in use
  2  the document was rejected";

/// Arguments of `codegen`.
#[derive(Clone, Debug, Default, Args)]
pub struct CodegenArguments {
    /// Write nothing; report files that are not up to date
    #[arg(long)]
    pub check: bool,
    /// Reject defects that otherwise only produce a warning
    #[arg(long)]
    pub strict: bool,
    /// Write nothing; report how many operations are fully typed
    #[arg(long, conflicts_with = "check")]
    pub report: bool,
    /// OpenAPI document (YAML or JSON) to use instead of spec/v1/openapi.yaml. A file `codegen.toml` beside
    /// it may give the other options
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,
    /// Output folder for the crates generated from FILE; the generator owns all its files
    #[arg(long, value_name = "DIR", requires = "spec")]
    pub out: Option<PathBuf>,
    /// Prefix of the names of the crates generated from FILE, in kebab case: `pets` gives `pets-model`
    #[arg(long, value_name = "NAME", requires = "spec", value_parser = crate_name)]
    pub name: Option<String>,
    /// Folder with copies of the files whose URLs begin with ADDRESS, such as
    /// `https://example.com/schemas/=../schemas`; may be repeated
    #[arg(long, value_name = "ADDRESS=DIR", requires = "spec", value_parser = copies)]
    pub map: Vec<(String, PathBuf)>,
    /// Generate only these packages: `model`, `server`, `client`, `javascript`. The model is among them if
    /// one of the other crates is, because they need it
    #[arg(
        long,
        value_name = "CRATES",
        requires = "spec",
        value_enum,
        value_delimiter = ',',
        hide_possible_values = true
    )]
    pub only: Vec<KindName>,
    /// The library that generated code calls: `vendored` into the output, `path=DIR`, `version=1.2` of the
    /// package NAME-runtime, `version=1.2,package=PACKAGE`, or `workspace`
    #[arg(long, value_name = "WHERE", requires = "spec", value_parser = RuntimeSetting::parse)]
    pub runtime: Option<RuntimeSetting>,
    /// `own`: the output is a workspace; `member`: its crates are members of the workspace around it;
    /// `inherit`: they also inherit metadata, lints and dependencies. Default: `member` inside of a
    /// workspace, otherwise `own`
    #[arg(long, value_name = "MODE", requires = "spec", value_enum, hide_possible_values = true)]
    pub workspace: Option<WorkspaceName>,
}

/// A generated package.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindName {
    /// Types and operations
    Model,
    /// Traits and router
    Server,
    /// The client
    Client,
    /// The client for JavaScript
    Javascript,
}

impl KindName {
    /// Returns the name as arguments spell it.
    pub fn as_str(self) -> &'static str {
        Kind::from(self).as_str()
    }
}

impl From<KindName> for Kind {
    fn from(name: KindName) -> Self {
        match name {
            KindName::Model => Self::Model,
            KindName::Server => Self::Server,
            KindName::Client => Self::Client,
            KindName::Javascript => Self::JavaScript,
        }
    }
}

/// How the output relates to a workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WorkspaceName {
    /// The output is a workspace of its own
    Own,
    /// Members with complete manifests
    Member,
    /// Members that inherit metadata, lints and dependencies
    Inherit,
}

impl WorkspaceName {
    /// Returns the name as arguments spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Member => "member",
            Self::Inherit => "inherit",
        }
    }
}

impl From<WorkspaceName> for WorkspaceMode {
    fn from(name: WorkspaceName) -> Self {
        match name {
            WorkspaceName::Own => Self::Own,
            WorkspaceName::Member => Self::Member,
            WorkspaceName::Inherit => Self::Inherit,
        }
    }
}

/// Arguments of `compat`.
#[derive(Clone, Debug, Args)]
pub struct CompatArguments {
    /// The earlier document: a file, or a git revision at which the later document is read. Default: the
    /// newest bundle in the folder `released` beside it, or HEAD before the first release
    #[arg(long, value_name = "FILE|REV")]
    pub base: Option<String>,
    /// The later document, instead of spec/v1/openapi.yaml
    #[arg(long, value_name = "FILE")]
    pub revision: Option<PathBuf>,
    /// Output format of the findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Show compatible changes too (text format only; the other formats do not depend on it)
    #[arg(long)]
    pub all: bool,
    /// Date used for deprecation rules (UTC), instead of the current one
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub today: Option<Date>,
    /// Generate the crates of both documents and compare their interfaces; always done for
    /// spec/v1/openapi.yaml. Without it, changes of code are estimated
    #[arg(long)]
    pub rust: bool,
    /// Generate the JavaScript client of both documents and compare its types, for users of TypeScript;
    /// always done for spec/v1/openapi.yaml
    #[arg(long)]
    pub javascript: bool,
    /// Rules that changes must follow. Default: `project` for spec/v1/openapi.yaml, `basic` for other
    /// documents
    #[arg(long, value_enum)]
    pub policy: Option<PolicyName>,
}

/// The output format of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A list for a terminal
    #[default]
    Text,
    /// A JSON object, for programs
    Json,
    /// For a pull request
    Markdown,
    /// Workflow commands, which GitHub shows beside the lines
    Github,
}

/// The rules that changes must follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PolicyName {
    /// Compatibility only: requests may not narrow, responses may not widen
    #[value(alias = "law")]
    Basic,
    /// Compatibility of stable parts, a year of notice before removals, and their announcement in
    /// CHANGELOG.md
    Project,
}

/// Arguments of `release`.
#[derive(Clone, Debug, Args)]
pub struct ReleaseArguments {
    /// OpenAPI document to release instead of spec/v1/openapi.yaml. Its bundles are in the folder `released`
    /// beside it, and CHANGELOG.md is there or above
    #[arg(long, value_name = "FILE")]
    pub spec: Option<PathBuf>,
    /// Write nothing; report what prevents a release. CI runs this on every change to check versions and
    /// changelog
    #[arg(long)]
    pub check: bool,
    /// Check that the list of releases only grew since this git revision, such as the target branch of a
    /// change
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Output format of the problems
    #[arg(long, value_enum, default_value_t = ReleaseFormat::Text)]
    pub format: ReleaseFormat,
    /// Date used for the release and for deprecation rules (UTC), instead of the current one
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub today: Option<Date>,
}

/// The output format of the problems of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReleaseFormat {
    /// A list for a terminal
    #[default]
    Text,
    /// Workflow commands, which GitHub shows beside the lines
    Github,
}

/// Arguments of `lint`.
#[derive(Clone, Debug, Args)]
pub struct LintArguments {
    /// OpenAPI document (YAML or JSON) to check instead of spec/v1/openapi.yaml
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Output format of the findings
    #[arg(long, value_enum, default_value_t = LintFormat::Text)]
    pub format: LintFormat,
    /// Show also the findings that `x-lint-allow` suppresses (text format only; JSON always has them)
    #[arg(long)]
    pub all: bool,
    /// Rule set. Default: `project` for spec/v1/openapi.yaml, `common` for other documents
    #[arg(long, value_enum)]
    pub rules: Option<RulesName>,
    /// Fail on warnings too
    #[arg(long)]
    pub strict: bool,
    /// Turn a rule off; may be repeated
    #[arg(long, value_name = "RULE")]
    pub allow: Vec<String>,
    /// Make a rule a warning, even if it is not in the rule set; may be repeated
    #[arg(long, value_name = "RULE")]
    pub warn: Vec<String>,
    /// Make a rule an error, even if it is not in the rule set; may be repeated
    #[arg(long, value_name = "RULE")]
    pub deny: Vec<String>,
}

/// The output format of lint findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// A list for a terminal
    #[default]
    Text,
    /// A JSON object, for programs
    Json,
    /// Workflow commands, which GitHub shows beside the lines
    Github,
}

/// The rule sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RulesName {
    /// Rules for every OpenAPI document
    Common,
    /// The common rules, and those of this repository's contract
    Project,
}

/// Arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArguments {
    /// The code in brackets after `error` or `warning`; without it, all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// Arguments of `mock`.
#[derive(Clone, Debug, Args)]
pub struct MockArguments {
    /// OpenAPI document (YAML or JSON) to serve instead of spec/v1/openapi.yaml
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Address to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4010")]
    pub listen: String,
    /// Maximum size of a request body, in bytes, unless `x-policy` of its operation states another one
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    pub body_limit: usize,
}

/// Parses a URL prefix and a folder. The URL may contain `=`, the folder may not.
fn copies(text: &str) -> Result<(String, PathBuf), &'static str> {
    match text.rsplit_once('=') {
        Some((address, folder)) if !address.is_empty() && !folder.is_empty() => {
            Ok((address.to_owned(), PathBuf::from(folder)))
        }
        _ => Err("write a URL prefix, `=` and a folder, such as `https://example.com/schemas/=../schemas`"),
    }
}

/// Returns the prefix of crates if it is a valid one.
pub fn crate_name(name: &str) -> Result<String, &'static str> {
    check_name(name).map(|()| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

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
