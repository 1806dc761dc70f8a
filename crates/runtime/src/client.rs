//! Building blocks of generated clients: sending requests, retries, reading responses.
//!
//! A call is a [`Call`], a future whose parts become a new request in each attempt:
//!
//! 1. The credentials of the first requirement that the client can meet are added, in the document's order;
//!    the empty requirement only if no other can be met. Anything that the caller has set by hand, such as a
//!    header, stays. A token from a source is obtained now, unless a valid one is cached.
//! 2. The [`Middleware`] runs, in the order in which it was added. After the last one, a request that lacks
//!    something that its operation requires is refused, and nothing is sent.
//! 3. The request goes to the network, through a client of reqwest that the user passed, or to a service in
//!    the same process.
//! 4. After a 401 to a token from a source, the token is obtained again and the request is sent once more.
//!    Other retries follow [`RetryPolicy`], within the deadline: all attempts have the same body and the same
//!    `Idempotency-Key`.
//! 5. The body is read by the response's status. If it does not fit, it is read a second time to name the
//!    member.

mod api_error;
mod body;
mod builder;
mod call;
mod credentials;
mod decoding;
mod endpoint;
mod error;
mod explanation;
#[cfg(feature = "test-util")]
mod fake;
mod middleware;
mod network;
mod pages;
mod raw_call;
mod read_error;
mod request;
mod response;
mod retry;
mod send_error;
mod server;
#[cfg(feature = "tracing")]
mod span;
#[cfg(test)]
mod tests;
mod time;
mod token;
mod transport;

pub use self::{
    api_error::ApiError,
    body::{Body, OptionalBody, Request, Response, try_clone},
    builder::{BuildError, Builder, environment, required_environment},
    call::Call,
    error::{Declared, Error},
    middleware::{Middleware, Next},
    network::http_client_builder,
    pages::{Following, Page, Paged, Series},
    raw_call::RawCall,
    read_error::ReadError,
    response::{Raw, Reading, Received, ResponseValue, Streamed, with_headers},
    retry::RetryPolicy,
    send_error::SendError,
    server::{Server, ServerError, Variable},
    token::{ObtainedToken, Token, TokenRequest},
    transport::{Serve, Transport},
};

#[cfg(feature = "test-util")]
pub use self::fake::Fake;
pub use reqwest;

pub use crate::codec::{ByteStream, EventStream, Member, Multipart, Param, Style};

/// Further exports of generated clients, by a glob import, so that a name of the document takes precedence.
pub mod prelude {
    #[cfg(feature = "test-util")]
    pub use super::Fake;
    pub use super::{
        ApiError, Body, BoxFuture, ByteStream, EventStream, Middleware, Next, ObtainedToken, RawCall,
        ReadError, Request, Response, SendError, Series, Serve, Server, ServerError, Token, TokenRequest,
    };
    pub use crate::{HeaderError, TypedHeaders, WithHeaders};
}

use crate::{Operation, Scheme, codec::MaybeSend};

/// A client of a document; implemented by generated code.
pub trait Document: From<Transport> {
    /// The security schemes that operations use and whose credentials are part of requests.
    const SCHEMES: &'static [Scheme] = &[];
    /// Whether the document describes credentials. A client of one that does not sends those that it is given
    /// with every request.
    const DESCRIBES_CREDENTIALS: bool = !Self::SCHEMES.is_empty();
    /// The default `User-Agent`: name and version of the generated crate.
    const USER_AGENT: &'static str = "";
}

/// An operation that a client calls; implemented by generated code.
pub trait Endpoint: Sized + Send + Sync + 'static {
    /// The content of a successful response.
    type Success: MaybeSend;
    /// The errors that the operation declares.
    type Failure: MaybeSend;

    /// The constant of the operation.
    const OPERATION: &'static Operation;
    /// The media types of the declared responses, as `Accept` lists them.
    const ACCEPT: &'static str = "application/json";
    /// The servers of the operation, if they differ from those of the document.
    const SERVER: Option<&'static str> = None;
    /// Whether the operation may be repeated although its method is not idempotent: `x-idempotent`.
    const IDEMPOTENT: bool = false;
    /// Whether the operation declares the header `Idempotency-Key`. A call without one gets a random one, so
    /// that it may be repeated.
    const KEYED: bool = false;
    /// The responses whose body is a stream.
    const STREAMED: &'static [Streamed] = &[];

    /// Reads a response by its status.
    fn read(response: &mut Received) -> Outcome<Self>;
}

/// The errors that an operation declares, as [`errors!`](crate::errors!) defines them.
pub trait DeclaredErrors: Sized {
    /// Reads a response by its status; `None` if no error is declared for it.
    fn read(response: &mut Received) -> Result<Option<Self>, ReadError>;
}

/// A response read by its status, or why its body does not fit.
pub type Outcome<E> = Result<Reading<<E as Endpoint>::Success, <E as Endpoint>::Failure>, ReadError>;

/// A boxed future: `Send` on targets with threads.
#[cfg(not(target_arch = "wasm32"))]
pub type BoxFuture<T> = futures_util::future::BoxFuture<'static, T>;

/// A boxed future, which stays on the only thread of a browser.
#[cfg(target_arch = "wasm32")]
pub type BoxFuture<T> = futures_util::future::LocalBoxFuture<'static, T>;
