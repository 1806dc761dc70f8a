//! The report for programs.

use serde_json::{Value, json};

use crate::compat::effect::{Bumps, Level};
use crate::compat::finding::{Comparison, Finding, Spot, Witness};

/// The whole comparison as one JSON object. Members may be added to it, and do not change their meaning.
pub fn json(comparison: &Comparison) -> Value {
    let count = |level| comparison.count(level);
    json!({
        "breaking": comparison.is_breaking(),
        "bumps": bumps(comparison.bumps()),
        "crates": if comparison.code.is_some() { "interface" } else { "estimate" },
        "counts": {
            "breaking": count(Level::Breaking),
            "undecided": count(Level::Undecided),
            "notice": count(Level::Notice),
            "safe": count(Level::Safe),
        },
        "findings": comparison.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn bumps(bumps: Bumps) -> Value {
    json!({
        "spec": bumps.spec.to_string(),
        "server": bumps.server.to_string(),
        "client": bumps.client.to_string(),
    })
}

fn spot(spot: Option<&Spot>) -> Value {
    spot.map_or(Value::Null, |spot| {
        json!({ "file": spot.file, "line": spot.line, "column": spot.column, "pointer": spot.pointer })
    })
}

fn finding(finding: &Finding) -> Value {
    let witness = match &finding.witness {
        Some(Witness::Value { place, value, refusal }) => {
            json!({ "place": place, "value": value, "refusal": refusal })
        }
        Some(Witness::Call(call)) => json!({ "call": call }),
        None => Value::Null,
    };
    let uses: Vec<Value> =
        finding.uses.iter().map(|used| json!({ "operation": used.operation, "place": used.place })).collect();
    json!({
        "id": finding.id,
        "rule": finding.rule.id,
        "level": finding.level.to_string(),
        "verdicts": finding.verdicts.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "message": finding.message,
        "excuse": finding.excuse,
        "uses": uses,
        "base": spot(finding.base.as_ref()),
        "revision": spot(finding.revision.as_ref()),
        "witness": witness,
        "bumps": bumps(finding.bumps),
        "code": finding.code,
    })
}
