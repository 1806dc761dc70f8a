//! Errors of loading and running a model.

use std::{io, path::PathBuf};
use thiserror::Error;

/// A model could not be loaded or run.
#[derive(Debug, Error)]
pub enum ModelError {
    /// A file of the model's folder cannot be read.
    #[error(
        "cannot read {}: {source}. A model folder has the files model.onnx and model.toml, and vocab.txt, or normalizer.tsv and vocabulary.tsv",
        path.display()
    )]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// A line of a table is not in the documented form.
    #[error("{file}, line {line}: {problem}")]
    Table {
        /// Name of the file, such as `vocabulary.tsv`.
        file: &'static str,
        /// Number of the line, from 1.
        line: usize,
        /// The problem, and what is expected instead.
        problem: String,
    },
    /// The vocabulary lacks a special piece.
    #[error(
        "{file} has no piece {piece}; supported are Unigram vocabularies with <s>, </s> and <unk> in vocabulary.tsv, and WordPiece vocabularies with [CLS], [SEP] and [UNK] in vocab.txt"
    )]
    SpecialPiece {
        /// Name of the vocabulary's file.
        file: &'static str,
        /// The missing piece.
        piece: &'static str,
    },
    /// The settings are not valid.
    #[error("model.toml is not valid: {0}")]
    Settings(String),
    /// The network cannot be loaded, or has other inputs or outputs than an encoder.
    #[error("model.onnx cannot be used: {0}")]
    Network(String),
    /// The vectors of the network have another length than the settings say.
    #[error("model.toml says `dimensions = {stated}`, but the vectors of model.onnx have {found}")]
    Dimensions {
        /// The length in the settings.
        stated: usize,
        /// The length of the network's vectors.
        found: usize,
    },
    /// The network does not accept inputs as long as the settings say.
    #[error("model.toml says `longest-input = {stated}`, but model.onnx fails on so many tokens: {problem}")]
    LongestInput {
        /// The length in the settings.
        stated: usize,
        /// What the network reported.
        problem: String,
    },
    /// The vocabulary and the network do not belong together.
    #[error("the vocabulary has {pieces} pieces, but model.onnx does not accept the last one: {problem}")]
    Vocabulary {
        /// Number of pieces.
        pieces: usize,
        /// What the network reported.
        problem: String,
    },
    /// The network failed on a text.
    #[error("the embedding model failed: {0}")]
    Run(String),
}
