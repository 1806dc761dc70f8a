//! Rate limits: a maximum number of events per subject within any 60 seconds, over all processes of an
//! installation.
//!
//! The limit is a sliding window and exact: 60 a minute means 60 in any 60 seconds. Where events are counted
//! depends on the configuration:
//!
//! 1. In Redis or Valkey, if `limits.redis_url` is set (`redis_windows`).
//! 2. Otherwise in the database, if it is PostgreSQL, which several processes can share
//!    ([`frontdesk_store::RateWindows`]). While there is much room, each process takes several events at once
//!    (`portions`).
//! 3. Otherwise in this process (`local`): a SQLite database is served by a single process.
//!
//! If the shared store fails or does not respond in time, this process decides alone and counts the decision
//! as a fallback in the metrics. Every process also remembers what it has admitted itself, so that an
//! exhausted limit is refused without a round trip, and so that the limit of each process still holds during
//! a failure.

mod local;
mod operation;
mod portions;
mod redis_windows;
mod shared;

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{task::AbortHandle, time::Instant};
use uuid::Uuid;

pub(crate) use self::{local::RateLimit, redis_windows::RedisUrlError};
use self::{operation::Operation, portions::PortionedWindows, shared::SharedStore};
use crate::platform::metrics::Metrics;

/// The time over which events are counted.
const WINDOW: Duration = Duration::from_mins(1);

/// Consecutive failures of the shared store after which it is not asked for a while.
const FAILURES_BEFORE_PAUSE: u32 = 3;

/// How long the shared store is not asked after repeated failures.
const PAUSE: Duration = Duration::from_secs(1);

/// How often expired entries are removed from the shared store.
const PRUNE_INTERVAL: Duration = Duration::from_mins(1);

/// What a limit applies to. Every subject has a window of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    /// Requests with an API key.
    RequestsOfKey(Uuid),
    /// Requests from a client address that prove nothing or name nothing, by the operation and what exists of
    /// what they name. Others of the address, and other failures of it, are not counted here.
    FailedAttempts(IpAddr, &'static str, Option<Uuid>),
    /// Keyless replies of a chatbot to a client address.
    RepliesToClient(Uuid, IpAddr),
    /// Keyless replies of a chatbot.
    RepliesOfChatbot(Uuid),
    /// Valid requests of a client address to a contact form.
    RequestsToForm(Uuid, IpAddr),
    /// Submissions of a contact form that look like those of people.
    SubmissionsOfForm(Uuid),
    /// Submissions of a contact form that look automated.
    DoubtfulSubmissionsOfForm(Uuid),
    /// Messages that are posted to a channel by whom it was set up for.
    PostsToChannel(Uuid),
    /// Web searches for a chatbot.
    WebSearchesOfChatbot(Uuid),
    /// Requests of a client address to a widget.
    RequestsToWidget(Uuid, IpAddr),
    /// Sessions that a client address begins with a widget.
    SessionsOfClient(Uuid, IpAddr),
    /// Sessions that begin with a widget.
    SessionsOfWidget(Uuid),
    /// Requests of a session.
    RequestsOfVisitor(Uuid),
    /// Messages of a session.
    MessagesOfVisitor(Uuid),
    /// Messages from a client address to a chatbot's widget.
    MessagesOfClient(Uuid, IpAddr),
    /// Requests of a person's session.
    RequestsOfSession(Uuid),
    /// Failures of a client address to sign in; with an id of an e-mail address only those with it.
    FailedSignIns(IpAddr, Option<Uuid>),
    /// Passwords that were right, from a client address with an id of an e-mail address.
    SignIns(IpAddr, Uuid),
    /// Challenges for passkeys that are made for a client address.
    PasskeyChallenges(IpAddr),
    /// Requests of a client address for a new password; with an id of an e-mail address only those for it.
    PasswordResets(IpAddr, Option<Uuid>),
    /// Links of invitations that are made in an account.
    InvitationLinks(Uuid),
}

