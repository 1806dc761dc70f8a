//! Owns [`Middleware`]: what stands between a call and the network.

use super::{BoxFuture, Request, Response, SendError, transport::Engine};
use std::{fmt, sync::Arc};

/// What stands between a call and the network: it sees every request, its own repetitions included, and every answer.
///
/// Middleware that was added first sees a request first. Credentials are in place when it does; it may replace them, which is
/// how tokens that expire are kept fresh. The body of an answer need not have arrived when `next.run` returns.
///
/// ```
/// use frontdesk_runtime::{Operation, client::{BoxFuture, Middleware, Next, Request, Response, SendError}};
///
/// /// Prints each request and the status that it got.
/// #[derive(Debug)]
/// struct Trace;
///
/// impl Middleware for Trace {
///     fn handle(&self, request: Request, next: Next) -> BoxFuture<Result<Response, SendError>> {
///         Box::pin(async move {
///             let operation = request.extensions().get::<&'static Operation>().map(|operation| operation.id);
///             let response = next.run(request).await?;
///             println!("{operation:?}: {}", response.status());
///             Ok(response)
///         })
///     }
/// }
/// ```
pub trait Middleware: fmt::Debug + Send + Sync + 'static {
    /// Handles one request, most often by `next.run(request)`, with work before and after.
    fn handle(&self, request: Request, next: Next) -> BoxFuture<Result<Response, SendError>>;
}

/// What comes after a middleware: the next one, or the network. A clone sends another request.
#[derive(Clone, Debug)]
pub struct Next {
    engine: Engine,
    chain: Arc<[Arc<dyn Middleware>]>,
    position: usize,
}

impl Next {
    pub(super) fn new(engine: Engine, chain: Arc<[Arc<dyn Middleware>]>) -> Self {
        Self { engine, chain, position: 0 }
    }

    /// Sends the request on.
    ///
    /// # Errors
    ///
    /// Whatever kept the request from being answered.
    pub fn run(mut self, request: Request) -> BoxFuture<Result<Response, SendError>> {
        match self.chain.get(self.position).cloned() {
            Some(middleware) => {
                self.position += 1;
                middleware.handle(request, self)
            }
            None => self.engine.send(request),
        }
    }
}
