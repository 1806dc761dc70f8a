//! Weighted concepts: each content word of a question with its stems, corrections and synonyms.

use super::index::IndexTerm;
use crate::analyze::Language;
use crate::attributes::says_when;

/// A form in which a concept may occur in the content.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) term: String,
    /// 1 for the word itself, less for guesses.
    pub(super) weight: f64,
    /// The word itself or a correction of it, rather than another word for the same thing.
    pub(super) is_reading: bool,
    /// Rarity in the content.
    pub(super) idf: f64,
    pub(super) document_frequency: u64,
}

/// One content word of the question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Concept {
    /// The word as typed, lower-cased.
    pub(super) typed: String,
    /// The word as analyzed.
    pub(super) term: String,
    pub(super) forms: Vec<Form>,
    /// The spelling that was probably meant, if the word is a typing error.
    pub(super) meant: Option<String>,
    /// Weight in the ranking.
    pub(super) weight: f64,
    /// Whether its absence is evidence against an answer.
    pub(super) is_required: bool,
    /// Whether it is the name of a feast that says which kind of thing is meant: "Christmas trees".
    pub(super) is_kind: bool,
}

impl Concept {
    /// Returns whether the word says when, rather than what the question is about.
    pub(super) fn says_when(&self) -> bool {
        !self.is_kind && says_when(self.meant.as_deref().unwrap_or(&self.typed))
    }

    /// Returns the number of chunks that have the word itself, or one of its corrections.
    pub(super) fn frequency(&self) -> u64 {
        let own = self.forms.iter().filter(|form| form.is_reading);
        own.map(|form| form.document_frequency).max().unwrap_or_default()
    }

    /// Returns the rarity of the word itself, or of its likeliest correction. A word that the content does
    /// not have gets the greatest rarity.
    pub(super) fn idf(&self) -> f64 {
        let known = self.forms.iter().find(|form| form.document_frequency > 0 && form.is_reading);
        known.or(self.forms.first()).map_or(0.0, |form| form.idf)
    }
}

/// All concepts of a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Concepts {
    pub(super) list: Vec<Concept>,
    /// Whether the question refers to the previous one.
    pub(super) is_follow_up: bool,
    /// The language of the question, if its words show it.
    pub(super) language: Option<Language>,
}

impl Concepts {
    /// Returns the question with its typing errors corrected.
    pub(super) fn corrected(&self, question: &str) -> String {
        let mut corrected = question.to_owned();
        for concept in &self.list {
            let Some(meant) = &concept.meant else { continue };
            let lower = corrected.to_lowercase();
            // Lower case may have another length in bytes; such rare texts stay as they are.
            if lower.len() == corrected.len()
                && let Some(at) = lower.find(&concept.typed)
                && corrected.is_char_boundary(at)
                && corrected.is_char_boundary(at + concept.typed.len())
            {
                corrected.replace_range(at..at + concept.typed.len(), meant);
            }
        }
        corrected
    }

    /// Returns the distinct terms to search for.
    pub(super) fn index_terms(&self) -> Vec<IndexTerm> {
        let mut terms: Vec<IndexTerm> = self
            .list
            .iter()
            .flat_map(|concept| &concept.forms)
            .filter(|form| form.document_frequency > 0)
            .map(|form| IndexTerm { text: form.term.clone(), document_frequency: form.document_frequency })
            .collect();
        terms.sort();
        terms.dedup_by(|next, kept| next.text == kept.text);
        terms
    }
}

impl Form {
    pub(super) fn unknown(term: &str, weight: f64, is_reading: bool) -> Self {
        Self { term: term.to_owned(), weight, is_reading, idf: 0.0, document_frequency: 0 }
    }
}

/// Returns the number of chunks that rarity is measured against. A site of a few pages does not show how rare
/// its words are in general, so it is treated as a larger one in which no other chunk has them.
pub(super) fn known_chunks(chunks: u64) -> u64 {
    chunks.max(30)
}

/// Returns the rarity of a term: 0 if every chunk has it, about ln of the number of chunks if none does.
#[expect(clippy::cast_precision_loss, reason = "numbers of chunks are far below 2^52")]
pub(super) fn idf(document_frequency: u64, chunks: u64) -> f64 {
    let (frequency, chunks) = (document_frequency.min(chunks) as f64, known_chunks(chunks) as f64);
    (1.0 + (chunks - frequency + 0.5) / (frequency + 0.5)).ln()
}
