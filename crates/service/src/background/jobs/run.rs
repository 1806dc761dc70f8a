//! One run of a job: it keeps the lease, watches the deadline, and writes down how the run ended.

use std::{sync::Arc, time::Duration};

use frontdesk_store::{AccountChange, Job, Store, StoreError};
use jiff::{SignedDuration, Timestamp};
use tokio::{
    sync::watch,
    task::JoinError,
    time::{Instant, sleep},
};

use super::{
    kind::{GiveUpReason, JobError, Outcome, chain},
    queue::{JobSignals, Queue},
    registry::{AnyKind, Registry},
};
use crate::platform::{Clock, metrics::Metrics};

/// What workers need besides the jobs.
#[derive(Clone, Debug)]
pub(crate) struct Environment {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) metrics: Metrics,
    pub(crate) signals: JobSignals,
    pub(crate) registry: Arc<Registry>,
    pub(crate) timing: Timing,
}

/// The intervals of workers. Tests shorten them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    /// How long a job stays with a worker that does not renew its lease.
    pub(crate) lease: SignedDuration,
    /// How often a lease is renewed.
    pub(crate) heartbeat: Duration,
    /// How often an idle worker looks for jobs of other processes and for ended leases.
    pub(crate) poll: Duration,
    /// How often the scheduler looks for recurring jobs that are missing.
    pub(crate) schedule: Duration,
    /// How long running jobs may take to finish when the process is to stop.
    pub(crate) drain: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            lease: SignedDuration::from_secs(30),
            // Two renewals may fail before the lease ends.
            heartbeat: Duration::from_secs(10),
            poll: Duration::from_secs(1),
            schedule: Duration::from_mins(1),
            drain: Duration::from_secs(20),
        }
    }
}

/// Returns when the workers are to stop.
pub(super) async fn stop_requested(stopped: &mut watch::Receiver<bool>) {
    // An error means that the handle is gone, which asks for the same.
    let _ = stopped.wait_for(|stop| *stop).await;
}

/// Why a run ended.
enum Ending {
    /// The work returned or panicked.
    Worked(Result<Result<Outcome, JobError>, JoinError>),
    /// Another worker has the job, or it was deleted.
    LeaseLost,
    /// The deadline of the job passed.
    TimeLimit,
    /// The process is to stop, and the work took too long to finish.
    Stopped,
}

/// Runs a claimed job and writes down how the run ended.
pub(super) async fn run(environment: Environment, job: Job, stopped: watch::Receiver<bool>) {
    let run = Run { kind: environment.registry.find(&job.kind), environment, job };
    if let Err(error) = run.to_its_end(stopped).await {
        // The lease ends, and the worker that claims the job then does the rest.
        tracing::warn!(%error, job_id = %run.job.job_id, kind = run.job.kind, "the end of a job's run cannot be stored");
    }
    run.announce();
}

struct Run {
    environment: Environment,
    job: Job,
    kind: Option<Arc<dyn AnyKind>>,
}

impl Run {
    async fn to_its_end(&self, stopped: watch::Receiver<bool>) -> Result<(), StoreError> {
        let job = &self.job;
        if job.is_abandoned() {
            return self.give_up(GiveUpReason::WorkerLost).await;
        }
        if self.is_late(self.now()) {
            return self.give_up(GiveUpReason::TimeLimit).await;
        }
        let Some(kind) = self.kind.clone() else {
            // A later version may know it, and may make the next attempt.
            return self.retry(format!("this version does not know jobs of the kind `{}`", job.kind)).await;
        };
        let subject = job.subject.map(|subject| tracing::field::display(subject.id));
        // Recurring and continued runs are too many for the log of a quiet day.
        if job.runs == 1 {
            tracing::info!(job_id = %job.job_id, kind = job.kind, subject, "a job begins");
        } else {
            tracing::debug!(job_id = %job.job_id, kind = job.kind, subject, run = job.runs, attempt = job.attempts, "a job runs again");
        }
        match self.work(kind, stopped).await {
            Ending::Worked(Ok(Ok(outcome))) => self.finish(outcome).await,
            Ending::Worked(Ok(Err(JobError::Retry(error)))) => self.retry(chain(&*error)).await,
            Ending::Worked(Ok(Err(JobError::GiveUp(error)))) => {
                self.give_up(GiveUpReason::Impossible(chain(&*error))).await
            }
            Ending::Worked(Err(error)) => self.retry(error.to_string()).await,
            Ending::TimeLimit => self.give_up(GiveUpReason::TimeLimit).await,
            Ending::LeaseLost => {
                tracing::info!(job_id = %job.job_id, "the job continues elsewhere, or was deleted");
                Ok(())
            }
            Ending::Stopped => {
                self.store().release(job, self.now()).await?;
                tracing::info!(job_id = %job.job_id, "the job is put back because the process stops");
                Ok(())
            }
        }
    }

    /// Signals what the run may have changed to the people who have a page of the account open.
    fn announce(&self) {
        let Some(account_id) = self.job.account_id else { return };
        let queue = Queue::ALL.into_iter().find(|queue| queue.name() == self.job.queue);
        let topics = queue.map(Queue::topics).unwrap_or_default().iter();
        let changes =
            topics.map(|topic| AccountChange { account_id, includes_sub_accounts: false, topic: *topic });
        self.environment.store.announce_changes(changes);
    }

