//! Ranking: the weighted sum of a lexical share (BM25F, Robertson and Zaragoza 2009) and nearness in meaning.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use super::concepts::{Concept, Concepts};
use super::index::{Candidate, IndexStats};
use crate::passage::{Passage, Relevance};
use crate::source_type::SourceType;
use crate::topics::is_legal_name;

/// Term frequency saturation: how quickly further occurrences of a word stop counting.
const K1: f64 = 1.2;

/// The saturated frequency that no number of occurrences exceeds.
const MAX_FREQUENCY: f64 = K1 + 1.0;

/// Weights and length normalisation of the fields.
const TITLE: Field = Field { weight: 2.0, b: 0.4 };
const HEADINGS: Field = Field { weight: 2.0, b: 0.4 };
const BODY: Field = Field { weight: 1.0, b: 0.6 };

/// Weight of the same score over all chunks of a page.
const PAGE_WEIGHT: f64 = 0.3;

/// Weight of two words of the question that are near each other in the text, as a share of the rarer word.
const PROXIMITY: f64 = 0.4;

/// Words at most this many terms apart are near each other.
const NEAR: usize = 4;

/// Share of the lexical part in the score of a chunk with a vector.
const LEXICAL_SHARE: f64 = 0.4;

/// What the score of a legal page is multiplied by: imprints and terms mention many subjects, but are rarely asked for.
const LEGAL_PAGE: f64 = 0.9;

struct Field {
    weight: f64,
    b: f64,
}

/// A ranked candidate.
#[derive(Debug, Clone)]
pub(super) struct Scored {
    pub(super) candidate: Candidate,
    pub(super) score: f64,
    pub(super) lexical: f64,
    pub(super) similarity: Option<f64>,
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
            relevance: Relevance { lexical: self.lexical, similarity: self.similarity, segments: Vec::new() },
            exact_answer: self.exact_answer,
        }
    }
}

/// Returns the candidates in the order of their scores, best first. `similarities` has the nearness of the chunks with
/// vectors.
pub(super) fn rank(
    candidates: Vec<Candidate>,
    concepts: &Concepts,
    similarities: &HashMap<Uuid, f64>,
    stats: &IndexStats,
) -> Vec<Scored> {
    let ideal = ideal(&concepts.list);
    let counted: Vec<(Candidate, Frequencies)> = candidates
        .into_iter()
        .map(|candidate| {
            let frequencies = Frequencies::of(&candidate, &concepts.list, stats);
            (candidate, frequencies)
        })
        .collect();
    // A chunk without any of the words is no candidate, so the candidates have all occurrences on their page.
    let mut pages: HashMap<String, Frequencies> = HashMap::new();
    for (candidate, frequencies) in &counted {
        pages.entry(candidate.url.clone()).or_default().add(frequencies);
    }
    let mut ranked: Vec<Scored> = counted
        .into_iter()
        .map(|(candidate, frequencies)| {
            let (own, found) = frequencies.score(&concepts.list);
            let (page, _) = pages[&candidate.url].score(&concepts.list);
            let near = PROXIMITY * proximity(&candidate.terms.body, &concepts.list);
            let lexical = if ideal > 0.0 { (own + PAGE_WEIGHT * page + near) / ideal } else { 0.0 };
            let similarity = similarities.get(&candidate.chunk_id).copied();
            let score = match similarity {
                Some(similarity) => LEXICAL_SHARE * lexical + (1.0 - LEXICAL_SHARE) * similarity,
                None => lexical,
            };
            let path = candidate
                .url
                .find("://")
                .and_then(|at| Some(&candidate.url[at + 3 + candidate.url[at + 3..].find('/')?..]));
            let is_legal = is_legal_name(&candidate.title, path.unwrap_or_default());
            let score = if is_legal { LEGAL_PAGE * score } else { score };
            Scored { candidate, score, lexical, similarity, exact_answer: false, found }
        })
        .collect();
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

/// Returns the score of a chunk that has every word often. Words that the content does not have count half: they may be
/// another name for what it has.
fn ideal(concepts: &[Concept]) -> f64 {
    concepts
        .iter()
        .map(|concept| {
            let is_known = concept.forms.iter().any(|form| form.document_frequency > 0);
            let share = if is_known { 1.0 } else { 0.5 };
            share * concept.weight * concept.idf() * MAX_FREQUENCY
        })
        .sum()
}

/// For each concept, its forms found and their weighted numbers of occurrences.
#[derive(Debug, Clone, Default)]
struct Frequencies(Vec<Vec<f64>>);

impl Frequencies {
    fn of(candidate: &Candidate, concepts: &[Concept], stats: &IndexStats) -> Self {
        let fields = [
            Counts::of(&candidate.terms.title, &TITLE, stats.average_title),
            Counts::of(&candidate.terms.headings, &HEADINGS, stats.average_headings),
            Counts::of(&candidate.terms.body, &BODY, stats.average_body),
        ];
        let frequency = |term: &str| fields.iter().map(|counts| counts.frequency(term)).sum();
        let of = |concept: &Concept| concept.forms.iter().map(|form| frequency(&form.term)).collect();
        Self(concepts.iter().map(of).collect())
    }

    fn add(&mut self, other: &Self) {
        if self.0.is_empty() {
            self.clone_from(other);
            return;
        }
        for (own, other) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *own += other;
        }
    }

    /// Returns the score, and for each concept the weight of its best form.
    fn score(&self, concepts: &[Concept]) -> (f64, Vec<f64>) {
        let mut total = 0.0;
        let mut found = Vec::with_capacity(concepts.len());
        for (concept, frequencies) in concepts.iter().zip(&self.0) {
            let (mut best, mut best_weight) = (0.0_f64, 0.0_f64);
            for (form, frequency) in concept.forms.iter().zip(frequencies) {
                if *frequency > 0.0 {
                    best = best.max(form.weight * form.idf * MAX_FREQUENCY * frequency / (K1 + frequency));
                    best_weight = best_weight.max(form.weight);
                }
            }
            total += concept.weight * best;
            found.push(best_weight);
        }
        (total, found)
    }
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
