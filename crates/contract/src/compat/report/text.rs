//! Rendering for a terminal.

use super::plain::{shown, visible};
use super::{advice, code, groups, is_shown, line, needs, place, summary, verdicts};
use crate::compat::finding::{Comparison, Finding, Witness};
use crate::compat::witness::elided;

/// Renders the findings, grouped by operation, and a summary as the last line. Safe findings are included
/// only if `all` is set or they break code.
pub fn text(comparison: &Comparison, all: bool) -> String {
    let mut out = String::new();
    for group in groups(comparison) {
        let findings: Vec<&&Finding> =
            group.findings.iter().filter(|finding| all || is_shown(finding)).collect();
        if findings.is_empty() {
            continue;
        }
        out.push_str(&format!("{}\n", visible(&group.title)));
        for finding in findings {
            render(finding, &mut out);
        }
        out.push('\n');
    }
    out + &summary(comparison) + "\n"
}

fn render(finding: &Finding, out: &mut String) {
    let level = if finding.excuse.is_some() { "excused".to_owned() } else { finding.level.to_string() };
    let verdicts = verdicts(finding);
    let verdicts = if verdicts.is_empty() { String::new() } else { format!(" ({verdicts})") };
    out.push_str(&format!("  {level}[{}]{verdicts}: {}\n", finding.rule.id, visible(&finding.message)));
    let place = place(finding);
    if !place.is_empty() {
        out.push_str(&format!("    in        {}\n", visible(place)));
    }
    out.push_str(&format!("    base      {}\n", line(finding.base.as_ref())));
    out.push_str(&format!("    revision  {}\n", line(finding.revision.as_ref())));
    match &finding.witness {
        Some(Witness::Value { place, value, refused_by, refusal }) => {
            out.push_str(&format!("    witness   {}: {}\n", visible(place), shown(value)));
            let refusal = visible(&elided(refusal, 200, 40));
            out.push_str(&format!("              the {refused_by} refuses it: {refusal}\n"));
        }
        Some(Witness::Call(text)) => out.push_str(&format!("    witness   {}\n", visible(text))),
        None => {}
    }
    let (shown, left) = code(finding);
    for change in shown {
        out.push_str(&format!("    code      {}\n", visible(change)));
    }
    if left > 0 {
        out.push_str(&format!("    code      and {left} more\n"));
    }
    if let Some(excuse) = &finding.excuse {
        out.push_str(&format!("    excused   {}\n", visible(excuse)));
    }
    if let Some(advice) = advice(finding) {
        out.push_str(&format!("    advice    {advice}\n"));
    }
    out.push_str(&format!("    needs     {}\n    id        {}\n", needs(finding), finding.id));
}
