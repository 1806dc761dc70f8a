//! Witnesses: proofs of findings, either a value that one document allows and the other does not, or a call.
//!
//! Values are found by trying, and validated by the oracles of both documents. A witness therefore does not
//! depend on the rule that it confirms.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::draft::{Draft, Origin};
use super::effect::Level;
use super::finding::{Finding, Side, Witness};
use super::media_types;
use super::minimal::minimal;
use super::rules;
use super::schema::{PairId, Probe, gather, reach};
use super::walk::Walk;
use crate::compat::direction::Direction;
use crate::oracle::{Fault, Oracle};

/// The number of findings after which no witnesses are searched.
const MOST: usize = 100;

/// The number of schemas above which a whole body is not tried, only the changed part.
const LARGE: usize = 60;

/// The total number of schemas for each direction; the largest values are left out first.
const BUDGET: usize = 2_500;

/// The number of schemas above which a part is not tried.
const LARGEST: usize = 1_000;

/// The oracles of the base and of the revision.
type OraclePair = (Rc<Oracle>, Rc<Oracle>);

/// The oracles of all values to try, one for each document and direction because building one is expensive.
struct Oracles<'w, 'd> {
    walk: &'w Walk<'d>,
    made: HashMap<Direction, Option<OraclePair>>,
    /// The pairs that are small enough to be validated.
    known: HashSet<PairId>,
}

impl<'w, 'd> Oracles<'w, 'd> {
    fn new(walk: &'w Walk<'d>, origins: &[(&Origin, Direction)]) -> Self {
        let mut made = HashMap::new();
        let mut known = HashSet::new();
        for direction in [Direction::Request, Direction::Response] {
            let mut pairs: Vec<(usize, PairId)> = Vec::new();
            for (origin, _) in origins.iter().filter(|(_, travels)| *travels == direction) {
                for (pair, most) in [(origin.root, LARGE), (origin.pair, LARGEST)] {
                    let (old, new, _) = walk.graph.schemas(pair);
                    if let (Some(size), Some(_)) = (reach(&old, most), reach(&new, most))
                        && !walk.graph.is_partial(pair)
                    {
                        pairs.push((size, pair));
                    }
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
            let (mut base, mut revision, mut seen) = (Vec::new(), Vec::new(), BTreeSet::new());
            for (_, pair) in pairs {
                let (old, new, _) = walk.graph.schemas(pair);
                gather(&old, BUDGET, &mut seen);
                if seen.len() > BUDGET {
                    break;
                }
                known.insert(pair);
                base.extend(old);
                revision.extend(new);
            }
            let judge = |schemas: Vec<NodeRef<'d>>| Oracle::of_document(schemas, direction.into()).ok();
            // Building oracles is most of the work of a large comparison, and each needs only one document.
            let (old, new) = std::thread::scope(|scope| {
                let other = scope.spawn(|| judge(revision));
                (judge(base), other.join().ok().flatten())
            });
            made.insert(direction, old.map(Rc::new).zip(new.map(Rc::new)));
        }
        Self { walk, made, known }
    }

    /// Returns a probe that searches for incompatible values of a pair: values of the base that the revision
    /// rejects in requests, and the reverse in responses.
    fn probe(&self, pair: PairId, travels: Direction, flipped: bool) -> Option<Probe<'d>> {
        let (old, new) = self.made.get(&travels)?.clone().filter(|_| self.known.contains(&pair))?;
        let (base, revision, _) = self.walk.graph.schemas(pair);
        Some(if (travels == Direction::Request) == flipped {
            Probe::with_oracles((revision, new), (base, old))
        } else {
            Probe::with_oracles((base, old), (revision, new))
        })
    }
}

/// Adds witnesses to the breaking findings; the drafts are those from which the findings were made.
pub(super) fn find(walk: &Walk<'_>, drafts: &[Draft<'_>], findings: &mut [Finding]) {
    let breaking = |draft: &Draft<'_>| draft.level == Level::Breaking;
    let origins: Vec<(&Origin, Direction)> = drafts
        .iter()
        .filter(|draft| breaking(draft))
        .take(MOST)
        .filter_map(|draft| Some((draft.origin.as_ref()?, draft.direction)))
        .collect();
    let oracles = Oracles::new(walk, &origins);
    let both = drafts.iter().zip(findings).filter(|(draft, _)| breaking(draft));
    for (draft, finding) in both.take(MOST) {
        let operation = finding.uses.first().map_or("", |used| used.operation.as_str());
        finding.witness = match &draft.origin {
            Some(_) if draft.change.level.is_some() => Some(call(draft, operation)),
            Some(_) if draft.change.rule == rules::PROPERTY_BECAME_READ_ONLY => Some(call(draft, operation)),
            // Some changes cannot be demonstrated by a value.
            Some(_) if draft.change.meant => None,
            Some(origin) => value(draft, origin, &oracles),
            None => Some(call(draft, operation)),
        };
    }
}

