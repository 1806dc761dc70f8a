//! Search by meaning: the embedding model of the installation, the vectors of chunks, and the job that makes them.

mod cache;
mod calibration;
mod endpoint;
mod error;
mod job;
mod known;
mod lead;
mod local;
mod model;
mod segments;

pub(crate) use self::cache::ChatbotVectors;
pub(crate) use self::job::EmbedChunks;
pub(crate) use self::segments::decode as decode_segments;
pub use self::{cache::VectorCache, error::EmbeddingError, model::EmbeddingModel};
