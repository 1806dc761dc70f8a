//! The question as weighted concepts: each content word with its stems, corrections and synonyms.

use std::collections::HashMap;

use super::{Index, IndexError, IndexStats, Query, spelling, synonyms};
use crate::analyze::{Language, is_anaphoric, question_words};

/// A question of at most this many content words may lean on the one before it.
const SHORT_QUESTION: usize = 3;

/// Weight of the words of the previous question beside those of a question that leans on it.
const PREVIOUS_WEIGHT: f64 = 0.5;

/// Weight of words that people wrap around any question.
const FILLER_WEIGHT: f64 = 0.3;

/// Weight of an additional spelling beside the words it is made of.
const ALIAS_WEIGHT: f64 = 0.5;

/// Weight of two words written as one.
const JOINED_WEIGHT: f64 = 0.8;

/// Most content words read of a question; longer ones are pasted texts.
const MAX_CONCEPTS: usize = 40;

/// A form under which a concept may stand in the content.
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
    /// The word as analysed.
    pub(super) term: String,
    pub(super) forms: Vec<Form>,
    /// How much it counts in ranking.
    pub(super) weight: f64,
    /// Whether its absence speaks against an answer.
    pub(super) is_required: bool,
}

impl Concept {
    /// The rarity of the word itself, or of its likeliest reading; of a word unknown to the content, the greatest
    /// there is.
    pub(super) fn idf(&self) -> f64 {
        let known = self.forms.iter().find(|form| form.document_frequency > 0 && form.is_reading);
        known.or(self.forms.first()).map_or(0.0, |form| form.idf)
    }
}

/// All concepts of a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Concepts {
    pub(super) list: Vec<Concept>,
}

impl Concepts {
    /// Analyses a question, looks up how rare its words are, and adds corrections of words unknown to the content.
    pub(super) async fn of(
        index: &dyn Index,
        query: &Query,
        languages: &[Language],
        stats: &IndexStats,
    ) -> Result<Self, IndexError> {
        let mut list = Vec::new();
        push(&mut list, &query.question, languages, 1.0);
        let own = list.iter().filter(|concept| concept.is_required).count();
        let language = languages.first().copied().unwrap_or(Language::Other);
        if let Some(previous) = &query.previous
            && (own <= SHORT_QUESTION || is_anaphoric(&query.question, language))
        {
            push(&mut list, previous, languages, PREVIOUS_WEIGHT);
        }
        look_up(index, &mut list, stats).await?;
        spelling::correct(index, &mut list, languages, stats).await?;
        Ok(Self { list })
    }

    /// The distinct terms to look for.
    pub(super) fn index_terms(&self) -> Vec<String> {
        let mut terms: Vec<String> = self
            .list
            .iter()
            .flat_map(|concept| &concept.forms)
            .filter(|form| form.document_frequency > 0)
            .map(|form| form.term.clone())
            .collect();
        terms.sort();
        terms.dedup();
        terms
    }
}

fn push(list: &mut Vec<Concept>, text: &str, languages: &[Language], weight: f64) {
    let words = question_words(text, languages);
    for (place, word) in words.iter().enumerate() {
        if list.len() >= MAX_CONCEPTS {
            return;
        }
        let first = &word.terms[0];
        if list.iter().any(|concept| concept.term == first.text) {
            continue;
        }
        let mut forms: Vec<Form> =
            word.terms.iter().map(|term| Form::unknown(&term.text, 1.0, true)).collect();
        // `user name` is also written `username`.
        let before = place.checked_sub(1).and_then(|before| words.get(before)).map(|before| (before, word));
        let after = words.get(place + 1).map(|after| (word, after));
        for (left, right) in [before, after].into_iter().flatten().filter(|_| !first.alias) {
            let joined = analyze_word(&format!("{}{}", left.typed, right.typed), languages[0]);
            forms.extend(joined.map(|term| Form::unknown(&term, JOINED_WEIGHT, true)));
        }
        for (synonym, synonym_weight) in synonyms::of(&first.text, languages[0]) {
            forms.push(Form::unknown(&synonym, synonym_weight, false));
        }
        let kind = if first.alias {
            ALIAS_WEIGHT
        } else if first.filler {
            FILLER_WEIGHT
        } else {
            1.0
        };
        list.push(Concept {
            typed: word.typed.clone(),
            term: first.text.clone(),
            is_required: !first.alias && !first.filler && weight >= 1.0,
            forms,
            weight: weight * kind,
        });
    }
}

/// The term of a single word.
pub(super) fn analyze_word(word: &str, language: Language) -> Option<String> {
    question_words(word, &[language]).into_iter().next()?.terms.into_iter().next().map(|term| term.text)
}

impl Form {
    pub(super) fn unknown(term: &str, weight: f64, is_reading: bool) -> Self {
        Self { term: term.to_owned(), weight, is_reading, idf: 0.0, document_frequency: 0 }
    }
}

async fn look_up(index: &dyn Index, list: &mut [Concept], stats: &IndexStats) -> Result<(), IndexError> {
    let terms: Vec<String> =
        list.iter().flat_map(|concept| &concept.forms).map(|form| form.term.clone()).collect();
    if terms.is_empty() {
        return Ok(());
    }
    let frequencies: HashMap<&String, u64> =
        terms.iter().zip(index.document_frequencies(&terms).await?).collect();
    for form in list.iter_mut().flat_map(|concept| &mut concept.forms) {
        form.document_frequency = frequencies.get(&form.term).copied().unwrap_or(0);
        form.idf = idf(form.document_frequency, stats.chunks);
    }
    Ok(())
}

/// The number of chunks rarity is measured against. A site of a few pages says nothing about how rare its words are
/// in general, so it is taken for a larger one in which nothing else has them.
pub(super) fn known_chunks(chunks: u64) -> u64 {
    chunks.max(30)
}

/// Rarity of a term: 0 for one in every chunk, about ln of the number of chunks for one in none.
#[expect(clippy::cast_precision_loss, reason = "numbers of chunks are far below 2^52")]
pub(super) fn idf(document_frequency: u64, chunks: u64) -> f64 {
    let (frequency, chunks) = (document_frequency.min(chunks) as f64, known_chunks(chunks) as f64);
    (1.0 + (chunks - frequency + 0.5) / (frequency + 0.5)).ln()
}
