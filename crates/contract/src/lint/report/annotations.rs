//! Rendering as workflow commands, which GitHub shows beside the lines of a pull request.

use super::summary;
use crate::github::{data, property};
use crate::lint::finding::{Finding, Findings};

/// Renders one command for each finding that is not allowed, and one for the summary; `strict` as in
/// [`Findings::fails`].
pub fn annotations(findings: &Findings, strict: bool) -> String {
    let shown = findings.list.iter().filter(|finding| finding.allowed.is_none());
    let mut out: String = shown.map(annotation).collect();
    let level = if findings.fails(strict) { "error" } else { "notice" };
    out.push_str(&format!("::{level} title=Lint::{}\n", data(&summary(findings))));
    out
}

fn annotation(finding: &Finding) -> String {
    let location = &finding.location;
    let hint = if finding.hint.is_empty() { String::new() } else { format!("\n{}", finding.hint) };
    format!(
        "::{} file={},line={},col={},title={}::{}\n",
        finding.level,
        property(&location.file),
        location.line,
        location.column,
        property(finding.rule.id),
        data(&format!("{}{hint}", finding.message))
    )
}
