//! Owns [`serve`]: connections, bounded in their number, and in the size and the patience of their heads.

use axum::{body::Body, extract::Request};
use frontdesk_runtime::server::Router;
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use std::{future::Future, io, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::Semaphore, time};
use tower::ServiceExt;

/// Connections that are served at once; more wait.
const MOST_CONNECTIONS: usize = 256;
/// The longest head of a request, in bytes; a longer one is answered with 431.
const LONGEST_HEAD: usize = 64 << 10;
/// How long a head may take.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// How long to wait when no connection can be accepted, as when all file descriptors are in use.
const PAUSE: Duration = Duration::from_millis(100);
/// How long requests under way may take when the mock ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves a router until `stop` ends, then finishes what is under way.
///
/// # Errors
///
/// None yet: a connection that fails ends alone, and one that cannot be accepted is waited for.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) -> io::Result<()> {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let accepting = async {
        loop {
            let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
            let Ok((stream, _)) = listener.accept().await else {
                time::sleep(PAUSE).await;
                continue;
            };
            let router = router.clone();
            let service = service_fn(move |request: hyper::Request<Incoming>| {
                let request: Request = request.map(Body::new);
                router.clone().oneshot(request)
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // A caller that goes away early is nothing to tell.
                let _ = connection.await;
                drop(place);
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        () = stop => {}
    }
    let _ = time::timeout(FAREWELL, graceful.shutdown()).await;
    Ok(())
}
