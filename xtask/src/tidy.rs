//! `cargo xtask tidy`: checks of the repository that no other tool makes.
//!
//! - `repository`: the files that Git knows, and their texts.
//! - `settings`: `.config/tidy.toml` with the rules, and `.config/tidy-baseline.toml` with what is
//!   tolerated.
//! - `source`: paths and texts of a Rust file.
//! - `crates`: which crates may use which.
//! - `folders`: imports between the folders of a crate go in one direction.
//! - `documents`: paths, links and module maps name something that exists.
//! - `numbers`: numbers in documents agree with the constants that they come from.
//! - `prose`: width of comments, and words that readers do not know.

mod crates;
mod documents;
mod folders;
mod numbers;
mod prose;
mod repository;
mod settings;
mod source;

use std::fmt;
use std::path::Path;

use anyhow::Result;

use crate::command_line::TidyArguments;
use crate::workspace;
use frontdesk_commands::{Exit, terminal};
use repository::Repository;
use settings::{BASELINE, Baseline, Rules, Tolerated};

/// Something that is wrong, with its location and what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    wrong: String,
    advice: String,
}

impl Finding {
    fn new(path: &str, line: usize, wrong: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, wrong: wrong.into(), advice: advice.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, wrong, advice } = self;
        write!(formatter, "{path}:{line}: {wrong}\n  hint: {advice}")
    }
}

/// Checks the repository, and reports findings that the baseline does not tolerate.
pub fn run(arguments: &TidyArguments) -> Result<Exit> {
    let root = workspace::root()?;
    let repository = Repository::read(&root)?;
    let rules = Rules::parse(repository.text(settings::RULES)?)?;
    let baseline = Baseline::parse(repository.text(BASELINE).unwrap_or_default())?;
    let exact = exact(&repository, &rules);
    let tolerated = prose::check(&repository, &rules);
    if arguments.bless {
        return bless(&root, &baseline, &tolerated);
    }

    if arguments.list {
        for finding in tolerated.iter().flat_map(|tolerated| &tolerated.findings) {
            terminal::say(&format!("{finding}\n"))?;
        }
    }
    let exceeded = baseline.exceeded(&tolerated);
    for finding in exact.iter().chain(&exceeded) {
        terminal::say(&format!("{finding}\n"))?;
    }
    let count = exact.len() + exceeded.len();
    for line in baseline.slack(&tolerated) {
        terminal::say(&format!("note: {line}; `cargo xtask tidy --bless` lowers the number\n"))?;
    }
    if count == 0 {
        return Ok(Exit::Done);
    }
    terminal::say(&format!(
        "\nerror: the repository has {count} finding{}\n",
        if count == 1 { "" } else { "s" }
    ))?;
    Ok(Exit::Violations)
}

/// Returns the findings that are never tolerated.
fn exact(repository: &Repository, rules: &Rules) -> Vec<Finding> {
    let mut findings = crates::check(repository, rules);
    findings.extend(folders::check(repository));
    findings.extend(documents::check(repository));
    findings.extend(numbers::check(repository));
    findings.sort();
    findings
}

/// Writes the numbers of today where they are lower than those of the baseline.
fn bless(root: &Path, baseline: &Baseline, tolerated: &[Tolerated]) -> Result<Exit> {
    fs_err::write(root.join(BASELINE), baseline.lowered(tolerated).print())?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check that continuous integration makes, so that `cargo test` finds the same.
    #[test]
    fn this_repository_is_tidy() {
        let root = workspace::root().unwrap();
        let repository = Repository::read(&root).unwrap();
        let rules = Rules::parse(repository.text(settings::RULES).unwrap()).unwrap();
        let findings: Vec<String> = exact(&repository, &rules).iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{}", findings.join("\n"));
    }
}
