//! Comparison of the server URLs of operations.

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::addresses::{address, servers, shape};
use super::change::Change;
use super::effect::Level;
use super::rules;
use super::walk::{Both, Walk};

/// Returns the variables of a URL.
fn variables(server: NodeRef<'_>) -> Value {
    // The allowed values are a set, so their order is ignored.
    let mut each: Vec<_> = server
        .get("variables")
        .into_iter()
        .flat_map(NodeRef::members)
        .map(|(name, variable)| {
            let part = |key: &str| variable.get(key).map(NodeRef::to_json);
            (name, serde_json::json!([name, part("default"), part("enum")]))
        })
        .collect();
    each.sort_by_key(|(name, _)| *name);
    each.into_iter().map(|(_, variable)| variable).collect()
}

impl<'d> Walk<'d> {
    pub(super) fn servers(&mut self, both: &Both<'d>) {
        let old = servers(both.base, both.described.0.item.node, self.base);
        let new = servers(both.revision, both.described.1.item.node, self.revision);
        // The division into server and path has no meaning. With the same path, the servers can be named
        // alone.
        let (before, after) = (shape(both.templates().0), shape(both.templates().1));
        let moved = before != after;
        let whole = |server: NodeRef<'d>, path: &str| {
            if moved { format!("{}{path}", address(server)) } else { address(server).to_owned() }
        };
        let shown = |server: NodeRef<'d>, template: &str| {
            if moved { format!("{}{template}", address(server)) } else { address(server).to_owned() }
        };
        let find = |all: &[NodeRef<'d>], path: &str, wanted: &str| {
            all.iter().copied().find(|server| whole(*server, path) == wanted)
        };
        let mut found = Vec::new();
        for server in &old {
            let own = whole(*server, &before);
            let other = find(&new, &after, &own);
            let own = shown(*server, both.templates().0);
            let (rule, message) = match other {
                None => (rules::SERVER_REMOVED, format!("the address `{own}` is no longer named")),
                Some(other) if variables(*server) != variables(other) => {
                    (rules::SERVER_VARIABLES, format!("the variables of the address `{own}` changed"))
                }
                Some(_) => continue,
            };
            let at = (*server, other.or(new.first().copied()).unwrap_or(both.revision));
            found.push(Change::fixed(rule, Level::Notice, at, message));
        }
        for server in &new {
            let own = whole(*server, &after);
            if find(&old, &before, &own).is_none() {
                let own = shown(*server, both.templates().1);
                let message = format!("the address `{own}` was added");
                let at = (old.first().copied().unwrap_or(both.base), *server);
                found.push(Change::fixed(rules::SERVER_ADDED, Level::Safe, at, message));
            }
        }
        for change in found {
            self.record(both.id, "servers", both.sender, change);
        }
    }
}
