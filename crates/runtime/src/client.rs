//! What a generated client is made of: sending requests, retries, reading answers.

mod answer;
mod body;
mod builder;
mod call;
mod codings;
mod credentials;
mod error;
mod middleware;
mod pages;
mod request;
mod retry;
mod send_error;
mod server;
#[cfg(test)]
mod tests;
mod transport;

pub use self::{
    answer::{Answer, Raw, Reading, Received, Streamed},
    body::{Body, Request, Response, try_clone},
    builder::{BuildError, Builder},
    call::Call,
    error::{Declared, Error},
    middleware::{Middleware, Next},
    pages::{Following, Page, Paged, Series},
    retry::RetryPolicy,
    send_error::SendError,
    server::{Server, ServerError, Variable},
    transport::Transport,
};

pub use crate::codec::{ByteStream, EventStream, Member, Multipart, Param, Style};

/// What generated clients export besides: by a glob, so that a name of the document's goes before it.
pub mod prelude {
    pub use super::{
        Body, BoxFuture, ByteStream, EventStream, Middleware, Next, Request, Response, SendError, Series,
        Server, ServerError,
    };
}

use crate::Operation;

/// An operation as a client calls it; implemented by generated code.
pub trait Endpoint: Sized + Send + Sync + 'static {
    /// What a successful answer holds.
    type Success: Send;
    /// The errors that the operation declares.
    type Failure: Send;

    /// What the document says of the operation.
    const OPERATION: &'static Operation;
    /// The media types of the answers that the document declares, as `Accept` lists them.
    const ACCEPT: &'static str = "application/json";
    /// Where the document finds the operation, if not where it finds the rest.
    const SERVER: Option<&'static str> = None;
    /// Whether the service acts once however often a request with one `Idempotency-Key` arrives.
    const IDEMPOTENT: bool = false;
    /// Which answers have a body that streams.
    const STREAMED: &'static [Streamed] = &[];

    /// Reads an answer by its status.
    fn read(answer: &mut Received) -> Outcome<Self>;
}

/// An answer read by its status, or why its body does not fit.
pub type Outcome<E> = Result<Reading<<E as Endpoint>::Success, <E as Endpoint>::Failure>, serde_json::Error>;

/// A boxed future: `Send` wherever threads exist.
#[cfg(not(target_arch = "wasm32"))]
pub type BoxFuture<T> = futures_util::future::BoxFuture<'static, T>;

/// A boxed future: browsers have one thread and futures that stay on it.
#[cfg(target_arch = "wasm32")]
pub type BoxFuture<T> = futures_util::future::LocalBoxFuture<'static, T>;
