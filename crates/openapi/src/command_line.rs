//! The command line of the program. `--help` prints the doc comments.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use frontdesk_commands::command_line::{self as commands, crate_name};

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
    /// Name of the service and prefix of the crates, in kebab case
    #[arg(long, value_name = "NAME", value_parser = crate_name)]
    pub name: String,
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
    /// Output folder, which may contain only the page. Default: target/reference of the workspace
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
