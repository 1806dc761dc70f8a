//! Comparison of security schemes and requirements.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::change::Change;
use super::effect::{Effect, Level};
use super::rules;
use super::walk::{Both, Walk, entries, resolved};
use crate::compat::direction::Direction;

/// Credentials that are required together, each with its scopes.
type Alternative = BTreeMap<String, BTreeSet<String>>;

fn schemes(root: NodeRef<'_>) -> Vec<(&str, NodeRef<'_>)> {
    entries(root.get("components").and_then(|components| components.get("securitySchemes")))
        .filter_map(|(name, scheme)| Some((name, resolved(scheme)?)))
        .collect()
}

/// Returns the parts of a scheme that affect clients.
fn mechanics(scheme: NodeRef<'_>) -> Value {
    let word = |key: &str| scheme.get(key).and_then(NodeRef::as_str);
    match word("type") {
        // Scheme names and header names are case-insensitive.
        Some("http") => serde_json::json!(["http", word("scheme").map(str::to_ascii_lowercase)]),
        Some("apiKey") if word("in") == Some("header") => {
            serde_json::json!(["apiKey", "header", word("name").map(str::to_ascii_lowercase)])
        }
        Some("apiKey") => serde_json::json!(["apiKey", word("in"), word("name")]),
        Some("openIdConnect") => serde_json::json!(["openIdConnect", word("openIdConnectUrl")]),
        other => serde_json::json!([other]),
    }
}

impl<'d> Walk<'d> {
    /// Compares the schemes that the documents define, even unused ones, because clients are generated for
    /// them.
    pub(super) fn schemes(&mut self) {
        let (old, new) = (schemes(self.base), schemes(self.revision));
        for (name, scheme) in &old {
            let Some((_, other)) = new.iter().find(|(candidate, _)| candidate == name) else { continue };
            let places = (*scheme, *other);
            let place = format!("security scheme {name}");
            if mechanics(*scheme) == mechanics(*other) {
                self.flows(&place, places);
                let format = |scheme: NodeRef<'d>| scheme.get("bearerFormat").and_then(NodeRef::as_str);
                if format(*scheme) != format(*other) {
                    let message = "`bearerFormat` changed, which documents the form of the token";
                    let change = Change::fixed(rules::SECURITY_SCHEME, Level::Safe, places, message);
                    self.record(0, place, Direction::Request, change);
                }
            } else {
                let message = format!("it was {} and is {}", mechanics(*scheme), mechanics(*other));
                let change = Change::new(rules::SECURITY_SCHEME, Effect::Incomparable, places, message);
                self.record(0, place, Direction::Request, change);
            }
        }
    }

