//! An independent check of witnesses: each value is validated against both documents by a separate oracle.

use frontdesk_contract::compat::{Finding, Level, Use, Witness};
use frontdesk_contract::{Direction, Oracle};
use frontdesk_document::{Document, NodeRef};

/// Rules whose changes inside schemas no value can prove.
const SHOWN_BY_CALLS: [&str; 1] = ["property-became-read-only"];

/// Returns why the witness of a finding does not prove it.
pub(super) fn confirm(finding: &Finding, base: &Document, revision: &Document) -> Result<(), String> {
    match &finding.witness {
        None if finding.level == Level::Breaking && finding.breaks() => {
            Err("it breaks something, and has no witness".to_owned())
        }
        None => Ok(()),
        Some(Witness::Call(text)) => {
            // A change of the allowed values must be proven by a value.
            let in_schema = finding.uses.iter().any(|used| used.place.contains(" › ."));
            if in_schema && !SHOWN_BY_CALLS.contains(&finding.rule.id) && finding.rule.id != "encoding" {
                return Err(format!("a value should show it, not a call: {text}"));
            }
            Ok(())
        }
        Some(Witness::Value { place, value, .. }) => {
            let used = &finding.uses[0];
            let used = Use { operation: used.operation.clone(), place: place.clone() };
            let direction = direction(&used);
            let judged = |document: &Document| {
                let schema = schema(document, &used).ok_or_else(|| format!("no schema at {used:?}"))?;
                let oracle = Oracle::new([schema], direction).map_err(|error| error.to_string())?;
                Ok::<bool, String>(oracle.is_valid(schema, value))
            };
            let (before, after) = (judged(base)?, judged(revision)?);
            let shown = if direction == Direction::Request { before && !after } else { !before && after };
            if shown {
                Ok(())
            } else {
                Err(format!("valid before: {before}, valid after: {after}: {value} at {place}"))
            }
        }
    }
}

/// Returns the direction of a location: clients send requests, except for callbacks and webhooks.
fn direction(used: &Use) -> Direction {
    let answered = used.place.starts_with("response ");
    let called_back = used.operation.contains(" › callback ") || used.operation.starts_with("webhook ");
    if answered == called_back { Direction::Request } else { Direction::Response }
}

/// Returns the schema at a location of an operation: `request body application/json › .name`.
fn schema<'d>(document: &'d Document, used: &Use) -> Option<NodeRef<'d>> {
    let root = document.root();
    let (item, operation) = operation(root, &used.operation)?;
    let (holder, steps) = match used.place.split_once(" › ") {
        Some((holder, steps)) => (holder, steps),
        None => (used.place.as_str(), ""),
    };
    let mut words = holder.splitn(3, ' ');
    let (first, second, third) = (words.next()?, words.next()?, words.next().unwrap_or_default());
    let mut steps = steps;
    let schema = match (first, second) {
        ("request", "body") => {
            operation.get("requestBody")?.resolve().ok()?.get("content")?.get(third)?.get("schema")?
        }
        ("response", status) => {
            let response = operation.get("responses")?.get(status)?.resolve().ok()?;
            if let Some(rest) = steps.strip_prefix("header ") {
                let (name, rest) = rest.split_once(" › ").unwrap_or((rest, ""));
                steps = rest;
                response.get("headers")?.get(name)?.resolve().ok()?.get("schema")?
            } else {
                response.get("content")?.get(third)?.get("schema")?
            }
        }
        (place, "parameter") => {
            let all = [operation, item].into_iter().filter_map(|holder| holder.get("parameters"));
            let found = all.flat_map(NodeRef::items).filter_map(|parameter| parameter.resolve().ok()).find(
                |parameter| {
                    let word = |key: &str| parameter.get(key).and_then(NodeRef::as_str);
                    word("in") == Some(place) && word("name") == Some(third)
                },
            )?;
            let content = || found.get("content")?.members().next()?.1.get("schema");
            found.get("schema").or_else(content)?
        }
        _ => return None,
    };
    steps.is_empty().then_some(schema)
}

/// Returns the path item and the operation of a name such as `GET /a` or `GET /a › callback done POST {url}`.
fn operation<'d>(root: NodeRef<'d>, name: &str) -> Option<(NodeRef<'d>, NodeRef<'d>)> {
    let mut parts = name.split(" › ");
    let of = |paths: NodeRef<'d>, name: &str| {
        let (method, path) = name.split_once(' ')?;
        let item = paths.get(path)?.resolve().ok()?;
        Some((item, item.get(&method.to_ascii_lowercase())?))
    };
    let first = parts.next()?;
    let mut found = match first.strip_prefix("webhook ") {
        Some(name) => of(root.get("x-webhooks")?, name)?,
        None => of(root.get("paths")?, first)?,
    };
    for part in parts {
        let (callback, name) = part.strip_prefix("callback ")?.split_once(' ')?;
        found = of(found.1.get("callbacks")?.get(callback)?.resolve().ok()?, name)?;
    }
    Some(found)
}