/// The name of the subject in a shared store.
impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RequestsOfKey(key_id) => write!(formatter, "key:{key_id}"),
            Self::FailedAttempts(client, operation, named) => {
                write!(formatter, "failed:{client}:{operation}:{}", named.unwrap_or_default())
            }
            Self::RepliesToClient(chatbot_id, client) => write!(formatter, "reply:{chatbot_id}:{client}"),
            Self::RepliesOfChatbot(chatbot_id) => write!(formatter, "replies:{chatbot_id}"),
            Self::RequestsToForm(form_key, client) => write!(formatter, "form:{form_key}:{client}"),
            Self::SubmissionsOfForm(form_key) => write!(formatter, "forms:{form_key}"),
            Self::DoubtfulSubmissionsOfForm(form_key) => write!(formatter, "doubtful:{form_key}"),
            Self::PostsToChannel(channel_key) => write!(formatter, "channel:{channel_key}"),
            Self::WebSearchesOfChatbot(chatbot_id) => write!(formatter, "web:{chatbot_id}"),
            Self::RequestsToWidget(widget_key, client) => write!(formatter, "widget:{widget_key}:{client}"),
            Self::SessionsOfClient(widget_key, client) => write!(formatter, "session:{widget_key}:{client}"),
            Self::SessionsOfWidget(widget_key) => write!(formatter, "sessions:{widget_key}"),
            Self::RequestsOfVisitor(session_id) => write!(formatter, "visitor:{session_id}"),
            Self::MessagesOfVisitor(session_id) => write!(formatter, "said:{session_id}"),
            Self::RequestsOfSession(session_id) => write!(formatter, "session:{session_id}"),
            Self::FailedSignIns(client, email) => {
                write!(formatter, "sign_in:{client}:{}", email.unwrap_or_default())
            }
            Self::SignIns(client, email) => write!(formatter, "signed_in:{client}:{email}"),
            Self::PasskeyChallenges(client) => write!(formatter, "passkey:{client}"),
            Self::PasswordResets(client, email) => {
                write!(formatter, "reset:{client}:{}", email.unwrap_or_default())
            }
            Self::InvitationLinks(account_id) => write!(formatter, "invitations:{account_id}"),
            Self::MessagesOfClient(chatbot_id, client) => write!(formatter, "said:{chatbot_id}:{client}"),
        }
    }
}

/// An event exceeds its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exceeded {
    /// Whole seconds after which the next event will be admitted, at least 1.
    pub(crate) retry_after: u64,
}

impl Exceeded {
    /// Rounds the wait up to whole seconds.
    fn after(wait: Duration) -> Self {
        Self { retry_after: (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1) }
    }
}

/// The rate limits of an installation. Clones share their counts.
#[derive(Clone)]
pub struct RateLimits {
    inner: Arc<Inner>,
}

struct Inner {
    local: RateLimit<Subject>,
    shared: Option<Shared>,
}

/// The shared store and what is known about its state.
struct Shared {
    store: Arc<SharedStore>,
    timeout: Duration,
    metrics: Metrics,
    health: Mutex<Health>,
    pruning: AbortHandle,
}

#[derive(Default)]
struct Health {
    consecutive_failures: u32,
    paused_until: Option<Instant>,
}

impl RateLimits {
    /// Limits that are counted in this process only.
    pub(crate) fn in_process() -> Self {
        Self { inner: Arc::new(Inner { local: RateLimit::new(), shared: None }) }
    }

    /// Limits that are counted in a store that all processes share. `timeout` bounds the wait for each
    /// decision.
    fn shared(store: SharedStore, timeout: Duration, metrics: Metrics) -> Self {
        let store = Arc::new(store);
        let pruning = tokio::spawn(prune(Arc::clone(&store))).abort_handle();
        let shared = Shared { store, timeout, metrics, health: Mutex::default(), pruning };
        Self { inner: Arc::new(Inner { local: RateLimit::new(), shared: Some(shared) }) }
    }

    /// Limits that are counted in Redis or Valkey. The connection is made with the first request.
    pub(crate) fn in_redis(url: &str, timeout: Duration, metrics: Metrics) -> Result<Self, RedisUrlError> {
        Ok(Self::shared(
            SharedStore::Redis(redis_windows::RedisWindows::open(url, timeout)?),
            timeout,
            metrics,
        ))
    }

