//! Comparison of the parts of an operation by which clients find the next page of a list: the parameter and
//! the members that `x-pagination` of the base names.

use frontdesk_document::NodeRef;

use super::change::Change;
use super::effect::Level;
use super::rules;
use super::walk::{Both, Walk, resolved};
use crate::oracle::resolve;

/// Schemas that are nested more deeply by `allOf` are not searched.
const DEEPEST: usize = 8;

impl<'d> Walk<'d> {
    /// Reports what deployed clients need to follow the pages of the base and no longer find.
    ///
    /// They do not fail: without the member they stop after the first page, and without the parameter they
    /// get the first page again and again.
    pub(super) fn pagination(&mut self, both: &Both<'d>) {
        let Some(declared) = both.base.get("x-pagination").filter(|declared| declared.is_object()) else {
            return;
        };
        let named = |key| declared.get(key).filter(|value| value.as_str().is_some());
        for key in ["next", "items"] {
            let Some((value, path)) = named(key).and_then(|value| Some((value, value.as_str()?))) else {
                continue;
            };
            let found = |operation: NodeRef<'d>| successes(operation).any(|schema| leads_into(schema, path));
            // What the base does not have itself cannot get lost.
            if found(both.base) && !found(both.revision) {
                let message = format!("the member `{path}`, by which clients follow the pages, is gone");
                self.lost(both, both.response_direction(), (value, both.revision), message);
            }
        }
        if let Some(value) = named("parameter") {
            let name = value.as_str().unwrap_or_default();
            let (old, new) = both.described;
            let has = |operation: frontdesk_document::Operation<'d>| {
                let mut parameters = operation.distinct_parameters().map(|parameter| parameter.node);
                parameters.any(|node| node.get("name").and_then(NodeRef::as_str) == Some(name))
            };
            if has(old) && !has(new) {
                let message = format!("the parameter `{name}`, by which clients follow the pages, is gone");
                self.lost(both, both.sender, (value, both.revision), message);
            }
        }
    }

    fn lost(
        &mut self,
        both: &Both<'d>,
        direction: crate::compat::direction::Direction,
        (value, operation): (NodeRef<'d>, NodeRef<'d>),
        message: String,
    ) {
        let at = operation.get("x-pagination").unwrap_or(operation);
        let change = Change::fixed(rules::PAGINATION_LOST, Level::Breaking, (value, at), message);
        self.record(both.id, "", direction, change);
    }
}

/// Returns the schemas of the successes of an operation.
fn successes(operation: NodeRef<'_>) -> impl Iterator<Item = NodeRef<'_>> {
    let responses = operation.get("responses").into_iter().flat_map(NodeRef::members);
    responses
        .filter(|(status, _)| status.starts_with('2') || *status == "default")
        .filter_map(|(_, response)| resolved(response)?.get("content"))
        .flat_map(NodeRef::members)
        .filter_map(|(_, media)| media.get("schema"))
}

/// Returns whether a schema has the member at a dotted path. A name may contain dots itself.
fn leads_into(schema: NodeRef<'_>, path: &str) -> bool {
    if member(schema, path, 0).is_some() {
        return true;
    }
    let names = path.split(['.', '/']).filter(|name| !name.is_empty() && *name != "$");
    let mut at = Some(schema);
    for name in names {
        at = at.and_then(|schema| member(schema, name, 0));
    }
    at.is_some()
}

/// Returns the schema of a member, itself declared or by a part of the schema.
fn member<'d>(schema: NodeRef<'d>, name: &str, depth: usize) -> Option<NodeRef<'d>> {
    let schema = resolve(schema).filter(|_| depth < DEEPEST)?;
    let own = schema.get("properties").and_then(|members| members.get(name));
    own.or_else(|| {
        let lists = ["allOf", "oneOf", "anyOf"].into_iter().filter_map(|keyword| schema.get(keyword));
        lists.flat_map(NodeRef::items).find_map(|part| member(part, name, depth + 1))
    })
}
