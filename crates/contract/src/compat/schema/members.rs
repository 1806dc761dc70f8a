//! Comparison of the properties of objects and the items of arrays.

use frontdesk_document::NodeRef;
use indexmap::IndexSet;

use super::facets::{Facets, Member, Parts, parts};
use super::graph::{Edge, Graph, PairId, Places};
use super::kinds::Kinds;
use crate::compat::change::Change;
use crate::compat::direction::Direction;
use crate::compat::effect::{Effect, Level};
use crate::compat::lifecycle::{self, Removal};
use crate::compat::lifecycle_keys::stability;
use crate::compat::rules;

impl<'d> Graph<'d> {
    pub(super) fn items(&mut self, id: PairId, base: &Facets<'d>, revision: &Facets<'d>) {
        let old = parts(base.each("items"));
        let new = parts(revision.each("items"));
        let first = |facets: &Facets<'d>| facets.each("items").next();
        self.lead(id, "[]", (first(base), first(revision)), old, new);
    }

    /// Compares the items and properties of schemas whose types have none. The author meant them, and servers
    /// may enforce them.
    pub(super) fn meant(
        &mut self,
        id: PairId,
        (base, revision): (&Facets<'d>, &Facets<'d>),
        places: Places<'d>,
        shared: Kinds,
    ) {
        let has = |keyword: &str| base.each(keyword).chain(revision.each(keyword)).next().is_some();
        let (changes, edges) = (self.pairs[id].changes.len(), self.pairs[id].edges.len());
        if !shared.has(Kinds::ARRAY) && has("items") {
            self.items(id, base, revision);
        }
        let members = ["properties", "required", "additionalProperties"];
        if !shared.has(Kinds::OBJECT) && members.into_iter().any(has) {
            self.objects(id, base, revision, places);
        }
        let pair = &mut self.pairs[id];
        pair.changes[changes..].iter_mut().for_each(Change::as_written);
        pair.edges[edges..].iter_mut().for_each(|edge| edge.meant = true);
    }

    /// Adds an edge to another pair, unless both sets allow every value.
    fn lead(
        &mut self,
        from: PairId,
        step: impl Into<String>,
        (base, revision): (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
        old: Parts,
        new: Parts,
    ) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        let own =
            |schema: Option<NodeRef<'d>>| schema.and_then(|schema| schema.resolve().ok()).and_then(stability);
        let stability = (own(base), own(revision));
        let to = self.beside(from, old, new);
        self.pairs[from].edges.push(Edge { stability, ..Edge::new(to, step) });
    }

