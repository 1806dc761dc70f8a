//! A comparison as people and machines read it: text, JSON, Markdown for a pull request, annotations for GitHub.

mod annotations;
mod json;
mod markdown;
mod text;

use super::effect::{Level, Verdict};
use super::finding::{Comparison, Finding, Spot, Use};

pub use self::annotations::annotations;
pub use self::json::json;
pub use self::markdown::markdown;
pub use self::text::text;

/// Uses of a finding that are told one by one.
const SHOWN_USES: usize = 4;

/// Changes of the code of a finding that are told one by one.
const SHOWN_CODE: usize = 6;

/// Findings under one heading, which is an operation, several, or the document.
struct Group<'c> {
    title: String,
    findings: Vec<&'c Finding>,
}

/// The findings grouped by the operations in which they are met, in the order of the interface.
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

/// The operations of a finding, each once.
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

/// `file:line`, or a dash.
fn line(spot: Option<&Spot>) -> String {
    spot.map_or_else(|| "—".to_owned(), |spot| format!("{}:{}", spot.file, spot.line))
}

/// The first place at which a finding is met.
fn place(finding: &Finding) -> &str {
    finding.uses.first().map_or("", |Use { place, .. }| place.as_str())
}

/// Whether a finding is told without being asked for: it is not safe, or code is known to stop compiling.
fn is_told(finding: &Finding) -> bool {
    let breaks_code = !finding.code.is_empty() && finding.verdicts.contains(&Verdict::Source);
    finding.level != Level::Safe || breaks_code
}

/// What changes for users of the crates, as far as it is told, and how much is not.
fn code(finding: &Finding) -> (&[String], usize) {
    let shown = if finding.code.len() > SHOWN_CODE { SHOWN_CODE - 1 } else { finding.code.len() };
    (&finding.code[..shown], finding.code.len() - shown)
}

/// `WIRE, SOURCE`, or nothing.
fn verdicts(finding: &Finding) -> String {
    finding.verdicts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// One line about the whole.
fn summary(comparison: &Comparison) -> String {
    if !comparison.differs {
        return "the documents are the same".to_owned();
    }
    let bumps = comparison.bumps();
    let excused = comparison.findings.iter().filter(|finding| finding.excuse.is_some()).count();
    let excused = if excused > 0 { format!(", {excused} excused") } else { String::new() };
    format!(
        "{}: {} breaking, {} undecided, {} to note, {} safe{excused}; versions: spec {}, server crate {}, client crate {}{}",
        if comparison.is_breaking() { "breaking" } else { "compatible" },
        comparison.count(Level::Breaking),
        comparison.count(Level::Undecided),
        comparison.count(Level::Notice),
        comparison.count(Level::Safe),
        bumps.spec,
        bumps.server,
        bumps.client,
        if comparison.code.is_some() { "" } else { " (crates by estimate)" },
    )
}
