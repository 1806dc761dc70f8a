//! Comparison of bodies: presence, media types, encodings and schemas.

use frontdesk_document::NodeRef;

use super::change::Change;
use super::effect::{Effect, Level};
use super::lifecycle;
use super::media_types::{accepts, contains, essence, medium_of, same};
use super::rules;
use super::schema::{Medium, is_scalar};
use super::walk::{Both, OperationId, Walk, entries, resolved};
use crate::compat::direction::Direction;

impl<'d> Walk<'d> {
    pub(super) fn request_body(&mut self, both: &Both<'d>) {
        let (old, new) = (both.described.0.body(), both.described.1.body());
        let required = |body: NodeRef<'d>| body.get("required").and_then(NodeRef::as_bool) == Some(true);
        let place = "request body";
        match (old, new) {
            (None, None) => {}
            (None, Some(new)) => {
                let change = if required(new) {
                    let message = "a body was added and must be sent";
                    Change::new(rules::REQUEST_BODY_ADDED, Effect::Narrower, (both.base, new), message)
                } else {
                    let message = "a body was added and may be left out";
                    Change::fixed(rules::REQUEST_BODY_ADDED, Level::Safe, (both.base, new), message)
                };
                self.record(both.id, place, both.sender, change);
            }
            (Some(old), None) => {
                let change = Change::new(
                    rules::REQUEST_BODY_REMOVED,
                    Effect::Narrower,
                    (old, both.revision),
                    "the body is gone",
                );
                self.record(both.id, place, both.sender, change);
            }
            (Some(old), Some(new)) => {
                let at = (old.get("required").unwrap_or(old), new.get("required").unwrap_or(new));
                let change = match (required(old), required(new)) {
                    (false, true) => Some(Change::new(
                        rules::REQUEST_BODY_BECAME_REQUIRED,
                        Effect::Narrower,
                        at,
                        "the body must be sent",
                    )),
                    (true, false) => Some(Change::new(
                        rules::REQUEST_BODY_BECAME_OPTIONAL,
                        Effect::Wider,
                        at,
                        "the body may be left out",
                    )),
                    _ => None,
                };
                if let Some(change) = change {
                    self.record(both.id, place, both.sender, change);
                }
                self.content(both.id, place, both.sender, (old, new), true);
            }
        }
    }

    /// Compares the media types of two bodies. `chosen` is set if the sender chooses the media type, so that
    /// none may be removed; otherwise the receiver chooses by `Accept`, and a removal affects it too.
    pub(super) fn content(
        &mut self,
        id: OperationId,
        place: &str,
        direction: Direction,
        holders: (NodeRef<'d>, NodeRef<'d>),
        chosen: bool,
    ) {
        let all = |holder: NodeRef<'d>| entries(holder.get("content")).collect::<Vec<_>>();
        let (old, new) = (all(holders.0), all(holders.1));
        let mut taken = vec![false; new.len()];
        let mut left = Vec::new();
        for (name, body) in &old {
            match (0..new.len()).find(|index| !taken[*index] && same(new[*index].0, name)) {
                Some(index) => {
                    taken[index] = true;
                    self.body(id, place, direction, name, (*body, new[index].1));
                }
                None => left.push((*name, *body)),
            }
        }
        for (name, body) in left {
            // A type without parameters stands for all with parameters, but what a sender asks for by a
            // parameter is only there if it is declared.
            let covers = |range: &str| if chosen { accepts(range, name) } else { contains(range, name) };
            if let Some((range, other)) = new.iter().find(|(range, _)| covers(range)) {
                self.body(id, place, direction, &format!("{name} as {range}"), (body, *other));
            } else {
                // Another parameter, such as a version, makes another type.
                let alike = new.iter().find(|(other, _)| essence(other) == essence(name));
                let message = match alike {
                    Some((other, _)) => {
                        format!("the media type `{name}` is gone, and `{other}` is another one")
                    }
                    None => format!("the media type `{name}` is gone"),
                };
                let at = (body, holders.1.get("content").unwrap_or(holders.1));
                let mut change = Change::new(rules::MEDIA_TYPE_REMOVED, Effect::Narrower, at, message);
                if !chosen || direction == Direction::Response {
                    change.level = Some(Level::Breaking);
                }
                self.record(id, place, direction, change);
            }
        }
        for (index, (name, body)) in new.iter().enumerate() {
            if !taken[index] {
                let at = (holders.0.get("content").unwrap_or(holders.0), *body);
                let message = format!("the media type `{name}` was added");
                self.record(
                    id,
                    place,
                    direction,
                    Change::fixed(rules::MEDIA_TYPE_ADDED, Level::Safe, at, message),
                );
            }
        }
    }

