//! Rendering for a terminal.

use super::summary;
use crate::lint::finding::{Finding, Findings};

/// Renders the findings in file order, and the summary as the last line. Allowed findings are included only
/// if `all` is set.
pub fn text(findings: &Findings, all: bool) -> String {
    let shown = findings.list.iter().filter(|finding| all || finding.allowed.is_none());
    let shown: Vec<String> = shown.map(render).collect();
    let end = if shown.is_empty() { "" } else { "\n" };
    shown.join("\n") + end + &summary(findings) + "\n"
}

fn render(finding: &Finding) -> String {
    let level = if finding.allowed.is_some() { "allowed".to_owned() } else { finding.level.to_string() };
    let location = &finding.location;
    let mut out = format!("{level}[{}]: {}\n", finding.rule.id, finding.message);
    out.push_str(&format!(
        "  at    {}:{}:{} {}\n",
        location.file, location.line, location.column, location.pointer
    ));
    match &finding.allowed {
        Some(reason) => out.push_str(&format!("  why   {reason}\n")),
        None if finding.hint.is_empty() => {}
        None => out.push_str(&format!("  hint  {}\n", finding.hint)),
    }
    out
}
