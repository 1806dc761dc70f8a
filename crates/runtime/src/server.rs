//! What a generated server is made of: routing, authentication, reading requests, writing responses.
//!
//! A request goes through these steps, and the first that fails answers:
//!
//! 1. the path (404) and the method (405 with `Allow`),
//! 2. authentication, evaluated from the document's security requirements (401, or what the authenticator says),
//! 3. admission, the authenticator's say over plan, rate and resource,
//! 4. whether the caller takes what the operation answers with (406), size and media type of the body (413, 415), its
//!    syntax (400),
//! 5. parameters and body, all failures in one answer (422); a path parameter that does not parse names nothing (404),
//! 6. the handler.

mod call;
mod guard;
mod incoming;
pub mod media;
mod refusal;
pub mod reply;
mod routes;
mod template;

pub use self::{
    call::{Call, Invalid},
    guard::{Guard, Presented},
    incoming::Incoming,
    refusal::{Refusal, Rejection},
    reply::{empty, json, respond, with_header},
    routes::Routes,
};
pub use axum::{Router, response::Response};

/// What comes of a call: the answer of its handler, or why there is none.
pub type Answered = Result<Response, Refusal>;
