//! Comparison of the server URLs of operations.

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::change::Change;
use super::effect::Level;
use super::rules;
use super::walk::{Both, Walk};

/// Returns the servers of an operation: its own, else those of its path, else those of the document.
fn servers<'d>(operation: NodeRef<'d>, item: NodeRef<'d>, root: NodeRef<'d>) -> Vec<NodeRef<'d>> {
    [operation, item, root]
        .into_iter()
        .filter_map(|holder| holder.get("servers"))
        .find(|servers| !servers.is_empty())
        .map(|servers| servers.items().collect())
        .unwrap_or_default()
}

/// Returns the URL without a trailing slash.
fn address(server: NodeRef<'_>) -> &str {
    server.get("url").and_then(NodeRef::as_str).unwrap_or("/").trim_end_matches('/')
}

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
    pub(super) fn servers(&mut self, both: Both<'d>) {
        let old = servers(both.base, both.items.0, self.base);
        let new = servers(both.revision, both.items.1, self.revision);
        let find = |all: &[NodeRef<'d>], wanted: NodeRef<'d>| {
            all.iter().copied().find(|server| address(*server) == address(wanted))
        };
        let mut found = Vec::new();
        for server in &old {
            let message = match find(&new, *server) {
                None => format!("the address `{}` is no longer named", address(*server)),
                Some(other) if variables(*server) != variables(other) => {
                    format!("the variables of the address `{}` changed", address(*server))
                }
                Some(_) => continue,
            };
            let at = (*server, find(&new, *server).or(new.first().copied()).unwrap_or(both.revision));
            found.push(Change::fixed(rules::SERVER_REMOVED, Level::Notice, at, message));
        }
        for server in &new {
            if find(&old, *server).is_none() {
                let message = format!("the address `{}` was added", address(*server));
                let at = (old.first().copied().unwrap_or(both.base), *server);
                found.push(Change::fixed(rules::SERVER_ADDED, Level::Safe, at, message));
            }
        }
        for change in found {
            self.record(both.id, "servers", both.sender, change);
        }
    }
}
