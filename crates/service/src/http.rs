//! Owns the way of a request from the wire to the interface's operations and back.
//!
//! - `listener`: connections, TLS, limits on slow clients, draining at shutdown.
//! - `origin`: where a request comes from, and that it came over HTTPS.
//! - `layers`: what happens to every request and answer.
//! - `endpoints`: what is served beside the interface: its description, health and metrics.
//! - `reference`: the page that shows the description.

mod body;
mod endpoints;
mod layers;
mod linger;
mod listener;
mod origin;
mod reference;
mod stall;
mod tls;

use axum::{Router, middleware};
use tokio::sync::mpsc;

use crate::service::Service;

pub use self::tls::TlsError;
pub(crate) use self::{listener::Server, origin::ClientAddress, tls::acceptor};

/// Puts the endpoints beside the interface and the layers around both.
///
/// `running` is held by every request under way, also by one whose client has hung up.
pub(crate) fn application(interface: Router, service: &Service, running: mpsc::Sender<()>) -> Router {
    endpoints::beside(interface, service)
        .layer(middleware::from_fn_with_state(running, layers::finish_what_began))
        .layer(middleware::from_fn_with_state(service.config.http.body_timeout, layers::bound_body_time))
        .layer(middleware::from_fn_with_state(service.config.clone(), origin::require_https))
        .layer(middleware::from_fn_with_state(service.metrics.clone(), layers::observe))
}
