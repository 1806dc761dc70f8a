//! From ranked passages to an answer.
//!
//! The `knowledge` crate searches; this crate writes an answer from what was found, or refuses rather than
//! say something untrue. There are two writers behind one trait:
//!
//! - [`Extractive`] needs no model and no network. It quotes: every statement is a verbatim part of a
//!   passage.
//! - [`ModelWriter`] asks an OpenAI-compatible chat completions endpoint and verifies the answer: sentences
//!   that the cited passages do not support, links to other addresses and leaked instructions do not reach
//!   the visitor.
//!
//! [`Assistant`] decides what needs no writer (requests for a person, courtesies, refused topics), chooses
//! the writer, and falls back from the model to quoting, so answering never fails.
//!
//! ```
//! use frontdesk_assistant::{Action, Assistant, Kind, Offer, Settings, Task};
//! use frontdesk_knowledge::Retrieval;
//! use frontdesk_outbound::{Outbound, Policy};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let assistant = Assistant::new(None, Outbound::new(Policy::new("Frontdesk/1.0"))?);
//! let draft = assistant
//!     .respond(Task {
//!         question: "Do you deliver to Mars?".into(),
//!         stand_alone: None,
//!         history: Vec::new(),
//!         offer: Offer::NotMade,
//!         retrieval: Retrieval::default(),
//!         settings: Settings { business_name: "Acme".into(), ..Settings::default() },
//!         kind: Kind::Chat,
//!     })
//!     .await;
//! assert_eq!(draft.action, Action::Refuse);
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: `task`, `settings` and `conversation` (input), `draft` (output), `assessment` (what a
//! message asks for, decided once), `passages` (the search), `assistant` (decisions around the writers),
//! `extractive` and `model` (the writers), `web` (answers from the web), then the modules that they use:
//! `selection` (what can be quoted), `escalation` and `consent` (requests for a person), `topics`,
//! `small_talk`, `canned` and `phrases` (fixed texts), `language`, `units`.

mod assessment;
mod assistant;
mod canned;
mod consent;
mod conversation;
mod draft;
mod escalation;
mod extractive;
#[cfg(test)]
mod fixtures;
mod language;
mod model;
mod named;
mod passages;
mod phrases;
mod selection;
mod settings;
mod small_talk;
mod task;
mod topics;
mod web;
mod writer;

pub use assessment::Assessment;
pub use assistant::Assistant;
pub use conversation::{Author, Offer, Turn};
pub use draft::{Action, Cited, Draft};
pub use extractive::Extractive;
pub use model::{
    ApiKey, BreakerSettings, ModelConfig, ModelObserver, ModelOutcome, ModelRequest, ModelWriter,
    TokenParameter, UnknownTokenParameter,
};
pub use named::UnknownName;
pub use passages::find_passages;
pub use selection::{Explanation, Linear, Reason, Refusal, Selection, SelectionWeights, explain, training};
pub use settings::{Focus, Instruction, ResponseLength, SensitiveTopic, Settings};
pub use task::{Kind, Mail, Task};
pub use web::{WebQuestion, web_question};
pub use writer::{Writer, WriterError};
