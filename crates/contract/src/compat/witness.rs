//! What shows that a finding is true: a value that one document takes and the other refuses, or a call.
//!
//! Values are found by trying, and judged by the oracle in both documents, so a witness is never a mere consequence of
//! the rule that it is to confirm.

use std::collections::HashMap;

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::collect::{Draft, Origin};
use super::effect::Level;
use super::finding::{Finding, Witness};
use super::rules;
use super::schema::{PairId, Probe};
use super::walk::Walk;
use crate::compat::side::Side;

/// Findings beyond which no further witnesses are looked for.
const MOST: usize = 200;

/// Schemas beyond which a body is not looked at as a whole, only the part that changed.
const LARGE: usize = 400;

/// Adds witnesses to the findings that break something; the drafts are those that the findings were made of.
pub(super) fn find(walk: &Walk<'_>, drafts: &[Draft<'_>], findings: &mut [Finding]) {
    let mut probes: HashMap<(PairId, Side), Option<Probe<'_>>> = HashMap::new();
    let breaking = drafts.iter().zip(findings).filter(|(draft, _)| draft.level == Level::Breaking);
    for (draft, finding) in breaking.take(MOST) {
        let operation = finding.uses.first().map_or("", |used| used.operation.as_str());
        finding.witness = match &draft.origin {
            Some(_) if draft.change.level.is_some() => Some(call(draft, operation)),
            Some(_) if draft.change.rule == rules::PROPERTY_BECAME_READ_ONLY => Some(call(draft, operation)),
            Some(origin) => value(walk, draft, origin, &mut probes),
            None => Some(call(draft, operation)),
        };
    }
}

fn value<'d>(
    walk: &Walk<'d>,
    draft: &Draft<'_>,
    origin: &Origin,
    probes: &mut HashMap<(PairId, Side), Option<Probe<'d>>>,
) -> Option<Witness> {
    let keyword = keyword(draft.change.rule.id);
    let mut probe_of = |pair: PairId, side: Side, most: usize| {
        probes
            .entry((pair, side))
            .or_insert_with(|| {
                let (base, revision, travels) = walk.graph.schemas(pair);
                let (from, to) = if side == Side::Request { (base, revision) } else { (revision, base) };
                Probe::new(from, to, travels, most)
            })
            .clone()
    };
    // The whole body, where the fault lies on the way to the change.
    let whole = probe_of(origin.root, draft.side, LARGE);
    if let Some(probe) = &whole
        && let Some((value, refusal)) = probe.find(keyword, |_, pointer| leads_along(pointer, &origin.steps))
    {
        return Some(Witness::Value { place: origin.place.clone(), value, refusal });
    }
    if walk.graph.is_partial(origin.pair) {
        return None;
    }
    // Under a `not`, what is refused inside is what is taken outside.
    let side = if origin.flipped { super::walk::opposite(draft.side) } else { draft.side };
    let probe = probe_of(origin.pair, side, usize::MAX)?;
    let (value, refusal) = part(draft, &probe)
        .or_else(|| probe.find(keyword, |_, pointer| pointer.matches('/').count() <= 1))?;
    // A body around the part shows more than the part alone.
    for mut body in whole.iter().flat_map(Probe::taken) {
        if put(&mut body, &origin.steps, &value)
            && let Some(probe) = &whole
            && let Some(refusal) = probe.refusal(&body, |_, _| true)
        {
            return Some(Witness::Value { place: origin.place.clone(), value: body, refusal });
        }
    }
    let place = format!("{} › {}", origin.place, origin.steps.concat());
    Some(Witness::Value { place, value, refusal })
}

/// What the change itself names: a value of an enumeration, a branch, a `not`.
fn part(draft: &Draft<'_>, probe: &Probe<'_>) -> Option<(Value, String)> {
    let change = &draft.change;
    let judged = |value: Value| probe.refusal(&value, |_, _| true).map(|refusal| (value, refusal));
    let rule = change.rule;
    if rule == rules::ENUM_VALUE_REMOVED || rule == rules::ENUM_VALUE_ADDED {
        return judged(change.base.to_json()).or_else(|| judged(change.revision.to_json()));
    }
    if [rules::ALTERNATIVE_ADDED, rules::ALTERNATIVE_REMOVED, rules::NOT].contains(&rule) {
        return probe.values_of(change.base).chain(probe.values_of(change.revision)).find_map(judged);
    }
    None
}

/// Puts a value where steps lead to within a body; `false` if they lead nowhere.
fn put(body: &mut Value, steps: &[String], value: &Value) -> bool {
    let mut place = body;
    for step in steps.iter().filter(|step| !step.starts_with('(')) {
        let next = match step.as_str() {
            "[]" => place.get_mut(0),
            ".*" => place.as_object_mut().and_then(|members| members.values_mut().next()),
            member => place.get_mut(member.trim_start_matches('.')),
        };
        let Some(next) = next else { return false };
        place = next;
    }
    *place = value.clone();
    true
}

