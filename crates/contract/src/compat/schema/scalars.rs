//! Comparison of keywords that do not concern properties and items: types, enumerations, bounds, formats and
//! patterns.
//!
//! A keyword counts only for types that both schemas allow: `minLength` does not apply to integers.

use frontdesk_document::NodeRef;
use indexmap::IndexMap;

use super::facets::{Facets, same_value};
use super::graph::Medium;
use super::kinds::Kinds;
use crate::compat::change::Change;
use crate::compat::effect::{Effect, Level};
use crate::compat::rules::{self, Rule};
use crate::oracle::integer_bounds;

type Places<'d> = (NodeRef<'d>, NodeRef<'d>);

/// Compares whether `null` is allowed.
pub(super) fn null<'d>(
    base: &Facets<'d>,
    revision: &Facets<'d>,
    places: Places<'d>,
    changes: &mut Vec<Change<'d>>,
) {
    let (effect, message) = match (base.null, revision.null) {
        (Some(true), Some(false)) => (Effect::Narrower, "`null` is no longer allowed"),
        (Some(false), Some(true)) => (Effect::Wider, "`null` is now allowed"),
        (old, new) if old == new => return,
        _ => (Effect::Unknown, "whether `null` is allowed could not be determined"),
    };
    // If an untyped schema gets a type, it no longer allows `null`; the change of the type covers that.
    let untyped = |facets: &Facets<'_>| facets.kinds == Kinds::ALL;
    if untyped(base) != untyped(revision) && effect != Effect::Unknown {
        return;
    }
    let place = |facets: &Facets<'d>, other| facets.flag("nullable").unwrap_or(other);
    let places = (place(base, places.0), place(revision, places.1));
    changes.push(Change::new(rules::NULLABLE, effect, places, message));
}

/// Compares the keywords, and returns the types whose properties and items must still be compared.
pub(super) fn compare<'d>(
    base: &Facets<'d>,
    revision: &Facets<'d>,
    places: Places<'d>,
    medium: Medium,
    changes: &mut Vec<Change<'d>>,
) -> Kinds {
    let shared = kinds(base, revision, places, medium, changes);
    if shared.is_empty() {
        return shared;
    }
    known_values(base, revision, changes);
    let listed = (base.values.is_some(), revision.values.is_some());
    if listed != (false, false) {
        enumerations(base, revision, places, medium, changes);
    }
    if listed.0 != listed.1 {
        // The enumeration determines all values.
        return Kinds::NONE;
    }
    let about = shared.and(base.reach).and(revision.reach);
    let mut said = Vec::new();
    counted(base, revision, places, &mut said);
    for (kind, compare) in WORDS {
        let found = said.len();
        compare(base, revision, places, &mut said);
        // The author meant a keyword that does not apply to the type, and servers may enforce it.
        if listed.0 || !about.has(*kind) {
            said[found..].iter_mut().for_each(Change::as_written);
        }
    }
    changes.append(&mut said);
    if listed.0 { Kinds::NONE } else { shared }
}

type Compare = for<'f, 'd> fn(&'f Facets<'d>, &'f Facets<'d>, Places<'d>, &'f mut Vec<Change<'d>>);

/// Comparisons of keywords other than counts, with the types that they apply to.
const WORDS: &[(Kinds, Compare)] = &[
    (Kinds::ARRAY, unique),
    (Kinds::NUMBER, bounds),
    (Kinds::NUMBER, steps),
    (Kinds::STRING, patterns),
    (Kinds::NUMBER.or(Kinds::STRING), formats),
];

/// Compares lengths and numbers of items and properties.
fn counted<'d>(base: &Facets<'d>, revision: &Facets<'d>, places: Places<'d>, changes: &mut Vec<Change<'d>>) {
    let kinds = base.reach.and(revision.reach);
    for (keyword, rule, kind) in [
        ("minLength", rules::MIN_LENGTH, Kinds::STRING),
        ("maxLength", rules::MAX_LENGTH, Kinds::STRING),
        ("minItems", rules::MIN_ITEMS, Kinds::ARRAY),
        ("maxItems", rules::MAX_ITEMS, Kinds::ARRAY),
        ("minProperties", rules::MIN_PROPERTIES, Kinds::OBJECT),
        ("maxProperties", rules::MAX_PROPERTIES, Kinds::OBJECT),
    ] {
        let pick = |facets: &Facets<'d>| {
            if keyword.starts_with("min") { facets.at_least(keyword) } else { facets.at_most(keyword) }
        };
        let found = changes.len();
        counts(keyword, rule, (pick(base), pick(revision)), places, changes);
        if base.values.is_some() || !kinds.has(kind) {
            changes[found..].iter_mut().for_each(Change::as_written);
        }
    }
}

