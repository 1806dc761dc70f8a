//! [`EmbeddingModel`]: the model that turns questions and chunks into vectors.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use frontdesk_embedding::{Model, ModelError, Vector};
use frontdesk_knowledge::{IndexError, QueryEmbedder};
use tokio::task;

use crate::config::SearchModel;

/// The model of the installation. It is loaded at the first use, not at the start. Clones share it.
#[derive(Clone, Debug)]
pub struct EmbeddingModel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    source: Source,
    loaded: OnceLock<Result<Arc<Model>, Arc<ModelError>>>,
}

#[derive(Debug)]
enum Source {
    None,
    #[cfg(feature = "bundled-model")]
    Bundled,
    Folder(PathBuf),
}

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
    /// The work was cancelled, because the process stops.
    #[error("embedding was cancelled")]
    Cancelled,
}

impl EmbeddingModel {
    /// Returns the configured model, without loading it.
    pub fn new(configured: &SearchModel) -> Self {
        let source = match configured {
            SearchModel::None => Source::None,
            #[cfg(feature = "bundled-model")]
            SearchModel::Bundled => Source::Bundled,
            #[cfg(not(feature = "bundled-model"))]
            SearchModel::Bundled => Source::None,
            SearchModel::Folder(folder) => Source::Folder(folder.clone()),
        };
        Self(Arc::new(Inner { source, loaded: OnceLock::new() }))
    }

    /// Returns whether there is a model. If not, search compares words only.
    pub fn is_configured(&self) -> bool {
        !matches!(self.0.source, Source::None)
    }

    /// Runs `work` with the model on a thread for computations; `None` without a model.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Model) -> Result<T, ModelError> + Send + 'static,
    ) -> Result<Option<T>, EmbeddingError> {
        if !self.is_configured() {
            return Ok(None);
        }
        let inner = Arc::clone(&self.0);
        let done = task::spawn_blocking(move || {
            let Some(model) = inner.model()? else { return Ok(None) };
            work(&model).map(Some).map_err(|error| EmbeddingError::Failed(Arc::new(error)))
        });
        done.await.map_err(|_| EmbeddingError::Cancelled)?
    }

    /// Returns the model if it is loaded.
    pub(crate) fn loaded(&self) -> Option<&Arc<Model>> {
        self.0.loaded.get()?.as_ref().ok()
    }
}

impl Inner {
    fn model(&self) -> Result<Option<Arc<Model>>, EmbeddingError> {
        let load = || match &self.source {
            Source::None => None,
            #[cfg(feature = "bundled-model")]
            Source::Bundled => Some(Model::bundled()),
            Source::Folder(folder) => Some(Model::from_folder(folder as &Path).map(Arc::new)),
        };
        if matches!(self.source, Source::None) {
            return Ok(None);
        }
        let loaded = self.loaded.get_or_init(|| match load() {
            Some(loaded) => loaded.map_err(Arc::new),
            None => unreachable!("a model without a source is not loaded"),
        });
        loaded.clone().map(Some).map_err(EmbeddingError::Unusable)
    }
}

#[async_trait::async_trait]
impl QueryEmbedder for EmbeddingModel {
    /// A model that fails is logged, and the question is searched by its words.
    async fn embed(&self, question: &str) -> Result<Option<Vector>, IndexError> {
        let question = question.to_owned();
        match self.run(move |model| model.embed_query(&question)).await {
            Ok(vector) => Ok(vector),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a question is searched by its words only"
                );
                Ok(None)
            }
        }
    }

    fn knows(&self, word: &str) -> bool {
        self.loaded().is_some_and(|model| model.knows(word))
    }
}
