//! [`Middleware`]: processing of requests and responses between calls and the network.

use super::{BoxFuture, Request, Response, SendError, credentials::Unmet, transport::Engine};
use std::{fmt, sync::Arc};
use url::Url;

/// Middleware between calls and the network. It sees every request, including retries, and every response.
///
/// Middleware that was added first sees a request first. Requests already have the client's credentials,
/// which middleware may replace. A request without the credentials that its operation requires is refused
/// after the last middleware. The body of a response may still be arriving when `next.run` returns.
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
///             let operation = request.extensions().get::<&'static Operation>();
///             let operation = operation.map(|operation| operation.id);
///             let response = next.run(request).await?;
///             println!("{operation:?}: {}", response.status());
///             Ok(response)
///         })
///     }
/// }
/// ```
pub trait Middleware: fmt::Debug + Send + Sync + 'static {
    /// Handles one request, usually by calling `next.run(request)`.
    fn handle(&self, request: Request, next: Next) -> BoxFuture<Result<Response, SendError>>;
}

/// The rest of the chain: the next middleware, or the network. A clone can send another request.
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

    /// Sends the request.
    ///
    /// # Errors
    ///
    /// The reason why there is no response.
    pub fn run(mut self, request: Request) -> BoxFuture<Result<Response, SendError>> {
        match self.chain.get(self.position).cloned() {
            Some(middleware) => {
                self.position += 1;
                middleware.handle(request, self)
            }
            None => match missing_credential(&request) {
                Some(problem) => Box::pin(std::future::ready(Err(SendError::unmet(problem)))),
                None => self.engine.send(request),
            },
        }
    }
}

/// Returns a description of the credentials that the operation requires and the request lacks.
fn missing_credential(request: &Request) -> Option<String> {
    let unmet = request.extensions().get::<Unmet>()?;
    let url = Url::parse(&request.uri().to_string()).ok()?;
    unmet.problem(&url, request.headers())
}