/// Compares the types, and returns those that both allow.
fn kinds<'d>(
    base: &Facets<'d>,
    revision: &Facets<'d>,
    places: Places<'d>,
    medium: Medium,
    changes: &mut Vec<Change<'d>>,
) -> Kinds {
    let (old, new) = (base.kinds, revision.kinds);
    // An enumeration takes precedence over types that only the other document's `type` omits. In a text
    // medium, an unrestricted string may be any scalar.
    let seen = |facets: &Facets<'_>| {
        let free =
            facets.formats().is_empty() && facets.values.is_none() && facets.each("pattern").next().is_none();
        if medium != Medium::Json && free { facets.kinds.as_text() } else { facets.kinds }
    };
    let lost = base.real_kinds().without(seen(revision));
    let gained = revision.real_kinds().without(seen(base));
    let effect = Effect::of(!lost.is_empty(), !gained.is_empty());
    if effect != Effect::Same {
        let place = |facets: &Facets<'d>, other| facets.each("type").next().unwrap_or(other);
        let message = format!("the type was {} and is {}", old.describe(), new.describe());
        let places = (place(base, places.0), place(revision, places.1));
        changes.push(Change::new(rules::TYPE, effect, places, message));
    }
    old.and(new)
}

/// Compares the values of open enumerations: nothing is rejected, but receivers may not know new values.
fn known_values<'d>(base: &Facets<'d>, revision: &Facets<'d>, changes: &mut Vec<Change<'d>>) {
    let (Some((at, old)), Some((to, new))) = (&base.known, &revision.known) else { return };
    for value in old.iter().filter(|value| !new.iter().any(|other| same_value(**value, *other))) {
        let message = format!("the open enumeration no longer lists {}", value.to_json());
        // Receivers accept unlisted values, but servers may still reject removed ones.
        changes.push(Change::new(rules::ENUM_VALUE_REMOVED, Effect::Narrower, (*value, *to), message));
    }
    for value in new.iter().filter(|value| !old.iter().any(|other| same_value(**value, *other))) {
        let message = format!("the open enumeration also lists {}", value.to_json());
        changes.push(Change::fixed(rules::ENUM_VALUE_ADDED, Level::Safe, (*at, *value), message));
    }
}

fn enumerations<'d>(
    base: &Facets<'d>,
    revision: &Facets<'d>,
    places: Places<'d>,
    medium: Medium,
    changes: &mut Vec<Change<'d>>,
) {
    // In a text medium, the same value may be written as a string or as a number.
    let admits = |facets: &Facets<'d>, value: NodeRef<'d>| {
        facets.admits(value, &value.to_json()) || (medium != Medium::Json && facets.kinds != Kinds::ALL)
    };
    match (&base.values, &revision.values) {
        (Some((at, old)), Some((to, new))) => {
            for value in old.iter().filter(|value| base.admits(**value, &value.to_json())) {
                if !new.iter().any(|other| same_value(*value, *other)) {
                    let message = format!("the value {} is gone", value.to_json());
                    changes.push(Change::new(
                        rules::ENUM_VALUE_REMOVED,
                        Effect::Narrower,
                        (*value, *to),
                        message,
                    ));
                }
            }
            for value in new.iter().filter(|value| revision.admits(**value, &value.to_json())) {
                if !old.iter().any(|other| same_value(*value, *other)) {
                    let message = format!("the value {} is new", value.to_json());
                    changes.push(Change::new(rules::ENUM_VALUE_ADDED, Effect::Wider, (*at, *value), message));
                }
            }
        }
        (None, Some((to, new))) => {
            let closed = base.known.is_some();
            let fits = new.iter().all(|value| admits(base, *value));
            let all = base.kinds == Kinds::BOOLEAN && new.len() > 1;
            if !all {
                let rule = if closed { rules::ENUM_CLOSED } else { rules::ENUM_ADDED };
                let message = if closed {
                    "the enumeration was open and is closed"
                } else {
                    "only listed values are allowed"
                };
                changes.push(Change::new(rule, Effect::of(true, !fits), (places.0, *to), message));
            }
        }
        (Some((at, old)), None) => {
            let opened = revision.known.is_some();
            let fits = old.iter().all(|value| admits(revision, *value));
            let all = revision.kinds == Kinds::BOOLEAN && old.len() > 1;
            if !all {
                let rule = if opened { rules::ENUM_OPENED } else { rules::ENUM_REMOVED };
                let message = if opened {
                    "the enumeration was closed and is open"
                } else {
                    "values are no longer restricted to a list"
                };
                changes.push(Change::new(rule, Effect::of(!fits, true), (*at, places.1), message));
            }
        }
        (None, None) => {}
    }
}

