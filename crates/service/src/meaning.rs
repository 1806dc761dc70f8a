//! Search by meaning: the embedding model of the installation, the vectors of chunks, and the job that makes them.

mod cache;
mod job;
mod model;
mod segments;

pub(crate) use self::job::EmbedChunks;
pub(crate) use self::segments::decode as decode_segments;
pub use self::{
    cache::VectorCache,
    model::{EmbeddingError, EmbeddingModel},
};
