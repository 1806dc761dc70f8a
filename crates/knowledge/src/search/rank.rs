//! Ranking by BM25F (Robertson and Zaragoza 2009): one saturation over the weighted fields of a chunk.

use std::collections::{HashMap, HashSet};

use super::concepts::{Concept, Concepts};
use super::index::{Candidate, IndexStats};
use crate::passage::Passage;
use crate::source_type::SourceType;

/// Term frequency saturation: how quickly further occurrences of a word stop counting.
const K1: f64 = 1.6;

/// Weights and length normalisation of the fields.
const TITLE: Field = Field { weight: 3.0, b: 0.4 };
const HEADINGS: Field = Field { weight: 2.0, b: 0.4 };
const BODY: Field = Field { weight: 1.0, b: 0.6 };

/// Weight of two words of the question that are near each other in the text.
const PROXIMITY: f64 = 0.4;

/// Words at most this many terms apart are near each other.
const NEAR: usize = 4;

struct Field {
    weight: f64,
    b: f64,
}

/// A ranked candidate.
#[derive(Debug, Clone)]
pub(super) struct Scored {
    pub(super) candidate: Candidate,
    pub(super) score: f64,
    pub(super) exact_answer: bool,
    /// For each concept, the weight of the best form found in the chunk, or 0.
    pub(super) found: Vec<f64>,
}

impl Scored {
    pub(super) fn into_passage(self) -> Passage {
        let Candidate { chunk_id, title, headings, text, url, source_type, language, .. } = self.candidate;
        let headings = if source_type == SourceType::Faq { String::new() } else { headings };
        Passage {
            chunk_id,
            title,
            headings,
            text,
            url,
            source_type,
            language,
            score: self.score,
            exact_answer: self.exact_answer,
        }
    }
}

/// Returns the candidates in the order of their scores, best first.
pub(super) fn rank(candidates: Vec<Candidate>, concepts: &Concepts, stats: &IndexStats) -> Vec<Scored> {
    let mut ranked: Vec<Scored> =
        candidates.into_iter().map(|candidate| score(candidate, &concepts.list, stats)).collect();
    // Equal scores are ordered by text, so that every index gives the same order.
    ranked.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| left.candidate.url.cmp(&right.candidate.url))
            .then_with(|| left.candidate.text.cmp(&right.candidate.text))
    });
    ranked
}

fn score(candidate: Candidate, concepts: &[Concept], stats: &IndexStats) -> Scored {
    let title = Counts::of(&candidate.terms.title, &TITLE, stats.average_title);
    let headings = Counts::of(&candidate.terms.headings, &HEADINGS, stats.average_headings);
    let body = Counts::of(&candidate.terms.body, &BODY, stats.average_body);
    let mut total = 0.0;
    let mut found = Vec::with_capacity(concepts.len());
    for concept in concepts {
        let (mut best, mut best_weight) = (0.0_f64, 0.0_f64);
        for form in concept.forms.iter().filter(|form| form.document_frequency > 0) {
            let frequency: f64 =
                [&title, &headings, &body].iter().map(|counts| counts.frequency(&form.term)).sum();
            if frequency > 0.0 {
                best = best.max(form.weight * form.idf * frequency / (K1 + frequency));
                best_weight = best_weight.max(form.weight);
            }
        }
        total += concept.weight * best;
        found.push(best_weight);
    }
    total += PROXIMITY * proximity(&candidate.terms.body, concepts);
    Scored { candidate, score: total, exact_answer: false, found }
}

/// Weighted term counts of one field.
struct Counts<'a> {
    counts: HashMap<&'a str, usize>,
    factor: f64,
}

impl<'a> Counts<'a> {
    fn of(terms: &'a [String], field: &Field, average: f64) -> Self {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for term in terms {
            *counts.entry(term).or_default() += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "a chunk has a few hundred terms")]
        let relative = if average > 0.0 { terms.len() as f64 / average } else { 1.0 };
        Self { counts, factor: field.weight / (1.0 - field.b + field.b * relative) }
    }

    fn frequency(&self, term: &str) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a chunk has a few hundred terms")]
        let count = self.counts.get(term).copied().unwrap_or(0) as f64;
        count * self.factor
    }
}

/// Returns the summed rarity of adjacent question words that are also near each other in the text.
fn proximity(body: &[String], concepts: &[Concept]) -> f64 {
    let places = |concept: &Concept| -> Vec<usize> {
        let terms: HashSet<&str> = concept.forms.iter().map(|form| form.term.as_str()).collect();
        body.iter()
            .enumerate()
            .filter(|(_, term)| terms.contains(term.as_str()))
            .map(|(place, _)| place)
            .collect()
    };
    let content: Vec<&Concept> = concepts.iter().filter(|concept| concept.is_required).collect();
    let places: Vec<Vec<usize>> = content.iter().map(|concept| places(concept)).collect();
    (1..content.len())
        .filter(|second| {
            places[*second].iter().any(|right| {
                places[second - 1].iter().any(|left| left != right && left.abs_diff(*right) <= NEAR)
            })
        })
        .map(|second| content[second].idf().min(content[second - 1].idf()))
        .sum()
}
