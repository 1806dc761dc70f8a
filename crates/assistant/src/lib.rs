//! From ranked passages to an answer.
//!
//! Searching is the job of the `knowledge` crate; this one turns what was found into something a visitor can
//! read, and into nothing at all rather than something untrue. There are two writers behind one trait:
//!
//! - [`Extractive`] needs no model and no network. It quotes: every statement it makes is a verbatim part of a
//!   passage.
//! - [`ModelWriter`] asks any server that speaks the OpenAI chat completions protocol, and then checks the
//!   answer in code: sentences that the cited passages do not support, links that lead elsewhere and leaked
//!   instructions do not reach the visitor.
//!
//! [`Assistant`] decides what needs no writer (requests for a person, courtesies, refused topics), picks the
//! writer, and falls back from the model to quoting, so answering never fails.
//!
//! ```
//! use frontdesk_assistant::{Action, Assistant, Kind, Settings, Task};
//! use frontdesk_knowledge::{Retrieval, Support};
//! use frontdesk_outbound::{Outbound, Policy};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let assistant = Assistant::new(None, Outbound::new(Policy::new("Frontdesk/1.0"))?);
//! let support = Support {
//!     accepted: false, coverage: 0.0, rare_match: false, margin: 0.0, question_terms: vec!["mar".into()],
//! };
//! let draft = assistant
//!     .respond(Task {
//!         question: "Do you deliver to Mars?".into(),
//!         history: Vec::new(),
//!         retrieval: Retrieval { passages: Vec::new(), support },
//!         settings: Settings { business_name: "Acme".into(), ..Settings::default() },
//!         kind: Kind::Chat,
//!     })
//!     .await;
//! assert_eq!(draft.action, Action::Refuse);
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: `task` (input and output), `assistant` (decisions around the writers), `extractive` and
//! `model` (the writers), then what they rest on: `escalation`, `topics`, `small_talk`, `phrases`, `language`,
//! `units`, `sentences`, `words`.

mod assistant;
mod escalation;
mod extractive;
#[cfg(test)]
mod fixtures;
mod language;
mod model;
mod phrases;
mod sentences;
mod small_talk;
mod task;
mod topics;
mod units;
mod words;
mod writer;

pub use assistant::Assistant;
pub use extractive::Extractive;
pub use model::{ApiKey, ModelConfig, ModelWriter};
pub use task::{
    Action, Author, Cited, Draft, Focus, Instruction, Kind, Mail, ResponseLength, SensitiveTopic, Settings,
    Task, Turn, UnknownName,
};
pub use writer::{Writer, WriterError};
