//! Rendering of a comparison as text, JSON, Markdown for a pull request, and GitHub annotations.

mod annotations;
mod json;
mod markdown;
mod plain;
mod text;

use super::effect::{Bumps, Level, Verdict};
use super::finding::{Comparison, Finding, Location, Use};

pub use self::annotations::annotations;
pub use self::json::json;
pub use self::markdown::markdown;
pub use self::text::text;

/// The maximum number of uses of a finding that are listed.
const SHOWN_USES: usize = 4;

/// The maximum number of code changes of a finding that are listed.
const SHOWN_CODE: usize = 6;

/// The findings under one heading: an operation, several operations, or the document.
struct Group<'c> {
    title: String,
    findings: Vec<&'c Finding>,
}

/// Groups the findings by their operations, in the order of the interface.
fn groups(comparison: &Comparison) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for finding in &comparison.findings {
        let title = title(finding);
        match groups.iter_mut().find(|group| group.title == title) {
            Some(group) => group.findings.push(finding),
            None => groups.push(Group { title, findings: vec![finding] }),
        }
    }
    groups
}

/// Returns the operations of a finding without duplicates.
fn operations(finding: &Finding) -> Vec<&str> {
    let mut operations: Vec<&str> = Vec::new();
    for used in &finding.uses {
        if !operations.contains(&used.operation.as_str()) {
            operations.push(&used.operation);
        }
    }
    operations
}

fn title(finding: &Finding) -> String {
    let operations = operations(finding);
    match operations.as_slice() {
        [] | [""] => "the document".to_owned(),
        all if all.len() <= SHOWN_USES => all.join(", "),
        all => {
            format!("{} and {} more operations", all[..SHOWN_USES - 1].join(", "), all.len() - SHOWN_USES + 1)
        }
    }
}

/// Returns `file:line`, or a dash.
fn line(location: Option<&Location>) -> String {
    location.map_or_else(|| "—".to_owned(), |location| format!("{}:{}", location.file, location.line))
}

/// Returns the first location of a finding.
fn place(finding: &Finding) -> &str {
    finding.uses.first().map_or("", |Use { place, .. }| place.as_str())
}

/// Returns whether a finding is shown by default: it is not safe, or breaks code.
fn is_shown(finding: &Finding) -> bool {
    let of_code = |verdict: &Verdict| matches!(verdict, Verdict::Source | Verdict::Types);
    let breaks_code = !finding.code.is_empty() && finding.verdicts.iter().any(of_code);
    finding.level != Level::Safe || breaks_code
}

/// Returns the listed changes for users of the generated packages, and the number of further ones.
fn code(finding: &Finding) -> (&[String], usize) {
    let shown = if finding.code.len() > SHOWN_CODE { SHOWN_CODE - 1 } else { finding.code.len() };
    (&finding.code[..shown], finding.code.len() - shown)
}

/// Returns the verdicts as text, such as `WIRE, SOURCE`.
fn verdicts(finding: &Finding) -> String {
    finding.verdicts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// What to do about a finding that is undecided.
const UNDECIDED: &str = "the schemas alone do not decide whether this breaks anyone: treat it as breaking unless you know which values occur";

/// Returns the advice for a finding; `None` if its witness and its version say enough.
fn advice(finding: &Finding) -> Option<&'static str> {
    (finding.level == Level::Undecided && finding.excuse.is_none()).then_some(UNDECIDED)
}

/// Returns the versions that a finding needs, as text.
fn needs(finding: &Finding) -> String {
    versions(finding.bumps)
}

fn versions(bumps: Bumps) -> String {
    let Bumps { spec, server, client, javascript } = bumps;
    let javascript = javascript.map_or_else(String::new, |bump| format!(", JavaScript client {bump}"));
    format!("spec {spec}, server crate {server}, client crate {client}{javascript}")
}

/// Returns the summary line.
fn summary(comparison: &Comparison) -> String {
    if !comparison.differs {
        return "the documents are the same".to_owned();
    }
    let versions = versions(comparison.bumps());
    let excused = comparison.findings.iter().filter(|finding| finding.excuse.is_some()).count();
    let excused = if excused > 0 { format!(", {excused} excused") } else { String::new() };
    format!(
        "{}: {} breaking, {} undecided, {} to note, {} safe{excused}; versions: {versions}{}",
        if comparison.is_breaking() { "breaking" } else { "compatible" },
        comparison.count(Level::Breaking),
        comparison.count(Level::Undecided),
        comparison.count(Level::Notice),
        comparison.count(Level::Safe),
        if comparison.code.is_some() { "" } else { " (crates by estimate)" },
    )
}
