//! [`EmbeddingError`]: why there is no vector.

use std::sync::Arc;

use frontdesk_embedding::ModelError;

use super::endpoint::EndpointError;

/// Why there is no vector.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The model could not be loaded.
    #[error("the embedding model cannot be used; check `search.model`")]
    Unusable(#[source] Arc<ModelError>),
    /// The model failed on a text.
    #[error("the embedding model failed")]
    Failed(#[source] Arc<ModelError>),
    /// The endpoint failed.
    #[error("the embeddings endpoint failed; check the settings under `[search]`")]
    Endpoint(#[source] Arc<EndpointError>),
    /// The work was cancelled, because the process stops.
    #[error("embedding was cancelled")]
    Cancelled,
}

impl From<EndpointError> for EmbeddingError {
    fn from(error: EndpointError) -> Self {
        Self::Endpoint(Arc::new(error))
    }
}
