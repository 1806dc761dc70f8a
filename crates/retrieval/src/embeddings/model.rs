//! [`EmbeddingModel`]: the model that turns questions and chunks into vectors.

use std::{path::PathBuf, sync::Arc};

use frontdesk_embedding::Vector;
use frontdesk_knowledge::{IndexError, QueryEmbedder};
use frontdesk_outbound::Outbound;
use frontdesk_store::{NewVectors, UnembeddedChunk};
use futures_util::{TryFutureExt, future::BoxFuture};

use super::{
    endpoint::{Endpoint, EndpointConfig},
    error::EmbeddingError,
    known::Known,
    local::LocalModel,
};

/// A model in this process, or behind an OpenAI-compatible endpoint. It is loaded or asked for the first
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
    /// Returns no model: search compares words only.
    pub fn none() -> Self {
        Self::of(Source::None)
    }

    /// Returns the model that is compiled into the program; none without the feature `bundled-model`.
    pub fn bundled() -> Self {
        #[cfg(feature = "bundled-model")]
        let source = Source::Local(LocalModel::bundled());
        #[cfg(not(feature = "bundled-model"))]
        let source = Source::None;
        Self::of(source)
    }

    /// Returns the model in a folder.
    pub fn in_folder(folder: PathBuf) -> Self {
        Self::of(Source::Local(LocalModel::in_folder(folder)))
    }

    /// Returns the model behind an endpoint, which is asked through `outbound`.
    pub fn behind_endpoint(config: EndpointConfig, outbound: Outbound) -> Self {
        Self::of(Source::Endpoint(Box::new(Endpoint::new(config, outbound))))
    }

    fn of(source: Source) -> Self {
        Self(Arc::new(source))
    }

    /// Returns whether there is a model. If not, search compares words only.
    pub fn is_configured(&self) -> bool {
        !matches!(*self.0, Source::None)
    }

    /// Returns the id under which the vectors of the model are stored; `None` without a model. The model is
    /// loaded, or the endpoint asked, if it was not yet.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`] if the model cannot be loaded or reached.
    pub async fn id(&self) -> Result<Option<String>, EmbeddingError> {
        let known = match &*self.0 {
            Source::None => return Ok(None),
            Source::Local(model) => model.ready().await?,
            Source::Endpoint(endpoint) => endpoint.ready().await?,
        };
        Ok(Some(known.id))
    }

    /// Returns the id as [`id`](Self::id) does, but for callers that cannot wait long; `None` if no model can
    /// be used at the moment.
    pub async fn id_soon(&self) -> Option<String> {
        let known = match &*self.0 {
            Source::None => None,
            Source::Local(model) => model.ready().await.ok(),
            Source::Endpoint(endpoint) => endpoint.ready_soon().await,
        };
        known.map(|known| known.id)
    }

    /// Returns what is known of the model, if it was used before.
    pub(crate) fn known(&self) -> Option<&Known> {
        match &*self.0 {
            Source::None => None,
            Source::Local(model) => model.known(),
            Source::Endpoint(endpoint) => endpoint.known(),
        }
    }

    /// Returns the vectors of chunks. A chunk on which the model itself fails gets none, so that it does not
    /// stop all others.
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
