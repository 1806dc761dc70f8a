//! A network with its tokenizer: texts become the vectors of their tokens, and those become one.

use rten::{ModelOptions, NodeId, RunOptions, ThreadPool};
use rten_tensor::{NdTensor, NdTensorView, prelude::*};
use std::{borrow::Cow, fmt, ops::Range, sync::Arc};

use crate::{
    error::ModelError,
    files::{Files, Pooling, Settings},
    tokenizer::Tokenizer,
};

/// A loaded network.
pub(crate) struct Encoder {
    settings: Settings,
    tokenizer: Tokenizer,
    network: rten::Model,
    inputs: Inputs,
    output: NodeId,
}

/// The inputs of the network.
struct Inputs {
    ids: NodeId,
    mask: NodeId,
    /// Which of two sentences a token is of. Not all networks have it.
    types: Option<NodeId>,
}

impl Encoder {
    pub(crate) fn new(files: Files) -> Result<Self, ModelError> {
        let settings = files.settings()?;
        let tokenizer = files.tokenizer(settings.longest_input)?;
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
        Ok(Self { settings, tokenizer, network, inputs, output })
    }

    /// Checks that network, vocabulary and settings belong together, with the last piece and the longest
    /// input.
    pub(crate) fn check(&self, threads: &Arc<ThreadPool>) -> Result<(), ModelError> {
        let pieces = self.tokenizer.pieces();
        let last = i32::try_from(pieces - 1).unwrap_or(i32::MAX);
        let states =
            self.states(&[last], threads).map_err(|problem| ModelError::Vocabulary { pieces, problem })?;
        let found = states.size(2);
        if found != self.settings.dimensions {
            return Err(ModelError::Dimensions { stated: self.settings.dimensions, found });
        }
        let longest = self.settings.longest_input;
        self.states(&vec![0; longest], threads)
            .map_err(|problem| ModelError::LongestInput { stated: longest, problem })?;
        Ok(())
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.settings.dimensions
    }

    /// Returns whether a lower-case word is a piece of the vocabulary by itself.
    pub(crate) fn is_piece(&self, word: &str) -> bool {
        self.tokenizer.is_piece(word)
    }

    /// Returns the direction of a question.
    pub(crate) fn query(&self, question: &str, threads: &Arc<ThreadPool>) -> Result<Vec<f32>, ModelError> {
        self.one(&self.settings.query_prefix, question, threads)
    }

    /// Returns the direction of a passage.
    pub(crate) fn passage(&self, passage: &str, threads: &Arc<ThreadPool>) -> Result<Vec<f32>, ModelError> {
        self.one(&self.settings.passage_prefix, passage, threads)
    }

    /// Returns the direction of a passage of several parts, and those of the parts. Parts beyond the longest
    /// input have none; nor has any part of a network that pools by the first token.
    pub(crate) fn parts(&self, parts: &[&str], threads: &Arc<ThreadPool>) -> Result<Parts, ModelError> {
        let (ids, ranges) = self.tokenizer.encode_parts(&self.settings.passage_prefix, parts);
        let states = self.states(&ids, threads).map_err(ModelError::Run)?;
        let states = states.slice(0);
        let whole = self.pool(&states, 0..states.size(0));
        let part = |range: Range<usize>| {
            let is_mean = matches!(self.settings.pooling, Pooling::Mean);
            (is_mean && !range.is_empty()).then(|| self.pool(&states, range))
        };
        Ok(Parts { whole, parts: ranges.into_iter().map(part).collect() })
    }

    fn one(&self, prefix: &str, text: &str, threads: &Arc<ThreadPool>) -> Result<Vec<f32>, ModelError> {
        let ids = self.tokenizer.encode(prefix, text);
        let states = self.states(&ids, threads).map_err(ModelError::Run)?;
        let states = states.slice(0);
        Ok(self.pool(&states, 0..states.size(0)))
    }

    /// Returns the direction of some tokens.
    fn pool(&self, states: &NdTensorView<f32, 2>, tokens: Range<usize>) -> Vec<f32> {
        match self.settings.pooling {
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
        }
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

/// The directions of a passage and of its parts.
pub(crate) struct Parts {
    pub(crate) whole: Vec<f32>,
    pub(crate) parts: Vec<Option<Vec<f32>>>,
}

impl fmt::Debug for Encoder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Encoder").field("settings", &self.settings).finish_non_exhaustive()
    }
}
