//! The service of the contract in `spec/v1/openapi.yaml`.
//!
//! - [`Service`]: the generated traits implemented, in `api`.
//! - [`router`]: the service as an axum router.

mod api;

use axum::Router;

pub use self::api::Service;

/// Identifies callers. The contract has no security schemes yet; each one becomes a method of this trait.
#[derive(Clone, Copy, Debug)]
struct Authenticator;

impl @snake@_server::Authenticator for Authenticator {
    type Caller = ();
}

// The router refuses some requests before their handler. These are the bodies that the contract declares for
// it; implement `Refuse` for those that should say something else.
@snake@_server::runtime::default_refusals!(Authenticator => @snake@_server::model::NotFound);

/// Returns all operations of the contract as an axum router.
pub fn router(service: Service) -> Router {
    @snake@_server::router(service, Authenticator)
}
