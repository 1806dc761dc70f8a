//! HTTP server: the path of a request from the connection to the operations of the interface and back.
//!
//! - `listener`: connections, time limits for slow clients, draining at shutdown; `client_connections`: who
//!   gets a place, and who gives one back.
//! - `tls`: certificates, and their reload.
//! - `origin`: where a request comes from, and whether it came over HTTPS.
//! - `layers`: middleware for every request and response.
//! - `endpoints`: endpoints beside the interface: its OpenAPI document (`openapi_document`), health and
//!   readiness (`probes`), and metrics.
//! - `reference`: the page that shows the document; `root`: the one at `/` that leads there.
//! - `web`: the files of the pages for people; `console_page`: the page of the console; `widgets`: the script
//!   that websites include, and the chat in its frame; `content_encoding`: which form of a file a client
//!   accepts.
//! - `cross_origin`: which operations scripts of other websites may call.
//! - `text_encoding`: CSV files that are not UTF-8; `event_streams`: event streams through proxies.
//! - `body`, `linger`, `write_timeout`: time limits of bodies and connections; `running_body`: until when a
//!   request runs.

mod body;
mod client_connections;
mod console_page;
mod content_encoding;
mod cross_origin;
mod endpoints;
mod event_streams;
mod layers;
mod linger;
mod listener;
mod openapi_document;
mod origin;
mod probes;
mod reference;
mod root;
mod running_body;
mod text_encoding;
mod tls;
mod web;
mod widgets;
mod write_timeout;

use axum::{Router, middleware};
use frontdesk_runtime::Operation;
use tokio::sync::mpsc;

use self::cross_origin::SharedOperations;
use crate::edge::Edge;

pub use self::tls::TlsError;
pub(crate) use self::{
    endpoints::endpoint,
    listener::Server,
    origin::{ClientAddress, Peer, UsedHttps},
    tls::Tls,
};

/// Adds the endpoints beside the interface, and the middleware around both. Scripts of every website may call
/// the `shared` operations.
///
/// Every running request holds a clone of `running`, even after its client has disconnected.
pub(crate) fn application(
    interface: Router,
    shared: impl IntoIterator<Item = &'static Operation>,
    service: &Edge,
    running: mpsc::Sender<()>,
) -> Router {
    let shared = SharedOperations::new(shared);
    endpoints::beside(interface, service)
        .layer(middleware::from_fn(text_encoding::convert_csv))
        .layer(middleware::map_response(event_streams::keep_alive))
        .layer(middleware::from_fn_with_state(running, layers::run_to_completion))
        .layer(middleware::from_fn_with_state(service.config.http.body_timeout, layers::bound_body_time))
        .layer(middleware::from_fn_with_state(service.config.clone(), origin::check_origin))
        .layer(middleware::from_fn_with_state(shared, cross_origin::share))
        .layer(middleware::from_fn_with_state(service.metrics.clone(), layers::observe))
}
