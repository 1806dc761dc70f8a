//! The errors that operations declare, as a server writes them.

use super::Refusal;
use axum::response::Response;
use std::{fmt, marker::PhantomData};

/// The errors that an operation declares, as responses; [`errors!`](crate::errors!) implements it.
pub trait ErrorResponse {
    /// Makes the response.
    fn into_response(self) -> Response;
}

/// The errors with which a router refuses requests to an operation, with bodies that the guard `G` makes;
/// [`errors!`](crate::errors!) implements it.
pub trait Refusals<G> {
    /// Writes a refusal as the operation declares it; `None` if it declares no error with this status.
    fn refuse(guard: &G, refusal: &Refusal) -> Option<Response>;
}

/// An operation without declared errors.
impl<G> Refusals<G> for () {
    fn refuse(_: &G, _: &Refusal) -> Option<Response> {
        None
    }
}

/// The response of a handler whose operation declares the errors `E`.
pub struct Replied<E> {
    pub(super) response: Response,
    errors: PhantomData<fn() -> E>,
}

impl<E> fmt::Debug for Replied<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Replied").field(&self.response.status()).finish()
    }
}

impl<E> From<Response> for Replied<E> {
    fn from(response: Response) -> Self {
        Self { response, errors: PhantomData }
    }
}
