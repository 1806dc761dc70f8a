//! Rendering for programs.

use serde_json::{Value, json};

use crate::compat::effect::{Bumps, Level};
use crate::compat::finding::{Comparison, Finding, Location, Witness};

/// Renders the whole comparison as a JSON object. Later versions may add members, but do not change the
/// meaning of existing ones.
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
    let mut value = json!({
        "spec": bumps.spec.to_string(),
        "server": bumps.server.to_string(),
        "client": bumps.client.to_string(),
    });
    if let Some(javascript) = bumps.javascript {
        value["javascript"] = javascript.to_string().into();
    }
    value
}

fn location(location: Option<&Location>) -> Value {
    location.map_or(Value::Null, |location| {
        json!({ "file": location.file, "line": location.line, "column": location.column, "pointer": location.pointer })
    })
}

fn finding(finding: &Finding) -> Value {
    let witness = match &finding.witness {
        Some(Witness::Value { place, value, refused_by, refusal }) => {
            json!({ "place": place, "value": value, "refused_by": refused_by.to_string(), "refusal": refusal })
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
        "base": location(finding.base.as_ref()),
        "revision": location(finding.revision.as_ref()),
        "witness": witness,
        "bumps": bumps(finding.bumps),
        "code": finding.code,
    })
}
