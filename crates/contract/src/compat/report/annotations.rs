//! Rendering as workflow commands, which GitHub shows beside the lines of a pull request.

use super::plain::{shown, visible};
use super::{advice, code, is_shown, needs, summary, title};
use crate::compat::effect::Level;
use crate::compat::finding::{Comparison, Finding, Witness};
use crate::compat::witness::elided;
use crate::github::{data, property};

/// Renders one command for each finding that is not safe or breaks code, at its location in the revision, and
/// one for the summary.
pub fn annotations(comparison: &Comparison) -> String {
    let listed = comparison.findings.iter().filter(|finding| is_shown(finding));
    let mut out: String = listed.map(annotation).collect();
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

/// Returns the message, the witness or what to do without one, the changes for users of the crates, and the
/// versions that the finding needs, one per line.
fn message(finding: &Finding) -> String {
    let (changes, left) = code(finding);
    let mut text = visible(&finding.message);
    match &finding.witness {
        Some(Witness::Value { value, refused_by, refusal, .. }) => {
            let refusal = visible(&elided(refusal, 200, 40));
            text.push_str(&format!("\nwitness: {}; the {refused_by} refuses it: {refusal}", shown(value)));
        }
        Some(Witness::Call(call)) => text.push_str(&format!("\nwitness: {}", visible(call))),
        None => {}
    }
    if let Some(advice) = advice(finding) {
        text.push_str(&format!("\n{advice}"));
    }
    for change in changes {
        text.push_str(&format!("\n{}", visible(change)));
    }
    if left > 0 {
        text.push_str(&format!("\nand {left} more"));
    }
    text.push_str(&format!("\nneeds: {}; id: {}", needs(finding), finding.id));
    text
}
