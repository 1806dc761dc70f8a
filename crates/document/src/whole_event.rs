//! Schemas of `text/event-stream` that describe the whole event rather than its data.
//!
//! OpenAPI 3.0 and 3.1 do not say which of the two a schema describes. One whose properties are the fields of
//! an event, and nothing else, can only mean the event.

use crate::node::NodeRef;

/// The fields of a server-sent event.
const FIELDS: [&str; 4] = ["data", "event", "id", "retry"];

/// Returns the schema of the data within a schema of the whole event; `None` if the schema describes the
/// data.
pub fn event_data(schema: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let properties = schema.resolve().ok()?.get("properties")?;
    let data = properties.get("data")?;
    let is_event = properties.len() > 1 && properties.entries().all(|(name, _)| FIELDS.contains(&name.text));
    is_event.then_some(data)
}

/// Returns whether every branch of a union describes a whole event.
pub fn is_union_of_events(schema: NodeRef<'_>) -> bool {
    let Ok(schema) = schema.resolve() else { return false };
    ["oneOf", "anyOf"]
        .iter()
        .filter_map(|union| schema.get(union))
        .any(|branches| !branches.is_empty() && branches.items().all(|branch| event_data(branch).is_some()))
}
