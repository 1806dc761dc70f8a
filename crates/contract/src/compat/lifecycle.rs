//! Rules about deprecation and removal: `deprecated`, `x-sunset` and `x-stability-level`.

use std::cmp::Ordering;

use frontdesk_document::NodeRef;
use jiff::civil::Date;

use super::change::Change;
use super::effect::Level;
use super::lifecycle_keys::{Levels, Stability, Sunset, is_deprecated};
use super::policy::Policy;
use super::rules;
use crate::changelog::Changelog;

/// Words by which a changelog announces a removal.
const GOING: &[&str] = &["deprecated", "removed", "sunset"];

/// Compares the lifecycle keys of an object that exists in both documents.
pub(super) fn compare<'d>(base: NodeRef<'d>, revision: NodeRef<'d>, policy: &Policy) -> Vec<Change<'d>> {
    let mut found = deprecations(base, revision, policy);
    found.extend(stability((base, revision)));
    found
}

/// Compares the keys for deprecation.
fn deprecations<'d>(base: NodeRef<'d>, revision: NodeRef<'d>, policy: &Policy) -> Vec<Change<'d>> {
    let mut found = Vec::new();
    let places = (base, revision);
    match (is_deprecated(base), is_deprecated(revision)) {
        (false, true) => deprecated(places, policy, &mut found),
        (true, false) => {
            found.push(Change::fixed(rules::REACTIVATED, Level::Safe, places, "it is no longer deprecated"));
        }
        (true, true) => moved(places, policy, &mut found),
        (false, false) => {}
    }
    found
}

/// Returns the change of the stability of an object that exists in both documents, by the levels that it
/// declares.
fn stability<'d>((base, revision): (NodeRef<'d>, NodeRef<'d>)) -> Option<Change<'d>> {
    let old = Stability::written(base);
    let new = Stability::written(revision);
    if let Some(Err(value)) = new {
        let known = old.is_some_and(|old| old.is_err_and(|old| old.to_json() == value.to_json()));
        return (!known).then(|| unknown_level((base, value)));
    }
    let (old, new) = (old.transpose().ok()?, new.transpose().ok()?);
    (old != new).then(|| restated((base, revision), (old, new)))
}

/// Returns the changes of the lifecycle that a part with these places brings that only the revision has: the
/// base has a container.
pub(super) fn added<'d>((holder, part): (NodeRef<'d>, NodeRef<'d>)) -> Vec<Change<'d>> {
    let level = Stability::written(part).and_then(Result::err).map(|value| unknown_level((holder, value)));
    let sunset = match Sunset::of(part) {
        Sunset::Invalid(value) => Some(invalid((holder, value))),
        _ => None,
    };
    level.into_iter().chain(sunset).collect()
}

fn unknown_level<'d>(places: (NodeRef<'d>, NodeRef<'d>)) -> Change<'d> {
    let message = format!(
        "`x-stability-level` is {}, which is not one of draft, alpha, beta and stable",
        written(places.1)
    );
    Change::fixed(rules::STABILITY_INVALID, Level::Breaking, places, message)
}

/// Returns a value of the document for a message.
fn written(value: NodeRef<'_>) -> String {
    format!("`{}`", value.as_str().map_or_else(|| value.to_json().to_string(), str::to_owned))
}

/// Makes a change of the stability whose rule and level [`effective`] determines.
pub(super) fn restated<'d>(places: (NodeRef<'d>, NodeRef<'d>), own: Levels) -> Change<'d> {
    let change = Change::fixed(rules::STABILITY_DECREASED, Level::Safe, places, "");
    Change { stability: Some(own), ..change }
}

/// Returns the levels of a part in effect: its own, if it has one and that around is not lower.
pub(super) fn within(own: Levels, around: (Stability, Stability)) -> (Stability, Stability) {
    let least = |own: Option<Stability>, around: Stability| own.map_or(around, |own| own.min(around));
    (least(own.0, around.0), least(own.1, around.1))
}

/// Returns a change of the stability as it is inside of a part with these levels; `None` if nothing changes
/// there. A level that is not declared is that of the part around.
pub(super) fn effective<'d>(change: &Change<'d>, around: (Stability, Stability)) -> Option<Change<'d>> {
    let Some((old, new)) = change.stability else { return Some(change.clone()) };
    let (before, after) = within((old, new), around);
    let (rule, level) = match after.cmp(&before) {
        Ordering::Equal => return None,
        Ordering::Less => (rules::STABILITY_DECREASED, Level::Breaking),
        Ordering::Greater => (rules::STABILITY_INCREASED, Level::Safe),
    };
    let unsaid = |own: Option<Stability>| if own.is_some() { "" } else { " without being given" };
    let message = format!("`x-stability-level` was {before}{}, and is {after}{}", unsaid(old), unsaid(new));
    Some(Change { rule, level: Some(level), message, stability: None, ..change.clone() })
}

