//! Operations that responses lead to (`links`), by their ids.

use super::{docs, text};
use crate::ir::{Group, Link};
use frontdesk_document::Operation as Described;
use std::collections::BTreeMap;

/// The links of the responses of an operation, each target once.
pub(super) fn links(operation: Described<'_>) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for (status, response) in operation.responses() {
        let Some(listed) = response.resolve().ok().and_then(|response| response.get("links")) else {
            continue;
        };
        for (_, link) in listed.entries() {
            let Ok(link) = link.resolve() else { continue };
            let target = text(link, "operationId").or_else(|| text(link, "operationRef"));
            let Some(target) = target.filter(|target| links.iter().all(|link| link.target != *target)) else {
                continue;
            };
            let (status, target) = (status.text.to_owned(), target.to_owned());
            links.push(Link { status, target, docs: docs(link) });
        }
    }
    links
}

/// Where each operation is, by its id.
pub(super) fn by_id(groups: &[Group]) -> BTreeMap<String, (usize, usize)> {
    let mut by_id = BTreeMap::new();
    for (index, group) in groups.iter().enumerate() {
        for (place, operation) in group.operations.iter().enumerate() {
            by_id.entry(operation.id.clone()).or_insert((index, place));
        }
    }
    by_id
}

/// Replaces references to operations of the same document by their ids, unless an id belongs to an earlier
/// operation.
pub(super) fn resolve(groups: &mut [Group]) {
    let is_reference = |link: &Link| link.target.starts_with('#');
    if !groups
        .iter()
        .flat_map(|group| &group.operations)
        .flat_map(|operation| &operation.links)
        .any(is_reference)
    {
        return;
    }
    let first = by_id(groups);
    let operations = first.values().map(|(group, place)| &groups[*group].operations[*place]);
    let by_reference: BTreeMap<String, String> = operations
        .map(|operation| {
            let path = operation.path.replace('~', "~0").replace('/', "~1");
            (format!("#/paths/{path}/{}", operation.method.to_ascii_lowercase()), operation.id.clone())
        })
        .collect();
    for link in
        groups.iter_mut().flat_map(|group| &mut group.operations).flat_map(|operation| &mut operation.links)
    {
        let decoded =
            link.target.replace("%7B", "{").replace("%7D", "}").replace("%7b", "{").replace("%7d", "}");
        if let Some(id) = by_reference.get(&decoded) {
            link.target.clone_from(id);
        }
    }
}
