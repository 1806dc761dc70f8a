//! [`EmbeddingModel`]: the model that turns questions and chunks into vectors.

use std::sync::Arc;

use frontdesk_embedding::Vector;
use frontdesk_knowledge::{IndexError, QueryEmbedder};
use frontdesk_outbound::OutboundError;
use frontdesk_store::{NewVectors, UnembeddedChunk};
use futures_util::{TryFutureExt, future::BoxFuture};

use super::{endpoint::Endpoint, error::EmbeddingError, known::Known, local::LocalModel};
use crate::platform::config::{Search, SearchModel};

/// The model of the installation: in this process, or behind an OpenAI-compatible endpoint. It is loaded or asked for the first
/// time at the first use, not at the start. Clones share it.
#[derive(Clone, Debug)]
pub struct EmbeddingModel(Arc<Source>);

#[derive(Debug)]
enum Source {
    None,
    Local(LocalModel),
    Endpoint(Box<Endpoint>),
}

impl EmbeddingModel {
    /// Returns the configured model, without loading it.
    pub fn open(config: &Search) -> Result<Self, OutboundError> {
        let source = match &config.model {
            SearchModel::None => Source::None,
            #[cfg(feature = "bundled-model")]
            SearchModel::Bundled => Source::Local(LocalModel::bundled()),
            #[cfg(not(feature = "bundled-model"))]
            SearchModel::Bundled => Source::None,
            SearchModel::Folder(folder) => Source::Local(LocalModel::in_folder(folder.clone())),
            SearchModel::Endpoint(url) => Source::Endpoint(Box::new(Endpoint::open(url, config)?)),
        };
        Ok(Self(Arc::new(source)))
    }

    /// Returns no model: search compares words only.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self(Arc::new(Source::None))
    }

    /// Returns whether there is a model. If not, search compares words only.
    pub fn is_configured(&self) -> bool {
        !matches!(*self.0, Source::None)
    }

    /// Returns what is known of the model, which is loaded or asked if it was not yet; `None` without a model.
    pub(crate) async fn ready(&self) -> Result<Option<Known>, EmbeddingError> {
        match &*self.0 {
            Source::None => Ok(None),
            Source::Local(model) => model.ready().await.map(Some),
            Source::Endpoint(endpoint) => Ok(Some(endpoint.ready().await?)),
        }
    }

    /// Returns what is known of the model, if it was used before.
    pub(crate) fn known(&self) -> Option<&Known> {
        match &*self.0 {
            Source::None => None,
            Source::Local(model) => model.known(),
            Source::Endpoint(endpoint) => endpoint.known(),
        }
    }

    /// Returns the vectors of chunks. A chunk on which the model itself fails gets none, so that it does not stop all others.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`] if the model cannot be loaded or reached.
    pub async fn embed_chunks(
        &self,
        chunks: Vec<UnembeddedChunk>,
    ) -> Result<Vec<NewVectors>, EmbeddingError> {
        match &*self.0 {
            Source::None => Ok(Vec::new()),
            Source::Local(model) => model.embed_chunks(chunks).await,
            Source::Endpoint(endpoint) => Ok(endpoint.embed_chunks(&chunks).await?),
        }
    }

    async fn embed_query(
        &self,
        question: &str,
        content: Option<&str>,
    ) -> Result<Option<Vector>, EmbeddingError> {
        match &*self.0 {
            Source::None => Ok(None),
            Source::Local(model) => model.embed_query(question, content).await.map(Some),
            Source::Endpoint(endpoint) => Ok(endpoint.embed_query(question).await?),
        }
    }
}

impl QueryEmbedder for EmbeddingModel {
    /// A model that fails is logged, and the question is searched by its words.
    fn embed<'a>(
        &'a self,
        question: &'a str,
        content: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Vector>, IndexError>> {
        let vector = self.embed_query(question, content).map_ok_or_else(
            |error| {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a question is searched by its words only"
                );
                Ok(None)
            },
            Ok,
        );
        Box::pin(vector)
    }

    fn knows(&self, word: &str) -> bool {
        match &*self.0 {
            Source::Local(model) => model.knows(word),
            // An endpoint does not tell its vocabulary.
            Source::None | Source::Endpoint(_) => false,
        }
    }

    fn comparable(&self, cosine: f32) -> f32 {
        self.known().map_or(cosine, |known| known.calibration.apply(cosine))
    }
}
