//! Owns [`Server`]: accepting connections, serving them, and ending well.

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
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use super::{
    linger::{Lingering, Unread},
    origin::Peer,
    stall::Impatient,
};
use crate::{config::Http, metrics::Metrics};

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// How long to wait when no connection can be accepted, as when all file descriptors are in use.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The HTTP server, running.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

/// What connections are served with.
#[derive(Clone)]
struct Connections {
    router: Router,
    tls: Option<TlsAcceptor>,
    header_timeout: Duration,
    metrics: Metrics,
    cut: watch::Receiver<bool>,
}

impl Server {
    /// Starts to serve. `running` ends when no request is under way and the router is gone.
    pub(crate) fn start(
        listener: TcpListener,
        tls: Option<TlsAcceptor>,
        router: Router,
        running: mpsc::Receiver<()>,
        config: &Http,
        metrics: Metrics,
    ) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let (stop, stopping) = watch::channel(false);
        let (cut_off, cut) = watch::channel(false);
        let connections = Connections { router, tls, header_timeout: config.header_timeout, metrics, cut };
        let drain_timeout = config.drain_timeout;
        let places = Arc::new(Semaphore::new(config.max_connections));
        let task = tokio::spawn(async move {
            let graceful = GracefulShutdown::new();
            accept(listener, connections, places, &graceful, stopping).await;
            drain(graceful, running, cut_off, drain_timeout).await;
        });
        Ok(Self { address, stop, task })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops accepting connections and waits for the requests under way, as long as the configuration allows.
    pub(crate) async fn stop(self) {
        // It fails only if the task has ended already.
        let _ = self.stop.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the HTTP server did not end well");
        }
    }
}

async fn accept(
    listener: TcpListener,
    connections: Connections,
    places: Arc<Semaphore>,
    graceful: &GracefulShutdown,
    mut stopping: watch::Receiver<bool>,
) {
    let accepting = async {
        loop {
            let place = Arc::clone(&places).acquire_owned().await.expect("the semaphore is never closed");
            match listener.accept().await {
                Ok((stream, address)) => {
                    let connections = connections.clone();
                    let watcher = graceful.watcher();
                    tokio::spawn(async move {
                        connections.serve(stream, address, watcher).await;
                        drop(place);
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

/// Waits until every connection and every request has ended, or the time is over.
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
        tracing::warn!("connections that did not end in time are cut");
        // It fails only if the last of them has just ended.
        let _ = cut_off.send(true);
    }
    // Nothing is ever sent: it ends when the last request lets go of its sender.
    if timeout_at(deadline, running.recv()).await.is_err() {
        tracing::warn!("requests were still under way when the time to finish them was over");
    }
}

impl Connections {
    async fn serve(self, stream: TcpStream, address: SocketAddr, watcher: Watcher) {
        let _open = self.metrics.connection();
        let mut cut = self.cut.clone();
        let serving = async move {
            // Answers are written whole, so there is nothing to gain from waiting for more.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection was lost at once");
            }
            let unread = Unread::default();
            let peer = Peer { address, encrypted: self.tls.is_some(), unread: unread.clone() };
            let stream = Impatient::new(Lingering::new(stream, unread));
            match &self.tls {
                None => self.speak_http(stream, peer, watcher).await,
                Some(tls) => match tokio::time::timeout(self.header_timeout, tls.accept(stream)).await {
                    Ok(Ok(stream)) => self.speak_http(stream, peer, watcher).await,
                    Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
                    Err(_) => tracing::debug!("a TLS handshake took too long"),
                },
            }
        };
        tokio::select! {
            () = serving => {}
            _ = cut.wait_for(|cut| *cut) => {}
        }
    }

    async fn speak_http(
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
