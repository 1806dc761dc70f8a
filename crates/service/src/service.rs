//! [`Service`]: what handlers, jobs and HTTP layers share; and [`Caller`]: the caller of an operation.

use std::{fmt, sync::Arc};

use frontdesk_assistant::Assistant;
use frontdesk_documents::Extractor;
use frontdesk_knowledge::Hosts;
use frontdesk_outbound::Outbound;
use frontdesk_store::{KeyHolder, Plan, Role, Scope, Store};
use jiff::Timestamp;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::{
    answering::Answering, config::Config, conversations::Waiters, cursors::Cursors, encryption::SecretCipher,
    files::FileStorage, hits::HitCounts, jobs::JobSignals, media::MediaModels, metrics::Metrics,
    notices::Mailer, rate_limit::RateLimits, readiness::Readiness, search::ContentSearch,
};

/// The running system behind the interface. Clones are cheap and share everything.
///
/// It implements the generated traits: `Chatbots` in `chatbots`, `Messages` in `messages`.
#[derive(Clone, Debug)]
pub struct Service {
    /// Everything that is kept.
    pub store: Store,
    /// From passages to an answer.
    pub assistant: Arc<Assistant>,
    /// The search in the training content.
    pub search: ContentSearch,
    /// The way to websites.
    pub outbound: Outbound,
    /// The way to webhook endpoints.
    pub webhook_outbound: Outbound,
    /// The way to mail servers of channels.
    pub mail_outbound: Outbound,
    /// The way to the interfaces of messengers.
    pub messenger_outbound: Outbound,
    /// The answers whose sources are to be counted.
    pub(crate) hits: HitCounts,
    /// The pauses between requests to the hosts that are crawled.
    pub crawled_hosts: Hosts,
    /// Where the content of uploaded files is.
    pub files: FileStorage,
    /// Reads uploaded files in child processes.
    pub extractor: Extractor,
    /// The models that read uploaded images and recordings.
    pub(crate) media: MediaModels,
    /// The answers that are being written.
    pub(crate) answering: Answering,
    /// Limits the keyless replies that this process drafts at a time.
    pub reply_slots: Arc<Semaphore>,
    /// What the operator has set.
    pub config: Arc<Config>,
    /// What "now" is.
    pub clock: Clock,
    /// Signs and checks the cursors of lists.
    pub cursors: Cursors,
    /// Decrypts stored secrets.
    pub cipher: SecretCipher,
    /// What is counted.
    pub metrics: Metrics,
    /// Whether this process can do its work.
    pub readiness: Readiness,
    /// How often callers may call.
    pub rate_limits: RateLimits,
    /// The requests that wait for replies.
    pub waiters: Waiters,
    /// The way to the mail server, if there is one.
    pub(crate) mailer: Option<Arc<Mailer>>,
    /// Wakes the workers of this process when a job was enqueued.
    pub job_signals: JobSignals,
}

impl Service {
    /// The present moment by the service's clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The monthly allowance of AI credits: the account's own where it has one, else that of its plan.
    pub fn monthly_limit(&self, plan: Plan, own: Option<u64>) -> u64 {
        own.unwrap_or_else(|| self.config.credits.of(plan))
    }
}

/// Who makes a keyed call: the creator of the API key, as of this request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The accounts that the caller reaches.
    pub scope: Scope,
    /// The caller's own account.
    pub account_id: Uuid,
    /// The creator of the key.
    pub user_id: Uuid,
    /// The key.
    pub key_id: Uuid,
    /// The creator's present role.
    pub role: Role,
    /// What the account pays for at present.
    pub plan: Plan,
    /// The AI credits of the account in a month, where they differ from those of its plan.
    pub monthly_credits: Option<u64>,
    /// Requests a minute that the key may make, where they differ from the default.
    pub rate_per_minute: Option<u32>,
}

impl From<KeyHolder> for Caller {
    fn from(holder: KeyHolder) -> Self {
        Self {
            scope: holder.scope(),
            account_id: holder.account_id,
            user_id: holder.user_id,
            key_id: holder.key_id,
            role: holder.role,
            plan: holder.plan,
            monthly_credits: holder.monthly_credits,
            rate_per_minute: holder.rate_per_minute,
        }
    }
}

/// What "now" is: the system's clock, or a function in tests.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// The clock of the system.
    pub fn system() -> Self {
        Self(Arc::new(Timestamp::now))
    }

    /// A clock that says what the function says.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Clock").field(&self.now()).finish()
    }
}
