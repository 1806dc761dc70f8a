//! Building blocks of generated servers: routing, authentication, authorization, reading requests, writing
//! responses.
//!
//! A request goes through these steps. The first one that fails determines the response:
//!
//! 1. the path (404) and the method (405 with `Allow`),
//! 2. authentication, evaluated from the document's security requirements (401, or the authenticator's
//!    response),
//! 3. authorization, where the authenticator checks for example plan, rate limit and existence of the
//!    resource; [`Guard::inspect_body`] may look at the body after it, which is read within the operation's
//!    limit (413),
//! 4. the `Accept` header (406, only if the operation declares it; otherwise the response has the first media
//!    type), size, media type, charset and encoding of the body (413, 415), its syntax (400);
//!    [`Routes::body_limits`] sets the size for each operation,
//! 5. parameters and body, with all failures in one response (422); a path parameter that does not parse
//!    names nothing (404),
//! 6. the handler.
//!
//! **Authorization** receives the caller and the head of the request ([`Incoming`]) before the body is read.
//! Anything that it adds to the extensions of `Incoming`, such as the row of a resource, reaches the handler
//! in the field `incoming` of its request struct, so that nothing is loaded twice.
//!
//! **Refusals** are written as the operation declares their status. The authenticator refuses with a status,
//! a message and a reason ([`Rejection`]), from which its implementation of [`Refuse`] makes the body.
//! `Refuse<T>` is a bound of the function that adds a group to the routes, for each type `T` that its
//! operations declare for such a status, so an authenticator that lacks one does not compile. Only undeclared
//! statuses, unknown paths and unknown methods are left to the authenticator's own `refuse`, which has no
//! type to follow.
//!
//! **Bodies** are decoded directly into their type and checked by its `Validate` implementation. Only if
//! decoding fails, the same implementation reads the body again as raw JSON, to report every missing field,
//! wrong type and broken limit at once.
//!
//! **Handlers** return `Result<Success, Failure<OperationError>>`. The operator `?` turns a response that the
//! operation declares into a `Failure`; other responses do not compile. Any other error becomes an opaque 500
//! and a log entry.

mod call;
mod declared;
mod guard;
mod incoming;
pub mod media;
mod receive;
mod refusal;
pub mod reply;
mod routes;
mod template;

pub use self::{
    call::{Call, Invalid},
    declared::{ErrorResponse, Refusals, Replied},
    guard::{Guard, Presented},
    incoming::Incoming,
    refusal::{Refusal, Refuse, Rejection},
    reply::{empty, json, respond, with_header},
    routes::Routes,
};
pub use axum::{self, Router, response::Response};

/// The outcome of a call of an operation that declares the errors `E`: the handler's response, or the reason
/// why the request was refused.
pub type HandlerResult<E> = Result<Replied<E>, Refusal>;
