//! The decision whether the best passages can be expected to contain the answer.

use super::concepts::{Concept, Concepts, idf, known_chunks};
use super::index::IndexStats;
use super::rank::Scored;
use crate::passage::{QuestionWord, Support};

/// Number of best passages that are searched for the words of the question.
const JUDGED: usize = 3;

/// Least share of the question's words, by rarity.
const MIN_COVERAGE: f64 = 0.35;

/// Least evidence. On labeled questions that are searched by words alone, 0.86 of the answerable and 0.22 of
/// the unanswerable ones have it; with 0.36, 0.81 and 0.22.
const MIN_EVIDENCE: f64 = 0.3;

/// Coverage from which a passage contains the whole question, including corrected words. Short questions
/// (`refund?`) depend on it, because a single word is never much evidence.
const FULL_COVERAGE: f64 = 0.8;

/// A word in at most this share of the chunks is rare.
const RARE_SHARE: f64 = 0.1;

/// Number of best scores whose median the margin is measured against.
const MEDIAN_OF: usize = 20;

/// Returns the support of a question without candidates.
pub(super) fn none(concepts: &Concepts) -> Support {
    Support {
        accepted: false,
        accepted_by_words: false,
        coverage: 0.0,
        rare_match: false,
        margin: 0.0,
        words: words(concepts, &IndexStats::default()),
        language: concepts.language,
        chunks: 0,
        cosines: None,
    }
}

/// Returns the support that a ranking gives.
pub(super) fn judge(ranked: &[Scored], concepts: &Concepts, stats: &IndexStats) -> Support {
    let Some(best) = ranked.first() else { return none(concepts) };
    let coverage = ranked.iter().take(JUDGED).map(|scored| share_found(scored, concepts)).fold(0.0, f64::max);
    let rare_match = ranked.iter().take(JUDGED).any(|scored| has_rare_match(scored, concepts, stats));
    let median = ranked.get(ranked.len().min(MEDIAN_OF) / 2).map_or(0.0, |scored| scored.score);
    let margin = if best.score > 0.0 && ranked.len() > 1 { (best.score - median) / best.score } else { 1.0 };
    let evidence = evidence(best, concepts, stats);
    let is_supported = coverage >= FULL_COVERAGE || (coverage >= MIN_COVERAGE && evidence >= MIN_EVIDENCE);
    let accepted = best.exact_answer || (rare_match && is_supported);
    Support {
        accepted,
        accepted_by_words: accepted,
        coverage,
        rare_match,
        margin,
        words: words(concepts, stats),
        language: concepts.language,
        chunks: usize::try_from(stats.chunks).unwrap_or(usize::MAX),
        cosines: None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of chunks are far below 2^52")]
fn words(concepts: &Concepts, stats: &IndexStats) -> Vec<QuestionWord> {
    let content = concepts.list.iter().filter(|concept| concept.is_required);
    let share = |frequency: u64| frequency.min(stats.chunks) as f64 / stats.chunks.max(1) as f64;
    content
        .map(|concept| QuestionWord {
            typed: concept.typed.clone(),
            terms: concept.forms.iter().map(|form| form.term.clone()).collect(),
            commonness: share(concept.frequency()),
            rarity: concept.idf(),
            is_known: concept.forms.iter().any(|form| form.document_frequency > 0),
            says_when: concept.says_when(),
        })
        .collect()
}

/// Returns the share of the question's required words found in a chunk, weighted by rarity.
fn share_found(scored: &Scored, concepts: &Concepts) -> f64 {
    let (mut found, mut all) = (0.0, 0.0);
    for (concept, weight) in
        concepts.list.iter().zip(&scored.found).filter(|(concept, _)| concept.is_required)
    {
        all += concept.idf();
        found += concept.idf() * weight.min(1.0);
    }
    if all > 0.0 { found / all } else { 0.0 }
}

/// Returns the evidence of the best passage, the product of two measures: its score relative to the question,
/// which is low if only a few of many words match, and its score relative to one word of greatest rarity,
/// which is low if only common words match.
fn evidence(best: &Scored, concepts: &Concepts, stats: &IndexStats) -> f64 {
    let all: f64 = concepts.list.iter().filter(|concept| concept.is_required).map(Concept::idf).sum();
    let rarest = idf(0, stats.chunks);
    best.lexical * (best.lexical * all / rarest)
}

fn has_rare_match(scored: &Scored, concepts: &Concepts, stats: &IndexStats) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "numbers of chunks are far below 2^52")]
    let is_rare = |frequency: u64| frequency as f64 <= RARE_SHARE * known_chunks(stats.chunks) as f64;
    concepts.list.iter().zip(&scored.found).any(|(concept, weight)| {
        concept.is_required
            && *weight > 0.0
            && concept
                .forms
                .iter()
                .any(|form| form.document_frequency > 0 && is_rare(form.document_frequency))
    })
}
