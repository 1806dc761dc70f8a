//! [`Called`]: a middleware that notes which operations are called.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

use released_client::runtime::{
    Operation,
    client::{BoxFuture, Middleware, Next, Request, Response, SendError},
};

/// The operations that were called so far.
#[derive(Clone, Debug, Default)]
pub struct Called(Arc<Mutex<BTreeSet<&'static str>>>);

impl Called {
    /// Returns their names in alphabetical order.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}

impl Middleware for Called {
    fn handle(&self, request: Request, next: Next) -> BoxFuture<Result<Response, SendError>> {
        // The client attaches the operation to each of its requests.
        if let Some(operation) = request.extensions().get::<&'static Operation>() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(operation.id);
        }
        next.run(request)
    }
}
