//! Listener: [`Server`] accepts connections, serves them, and drains them at shutdown.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc, watch},
    task::JoinHandle,
    time::{sleep, timeout_at},
};
use tower::ServiceExt;

use super::{
    client_connections::ClientConnections,
    linger::{Lingering, Unread},
    origin::Peer,
    tls::Tls,
    write_timeout::WriteTimeout,
};
use crate::{config::Http, metrics::Metrics};

/// Maximum size of the head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// Pause after a failure to accept a connection, such as when all file descriptors are in use.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The HTTP server, running.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// Everything that serving a connection needs.
#[derive(Clone)]
struct Connections {
    router: Router,
    tls: Option<Tls>,
    header_timeout: Duration,
    metrics: Metrics,
    clients: ClientConnections,
    cut: watch::Receiver<bool>,
}

impl Server {
    /// Starts serving. `running` ends when no request is running and the router is dropped.
    pub(crate) fn start(
        listener: TcpListener,
        tls: Option<Tls>,
        router: Router,
        running: mpsc::Receiver<()>,
        config: &Http,
        metrics: Metrics,
    ) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let (stop, stopping) = watch::channel(false);
        let (cut_off, cut) = watch::channel(false);
        let clients = ClientConnections::new(config.max_connections_per_client, &config.trusted_proxies);
        let connections =
            Connections { router, tls, header_timeout: config.header_timeout, metrics, clients, cut };
        let drain_timeout = config.drain_timeout;
        let permits = Arc::new(Semaphore::new(config.max_connections));
        let task = tokio::spawn(async move {
            let graceful = GracefulShutdown::new();
            accept(listener, connections, permits, &graceful, stopping).await;
            drain(graceful, running, cut_off, drain_timeout).await;
        });
        Ok(Self { address, stop, task })
    }

    /// Returns the address on which the server listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting connections and waits for running requests, as long as the configuration allows.
    pub(crate) async fn stop(self) {
        // Fails only if the task has already ended.
        let _ = self.stop.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the HTTP server ended unexpectedly");
        }
    }
}

async fn accept(
    listener: TcpListener,
    connections: Connections,
    permits: Arc<Semaphore>,
    graceful: &GracefulShutdown,
    mut stopping: watch::Receiver<bool>,
) {
    let accepting = async {
        loop {
            let permit = Arc::clone(&permits).acquire_owned().await.expect("the semaphore is never closed");
            match listener.accept().await {
                Ok((stream, address)) => {
                    let Some(counted) = connections.clients.open(address.ip()) else {
                        // Before any byte is read: the client must not cost more than this.
                        tracing::debug!(client = %address.ip(), "closed a connection above the cap per client");
                        connections.metrics.connection_refused();
                        continue;
                    };
                    let connections = connections.clone();
                    let watcher = graceful.watcher();
                    tokio::spawn(async move {
                        connections.serve(stream, address, watcher).await;
                        drop((permit, counted));
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    };
    tokio::select! {
        () = accepting => {}
        _ = stopping.wait_for(|stop| *stop) => {}
    }
}

/// Waits until every connection and every request has ended, or the time limit has passed.
async fn drain(
    graceful: GracefulShutdown,
    mut running: mpsc::Receiver<()>,
    cut_off: watch::Sender<bool>,
    drain_timeout: Duration,
) {
    let open = graceful.count();
    if open > 0 {
        tracing::info!(connections = open, "waiting for open connections");
    }
    let deadline = tokio::time::Instant::now() + drain_timeout;
    if timeout_at(deadline, graceful.shutdown()).await.is_err() {
        tracing::warn!("closing connections that did not end in time");
        // Fails only if the last of them has just ended.
        let _ = cut_off.send(true);
    }
    // Nothing is ever sent: this ends when the last request drops its sender.
    if timeout_at(deadline, running.recv()).await.is_err() {
        tracing::warn!("requests were still running when the time to finish them was over");
    }
}

impl Connections {
    async fn serve(self, stream: TcpStream, address: SocketAddr, watcher: Watcher) {
        let _open = self.metrics.connection();
        let mut cut = self.cut.clone();
        let serving = async move {
            // Responses are written as a whole, so delaying small packets gains nothing.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection was lost immediately");
            }
            let unread = Unread::default();
            let peer = Peer { address, encrypted: self.tls.is_some(), unread: unread.clone() };
            let stream = WriteTimeout::new(Lingering::new(stream, unread));
            match &self.tls {
                None => self.serve_http(stream, peer, watcher).await,
                Some(tls) => {
                    match tokio::time::timeout(self.header_timeout, tls.acceptor().accept(stream)).await {
                        Ok(Ok(stream)) => self.serve_http(stream, peer, watcher).await,
                        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                        Err(_) => tracing::debug!("a TLS handshake took too long"),
                    }
                }
            }
        };
        tokio::select! {
            () = serving => {}
            _ = cut.wait_for(|cut| *cut) => {}
        }
    }

    async fn serve_http(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
        peer: Peer,
        watcher: Watcher,
    ) {
        let router = self.router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let mut request: Request = request.map(Body::new);
            request.extensions_mut().insert(peer.clone());
            router.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = watcher.watch(connection).await {
            tracing::debug!(%error, "a connection ended early");
        }
    }
}
