//! Operations whose success is one body or a stream of events, as the caller asks: the client has a method
//! for each.

use super::names::Scope;
use crate::ir::{Api, Coding, Form, Group, Operation, Response, Status, Streaming};
use std::collections::BTreeSet;

/// Names the methods that read streams. Called when everything else has its name, so that none changes.
pub(super) fn name_methods(api: &mut Api, type_names: &mut Scope) {
    let Api { groups, responses, .. } = api;
    for group in groups {
        let mut taken: BTreeSet<String> = methods(group);
        for operation in group.operations.iter_mut().filter(|operation| offers_both(operation, responses)) {
            let mut short =
                format!("{}_stream", operation.short.trim_start_matches("r#").trim_end_matches('_'));
            while !taken.insert(short.clone()) {
                short.push_str("_of_events");
            }
            let name = type_names.take(&format!("{}Stream", operation.name), "Endpoint");
            operation.streaming = Some(Streaming { short, name });
        }
    }
}

fn methods(group: &Group) -> BTreeSet<String> {
    group
        .operations
        .iter()
        .flat_map(|operation| [operation.short.clone(), operation.function.clone()])
        .collect()
}

/// Whether the only success is one body, or a stream of events.
fn offers_both(operation: &Operation, responses: &[Response]) -> bool {
    let [only] = &operation.successes[..] else { return false };
    let (Status::Code(_), Some(payload)) = (only.status, only.content.payload(responses)) else {
        return false;
    };
    let streams = |form: &Form| matches!(form.coding, Coding::Events(_));
    payload.name.is_some() && matches!(&payload.forms[..], [one, other] if streams(one) != streams(other))
}
