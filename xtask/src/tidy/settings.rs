//! The rules of `.config/tidy.toml`, and the numbers of findings that are tolerated for now.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::Finding;

/// The path of the rules.
pub(super) const RULES: &str = ".config/tidy.toml";
/// The path of the baseline.
pub(super) const BASELINE: &str = ".config/tidy-baseline.toml";

/// What the checks look for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rules {
    /// The maximum width of lines with comments, in characters.
    pub(super) comment_width: usize,
    /// The crates of the code map, by their folders.
    pub(super) crates: BTreeMap<String, CrateRule>,
    /// Words that readers do not know.
    pub(super) words: Vec<Word>,
}

/// What a crate may use.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CrateRule {
    /// The crates of this workspace that it may depend on, by their folders.
    #[serde(default)]
    pub(super) uses: Vec<String>,
    /// Paths that must not occur in it, such as `std::fs`, for its own code and not for its dependencies.
    #[serde(default)]
    pub(super) never: Vec<String>,
}

/// A word that readers do not know, in all its forms.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Word {
    /// The forms, in lower case; they may have several words.
    pub(super) forms: Vec<String>,
    /// What to write instead.
    pub(super) instead: String,
}

/// Findings of a check in one part of the repository, which the baseline may tolerate.
#[derive(Debug)]
pub(super) struct Tolerated {
    pub(super) check: &'static str,
    /// A crate or another folder.
    pub(super) part: String,
    pub(super) findings: Vec<Finding>,
}

impl Rules {
    pub(super) fn parse(text: &str) -> Result<Self> {
        toml::from_str(text).with_context(|| format!("{RULES} cannot be read"))
    }
}

/// How many findings of a check each part of the repository may have. The numbers may only fall.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline(BTreeMap<String, BTreeMap<String, usize>>);

impl Baseline {
    pub(super) fn parse(text: &str) -> Result<Self> {
        Ok(Self(toml::from_str(text).with_context(|| format!("{BASELINE} cannot be read"))?))
    }

    fn of(&self, tolerated: &Tolerated) -> usize {
        self.0.get(tolerated.check).and_then(|parts| parts.get(&tolerated.part)).copied().unwrap_or(0)
    }

    /// Returns a finding for each part that has more than the baseline says.
    pub(super) fn exceeded(&self, tolerated: &[Tolerated]) -> Vec<Finding> {
        tolerated
            .iter()
            .filter(|tolerated| tolerated.findings.len() > self.of(tolerated))
            .filter_map(|tolerated| {
                let first = tolerated.findings.first()?;
                let (check, part) = (tolerated.check, &tolerated.part);
                let (now, then) = (tolerated.findings.len(), self.of(tolerated));
                Some(Finding::new(
                    &first.path,
                    first.line,
                    format!(
                        "too many of `{check}` in {part}: {now}, tolerated {then}; the first one: {}",
                        first.wrong
                    ),
                    format!("`cargo xtask tidy --list` shows all; correct at least {}", now - then),
                ))
            })
            .collect()
    }

    /// Returns a line for each part that has fewer findings than the baseline says.
    pub(super) fn slack(&self, tolerated: &[Tolerated]) -> Vec<String> {
        tolerated
            .iter()
            .filter(|tolerated| tolerated.findings.len() < self.of(tolerated))
            .map(|tolerated| {
                let (now, then) = (tolerated.findings.len(), self.of(tolerated));
                format!(
                    "`{}` in {} has fallen to {now}, and {BASELINE} says {then}",
                    tolerated.check, tolerated.part
                )
            })
            .collect()
    }

    /// Returns the baseline with the numbers of today where they are lower. A check that it does not know yet
    /// begins with them.
    pub(super) fn lowered(&self, tolerated: &[Tolerated]) -> Self {
        let mut lowered: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for tolerated in tolerated {
            let now = tolerated.findings.len();
            let number = if self.0.contains_key(tolerated.check) { now.min(self.of(tolerated)) } else { now };
            let parts = lowered.entry(tolerated.check.to_owned()).or_default();
            if number > 0 {
                parts.insert(tolerated.part.clone(), number);
            }
        }
        Self(lowered)
    }

    /// Returns the file.
    pub(super) fn print(&self) -> String {
        let mut text =
            "# Findings of `cargo xtask tidy` that are tolerated. The numbers may only fall: `cargo xtask tidy --bless`.\n"
                .to_owned();
        for (check, parts) in &self.0 {
            text += &format!("\n[{check}]\n");
            for (part, number) in parts {
                text += &format!("\"{part}\" = {number}\n");
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tolerated(part: &str, count: usize) -> Tolerated {
        let findings = (0..count).map(|line| Finding::new("a.rs", line, "wrong", "mend it")).collect();
        Tolerated { check: "width", part: part.to_owned(), findings }
    }

    #[test]
    fn numbers_may_only_fall() {
        let baseline = Baseline::parse("[width]\n\"crates/a\" = 2\n\"crates/b\" = 2\n").unwrap();
        let today = [tolerated("crates/a", 1), tolerated("crates/b", 3), tolerated("crates/c", 1)];
        let exceeded: Vec<String> =
            baseline.exceeded(&today).iter().map(|finding| finding.wrong.clone()).collect();
        assert_eq!(
            exceeded,
            [
                "too many of `width` in crates/b: 3, tolerated 2; the first one: wrong",
                "too many of `width` in crates/c: 1, tolerated 0; the first one: wrong",
            ]
        );
        assert_eq!(baseline.slack(&today).len(), 1);
        let lowered = baseline.lowered(&today);
        assert_eq!(lowered, Baseline::parse("[width]\n\"crates/a\" = 1\n\"crates/b\" = 2\n").unwrap());
        assert_eq!(Baseline::parse(&lowered.print()).unwrap(), lowered);
    }
}
