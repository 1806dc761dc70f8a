//! Building blocks of generated servers: routing, authentication, authorization, reading requests, writing responses.
//!
//! A request goes through these steps. The first one that fails determines the response:
//!
//! 1. the path (404) and the method (405 with `Allow`),
//! 2. authentication, evaluated from the document's security requirements (401, or the authenticator's response),
//! 3. authorization, where the authenticator checks for example plan, rate limit and existence of the resource;
//!    [`Guard::inspect_body`] may look at the body after it, which is read within the operation's limit (413),
//! 4. the `Accept` header (406), size, media type, charset and encoding of the body (413, 415), its syntax (400),
//! 5. parameters and body, with all failures in one response (422); a path parameter that does not parse names nothing (404),
//! 6. the handler.

mod call;
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
    guard::{Guard, Presented},
    incoming::Incoming,
    refusal::{Refusal, Refuse, Rejection},
    reply::{empty, json, respond, with_header},
    routes::{DeclaredRefusal, Routes},
};
pub use axum::{self, Router, response::Response};

/// The outcome of a call: the handler's response, or the reason why the request was refused.
pub type HandlerResult = Result<Response, Refusal>;