fn value(draft: &Draft<'_>, origin: &Origin, oracles: &Oracles<'_, '_>) -> Option<Witness> {
    // A value that is refused for another change as well proves less, and one that is refused only for
    // another change proves nothing of this one; but some faults do not tell what they are about.
    [Proof::Alone, Proof::Among, Proof::Any]
        .into_iter()
        .find_map(|proof| proved(draft, origin, oracles, proof))
}

/// What a witness proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    /// The value is refused for this change alone.
    Alone,
    /// The value is refused for this change and others.
    Among,
    /// The value is refused at the location of the change.
    Any,
}

impl Proof {
    /// Returns the wanted fault of a value.
    fn refusal(self, probe: &Probe<'_>, value: &Value, wanted: impl Fn(&Fault) -> bool) -> Option<Fault> {
        match self {
            Self::Alone => probe.lone_refusal(value, wanted),
            Self::Among | Self::Any => probe.refusal(value, wanted),
        }
    }
}

fn proved(draft: &Draft<'_>, origin: &Origin, oracles: &Oracles<'_, '_>, proof: Proof) -> Option<Witness> {
    let keyword = keyword(draft.change.rule.id);
    let name = member(draft);
    let about = |fault: &Fault| {
        name.is_none_or(|name| names(fault, name) || proof == Proof::Any && fault.message.contains(name))
            && (proof == Proof::Any || keyword.is_none_or(|keyword| violates(fault, keyword)))
    };
    let in_body = |fault: &Fault| leads_along(&fault.pointer, &origin.steps) && about(fault);
    let in_part = |fault: &Fault| fault.pointer.matches('/').count() <= 1 && about(fault);
    let whole = oracles.probe(origin.root, draft.direction, false);
    let body = |value: Value, fault: &Fault| {
        let (value, fault) = smallest(whole.as_ref()?, value, fault, proof);
        let place = origin.place.clone();
        Some(Witness::Value { place, value, refused_by: refuser(draft, false), refusal: refusal(&fault) })
    };
    // The changed part is smaller than the body, so it is tried first. Under a `not`, a value rejected inside
    // is accepted outside.
    let found = oracles.probe(origin.pair, draft.direction, origin.flipped).and_then(|probe| {
        part(draft, &probe, proof)
            .or_else(|| probe.find(keyword, |value| proof.refusal(&probe, value, in_part)))
    });
    if let Some((value, fault)) = &found {
        if origin.pair == origin.root {
            return body(value.clone(), fault);
        }
        // A witness with the whole body is easier to understand than one with the part.
        let arounds = |whole: &Probe<'_>| whole.shared().chain(whole.taken()).collect::<Vec<_>>();
        for mut around in whole.iter().flat_map(arounds) {
            if put(&mut around, &origin.steps, value)
                && let Some(fault) = whole.as_ref().and_then(|probe| match proof {
                    Proof::Any => probe.refusal(&around, |_| true),
                    _ => proof.refusal(probe, &around, in_body),
                })
            {
                return body(around, &fault);
            }
        }
    }
    if let Some((value, fault)) =
        whole.as_ref().and_then(|probe| probe.find(keyword, |value| proof.refusal(probe, value, in_body)))
    {
        return body(value, &fault);
    }
    let (value, fault) = found?;
    let probe = oracles.probe(origin.pair, draft.direction, origin.flipped)?;
    let (value, fault) = smallest(&probe, value, &fault, proof);
    let place = format!("{} › {}", origin.place, origin.steps.concat());
    let refused_by = refuser(draft, origin.flipped);
    Some(Witness::Value { place, value, refused_by, refusal: refusal(&fault) })
}

