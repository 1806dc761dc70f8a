//! Emitter of the client crate: a handle for each group, a method for each operation, and the reading of
//! responses.

mod bodies;
mod builder;
mod call;
mod example;
mod group;
mod operation;
mod paging;
mod parameters;
mod root;
mod streaming;
#[cfg(test)]
mod tests;
mod webhooks;

pub(super) use self::root::{error_example, has_compiled_example, program};

use super::Task;
use crate::ir::Api;

/// Adds the tasks that emit the client crate.
pub(super) fn tasks<'a>(api: &'a Api, tasks: &mut Vec<Task<'a>>) {
    tasks.push(Box::new(|| {
        let mut sources = root::emit(api);
        sources.push(builder::emit(api));
        sources.push(call::emit(api));
        sources
    }));
    if !api.webhooks.is_empty() {
        tasks.push(Box::new(|| vec![webhooks::emit(api)]));
    }
    for group in &api.groups {
        tasks.push(Box::new(|| group::emit(api, group)));
    }
}
