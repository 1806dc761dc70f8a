//! Embedding models: loading, and running them on texts.

use rten::{ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, NdTensorView, prelude::*};
use std::{borrow::Cow, fmt, ops::Range, path::Path, sync::Arc, thread};

use crate::{
    error::ModelError,
    files::{Files, Pooling, Settings},
    tokenizer::Tokenizer,
    vector::Vector,
};

/// An embedding model in memory.
///
/// It can be used by several threads at once. Calls compute for milliseconds (a question) to seconds (many passages):
/// asynchronous callers use `spawn_blocking`. Questions and passages are computed by threads of their own, so that a
/// question does not wait for the passages of another call. Passages use at most half of the processor's cores.
pub struct Model {
    id: String,
    settings: Settings,
    tokenizer: Tokenizer,
    network: rten::Model,
    inputs: Inputs,
    output: NodeId,
    query_threads: Arc<ThreadPool>,
    passage_threads: Arc<ThreadPool>,
}

/// The inputs of the network.
struct Inputs {
    ids: NodeId,
    mask: NodeId,
    /// Which of two sentences a token is of. Not all networks have it.
    types: Option<NodeId>,
}

impl Model {
    /// Returns the multilingual model that is compiled into the binary (384 dimensions, about 48 MB).
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
        let model = Arc::new(Self::new(Files::bundled())?);
        *loaded = Some(Arc::clone(&model));
        Ok(model)
    }

    /// Loads the model of a folder with the files `model.onnx`, `model.toml`, `normalizer.tsv` and `vocabulary.tsv`.
    ///
    /// The README in the folder of the bundled model describes the files. The model must be trusted: neither its
    /// running time nor its memory is bounded.
    pub fn from_folder(folder: impl AsRef<Path>) -> Result<Self, ModelError> {
        let model = Self::new(Files::read(folder.as_ref())?)?;
        model.check()?;
        Ok(model)
    }

    fn new(files: Files) -> Result<Self, ModelError> {
        let id = files.id();
        let settings = files.settings()?;
        let tokenizer = Tokenizer::new(&files.normalizer, &files.vocabulary, settings.longest_input)?;
        let mut options = ModelOptions::with_all_ops();
        // 20 MB more, and a question takes a third of the time.
        options.prepack_weights(true);
        let network = match files.network {
            Cow::Borrowed(bytes) => options.load_static_slice(bytes),
            Cow::Owned(bytes) => options.load(bytes),
        }
        .map_err(|error| ModelError::Network(error.to_string()))?;
        let node =
            |name| network.node_id(name).map_err(|_| ModelError::Network(format!("it has no node `{name}`")));
        let inputs = Inputs {
            ids: node("input_ids")?,
            mask: node("attention_mask")?,
            types: network.find_node("token_type_ids"),
        };
        let output = node("last_hidden_state")?;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            id,
            settings,
            tokenizer,
            network,
            inputs,
            output,
            query_threads: Arc::new(ThreadPool::with_num_threads(cores)),
            passage_threads: Arc::new(ThreadPool::with_num_threads((cores / 2).max(1))),
        })
    }

    /// Checks that network, vocabulary and settings belong together, with the last piece and the longest input.
    fn check(&self) -> Result<(), ModelError> {
        let pieces = self.tokenizer.pieces();
        let last = i32::try_from(pieces - 1).unwrap_or(i32::MAX);
        let states = self
            .states(&[last], &self.query_threads)
            .map_err(|problem| ModelError::Vocabulary { pieces, problem })?;
        let found = states.size(2);
        if found != self.settings.dimensions {
            return Err(ModelError::Dimensions { stated: self.settings.dimensions, found });
        }
        let longest = self.settings.longest_input;
        self.states(&vec![0; longest], &self.query_threads)
            .map_err(|problem| ModelError::LongestInput { stated: longest, problem })?;
        Ok(())
    }

    /// Returns an id that changes with the model, 16 hexadecimal digits. Store it beside vectors: only vectors of the
    /// same model are comparable.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the length of the model's vectors.
    pub fn dimensions(&self) -> usize {
        self.settings.dimensions
    }

    /// Returns the vector of a question. The end of a question with more than 512 tokens is ignored.
    pub fn embed_query(&self, question: &str) -> Result<Vector, ModelError> {
        self.embed(&self.settings.query_prefix, question, &self.query_threads)
    }

    /// Returns the vectors of passages, in their order. The end of a passage with more than 512 tokens, about 350
    /// words, is ignored.
    pub fn embed_passages(&self, passages: &[&str]) -> Result<Vec<Vector>, ModelError> {
        // One at a time: activations are quantised by run, so the vector of a passage would depend on its neighbours.
        passages
            .iter()
            .map(|passage| self.embed(&self.settings.passage_prefix, passage, &self.passage_threads))
            .collect()
    }

    /// Returns the vector of a passage and those of its parts, each as the passage's other parts let it be understood.
    ///
    /// `lead` says what the passage is about, such as its headings; it counts for the vector of the passage. The vectors
    /// of the parts are made in the same run, from the tokens of each part. Parts beyond 512 tokens, about 350 words,
    /// have none; nor has any part of a model that pools by the first token.
    pub fn embed_parts(
        &self,
        lead: &str,
        parts: &[&str],
    ) -> Result<(Vector, Vec<Option<Vector>>), ModelError> {
        let all: Vec<&str> = std::iter::once(lead).chain(parts.iter().copied()).collect();
        let (ids, ranges) = self.tokenizer.encode_parts(&self.settings.passage_prefix, &all);
        let states = self.states(&ids, &self.passage_threads).map_err(ModelError::Run)?;
        let states = states.slice(0);
        let whole = self.pool(&states, 0..states.size(0))?;
        let part = |range: &Range<usize>| {
            let is_mean = matches!(self.settings.pooling, Pooling::Mean);
            (is_mean && !range.is_empty()).then(|| self.pool(&states, range.clone())).transpose()
        };
        let parts = ranges.iter().skip(1).map(part).collect::<Result<_, _>>()?;
        Ok((whole, parts))
    }

    /// Returns whether the model's vocabulary has a lower-case word as a whole, which it has of few typing errors.
    pub fn knows(&self, word: &str) -> bool {
        self.tokenizer.is_piece(word)
    }

    fn embed(&self, prefix: &str, text: &str, threads: &Arc<ThreadPool>) -> Result<Vector, ModelError> {
        let ids = self.tokenizer.encode(prefix, text);
        let states = self.states(&ids, threads).map_err(ModelError::Run)?;
        let states = states.slice(0);
        self.pool(&states, 0..states.size(0))
    }

    /// Returns the vector of some tokens.
    fn pool(&self, states: &NdTensorView<f32, 2>, tokens: Range<usize>) -> Result<Vector, ModelError> {
        let sum = match self.settings.pooling {
            Pooling::First => states.slice(0).iter().copied().collect(),
            // The sum has the direction of the mean.
            Pooling::Mean => {
                let mut sum = vec![0.0; self.settings.dimensions];
                for token in tokens {
                    for (sum, value) in sum.iter_mut().zip(states.slice(token).iter()) {
                        *sum += value;
                    }
                }
                sum
            }
        };
        Vector::new(sum).map_err(|error| ModelError::Run(error.to_string()))
    }

    /// Returns the vectors of the tokens: batch of one, token, dimension.
    fn states(&self, ids: &[i32], threads: &Arc<ThreadPool>) -> Result<NdTensor<f32, 3>, String> {
        let shape = [1, ids.len()];
        let mut inputs = vec![
            (self.inputs.ids, NdTensor::from_data(shape, ids.to_vec()).into()),
            (self.inputs.mask, NdTensor::full(shape, 1).into()),
        ];
        if let Some(types) = self.inputs.types {
            inputs.push((types, NdTensor::full(shape, 0).into()));
        }
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(threads)));
        let [states] =
            self.network.run_n(inputs, [self.output], Some(options)).map_err(|error| error.to_string())?;
        states.try_into().map_err(|error: rten::TryFromValueError| error.to_string())
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Model")
            .field("id", &self.id)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
