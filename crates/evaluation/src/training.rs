//! Training of the extractive writer on labeled sites, with cross-validated figures.

use frontdesk_assistant::{
    Linear, Refusal, Selection,
    training::{
        ANSWER_FEATURES, AnswerExample, WINDOW_FEATURES, answer_as_built, answer_example, window_examples,
    },
};

use crate::judge::{Answer, states_fact};
use crate::linear::{self, Group};
use crate::samples::{Origin, Sample};

/// How a selection is trained.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The strength of the penalty for the selection of windows.
    pub window: f64,
    /// That for the decision to answer.
    pub answer: f64,
    /// Share of the answerable questions that may be refused; those of a large site count for less.
    pub refused: f64,
    /// Features of the decision that are left out.
    pub without: &'static [&'static str],
}

impl Settings {
    /// For content with vectors. Which attributes a text states helps to find the answer; beside nearness in
    /// meaning, it fits the decision to answer to chance.
    pub const VECTORS: Self = Self {
        window: 0.01,
        answer: 0.05,
        refused: 0.06,
        without: &["attribute_given", "hours_given", "hours_missing", "price_given", "price_missing"],
    };
    /// For content without. Words alone decide worse, so more questions may be refused.
    pub const WORDS: Self = Self { window: 0.01, answer: 0.1, refused: 0.15, without: &[] };
}

/// Trains a selection on samples.
pub fn train(samples: &[&Sample], settings: Settings) -> Selection {
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
    let window = linear::fit_groups(&groups.iter().collect::<Vec<_>>(), settings.window);
    let mut selection = Selection { window: named(&window, &WINDOW_FEATURES), ..Selection::default() };
    let left_out = |name: &str| settings.without.contains(&name);
    let decided: Vec<Decided> = samples
        .iter()
        .filter_map(|sample| {
            let mut features = answer_example(&sample.task, &selection)?.features;
            // A feature that is always the same gets no weight.
            for (value, _) in features.iter_mut().zip(ANSWER_FEATURES).filter(|(_, name)| left_out(name)) {
                *value = 0.0;
            }
            Some(Decided {
                features,
                answerable: sample.question.answerable,
                weight: weight(samples, sample),
                site_weight: site_weight(samples, sample),
                is_labeled: sample.origin == Origin::Labeled,
            })
        })
        .collect();
    let examples: Vec<(&[f64], bool, f64)> = decided
        .iter()
        .map(|decided| (decided.features.as_slice(), decided.answerable, decided.weight))
        .collect();
    let answer = linear::fit(&examples, settings.answer);
    let labeled = decided.iter().filter(|decided| decided.is_labeled && decided.answerable);
    let scores = labeled.map(|decided| (answer.score(&decided.features), decided.site_weight));
    let threshold = quantile(scores.collect(), settings.refused);
    selection.refusal =
        Some(Refusal { answer: named(&answer, &ANSWER_FEATURES), threshold: round(threshold) });
    selection
}

/// An answer with the label of its question.
struct Decided {
    features: Vec<f64>,
    answerable: bool,
    weight: f64,
    site_weight: f64,
    is_labeled: bool,
}

/// Returns the value below which a share of the others is, each with its weight.
fn quantile(mut values: Vec<(f64, f64)>, share: f64) -> f64 {
    values.sort_by(|left, right| left.0.total_cmp(&right.0));
    let all: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut below = 0.0;
    let place = values.iter().find(|(_, weight)| {
        below += weight;
        below >= share * all
    });
    place.map(|(value, _)| *value).unwrap_or_default()
}

/// Returns how much a sample counts: both answers count alike.
#[expect(clippy::cast_precision_loss, reason = "a few hundred questions")]
fn weight(samples: &[&Sample], sample: &Sample) -> f64 {
    let answerable = sample.question.answerable;
    let same = samples.iter().filter(|other| other.question.answerable == answerable).count();
    samples.len() as f64 / same.max(1) as f64 * site_weight(samples, sample)
}

/// Returns how much a question of a site counts: a site with many questions not more than a few others.
#[expect(clippy::cast_precision_loss, reason = "a few hundred questions")]
fn site_weight(samples: &[&Sample], sample: &Sample) -> f64 {
    let site = samples.iter().filter(|other| other.site == sample.site).count();
    (20.0 / site.max(1) as f64).sqrt()
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
    settings: Settings,
) -> Vec<(&Sample, Answer)> {
    let mut parts: Vec<String> = samples.iter().map(&part).collect();
    parts.sort();
    parts.dedup();
    let mut answers = Vec::new();
    for held_out in parts {
        let others: Vec<&Sample> = samples.iter().filter(|sample| part(sample) != held_out).collect();
        let selection = train(&others, settings);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_counts_weights() {
        let values = vec![(3.0, 1.0), (1.0, 1.0), (2.0, 2.0)];
        for (share, expected) in [(0.0, 1.0), (0.25, 1.0), (0.3, 2.0), (0.75, 2.0), (1.0, 3.0)] {
            let found = quantile(values.clone(), share);
            assert!((found - expected).abs() < 1e-9, "{share}: {found}");
        }
    }
}
