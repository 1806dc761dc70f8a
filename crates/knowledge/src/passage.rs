//! What a search hands to the answer writers: ranked passages and how well they support the question.

use uuid::Uuid;

/// One piece of training content that may hold the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// The chunk the passage is.
    pub chunk_id: Uuid,
    /// Title of the page, file or snippet; for an FAQ item its question.
    pub title: String,
    /// Heading path inside the source, outermost first, joined with ` > `.
    pub headings: String,
    /// The text word for word as it was extracted; blocks are separated by line breaks.
    pub text: String,
    /// Address to cite.
    pub url: String,
    /// `webpage`, `file`, `text_snippet` or `faq`.
    pub source_type: String,
    /// BCP 47 language of the text where it is known.
    pub language: Option<String>,
    /// Rank score; comparable within one retrieval only.
    pub score: f64,
    /// The visitor asked, in all but spelling, the question of this FAQ item, so `text` is the answer itself.
    pub exact_answer: bool,
}

/// The outcome of one search.
#[derive(Debug, Clone, PartialEq)]
pub struct Retrieval {
    /// Best first; at most six, at most two of one page.
    pub passages: Vec<Passage>,
    /// Whether the passages can be expected to hold the answer.
    pub support: Support,
}

/// How well the passages cover the words of the question.
///
/// Raw BM25 scores of different questions are not comparable, so the decision to refuse rests on these relative
/// measures instead.
#[derive(Debug, Clone, PartialEq)]
pub struct Support {
    /// The refusal gate's verdict: `false` means an honest answer is "I do not know".
    pub accepted: bool,
    /// Share of the question's content words found in the best passages, weighted by rarity; 0 to 1.
    pub coverage: f64,
    /// At least one word that is rare in the training content is in the best passages.
    pub rare_match: bool,
    /// Distance of the best score from the median of the first twenty, relative to the best; 0 to 1. Reported, not
    /// required: two pages that both hold the answer are no reason to refuse.
    pub margin: f64,
    /// The analysed content words of the question.
    pub question_terms: Vec<String>,
}
