//! The result of a search: ranked passages, and how well they support an answer.

use std::ops::Range;

use uuid::Uuid;

use crate::analyze::{Language, Morphology};
use crate::attributes::says_when;
use crate::outline::{Outline, OutlineCell};
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
    /// Rank score: the weighted sum of the shares in `relevance`. At most about 1.
    pub score: f64,
    /// The parts of the score.
    pub relevance: Relevance,
    /// The visitor asked the question of this FAQ item, apart from spelling, so `text` is the answer.
    pub exact_answer: bool,
    /// The outline of the texts, shared with all copies of the passage.
    pub outline: OutlineCell,
}

impl Passage {
    /// Returns the segments of the text, analyzed. The texts must not be changed after the first call.
    pub fn outline(&self) -> &Outline {
        self.outline.get_or_make(&self.title, &self.headings, &self.text, self.language.as_deref())
    }
}

/// How well a passage matches a question, by words and by meaning.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Relevance {
    /// BM25F score as a share of what a perfect match would have; 0 to about 1.3.
    pub lexical: f64,
    /// Nearness in meaning to the question, on the scale of [`Query`](crate::Query) embeddings: about 0 for
    /// the average chunk of the content, about 1 for an excellent one. `None` without vectors.
    pub similarity: Option<f64>,
    /// The nearness of single segments of the text, by their byte ranges. Empty without vectors.
    pub segments: Vec<(Range<usize>, f64)>,
}

/// The outcome of one search. By default nothing is found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Retrieval {
    /// The passages, best first: at most six, at most three of one page.
    pub passages: Vec<Passage>,
    /// Whether the passages can be expected to contain the answer.
    pub support: Support,
    /// What was found for each question, if there are several in one message.
    pub parts: Vec<Part>,
}

impl Retrieval {
    /// Returns the passages of the message and of each of its questions.
    pub fn all_passages(&self) -> impl Iterator<Item = &Passage> {
        let of_parts = self.parts.iter().flat_map(|part| &part.retrieval.passages);
        self.passages.iter().chain(of_parts)
    }
}

/// One of several questions of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The question, as the visitor wrote it.
    pub question: String,
    /// What was found for it.
    pub retrieval: Retrieval,
}

/// How well the passages cover the words of the question.
///
/// Raw BM25 scores of different questions are not comparable, so the decision to refuse is based on these
/// relative measures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Support {
    /// Whether the passages may support an answer, by a rule of thumb: without vectors by the words of the
    /// question, with vectors if there is any passage. A writer with trained weights knows better, because it
    /// has selected what to say.
    pub accepted: bool,
    /// Whether the words alone support an answer.
    pub accepted_by_words: bool,
    /// Share of the question's content words found in the best passages, weighted by rarity; 0 to 1.
    pub coverage: f64,
    /// At least one word that is rare in the training content is in the best passages.
    pub rare_match: bool,
    /// Distance of the best score from the median of the first twenty, relative to the best; 0 to 1. For
    /// information only: two pages that both contain the answer are not a reason to refuse.
    pub margin: f64,
    /// The content words of the question.
    pub words: Vec<QuestionWord>,
    /// The language of the question, if its words show it.
    pub language: Option<Language>,
    /// How many chunks the content has. The larger it is, the likelier something fits by chance.
    pub chunks: usize,
    /// The cosines of all chunks with the question; `None` without vectors.
    pub cosines: Option<Cosines>,
}

/// How near the chunks of an index are to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cosines {
    /// How many chunks there are. Among more of them, the nearest one is nearer by chance.
    pub count: usize,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// The greatest.
    pub best: f64,
}

/// A content word of a question, as search understood it.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionWord {
    /// The word as the visitor typed it, in lower case.
    pub typed: String,
    /// The index terms of the word itself, its corrections and its synonyms.
    pub terms: Vec<String>,
    /// Share of the chunks that have the word itself or its likeliest correction.
    pub commonness: f64,
    /// Rarity of the word in the content; a word that the content does not have is the rarest.
    pub rarity: f64,
    /// Whether the content has the word, a correction or a synonym of it.
    pub is_known: bool,
    /// Whether the word says when, such as a day or "open", rather than what the question is about.
    pub says_when: bool,
}

impl QuestionWord {
    /// Returns the content words of a question whose rarity is unknown.
    pub fn all(question: &str, language: Option<&str>) -> Vec<Self> {
        crate::analyze::question_words(question, &[Morphology::of(language.unwrap_or("en"))])
            .into_iter()
            .map(|word| Self {
                says_when: says_when(&word.typed),
                typed: word.typed,
                terms: word.terms.into_iter().map(|term| term.text).collect(),
                commonness: 0.0,
                rarity: 1.0,
                is_known: true,
            })
            .collect()
    }
}