    async fn work(&self, kind: Arc<dyn AnyKind>, mut stopped: watch::Receiver<bool>) -> Ending {
        let drain = self.environment.timing.drain;
        let drained = async {
            stop_requested(&mut stopped).await;
            sleep(drain).await;
        };
        // A task of its own, so that a panic is an error of the run.
        let job = self.job.clone();
        let mut work = tokio::spawn(async move { kind.run(&job).await });
        let ending = tokio::select! {
            worked = &mut work => Ending::Worked(worked),
            ending = self.watch() => ending,
            () = drained => Ending::Stopped,
        };
        if !matches!(ending, Ending::Worked(_)) {
            // The job must not be given away while this run could still write.
            work.abort();
            let _ = work.await;
        }
        ending
    }

    /// Renews the lease, and returns when it is lost or the deadline passes.
    async fn watch(&self) -> Ending {
        let Timing { lease, heartbeat, .. } = self.environment.timing;
        let mut renewed_at = self.now();
        let mut next_heartbeat = Instant::now() + heartbeat;
        loop {
            let until_heartbeat = next_heartbeat.saturating_duration_since(Instant::now());
            let until_deadline = self.job.deadline_at.map_or(Duration::MAX, |deadline| {
                Duration::try_from(self.now().duration_until(deadline)).unwrap_or_default()
            });
            sleep(until_heartbeat.min(until_deadline)).await;
            let now = self.now();
            if self.is_late(now) {
                return Ending::TimeLimit;
            }
            if Instant::now() < next_heartbeat {
                continue;
            }
            next_heartbeat = Instant::now() + heartbeat;
            match self.store().heartbeat(&self.job, lease, now).await {
                Ok(true) => renewed_at = now,
                Ok(false) => return Ending::LeaseLost,
                Err(error) => {
                    tracing::warn!(%error, job_id = %self.job.job_id, "the lease of a job cannot be renewed");
                    if renewed_at.duration_until(now) >= lease {
                        return Ending::LeaseLost;
                    }
                }
            }
        }
    }

    async fn finish(&self, outcome: Outcome) -> Result<(), StoreError> {
        let (job, now) = (&self.job, self.now());
        let outcome = match (outcome, self.interval()) {
            (Outcome::Done, Some(interval)) => Outcome::RepeatAt(after(now, interval)),
            (outcome, _) => outcome,
        };
        match outcome {
            Outcome::Done => {
                self.store().complete(job, now).await?;
            }
            // Not before now, or the job would overtake those that are due already.
            Outcome::ContinueAt(at) if !self.is_late(at.max(now)) => {
                self.store().release(job, at.max(now)).await?;
            }
            Outcome::ContinueAt(_) => return self.give_up(GiveUpReason::TimeLimit).await,
            Outcome::RepeatAt(at) => {
                self.store().repeat(job, at.max(now), None).await?;
            }
        }
        if outcome == Outcome::Done {
            tracing::info!(job_id = %job.job_id, kind = job.kind, "a job is done");
        } else {
            tracing::debug!(job_id = %job.job_id, kind = job.kind, ?outcome, "a run of a job ended");
        }
        Ok(())
    }

    async fn retry(&self, error: String) -> Result<(), StoreError> {
        let (job, now) = (&self.job, self.now());
        tracing::error!(job_id = %job.job_id, kind = job.kind, attempt = job.attempts, error, "a job failed");
        if job.is_last_attempt() {
            return self.give_up(GiveUpReason::LastAttempt(error)).await;
        }
        let wait = match &self.kind {
            Some(kind) => kind.spec().backoff.wait(job),
            None => self.environment.timing.lease,
        };
        let retry_at = after(now, wait);
        if self.is_late(retry_at) {
            return self.give_up(GiveUpReason::TimeLimit).await;
        }
        self.store().fail(job, &error, Some(retry_at), now).await?;
        Ok(())
    }

    async fn give_up(&self, reason: GiveUpReason) -> Result<(), StoreError> {
        let (job, now) = (&self.job, self.now());
        if !self.store().heartbeat(job, self.environment.timing.lease, now).await? {
            return Ok(());
        }
        if let Some(kind) = &self.kind
            && let Err(error) = kind.give_up(job, &reason).await
        {
            // Whoever waits must be informed: the lease ends, and the next worker tries again.
            let error = chain(&*error);
            tracing::error!(error, job_id = %job.job_id, kind = job.kind, "a job cannot be given up yet");
            return Ok(());
        }
        tracing::error!(job_id = %job.job_id, kind = job.kind, attempts = job.attempts, %reason, "a job was given up");
        let message = match (&reason, &job.last_error) {
            (GiveUpReason::TimeLimit | GiveUpReason::WorkerLost, Some(error)) => {
                format!("{reason}; the error before that: {error}")
            }
            _ => reason.to_string(),
        };
        let is_held = match self.interval() {
            Some(interval) => self.store().repeat(job, after(now, interval), Some(&message)).await?,
            None => self.store().fail(job, &message, None, now).await?.is_some(),
        };
        if is_held {
            let name = self.kind.as_ref().map_or("unknown", |kind| kind.spec().name);
            self.environment.metrics.job_given_up(name);
        }
        Ok(())
    }

    fn interval(&self) -> Option<SignedDuration> {
        self.kind.as_ref().and_then(|kind| kind.spec().every)
    }

    fn is_late(&self, moment: Timestamp) -> bool {
        self.job.deadline_at.is_some_and(|deadline| deadline <= moment)
    }

    fn store(&self) -> frontdesk_store::Jobs<'_> {
        self.environment.store.jobs()
    }

    fn now(&self) -> Timestamp {
        self.environment.clock.now()
    }
}

fn after(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.saturating_add(wait).unwrap_or(Timestamp::MAX)
}
