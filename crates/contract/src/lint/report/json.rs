//! The report for programs.

use serde_json::{Value, json};

use crate::lint::finding::{Finding, Findings};
use crate::lint::rules::Level;

/// All findings as one JSON object. Members may be added to it, and do not change their meaning.
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
    let spot = &finding.spot;
    json!({
        "rule": finding.rule.id,
        "level": finding.level.to_string(),
        "message": finding.message,
        "hint": finding.hint,
        "allowed": finding.allowed,
        "file": spot.file,
        "line": spot.line,
        "column": spot.column,
        "pointer": spot.pointer,
    })
}
