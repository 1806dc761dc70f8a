//! The running Frontdesk service: the generated server traits implemented over the store, the crawler and the assistant.
//!
//! In reading order:
//!
//! - [`config`]: everything an operator can set.
//! - [`service`]: what all parts share, and who calls.
//! - `startup`: [`start`] puts the parts together, [`Running`] ends them in order.
//! - `http`: listener, TLS, layers, and the endpoints that are not part of the interface.
//! - `authentication`, `keys`, `rate_limit`: who may call, and how often.
//! - `chatbots`, `messages`: the operations of the interface; `settings` is what is configured about a chatbot, `answers`
//!   the wording of errors.
//! - `training`: the workers that crawl and index.
//! - `metrics`, [`telemetry`]: what is counted and logged.
//! - [`cli`]: the commands of the binary; `demo` is the website, account and chatbot of `frontdesk serve --demo`.

mod answers;
mod authentication;
mod chatbots;
pub mod cli;
pub mod config;
mod demo;
mod http;
mod keys;
mod messages;
mod metrics;
mod rate_limit;
mod sealing;
pub mod service;
mod settings;
mod startup;
pub mod telemetry;
mod training;

pub use http::TlsError;
pub use keys::{FreshKey, IssuedKey, KeyHasherError, WantedKey, issue_key};
pub use sealing::{IssuedDomain, Sealer, issue_domain};
pub use startup::{DatabaseError, Running, StartError, start, start_with_clock};