/// The keyword that a rule is about, as mutants name it.
fn keyword(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "additional-properties" => "additionalProperties",
        "discriminator" => "discriminator",
        "enum-added" | "enum-closed" | "enum-opened" | "enum-removed" | "enum-value-added"
        | "enum-value-removed" => "enum",
        "max-items" => "maxItems",
        "max-length" => "maxLength",
        "max-properties" => "maxProperties",
        "maximum" => "maximum",
        "min-items" => "minItems",
        "min-length" => "minLength",
        "min-properties" => "minProperties",
        "minimum" => "minimum",
        "multiple-of" => "multipleOf",
        "pattern" => "pattern",
        "property-became-optional"
        | "property-became-required"
        | "required-property-added"
        | "required-property-removed"
        | "property-became-write-only" => "required",
        "type" | "nullable" => "type",
        "unique-items" => "uniqueItems",
        _ => return None,
    })
}

/// Whether a pointer leads the way that steps tell: to the place, or to what stands in it.
fn leads_along(pointer: &str, steps: &[String]) -> bool {
    let mut tokens = pointer.split('/').skip(1);
    for step in steps {
        if step.starts_with('(') {
            continue;
        }
        let Some(token) = tokens.next() else {
            // Faults of a choice are told at the choice.
            return steps.iter().any(|step| step.starts_with('('));
        };
        let token = token.replace("~1", "/").replace("~0", "~");
        let fits = match step.as_str() {
            "[]" => token.bytes().all(|byte| byte.is_ascii_digit()),
            ".*" => true,
            member => member.trim_start_matches('.') == token,
        };
        if !fits {
            return false;
        }
    }
    tokens.count() <= 1
}

fn call(draft: &Draft<'_>, operation: &str) -> Witness {
    let change = &draft.change;
    let word = |node: NodeRef<'_>, key: &str| {
        node.get(key).and_then(NodeRef::as_str).map(str::to_owned).unwrap_or_default()
    };
    let key = |node: NodeRef<'_>| node.key().map_or(String::new(), |key| key.text.to_owned());
    let rule = change.rule;
    let text = if rule == rules::OPERATION_REMOVED {
        format!("`{operation}` was answered, and is no operation any more")
    } else if rule == rules::REQUIRED_PARAMETER_ADDED || rule == rules::PARAMETER_BECAME_REQUIRED {
        let parameter = change.revision;
        format!(
            "`{operation}` without the {} parameter `{}` was answered, and is refused",
            word(parameter, "in"),
            word(parameter, "name")
        )
    } else if rule == rules::REQUEST_BODY_ADDED || rule == rules::REQUEST_BODY_BECAME_REQUIRED {
        format!("`{operation}` without a body was answered, and is refused")
    } else if rule == rules::REQUEST_BODY_REMOVED {
        format!("`{operation}` with a body was answered, and is refused or answered without regard to it")
    } else if rule == rules::MEDIA_TYPE_REMOVED && draft.side == Side::Request {
        format!("`{operation}` with `Content-Type: {}` was answered, and is refused", key(change.base))
    } else if rule == rules::MEDIA_TYPE_REMOVED {
        format!("`{operation}` with `Accept: {}` had an answer, and has none", key(change.base))
    } else if rule == rules::RESPONSE_REMOVED {
        format!("`{operation}` was answered with {}, and is not", key(change.base))
    } else if rule == rules::HEADER_REMOVED || rule == rules::HEADER_BECAME_OPTIONAL {
        format!("an answer of `{operation}` without the header `{}`", key(change.base))
    } else if rule == rules::PROPERTY_BECAME_READ_ONLY {
        format!("`{operation}` with the member `{}`, which requests should no longer hold", key(change.base))
    } else if operation.is_empty() {
        change.message.clone()
    } else {
        format!("`{operation}`: {}", change.message)
    };
    Witness::Call(text)
}

/// A value as one line that is not too long to be read.
pub(super) fn shown(value: &Value) -> String {
    const LONG: usize = 300;
    let text = value.to_string();
    if text.chars().count() <= LONG {
        return text;
    }
    let mut short: String = text.chars().take(LONG).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_follow_steps() {
        let steps = |text: &[&str]| text.iter().map(|step| (*step).to_owned()).collect::<Vec<_>>();
        assert!(leads_along("/data/0/name", &steps(&[".data", "[]", ".name"])));
        assert!(leads_along("/data/0", &steps(&[".data", "[]"])));
        assert!(!leads_along("/other/0", &steps(&[".data", "[]"])));
        assert!(!leads_along("", &steps(&[".data"])));
        assert!(leads_along("", &steps(&["(Cat)", ".name"])));
        assert!(leads_along("", &[]));
    }
}