    fn flows(&mut self, place: &str, (old, new): (NodeRef<'d>, NodeRef<'d>)) {
        let flow = |scheme: NodeRef<'d>, name: &str| scheme.get("flows").and_then(|flows| flows.get(name));
        for name in ["implicit", "password", "clientCredentials", "authorizationCode"] {
            let place = format!("{place} › {name}");
            let mut found = Vec::new();
            match (flow(old, name), flow(new, name)) {
                (Some(before), Some(after)) => {
                    for key in ["authorizationUrl", "tokenUrl", "refreshUrl"] {
                        let word = |flow: NodeRef<'d>| flow.get(key).and_then(NodeRef::as_str);
                        if word(before) == word(after) {
                            continue;
                        }
                        let at = (before.get(key).unwrap_or(before), after.get(key).unwrap_or(after));
                        // An additional URL removes nothing.
                        let effect = Effect::of(word(before).is_some(), word(after).is_some());
                        let message = format!("`{key}` changed");
                        found.push(Change::new(rules::SECURITY_SCHEME, effect, at, message));
                    }
                    let scopes = |flow: NodeRef<'d>| {
                        entries(flow.get("scopes")).map(|(scope, _)| scope).collect::<BTreeSet<_>>()
                    };
                    let (was, is) = (scopes(before), scopes(after));
                    for scope in was.difference(&is) {
                        let message = format!("the scope `{scope}` is no longer offered");
                        found.push(Change::fixed(
                            rules::SECURITY_SCHEME,
                            Level::Notice,
                            (before, after),
                            message,
                        ));
                    }
                    for scope in is.difference(&was) {
                        let message = format!("the scope `{scope}` is offered");
                        found.push(Change::fixed(
                            rules::SECURITY_SCHEME,
                            Level::Safe,
                            (before, after),
                            message,
                        ));
                    }
                }
                (Some(before), None) => {
                    let message = "the flow is gone";
                    found.push(Change::new(rules::SECURITY_SCHEME, Effect::Narrower, (before, new), message));
                }
                (None, Some(after)) => {
                    let message = "the flow was added";
                    found.push(Change::new(rules::SECURITY_SCHEME, Effect::Wider, (old, after), message));
                }
                (None, None) => {}
            }
            for change in found {
                self.record(0, place.clone(), Direction::Request, change);
            }
        }
    }

    /// Compares the requirements of an operation.
    pub(super) fn security(&mut self, both: &Both<'d>) {
        let written = |operation: NodeRef<'d>, root: NodeRef<'d>| {
            operation.get("security").or_else(|| root.get("security"))
        };
        let (before, after) = (written(both.base, self.base), written(both.revision, self.revision));
        let (known, offered) = (schemes(self.base), schemes(self.revision));
        let shared = |name: &str| {
            known.iter().any(|(other, _)| *other == name) && offered.iter().any(|(other, _)| *other == name)
        };
        // A renamed scheme is recognized by its definition.
        let key = |name: &str, all: &[(&str, NodeRef<'d>)]| {
            if shared(name) {
                return name.to_owned();
            }
            all.iter().find(|(other, _)| *other == name).map_or_else(
                || name.to_owned(),
                |(_, scheme)| {
                    format!("{} {}", mechanics(*scheme), {
                        scheme.get("flows").map(NodeRef::to_json).unwrap_or_default()
                    })
                },
            )
        };
        let alternatives = |written: Option<NodeRef<'d>>, all: &[(&str, NodeRef<'d>)]| {
            let mut found: Vec<Alternative> = written
                .into_iter()
                .flat_map(NodeRef::items)
                .map(|requirement| {
                    requirement
                        .members()
                        .map(|(name, scopes)| {
                            let scopes = scopes.items().filter_map(NodeRef::as_str).map(str::to_owned);
                            (key(name, all), scopes.collect())
                        })
                        .collect()
                })
                .collect();
            if found.is_empty() {
                found.push(Alternative::new());
            }
            found
        };
        let (old, new) = (alternatives(before, &known), alternatives(after, &offered));
        let lost: Vec<&Alternative> =
            old.iter().filter(|had| !new.iter().any(|asked| is_enough(had, asked))).collect();
        let gained: Vec<&Alternative> =
            new.iter().filter(|has| !old.iter().any(|asked| is_enough(has, asked))).collect();
        let places = (before.unwrap_or(both.base), after.unwrap_or(both.revision));
        if let Some(first) = lost.first() {
            let message =
                format!("{} is no longer sufficient; required: {}", describe(first), describe_all(&new));
            let change = Change::new(rules::SECURITY_TIGHTENED, Effect::Narrower, places, message);
            self.record(both.id, "security", both.sender, change);
        } else if let Some(first) = gained.first() {
            let message = format!("{} is now sufficient", describe(first));
            let change = Change::fixed(rules::SECURITY_LOOSENED, Level::Notice, places, message);
            self.record(both.id, "security", both.sender, change);
        }
    }
}

/// Returns whether credentials satisfy a requirement.
fn is_enough(had: &Alternative, asked: &Alternative) -> bool {
    asked.iter().all(|(scheme, scopes)| had.get(scheme).is_some_and(|has| scopes.is_subset(has)))
}

fn describe(alternative: &Alternative) -> String {
    if alternative.is_empty() {
        return "no credential".to_owned();
    }
    let each = alternative.iter().map(|(scheme, scopes)| {
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        if scopes.is_empty() {
            format!("`{scheme}`")
        } else {
            format!("`{scheme}` with {}", scopes.join(", "))
        }
    });
    each.collect::<Vec<_>>().join(" and ")
}

fn describe_all(alternatives: &[Alternative]) -> String {
    alternatives.iter().map(describe).collect::<Vec<_>>().join(", or ")
}
