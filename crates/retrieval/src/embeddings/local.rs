//! An embedding model that runs in this process.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use frontdesk_embedding::{Model, ModelError, Passage, PassageVectors, Vector};
use frontdesk_knowledge::{SegmentVector, segments};
use frontdesk_store::{ChunkVectors, NewVectors, UnembeddedChunk};
use tokio::task;

use super::{
    calibration::{Calibration, PASSAGES, QUESTIONS},
    error::EmbeddingError,
    known::Known,
    lead::lead,
    segments::encode,
};

/// A model that is loaded at the first use.
#[derive(Debug)]
pub(super) struct LocalModel(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    files: Files,
    loaded: OnceLock<Result<Loaded, Arc<ModelError>>>,
}

#[derive(Debug)]
enum Files {
    #[cfg(feature = "bundled-model")]
    Bundled,
    Folder(PathBuf),
}

#[derive(Debug)]
struct Loaded {
    model: Arc<Model>,
    known: Known,
}

impl LocalModel {
    /// Returns the model that is compiled into the program.
    #[cfg(feature = "bundled-model")]
    pub(super) fn bundled() -> Self {
        Self::of(Files::Bundled)
    }

    /// Returns the model in a folder.
    pub(super) fn in_folder(folder: PathBuf) -> Self {
        Self::of(Files::Folder(folder))
    }

    fn of(files: Files) -> Self {
        Self(Arc::new(Inner { files, loaded: OnceLock::new() }))
    }

    pub(super) async fn ready(&self) -> Result<Known, EmbeddingError> {
        self.run(|loaded| Ok(loaded.known.clone())).await
    }

    pub(super) fn known(&self) -> Option<&Known> {
        self.loaded().map(|loaded| &loaded.known)
    }

    pub(super) fn knows(&self, word: &str) -> bool {
        self.loaded().is_some_and(|loaded| loaded.model.knows(word))
    }

    pub(super) async fn embed_query(
        &self,
        question: &str,
        content: Option<&str>,
    ) -> Result<Vector, EmbeddingError> {
        let (question, content) = (question.to_owned(), content.map(str::to_owned));
        self.run(move |loaded| loaded.model.embed_query(&question, content.as_deref())).await
    }

    pub(super) async fn embed_chunks(
        &self,
        chunks: Vec<UnembeddedChunk>,
    ) -> Result<Vec<NewVectors>, EmbeddingError> {
        self.run(move |loaded| Ok(vectors(&loaded.model, &chunks))).await
    }

    fn loaded(&self) -> Option<&Loaded> {
        self.0.loaded.get()?.as_ref().ok()
    }

    /// Runs `work` with the model on a thread for computations.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Loaded) -> Result<T, ModelError> + Send + 'static,
    ) -> Result<T, EmbeddingError> {
        let inner = Arc::clone(&self.0);
        let done = task::spawn_blocking(move || {
            let loaded = inner.loaded.get_or_init(|| inner.load().map_err(Arc::new));
            let loaded = loaded.as_ref().map_err(|error| EmbeddingError::Unusable(Arc::clone(error)))?;
            work(loaded).map_err(|error| EmbeddingError::Failed(Arc::new(error)))
        });
        done.await.map_err(|_| EmbeddingError::Cancelled)?
    }
}

impl Inner {
    fn load(&self) -> Result<Loaded, ModelError> {
        let (model, calibration) = match &self.files {
            #[cfg(feature = "bundled-model")]
            Files::Bundled => (Model::bundled()?, Calibration::IDENTITY),
            Files::Folder(folder) => {
                let model = Model::from_folder(folder as &Path)?;
                let questions = QUESTIONS.iter().map(|text| model.embed_query(text, None)).collect::<Result<
                    Vec<_>,
                    _,
                >>(
                )?;
                let calibration = Calibration::of(&questions, &model.embed_passages(&PASSAGES)?);
                (Arc::new(model), calibration)
            }
        };
        let known = Known { id: model.id().to_owned(), dimensions: model.dimensions(), calibration };
        Ok(Loaded { model, known })
    }
}

/// Returns the vectors of chunks. A text on which the model fails gets none, so that it does not stop all
/// others.
fn vectors(model: &Model, chunks: &[UnembeddedChunk]) -> Vec<NewVectors> {
    let ranges: Vec<Vec<Range<usize>>> = chunks.iter().map(|chunk| segments(&chunk.text)).collect();
    let passages: Vec<Passage> = chunks
        .iter()
        .zip(&ranges)
        .map(|(chunk, ranges)| Passage {
            lead: lead(chunk),
            parts: ranges.iter().map(|range| &chunk.text[range.clone()]).collect(),
            language: chunk.language.as_deref(),
        })
        .collect();
    let made = model.embed_each(&passages);
    chunks
        .iter()
        .zip(ranges)
        .zip(made)
        .map(|((chunk, ranges), made)| {
            if let Err(error) = &made {
                tracing::warn!(%error, chunk_id = %chunk.chunk_id, "a chunk has no vector and is found by its words only");
            }
            let vectors = made.ok().map(|made| stored(&made, ranges));
            NewVectors { chunk_id: chunk.chunk_id, vectors }
        })
        .collect()
}

fn stored(made: &PassageVectors, ranges: Vec<Range<usize>>) -> ChunkVectors {
    let with_vector = |(range, vector): (_, &Option<Vector>)| {
        vector.as_ref().map(|vector| SegmentVector { range, vector: vector.quantize() })
    };
    let segments: Vec<SegmentVector> = ranges.into_iter().zip(&made.parts).filter_map(with_vector).collect();
    ChunkVectors { vector: made.whole.quantize().to_bytes(), segments: encode(&segments) }
}
