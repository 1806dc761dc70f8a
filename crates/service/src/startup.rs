//! What a process starts, and its orderly shutdown; the demonstration.

mod database;
pub(crate) mod demo;
pub(crate) mod first_run;
pub(crate) mod links;
mod places;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::middleware;
use frontdesk_assistant::{Assistant, BreakerSettings, ModelConfig, ModelWriter};
use frontdesk_knowledge::Hosts;
use frontdesk_outbound::{Outbound, OutboundError, Policy};
use frontdesk_retrieval::ContentSearch;
use frontdesk_store::{RateWindows, Store, StoreError};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, mpsc},
    task::JoinHandle,
    time::timeout,
};

pub use self::database::DatabaseError;
pub(crate) use self::database::{
    Lock, lock_file, open as open_database, open_or_create as open_or_create_database,
};
pub use self::places::PlaceError;
use crate::{
    answering::{
        Answering,
        hits::HitCounts,
        web_search::{WebSearch, WebSearchError},
    },
    api::{
        self, Service,
        console::{self, Console},
    },
    background::{
        Background,
        channels::{self, DeliverMessage, FetchAllMessages, FetchMessages, PruneAttachments, WakeThreads},
        embeddings::{EmbedChunks, embedding_model},
        follow_ups::{RemindOfActivities, SendFollowUps},
        jobs::{
            self, ApplyRetention, DeleteOrphanedObjects, Environment, EraseAccounts, FinishErasures,
            JobRunner, JobSignals, PruneIdempotency, PruneJobs, PruneReplyCounts, PruneSessions,
            PruneSkippedMails, PruneVisitorSessions, PurgeDeals, Queue, Registry, Timing,
        },
        media::MediaModels,
        notices::{MailError, Mailer, SendNotices},
        training::{BeginScheduledCrawls, CrawlWebsite, EndTrainingWithoutJob, FetchWebpage, ReadFile},
        unclaimed::TellUnclaimed,
        webhooks::{self, Dispatcher, PruneEvents, RecoverDeliveries},
    },
    edge::{
        Edge,
        authorization::{
            Authorization, KeyHasher, PolicyError, VisitorAuthorization, console::ConsoleAuthorization,
        },
        changes,
        console::gate,
        cursors::{CursorError, Cursors},
        http::{self, Server, Tls, TlsError},
        idempotency,
        rate_limit::{RateLimits, RedisUrlError},
        waiters::{Waiters, WaitingLimits},
    },
    platform::{
        Clock, Platform,
        config::Config,
        files::{self, FileStorage},
        metrics::Metrics,
        model_endpoint::{self, ModelEndpointError},
        priority::Priority,
        readiness::Readiness,
        secrets::{
            encryption::SecretCipher,
            pepper::{PepperError, Peppers},
        },
    },
};

/// How long a process that ends waits for what it still writes, after the time for requests and jobs. A
/// database that is silent must not keep it alive.
const LAST_CALLS: Duration = Duration::from_secs(5);