    fn body(
        &mut self,
        id: OperationId,
        place: &str,
        direction: Direction,
        media_type: &str,
        (old, new): (NodeRef<'d>, NodeRef<'d>),
    ) {
        let place = format!("{place} {media_type}");
        let medium = medium_of(media_type);
        let schemas = (old.get("schema"), new.get("schema"));
        self.schemas(id, place.clone(), direction, medium, (old, new));
        if medium == Medium::Text {
            self.encodings(id, &place, direction, (old, new), schemas);
        }
    }

    /// Compares how the members of a form are encoded.
    fn encodings(
        &mut self,
        id: OperationId,
        place: &str,
        direction: Direction,
        holders: (NodeRef<'d>, NodeRef<'d>),
        schemas: (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
    ) {
        let get = |holder: NodeRef<'d>, name: &str| {
            holder.get("encoding").and_then(|encoding| encoding.get(name)).filter(|entry| entry.is_object())
        };
        let mut names: Vec<&str> = [holders.0, holders.1]
            .into_iter()
            .flat_map(|holder| entries(holder.get("encoding")))
            .map(|(name, _)| name)
            .collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let (old, new) = (get(holders.0, name), get(holders.1, name));
            let place = format!("{place} › .{name}");
            let at = (old.unwrap_or(holders.0), new.unwrap_or(holders.1));
            for key in ["contentType", "style", "explode", "allowReserved"] {
                let member = |schema: Option<NodeRef<'d>>| {
                    schema.and_then(resolved).and_then(|schema| schema.get("properties")?.get(name))
                };
                if key == "explode" && is_scalar(member(schemas.0)) && is_scalar(member(schemas.1)) {
                    continue;
                }
                let was = effective(key, old, member(schemas.0));
                let is = effective(key, new, member(schemas.1));
                // Another allowed content type loses nothing.
                let effect = if key == "contentType" {
                    let list =
                        |text: &str| text.split(',').map(|part| part.trim().to_owned()).collect::<Vec<_>>();
                    let (was, is) = (list(&was), list(&is));
                    let covered = |one: &[String], other: &[String]| {
                        one.iter()
                            .all(|part| other.iter().any(|range| range == part || contains(range, part)))
                    };
                    Effect::of(!covered(&was, &is), !covered(&is, &was))
                } else if was == is {
                    Effect::Same
                } else {
                    Effect::Incomparable
                };
                if effect != Effect::Same {
                    let message = format!("`{key}` of `{name}` was {was} and is {is}");
                    self.record(id, &*place, direction, Change::new(rules::ENCODING, effect, at, message));
                }
            }
            let headers = |entry: Option<NodeRef<'d>>| entry.and_then(|entry| entry.get("headers"));
            self.headers(id, &place, direction, (headers(old), headers(new)), at);
        }
    }

    /// Compares the headers of a response or of a part of a form.
    pub(super) fn headers(
        &mut self,
        id: OperationId,
        place: &str,
        direction: Direction,
        (old, new): (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
        holders: (NodeRef<'d>, NodeRef<'d>),
    ) {
        let all = |headers: Option<NodeRef<'d>>| {
            headers
                .into_iter()
                .flat_map(NodeRef::members)
                .filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"))
                .filter_map(|(name, header)| Some((name, resolved(header)?)))
                .collect::<Vec<_>>()
        };
        let (old, new) = (all(old), all(new));
        let find = |all: &[(&'d str, NodeRef<'d>)], name: &str| {
            all.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, header)| *header)
        };
        for (name, before) in &old {
            let place = format!("{place} › header {name}");
            let Some(after) = find(&new, name) else {
                self.within((Some(*before), None), |walk| {
                    walk.header_gone(id, &place, direction, name, (*before, holders.1), is_required(*before));
                });
                continue;
            };
            self.within((Some(*before), Some(after)), |walk| {
                walk.header(id, &place, direction, (*before, after));
            });
        }
        for (name, after) in &new {
            if find(&old, name).is_none() {
                let message = format!("the header `{name}` was added");
                let at = (holders.0, *after);
                let change = if is_required(*after) {
                    Change::new(rules::REQUIRED_HEADER_ADDED, Effect::Narrower, at, message)
                } else {
                    Change::fixed(rules::HEADER_ADDED, Level::Safe, at, message)
                };
                self.record(id, place, direction, change);
                for change in lifecycle::added(at) {
                    self.record(id, place, direction, change);
                }
            }
        }
    }

    /// Compares a header that both documents have.
    fn header(
        &mut self,
        id: OperationId,
        place: &str,
        direction: Direction,
        (before, after): (NodeRef<'d>, NodeRef<'d>),
    ) {
        for change in lifecycle::compare(before, after, self.policy) {
            self.record(id, place, direction, change);
        }
        let at = (before, after);
        match (is_required(before), is_required(after)) {
            (true, false) => {
                let message = "the header may be missing";
                let change = Change::new(rules::HEADER_BECAME_OPTIONAL, Effect::Wider, at, message);
                self.record(id, place, direction, change);
            }
            (false, true) => {
                let message = "the header must be there";
                let change = Change::new(rules::HEADER_BECAME_REQUIRED, Effect::Narrower, at, message);
                self.record(id, place, direction, change);
            }
            _ => {}
        }
        let content = |header: NodeRef<'d>| entries(header.get("content")).next();
        match (content(before), content(after)) {
            (None, None) => {
                let explode =
                    |header: NodeRef<'d>| header.get("explode").and_then(NodeRef::as_bool) == Some(true);
                let scalar = |header: NodeRef<'d>| is_scalar(header.get("schema"));
                if explode(before) != explode(after) && !(scalar(before) && scalar(after)) {
                    let message = "`explode` of the header changed";
                    let change = Change::new(rules::HEADER_EXPLODE, Effect::Incomparable, at, message);
                    self.record(id, place, direction, change);
                }
                self.schemas(id, place, direction, Medium::Text, at);
            }
            (Some((was, old)), Some((is, new))) if same(was, is) => {
                self.schemas(id, place, direction, medium_of(was), (old, new));
            }
            _ => {
                let message = "the header is encoded with another media type";
                let change = Change::new(rules::HEADER_SERIALIZATION, Effect::Incomparable, at, message);
                self.record(id, place, direction, change);
            }
        }
    }

    fn header_gone(
        &mut self,
        id: OperationId,
        place: &str,
        direction: Direction,
        name: &str,
        at: (NodeRef<'d>, NodeRef<'d>),
        required: bool,
    ) {
        let excuse = match lifecycle::removal(at, &[name], self.policy) {
            lifecycle::Removal::Allowed(excuse) => excuse,
            lifecycle::Removal::Denied(change) => {
                self.record(id, place, direction, change);
                None
            }
        };
        let message = format!("the header `{name}` is gone");
        let change = if required {
            Change::new(rules::HEADER_REMOVED, Effect::Wider, at, message)
        } else {
            Change::fixed(rules::HEADER_REMOVED, Level::Notice, at, message)
        };
        if self.policy.removal_needs_notice && excuse.is_none() && !required {
            let message = format!("the header `{name}` was removed without having been deprecated");
            let notice = Change::fixed(rules::REMOVED_WITHOUT_NOTICE, Level::Breaking, at, message);
            self.record(id, place, direction, notice);
        }
        self.record(id, place, direction, change.excused(excuse));
    }
}

