//! A question to a search.

use frontdesk_embedding::Vector;
use futures_util::future::BoxFuture;

use super::index::IndexError;

/// A question to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The visitor's question.
    pub question: String,
    /// The visitor's previous question in the same conversation.
    pub previous: Option<String>,
    /// BCP 47 language of the training content, if it has mainly one.
    pub language: Option<String>,
    /// Only content with one of these tags; empty for all content.
    pub tags: Vec<String>,
}

/// Turns questions into vectors, for search by meaning.
pub trait QueryEmbedder: Send + Sync {
    /// Returns the vector of a question to content that is mainly in a language (BCP 47), if it is. `None` if
    /// there is no vector at the moment, in which case only words count.
    fn embed<'a>(
        &'a self,
        question: &'a str,
        content: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Vector>, IndexError>>;

    /// Returns whether a lower-case word is in the vocabulary of the model, and therefore not a typing error.
    fn knows(&self, word: &str) -> bool;

    /// Converts a cosine of this model into the one that the bundled model would have. What search and
    /// writers decide is tuned to that: its cosines lie in a narrow band, other models have other bands.
    fn comparable(&self, cosine: f32) -> f32 {
        cosine
    }
}
