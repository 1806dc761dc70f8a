//! Building blocks of generated clients: sending requests, retries, reading responses.

mod body;
mod builder;
mod call;
mod credentials;
mod decoding;
mod error;
mod middleware;
mod pages;
mod request;
mod response;
mod retry;
mod send_error;
mod server;
#[cfg(test)]
mod tests;
mod transport;

pub use self::{
    body::{Body, Request, Response, try_clone},
    builder::{BuildError, Builder},
    call::Call,
    error::{Declared, Error},
    middleware::{Middleware, Next},
    pages::{Following, Page, Paged, Series},
    response::{Raw, Reading, Received, ResponseValue, Streamed},
    retry::RetryPolicy,
    send_error::SendError,
    server::{Server, ServerError, Variable},
    transport::Transport,
};

pub use crate::codec::{ByteStream, EventStream, Member, Multipart, Param, Style};

/// Further exports of generated clients, by a glob import, so that a name of the document takes precedence.
pub mod prelude {
    pub use super::{
        Body, BoxFuture, ByteStream, EventStream, Middleware, Next, Request, Response, SendError, Series,
        Server, ServerError,
    };
}

use crate::Operation;

/// An operation that a client calls; implemented by generated code.
pub trait Endpoint: Sized + Send + Sync + 'static {
    /// The content of a successful response.
    type Success: Send;
    /// The errors that the operation declares.
    type Failure: Send;

    /// The constant of the operation.
    const OPERATION: &'static Operation;
    /// The media types of the declared responses, as `Accept` lists them.
    const ACCEPT: &'static str = "application/json";
    /// The servers of the operation, if they differ from those of the document.
    const SERVER: Option<&'static str> = None;
    /// Whether the service deduplicates requests with the same `Idempotency-Key`.
    const IDEMPOTENT: bool = false;
    /// The responses whose body is a stream.
    const STREAMED: &'static [Streamed] = &[];

    /// Reads a response by its status.
    fn read(response: &mut Received) -> Outcome<Self>;
}

/// A response read by its status, or why its body does not fit.
pub type Outcome<E> = Result<Reading<<E as Endpoint>::Success, <E as Endpoint>::Failure>, serde_json::Error>;

/// A boxed future: `Send` on targets with threads.
#[cfg(not(target_arch = "wasm32"))]
pub type BoxFuture<T> = futures_util::future::BoxFuture<'static, T>;

/// A boxed future, which stays on the only thread of a browser.
#[cfg(target_arch = "wasm32")]
pub type BoxFuture<T> = futures_util::future::LocalBoxFuture<'static, T>;