/// Returns an encoding's value for a member of a form, or its default.
fn effective(key: &str, encoding: Option<NodeRef<'_>>, member: Option<NodeRef<'_>>) -> String {
    if let Some(written) = encoding.and_then(|encoding| encoding.get(key)) {
        return written.as_str().map_or_else(|| written.to_json().to_string(), str::to_owned);
    }
    let style = encoding.and_then(|encoding| encoding.get("style")).and_then(NodeRef::as_str);
    match key {
        "contentType" => content_type(member.and_then(resolved), 0).to_owned(),
        "style" => "form".to_owned(),
        "explode" => (style.unwrap_or("form") == "form").to_string(),
        _ => "false".to_owned(),
    }
}

/// Returns the default content type of a part, by the schema of its value.
fn content_type(schema: Option<NodeRef<'_>>, depth: usize) -> &'static str {
    let word = |key: &str| schema.and_then(|schema| schema.get(key)).and_then(NodeRef::as_str);
    match word("type") {
        Some("string") if matches!(word("format"), Some("binary" | "byte")) => "application/octet-stream",
        Some("object") => "application/json",
        Some("array") if depth < 8 => {
            content_type(schema.and_then(|schema| schema.get("items")).and_then(resolved), depth + 1)
        }
        _ => "text/plain",
    }
}

/// Whether a header is always there.
fn is_required(header: NodeRef<'_>) -> bool {
    header.get("required").and_then(NodeRef::as_bool) == Some(true)
}
