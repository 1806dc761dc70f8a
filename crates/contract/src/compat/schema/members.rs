//! What differs in the members of objects and the items of lists.

use frontdesk_document::NodeRef;
use indexmap::IndexSet;

use super::facets::{Facets, Member, parts};
use super::{Edge, Graph, PairId};
use crate::compat::change::Change;
use crate::compat::effect::{Effect, Level};
use crate::compat::lifecycle::{self, Removal};
use crate::compat::rules;
use crate::compat::side::Side;

type Places<'d> = (NodeRef<'d>, NodeRef<'d>);

impl<'d> Graph<'d> {
    pub(super) fn items(&mut self, id: PairId, base: &Facets<'d>, revision: &Facets<'d>) {
        let old = parts(base.each("items"));
        let new = parts(revision.each("items"));
        self.lead(id, "[]", base.each("items").next(), old, new);
    }

    /// Makes a way from a pair to another one, unless every value fits both.
    fn lead(
        &mut self,
        from: PairId,
        step: impl Into<String>,
        base: Option<NodeRef<'d>>,
        old: super::Parts,
        new: super::Parts,
    ) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        let stability = base.and_then(|schema| schema.resolve().ok()).and_then(lifecycle::stability);
        let to = self.beside(from, old, new);
        self.pairs[from].edges.push(Edge { to, step: step.into(), flipped: false, stability, hidden: false });
    }

    pub(super) fn objects(
        &mut self,
        id: PairId,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
    ) {
        let side = self.pairs[id].key.side;
        let names: IndexSet<&str> = base
            .members
            .keys()
            .chain(revision.members.keys())
            .chain(base.required.keys())
            .chain(revision.required.keys())
            .copied()
            .collect();
        for name in names {
            self.member(id, name, base, revision, places, side);
        }
        let told = |member: &Member| match member {
            Member::Forbidden => "forbidden",
            Member::Allowed(parts) if parts.is_empty() => "free",
            Member::Allowed(_) => "limited",
        };
        let (old, new) = (base.further(), revision.further());
        let effect = match (&old, &new) {
            (Member::Allowed(old), Member::Allowed(new)) => {
                let at = base.each("additionalProperties").find(|further| further.is_object());
                self.lead(id, ".*", at, old.clone(), new.clone());
                return;
            }
            (Member::Forbidden, Member::Forbidden) => return,
            (Member::Allowed(_), Member::Forbidden) => Effect::Narrower,
            (Member::Forbidden, Member::Allowed(_)) => Effect::Wider,
        };
        let at = |facets: &Facets<'d>, other| facets.each("additionalProperties").next().unwrap_or(other);
        let message = format!("members that are not declared were {} and are {}", told(&old), told(&new));
        let places = (at(base, places.0), at(revision, places.1));
        self.pairs[id].changes.push(Change::new(rules::ADDITIONAL_PROPERTIES, effect, places, message));
    }

    fn member(
        &mut self,
        id: PairId,
        name: &'d str,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
        side: Side,
    ) {
        let declared = |facets: &Facets<'d>| facets.members.get(name).and_then(|all| all.first()).copied();
        let (old, new) = (declared(base), declared(revision));
        let before = base.required.contains_key(name) && !base.stays(name, side);
        let after = revision.required.contains_key(name) && !revision.stays(name, side);
        // The place of a missing member is the object's.
        let at = (old.unwrap_or(places.0), new.unwrap_or(places.1));
        match (old.filter(|_| !base.stays(name, side)), new.filter(|_| !revision.stays(name, side))) {
            (Some(_), Some(_)) => {
                self.requirement(id, name, (before, after), at, new);
                if let (Member::Allowed(old_parts), Member::Allowed(new_parts)) =
                    (base.member(name), revision.member(name))
                {
                    self.lead(id, format!(".{name}"), old, old_parts, new_parts);
                }
            }
            (Some(_), None) if new.is_some() => self.hidden(id, name, (before, side), at),
            (None, Some(_)) if old.is_some() => self.shown(id, name, (after, side), at),
            (Some(member), None) => {
                self.removed(id, name, member, revision, (before, side), at);
            }
            (None, Some(_)) => self.added(id, name, base, revision, after, at),
            // Clients send back what they got, so it is worth a word; what servers keep to themselves is not.
            (None, None) if old.is_some() && new.is_some() && side == Side::Request => {
                let to = self.beside(id, parts(old), parts(new));
                let step = format!(".{name}");
                self.pairs[id].edges.push(Edge { to, step, flipped: false, stability: None, hidden: true });
            }
            (None, None) if old.is_some() || new.is_some() => {}
            (None, None) => self.requirement(id, name, (before, after), places, None),
        }
    }

    fn requirement(
        &mut self,
        id: PairId,
        name: &str,
        (before, after): (bool, bool),
        at: Places<'d>,
        new: Option<NodeRef<'d>>,
    ) {
        let change = match (before, after) {
            (true, false) => Change::new(
                rules::PROPERTY_BECAME_OPTIONAL,
                Effect::Wider,
                at,
                format!("`{name}` may be missing"),
            ),
            (false, true) => {
                let message = format!("`{name}` must be there");
                filled_in(Change::new(rules::PROPERTY_BECAME_REQUIRED, Effect::Narrower, at, message), new)
            }
            _ => return,
        };
        self.pairs[id].changes.push(change);
    }

    /// A member that no longer travels in this direction.
    fn hidden(&mut self, id: PairId, name: &str, (required, side): (bool, Side), at: Places<'d>) {
        let change = match side {
            Side::Request => Change::new(
                rules::PROPERTY_BECAME_READ_ONLY,
                Effect::Narrower,
                at,
                format!("`{name}` became `readOnly` and is no longer a part of requests"),
            ),
            Side::Response => {
                let message = format!("`{name}` became `writeOnly` and is no longer a part of answers");
                if required {
                    Change::new(rules::PROPERTY_BECAME_WRITE_ONLY, Effect::Wider, at, message)
                } else {
                    Change::fixed(rules::PROPERTY_BECAME_WRITE_ONLY, Level::Notice, at, message)
                }
            }
        };
        self.pairs[id].changes.push(change);
    }

    /// A member that travels in this direction now.
    fn shown(&mut self, id: PairId, name: &str, (required, side): (bool, Side), at: Places<'d>) {
        let (rule, message) = match side {
            Side::Request => (rules::PROPERTY_BECAME_WRITABLE, format!("`{name}` is no longer `readOnly`")),
            Side::Response => (rules::PROPERTY_BECAME_READABLE, format!("`{name}` is no longer `writeOnly`")),
        };
        let change = if required {
            let message = format!("{message}, and must be there");
            filled_in(Change::new(rules::REQUIRED_PROPERTY_ADDED, Effect::Narrower, at, message), Some(at.1))
        } else {
            Change::fixed(rule, Level::Safe, at, message)
        };
        self.pairs[id].changes.push(change);
    }

    fn removed(
        &mut self,
        id: PairId,
        name: &str,
        member: NodeRef<'d>,
        revision: &Facets<'d>,
        (required, side): (bool, Side),
        at: Places<'d>,
    ) {
        let declared = member.resolve().unwrap_or(member);
        let excuse = match lifecycle::removal((declared, at.1), &[name], self.policy) {
            Removal::Allowed(excuse) => excuse.or_else(|| self.unkept(declared)),
            Removal::Refused(change) => {
                self.pairs[id].changes.push(change);
                None
            }
        };
        let message = format!("`{name}` is gone");
        let change = match revision.member(name) {
            Member::Forbidden if side == Side::Request => Change::new(
                rules::REQUIRED_PROPERTY_REMOVED,
                Effect::Narrower,
                at,
                format!("{message}, and is now refused"),
            ),
            // What is declared for all others holds for it, too.
            Member::Allowed(further) if !further.is_empty() => {
                self.lead(id, format!(".{name}"), Some(declared), parts([member]), further);
                if !required {
                    return;
                }
                let message = format!("`{name}` may be missing");
                Change::new(rules::PROPERTY_BECAME_OPTIONAL, Effect::Wider, at, message)
            }
            _ if required && side == Side::Response => {
                Change::new(rules::REQUIRED_PROPERTY_REMOVED, Effect::Wider, at, message)
            }
            _ => Change::fixed(rules::PROPERTY_REMOVED, Level::Notice, at, message),
        };
        let needs_notice =
            self.policy.removal_needs_notice && excuse.is_none() && change.level == Some(Level::Notice);
        if needs_notice {
            let message = format!("`{name}` was removed without having been deprecated");
            self.pairs[id].changes.push(Change::fixed(
                rules::REMOVED_WITHOUT_NOTICE,
                Level::Breaking,
                at,
                message,
            ));
        }
        self.pairs[id].changes.push(change.excused(excuse));
    }

    /// Why a member that is not stable enough may go.
    fn unkept(&self, member: NodeRef<'d>) -> Option<String> {
        let stability = lifecycle::stability(member).filter(|stability| *stability < self.policy.kept)?;
        Some(format!("it is {stability}, which may change"))
    }

    fn added(
        &mut self,
        id: PairId,
        name: &str,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        required: bool,
        at: Places<'d>,
    ) {
        if let (Member::Allowed(further), Member::Allowed(new)) = (base.member(name), revision.member(name))
            && !further.is_empty()
        {
            self.lead(id, format!(".{name}"), None, further, new);
        }
        let closed = base.member(name) == Member::Forbidden;
        let change = if required {
            let message = format!("`{name}` was added and must be there");
            let effect = Effect::of(true, closed);
            filled_in(Change::new(rules::REQUIRED_PROPERTY_ADDED, effect, at, message), Some(at.1))
        } else if closed {
            let message = format!("`{name}` was added to an object that allowed no further members");
            Change::new(rules::PROPERTY_ADDED, Effect::Wider, at, message)
        } else {
            Change::fixed(rules::PROPERTY_ADDED, Level::Safe, at, format!("`{name}` was added"))
        };
        self.pairs[id].changes.push(change);
    }
}

/// A request may still leave out what has a default: the server fills it in. Answers only gain.
fn filled_in<'d>(change: Change<'d>, member: Option<NodeRef<'d>>) -> Change<'d> {
    let default = member.and_then(|member| member.resolve().ok()).and_then(|member| member.get("default"));
    if default.is_some() && change.effect == Effect::Narrower {
        let message = format!("{}, and has a default that takes its place", change.message);
        Change { level: Some(Level::Notice), effect: Effect::Same, message, ..change }
    } else {
        change
    }
}
