//! What everything else runs on: configuration, settings of chatbots, secrets, files, metrics, logs and
//! readiness.
//!
//! [`Platform`] holds it for a running process. Nothing here knows a request, a job or an answer.
//!
//! - [`config`]: everything an operator can set; `chatbot_settings`: what is configured about a chatbot.
//! - `secrets`: peppers, API keys, and the encryption of secrets that have to be read again.
//! - `files`: the storage of uploaded files, and their deletion.
//! - `account_archive`: all data of an account as one archive, and its removal.
//! - `metrics`, [`telemetry`]: what is counted and logged; `readiness`: whether the process can do its work.
//! - `priority`: the answers that are being written, which work in the background makes way for.
//! - `renewal`: claims that end with the process that holds them, because it renews them.
//! - `model_endpoint`: the endpoint of a model, with an outbound client of its own.
//! - `hostname`, `sqlite_file`: the normal form of host names, and the file of an embedded database.

pub(crate) mod account_archive;
pub(crate) mod chatbot_settings;
mod clock;
pub mod config;
pub(crate) mod files;
pub(crate) mod hostname;
pub(crate) mod metrics;
pub(crate) mod model_endpoint;
pub(crate) mod priority;
pub(crate) mod readiness;
pub(crate) mod renewal;
pub(crate) mod secrets;
pub(crate) mod sqlite_file;
pub mod telemetry;

use std::sync::Arc;

use frontdesk_store::{Plan, Store};
use jiff::Timestamp;

pub use self::clock::Clock;
use self::{
    config::Config, files::FileStorage, metrics::Metrics, priority::Priority, readiness::Readiness,
    secrets::encryption::SecretCipher,
};

/// What every part of a running process shares. Clones are cheap and share everything.
#[derive(Clone, Debug)]
pub struct Platform {
    /// Everything that is kept.
    pub store: Store,
    /// Where the content of uploaded files is.
    pub files: FileStorage,
    /// What the operator has set.
    pub config: Arc<Config>,
    /// What "now" is.
    pub clock: Clock,
    /// Decrypts stored secrets.
    pub cipher: SecretCipher,
    /// What is counted.
    pub metrics: Metrics,
    /// Whether this process can do its work.
    pub readiness: Readiness,
    /// The answers that are being written.
    pub(crate) priority: Priority,
}

impl Platform {
    /// Returns the present moment by the clock of the service.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Returns the monthly allowance of AI credits: the account's own if it has one, else that of its plan.
    pub fn monthly_limit(&self, plan: Plan, own: Option<u64>) -> u64 {
        own.unwrap_or_else(|| self.config.credits.of(plan))
    }
}
