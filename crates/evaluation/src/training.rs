//! Training of the extractive writer on labeled sites, with cross-validated figures.

use std::path::{Path, PathBuf};

use frontdesk_assistant::{
    Assistant, Kind, Linear, Offer, Refusal, Selection, Settings, Task, Turn,
    training::{
        ANSWER_FEATURES, AnswerExample, WINDOW_FEATURES, answer_as_built, answer_example, window_examples,
    },
};
use frontdesk_embedding::{Model, Vector};
use frontdesk_knowledge::{IndexError, Query, QueryEmbedder, Retrieval, search};
use futures_util::future::BoxFuture;

use crate::corpus::{Content, CorpusError, read_pages};
use crate::judge::{Answer, fold, is_expected};
use crate::linear::{self, Group};
use crate::questions::{Question, QuestionsError, read_questions};

/// The error of training.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainingError {
    /// A site could not be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Questions could not be read.
    #[error(transparent)]
    Questions(#[from] QuestionsError),
    /// A search failed.
    #[error("a search failed: {0}")]
    Search(IndexError),
}

/// A question with everything that was found for it.
#[derive(Debug)]
pub struct Sample {
    /// The site's name.
    pub site: String,
    /// The label.
    pub question: Question,
    /// The task of the writer.
    pub task: Task,
    /// Whether the chunks with the answer were removed from the site before the search. The question is then
    /// a near miss.
    pub is_removed: bool,
}

struct InProcess<'m>(&'m Model);

impl QueryEmbedder for InProcess<'_> {
    fn embed<'a>(
        &'a self,
        question: &'a str,
        content: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Vector>, IndexError>> {
        let vector = self.0.embed_query(question, content).map(Some).map_err(IndexError::from);
        Box::pin(std::future::ready(vector))
    }

    fn knows(&self, word: &str) -> bool {
        self.0.knows(word)
    }
}

/// Reads labeled sites and searches for all their questions, and once more for each answerable one after the
/// chunks with its answer were removed. With an assistant, its model first rewrites questions that refer to
/// earlier ones.
pub async fn samples(
    sites: &[PathBuf],
    model: Option<&Model>,
    cache: &Path,
    assistant: Option<&Assistant>,
) -> Result<Vec<Sample>, TrainingError> {
    let mut samples = Vec::new();
    let mut removed = Vec::new();
    for folder in sites {
        let site = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let pages = read_pages(&folder.join("site"))?;
        let content = Content::of(&pages, model, cache)?;
        let index = content.index(|_| true);
        let mut languages: Vec<&str> = pages.iter().filter_map(|page| page.language.as_deref()).collect();
        languages.sort_unstable();
        let most = languages.chunk_by(|left, right| left == right).max_by_key(|run| run.len());
        let language = most.map(|run| run[0].to_owned());
        let questions = read_questions(&folder.join("questions.jsonl"))?;
        for question in &questions {
            let (mut task, mut query) = asked(question, &questions, language.clone());
            if let Some(assistant) = assistant {
                assistant.resolve(&mut task, &mut query).await;
            }
            let embedder = model.map(InProcess);
            let embedder = embedder.as_ref().map(|embedder| embedder as &dyn QueryEmbedder);
            if question.answerable {
                let rest = content.index(|chunk| !states_fact(question, &chunk.url, &chunk.text));
                let retrieval = search(&rest, embedder, &query).await.map_err(TrainingError::Search)?;
                removed.push(Sample {
                    site: site.clone(),
                    question: Question { answerable: false, kind: REMOVED.to_owned(), ..question.clone() },
                    task: Task { retrieval, ..task.clone() },
                    is_removed: true,
                });
            }
            task.retrieval = search(&index, embedder, &query).await.map_err(TrainingError::Search)?;
            samples.push(Sample { site: site.clone(), question: question.clone(), task, is_removed: false });
        }
    }
    samples.append(&mut removed);
    Ok(samples)
}

/// The kind of questions whose answers were removed.
pub const REMOVED: &str = "answer removed";

/// Returns the task of answering a question, without its passages, and the query for them.
fn asked(question: &Question, all: &[Question], language: Option<String>) -> (Task, Query) {
    let before = question.after.as_ref().and_then(|after| all.iter().find(|other| other.id == *after));
    let previous = before.map(|before| before.text.clone());
    let query = Query {
        question: question.text.clone(),
        previous: previous.clone(),
        language: language.clone(),
        tags: Vec::new(),
    };
    let task = Task {
        question: question.text.clone(),
        stand_alone: None,
        history: previous.into_iter().map(Turn::visitor).collect(),
        offer: Offer::NotMade,
        retrieval: Retrieval::default(),
        settings: Settings { language, ..Settings::default() },
        kind: Kind::Chat,
    };
    (task, query)
}

