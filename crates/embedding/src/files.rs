//! The four files of a model: network, vocabulary, normalizer and settings.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::{borrow::Cow, fs, path::Path};

use crate::{error::ModelError, tokenizer::Tokenizer};

/// The vocabulary of a model with a WordPiece tokenizer, under the name that such models publish it.
const WORD_PIECES: &str = "vocab.txt";

/// The content of a model's files, compiled in or read from a folder.
pub(crate) struct Files {
    pub(crate) network: Cow<'static, [u8]>,
    vocabulary: Vocabulary,
    settings: Cow<'static, str>,
}

/// The tables of the tokenizer.
enum Vocabulary {
    /// `vocabulary.tsv` and `normalizer.tsv`.
    Unigram { pieces: Cow<'static, str>, normalizer: Cow<'static, str> },
    /// `vocab.txt`.
    WordPiece(Cow<'static, str>),
}

/// How texts become vectors; the content of `model.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Settings {
    /// Length of a vector.
    pub(crate) dimensions: usize,
    /// Most tokens of a text, start and end included.
    pub(crate) longest_input: usize,
    /// How the vectors of the tokens become one.
    pub(crate) pooling: Pooling,
    /// Put before each question.
    pub(crate) query_prefix: String,
    /// Put before each passage.
    pub(crate) passage_prefix: String,
}

/// How the vectors of the tokens become one.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Pooling {
    /// Their mean.
    Mean,
    /// The vector of the first token.
    First,
}

impl Files {
    /// Returns the files that are compiled into the binary.
    #[cfg(feature = "bundled-model")]
    pub(crate) fn bundled() -> Self {
        Self {
            network: Cow::Borrowed(include_bytes!("../model/model.onnx")),
            vocabulary: Vocabulary::Unigram {
                pieces: Cow::Borrowed(include_str!("../model/vocabulary.tsv")),
                normalizer: Cow::Borrowed(include_str!("../model/normalizer.tsv")),
            },
            settings: Cow::Borrowed(include_str!("../model/model.toml")),
        }
    }

    /// Returns the files of the English network that is compiled into the binary.
    #[cfg(feature = "bundled-model")]
    pub(crate) fn bundled_english() -> Self {
        Self {
            network: Cow::Borrowed(include_bytes!("../model/english/model.onnx")),
            vocabulary: Vocabulary::WordPiece(Cow::Borrowed(include_str!("../model/english/vocab.txt"))),
            settings: Cow::Borrowed(include_str!("../model/english/model.toml")),
        }
    }

    /// Reads the files of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let unreadable = |name: &str, source| ModelError::Unreadable { path: folder.join(name), source };
        let bytes = |name| fs::read(folder.join(name)).map_err(|source| unreadable(name, source));
        let text = |name| fs::read_to_string(folder.join(name)).map_err(|source| unreadable(name, source));
        let settings = text("model.toml")?.into();
        let vocabulary = if folder.join(WORD_PIECES).exists() {
            Vocabulary::WordPiece(text(WORD_PIECES)?.into())
        } else {
            Vocabulary::Unigram {
                pieces: text("vocabulary.tsv")?.into(),
                normalizer: text("normalizer.tsv")?.into(),
            }
        };
        Ok(Self { settings, vocabulary, network: bytes("model.onnx")?.into() })
    }

    /// Returns 16 hexadecimal digits that change with the content of any file of these models.
    pub(crate) fn id<'f>(models: impl Iterator<Item = &'f Self>) -> String {
        let mut hash = Sha256::new();
        for files in models {
            let (pieces, normalizer) = match &files.vocabulary {
                Vocabulary::Unigram { pieces, normalizer } => (pieces, normalizer.as_bytes()),
                Vocabulary::WordPiece(pieces) => (pieces, WORD_PIECES.as_bytes()),
            };
            for part in [&*files.network, pieces.as_bytes(), normalizer, files.settings.as_bytes()] {
                // The length keeps content from moving between files unnoticed.
                hash.update((part.len() as u64).to_le_bytes());
                hash.update(part);
            }
        }
        hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Reads the tokenizer. Sequences have at most `longest` tokens.
    pub(crate) fn tokenizer(&self, longest: usize) -> Result<Tokenizer, ModelError> {
        match &self.vocabulary {
            Vocabulary::Unigram { pieces, normalizer } => Tokenizer::unigram(normalizer, pieces, longest),
            Vocabulary::WordPiece(pieces) => Tokenizer::word_piece(pieces, longest),
        }
    }

    /// Returns the checked settings.
    pub(crate) fn settings(&self) -> Result<Settings, ModelError> {
        let settings: Settings =
            toml::from_str(&self.settings).map_err(|error| ModelError::Settings(error.to_string()))?;
        // Start, end, and at least one token between them.
        if settings.longest_input < 3 {
            let problem = format!("`longest-input` must be at least 3 (is {})", settings.longest_input);
            return Err(ModelError::Settings(problem));
        }
        if settings.dimensions == 0 {
            return Err(ModelError::Settings("`dimensions` must be at least 1".to_owned()));
        }
        Ok(settings)
    }
}
