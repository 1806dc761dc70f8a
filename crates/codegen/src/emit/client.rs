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

use super::Task;
use crate::ir::Api;

/// Adds what makes the client crate.
pub(super) fn tasks<'a>(api: &'a Api, tasks: &mut Vec<Task<'a>>) {
    tasks.push(Box::new(|| {
        let mut sources = root::emit(api);
        sources.push(call::emit(api));
        sources
    }));
    if !api.responses.is_empty() {
        tasks.push(Box::new(|| vec![responses::emit(api)]));
    }
    if !api.webhooks.is_empty() {
        tasks.push(Box::new(|| vec![webhooks::emit(api)]));
    }
    for group in &api.groups {
        tasks.push(Box::new(|| group::emit(api, group)));
    }
}
