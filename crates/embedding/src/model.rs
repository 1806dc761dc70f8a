//! Embedding models: loading, and running them on texts.

use rten::ThreadPool;
use std::{iter, path::Path, sync::Arc, thread};

use crate::{encoder::Encoder, error::ModelError, files::Files, vector::Vector, workers::Workers};

/// An embedding model in memory.
///
/// It can be used by several threads at once. Calls compute for milliseconds (a question) to seconds (many
/// passages): asynchronous callers use `spawn_blocking`. Questions and passages are computed by threads of
/// their own, so that a question does not wait for the passages of another call. The threads of passages
/// have a lower priority on Linux; on other systems, they use half of the cores.
#[derive(Debug)]
pub struct Model {
    id: String,
    encoder: Encoder,
    /// A second network, for English content.
    english: Option<Encoder>,
    query_threads: Arc<ThreadPool>,
    passage_workers: Workers,
}

/// A passage whose vectors are to be made.
#[derive(Clone, Debug)]
pub struct Passage<'a> {
    /// What it is about, such as its headings; counts for the vector of the passage.
    pub lead: String,
    /// Its text, in parts that get vectors of their own.
    pub parts: Vec<&'a str>,
    /// Its language, if it is known (BCP 47).
    pub language: Option<&'a str>,
}

/// The vectors of a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageVectors {
    /// That of the whole passage.
    pub whole: Vector,
    /// Those of its parts. Parts beyond 512 tokens, about 350 words, have none; nor has any part of a model
    /// that pools by the first token.
    pub parts: Vec<Option<Vector>>,
}

impl Model {
    /// Returns the model that is compiled into the binary: a multilingual network and an English one (384
    /// dimensions each, 48 and 24 MB).
    ///
    /// The first call loads it, in less than a second; the others return the same model.
    #[cfg(feature = "bundled-model")]
    pub fn bundled() -> Result<Arc<Self>, ModelError> {
        use std::sync::{Mutex, PoisonError};
        static LOADED: Mutex<Option<Arc<Model>>> = Mutex::new(None);
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = &*loaded {
            return Ok(Arc::clone(model));
        }
        let model = Arc::new(Self::new(Files::bundled(), Some(Files::bundled_english()))?);
        *loaded = Some(Arc::clone(&model));
        Ok(model)
    }

    /// Loads the model of a folder with the files `model.onnx`, `model.toml`, and `vocab.txt` (WordPiece) or
    /// `vocabulary.tsv` and `normalizer.tsv` (Unigram). It is used for all languages; a folder `english` in
    /// it with a model of the same dimensions gives English texts a second vector.
    ///
    /// The README in the folder of the bundled model describes the files. The model must be trusted: neither
    /// its running time nor its memory is bounded.
    pub fn from_folder(folder: impl AsRef<Path>) -> Result<Self, ModelError> {
        let english = folder.as_ref().join("english");
        let english = english.is_dir().then(|| Files::read(&english)).transpose()?;
        let model = Self::new(Files::read(folder.as_ref())?, english)?;
        for encoder in iter::once(&model.encoder).chain(&model.english) {
            encoder.check(&model.query_threads)?;
            let (stated, found) = (model.dimensions(), encoder.dimensions());
            if stated != found {
                return Err(ModelError::Dimensions { stated, found });
            }
        }
        Ok(model)
    }

    fn new(files: Files, english: Option<Files>) -> Result<Self, ModelError> {
        let id = Files::id(iter::once(&files).chain(&english));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            id,
            encoder: Encoder::new(files)?,
            english: english.map(Encoder::new).transpose()?,
            query_threads: Arc::new(ThreadPool::with_num_threads(cores)),
            passage_workers: Workers::new(cores),
        })
    }

    /// Returns an id that changes with the model, 16 hexadecimal digits. Store it beside vectors: only
    /// vectors of the same model are comparable.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the length of the model's vectors.
    pub fn dimensions(&self) -> usize {
        self.encoder.dimensions()
    }

    /// Returns the vector of a question to content in a language, if it is mainly in one (BCP 47). The end of
    /// a question with more than 512 tokens is ignored.
    ///
    /// Whatever the language of the question is, only content in English, or in no known language, is worth
    /// the English network.
    pub fn embed_query(&self, question: &str, content: Option<&str>) -> Result<Vector, ModelError> {
        let english = self.english.as_ref().filter(|_| content.is_none_or(is_english));
        let english = english.map(|encoder| encoder.query(question, &self.query_threads)).transpose()?;
        vector(self.encoder.query(question, &self.query_threads)?, english)
    }

    /// Returns the vectors of texts of no known language, in their order. The end of a text with more than
    /// 512 tokens, about 350 words, is ignored.
    pub fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vector>, ModelError> {
        let text = |text: &&str, threads: &_| vector(self.encoder.passage(text, threads)?, None);
        self.passage_workers.each(passages, text).into_iter().collect()
    }

    /// Returns the vectors of passages and of their parts, in their order. The vector of a part depends on
    /// the other parts of its passage. Passages are computed concurrently, each on one core.
    pub fn embed_each(&self, passages: &[Passage]) -> Vec<Result<PassageVectors, ModelError>> {
        self.passage_workers.each(passages, |passage, threads| self.embed(passage, threads))
    }

    /// Returns the vector of a passage and those of its parts, as [`embed_each`](Self::embed_each) does for
    /// several.
    pub fn embed_parts(
        &self,
        lead: &str,
        parts: &[&str],
        language: Option<&str>,
    ) -> Result<(Vector, Vec<Option<Vector>>), ModelError> {
        let passage = Passage { lead: lead.to_owned(), parts: parts.to_vec(), language };
        self.embed(&passage, self.passage_workers.first()).map(|vectors| (vectors.whole, vectors.parts))
    }

    /// Makes the vectors of a passage. It is a run by itself: activations are quantized by run, so in a batch
    /// the vector of a passage would depend on its neighbors. The vectors of the parts are made in the same
    /// run, from the tokens of each part.
    fn embed(&self, passage: &Passage, threads: &Arc<ThreadPool>) -> Result<PassageVectors, ModelError> {
        let all: Vec<&str> = iter::once(passage.lead.as_str()).chain(passage.parts.iter().copied()).collect();
        let run = |encoder: &Encoder| encoder.parts(&all, threads);
        let own = run(&self.encoder)?;
        let english = self.english.as_ref().filter(|_| passage.language.is_some_and(is_english));
        let (english, english_parts) = match english.map(run).transpose()? {
            Some(english) => (Some(english.whole), english.parts),
            None => (None, vec![None; all.len()]),
        };
        let parts = own.parts.into_iter().zip(english_parts).skip(1);
        let parts = parts.map(|(own, english)| own.map(|own| vector(own, english)).transpose());
        Ok(PassageVectors { whole: vector(own.whole, english)?, parts: parts.collect::<Result<_, _>>()? })
    }

    /// Returns whether the model's vocabulary has a lower-case word as a whole, which it has of few typing
    /// errors.
    pub fn knows(&self, word: &str) -> bool {
        self.encoder.is_piece(word)
    }
}

fn vector(own: Vec<f32>, english: Option<Vec<f32>>) -> Result<Vector, ModelError> {
    Vector::of_networks(own, english).map_err(|error| ModelError::Run(error.to_string()))
}

fn is_english(language: &str) -> bool {
    language.split(['-', '_']).next().is_some_and(|language| language.eq_ignore_ascii_case("en"))
}
