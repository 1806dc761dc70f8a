//! Kinds of jobs: what they do, their limits, and how a run can end.

use std::{fmt, hash::Hasher, time::Duration};

use frontdesk_store::{Job, NewJob};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::queue::Queue;

/// Any error, with its causes.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A kind of job.
///
/// Work may be interrupted at any moment and run again, even beside a run that was thought dead: it must lead
/// to the same result.
pub(crate) trait JobKind: Send + Sync + 'static {
    /// The data stored with a job. It outlives releases, so fields are added as optional ones only.
    type Payload: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Returns the name, queue and limits of the kind.
    fn spec(&self) -> &JobSpec;

    /// Runs a job. The future is dropped some time after the process is to stop, when the job is deleted or
    /// when its deadline passes.
    fn run(
        &self,
        job: &Job,
        payload: Self::Payload,
    ) -> impl Future<Output = Result<Outcome, JobError>> + Send;

    /// Informs whoever waits for the job that it is given up. Runs while the lease is held, before the job is
    /// marked as failed, and again if the process dies in between. Does nothing by default, for work that
    /// nobody waits for.
    fn give_up(
        &self,
        _job: &Job,
        _reason: &GiveUpReason,
    ) -> impl Future<Output = Result<(), BoxError>> + Send {
        std::future::ready(Ok(()))
    }
}

/// The name, queue and limits of a kind of job.
#[derive(Debug)]
pub(crate) struct JobSpec {
    /// The name under which jobs of the kind are stored. Never reused for another kind.
    pub(crate) name: &'static str,
    /// The queue in which they wait.
    pub(crate) queue: Queue,
    /// How many attempts a job has. A failure and a crash cost one; an orderly stop and
    /// [`Outcome::ContinueAt`] do not.
    pub(crate) max_attempts: u32,
    /// The waits between attempts.
    pub(crate) backoff: Backoff,
    /// The longest time between the first run of a job and its completion, including waits.
    pub(crate) time_limit: SignedDuration,
    /// For recurring work of the installation: the time between the end of a run and the next one. The
    /// scheduler keeps one such job enqueued; it takes no payload, and when it is given up the next run comes
    /// nevertheless.
    pub(crate) every: Option<SignedDuration>,
}

impl JobSpec {
    /// Returns a job of this kind that is due at once. The caller sets subject, due time and deduplication
    /// key.
    pub(crate) fn new_job(&self, payload: &impl Serialize) -> NewJob {
        NewJob {
            queue: self.queue.name().to_owned(),
            kind: self.name.to_owned(),
            subject: None,
            payload: serde_json::to_value(payload).expect("payloads are structs with named fields"),
            run_at: None,
            max_attempts: self.max_attempts,
            time_limit: self.time_limit,
            dedupe_key: None,
        }
    }
}

/// The payload of a kind that needs no data.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct NoPayload {}

/// How a run ended well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The work is finished.
    Done,
    /// The work has to wait. The job gives its worker back and runs again at this moment, without using up an
    /// attempt. Its deadline stays.
    ContinueAt(Timestamp),
    /// This run is finished, and the job runs again at this moment as if it were new.
    RepeatAt(Timestamp),
}

/// How a run failed.
#[derive(Debug)]
pub(crate) enum JobError {
    /// Another attempt may succeed. Every error becomes this one by `?`.
    Retry(BoxError),
    /// No attempt can succeed.
    GiveUp(BoxError),
}

impl<E: Into<BoxError>> From<E> for JobError {
    fn from(error: E) -> Self {
        Self::Retry(error.into())
    }
}

/// Why a job was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GiveUpReason {
    /// The deadline passed, or nothing more could be done before it.
    TimeLimit,
    /// The last attempt failed with this error.
    LastAttempt(String),
    /// The work cannot succeed, because of this error.
    Impossible(String),
    /// The worker of the last attempt died.
    WorkerLost,
}

impl fmt::Display for GiveUpReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeLimit => formatter.write_str("the time limit of the job was reached"),
            Self::LastAttempt(error) => write!(formatter, "the last attempt failed: {error}"),
            Self::Impossible(error) => write!(formatter, "no attempt can succeed: {error}"),
            Self::WorkerLost => formatter.write_str("the worker died during the last attempt"),
        }
    }
}

/// The waits between attempts: doubled each time, and shortened by up to a quarter so that jobs that failed
/// together do not come back together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    /// The wait after the first attempt.
    pub(crate) first: SignedDuration,
    /// The longest wait.
    pub(crate) longest: SignedDuration,
}

impl Backoff {
    /// Returns the wait after an attempt of a job.
    pub(crate) fn wait(self, job: &Job) -> SignedDuration {
        let factor = 1_i32
            .checked_shl(job.attempts.saturating_sub(1))
            .filter(|factor| *factor > 0)
            .unwrap_or(i32::MAX);
        let wait = self.first.checked_mul(factor).unwrap_or(self.longest).min(self.longest);
        // The same job waits differently each time, and a test need not guess.
        let mut hasher = std::hash::DefaultHasher::new();
        hasher.write(job.job_id.as_bytes());
        hasher.write_u64(job.runs);
        let share = u32::try_from(hasher.finish() % 1_000).unwrap_or(0);
        let shortened = Duration::try_from(wait).unwrap_or_default() * share / 4_000;
        SignedDuration::try_from(shortened).map_or(wait, |shortened| wait - shortened)
    }
}

/// Returns an error and its causes on one line.
pub(super) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use frontdesk_store::{JobState, StoreError};
    use uuid::Uuid;

    use super::*;

    fn job(id: u128, attempts: u32) -> Job {
        Job {
            job_id: Uuid::from_u128(id),
            queue: "crawl".to_owned(),
            kind: "test".to_owned(),
            account_id: None,
            subject: None,
            payload: serde_json::json!({}),
            state: JobState::Running,
            attempts,
            max_attempts: 8,
            runs: attempts.into(),
            run_at: Timestamp::UNIX_EPOCH,
            deadline_at: None,
            lease_owner: None,
            lease_until: None,
            dedupe_key: None,
            last_error: None,
            created_at: Timestamp::UNIX_EPOCH,
            finished_at: None,
        }
    }

    const BACKOFF: Backoff =
        Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) };

    #[test]
    fn waits_double_up_to_the_longest_and_vary_by_a_quarter() {
        let cases =
            [(0, 5), (1, 5), (2, 10), (3, 20), (6, 160), (7, 300), (31, 300), (32, 300), (u32::MAX, 300)];
        for (attempts, longest) in cases {
            let longest = SignedDuration::from_secs(longest);
            let waits: Vec<_> = (0..50).map(|id| BACKOFF.wait(&job(id, attempts))).collect();
            for wait in &waits {
                assert!(*wait <= longest && *wait * 4 >= longest * 3, "{attempts}: {wait:?}");
            }
            assert!(waits.iter().min() < waits.iter().max(), "{attempts}: all jobs wait equally long");
        }
    }

    #[test]
    fn an_error_is_written_with_its_causes() {
        let error = StoreError::UnreadableValue { column: "settings".into(), source: "not JSON".into() };
        assert_eq!(chain(&error), "column settings holds a value that cannot be read: not JSON");
    }
}