    /// Limits that are counted in PostgreSQL.
    pub(crate) fn in_postgres(
        windows: frontdesk_store::RateWindows,
        timeout: Duration,
        metrics: Metrics,
    ) -> Self {
        Self::shared(SharedStore::Postgres(PortionedWindows::new(windows)), timeout, metrics)
    }

    /// Returns where events are counted, for the log.
    pub(crate) fn place(&self) -> &'static str {
        self.inner.shared.as_ref().map_or("process", |shared| shared.store.name())
    }

    /// Admits an event and counts it, or refuses it without counting it.
    pub(crate) async fn take(&self, subject: Subject, limit: u32) -> Result<(), Exceeded> {
        // The moment before the shared store decides: the event must not stay longer here than there.
        let now = Instant::now();
        self.inner.local.check(&subject, limit, now)?;
        match self.ask(Operation::Take, subject, limit).await {
            Some(Ok(())) => {
                self.inner.local.record(subject, now);
                Ok(())
            }
            Some(refused) => refused,
            None => self.inner.local.take(subject, limit, now),
        }
    }

    /// Returns whether an event would be admitted, without counting it.
    pub(crate) async fn check(&self, subject: Subject, limit: u32) -> Result<(), Exceeded> {
        self.inner.local.check(&subject, limit, Instant::now())?;
        self.ask(Operation::Check, subject, limit).await.unwrap_or(Ok(()))
    }

    /// Returns the decision of the shared store, or `None` if this process has to decide alone.
    async fn ask(&self, operation: Operation, subject: Subject, limit: u32) -> Option<Result<(), Exceeded>> {
        let shared = self.inner.shared.as_ref()?;
        if shared.is_paused() {
            shared.metrics.rate_limit_fallback();
            return None;
        }
        let name = subject.to_string();
        let decision = shared.store.decide(operation, &name, limit, WINDOW);
        match tokio::time::timeout(shared.timeout, decision).await {
            Ok(Ok(wait)) => {
                shared.succeeded();
                Some(wait.map_or(Ok(()), |wait| Err(Exceeded::after(wait))))
            }
            Ok(Err(error)) => {
                shared.failed(&error.to_string());
                None
            }
            Err(_) => {
                shared.failed("it did not respond in time");
                None
            }
        }
    }
}

impl fmt::Debug for RateLimits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RateLimits").field("place", &self.place()).finish_non_exhaustive()
    }
}

impl Shared {
    fn is_paused(&self) -> bool {
        self.health().paused_until.is_some_and(|until| Instant::now() < until)
    }

    fn succeeded(&self) {
        let mut health = self.health();
        if health.consecutive_failures > 0 {
            *health = Health::default();
            self.metrics.rate_limits_degraded(false);
            tracing::info!(store = self.store.name(), "rate limits are shared by all processes again");
        }
    }

    fn failed(&self, problem: &str) {
        let mut health = self.health();
        if health.consecutive_failures == 0 {
            tracing::warn!(
                store = self.store.name(),
                problem,
                "the store of the rate limits failed; each process counts alone until it works again"
            );
        }
        health.consecutive_failures = health.consecutive_failures.saturating_add(1);
        if health.consecutive_failures >= FAILURES_BEFORE_PAUSE {
            health.paused_until = Some(Instant::now() + PAUSE);
        }
        self.metrics.rate_limits_degraded(true);
        self.metrics.rate_limit_fallback();
    }

    fn health(&self) -> MutexGuard<'_, Health> {
        self.health.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.pruning.abort();
    }
}

/// Removes expired entries until it is aborted. Any number of processes may do this at the same time.
async fn prune(store: Arc<SharedStore>) {
    loop {
        tokio::time::sleep(PRUNE_INTERVAL).await;
        if let Err(error) = store.prune().await {
            tracing::warn!(%error, "expired rate limit entries could not be removed");
        }
    }
}

#[cfg(test)]
mod tests;