/// Returns whether a fault is about a member of this name.
fn names(fault: &Fault, name: &str) -> bool {
    fault.missing.as_deref() == Some(name)
        || fault.pointer.strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
        || fault.message.contains(&format!("\"{name}\""))
}

/// Returns whether a fault is a violation of the keyword, as mutants name it, or may be one: inside of a
/// union, or by a keyword that has other names in the oracle.
fn violates(fault: &Fault, keyword: &str) -> bool {
    const ELSEWHERE: [&str; 4] = ["anyOf", "oneOf", "not", "false"];
    let alike: &[&str] = match keyword {
        "type" => &["type", "enum", "x-integer"],
        "minimum" => &["minimum", "exclusiveMinimum"],
        "maximum" => &["maximum", "exclusiveMaximum"],
        "pattern" => &["pattern", "x-ecma-pattern"],
        "discriminator" => &["enum", "required"],
        // Formats of numbers are bounds.
        "format" => &["format", "minimum", "maximum", "type", "x-integer"],
        _ => &[],
    };
    fault.keyword == keyword
        || alike.contains(&fault.keyword.as_str())
        || ELSEWHERE.contains(&fault.keyword.as_str())
}

/// Returns the smallest value that is refused for the same reason, and its fault.
fn smallest(probe: &Probe<'_>, value: Value, fault: &Fault, proof: Proof) -> (Value, Fault) {
    // Items may move when others are left out.
    let path = |pointer: &str| {
        let tokens = pointer.split('/');
        let names =
            tokens.map(|token| if token.bytes().all(|byte| byte.is_ascii_digit()) { "0" } else { token });
        names.collect::<Vec<_>>().join("/")
    };
    let place = path(&fault.pointer);
    let same = |other: &Fault| {
        other.keyword == fault.keyword
            && other.missing == fault.missing
            && other.several == fault.several
            // The name of an undeclared member does not matter.
            && (path(&other.pointer) == place || fault.keyword == "additionalProperties")
    };
    let value = minimal(value, |value| proof.refusal(probe, value, same).is_some());
    let fault = proof.refusal(probe, &value, same).unwrap_or_else(|| fault.clone());
    (value, fault)
}

/// Returns the document that refuses the witness of a finding: in requests, the new one; in responses, what
/// clients of the old one know.
fn refuser(draft: &Draft<'_>, flipped: bool) -> Side {
    if (draft.direction == Direction::Request) == flipped { Side::Base } else { Side::Revision }
}

/// Describes a fault with the place of the value: "`data[3].name` is longer than 20 characters".
fn refusal(fault: &Fault) -> String {
    let mut place = String::new();
    for token in fault.pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        if token.bytes().all(|byte| byte.is_ascii_digit()) && !token.is_empty() {
            place.push_str(&format!("[{token}]"));
        } else {
            place.push_str(if place.is_empty() { "" } else { "." });
            place.push_str(&token);
        }
    }
    let place = if place.is_empty() { "the value".to_owned() } else { format!("`{place}`") };
    format!("{place} {}", fault.reason)
}

/// Returns the member that the fault must name.
fn member<'d>(draft: &Draft<'d>) -> Option<&'d str> {
    let named = [
        rules::PROPERTY_BECAME_OPTIONAL,
        rules::PROPERTY_BECAME_REQUIRED,
        rules::REQUIRED_PROPERTY_ADDED,
        rules::REQUIRED_PROPERTY_REMOVED,
        rules::PROPERTY_BECAME_WRITE_ONLY,
    ];
    let at = |node: NodeRef<'d>| node.key().map(|key| key.text);
    let change = &draft.change;
    named.contains(&change.rule).then(|| at(change.base)).flatten().filter(|name| {
        // The member may also be named by the `required` list, which has another key.
        change.message.contains(&format!("`{name}`"))
    })
}

