//! Comparison of parameters: presence, serialization and schemas.

use frontdesk_document::{Listing, NodeRef, Operation};

use super::change::Change;
use super::effect::{Effect, Level};
use super::lifecycle::{self, Removal};
use super::media_types::{medium_of, same};
use super::rules;
use super::schema::{Medium, is_scalar};
use super::walk::{Both, Walk};
use crate::oracle::{kind, resolve};

/// A parameter of an operation.
#[derive(Clone, Debug)]
struct Parameter<'d> {
    /// The identity by which parameters of both documents are matched.
    key: String,
    name: &'d str,
    place: &'d str,
    /// The position of a path parameter in the template.
    position: Option<usize>,
    node: NodeRef<'d>,
}

/// Names of header parameters that OpenAPI ignores.
const IGNORED: [&str; 3] = ["accept", "content-type", "authorization"];

/// Returns the parameters of an operation, those of its path item first.
fn gather<'d>(operation: Operation<'d>, template: &str) -> Vec<Parameter<'d>> {
    let mut listed: Vec<_> = operation.distinct_parameters().collect();
    listed.sort_by_key(|parameter| parameter.listing != Listing::Path);
    let mut found: Vec<Parameter<'d>> = Vec::new();
    for node in listed.into_iter().map(|parameter| parameter.node).filter(|node| node.is_object()) {
        let word = |key: &str| node.get(key).and_then(NodeRef::as_str).unwrap_or_default();
        let (name, place) = (word("name"), word("in"));
        let folded = name.to_ascii_lowercase();
        if place == "header" && IGNORED.contains(&folded.as_str()) {
            continue;
        }
        let key = if place == "header" { format!("header {folded}") } else { format!("{place} {name}") };
        let position = if place == "path" { position(template, name) } else { None };
        found.push(Parameter { key, name, place, position, node });
    }
    found
}

/// Returns the position of a parameter in a path template.
fn position(template: &str, name: &str) -> Option<usize> {
    template
        .split('{')
        .skip(1)
        .filter_map(|part| part.split_once('}'))
        .position(|(candidate, _)| candidate == name)
}

fn flag(node: NodeRef<'_>, key: &str) -> Option<bool> {
    node.get(key).and_then(NodeRef::as_bool)
}

/// Returns the style of a parameter, or its default.
fn style<'d>(node: NodeRef<'d>, place: &str) -> &'d str {
    let default = if matches!(place, "query" | "cookie") { "form" } else { "simple" };
    node.get("style").and_then(NodeRef::as_str).unwrap_or(default)
}

/// Returns the pairs of parameters that are the same, and those that only one document has. Names tell
/// parameters apart; only path parameters that are left over are matched by their position, as renamed ones.
fn matched<'p, 'd>(
    old: &'p [Parameter<'d>],
    new: &'p [Parameter<'d>],
) -> (Vec<(&'p Parameter<'d>, Option<&'p Parameter<'d>>)>, Vec<&'p Parameter<'d>>) {
    let mut partners: Vec<Option<usize>> =
        old.iter().map(|one| new.iter().position(|other| other.key == one.key)).collect();
    for (index, one) in old.iter().enumerate() {
        if partners[index].is_none() && one.position.is_some() {
            let free = |at: &usize| !partners.contains(&Some(*at)) && new[*at].position == one.position;
            partners[index] = (0..new.len()).find(free);
        }
    }
    let fresh = (0..new.len()).filter(|index| !partners.contains(&Some(*index))).map(|index| &new[index]);
    let fresh = fresh.collect();
    (old.iter().zip(partners).map(|(one, other)| (one, other.map(|other| &new[other]))).collect(), fresh)
}

