//! Ranking: the weighted sum of a lexical share (BM25F, Robertson and Zaragoza 2009) and nearness in meaning.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;
use std::sync::Arc;

use super::concepts::{Concept, Concepts};
use super::index::{Candidate, IndexStats};
use super::meaning::Similarities;
use crate::chunk::FieldTerms;
use crate::passage::{Passage, Relevance};
use crate::source_type::SourceType;
use crate::terms::Terms;
use crate::topics::is_legal_name;

/// Term frequency saturation: how quickly further occurrences of a word stop counting.
const K1: f64 = 1.2;

/// The saturated frequency that no number of occurrences exceeds.
const MAX_FREQUENCY: f64 = K1 + 1.0;

/// Weights and length normalization of the fields.
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

/// The factor for the score of a legal page: imprints and terms mention many subjects, but are rarely asked
/// for.
const LEGAL_PAGE: f64 = 0.9;

struct Field {
    weight: f64,
    b: f64,
}

/// A ranked candidate.
#[derive(Debug, Clone)]
pub(super) struct Scored {
    pub(super) candidate: Arc<Candidate>,
    pub(super) score: f64,
    pub(super) lexical: f64,
    pub(super) similarity: Option<f64>,
    pub(super) exact_answer: bool,
    /// For each concept, the weight of the best form found in the chunk, or 0.
    pub(super) found: Vec<f64>,
}

impl Scored {
    pub(super) fn into_passage(self) -> Passage {
        let candidate = self.candidate.as_ref();
        let is_item = candidate.source_type == SourceType::Faq;
        Passage {
            chunk_id: candidate.chunk_id,
            title: candidate.title.clone(),
            headings: if is_item { String::new() } else { candidate.headings.clone() },
            text: candidate.text.clone(),
            url: candidate.url.clone(),
            source_type: candidate.source_type,
            language: candidate.language.clone(),
            score: self.score,
            relevance: Relevance { lexical: self.lexical, similarity: self.similarity, segments: Vec::new() },
            exact_answer: self.exact_answer,
            outline: candidate.outline.clone(),
        }
    }
}

