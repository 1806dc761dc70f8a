//! How things are announced to go, and how they go: `deprecated`, `x-sunset`, `x-stability-level`.

use frontdesk_document::NodeRef;
use jiff::civil::Date;

use super::change::Change;
use super::effect::Level;
use super::policy::{Policy, Stability};
use super::rules;
use crate::changelog::Changelog;

/// Words by which a changelog announces that something goes.
const GOING: &[&str] = &["deprecated", "removed", "sunset"];

/// What an object says of its end.
pub(super) enum Sunset<'d> {
    Missing,
    Invalid(NodeRef<'d>),
    On(Date, NodeRef<'d>),
}

impl<'d> Sunset<'d> {
    pub(super) fn of(object: NodeRef<'d>) -> Self {
        let Some(value) = object.get("x-sunset") else { return Self::Missing };
        // A time of day may follow the date.
        let date = value.as_str().and_then(|text| text.get(..10)).and_then(|date| date.parse().ok());
        date.map_or(Self::Invalid(value), |date| Self::On(date, value))
    }
}

/// Whether the object is `deprecated`.
pub(super) fn is_deprecated(object: NodeRef<'_>) -> bool {
    object.get("deprecated").and_then(NodeRef::as_bool) == Some(true)
}

/// The stability an object claims for itself, if it is one of the known levels.
pub(super) fn stability(object: NodeRef<'_>) -> Option<Stability> {
    Stability::written(object).and_then(Result::ok)
}

/// How an object that is in both documents is announced to go.
pub(super) fn compare<'d>(base: NodeRef<'d>, revision: NodeRef<'d>, policy: &Policy) -> Vec<Change<'d>> {
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
    stabilities(places, &mut found);
    found
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
            let message = format!("it is deprecated, and may go from {date}");
            found.push(Change::fixed(rules::DEPRECATED, Level::Safe, places, message));
            found.push(Change {
                notice: Some((policy.today, date)),
                ..Change::fixed(
                    rules::SUNSET_TOO_SOON,
                    Level::Breaking,
                    (places.0, value),
                    format!("`x-sunset` leaves {} days of notice", days(policy.today, date).max(0)),
                )
            });
        }
    }
}

fn moved<'d>(places: (NodeRef<'d>, NodeRef<'d>), policy: &Policy, found: &mut Vec<Change<'d>>) {
    match (Sunset::of(places.0), Sunset::of(places.1)) {
        (Sunset::Invalid(old), Sunset::Invalid(new)) if old.as_str() == new.as_str() => {}
        (_, Sunset::Invalid(value)) => found.push(invalid((places.0, value))),
        (Sunset::Invalid(value), _) => found.push(invalid((value, places.1))),
        (Sunset::On(..), Sunset::Missing) => found.push(Change::fixed(
            rules::SUNSET_REMOVED,
            Level::Breaking,
            places,
            "`x-sunset` is gone from something deprecated",
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
    Change::fixed(rules::SUNSET_INVALID, Level::Breaking, places, "`x-sunset` is no date")
}

fn stabilities<'d>((base, revision): (NodeRef<'d>, NodeRef<'d>), found: &mut Vec<Change<'d>>) {
    let old = Stability::written(base);
    let new = Stability::written(revision);
    if let Some(Err(value)) = new {
        if !old.is_some_and(|old| old.is_err_and(|old| old.to_json() == value.to_json())) {
            found.push(Change::fixed(
                rules::STABILITY_INVALID,
                Level::Breaking,
                (base, value),
                "`x-stability-level` is none of draft, alpha, beta and stable",
            ));
        }
        return;
    }
    // What says nothing of itself promises what it stands in promises, so only words can be taken back.
    let (Some(Ok(old)), Some(Ok(new))) = (old, new) else { return };
    let message = format!("`x-stability-level` was {old} and is {new}");
    if new < old {
        found.push(Change::fixed(rules::STABILITY_DECREASED, Level::Breaking, (base, revision), message));
    } else if new > old {
        found.push(Change::fixed(rules::STABILITY_INCREASED, Level::Safe, (base, revision), message));
    }
}

/// What comes of the removal of something from the base.
pub(super) enum Removal<'d> {
    /// It was announced, or need not be; the reason, if it was announced.
    Allowed(Option<String>),
    /// It breaks what was announced.
    Refused(Change<'d>),
}

/// Whether something may go. `places` are the thing, and what it is gone from; `names` are what the changelog may call it.
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
        Sunset::Invalid(value) => Removal::Refused(invalid((value, places.1))),
        Sunset::On(date, _) if date > policy.today => Removal::Refused(Change::fixed(
            rules::REMOVED_BEFORE_SUNSET,
            Level::Breaking,
            places,
            format!("it was removed before its sunset on {date}"),
        )),
        Sunset::On(date, _) => match unannounced(places, date, names, policy) {
            Some(change) => Removal::Refused(change),
            None => Removal::Allowed(Some(format!("its sunset was on {date}"))),
        },
    }
}

/// What the announcement of a removal lacks.
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
        None => ("no release announced that it would go".to_owned(), sunset),
    };
    let change = Change::fixed(rules::NOTICE_TOO_SHORT, Level::Breaking, places, message);
    let kept = policy.leaves_notice(Stability::Stable, (announced, sunset));
    (!kept).then_some(Change { notice: Some((announced, sunset)), ..change })
}

fn days(from: Date, to: Date) -> i32 {
    (to - from).get_days()
}
