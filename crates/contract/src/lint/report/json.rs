//! Rendering for programs.

use serde_json::{Value, json};

use crate::lint::finding::{Finding, Findings};
use crate::lint::rules::Level;

/// Renders all findings as a JSON object. Later versions may add members, but do not change the meaning of
/// existing ones.
pub fn json(findings: &Findings) -> Value {
    json!({
        "counts": {
            "error": findings.count(Level::Error),
            "warning": findings.count(Level::Warning),
            "allowed": findings.allowed(),
        },
        "findings": findings.list.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    let location = &finding.location;
    json!({
        "rule": finding.rule.id,
        "level": finding.level.to_string(),
        "message": finding.message,
        "hint": finding.hint,
        "allowed": finding.allowed,
        "file": location.file,
        "line": location.line,
        "column": location.column,
        "pointer": location.pointer,
    })
}