impl<'d> Walk<'d> {
    pub(super) fn parameters(&mut self, both: &Both<'d>) {
        let old = gather(both.described.0, both.templates().0);
        let new = gather(both.described.1, both.templates().1);
        let (pairs, fresh) = matched(&old, &new);
        for (parameter, other) in pairs {
            match other {
                Some(other) => self.within((Some(parameter.node), Some(other.node)), |walk| {
                    walk.parameter(both, parameter, other);
                }),
                None => {
                    self.within((Some(parameter.node), None), |walk| walk.parameter_gone(both, parameter));
                }
            }
        }
        for parameter in fresh {
            let required = parameter.place == "path" || flag(parameter.node, "required") == Some(true);
            let places = (both.base, parameter.node);
            let message = format!("the {} parameter `{}` was added", parameter.place, parameter.name);
            let change = if required {
                let message = format!("{message} and must be sent");
                Change::new(rules::REQUIRED_PARAMETER_ADDED, Effect::Narrower, places, message)
            } else {
                Change::fixed(rules::PARAMETER_ADDED, Level::Safe, places, message)
            };
            self.record(both.id, place_of(parameter), both.sender, change);
            for change in lifecycle::added(places) {
                self.record(both.id, place_of(parameter), both.sender, change);
            }
        }
    }

    fn parameter_gone(&mut self, both: &Both<'d>, parameter: &Parameter<'d>) {
        let places = (parameter.node, both.revision);
        let excuse = match lifecycle::removal(places, &[parameter.name], self.policy) {
            Removal::Allowed(excuse) => excuse,
            Removal::Denied(change) => {
                self.record(both.id, place_of(parameter), both.sender, change);
                None
            }
        };
        let message = format!("the {} parameter `{}` is gone", parameter.place, parameter.name);
        if self.policy.removal_needs_notice && excuse.is_none() {
            let message = format!("{message} without having been deprecated");
            let change = Change::fixed(rules::REMOVED_WITHOUT_NOTICE, Level::Breaking, places, message);
            self.record(both.id, place_of(parameter), both.sender, change);
        }
        let change = Change::fixed(rules::PARAMETER_REMOVED, Level::Notice, places, message);
        self.record(both.id, place_of(parameter), both.sender, change.excused(excuse));
    }

    fn parameter(&mut self, both: &Both<'d>, old: &Parameter<'d>, new: &Parameter<'d>) {
        let places = (old.node, new.node);
        let place = place_of(old);
        let mut found = lifecycle::compare(old.node, new.node, self.policy);
        if old.place == "path" && old.name != new.name {
            let message = format!("the path parameter `{}` is called `{}` now", old.name, new.name);
            found.push(Change::fixed(rules::PATH_PARAMETER_RENAMED, Level::Safe, places, message));
        }
        if let (Some(from), Some(to)) = (old.position, new.position)
            && old.name == new.name
            && from != to
        {
            let message = format!(
                "the path parameter `{}` was number {} in the path and is number {}",
                old.name,
                from + 1,
                to + 1
            );
            found.push(Change::new(rules::PATH_PARAMETER_MOVED, Effect::Incomparable, places, message));
        }
        let required = |parameter: &Parameter<'d>| {
            parameter.place == "path" || flag(parameter.node, "required") == Some(true)
        };
        match (required(old), required(new)) {
            (false, true) => found.push(Change::new(
                rules::PARAMETER_BECAME_REQUIRED,
                Effect::Narrower,
                places,
                "the parameter must be sent",
            )),
            (true, false) => found.push(Change::new(
                rules::PARAMETER_BECAME_OPTIONAL,
                Effect::Wider,
                places,
                "the parameter may be left out",
            )),
            _ => {}
        }
        let content = |parameter: &Parameter<'d>| {
            parameter.node.get("content").and_then(|content| content.members().next())
        };
        match (content(old), content(new)) {
            (None, None) => {
                let mut schemas = (old.node.get("schema"), new.node.get("schema"));
                writing(old, new, schemas, &mut found);
                if let Some(list) = repeated(old, new, schemas) {
                    let message = "the parameter takes several values now; a single one is sent as before";
                    found.push(Change::fixed(rules::TYPE, Level::Safe, places, message));
                    schemas.1 = list.get("items");
                }
                self.compared(both.id, place.clone(), both.sender, Medium::Text, schemas, places);
            }
            (Some((before, was)), Some((after, is))) if same(before, after) => {
                self.schemas(both.id, place.clone(), both.sender, medium_of(after), (was, is));
            }
            (was, is) => {
                let describe = |content: Option<(&'d str, NodeRef<'d>)>| {
                    content.map_or("`schema`".to_owned(), |(key, _)| format!("`{key}`"))
                };
                let message =
                    format!("it was serialized by {} and is serialized by {}", describe(was), describe(is));
                found.push(Change::new(
                    rules::PARAMETER_SERIALIZATION,
                    Effect::Incomparable,
                    places,
                    message,
                ));
            }
        }
        for change in found {
            self.record(both.id, place.clone(), both.sender, change);
        }
    }
}