/// Compares two counts; minimum counts are always above 0.
fn counts<'d>(
    keyword: &str,
    rule: &'static Rule,
    (old, new): (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
    places: Places<'d>,
    changes: &mut Vec<Change<'d>>,
) {
    let least = keyword.starts_with("min");
    let number = |value: Option<NodeRef<'_>>| value.and_then(NodeRef::as_i128);
    let (before, after) = (number(old), number(new));
    if before == after {
        return;
    }
    let narrower = match (before, after) {
        (Some(before), Some(after)) => (after > before) == least,
        (before, _) => before.is_none(),
    };
    let effect = if narrower { Effect::Narrower } else { Effect::Wider };
    let places = (old.unwrap_or(places.0), new.unwrap_or(places.1));
    changes.push(Change::new(rule, effect, places, describe(keyword, before, after)));
}

/// Describes the change of a keyword with a value.
fn describe(keyword: &str, old: Option<impl ToString>, new: Option<impl ToString>) -> String {
    match (old, new) {
        (Some(old), Some(new)) => format!("`{keyword}` was {} and is {}", old.to_string(), new.to_string()),
        (None, Some(new)) => format!("`{keyword}` is {} and was not given", new.to_string()),
        (Some(old), None) => format!("`{keyword}` was {} and is gone", old.to_string()),
        (None, None) => format!("`{keyword}` changed"),
    }
}

fn unique<'d>(base: &Facets<'d>, revision: &Facets<'d>, places: Places<'d>, changes: &mut Vec<Change<'d>>) {
    let flag = |facets: &Facets<'d>| facets.each("uniqueItems").find(|flag| flag.as_bool() == Some(true));
    let (old, new) = (flag(base), flag(revision));
    let effect = Effect::of(old.is_none() && new.is_some(), old.is_some() && new.is_none());
    if effect != Effect::Same {
        let message = if new.is_some() { "items must differ" } else { "items may be the same" };
        let places = (old.unwrap_or(places.0), new.unwrap_or(places.1));
        changes.push(Change::new(rules::UNIQUE_ITEMS, effect, places, message));
    }
}

fn bounds<'d>(base: &Facets<'d>, revision: &Facets<'d>, places: Places<'d>, changes: &mut Vec<Change<'d>>) {
    for (keyword, exclusive, rule, upper) in [
        ("minimum", "exclusiveMinimum", rules::MINIMUM, false),
        ("maximum", "exclusiveMaximum", rules::MAXIMUM, true),
    ] {
        let (old, new) = (base.bound(keyword, exclusive), revision.bound(keyword, exclusive));
        let narrower = new.is_some_and(|new| new.cuts(old.as_ref(), upper));
        let wider = old.is_some_and(|old| old.cuts(new.as_ref(), upper));
        let effect = Effect::of(narrower, wider);
        if effect != Effect::Same {
            let message =
                describe(keyword, old.map(|bound| bound.describe()), new.map(|bound| bound.describe()));
            let places =
                (old.map_or(places.0, |bound| bound.value), new.map_or(places.1, |bound| bound.value));
            changes.push(Change::new(rule, effect, places, message));
        }
    }
}

fn steps<'d>(base: &Facets<'d>, revision: &Facets<'d>, places: Places<'d>, changes: &mut Vec<Change<'d>>) {
    let all = |facets: &Facets<'d>| {
        facets
            .each("multipleOf")
            .filter(|step| step.as_f64().is_some_and(|step| step > 0.0))
            .collect::<Vec<_>>()
    };
    let (old, new) = (all(base), all(revision));
    // `multipleOf: 1` has no effect on integers.
    let implied = |step: NodeRef<'_>, others: &[NodeRef<'_>], kinds: Kinds| {
        (step.as_i128() == Some(1) && !kinds.has(Kinds::NUMBER.without(Kinds::INTEGER)))
            || others.iter().any(|other| divides(step, *other))
    };
    let narrower = new.iter().any(|step| !implied(*step, &old, base.kinds));
    let wider = old.iter().any(|step| !implied(*step, &new, revision.kinds));
    let effect = Effect::of(narrower, wider);
    if effect != Effect::Same {
        let number = |steps: &[NodeRef<'d>]| steps.first().and_then(|step| step.as_number());
        let message = describe("multipleOf", number(&old), number(&new));
        let places = (old.first().copied().unwrap_or(places.0), new.first().copied().unwrap_or(places.1));
        changes.push(Change::new(rules::MULTIPLE_OF, effect, places, message));
    }
}

