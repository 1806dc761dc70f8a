//! The running Frontdesk service: the generated server traits implemented over the store, the crawler and the assistant.
//!
//! In reading order:
//!
//! - [`config`]: everything an operator can set.
//! - [`service`]: what all parts share, and who calls.
//! - `startup`: [`start`] creates the parts, [`Running`] stops them in order.
//! - `http`: listener, TLS, middleware, and the endpoints that are not part of the interface; `readiness`: whether the process
//!   can do its work.
//! - `authentication`, `keys`, `rate_limit`: who may call, and how often.
//! - `pepper`, `encryption`: the secret that protects API keys and stored secrets.
//! - `chatbots`, `messages`: the operations of the interface; `settings` is what is configured about a chatbot, `answers`
//!   the wording of errors.
//! - `jobs`: work that outlives a request: queues, workers, recurring jobs.
//! - [`meaning`]: the embedding model, the vectors of the training content, and the job that makes them.
//! - `answering`: the answers that are being written, which work in the background makes way for.
//! - `recent`: what the search keeps of the chatbots that were asked last; `hits`: counts of the content that answers used.
//! - `training`: crawling and indexing, as jobs.
//! - `webhooks`: delivery of events to webhook endpoints; `notices`: e-mail to the people of accounts.
//! - `follow_ups`: messages that activities of deals send to contacts; `calendar`: activities in the iCalendar format.
//! - `files`: the storage of uploaded files; `training` reads them, images and recordings with the models of `media`.
//! - `model_endpoint`: the endpoint of a model, with an outbound client of its own.
//! - `metrics`, [`telemetry`]: what is counted and logged.
//! - [`cli`]: the commands of the binary; `demo` is the website, account and chatbot of `frontdesk serve --demo`.

mod answering;
mod answers;
mod api;
mod authorization;
mod calendar;
mod channels;
pub mod cli;
pub mod config;
mod conversations;
mod cursors;
mod demo;
mod encryption;
mod files;
mod follow_ups;
mod hits;
mod hostname;
mod http;
mod idempotency;
mod jobs;
mod keys;
pub mod meaning;
mod media;
mod messages;
mod metrics;
mod model_endpoint;
mod notices;
mod pages;
mod pepper;
mod rate_limit;
mod readiness;
mod recent;
pub mod search;
pub mod service;
mod settings;
mod sqlite_file;
mod startup;
pub mod telemetry;
mod training;
mod webhooks;

pub use authorization::PolicyError;
pub use cursors::{CursorError, Cursors};
pub use encryption::{IssuedDomain, SecretCipher, issue_domain};
pub use http::TlsError;
pub use keys::{FreshKey, IssuedKey, KeyError, WantedKey, issue_key};
pub use model_endpoint::ModelEndpointError;
pub use notices::MailError;
pub use pepper::PepperError;
pub use startup::{DatabaseError, Running, StartError, start, start_with_clock};