/// Returns the value that the change itself names: of an enumeration, a branch or a `not`.
fn part(draft: &Draft<'_>, probe: &Probe<'_>, proof: Proof) -> Option<(Value, Fault)> {
    let change = &draft.change;
    let keyword = keyword(change.rule.id);
    let wanted =
        |fault: &Fault| proof == Proof::Any || keyword.is_none_or(|keyword| violates(fault, keyword));
    let judged = |value: Value| proof.refusal(probe, &value, wanted).map(|fault| (value, fault));
    let rule = change.rule;
    if rule == rules::ENUM_VALUE_REMOVED || rule == rules::ENUM_VALUE_ADDED {
        return judged(change.base.to_json()).or_else(|| judged(change.revision.to_json()));
    }
    if [rules::ALTERNATIVE_ADDED, rules::ALTERNATIVE_REMOVED, rules::NOT].contains(&rule) {
        return probe.values_of(change.base).chain(probe.values_of(change.revision)).find_map(judged);
    }
    None
}

/// Puts a value at the location that the steps lead to; `false` if there is no such location.
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

/// Returns the keyword that a rule concerns, as mutants name it.
fn keyword(rule: &str) -> Option<&'static str> {
    Some(match rule {
        "additional-properties" => "additionalProperties",
        "discriminator" => "discriminator",
        "enum-added" | "enum-closed" | "enum-opened" | "enum-removed" | "enum-value-added"
        | "enum-value-removed" => "enum",
        "format" => "format",
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

/// Returns whether a pointer leads to the location of the steps or into it.
fn leads_along(pointer: &str, steps: &[String]) -> bool {
    let mut tokens = pointer.split('/').skip(1);
    for step in steps {
        if step.starts_with('(') {
            continue;
        }
        let Some(token) = tokens.next() else {
            // Faults of a union are reported at the union.
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
        format!("`{operation}` was an operation, and no longer is")
    } else if rule == rules::REQUIRED_PARAMETER_ADDED || rule == rules::PARAMETER_BECAME_REQUIRED {
        let parameter = change.revision;
        format!(
            "`{operation}` without the {} parameter `{}` succeeded, and is rejected",
            word(parameter, "in"),
            word(parameter, "name")
        )
    } else if rule == rules::REQUEST_BODY_ADDED || rule == rules::REQUEST_BODY_BECAME_REQUIRED {
        format!("`{operation}` without a body succeeded, and is rejected")
    } else if rule == rules::REQUEST_BODY_REMOVED {
        format!("`{operation}` with a body succeeded, and is rejected or the body is ignored")
    } else if rule == rules::MEDIA_TYPE_REMOVED {
        let (range, others) = (key(change.base), change.revision.members().map(|(other, _)| other));
        let media_type = media_types::example(&range, &others.collect::<Vec<_>>());
        if draft.direction == Direction::Request {
            format!("`{operation}` with `Content-Type: {media_type}` succeeded, and is rejected")
        } else {
            format!("`{operation}` with `Accept: {media_type}` had a response, and has none")
        }
    } else if rule == rules::RESPONSE_REMOVED {
        format!("`{operation}` had the response {}, and no longer has", key(change.base))
    } else if rule == rules::HEADER_REMOVED || rule == rules::HEADER_BECAME_OPTIONAL {
        format!("a response of `{operation}` without the header `{}`", key(change.base))
    } else if rule == rules::PROPERTY_BECAME_READ_ONLY {
        format!(
            "`{operation}` with the property `{}`, which requests should no longer contain",
            key(change.base)
        )
    } else if operation.is_empty() {
        change.message.clone()
    } else {
        format!("`{operation}`: {}", change.message)
    };
    Witness::Call(text)
}

/// Shortens a text in the middle, because a fault often begins with the value and ends with the rule.
pub(crate) fn elided(text: &str, first: usize, last: usize) -> String {
    let length = text.chars().count();
    if length <= first + last + 1 {
        return text.to_owned();
    }
    let start: String = text.chars().take(first).collect();
    let end: String = text.chars().skip(length - last).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_lose_their_middle() {
        assert_eq!(elided("größer", 2, 3), "größer");
        assert_eq!(elided("am größten", 2, 3), "am…ten");
    }

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