/// Returns whether every multiple of `other` is a multiple of `step`.
fn divides(step: NodeRef<'_>, other: NodeRef<'_>) -> bool {
    match (step.as_i128(), other.as_i128()) {
        (Some(step), Some(other)) => other % step == 0,
        _ => {
            let (step, other) = (step.as_f64().unwrap_or(1.0), other.as_f64().unwrap_or(1.0));
            let ratio = other / step;
            (ratio - ratio.round()).abs() < 1e-9 && ratio >= 0.5
        }
    }
}

/// Patterns that match every text.
const ANYTHING: [&str; 7] = ["", ".*", "^.*$", "^.*", ".*$", "^", "[\\s\\S]*"];

fn patterns<'d>(base: &Facets<'d>, revision: &Facets<'d>, places: Places<'d>, changes: &mut Vec<Change<'d>>) {
    let all = |facets: &Facets<'d>| {
        let mut patterns = facets.words("pattern");
        patterns.retain(|pattern, _| !ANYTHING.contains(pattern));
        patterns
    };
    let (old, new) = (all(base), all(revision));
    let lost = only_in(&new, &old);
    let gained = only_in(&old, &new);
    let effect = match (lost.is_empty(), gained.is_empty()) {
        (true, true) => return,
        (false, true) => Effect::Narrower,
        (true, false) => Effect::Wider,
        // Whether one pattern's language contains another's can only be refuted by texts.
        (false, false) => Effect::Unknown,
    };
    let quoted =
        |patterns: &[(&str, NodeRef<'_>)]| patterns.first().map(|(pattern, _)| format!("`{pattern}`"));
    let message = describe("pattern", quoted(&gained), quoted(&lost));
    let at = |patterns: &[(&str, NodeRef<'d>)], other| patterns.first().map_or(other, |(_, node)| *node);
    let places = (at(&gained, places.0), at(&lost, places.1));
    changes.push(Change::new(rules::PATTERN, effect, places, message));
}

fn only_in<'d>(
    words: &IndexMap<&'d str, NodeRef<'d>>,
    others: &IndexMap<&'d str, NodeRef<'d>>,
) -> Vec<(&'d str, NodeRef<'d>)> {
    words.iter().filter(|(word, _)| !others.contains_key(*word)).map(|(word, node)| (*word, *node)).collect()
}

fn formats<'d>(base: &Facets<'d>, revision: &Facets<'d>, places: Places<'d>, changes: &mut Vec<Change<'d>>) {
    let (old, new) = (base.formats(), revision.formats());
    let implied = |format: &str, others: &IndexMap<&str, NodeRef<'_>>| {
        others.keys().any(|other| is_within(other, format))
    };
    let lost = only_in(&new, &old);
    let gained = only_in(&old, &new);
    let narrower = lost.iter().any(|(format, _)| !implied(format, &old));
    let wider = gained.iter().any(|(format, _)| !implied(format, &new));
    let effect = Effect::of(narrower, wider);
    if effect == Effect::Same {
        return;
    }
    let quoted = |formats: &[(&str, NodeRef<'_>)]| formats.first().map(|(format, _)| format!("`{format}`"));
    let message = describe("format", quoted(&gained), quoted(&lost));
    let at = |formats: &[(&str, NodeRef<'d>)], other| formats.first().map_or(other, |(_, node)| *node);
    let places = (at(&gained, places.0), at(&lost, places.1));
    changes.push(Change::new(rules::FORMAT, effect, places, message));
}

/// Returns whether every value of the inner format has the outer one.
fn is_within(inner: &str, outer: &str) -> bool {
    match (integer_bounds(inner), integer_bounds(outer)) {
        (Some((least, greatest)), Some((from, to))) => from <= least && greatest <= to,
        _ => inner == outer || (inner, outer) == ("float", "double"),
    }
}
