//! Metrics of the model that writes the answers.

use frontdesk_assistant::{ModelObserver, ModelOutcome, ModelRequest};
use prometheus_client::{
    encoding::EncodeLabelSet,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

/// Upper bounds of the buckets of request durations, in seconds.
const DURATION_BUCKETS: [f64; 10] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

/// Counts what the model writer reports. Clones share the counts.
#[derive(Clone, Debug)]
pub(crate) struct ModelMetrics {
    answers: Family<OutcomeLabel, Counter>,
    rewrites: Family<OutcomeLabel, Counter>,
    duration: Histogram,
    tokens: Family<KindLabel, Counter>,
    circuit_open: Gauge,
}

impl ModelMetrics {
    /// Registers the metrics, with every outcome at zero.
    pub(super) fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            answers: Family::default(),
            rewrites: Family::default(),
            duration: Histogram::new(DURATION_BUCKETS),
            tokens: Family::default(),
            circuit_open: Gauge::default(),
        };
        for outcome in ModelOutcome::ALL {
            let _ = metrics.answers.get_or_create(&OutcomeLabel { outcome: outcome.as_str() });
            let _ = metrics.rewrites.get_or_create(&OutcomeLabel { outcome: outcome.as_str() });
        }
        registry.register("model_answers", "Answers asked of the model, by outcome", metrics.answers.clone());
        registry.register(
            "model_rewrites",
            "Questions that the model was asked to rewrite so that they stand alone, by outcome",
            metrics.rewrites.clone(),
        );
        registry.register(
            "model_request_duration_seconds",
            "Duration of requests to the model's endpoint",
            metrics.duration.clone(),
        );
        registry.register(
            "model_tokens",
            "Tokens that the endpoint reports, by kind",
            metrics.tokens.clone(),
        );
        registry.register(
            "model_circuit_open",
            "1 while the model's endpoint is not called because it keeps failing",
            metrics.circuit_open.clone(),
        );
        metrics
    }
}

impl ModelObserver for ModelMetrics {
    fn request(&self, request: &ModelRequest) {
        self.duration.observe(request.duration.as_secs_f64());
        for (kind, tokens) in [("prompt", request.prompt_tokens), ("completion", request.completion_tokens)] {
            if let Some(tokens) = tokens {
                self.tokens.get_or_create(&KindLabel { kind }).inc_by(tokens);
            }
        }
    }

    fn answer(&self, outcome: ModelOutcome) {
        self.answers.get_or_create(&OutcomeLabel { outcome: outcome.as_str() }).inc();
    }

    fn rewrite(&self, outcome: ModelOutcome) {
        self.rewrites.get_or_create(&OutcomeLabel { outcome: outcome.as_str() }).inc();
    }

    fn circuit(&self, is_open: bool) {
        self.circuit_open.set(i64::from(is_open));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::platform::metrics::Metrics;

    use super::*;

    #[test]
    fn the_models_measurements_are_rendered() {
        let metrics = Metrics::new();
        let model = metrics.model();
        model.request(&ModelRequest {
            duration: Duration::from_millis(700),
            prompt_tokens: Some(900),
            completion_tokens: Some(40),
        });
        model.request(&ModelRequest { duration: Duration::from_secs(20), ..ModelRequest::default() });
        model.answer(ModelOutcome::Written);
        model.answer(ModelOutcome::Timeout);
        model.rewrite(ModelOutcome::Malformed);
        model.circuit(true);
        let text = metrics.render(&[]);
        for line in [
            "frontdesk_model_answers_total{outcome=\"written\"} 1",
            "frontdesk_model_answers_total{outcome=\"timeout\"} 1",
            "frontdesk_model_answers_total{outcome=\"circuit_open\"} 0",
            "frontdesk_model_rewrites_total{outcome=\"malformed\"} 1",
            "frontdesk_model_rewrites_total{outcome=\"written\"} 0",
            "frontdesk_model_request_duration_seconds_bucket{le=\"1.0\"} 1",
            "frontdesk_model_request_duration_seconds_count 2",
            "frontdesk_model_tokens_total{kind=\"prompt\"} 900",
            "frontdesk_model_tokens_total{kind=\"completion\"} 40",
            "frontdesk_model_circuit_open 1",
        ] {
            assert!(text.lines().any(|found| found == line), "no {line} in\n{text}");
        }
        model.circuit(false);
        assert!(metrics.render(&[]).contains("frontdesk_model_circuit_open 0"));
    }
}
