//! [`Shared`]: the state that all requests to a mock share.

use crate::operation::ServedOperation;
use frontdesk_contract::Oracle;
use http::Method;
use std::collections::HashMap;

/// The state that the handler of every request needs.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) served: Vec<ServedOperation>,
    pub(crate) by_entry: HashMap<(Method, &'static str), usize>,
    pub(crate) oracles: Oracles,
    pub(crate) body_limit: usize,
    /// Methods and paths, listed in responses to unknown paths.
    pub(crate) listed: Vec<String>,
}

/// The validators of all request schemas and of all response schemas.
#[derive(Debug)]
pub(crate) struct Oracles {
    pub(crate) requests: Oracle,
    pub(crate) responses: Oracle,
}

#[cfg(test)]
impl Shared {
    pub(crate) fn served_at(&self, index: usize) -> &ServedOperation {
        &self.served[index]
    }
}
