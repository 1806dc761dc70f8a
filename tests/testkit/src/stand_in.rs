//! HTTP servers on this machine, as stand-ins for those of others.

use std::net::SocketAddr;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

/// Serves an interface on a port of its own until the test ends, and returns its address.
pub async fn serve(app: Router) -> SocketAddr {
    serve_until_aborted(app).await.0
}

/// Serves an interface on a port of its own. Returns its address, and the handle that ends it.
pub async fn serve_until_aborted(app: Router) -> (SocketAddr, AbortHandle) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (address, server.abort_handle())
}