fn place_of(parameter: &Parameter<'_>) -> String {
    format!("{} parameter {}", parameter.place, parameter.name)
}

/// Returns the schema of the list if a scalar of a query has become a list that is written by repeating the
/// parameter, and that a single value satisfies: `q=a` is then sent and read as before.
fn repeated<'d>(
    old: &Parameter<'d>,
    new: &Parameter<'d>,
    (was, is): (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
) -> Option<NodeRef<'d>> {
    let is_form = |parameter: &Parameter<'d>| style(parameter.node, parameter.place) == "form";
    let list = is.and_then(resolve).filter(|schema| kind(*schema) == Some("array"))?;
    let count = |keyword: &str| list.get(keyword).and_then(NodeRef::as_i128);
    let is_repeated = flag(new.node, "explode").unwrap_or(true);
    let takes_one = count("minItems").is_none_or(|least| least <= 1)
        && count("maxItems").is_none_or(|most| most >= 1)
        && ["allOf", "oneOf", "anyOf", "not", "enum"].iter().all(|keyword| list.get(keyword).is_none());
    let fits =
        old.place == "query" && is_form(old) && is_form(new) && is_repeated && takes_one && is_scalar(was);
    fits.then_some(list)
}

/// Compares how the value of a parameter is serialized.
fn writing<'d>(
    old: &Parameter<'d>,
    new: &Parameter<'d>,
    schemas: (Option<NodeRef<'d>>, Option<NodeRef<'d>>),
    found: &mut Vec<Change<'d>>,
) {
    let at = |key: &str| (old.node.get(key).unwrap_or(old.node), new.node.get(key).unwrap_or(new.node));
    let (before, after) = (style(old.node, old.place), style(new.node, new.place));
    if before == after {
        let explode = |node: NodeRef<'d>, style: &str| flag(node, "explode").unwrap_or(style == "form");
        let (was, is) = (explode(old.node, before), explode(new.node, after));
        if was != is && !(is_scalar(schemas.0) && is_scalar(schemas.1)) {
            let message = format!("`explode` was {was} and is {is}");
            found.push(Change::new(rules::PARAMETER_EXPLODE, Effect::Incomparable, at("explode"), message));
        }
    } else {
        let message = format!("`style` was {before} and is {after}");
        found.push(Change::new(rules::PARAMETER_STYLE, Effect::Incomparable, at("style"), message));
    }
    for (key, rule) in [
        ("allowReserved", rules::PARAMETER_ALLOW_RESERVED),
        ("allowEmptyValue", rules::PARAMETER_ALLOW_EMPTY),
    ] {
        let (was, is) = (flag(old.node, key) == Some(true), flag(new.node, key) == Some(true));
        // Reserved characters matter in queries only, and a sender may always escape them.
        if was != is {
            let message = format!("`{key}` was {was} and is {is}");
            found.push(Change::new(rule, Effect::of(was, is), at(key), message));
        }
    }
}
