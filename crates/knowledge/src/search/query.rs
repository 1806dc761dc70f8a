//! A question to a search.

use async_trait::async_trait;
use frontdesk_embedding::Vector;

use super::index::IndexError;
use super::{languages, question};

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

impl Query {
    /// Returns whether the question may refer to the previous one, in which case both are searched for together. It may if
    /// it has few words of its own or words such as "it" or "there".
    pub fn is_follow_up(&self) -> bool {
        question::is_follow_up(self, &languages(self))
    }
}

/// Turns questions into vectors, for search by meaning.
#[async_trait]
pub trait QueryEmbedder: Send + Sync {
    /// Returns the vector of a question to content that is mainly in a language (BCP 47), if it is. `None` if there is no vector at the
    /// moment, in which case only words count.
    async fn embed(&self, question: &str, content: Option<&str>) -> Result<Option<Vector>, IndexError>;

    /// Returns whether a lower-case word is in the vocabulary of the model, and therefore not a typing error.
    fn knows(&self, word: &str) -> bool;

    /// Converts a cosine of this model into the one that the bundled model would have. What search and writers decide is tuned to
    /// that: its cosines lie in a narrow band, other models have other bands.
    fn comparable(&self, cosine: f32) -> f32 {
        cosine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_follow_up_is_short_or_refers_back() {
        let query = |question: &str, previous: Option<&str>| Query {
            question: question.to_owned(),
            previous: previous.map(str::to_owned),
            ..Query::default()
        };
        for (question, is_follow_up) in [
            ("And on Sundays?", true),
            ("How much is that one?", true),
            ("Und wie viel kostet das?", true),
            ("Which documents prove my identity when I collect a large parcel?", false),
        ] {
            assert_eq!(
                query(question, Some("When are you open?")).is_follow_up(),
                is_follow_up,
                "{question}"
            );
            assert!(!query(question, None).is_follow_up(), "{question}");
        }
    }
}
