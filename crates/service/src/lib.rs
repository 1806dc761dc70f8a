//! The running Frontdesk service: the generated server traits implemented over the store, the crawler and the
//! assistant.
//!
//! Seven folders. Imports lead only to a folder further down in this list:
//!
//! 1. [`cli`]: the commands of the binary.
//! 2. `startup`: what a process starts and stops, and the demonstration.
//! 3. `api`: the generated traits: read the request, call, return the declared response.
//! 4. `answering`: a visitor's turn: identity, credits, search, writing, storing.
//! 5. `background`: work that outlives a request: jobs, training, channels, webhooks, notices, follow-ups.
//! 6. `edge`: who may call, how often, and how requests come in and responses go out.
//! 7. `platform`: how it is run: configuration, secrets, files, metrics, logs, readiness.
//!
//! Each of `api`, `answering`, `background`, `edge` and `platform` has one struct with what its code needs at
//! run time, and the struct of the next one below: [`Service`], `Answering`, `Background`, `Edge`,
//! `Platform`. A part dereferences to the one below it, and a function takes the lowest part that has what it
//! needs.

mod answering;
mod api;
mod background;
pub mod cli;
mod edge;
mod platform;
mod startup;

pub use api::Service;
pub use background::notices::MailError;
pub use edge::authorization::PolicyError;
pub use edge::cursors::{CursorError, Cursors};
pub use edge::http::TlsError;
pub use platform::model_endpoint::ModelEndpointError;
pub use platform::secrets::encryption::{IssuedDomain, SecretCipher, issue_domain};
pub use platform::secrets::keys::{FreshKey, IssuedKey, KeyError, WantedKey, issue_key};
pub use platform::secrets::people_tokens::{LinkError, issue_link};
pub use platform::secrets::pepper::PepperError;
pub use platform::{Clock, config, telemetry};
pub use startup::{DatabaseError, PlaceError, Running, StartError, start, start_with_clock};
