//! The error of reading and indexing an evaluation site.

use std::path::PathBuf;

/// The error of reading an evaluation site.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A file could not be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A path gives no address.
    #[error("{path} gives no address: {error}")]
    Address {
        /// The path.
        path: PathBuf,
        /// The reason.
        error: url::ParseError,
    },
    /// The embedding model failed.
    #[error(transparent)]
    Model(#[from] frontdesk_embedding::ModelError),
}
