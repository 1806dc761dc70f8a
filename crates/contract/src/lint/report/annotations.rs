//! The report as workflow commands, which GitHub shows beside the lines of a pull request.

use super::summary;
use crate::github::{data, property};
use crate::lint::finding::{Finding, Findings};

/// One command for each finding that is not allowed, and one for the whole; `strict` as for [`Findings::fails`].
pub fn annotations(findings: &Findings, strict: bool) -> String {
    let told = findings.list.iter().filter(|finding| finding.allowed.is_none());
    let mut out: String = told.map(annotation).collect();
    let level = if findings.fails(strict) { "error" } else { "notice" };
    out.push_str(&format!("::{level} title=Lint::{}\n", data(&summary(findings))));
    out
}

fn annotation(finding: &Finding) -> String {
    let spot = &finding.spot;
    let hint = if finding.hint.is_empty() { String::new() } else { format!("\n{}", finding.hint) };
    format!(
        "::{} file={},line={},col={},title={}::{}\n",
        finding.level,
        property(&spot.file),
        spot.line,
        spot.column,
        property(finding.rule.id),
        data(&format!("{}{hint}", finding.message))
    )
}