fn deprecated<'d>(places: (NodeRef<'d>, NodeRef<'d>), policy: &Policy, found: &mut Vec<Change<'d>>) {
    match Sunset::of(places.1) {
        Sunset::Missing => {
            found.push(Change::fixed(rules::DEPRECATED, Level::Safe, places, "it is deprecated"));
            found.push(Change {
                notice: Some((policy.today, policy.today)),
                ..Change::fixed(
                    rules::SUNSET_MISSING,
                    Level::Breaking,
                    places,
                    "it is deprecated without an `x-sunset`",
                )
            });
        }
        Sunset::Invalid(value) => found.push(invalid((places.0, value))),
        Sunset::On(date, value) => {
            let message = format!("it is deprecated, and may be removed from {date}");
            found.push(Change::fixed(rules::DEPRECATED, Level::Safe, places, message));
            found.push(Change {
                notice: Some((policy.today, date)),
                ..Change::fixed(
                    rules::SUNSET_TOO_SOON,
                    Level::Breaking,
                    (places.0, value),
                    format!("`x-sunset` {date} leaves {} days of notice", days(policy.today, date).max(0)),
                )
            });
        }
    }
}

fn moved<'d>(places: (NodeRef<'d>, NodeRef<'d>), policy: &Policy, found: &mut Vec<Change<'d>>) {
    match (Sunset::of(places.0), Sunset::of(places.1)) {
        (Sunset::Invalid(old), Sunset::Invalid(new)) if old.as_str() == new.as_str() => {}
        (_, Sunset::Invalid(value)) => found.push(invalid((places.0, value))),
        (Sunset::Invalid(value), _) => found.push(invalid_before((value, places.1))),
        (Sunset::On(date, _), Sunset::Missing) => found.push(Change::fixed(
            rules::SUNSET_REMOVED,
            Level::Breaking,
            places,
            format!("a deprecated part lost its `x-sunset` of {date}"),
        )),
        (Sunset::On(old, at), Sunset::On(new, to)) if old != new => {
            let change = Change::fixed(
                rules::SUNSET_MOVED,
                if new < old { Level::Breaking } else { Level::Safe },
                (at, to),
                format!("`x-sunset` moved from {old} to {new}"),
            );
            let notice = (new < old).then_some((policy.today, new));
            found.push(Change { notice, ..change });
        }
        _ => {}
    }
}

fn invalid<'d>(places: (NodeRef<'d>, NodeRef<'d>)) -> Change<'d> {
    let message = format!("`x-sunset` is {}, which is not a date", written(places.1));
    Change::fixed(rules::SUNSET_INVALID, Level::Breaking, places, message)
}

fn invalid_before<'d>(places: (NodeRef<'d>, NodeRef<'d>)) -> Change<'d> {
    let message = format!("`x-sunset` was {}, which is not a date", written(places.0));
    Change::fixed(rules::SUNSET_INVALID, Level::Breaking, places, message)
}

/// The result of checking a removal.
pub(super) enum Removal<'d> {
    /// It is allowed; with the reason if it was announced.
    Allowed(Option<String>),
    /// It violates an announcement.
    Denied(Change<'d>),
}

/// Checks whether a part may be removed. `places` are the part and its former container; `names` are its
/// names in the changelog.
pub(super) fn removal<'d>(
    places: (NodeRef<'d>, NodeRef<'d>),
    names: &[&str],
    policy: &Policy,
) -> Removal<'d> {
    if !is_deprecated(places.0) {
        return Removal::Allowed(None);
    }
    match Sunset::of(places.0) {
        Sunset::Missing if policy.notice_stable.is_zero() => {
            Removal::Allowed(Some("it was deprecated".to_owned()))
        }
        Sunset::Missing => Removal::Allowed(None),
        Sunset::Invalid(value) => Removal::Denied(invalid_before((value, places.1))),
        Sunset::On(date, _) if date > policy.today => Removal::Denied(Change::fixed(
            rules::REMOVED_BEFORE_SUNSET,
            Level::Breaking,
            places,
            format!("it was removed before its sunset on {date}"),
        )),
        Sunset::On(date, _) => match unannounced(places, date, names, policy) {
            Some(change) => Removal::Denied(change),
            None => Removal::Allowed(Some(format!("its sunset was on {date}"))),
        },
    }
}

/// Returns what the announcement of a removal lacks.
fn unannounced<'d>(
    places: (NodeRef<'d>, NodeRef<'d>),
    sunset: Date,
    names: &[&str],
    policy: &Policy,
) -> Option<Change<'d>> {
    let said = |changelog: &Changelog| names.iter().any(|name| changelog.says(name, GOING));
    if !policy.changelog.as_ref().is_none_or(said) {
        let message = format!("no entry of the changelog says that `{}` is deprecated or removed", names[0]);
        return Some(Change::fixed(rules::REMOVED_WITHOUT_NOTICE, Level::Breaking, places, message));
    }
    let announcements = policy.announcements.as_ref()?;
    let (message, announced) = match announcements.since(&places.0.pointer(), sunset) {
        Some(announced) => {
            let days = days(announced, sunset).max(0);
            let message = format!(
                "it was announced with the release of {announced}, {days} days before its sunset on {sunset}"
            );
            (message, announced)
        }
        None => ("no release announced the removal".to_owned(), sunset),
    };
    let change = Change::fixed(rules::NOTICE_TOO_SHORT, Level::Breaking, places, message);
    let kept = policy.leaves_notice(Stability::Stable, (announced, sunset));
    (!kept).then_some(Change { notice: Some((announced, sunset)), ..change })
}

fn days(from: Date, to: Date) -> i32 {
    (to - from).get_days()
}
