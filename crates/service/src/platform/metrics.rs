//! [`Metrics`]: counters and gauges of the service, for Prometheus. No label names a tenant.

use std::{
    fmt,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use frontdesk_store::{AttemptOutcome, JobCount, OldestDue};
use jiff::Timestamp;
use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

mod model;

pub(crate) use self::model::ModelMetrics;

/// Upper bounds of the buckets of request times, in seconds.
const LATENCY_BUCKETS: [f64; 12] = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    queue: String,
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabel {
    queue: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabel {
    outcome: String,
}

/// What the service counts. Clones share the counts.
#[derive(Clone)]
pub struct Metrics {
    inner: Arc<Inner>,
}

struct Inner {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    latency: Family<OperationLabel, Histogram, fn() -> Histogram>,
    connections: Gauge,
    jobs: Family<JobLabels, Gauge<u64, AtomicU64>>,
    oldest_due_job: Family<QueueLabel, Gauge<f64, AtomicU64>>,
    jobs_given_up: Family<KindLabel, Counter>,
    credits_used: Counter,
    credits_refunded: Counter,
    pages: Family<OutcomeLabel, Counter>,
    trainings: Family<OutcomeLabel, Counter>,
    answers: Family<OutcomeLabel, Counter>,
    webhook_attempts: Family<OutcomeLabel, Counter>,
    notices: Family<OutcomeLabel, Counter>,
    follow_ups: Family<OutcomeLabel, Counter>,
    connections_refused: Counter,
    connections_closed_for_others: Counter,
    rate_limit_fallbacks: Counter,
    rate_limits_degraded: Gauge,
    database_unreachable: Gauge,
    model: ModelMetrics,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// All counts at zero.
    pub fn new() -> Self {
        let latency: fn() -> Histogram = || Histogram::new(LATENCY_BUCKETS);
        let mut registry = Registry::with_prefix("frontdesk");
        let model = ModelMetrics::register(&mut registry);
        let mut inner = Inner {
            registry,
            requests: Family::default(),
            latency: Family::new_with_constructor(latency),
            connections: Gauge::default(),
            jobs: Family::default(),
            oldest_due_job: Family::default(),
            jobs_given_up: Family::default(),
            credits_used: Counter::default(),
            credits_refunded: Counter::default(),
            pages: Family::default(),
            trainings: Family::default(),
            answers: Family::default(),
            webhook_attempts: Family::default(),
            notices: Family::default(),
            follow_ups: Family::default(),
            connections_refused: Counter::default(),
            connections_closed_for_others: Counter::default(),
            rate_limit_fallbacks: Counter::default(),
            rate_limits_degraded: Gauge::default(),
            database_unreachable: Gauge::default(),
            model,
        };
        let registry = &mut inner.registry;
        registry.register("requests", "Requests answered, by operation and status", inner.requests.clone());
        registry.register(
            "request_duration_seconds",
            "Time from the head of a request to the head of its answer, by operation",
            inner.latency.clone(),
        );
        registry.register(
            "webhook_attempts",
            "Attempts to deliver an event to a webhook endpoint, by outcome",
            inner.webhook_attempts.clone(),
        );
        registry.register("notices", "E-mails to the people of accounts, by outcome", inner.notices.clone());
        registry.register(
            "follow_ups",
            "E-mails of follow-ups to contacts, by outcome",
            inner.follow_ups.clone(),
        );
        registry.register("connections", "Open client connections", inner.connections.clone());
        registry.register("jobs", "Jobs in the database, by queue and state", inner.jobs.clone());
        registry.register(
            "oldest_due_job_age_seconds",
            "Time since the job became due that has waited longest, by queue",
            inner.oldest_due_job.clone(),
        );
        registry.register("jobs_given_up", "Jobs given up, by kind", inner.jobs_given_up.clone());
        registry.register("credits_used", "AI credits used", inner.credits_used.clone());
        registry.register("credits_refunded", "AI credits given back", inner.credits_refunded.clone());
        registry.register("training_pages", "Pages visited for training, by outcome", inner.pages.clone());
        registry.register("trainings", "Trainings that ended, by outcome", inner.trainings.clone());
        registry.register("answers", "Answers given, by what they do", inner.answers.clone());
        registry.register(
            "connections_refused",
            "Connections closed because their client address had too many",
            inner.connections_refused.clone(),
        );
        registry.register(
            "connections_closed_for_others",
            "Idle connections closed because another client needed the place",
            inner.connections_closed_for_others.clone(),
        );
        registry.register(
            "rate_limit_fallbacks",
            "Rate limit decisions made by this process alone because the shared store failed",
            inner.rate_limit_fallbacks.clone(),
        );
        registry.register(
            "rate_limits_degraded",
            "1 while rate limits hold per process only because the shared store fails",
            inner.rate_limits_degraded.clone(),
        );
        registry.register(
            "database_unreachable",
            "1 when the database did not say in time which jobs there are, so that they are left out",
            inner.database_unreachable.clone(),
        );
        Self { inner: Arc::new(inner) }
    }

    /// Counts an answered request; `operation` is an operation's id or the name of another endpoint.
    pub fn request(&self, operation: &'static str, status: u16, took: Duration) {
        self.inner.requests.get_or_create(&RequestLabels { operation, status }).inc();
        self.inner.latency.get_or_create(&OperationLabel { operation }).observe(took.as_secs_f64());
    }

    /// Counts a connection for as long as the answer lives.
    pub fn connection(&self) -> OpenConnection {
        self.inner.connections.inc();
        OpenConnection(self.inner.connections.clone())
    }

    /// Counts AI credits that were used.
    pub fn credits_used(&self, credits: u64) {
        self.inner.credits_used.inc_by(credits);
    }

    /// Counts AI credits that were reserved and given back.
    pub fn credits_refunded(&self, credits: u64) {
        self.inner.credits_refunded.inc_by(credits);
    }

    /// Counts a job that was given up.
    pub fn job_given_up(&self, kind: &'static str) {
        self.inner.jobs_given_up.get_or_create(&KindLabel { kind }).inc();
    }

    /// Counts a page that training visited; `outcome` is `ready` or the reason why it is not.
    pub fn page(&self, outcome: &str) {
        self.inner.pages.get_or_create(&OutcomeLabel { outcome: outcome.to_owned() }).inc();
    }

    /// Counts a training that ended; `outcome` is `ready` or the code of its failure.
    pub fn training(&self, outcome: &str) {
        self.inner.trainings.get_or_create(&OutcomeLabel { outcome: outcome.to_owned() }).inc();
    }

    /// Counts an attempt to deliver an event.
    pub(crate) fn webhook_attempt(&self, outcome: AttemptOutcome) {
        let outcome = match outcome {
            AttemptOutcome::Succeeded => "succeeded",
            AttemptOutcome::HttpError => "http_error",
            AttemptOutcome::Timeout => "timeout",
            AttemptOutcome::Unreachable => "unreachable",
            AttemptOutcome::TlsError => "tls_error",
        };
        self.inner.webhook_attempts.get_or_create(&OutcomeLabel { outcome: outcome.to_owned() }).inc();
    }

    /// Counts an e-mail, or an attempt to send one.
    pub(crate) fn notice(&self, outcome: &str) {
        self.inner.notices.get_or_create(&OutcomeLabel { outcome: outcome.to_owned() }).inc();
    }

    /// Counts an e-mail to a contact, or an attempt to send one.
    pub(crate) fn follow_up(&self, outcome: &str) {
        self.inner.follow_ups.get_or_create(&OutcomeLabel { outcome: outcome.to_owned() }).inc();
    }

    /// Counts an answer of the assistant; `outcome` is what it does, such as `answer` or `refuse`.
    pub fn answer(&self, outcome: &str) {
        self.inner.answers.get_or_create(&OutcomeLabel { outcome: outcome.to_owned() }).inc();
    }

    /// Counts a connection that was closed because its client address had too many.
    pub fn connection_refused(&self) {
        self.inner.connections_refused.inc();
    }

    /// Counts an idle connection that was closed because another client needed its place.
    pub fn connection_closed_for_another(&self) {
        self.inner.connections_closed_for_others.inc();
    }

    /// Counts a rate limit decision that this process made alone because the shared store failed.
    pub fn rate_limit_fallback(&self) {
        self.inner.rate_limit_fallbacks.inc();
    }

    /// Sets whether rate limits hold per process only because the shared store fails.
    pub fn rate_limits_degraded(&self, degraded: bool) {
        self.inner.rate_limits_degraded.set(i64::from(degraded));
    }

    /// Sets whether the database did not respond when these metrics were asked for.
    pub fn database_unreachable(&self, unreachable: bool) {
        self.inner.database_unreachable.set(i64::from(unreachable));
    }

    /// Returns the metrics of the model that writes the answers.
    pub(crate) fn model(&self) -> &ModelMetrics {
        &self.inner.model
    }

    /// Sets how long the oldest due job of each queue has waited; queues that are not named have none.
    pub fn oldest_due_jobs(&self, oldest_due: &[OldestDue], now: Timestamp) {
        self.inner.oldest_due_job.clear();
        for oldest in oldest_due {
            let label = QueueLabel { queue: oldest.queue.clone() };
            let age = oldest.run_at.duration_until(now).as_secs_f64().max(0.0);
            self.inner.oldest_due_job.get_or_create(&label).set(age);
        }
    }

    /// Returns everything in the OpenMetrics text format. The caller has just counted the jobs.
    pub fn render(&self, jobs: &[JobCount]) -> String {
        // Values of queues that are empty by now would otherwise stay for ever.
        self.inner.jobs.clear();
        for count in jobs {
            let labels = JobLabels { queue: count.queue.clone(), state: count.state.as_str() };
            self.inner.jobs.get_or_create(&labels).set(count.jobs);
        }
        let mut out = String::new();
        text::encode(&mut out, &self.inner.registry).expect("a string takes any text");
        out
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Metrics").finish_non_exhaustive()
    }
}

/// A client connection that is open.
#[derive(Debug)]
pub struct OpenConnection(Gauge);

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_store::JobState;
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn counts_are_rendered() {
        let metrics = Metrics::new();
        metrics.request("getChatbot", 200, Duration::from_millis(3));
        metrics.request("getChatbot", 200, Duration::from_millis(30));
        metrics.request("getChatbot", 404, Duration::from_millis(1));
        metrics.credits_used(3);
        metrics.credits_refunded(1);
        metrics.page("ready");
        let open = metrics.connection();
        let jobs = [JobCount { queue: "crawl".into(), state: JobState::Queued, jobs: 4 }];
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let oldest = [OldestDue { queue: "crawl".into(), run_at: now - SignedDuration::from_millis(2_500) }];
        metrics.job_given_up("train");
        metrics.oldest_due_jobs(&oldest, now);
        let text = metrics.render(&jobs);
        for line in [
            "frontdesk_requests_total{operation=\"getChatbot\",status=\"200\"} 2",
            "frontdesk_requests_total{operation=\"getChatbot\",status=\"404\"} 1",
            "frontdesk_request_duration_seconds_bucket{le=\"0.005\",operation=\"getChatbot\"} 2",
            "frontdesk_request_duration_seconds_count{operation=\"getChatbot\"} 3",
            "frontdesk_connections 1",
            "frontdesk_jobs{queue=\"crawl\",state=\"queued\"} 4",
            "frontdesk_oldest_due_job_age_seconds{queue=\"crawl\"} 2.5",
            "frontdesk_jobs_given_up_total{kind=\"train\"} 1",
            "frontdesk_credits_used_total 3",
            "frontdesk_credits_refunded_total 1",
            "frontdesk_training_pages_total{outcome=\"ready\"} 1",
        ] {
            assert!(text.lines().any(|found| found == line), "no {line} in\n{text}");
        }
        drop(open);
        metrics.oldest_due_jobs(&[], now);
        let text = metrics.render(&[]);
        assert!(text.contains("frontdesk_connections 0"));
        assert!(!text.contains("queue=\"crawl\""), "an empty queue is still reported:\n{text}");
    }
}
