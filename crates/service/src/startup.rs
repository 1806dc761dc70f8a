//! Owns the start of the service and its orderly end.

mod database;

use std::{net::SocketAddr, sync::Arc};

use frontdesk_assistant::{ApiKey, Assistant, ModelConfig};
use frontdesk_outbound::{Outbound, OutboundError, Policy};
use frontdesk_store::{Store, StoreError};
use tokio::{
    net::TcpListener,
    sync::{Notify, mpsc},
};

pub use self::database::DatabaseError;
use self::database::Lock;
pub(crate) use self::database::open as open_database;
use crate::{
    authentication::Authentication,
    config::Config,
    http::{self, Server, TlsError},
    keys::{KeyHasher, KeyHasherError},
    metrics::Metrics,
    sealing::Sealer,
    service::{Clock, Service},
    training::{self, TrainingHandle},
};

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// API keys would cross the network unprotected.
    #[error(
        "{listen} can be reached from other machines over plain HTTP, which would expose API keys; give \
         --tls-certificate and --tls-key, or name the TLS proxy in front with --trusted-proxy, or listen on 127.0.0.1, \
         or accept the risk with --allow-plain-http"
    )]
    PlainHttp {
        /// Where it was to listen.
        listen: SocketAddr,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The database failed.
    #[error("the database failed while starting")]
    Store(#[from] StoreError),
    /// API keys cannot be checked.
    #[error(transparent)]
    Keys(#[from] KeyHasherError),
    /// No requests can be made to other hosts.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// The model's API key cannot be sent in a header.
    #[error(
        "`assistant.api_key` has characters that an HTTP header cannot carry; check that it was copied whole"
    )]
    ModelKey,
    /// HTTPS cannot be served.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address is not available.
    #[error("cannot listen on {listen}; is another process using it?")]
    Listen {
        /// Where it was to listen.
        listen: SocketAddr,
        /// Why it cannot.
        #[source]
        source: std::io::Error,
    },
}

/// The service, running. Dropping it leaves it running until the runtime ends; [`Running::shutdown`] ends it well.
#[derive(Debug)]
pub struct Running {
    /// Where it listens; with port 0 in the configuration, the port that was free.
    pub address: SocketAddr,
    /// Its database.
    pub store: Store,
    service: Service,
    server: Server,
    training: TrainingHandle,
    _lock: Option<Lock>,
}

impl Running {
    /// What its parts share.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Ends it: no new connections, requests under way are finished, training goes back to the queue.
    pub async fn shutdown(self) {
        tracing::info!("stopping");
        tokio::join!(self.server.stop(), self.training.shutdown());
        self.store.close().await;
        tracing::info!("stopped");
    }
}

/// Starts the service; it has begun to listen when this returns.
pub async fn start(config: Config) -> Result<Running, StartError> {
    start_with_clock(config, Clock::system()).await
}

/// Starts the service by another clock.
pub async fn start_with_clock(config: Config, clock: Clock) -> Result<Running, StartError> {
    let listen = config.listen;
    let protected = config.http.tls_certificate.is_some() || !config.http.trusted_proxies.is_empty();
    if !listen.ip().to_canonical().is_loopback() && !protected && !config.http.allow_plain_http {
        return Err(StartError::PlainHttp { listen });
    }
    let tls = match (&config.http.tls_certificate, &config.http.tls_key) {
        (Some(certificate), Some(key)) => Some(http::acceptor(certificate, key)?),
        _ => None,
    };

    let (store, lock) = database::open_to_serve(&config.database).await?;
    if lock.is_some() {
        // The only process that works on this file is this one, so whatever was leased to another is free again.
        store.release_all_leases(clock.now()).await?;
    }
    let hasher = KeyHasher::open(&store, config.key_pepper.as_ref()).await?;
    let sealer = Sealer::open(&store, config.key_pepper.as_ref()).await?;
    let policy = Policy {
        allow: config.training.allow_networks.clone(),
        ..Policy::new(config.training.user_agent.clone())
    };
    let outbound = Outbound::new(policy)?;
    let assistant = Assistant::new(model(&config)?, outbound.clone());

    let service = Service {
        store: store.clone(),
        assistant: Arc::new(assistant),
        outbound,
        config: Arc::new(config),
        clock,
        sealer,
        metrics: Metrics::new(),
        training_queued: Arc::new(Notify::new()),
    };
    let listener = TcpListener::bind(listen).await.map_err(|source| StartError::Listen { listen, source })?;
    let authentication = Authentication::new(service.clone(), hasher);
    let interface = frontdesk_server::routes(service.clone(), authentication)
        .body_limit(service.config.http.body_limit)
        .tell_operation()
        .into_router();
    let (sender, running) = mpsc::channel(1);
    let application = http::application(interface, &service, sender);
    let encrypted = tls.is_some();
    let server =
        Server::start(listener, tls, application, running, &service.config.http, service.metrics.clone())
            .map_err(|source| StartError::Listen { listen, source })?;
    let training = training::spawn(&service);
    let address = server.address();
    let scheme = if encrypted { "https" } else { "http" };
    tracing::info!(address = %format_args!("{scheme}://{address}"), engine = service.assistant.engine(), "listening");
    Ok(Running { address, store, service, server, training, _lock: lock })
}

fn model(config: &Config) -> Result<Option<ModelConfig>, StartError> {
    let (Some(base_url), Some(name)) = (&config.assistant.base_url, &config.assistant.model) else {
        return Ok(None);
    };
    let api_key = match &config.assistant.api_key {
        Some(key) => Some(ApiKey::new(key.expose()).ok_or(StartError::ModelKey)?),
        None => None,
    };
    Ok(Some(ModelConfig::new(base_url.clone(), api_key, name.clone())))
}
