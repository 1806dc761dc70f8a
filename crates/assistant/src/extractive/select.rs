//! Selection of the quote that answers a question, and the decision to refuse instead.

use frontdesk_knowledge::Passage;

use super::features::Question;
use super::weights::Models;
use super::windows::{Limits, Source, Window, sources, windows};
use crate::task::Task;
use crate::topics::Topics;

/// A second window is quoted if its score is at most this far below the best one's.
const SECOND_MARGIN: f64 = 0.7;

/// The text of an answer and its origin.
#[derive(Debug, Default)]
pub(super) struct Quotes<'a> {
    /// The quotes; empty if nothing can be quoted.
    pub(super) text: String,
    /// The quoted passages, best first.
    pub(super) passages: Vec<&'a Passage>,
    /// The features of the decision to answer.
    pub(super) features: Vec<f64>,
    /// Log-odds that the quotes answer the question.
    pub(super) confidence: f64,
    /// Log-odds below which the question is refused.
    pub(super) threshold: f64,
    /// Whether a segment was left out because the owner does not want it mentioned.
    pub(super) withheld: bool,
}

impl Quotes<'_> {
    /// Returns whether the quotes can be expected to answer the question.
    pub(super) fn is_supported(&self) -> bool {
        self.confidence >= self.threshold
    }
}

/// Returns whether the content of a task has vectors.
pub(super) fn has_vectors(task: &Task) -> bool {
    task.retrieval.passages.iter().any(|passage| passage.relevance.similarity.is_some())
}

/// Selects what to quote, with the trained models.
pub(super) fn quotes<'a>(task: &'a Task, topics: &Topics) -> Quotes<'a> {
    quotes_by(task, topics, Models::trained(has_vectors(task)))
}

/// Selects what to quote, with these models.
pub(super) fn quotes_by<'a>(task: &'a Task, topics: &Topics, models: &Models) -> Quotes<'a> {
    let sources = sources(task, topics);
    let withheld = sources.iter().flat_map(|source| &source.segments).any(|segment| segment.withheld);
    let mut quotes = Quotes { withheld, threshold: models.threshold, ..Quotes::default() };
    let limits = Limits::of(task.settings.response_length);
    let question = Question::of(task);
    let scored: Vec<(Window, f64)> = windows(&sources, limits)
        .into_iter()
        .map(|window| {
            let score = models.window.score(&question.window(&window, &sources));
            (window, score)
        })
        .collect();
    // The first of equals wins: earlier passages are better, and earlier sentences usually more important.
    let Some((best, score)) = best(scored.iter()) else { return quotes };
    let features = question.answer(best, &sources, task, *score);
    quotes.confidence = models.answer.score(&features);
    quotes.features = features.to_vec();
    quotes.text = best.text(&sources).trim().to_owned();
    quotes.passages.push(sources[best.source].passage);
    if let Some(second) = second(&scored, best, *score, &sources, limits) {
        let text = second.text(&sources).trim();
        quotes.text = [quotes.text.as_str(), text].join("\n\n");
        let passage = sources[second.source].passage;
        if !quotes.passages.iter().any(|quoted| quoted.chunk_id == passage.chunk_id) {
            quotes.passages.push(passage);
        }
    }
    quotes
}

fn best<'w>(scored: impl Iterator<Item = &'w (Window, f64)>) -> Option<&'w (Window, f64)> {
    scored.fold(None, |best: Option<&(Window, f64)>, next| match best {
        Some((_, most)) if next.1 <= *most => best,
        _ => Some(next),
    })
}

/// Returns the best window elsewhere that is nearly as good and fits beside the best one.
fn second<'w>(
    scored: &'w [(Window, f64)],
    first: &Window,
    score: f64,
    sources: &[Source<'_>],
    limits: Limits,
) -> Option<&'w Window> {
    let room = limits.bytes.checked_sub(first.text(sources).len())?;
    let fits = scored.iter().filter(|(window, _)| {
        let text = window.text(sources);
        window.source != first.source && text.len() <= room && !first.text(sources).contains(text)
    });
    let (window, second) = best(fits)?;
    (score - second <= SECOND_MARGIN).then_some(window)
}
