//! Owns the client crate: one handle a group, one method an operation, the reading of answers.

mod bodies;
mod call;
mod group;
mod operation;
mod paging;
mod parameters;
mod responses;
mod root;
#[cfg(test)]
mod tests;
mod webhooks;

use super::Source;
use crate::ir::Api;

/// Adds the sources of the client crate.
pub(super) fn emit(api: &Api, sources: &mut Vec<Source>) {
    sources.push(root::emit(api));
    sources.push(call::emit(api));
    if !api.responses.is_empty() {
        sources.push(responses::emit(api));
    }
    if !api.webhooks.is_empty() {
        sources.push(webhooks::emit(api));
    }
    for group in &api.groups {
        group::emit(api, group, sources);
    }
}
