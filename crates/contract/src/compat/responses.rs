//! Comparison of responses: statuses, headers, bodies and links.

use frontdesk_document::{NodeRef, Operation};

use super::change::Change;
use super::effect::{Effect, Level};
use super::rules;
use super::walk::{Both, Walk, entries, resolved};

/// Returns the response for a status that is not declared explicitly: that of its range, else the default
/// one.
fn covering<'d>(responses: &[(String, NodeRef<'d>)], status: &str) -> Option<(String, NodeRef<'d>)> {
    let range = format!("{}XX", status.get(..1)?);
    [range.as_str(), "DEFAULT"]
        .into_iter()
        .filter(|candidate| *candidate != status)
        .find_map(|candidate| responses.iter().find(|(known, _)| known == candidate).cloned())
}

fn is_success(status: &str) -> bool {
    status.starts_with('2')
}

impl<'d> Walk<'d> {
    pub(super) fn responses(&mut self, both: &Both<'d>) {
        let all = |operation: Operation<'d>| {
            operation
                .responses()
                .filter_map(|(status, response)| {
                    Some((status.text.to_ascii_uppercase(), resolved(response)?))
                })
                .collect::<Vec<_>>()
        };
        let (old, new) = (all(both.described.0), all(both.described.1));
        let holders = (
            both.base.get("responses").unwrap_or(both.base),
            both.revision.get("responses").unwrap_or(both.revision),
        );
        for (status, before) in &old {
            let place = format!("response {}", status.replace("DEFAULT", "default"));
            if let Some((_, after)) = new.iter().find(|(other, _)| other == status) {
                self.response(both, &place, (*before, *after));
                continue;
            }
            let other_success = new.iter().any(|(other, _)| is_success(other) && other != "2XX");
            match covering(&new, status) {
                Some((range, after)) if range != "DEFAULT" || !(is_success(status) && other_success) => {
                    self.response(both, &format!("{place} as {}", range.to_lowercase()), (*before, after));
                }
                _ => {
                    let message = format!("the response {} is gone", status.replace("DEFAULT", "`default`"));
                    let at = (*before, holders.1);
                    let change = if is_success(status) {
                        // A client that expects it gets something else; a removed error is harmless.
                        Change::fixed(rules::RESPONSE_REMOVED, Level::Breaking, at, message)
                    } else if status == "DEFAULT" {
                        Change::fixed(rules::RESPONSE_REMOVED, Level::Notice, at, message)
                    } else {
                        Change::new(rules::RESPONSE_REMOVED, Effect::Same, at, message)
                    };
                    self.record(both.id, place, both.response_direction(), change);
                }
            }
        }
        for (status, after) in &new {
            if old.iter().any(|(other, _)| other == status) {
                continue;
            }
            let place = format!("response {}", status.replace("DEFAULT", "default"));
            let message = format!("the response {} was added", status.replace("DEFAULT", "`default`"));
            let (rule, level) = if is_success(status) {
                (rules::SUCCESS_ADDED, Level::Notice)
            } else {
                (rules::RESPONSE_ADDED, Level::Safe)
            };
            let change = Change::fixed(rule, level, (holders.0, *after), message);
            self.record(both.id, place.clone(), both.response_direction(), change);
            // Clients of the base decode it as the range or the default error response, so it must be
            // compatible with that.
            if let Some((range, before)) = covering(&old, status)
                && (range != "DEFAULT" || status.starts_with(['4', '5']))
            {
                self.response(both, &format!("{place}, {} before", range.to_lowercase()), (before, *after));
            }
        }
    }

    fn response(&mut self, both: &Both<'d>, place: &str, (old, new): (NodeRef<'d>, NodeRef<'d>)) {
        let direction = both.response_direction();
        self.headers(both.id, place, direction, (old.get("headers"), new.get("headers")), (old, new));
        let bodies = |response: NodeRef<'d>| response.get("content").map_or(0, NodeRef::len);
        match (bodies(old), bodies(new)) {
            (0, 0) => {}
            // Clients ignore the body of a response without declared body.
            (0, _) => {
                let message = "the response has a body, and had none";
                let change = Change::fixed(rules::RESPONSE_BODY_ADDED, Level::Safe, (old, new), message);
                self.record(both.id, place, direction, change);
            }
            _ => self.content(both.id, place, direction, (old, new), false),
        }
        self.links(both, place, (old, new));
    }

    fn links(&mut self, both: &Both<'d>, place: &str, (old, new): (NodeRef<'d>, NodeRef<'d>)) {
        let all = |response: NodeRef<'d>| {
            entries(response.get("links"))
                .filter_map(|(name, link)| Some((name, resolved(link)?)))
                .collect::<Vec<_>>()
        };
        let (before, after) = (all(old), all(new));
        let find = |all: &[(&'d str, NodeRef<'d>)], name: &str| {
            all.iter().find(|(other, _)| *other == name).map(|(_, link)| *link)
        };
        let mut found = Vec::new();
        for (name, link) in &before {
            match find(&after, name) {
                None => {
                    let message = format!("the link `{name}` is gone");
                    found.push(Change::fixed(rules::LINK_CHANGED, Level::Notice, (*link, new), message));
                }
                Some(other) if !same_link(*link, other) => {
                    let message = format!("the link `{name}` leads elsewhere");
                    found.push(Change::fixed(rules::LINK_CHANGED, Level::Notice, (*link, other), message));
                }
                Some(_) => {}
            }
        }
        for (name, link) in &after {
            if find(&before, name).is_none() {
                let message = format!("the link `{name}` was added");
                found.push(Change::fixed(rules::LINK_CHANGED, Level::Safe, (old, *link), message));
            }
        }
        for change in found {
            self.record(both.id, place, both.response_direction(), change);
        }
    }
}

/// Returns whether two links are equal except for their descriptions.
fn same_link(old: NodeRef<'_>, new: NodeRef<'_>) -> bool {
    ["operationRef", "operationId", "parameters", "requestBody", "server"]
        .iter()
        .all(|key| old.get(key).map(NodeRef::to_json) == new.get(key).map(NodeRef::to_json))
}