/// Returns the candidates in the order of their scores, best first. `similarities` has the nearness of the
/// chunks with vectors.
pub(super) fn rank(
    candidates: Vec<Arc<Candidate>>,
    concepts: &Concepts,
    similarities: Option<&Similarities>,
    stats: &IndexStats,
) -> Vec<Scored> {
    let ideal = ideal(&concepts.list);
    let forms = Forms::of(&concepts.list);
    let counted: Vec<(Arc<Candidate>, Occurrences)> = candidates
        .into_iter()
        .map(|candidate| {
            let occurrences = forms.occurrences(&candidate.terms, stats);
            (candidate, occurrences)
        })
        .collect();
    // A chunk without any of the words is not a candidate, so the candidates have all occurrences on their
    // page.
    let mut pages: HashMap<&str, Frequencies> = HashMap::new();
    for (candidate, occurrences) in &counted {
        match pages.entry(&candidate.url) {
            MapEntry::Occupied(mut page) => page.get_mut().add(&occurrences.frequencies),
            MapEntry::Vacant(page) => {
                page.insert(occurrences.frequencies.clone());
            }
        }
    }
    let pages: HashMap<&str, f64> =
        pages.into_iter().map(|(url, page)| (url, page.score(&concepts.list).0)).collect();
    let pages: Vec<f64> = counted.iter().map(|(candidate, _)| pages[candidate.url.as_str()]).collect();
    let mut ranked: Vec<Scored> = counted
        .into_iter()
        .zip(pages)
        .map(|((candidate, occurrences), page)| {
            let (own, found) = occurrences.frequencies.score(&concepts.list);
            let near = PROXIMITY * proximity(&occurrences.body, &concepts.list);
            let lexical = if ideal > 0.0 { (own + PAGE_WEIGHT * page + near) / ideal } else { 0.0 };
            let similarity = similarities.and_then(|similarities| similarities.of(candidate.chunk_id));
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

/// Returns the score of a chunk that has every word often. Words that the content does not have count half:
/// they may be another name for what it has.
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

/// The forms of all concepts by their terms, to find them in one pass through the words of a chunk.
struct Forms<'a> {
    /// For each term, the places of its forms: of the concept, and of the form among those of all concepts.
    places: HashMap<&'a str, Vec<(usize, usize)>>,
    /// Whether a term begins with this byte. For most words of a text this is enough to know that they do not
    /// occur in the question.
    is_first: [bool; 256],
    /// The number of concepts.
    concepts: usize,
    /// The number of forms of all concepts.
    count: usize,
}

/// The words of a question that occur in a chunk.
struct Occurrences {
    frequencies: Frequencies,
    /// For each concept, the positions in the text of its forms.
    body: Vec<Vec<usize>>,
}

impl<'a> Forms<'a> {
    fn of(concepts: &'a [Concept]) -> Self {
        let mut places: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        let mut is_first = [false; 256];
        let mut count = 0;
        for (concept_place, concept) in concepts.iter().enumerate() {
            for form in &concept.forms {
                places.entry(&form.term).or_default().push((concept_place, count));
                count += 1;
                if let Some(first) = form.term.bytes().next() {
                    is_first[usize::from(first)] = true;
                }
            }
        }
        Self { places, is_first, concepts: concepts.len(), count }
    }

    fn occurrences(&self, terms: &FieldTerms, stats: &IndexStats) -> Occurrences {
        let mut body = vec![Vec::new(); self.concepts];
        let mut frequencies = Frequencies(vec![0.0; self.count]);
        self.add_field(&mut frequencies, &terms.title, &TITLE, stats.average_title, |_, _| ());
        self.add_field(&mut frequencies, &terms.headings, &HEADINGS, stats.average_headings, |_, _| ());
        self.add_field(&mut frequencies, &terms.body, &BODY, stats.average_body, |concept, place| {
            body[concept].push(place);
        });
        Occurrences { frequencies, body }
    }

    /// Adds the frequencies of the forms in one field, and calls `found` with the concept and the place of
    /// each.
    fn add_field(
        &self,
        frequencies: &mut Frequencies,
        words: &Terms,
        field: &Field,
        average: f64,
        mut found: impl FnMut(usize, usize),
    ) {
        let mut occurring: Vec<usize> = Vec::new();
        let mut length = 0;
        for word in words.iter() {
            if self.is_first[usize::from(word.as_bytes()[0])]
                && let Some(places) = self.places.get(word)
            {
                for (concept, form) in places {
                    occurring.push(*form);
                    found(*concept, length);
                }
            }
            length += 1;
        }
        #[expect(clippy::cast_precision_loss, reason = "a chunk has a few hundred terms")]
        let relative = if average > 0.0 { length as f64 / average } else { 1.0 };
        let factor = field.weight / (1.0 - field.b + field.b * relative);
        occurring.sort_unstable();
        for same in occurring.chunk_by(|left, right| left == right) {
            #[expect(clippy::cast_precision_loss, reason = "a chunk has a few hundred terms")]
            let count = same.len() as f64;
            frequencies.0[same[0]] += count * factor;
        }
    }
}

/// For each form of each concept, one concept after the other, its weighted number of occurrences.
#[derive(Debug, Clone)]
struct Frequencies(Vec<f64>);

impl Frequencies {
    fn add(&mut self, other: &Self) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own += other;
        }
    }

    /// Returns the score, and for each concept the weight of its best form.
    fn score(&self, concepts: &[Concept]) -> (f64, Vec<f64>) {
        let mut total = 0.0;
        let mut found = Vec::with_capacity(concepts.len());
        let mut frequencies = self.0.iter();
        for concept in concepts {
            let (mut best, mut best_weight) = (0.0_f64, 0.0_f64);
            for (form, frequency) in concept.forms.iter().zip(&mut frequencies) {
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

/// Returns the summed rarity of adjacent question words that are also near each other in the text, from the
/// places of each concept.
fn proximity(places: &[Vec<usize>], concepts: &[Concept]) -> f64 {
    let content: Vec<(&Concept, &Vec<usize>)> =
        concepts.iter().zip(places).filter(|(concept, _)| concept.is_required).collect();
    content
        .windows(2)
        .filter(|pair| {
            pair[1]
                .1
                .iter()
                .any(|right| pair[0].1.iter().any(|left| left != right && left.abs_diff(*right) <= NEAR))
        })
        .map(|pair| pair[1].0.idf().min(pair[0].0.idf()))
        .sum()
}
