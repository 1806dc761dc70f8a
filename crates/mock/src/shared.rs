//! [`Shared`]: the state that all requests to a mock share.

use crate::operation::{DescribedResponse, ServedOperation};
use frontdesk_contract::Oracle;
use http::Method;
use std::collections::HashMap;

/// The state that the handler of every request needs.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) served: Vec<ServedOperation>,
    pub(crate) by_entry: HashMap<(Method, &'static str), usize>,
    pub(crate) oracles: Oracles,
    /// The response to requests that call no operation: the body that all errors of the document have.
    pub(crate) common: Option<DescribedResponse>,
    /// The largest body that is read, in bytes, of operations for which the document states none.
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

impl Shared {
    /// Returns the largest body that an operation reads, in bytes.
    pub(crate) fn body_limit_of(&self, served: &ServedOperation) -> usize {
        served.body_limit.unwrap_or(self.body_limit)
    }
}

#[cfg(test)]
impl Shared {
    pub(crate) fn served_at(&self, index: usize) -> &ServedOperation {
        &self.served[index]
    }
}
