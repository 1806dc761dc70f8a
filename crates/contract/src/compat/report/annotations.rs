//! The report as workflow commands, which GitHub shows beside the lines of a pull request.

use super::{code, is_told, summary, title};
use crate::compat::effect::Level;
use crate::compat::finding::{Comparison, Finding};
use crate::github::{data, property};

/// One command for each finding that is not safe or breaks code, at its place in the revision, and one for the whole.
pub fn annotations(comparison: &Comparison) -> String {
    let told = comparison.findings.iter().filter(|finding| is_told(finding));
    let mut out: String = told.map(annotation).collect();
    let level = if comparison.is_breaking() { "error" } else { "notice" };
    out.push_str(&format!("::{level} title=Compatibility::{}\n", data(&summary(comparison))));
    out
}

fn annotation(finding: &Finding) -> String {
    let level = match finding.level {
        _ if finding.excuse.is_some() => "notice",
        Level::Breaking => "error",
        Level::Undecided => "warning",
        Level::Notice | Level::Safe => "notice",
    };
    // What is gone has no line in the revision; the object that it is gone from has.
    let place = finding.revision.as_ref().or(finding.base.as_ref());
    let place = place.map_or(String::new(), |spot| {
        format!("file={},line={},col={},", property(&spot.file), spot.line, spot.column)
    });
    format!(
        "::{level} {place}title={}::{}\n",
        property(&format!("{} [{}]", title(finding), finding.rule.id)),
        data(&message(finding))
    )
}

/// The message, and what changes for users of the crates on lines of their own.
fn message(finding: &Finding) -> String {
    let (changes, left) = code(finding);
    let mut text = finding.message.clone();
    for change in changes {
        text.push_str(&format!("\n{change}"));
    }
    if left > 0 {
        text.push_str(&format!("\nand {left} more"));
    }
    text
}
