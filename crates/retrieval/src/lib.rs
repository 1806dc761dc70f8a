//! Search in the training content of chatbots, by words and by meaning.
//!
//! `knowledge` ranks passages, `store` keeps them, `embedding` turns texts into vectors. This crate brings
//! the three together: it reads what a question needs of a chatbot, keeps it in memory, and notices when it
//! has changed. It knows neither HTTP handlers nor the writers of answers.
//!
//! # Snapshots
//!
//! A [`Snapshot`] is what a chatbot can be searched for at the moment of a question: its words, passages and
//! vectors.
//!
//! 1. [`ContentSearch::snapshot`] asks the database once what the chatbot has (how many chunks and vectors,
//!    the numbers of the last ones, the pages that are switched off), and compares that with what is in
//!    memory. Rules and times are in `freshness`, in one table.
//! 2. If the words in memory are those of the content now, they answer the question. Otherwise the database
//!    does, and it always does for large chatbots. Vectors are always compared in memory; those that were
//!    added are read first.
//! 3. Passages never change, so those in memory are always right. Which ones may be quoted is decided by the
//!    index of step 2.
//! 4. What was read for the question stays in memory. All chatbots together have a limit in bytes; beyond it,
//!    the chatbot that was asked the longest time ago is dropped whole (`memory`).
//!
//! Several processes on one database agree, because each asks for the version at each question; nothing has
//! to be sent between them.
//!
//! ```no_run
//! # use frontdesk_retrieval::SearchError;
//! # use frontdesk_store::{Chatbot, Store};
//! # async fn example(store: Store, chatbot: Chatbot) -> Result<(), SearchError> {
//! use frontdesk_retrieval::{ContentSearch, EmbeddingModel};
//!
//! let search = ContentSearch::new(store, EmbeddingModel::bundled());
//! let snapshot = search.snapshot(&chatbot).await?;
//! let query = snapshot.query("When do you open?", None, &[]).await?;
//! // The question may be changed here, for example into one that is understood without earlier turns.
//! let found = snapshot.find(&query).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: `search` and `snapshot` (the interface), `freshness` (when what is in memory may be used),
//! `content` (the version check of the words), `words`, `word_index`, `vocabulary`, `frequencies`, `passages`
//! and `vectors` (what is kept of a chatbot), `memory` and `recent` (of which chatbots), `stored` (the
//! queries), `embeddings` (the models that make vectors).

mod content;
mod embeddings;
mod error;
#[cfg(test)]
mod fixtures;
mod frequencies;
mod freshness;
mod lock;
mod memory;
mod passages;
mod recent;
mod search;
mod snapshot;
mod stored;
mod vectors;
mod vocabulary;
mod word_index;
mod words;

pub use embeddings::{EmbeddingError, EmbeddingModel, EndpointConfig, EndpointError};
pub use error::SearchError;
pub use search::ContentSearch;
pub use snapshot::Snapshot;
