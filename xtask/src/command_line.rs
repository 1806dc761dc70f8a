//! The commands and their options. Their doc comments are what `--help` prints.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

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
    /// Tell what a diagnostic code means and what to do about it.
    Explain(ExplainArguments),
    /// Bring the generated crates up to date, then run the service with demo data.
    Serve(ServeArguments),
    /// Run what continuous integration runs, in the same order, until something fails.
    Ci,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  the files are written, or were fresh
  1  the tool failed
  2  the document was refused; nothing is written
  4  files are not fresh (with --check)";

/// Arguments of `codegen`.
#[derive(Clone, Debug, Default, Args)]
pub struct CodegenArguments {
    /// Write nothing; tell what is not fresh
    #[arg(long)]
    pub check: bool,
    /// Another OpenAPI document than spec/v1/openapi.yaml, YAML or JSON
    #[arg(long, value_name = "FILE", requires_all = ["out", "name"])]
    pub spec: Option<PathBuf>,
    /// Folder for the crates made from FILE, which then belongs to the tool
    #[arg(long, value_name = "DIR", requires = "spec")]
    pub out: Option<PathBuf>,
    /// First part of the names of the crates made from FILE, in kebab case: `pets` gives `pets-model`
    #[arg(long, value_name = "NAME", requires = "spec", value_parser = crate_name)]
    pub name: Option<String>,
}

/// Arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArguments {
    /// A code as it stands in brackets after `error` or `warning`; without one, all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
}

/// Arguments of `serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArguments {
    /// Arguments for `frontdesk serve`, in addition to `--demo`
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
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
