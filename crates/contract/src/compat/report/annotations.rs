//! Rendering as workflow commands, which GitHub shows beside the lines of a pull request.

use super::plain::visible;
use super::{code, is_shown, summary, title};
use crate::compat::effect::Level;
use crate::compat::finding::{Comparison, Finding};
use crate::github::{data, property};

/// Renders one command for each finding that is not safe or breaks code, at its location in the revision, and
/// one for the summary.
pub fn annotations(comparison: &Comparison) -> String {
    let shown = comparison.findings.iter().filter(|finding| is_shown(finding));
    let mut out: String = shown.map(annotation).collect();
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
    // A removed part has no line in the revision, but its former container has.
    let place = finding.revision.as_ref().or(finding.base.as_ref());
    let place = place.map_or(String::new(), |location| {
        format!("file={},line={},col={},", property(&location.file), location.line, location.column)
    });
    format!(
        "::{level} {place}title={}::{}\n",
        property(&format!("{} [{}]", visible(&title(finding)), finding.rule.id)),
        data(&message(finding))
    )
}

/// Returns the message, followed by the changes for users of the crates, one per line.
fn message(finding: &Finding) -> String {
    let (changes, left) = code(finding);
    let mut text = visible(&finding.message);
    for change in changes {
        text.push_str(&format!("\n{}", visible(change)));
    }
    if left > 0 {
        text.push_str(&format!("\nand {left} more"));
    }
    text
}
