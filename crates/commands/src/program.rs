//! The program that runs the commands: how its users call it, and the repository whose contract it is for.

use std::path::PathBuf;

use anyhow::{Result, bail};

/// The words with which the texts of other crates name the commands.
const WORDS: &str = "`cargo xtask ";

/// Returns the files of the library that generated code calls, with their paths; the argument is the prefix
/// of the crates.
pub type RuntimeSource = fn(&str) -> Vec<(String, String)>;

/// A program that has the commands.
#[derive(Clone, Debug)]
pub struct Program {
    /// The words that call it, such as `cargo xtask`.
    pub command: &'static str,
    /// The repository that it belongs to. Without one, every command has to be given a document.
    pub repository: Option<Repository>,
    /// The library that generated code calls, for output that leaves the repository. Without it, such output
    /// has to depend on the library elsewhere.
    pub runtime: Option<RuntimeSource>,
}

/// A contract of a repository, and the crates that are generated from it.
#[derive(Clone, Debug)]
pub struct Repository {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// The prefix of the generated crates.
    pub name: &'static str,
    /// The path of the contract, relative to the root.
    pub spec: &'static str,
    /// The folder of the generated crates, relative to the root.
    pub out: &'static str,
    /// Whether the contract follows the conventions of the repository of this tool, such as provenance.
    pub has_conventions: bool,
    /// Whether a client for JavaScript is generated too, without a table for it in `codegen.toml`.
    pub has_javascript: bool,
}

/// The path of the contract as `new` lays it out, relative to the root of its repository.
const SPEC: &str = "spec/v1/openapi.yaml";
/// The folder of the crates generated from it.
const OUT: &str = "generated";

impl Repository {
    /// Returns a repository as `new` lays it out.
    pub fn new(root: PathBuf, name: &'static str) -> Self {
        Self { root, name, spec: SPEC, out: OUT, has_conventions: false, has_javascript: false }
    }
}

impl Program {
    /// Returns the repository whose contract is meant if no document is named.
    pub(crate) fn repository(&self) -> Result<&Repository> {
        match &self.repository {
            Some(repository) => Ok(repository),
            None => bail!("no document is named; `{} COMMAND --help` shows how", self.command),
        }
    }

    /// Returns whether a client for JavaScript is generated for the repository in any case.
    pub(crate) fn has_javascript(&self) -> bool {
        self.repository.as_ref().is_some_and(|repository| repository.has_javascript)
    }

    /// Returns a text of another crate with the words that call this program.
    pub(crate) fn named(&self, text: &str) -> String {
        text.replace(WORDS, &format!("`{} ", self.command))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_name_the_program_that_shows_them() {
        let program = Program { command: "tool", repository: None, runtime: None };
        assert_eq!(program.named("`cargo xtask explain` lists them"), "`tool explain` lists them");
        assert!(program.repository().is_err());
    }
}
