//! [`serve`]: accepts connections, with limits on their number and on the size and duration of request heads.

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

/// The largest number of concurrent connections; further ones wait.
const MAX_CONNECTIONS: usize = 256;
/// The largest request head, in bytes; a longer one gets a 431 response.
const MAX_HEAD: usize = 64 << 10;
/// The time limit for receiving a request head.
const HEAD_TIME: Duration = Duration::from_secs(30);
/// The pause after a connection could not be accepted, for example because no file descriptor is free.
const PAUSE: Duration = Duration::from_millis(100);
/// The time that running requests have to finish when the mock stops.
const SHUTDOWN_TIME: Duration = Duration::from_secs(2);

/// Serves a router until `stop` completes, then waits for running requests to finish.
///
/// # Errors
///
/// Currently none: errors of single connections are ignored, and accepting is retried after a pause.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) -> io::Result<()> {
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let accepting = async {
        loop {
            let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
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
                .max_buf_size(MAX_HEAD)
                .serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async move {
                // A client that disconnects early is not an error.
                let _ = connection.await;
                drop(permit);
            });
        }
    };
    tokio::select! {
        () = accepting => {}
        () = stop => {}
    }
    let _ = time::timeout(SHUTDOWN_TIME, graceful.shutdown()).await;
    Ok(())
}