/// The strength of the penalties.
#[derive(Debug, Clone, Copy)]
pub struct Penalties {
    /// For the selection of windows.
    pub window: f64,
    /// For the decision to answer.
    pub answer: f64,
    /// Share of the answerable questions that may be refused.
    pub refused: f64,
}

impl Default for Penalties {
    fn default() -> Self {
        Self { window: 0.01, answer: 0.03, refused: 0.06 }
    }
}

/// Returns whether a text has the fact that a question asks for.
fn has_fact(question: &Question, text: &str) -> bool {
    let text = fold(text);
    question.must_contain_any.iter().chain(&question.also_accept).any(|fact| text.contains(&fold(fact)))
}

/// Returns whether a text of a page states the fact that a question asks for.
fn states_fact(question: &Question, url: &str, text: &str) -> bool {
    has_fact(question, text) && is_expected(question, url)
}

/// Trains a selection on samples.
pub fn train(samples: &[&Sample], penalties: Penalties) -> Selection {
    let groups: Vec<Group> = samples
        .iter()
        .filter(|sample| sample.question.answerable)
        .map(|sample| {
            let windows = window_examples(&sample.task);
            windows
                .into_iter()
                .map(|window| {
                    let right = states_fact(&sample.question, &window.url, &window.text);
                    (window.features, right)
                })
                .collect()
        })
        .collect();
    let window = linear::fit_groups(&groups.iter().collect::<Vec<_>>(), penalties.window);
    let mut selection = Selection { window: named(&window, &WINDOW_FEATURES), ..Selection::default() };
    let decided: Vec<(Vec<f64>, bool, f64)> = samples
        .iter()
        .filter_map(|sample| {
            let weight = weight(samples, sample);
            Some((answer_example(&sample.task, &selection)?.features, sample.question.answerable, weight))
        })
        .collect();
    let examples: Vec<(&[f64], bool, f64)> =
        decided.iter().map(|(features, label, weight)| (features.as_slice(), *label, *weight)).collect();
    let answer = linear::fit(&examples, penalties.answer);
    let mut scores: Vec<f64> = examples
        .iter()
        .filter(|(_, label, _)| *label)
        .map(|(features, _, _)| answer.score(features))
        .collect();
    scores.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a few hundred questions"
    )]
    let place = (scores.len() as f64 * penalties.refused) as usize;
    let threshold = scores.get(place).copied().unwrap_or_default();
    selection.refusal =
        Some(Refusal { answer: named(&answer, &ANSWER_FEATURES), threshold: round(threshold) });
    selection
}

/// Returns how much a sample counts: both answers count alike, and a site with many questions not more than a
/// few others.
#[expect(clippy::cast_precision_loss, reason = "a few hundred questions")]
fn weight(samples: &[&Sample], sample: &Sample) -> f64 {
    let count =
        |test: &dyn Fn(&Sample) -> bool| samples.iter().filter(|other| test(other)).count().max(1) as f64;
    let same = count(&|other| other.question.answerable == sample.question.answerable);
    let site = count(&|other| other.site == sample.site);
    (samples.len() as f64 / same) * (20.0 / site).sqrt()
}

fn named(model: &linear::Model, names: &[&str]) -> Linear {
    let weights = names.iter().zip(&model.weights).map(|(name, weight)| ((*name).to_owned(), round(*weight)));
    Linear { bias: round(model.bias), weights: weights.collect() }
}

/// Rounds to four places: the weights are read and compared by people.
fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

/// Returns for each sample the answer of a selection that was trained on the samples of the other parts.
pub fn cross_validate(
    samples: &[Sample],
    part: impl Fn(&Sample) -> String,
    penalties: Penalties,
) -> Vec<(&Sample, Answer)> {
    let mut parts: Vec<String> = samples.iter().map(&part).collect();
    parts.sort();
    parts.dedup();
    let mut answers = Vec::new();
    for held_out in parts {
        let others: Vec<&Sample> = samples.iter().filter(|sample| part(sample) != held_out).collect();
        let selection = train(&others, penalties);
        let own = samples.iter().filter(|sample| part(sample) == held_out);
        answers.extend(own.map(|sample| (sample, answer(sample, &selection))));
    }
    answers
}

/// Returns for each sample the answer of the writer with the weights that it is built with.
pub fn answers_as_built(samples: &[Sample]) -> Vec<(&Sample, Answer)> {
    samples.iter().map(|sample| (sample, described(answer_as_built(&sample.task)))).collect()
}

/// Returns the answer of a selection to a sample.
pub fn answer(sample: &Sample, selection: &Selection) -> Answer {
    described(answer_example(&sample.task, selection))
}

fn described(example: Option<AnswerExample>) -> Answer {
    match example {
        Some(example) => Answer { refused: !example.is_supported, text: example.text, sources: example.urls },
        None => Answer { refused: true, ..Default::default() },
    }
}