/// Why the service cannot start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// API keys would cross the network unencrypted.
    #[error(
        "{listen} can be reached from other machines over plain HTTP, which would expose API keys; give \
         --tls-certificate and --tls-key, or name the TLS proxy in front with --trusted-proxy, or listen on 127.0.0.1, \
         or accept the risk with --allow-plain-http"
    )]
    PlainHttp {
        /// The configured address.
        listen: SocketAddr,
    },
    /// The API keys would be hashed with a pepper that is in the database itself.
    #[error(
        "{listen} can be reached from other machines, but no pepper is configured; set keys.pepper \
         (FRONTDESK_KEYS_PEPPER) to at least 32 random characters, the same for all processes, or accept with \
         --allow-stored-pepper that a copy of the database reveals the secrets in it"
    )]
    StoredPepper {
        /// The configured address.
        listen: SocketAddr,
    },
    /// The database cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The database failed.
    #[error("the database failed while starting")]
    Store(#[from] StoreError),
    /// The contract asks for what this service cannot enforce.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// Lists cannot be paged.
    #[error(transparent)]
    Cursors(#[from] CursorError),
    /// The pepper does not fit the stored API keys and secrets.
    #[error(transparent)]
    Pepper(#[from] PepperError),
    /// The address of the Redis server cannot be used.
    #[error(transparent)]
    Redis(#[from] RedisUrlError),
    /// What the configuration names on this machine cannot be used.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// The client for requests to other hosts cannot be created.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// The endpoint of a model cannot be set up.
    #[error(transparent)]
    ModelEndpoint(#[from] ModelEndpointError),
    /// The web cannot be searched.
    #[error(transparent)]
    WebSearch(#[from] WebSearchError),
    /// E-mail cannot be sent.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// HTTPS cannot be served.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address is not available.
    #[error("cannot listen on {listen}; is another process using it?")]
    Listen {
        /// The configured address.
        listen: SocketAddr,
        /// Why it cannot.
        #[source]
        source: std::io::Error,
    },
}

/// The running service. If it is dropped, it runs until the runtime ends; [`Running::shutdown`] stops it in
/// order.
#[derive(Debug)]
pub struct Running {
    /// The address on which it listens; with port 0 in the configuration, the port that was chosen.
    pub address: SocketAddr,
    /// Its database.
    pub store: Store,
    service: Service,
    console: Console,
    server: Server,
    jobs: JobRunner,
    /// Receives changes of conversations by other processes.
    listener: JoinHandle<()>,
    dispatcher: Dispatcher,
    _lock: Option<Lock>,
}

impl Running {
    /// Returns the state that its parts share.
    pub fn service(&self) -> &Service {
        &self.service
    }

    /// Returns the console: sign-in, and what only people may do.
    pub(crate) fn console(&self) -> &Console {
        &self.console
    }

    /// Stops the service: accepts no new connections, finishes running requests, and returns jobs to the
    /// queue.
    pub async fn shutdown(self) {
        tracing::info!("stopping");
        self.service.waiters.stop();
        self.console.stop();
        let config = &self.service.config;
        let limit = config.http.drain_timeout.max(config.jobs.drain_timeout) + LAST_CALLS;
        let stopping =
            async { tokio::join!(self.server.stop(), self.jobs.shutdown(), self.dispatcher.shutdown()) };
        if timeout(limit, stopping).await.is_err() {
            tracing::warn!("stopping although calls of the database did not end");
        }
        self.listener.abort();
        if timeout(LAST_CALLS, self.service.hits.write(&self.store)).await.is_err() {
            tracing::warn!("the last uses of sources could not be counted");
        }
        self.store.close().await;
        tracing::info!("stopped");
    }
}

/// Starts the service; it listens when this returns.
///
/// It is not an `async fn`, because the compiler produces the body of a public `async fn` in every build:
/// with it, the unit tests would contain the whole service.
pub fn start(config: Config) -> impl Future<Output = Result<Running, StartError>> + Send {
    launch(config, Clock::system())
}

/// Starts the service with another clock.
pub fn start_with_clock(
    config: Config,
    clock: Clock,
) -> impl Future<Output = Result<Running, StartError>> + Send {
    launch(config, clock)
}

async fn launch(config: Config, clock: Clock) -> Result<Running, StartError> {
    let listen = config.listen;
    let protected = config.http.tls_certificate.is_some() || !config.http.trusted_proxies.is_empty();
    if !listen.ip().to_canonical().is_loopback() && !protected && !config.http.allow_plain_http {
        return Err(StartError::PlainHttp { listen });
    }
    if !listen.ip().to_canonical().is_loopback()
        && config.keys.pepper.is_none()
        && !config.keys.allow_stored_pepper
    {
        return Err(StartError::StoredPepper { listen });
    }
    let tls = match (&config.http.tls_certificate, &config.http.tls_key) {
        (Some(certificate), Some(key)) => {
            Some(Tls::load(certificate, key, config.http.tls_reload_interval).await?)
        }
        _ => None,
    };

    places::check(&config)?;
    let (store, lock) = database::open_to_serve(&config.database, config.database_connections).await?;
    let store = store.with_plan_limits(config.plans);
    if lock.is_some() {
        // This is the only process that works on the file, so leases of earlier processes are void.
        store.jobs().end_all_leases(clock.now()).await?;
        store.webhooks().end_all_leases().await?;
        store.deal_activities().end_all_leases(clock.now()).await?;
    }
    let cursors = Cursors::open(&store).await?;
    let peppers = Peppers::open(&store, &config.keys).await?;
    if peppers.current().id() != peppers.preferred().id() {
        tracing::warn!("a new pepper is configured but not in use; run `frontdesk key rotate-pepper`");
    }
    let policy = Policy {
        allow: config.training.allow_networks.clone(),
        ..Policy::new(config.training.user_agent.clone())
    };
    let outbound = Outbound::new(policy)?;
    let webhook_outbound = webhooks::outbound(&config)?;
    let mail_outbound = channels::mail_outbound(&config)?;
    let messenger_outbound = channels::messenger_outbound(&config)?;
    let mailer = Mailer::open(&config.mail, config.channels.timeout)?;
    let metrics = Metrics::new();
    let assistant = assistant(&config, &metrics)?;
    let media = MediaModels::open(&config.files)?;
    media.announce();
    let rate_limits = rate_limits(&config, &metrics)?;
    tracing::info!(place = rate_limits.place(), "rate limits are counted");
    let concurrent_replies = (config.limits.concurrent_replies as usize).min(Semaphore::MAX_PERMITS);
    let waiting_limits = WaitingLimits::new(&config.limits);
    let config = Arc::new(config);
    let files = FileStorage::open(&config);
    tokio::spawn(files.clone().warn_if_unreachable());
    let platform = Platform {
        store: store.clone(),
        files,
        config: config.clone(),
        clock,
        cipher: SecretCipher::new(&peppers),
        metrics,
        readiness: Readiness::default(),
        priority: Priority::default(),
    };
    let edge = Edge { platform, cursors, rate_limits, waiters: Waiters::new(waiting_limits) };
    let background = Background {
        edge: edge.clone(),
        job_signals: JobSignals::default(),
        outbound,
        webhook_outbound,
        mail_outbound,
        messenger_outbound,
        mailer: mailer.map(Arc::new),
        crawled_hosts: Hosts::new(),
        extractor: files::extractor(&config),
        media,
    };
    let search = ContentSearch::new(store.clone(), embedding_model(&config.search)?);
    let answering = Answering {
        background: background.clone(),
        assistant: Arc::new(assistant),
        search: search.clone(),
        web_search: WebSearch::open(&config.web_search)?,
        hits: HitCounts::default(),
        reply_slots: Arc::new(Semaphore::new(concurrent_replies)),
    };
    let service = Service { answering };
    let authorization = Authorization::new(edge.clone(), KeyHasher::new(&peppers), api::resolvers())?;
    let body_limits = authorization.body_limits();
    let shared = authorization.shared_operations();
    let listener = TcpListener::bind(listen).await.map_err(|source| StartError::Listen { listen, source })?;
    let visitors = VisitorAuthorization::new(edge.clone(), api::visitors::resolvers())?;
    let interface = api::interface::router(service.clone(), authorization, visitors, body_limits)
        .layer(middleware::from_fn_with_state(edge.clone(), idempotency::remember))
        .layer(middleware::from_fn_with_state(edge.clone(), changes::announce));
    let console = Console::new(edge.clone());
    let interface = interface
        .clone()
        .merge(channels::posts::routes(&background))
        .merge(
            console::router(&console, ConsoleAuthorization::new(edge.clone())?)
                .layer(middleware::from_fn_with_state(edge.clone(), changes::announce)),
        )
        .merge(gate(edge.clone(), interface));
    let (sender, running) = mpsc::channel(1);
    let application = http::application(interface, shared, &edge, sender);
    let encrypted = tls.is_some();
    let server = Server::start(listener, tls, application, running, &config.http, edge.metrics.clone())
        .map_err(|source| StartError::Listen { listen, source })?;
    let jobs = start_jobs(&background, search);
    let dispatcher = Dispatcher::start(&background);
    let listener = tokio::spawn({
        let platform = edge.platform.clone();
        async move { platform.store.listen(platform.config.database.expose()).await }
    });
    let mut workers = jobs.workers();
    workers.push(dispatcher.worker());
    edge.readiness.watch_workers(workers);
    let address = server.address();
    let scheme = if encrypted { "https" } else { "http" };
    tracing::info!(address = %format_args!("{scheme}://{address}"), engine = service.assistant.engine(), "listening");
    Ok(Running { address, store, service, console, server, jobs, dispatcher, listener, _lock: lock })
}

/// Starts the workers with every kind of job that this version knows.
fn start_jobs(background: &Background, search: ContentSearch) -> JobRunner {
    let registry = Registry::default()
        .with(CrawlWebsite::new(background.clone()))
        .with(FetchWebpage::new(background.clone()))
        .with(BeginScheduledCrawls(background.clone()))
        .with(EndTrainingWithoutJob(background.clone()))
        .with(ReadFile::documents(background.clone()))
        .with(ReadFile::images(background.clone()))
        .with(ReadFile::recordings(background.clone()))
        .with(TellUnclaimed(background.clone()))
        .with(DeleteOrphanedObjects(background.clone()))
        .with(PruneJobs(background.clone()))
        .with(PruneReplyCounts(background.clone()))
        .with(PruneVisitorSessions(background.clone()))
        .with(PruneSessions(background.clone()))
        .with(PruneIdempotency(background.clone()))
        .with(PurgeDeals(background.clone()))
        .with(PruneSkippedMails(background.clone()))
        .with(ApplyRetention(background.clone()))
        .with(FinishErasures(background.clone()))
        .with(EraseAccounts(background.clone()))
        .with(EmbedChunks {
            search,
            store: background.store.clone(),
            clock: background.clock.clone(),
            signals: background.job_signals.clone(),
        })
        .with(PruneEvents(background.clone()))
        .with(RecoverDeliveries(background.clone()))
        .with(SendNotices::new(background.clone()))
        .with(SendFollowUps::new(background.clone()))
        .with(RemindOfActivities(background.clone()))
        .with(DeliverMessage(background.clone()))
        .with(WakeThreads(background.clone()))
        .with(PruneAttachments(background.clone()))
        .with(FetchMessages(background.clone()))
        .with(FetchAllMessages(background.clone()));
    let environment = Environment {
        store: background.store.clone(),
        clock: background.clock.clone(),
        metrics: background.metrics.clone(),
        signals: background.job_signals.clone(),
        registry: Arc::new(registry),
        timing: Timing { drain: background.config.jobs.drain_timeout, ..Timing::default() },
    };
    jobs::start(&environment, &Queue::ALL.map(|queue| (queue, queue.concurrency(&background.config))))
}

/// Returns the rate limits in the store that all processes of this configuration share.
fn rate_limits(config: &Config, metrics: &Metrics) -> Result<RateLimits, StartError> {
    let timeout = config.limits.shared_timeout;
    if let Some(url) = &config.limits.redis_url {
        return Ok(RateLimits::in_redis(url.expose(), timeout, metrics.clone())?);
    }
    Ok(match RateWindows::open(config.database.expose())? {
        Some(windows) => RateLimits::in_postgres(windows, timeout, metrics.clone()),
        None => RateLimits::in_process(),
    })
}

/// Creates the assistant. Its model has an outbound client of its own, so that networks opened for the model
/// stay closed to the crawler, and the other way round.
pub(crate) fn assistant(config: &Config, metrics: &Metrics) -> Result<Assistant, StartError> {
    let settings = &config.assistant;
    let outbound = model_endpoint::outbound(settings.base_url.as_ref(), &settings.allow_networks)?;
    let Some(model) = model(config)? else { return Ok(Assistant::new(None, outbound)) };
    let writer = ModelWriter::new(model, outbound).observed_by(Arc::new(metrics.model().clone()));
    Ok(Assistant::with_model(writer))
}

fn model(config: &Config) -> Result<Option<ModelConfig>, StartError> {
    let settings = &config.assistant;
    let (Some(base_url), Some(name)) = (&settings.base_url, &settings.model) else { return Ok(None) };
    let api_key = model_endpoint::api_key(settings.api_key.as_ref(), "assistant.api_key")?;
    Ok(Some(ModelConfig {
        timeout: settings.timeout,
        max_tokens: settings.max_tokens,
        token_parameter: settings.max_tokens_parameter,
        temperature: settings.temperature,
        max_prompt_chars: settings.max_prompt_characters,
        max_concurrency: settings.max_concurrency,
        breaker: BreakerSettings { failures: settings.breaker_failures, cooldown: settings.breaker_cooldown },
        ..ModelConfig::new(base_url.clone(), api_key, name.clone())
    }))
}
