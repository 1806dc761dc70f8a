//! Training of linear models: logistic regression, and its listwise form that picks one of several
//! candidates.

/// A linear model over features in a fixed order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Model {
    pub(crate) bias: f64,
    pub(crate) weights: Vec<f64>,
}

impl Model {
    pub(crate) fn score(&self, features: &[f64]) -> f64 {
        self.bias + self.weights.iter().zip(features).map(|(weight, value)| weight * value).sum::<f64>()
    }
}

/// Candidates of which one should be picked: features, and whether it is right.
pub(crate) type Group = Vec<(Vec<f64>, bool)>;

const STEPS: usize = 600;
const RATE: f64 = 0.05;

/// Trains a model that gives right candidates of a group more than wrong ones. Groups without a right or
/// without a wrong candidate are ignored. `decay` is the strength of the L2 penalty.
pub(crate) fn fit_groups(groups: &[&Group], decay: f64) -> Model {
    let useful: Vec<&Group> = groups
        .iter()
        .copied()
        .filter(|group| group.iter().any(|(_, right)| *right) && group.iter().any(|(_, right)| !*right))
        .collect();
    let scale = Scale::of(useful.iter().flat_map(|group| group.iter().map(|(features, _)| features)));
    let scaled: Vec<Vec<(Vec<f64>, bool)>> = useful
        .iter()
        .map(|group| group.iter().map(|(features, right)| (scale.apply(features), *right)).collect())
        .collect();
    let weights = descend(scale.len(), decay, |weights, gradient| {
        for group in &scaled {
            let scores: Vec<f64> = group.iter().map(|(features, _)| dot(weights, features)).collect();
            let all = softmax(&scores, |_| true);
            let right = softmax(&scores, |index| group[index].1);
            for ((features, _), (all, right)) in group.iter().zip(all.iter().zip(&right)) {
                for (slope, value) in gradient.iter_mut().zip(features) {
                    *slope += (all - right) * value;
                }
            }
        }
        scaled.len()
    });
    scale.unscale(&weights, 0.0)
}

/// Trains a model of the log-odds of `true`.
pub(crate) fn fit(examples: &[(&[f64], bool, f64)], decay: f64) -> Model {
    let scale = Scale::of(examples.iter().map(|(features, _, _)| *features));
    let scaled: Vec<(Vec<f64>, f64, f64)> = examples
        .iter()
        .map(|(features, label, weight)| {
            let mut features = scale.apply(features);
            features.push(1.0);
            (features, f64::from(u8::from(*label)), *weight)
        })
        .collect();
    let weights = descend(scale.len() + 1, decay, |weights, gradient| {
        for (features, label, weight) in &scaled {
            let odds = 1.0 / (1.0 + (-dot(weights, features)).exp());
            for (slope, value) in gradient.iter_mut().zip(features) {
                *slope += weight * (odds - label) * value;
            }
        }
        scaled.len()
    });
    let bias = weights.last().copied().unwrap_or_default();
    scale.unscale(&weights[..scale.len()], bias)
}

/// Minimizes a loss by its gradient (Adam). `add` adds the gradient over all examples and returns their
/// number.
#[expect(clippy::cast_precision_loss, reason = "numbers of examples are far below 2^52")]
fn descend(size: usize, decay: f64, add: impl Fn(&[f64], &mut [f64]) -> usize) -> Vec<f64> {
    let mut weights = vec![0.0; size];
    let (mut first, mut second) = (vec![0.0; size], vec![0.0; size]);
    for step in 1..=STEPS {
        let mut gradient = vec![0.0; size];
        let count = add(&weights, &mut gradient).max(1) as f64;
        let time = i32::try_from(step).unwrap_or(i32::MAX);
        for index in 0..size {
            let slope = gradient[index] / count + decay * weights[index];
            first[index] = 0.9 * first[index] + 0.1 * slope;
            second[index] = 0.999 * second[index] + 0.001 * slope * slope;
            let mean = first[index] / (1.0 - 0.9_f64.powi(time));
            let variance = second[index] / (1.0 - 0.999_f64.powi(time));
            weights[index] -= RATE * mean / (variance.sqrt() + 1e-8);
        }
    }
    weights
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

/// Returns the share of each chosen candidate; 0 for the others.
fn softmax(scores: &[f64], chosen: impl Fn(usize) -> bool) -> Vec<f64> {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let raised: Vec<f64> = scores
        .iter()
        .enumerate()
        .map(|(index, score)| if chosen(index) { (score - most).exp() } else { 0.0 })
        .collect();
    let total: f64 = raised.iter().sum();
    raised.into_iter().map(|value| value / total.max(f64::MIN_POSITIVE)).collect()
}

/// Mean and spread of each feature, so that one rate of learning and one penalty suit all.
struct Scale {
    mean: Vec<f64>,
    spread: Vec<f64>,
}

impl Scale {
    #[expect(clippy::cast_precision_loss, reason = "numbers of examples are far below 2^52")]
    fn of<F: AsRef<[f64]>>(examples: impl Iterator<Item = F> + Clone) -> Self {
        let count = examples.clone().count().max(1) as f64;
        let size = examples.clone().next().map_or(0, |features| features.as_ref().len());
        let mut mean = vec![0.0; size];
        for features in examples.clone() {
            for (mean, value) in mean.iter_mut().zip(features.as_ref()) {
                *mean += value / count;
            }
        }
        let mut variance = vec![0.0; size];
        for features in examples {
            for index in 0..size {
                variance[index] += (features.as_ref()[index] - mean[index]).powi(2) / count;
            }
        }
        let spread =
            variance.into_iter().map(|variance| if variance > 1e-12 { variance.sqrt() } else { 1.0 });
        Self { mean, spread: spread.collect() }
    }

    fn len(&self) -> usize {
        self.mean.len()
    }

    fn apply(&self, features: &[f64]) -> Vec<f64> {
        let all = features.iter().zip(&self.mean).zip(&self.spread);
        all.map(|((value, mean), spread)| (value - mean) / spread).collect()
    }

    /// Returns the model over features as they are.
    fn unscale(&self, weights: &[f64], bias: f64) -> Model {
        let weights: Vec<f64> =
            weights.iter().zip(&self.spread).map(|(weight, spread)| weight / spread).collect();
        let bias = bias - dot(&weights, &self.mean);
        Model { bias, weights }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_separates_the_examples_is_learned() {
        let examples: Vec<(Vec<f64>, bool)> =
            (0..40_i32).map(|index| (vec![f64::from(index), f64::from(index % 3)], index >= 20)).collect();
        let borrowed: Vec<(&[f64], bool, f64)> =
            examples.iter().map(|(features, label)| (features.as_slice(), *label, 1.0)).collect();
        let model = fit(&borrowed, 0.001);
        assert!(examples.iter().all(|(features, label)| (model.score(features) > 0.0) == *label));
    }

    #[test]
    fn the_right_candidate_of_a_group_is_picked() {
        let groups: Vec<Group> = (0..10)
            .map(|index| {
                let base = f64::from(index * 10);
                vec![(vec![base, 0.0], false), (vec![base + 1.0, 0.0], true), (vec![base, 5.0], false)]
            })
            .collect();
        let model = fit_groups(&groups.iter().collect::<Vec<_>>(), 0.001);
        for group in &groups {
            let best =
                group.iter().max_by(|left, right| model.score(&left.0).total_cmp(&model.score(&right.0)));
            assert!(best.unwrap().1);
        }
    }
}
