//! The trained weights of the selection and the refusal.
//!
//! `weights.json` is written by `cargo xtask eval --train`, which also records in it what it was trained on.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::decision::ANSWER;
use super::features::WINDOW;

/// A linear model over named features.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Linear {
    /// The value that is added.
    pub bias: f64,
    /// The weight of each feature by its name.
    pub weights: BTreeMap<String, f64>,
}

/// The weights for one kind of content.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// What the weights were trained on, with which figures.
    #[serde(default)]
    pub provenance: String,
    /// Score of a window; the best ones are quoted.
    pub window: Linear,
    /// When to refuse; `None` if search decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// The decision whether the selected windows answer the question.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// Log-odds that they do.
    pub answer: Linear,
    /// Log-odds below which the question is refused.
    pub threshold: f64,
}

/// The content of `weights.json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SelectionWeights {
    /// For content with vectors.
    pub hybrid: Selection,
    /// For content without, as in the first minute of a chatbot.
    pub lexical: Selection,
}

/// A model with its weights in the order of the features.
#[derive(Debug)]
pub(super) struct Prepared<const N: usize> {
    bias: f64,
    weights: [f64; N],
}

impl<const N: usize> Prepared<N> {
    fn of(linear: &Linear, names: [&str; N]) -> Self {
        let weights = names.map(|name| linear.weights.get(name).copied().unwrap_or_default());
        Self { bias: linear.bias, weights }
    }

    pub(super) fn score(&self, features: &[f64; N]) -> f64 {
        self.bias + self.weights.iter().zip(features).map(|(weight, value)| weight * value).sum::<f64>()
    }
}

/// The models for one kind of content.
#[derive(Debug)]
pub(super) struct Models {
    pub(super) window: Prepared<{ WINDOW.len() }>,
    refusal: Option<(Prepared<{ ANSWER.len() }>, f64)>,
}

impl Models {
    pub(super) fn of(selection: &Selection) -> Self {
        let refusal = selection.refusal.as_ref();
        Self {
            window: Prepared::of(&selection.window, WINDOW),
            refusal: refusal.map(|refusal| (Prepared::of(&refusal.answer, ANSWER), refusal.threshold)),
        }
    }

    /// Returns by how much the log-odds that an answer with these features is right exceed the threshold, or
    /// `None` if the search decides.
    pub(super) fn margin(&self, features: &[f64; ANSWER.len()]) -> Option<f64> {
        self.refusal.as_ref().map(|(answer, threshold)| answer.score(features) - threshold)
    }

    /// Returns the trained models for content with or without vectors.
    pub(super) fn trained(has_vectors: bool) -> &'static Self {
        if has_vectors { &HYBRID } else { &LEXICAL }
    }
}

static WEIGHTS: LazyLock<SelectionWeights> = LazyLock::new(|| {
    // A file that does not parse fails the test below, so it is never built into a release.
    serde_json::from_str(include_str!("weights.json")).unwrap_or_default()
});
static HYBRID: LazyLock<Models> = LazyLock::new(|| Models::of(&WEIGHTS.hybrid));
static LEXICAL: LazyLock<Models> = LazyLock::new(|| Models::of(&WEIGHTS.lexical));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_belongs_to_a_feature() {
        let weights: SelectionWeights = serde_json::from_str(include_str!("weights.json")).unwrap();
        let windows = [&weights.hybrid.window, &weights.lexical.window];
        for window in windows {
            assert!(!window.weights.is_empty());
            assert!(window.weights.keys().all(|name| WINDOW.contains(&name.as_str())));
        }
        for selection in [weights.hybrid, weights.lexical] {
            let refusal = selection.refusal.unwrap();
            assert!(refusal.answer.weights.keys().all(|name| ANSWER.contains(&name.as_str())));
        }
    }
}
