//! What training needs to know of the extractive writer: candidates with their features, and answers by given
//! weights.

use super::asking::Asking;
use super::decision::ANSWER;
use super::features::{Question, WINDOW};
use super::select::{Quotes, has_vectors, quotes, quotes_by};
use super::weights::{Models, Selection};
use super::windows::sources;
use crate::task::Task;
use crate::topics::Topics;

/// Names of the features of [`WindowExample`].
pub const WINDOW_FEATURES: [&str; WINDOW.len()] = WINDOW;

/// Names of the features of [`AnswerExample`].
pub const ANSWER_FEATURES: [&str; ANSWER.len()] = ANSWER;

/// A text that could be quoted.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowExample {
    /// The text.
    pub text: String,
    /// The address of its source.
    pub url: String,
    /// Its features, in the order of [`WINDOW_FEATURES`].
    pub features: Vec<f64>,
}

/// The answer that some weights lead to.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerExample {
    /// The text.
    pub text: String,
    /// The addresses of its sources.
    pub urls: Vec<String>,
    /// The features of the decision to give it, in the order of [`ANSWER_FEATURES`].
    pub features: Vec<f64>,
    /// Whether the weights lead to this answer rather than to a refusal.
    pub is_supported: bool,
}

/// Returns every text that could answer a task.
pub fn window_examples(task: &Task) -> Vec<WindowExample> {
    let asking = Asking::of(task);
    let sources = sources(&asking, &Topics::of(&task.settings));
    let question = Question::of(&asking);
    let windows = question.candidates(&sources, &asking);
    windows
        .iter()
        .filter(|(_, may_lead)| *may_lead)
        .map(|(window, _)| WindowExample {
            text: window.text(&sources).to_owned(),
            url: sources[window.source].passage.url.clone(),
            features: question.window(window, &sources).to_vec(),
        })
        .collect()
}

/// Returns the answer that some weights lead to, or `None` if there is nothing to quote.
pub fn answer_example(task: &Task, selection: &Selection) -> Option<AnswerExample> {
    example(quotes_by(task, &Topics::of(&task.settings), &Models::of(selection)))
}

/// Returns the answer of the writer with the weights that it is built with, or `None` if there is nothing to
/// quote.
pub fn answer_as_built(task: &Task) -> Option<AnswerExample> {
    example(quotes(task, &Topics::of(&task.settings)))
}

fn example(quotes: Quotes<'_>) -> Option<AnswerExample> {
    (!quotes.text.is_empty()).then(|| AnswerExample {
        is_supported: quotes.is_supported,
        urls: quotes.passages.iter().map(|passage| passage.url.clone()).collect(),
        features: quotes.features,
        text: quotes.text,
    })
}

/// Returns whether the content of a task has vectors, which determines the weights that apply.
pub fn is_hybrid(task: &Task) -> bool {
    has_vectors(task)
}
