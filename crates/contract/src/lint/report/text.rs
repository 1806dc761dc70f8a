//! The report for a terminal.

use super::summary;
use crate::lint::finding::{Finding, Findings};

/// The findings in the order of the files, and a summary as the last line. Those that are allowed are told only if
/// `all` is set.
pub fn text(findings: &Findings, all: bool) -> String {
    let told = findings.list.iter().filter(|finding| all || finding.allowed.is_none());
    let told: Vec<String> = told.map(tell).collect();
    let end = if told.is_empty() { "" } else { "\n" };
    told.join("\n") + end + &summary(findings) + "\n"
}

fn tell(finding: &Finding) -> String {
    let level = if finding.allowed.is_some() { "allowed".to_owned() } else { finding.level.to_string() };
    let spot = &finding.spot;
    let mut out = format!("{level}[{}]: {}\n", finding.rule.id, finding.message);
    out.push_str(&format!("  at    {}:{}:{} {}\n", spot.file, spot.line, spot.column, spot.pointer));
    match &finding.allowed {
        Some(reason) => out.push_str(&format!("  why   {reason}\n")),
        None if finding.hint.is_empty() => {}
        None => out.push_str(&format!("  hint  {}\n", finding.hint)),
    }
    out
}
