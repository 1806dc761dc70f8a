//! Rendering for a pull request.

use super::plain::{shown, visible};
use super::{advice, code as changes, groups, is_shown, line, place, summary, verdicts};
use crate::compat::effect::Level;
use crate::compat::finding::{Comparison, Finding, Witness};

/// Renders a heading, the summary, and a table for each group. Safe changes are collapsed, unless they break
/// code.
pub fn markdown(comparison: &Comparison) -> String {
    let mut out = format!("## Compatibility\n\n{}.\n", capital(&summary(comparison)));
    for (safe, open, close) in
        [(false, "", ""), (true, "\n<details><summary>Safe changes</summary>\n", "\n</details>\n")]
    {
        let mut body = String::new();
        for group in groups(comparison) {
            let findings: Vec<&&Finding> =
                group.findings.iter().filter(|finding| is_shown(finding) != safe).collect();
            if findings.is_empty() {
                continue;
            }
            body.push_str(&format!("\n### {}\n\n", escaped(&group.title)));
            body.push_str("| level | change | base | revision | witness |\n|---|---|---|---|---|\n");
            for finding in findings {
                body.push_str(&row(finding));
            }
        }
        if !body.is_empty() {
            out.push_str(open);
            out.push_str(&body);
            out.push_str(close);
        }
    }
    out
}

fn row(finding: &Finding) -> String {
    let verdicts = verdicts(finding);
    let level = match (&finding.excuse, finding.level) {
        (Some(excuse), _) => format!("excused: {}", escaped(excuse)),
        (None, Level::Breaking) => "**breaking**".to_owned(),
        (None, level) => level.to_string(),
    };
    let level = if verdicts.is_empty() { level } else { format!("{level}<br>{verdicts}") };
    let place = place(finding);
    let place = if place.is_empty() { String::new() } else { format!("{}: ", escaped(place)) };
    let witness = match &finding.witness {
        Some(Witness::Value { value, refused_by, refusal, .. }) => {
            format!("{}<br>the {refused_by} refuses it: {}", span(&shown(value)), escaped(refusal))
        }
        Some(Witness::Call(call)) => escaped(call),
        None => advice(finding).map(capital).unwrap_or_default(),
    };
    let (shown, left) = changes(finding);
    let mut code: String = shown.iter().map(|change| format!("<br>{}", escaped(change))).collect();
    if left > 0 {
        code.push_str(&format!("<br>and {left} more"));
    }
    format!(
        "| {level} | {place}{}{code}<br>`{}` | {} | {} | {witness} |\n",
        escaped(&finding.message),
        finding.id,
        line(finding.base.as_ref()),
        line(finding.revision.as_ref()),
    )
}

/// Escapes characters that would end a table cell or open a tag; code spans are kept.
fn escaped(text: &str) -> String {
    let text = visible(&text.replace('\n', " "));
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
}

/// Renders a code span for any text.
fn span(text: &str) -> String {
    let fence = if text.contains('`') { "``" } else { "`" };
    format!("{fence} {} {fence}", text.replace('|', "\\|").replace('\n', " "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