    pub(super) fn objects(
        &mut self,
        id: PairId,
        base: &Facets<'d>,
        revision: &Facets<'d>,
        places: Places<'d>,
    ) {
        let direction = self.pairs[id].key.direction;
        let names: IndexSet<&str> = base
            .members
            .keys()
            .chain(revision.members.keys())
            .chain(base.required.keys())
            .chain(revision.required.keys())
            .copied()
            .collect();
        for name in names {
            self.member(id, name, base, revision, places, direction);
        }
        let describe = |member: &Member| match member {
            Member::Forbidden => "forbidden",
            Member::Allowed(parts) if parts.is_empty() => "allowed",
            Member::Allowed(_) => "restricted",
        };
        let (old, new) = (base.further(), revision.further());
        let effect = match (&old, &new) {
            (Member::Allowed(old), Member::Allowed(new)) => {
                let at = |facets: &Facets<'d>| {
                    facets.each("additionalProperties").find(|further| further.is_object())
                };
                self.lead(id, ".*", (at(base), at(revision)), old.clone(), new.clone());
                return;
            }
            (Member::Forbidden, Member::Forbidden) => return,
            (Member::Allowed(_), Member::Forbidden) => Effect::Narrower,
            (Member::Forbidden, Member::Allowed(_)) => Effect::Wider,
        };
        let at = |facets: &Facets<'d>, other| facets.each("additionalProperties").next().unwrap_or(other);
        let message = format!("undeclared properties were {} and are {}", describe(&old), describe(&new));
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
        direction: Direction,
    ) {
        let declared = |facets: &Facets<'d>| facets.members.get(name).and_then(|all| all.first()).copied();
        let (old, new) = (declared(base), declared(revision));
        let before = base.required.contains_key(name) && !base.stays(name, direction);
        let after = revision.required.contains_key(name) && !revision.stays(name, direction);
        // The location of a missing property is that of the object.
        let at = (old.unwrap_or(places.0), new.unwrap_or(places.1));
        match (old.filter(|_| !base.stays(name, direction)), new.filter(|_| !revision.stays(name, direction)))
        {
            (Some(_), Some(_)) => {
                self.requirement(id, name, (before, after), at);
                if let (Member::Allowed(old_parts), Member::Allowed(new_parts)) =
                    (base.member(name), revision.member(name))
                {
                    self.lead(id, format!(".{name}"), (old, new), old_parts, new_parts);
                }
            }
            (Some(_), None) if new.is_some() => self.hidden(id, name, (before, direction), at),
            (None, Some(_)) if old.is_some() => self.shown(id, name, (after, direction), at),
            (Some(member), None) => {
                self.removed(id, name, member, revision, (before, direction), at);
            }
            (None, Some(_)) => self.added(id, name, base, revision, after, at),
            // Clients may send back what they received, so such a property is reported as a notice; for
            // responses it is ignored.
            (None, None) if old.is_some() && new.is_some() && direction == Direction::Request => {
                let to = self.beside(id, parts(old), parts(new));
                let step = format!(".{name}");
                self.pairs[id].edges.push(Edge { hidden: true, ..Edge::new(to, step) });
            }
            (None, None) if old.is_some() || new.is_some() => {}
            (None, None) => self.requirement(id, name, (before, after), places),
        }
    }

    fn requirement(&mut self, id: PairId, name: &str, (before, after): (bool, bool), at: Places<'d>) {
        let change = match (before, after) {
            (true, false) => Change::new(
                rules::PROPERTY_BECAME_OPTIONAL,
                Effect::Wider,
                at,
                format!("`{name}` may be missing"),
            ),
            // A `default` does not help: without the property, the value is not valid.
            (false, true) => Change::new(
                rules::PROPERTY_BECAME_REQUIRED,
                Effect::Narrower,
                at,
                format!("`{name}` must be there"),
            ),
            _ => return,
        };
        self.pairs[id].changes.push(change);
    }

    /// Compares a property that is no longer sent in this direction.
    fn hidden(&mut self, id: PairId, name: &str, (required, direction): (bool, Direction), at: Places<'d>) {
        let change = match direction {
            Direction::Request => Change::new(
                rules::PROPERTY_BECAME_READ_ONLY,
                Effect::Narrower,
                at,
                format!("`{name}` became `readOnly` and is no longer a part of requests"),
            ),
            Direction::Response => {
                let message = format!("`{name}` became `writeOnly` and is no longer a part of responses");
                if required {
                    Change::new(rules::PROPERTY_BECAME_WRITE_ONLY, Effect::Wider, at, message)
                } else {
                    Change::fixed(rules::PROPERTY_BECAME_WRITE_ONLY, Level::Notice, at, message)
                }
            }
        };
        self.pairs[id].changes.push(change);
    }

    /// Compares a property that is now sent in this direction.
    fn shown(&mut self, id: PairId, name: &str, (required, direction): (bool, Direction), at: Places<'d>) {
        let (rule, message) = match direction {
            Direction::Request => {
                (rules::PROPERTY_BECAME_WRITABLE, format!("`{name}` is no longer `readOnly`"))
            }
            Direction::Response => {
                (rules::PROPERTY_BECAME_READABLE, format!("`{name}` is no longer `writeOnly`"))
            }
        };
        let change = if required {
            let message = format!("{message}, and must be there");
            Change::new(rule, Effect::Narrower, at, message)
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
        (required, direction): (bool, Direction),
        at: Places<'d>,
    ) {
        let declared = member.resolve().unwrap_or(member);
        let excuse = match lifecycle::removal((declared, at.1), &[name], self.policy) {
            Removal::Allowed(excuse) => excuse.or_else(|| self.unkept(declared)),
            Removal::Denied(change) => {
                self.pairs[id].changes.push(change);
                None
            }
        };
        let message = format!("`{name}` is gone");
        let change = match revision.member(name) {
            Member::Forbidden if direction == Direction::Request => Change::new(
                if required { rules::REQUIRED_PROPERTY_REMOVED } else { rules::PROPERTY_REFUSED },
                Effect::Narrower,
                at,
                format!("{message}, and is now refused"),
            ),
            // The constraints on undeclared properties now apply to it.
            Member::Allowed(further) if !further.is_empty() => {
                self.lead(id, format!(".{name}"), (Some(declared), None), parts([member]), further);
                if !required {
                    return;
                }
                let message = format!("`{name}` may be missing");
                Change::new(rules::PROPERTY_BECAME_OPTIONAL, Effect::Wider, at, message)
            }
            _ if required && direction == Direction::Response => {
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

    /// Returns why an unstable property may be removed.
    fn unkept(&self, member: NodeRef<'d>) -> Option<String> {
        let stability = stability(member).filter(|stability| *stability < self.policy.kept)?;
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
            self.lead(id, format!(".{name}"), (None, Some(at.1)), further, new);
        }
        let closed = base.member(name) == Member::Forbidden;
        let change = if required {
            let message = format!("`{name}` was added and must be there");
            Change::new(rules::REQUIRED_PROPERTY_ADDED, Effect::of(true, closed), at, message)
        } else if closed {
            let message = format!("`{name}` was added to an object that allowed no further members");
            Change::new(rules::PROPERTY_ADDED, Effect::Wider, at, message)
        } else {
            Change::fixed(rules::PROPERTY_ADDED, Level::Safe, at, format!("`{name}` was added"))
        };
        self.pairs[id].changes.push(change);
        self.pairs[id].changes.extend(lifecycle::added(at));
    }
}
