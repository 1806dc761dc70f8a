//! Listener: [`Server`] accepts connections, serves them, and drains them at shutdown.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

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
    client_connections::{ClientConnections, Connection},
    linger::{Lingering, Unread},
    origin::Peer,
    running_body::RunningBody,
    tls::Tls,
    write_timeout::WriteTimeout,
};
use crate::platform::{config::Http, metrics::Metrics};

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
    stopping: watch::Receiver<bool>,
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
        let (maximum, per_client) = (config.max_connections, config.max_connections_per_client);
        let connections = Connections {
            router,
            tls,
            header_timeout: config.header_timeout,
            metrics,
            clients: ClientConnections::new(maximum, per_client, &config.trusted_proxies),
            stopping,
            cut,
        };
        let drain_timeout = config.drain_timeout;
        let newcomers = Arc::new(Semaphore::new(ClientConnections::newcomers(maximum)));
        let task = tokio::spawn(async move {
            let graceful = GracefulShutdown::new();
            accept(listener, connections, newcomers, &graceful).await;
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
    newcomers: Arc<Semaphore>,
    graceful: &GracefulShutdown,
) {
    let mut stopping = connections.stopping.clone();
    let accepting = async {
        loop {
            let newcomer =
                Arc::clone(&newcomers).acquire_owned().await.expect("the semaphore is never closed");
            match listener.accept().await {
                Ok((stream, address)) => {
                    let connections = connections.clone();
                    let watcher = graceful.watcher();
                    tokio::spawn(async move {
                        if let Some(connection) = connections.enter(address).await {
                            drop(newcomer);
                            connections.serve(stream, address, connection, watcher).await;
                        }
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
    /// Waits for a place, before any byte is read: a client that gets none must not cost more than this.
    async fn enter(&self, address: SocketAddr) -> Option<Connection> {
        let mut stopping = self.stopping.clone();
        let entered = tokio::select! {
            // Who has a place when the process stops is served.
            biased;
            entered = self.clients.enter(address.ip()) => entered,
            _ = stopping.wait_for(|stop| *stop) => return None,
        };
        if entered.is_none() {
            tracing::debug!(client = %address.ip(), "closed a connection above the cap per client");
            self.metrics.connection_refused();
        }
        entered
    }

    async fn serve(self, stream: TcpStream, address: SocketAddr, connection: Connection, watcher: Watcher) {
        let _open = self.metrics.connection();
        let metrics = self.metrics.clone();
        let mut cut = self.cut.clone();
        let connection = Arc::new(connection);
        let served = Arc::clone(&connection);
        let serving = async move {
            // Responses are written as a whole, so delaying small packets gains nothing.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection was lost immediately");
            }
            let unread = Unread::default();
            let peer = Peer { address, encrypted: self.tls.is_some(), unread: unread.clone() };
            let stream = WriteTimeout::new(Lingering::new(stream, unread));
            match &self.tls {
                None => self.serve_http(stream, peer, served, watcher).await,
                Some(tls) => {
                    match tokio::time::timeout(self.header_timeout, tls.acceptor().accept(stream)).await {
                        Ok(Ok(stream)) => self.serve_http(stream, peer, served, watcher).await,
                        Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                        Err(_) => tracing::debug!("a TLS handshake took too long"),
                    }
                }
            }
        };
        tokio::select! {
            () = serving => {}
            () = connection.is_to_close() => {
                tracing::debug!(client = %address.ip(), "closed an idle connection to make room for another client");
                metrics.connection_closed_for_another();
            }
            _ = cut.wait_for(|cut| *cut) => {}
        }
    }

    async fn serve_http(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
        peer: Peer,
        connection: Arc<Connection>,
        watcher: Watcher,
    ) {
        let router = self.router.clone();
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            let running = connection.begin();
            let mut request: Request = request.map(Body::new);
            request.extensions_mut().insert(peer.clone());
            let response = router.clone().oneshot(request);
            async move {
                // Another client has the place, and the connection is closed in this moment.
                let Some(running) = running else { return std::future::pending().await };
                let response = response.await?;
                Ok::<_, Infallible>(response.map(|body| RunningBody::new(body, running)))
            }
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
