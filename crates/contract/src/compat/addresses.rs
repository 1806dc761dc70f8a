//! Addresses of operations: servers and paths.

use frontdesk_document::{NodeRef, PathItem};

/// Returns the servers of an operation: its own, else those of its path, else those of the document.
pub(super) fn servers<'d>(operation: NodeRef<'d>, item: NodeRef<'d>, root: NodeRef<'d>) -> Vec<NodeRef<'d>> {
    [operation, item, root]
        .into_iter()
        .filter_map(|holder| holder.get("servers"))
        .find(|servers| !servers.is_empty())
        .map(|servers| servers.items().collect())
        .unwrap_or_default()
}

/// Returns the URL without a trailing slash.
pub(super) fn address(server: NodeRef<'_>) -> &str {
    server.get("url").and_then(NodeRef::as_str).unwrap_or("/").trim_end_matches('/')
}

/// Returns the paths that calls of a path item have, with those of the servers, and without names of
/// parameters.
pub(super) fn called_as(item: &PathItem<'_>, root: NodeRef<'_>) -> Vec<String> {
    let path = item.key.text;
    let servers = servers(item.node, item.node, root);
    if servers.is_empty() {
        return vec![shape(path)];
    }
    let mut called: Vec<String> =
        servers.into_iter().map(|server| shape(&(path_of(address(server)) + path))).collect();
    called.dedup();
    called
}

/// Returns the path of a URL, which is empty or begins with a slash.
fn path_of(address: &str) -> String {
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => address.trim_start_matches(['.', '/']),
    };
    if path.is_empty() { String::new() } else { format!("/{path}") }
}

/// Returns a path without the names of its parameters.
pub(super) fn shape(path: &str) -> String {
    let mut shape = String::new();
    let mut rest = path;
    while let Some((before, after)) = rest.split_once('{') {
        shape.push_str(before);
        shape.push_str("{}");
        rest = after.split_once('}').map_or("", |(_, after)| after);
    }
    // Most servers treat a path with a trailing slash as another path, and are case-sensitive.
    shape + rest
}
