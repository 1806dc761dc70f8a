//! The result of a search: ranked passages, and how well they support an answer.

use uuid::Uuid;

use crate::source_type::SourceType;

/// A piece of training content that may contain the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Id of the chunk.
    pub chunk_id: Uuid,
    /// Title of the page, file or snippet; the question of an FAQ item.
    pub title: String,
    /// Heading path inside the source, outermost first, joined with ` > `.
    pub headings: String,
    /// The text exactly as it was extracted, one block per line.
    pub text: String,
    /// Address to cite.
    pub url: String,
    /// The kind of content.
    pub source_type: SourceType,
    /// BCP 47 language of the text, if it is known.
    pub language: Option<String>,
    /// Rank score; comparable within one retrieval only.
    pub score: f64,
    /// The visitor asked the question of this FAQ item, apart from spelling, so `text` is the answer.
    pub exact_answer: bool,
}

/// The outcome of one search.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieval {
    /// The passages, best first: at most six, at most two of one page.
    pub passages: Vec<Passage>,
    /// Whether the passages can be expected to contain the answer.
    pub support: Support,
}

/// How well the passages cover the words of the question.
///
/// Raw BM25 scores of different questions are not comparable, so the decision to refuse is based on these relative
/// measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    /// Whether the passages support an answer. If not, the correct answer is "I do not know".
    pub accepted: bool,
    /// Share of the question's content words found in the best passages, weighted by rarity; 0 to 1.
    pub coverage: f64,
    /// At least one word that is rare in the training content is in the best passages.
    pub rare_match: bool,
    /// Distance of the best score from the median of the first twenty, relative to the best; 0 to 1. For information
    /// only: two pages that both contain the answer are no reason to refuse.
    pub margin: f64,
    /// The analysed content words of the question.
    pub question_terms: Vec<String>,
}
