//! Workers: they claim training jobs, keep the leases of what they work on, and end each job in one of four ways.

use std::time::Duration;

use frontdesk_store::{Job, JobState, StoreError};
use jiff::SignedDuration;
use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use uuid::Uuid;

use super::{LANE, crawl, housekeeping, outcome};
use crate::service::Service;

/// How long a job stays with a worker that is not heard of any more.
const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// How often a lease is renewed: two renewals may fail before it ends.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// How often an idle worker asks for work that nobody told it of: jobs of other processes, and ended leases.
const POLL: Duration = Duration::from_secs(1);
/// The wait before a second attempt; it doubles with every further one.
const FIRST_RETRY: SignedDuration = SignedDuration::from_secs(5);
/// The longest wait between two attempts.
const LAST_RETRY: SignedDuration = SignedDuration::from_mins(5);

/// The running workers. Dropping it stops them at once; [`TrainingHandle::shutdown`] also gives their jobs back.
#[derive(Debug)]
pub(crate) struct TrainingHandle {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

/// Starts the workers and the housekeeping.
pub(crate) fn spawn(service: &Service) -> TrainingHandle {
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    for _ in 0..service.config.training.workers {
        let worker =
            Worker { service: service.clone(), owner: Uuid::new_v4().to_string(), stopped: stopped.clone() };
        tasks.spawn(worker.run());
    }
    tasks.spawn(housekeeping::run(service.clone(), stopped));
    TrainingHandle { stop, tasks }
}

impl TrainingHandle {
    /// Stops the workers. Work under way goes back to the queue and continues where it stands.
    pub(crate) async fn shutdown(mut self) {
        self.stop.send_replace(true);
        while let Some(ended) = self.tasks.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a training worker ended by itself");
            }
        }
    }
}

/// Returns when the workers are to stop.
pub(super) async fn stop_wanted(stopped: &mut watch::Receiver<bool>) {
    // An error means that the handle is gone, which asks for the same.
    let _ = stopped.wait_for(|stop| *stop).await;
}

struct Worker {
    service: Service,
    owner: String,
    stopped: watch::Receiver<bool>,
}

/// How the work on a job ended.
enum Ending {
    /// By itself, well or with an error.
    Worked(Result<Result<(), crawl::Interrupted>, JoinError>),
    /// The job belongs to somebody else now, or its chatbot was deleted.
    LeaseLost,
    /// The process is to stop.
    Stopped,
}

impl Worker {
    async fn run(mut self) {
        while !*self.stopped.borrow() {
            match self.claim().await {
                Ok(Some(job)) => self.work(job).await,
                Ok(None) => self.rest().await,
                Err(error) => {
                    tracing::warn!(%error, "training jobs cannot be read");
                    self.rest().await;
                }
            }
        }
    }

    /// Claiming writes, so an idle worker looks first whether there is anything to claim.
    async fn claim(&self) -> Result<Option<Job>, StoreError> {
        let now = self.service.now();
        let store = &self.service.store;
        if store.next_job_at(LANE).await?.is_none_or(|due| due > now) {
            return Ok(None);
        }
        store.claim_job(LANE, &self.owner, LEASE, now).await
    }

    async fn rest(&mut self) {
        tokio::select! {
            () = self.service.training_queued.notified() => {}
            () = tokio::time::sleep(POLL) => {}
            () = stop_wanted(&mut self.stopped) => {}
        }
    }

    async fn work(&mut self, job: Job) {
        tracing::info!(job_id = %job.job_id, chatbot_id = job.chatbot_id.map(tracing::field::display), attempt = job.attempts, "training begins");
        let mut work = tokio::spawn(crawl::run(self.service.clone(), job.clone()));
        let ending = tokio::select! {
            worked = &mut work => Ending::Worked(worked),
            () = lease_lost(&self.service, &job) => Ending::LeaseLost,
            () = stop_wanted(&mut self.stopped) => Ending::Stopped,
        };
        if !matches!(ending, Ending::Worked(_)) {
            // The job must not be given away while this worker could still write.
            work.abort();
            let _ = work.await;
        }
        if let Err(error) = self.end(&job, ending).await {
            // The lease ends, and whoever claims the job then does what is left.
            tracing::warn!(%error, job_id = %job.job_id, "the end of a training job cannot be written down");
        }
    }

    async fn end(&self, job: &Job, ending: Ending) -> Result<(), StoreError> {
        let problem = match ending {
            Ending::Worked(Ok(Ok(()))) => {
                self.service.store.complete_job(job, self.service.now()).await?;
                tracing::info!(job_id = %job.job_id, "training is finished");
                return Ok(());
            }
            Ending::LeaseLost => {
                tracing::info!(job_id = %job.job_id, "training goes on elsewhere, or its chatbot was deleted");
                return Ok(());
            }
            Ending::Stopped => {
                self.service.store.release_job(job, self.service.now()).await?;
                tracing::info!(job_id = %job.job_id, "training is put back");
                return Ok(());
            }
            Ending::Worked(Ok(Err(crawl::Interrupted(error)))) => chain(&*error),
            Ending::Worked(Err(error)) => error.to_string(),
        };
        tracing::error!(job_id = %job.job_id, attempt = job.attempts, problem, "training was interrupted");
        let now = self.service.now();
        let retry_at = now.saturating_add(retry_wait(job.attempts)).ok();
        let state = self.service.store.fail_job(job, &problem, retry_at, now).await?;
        // After a crash in between, housekeeping finds the chatbot.
        if state == Some(JobState::Failed)
            && let Some(chatbot_id) = job.chatbot_id
        {
            outcome::give_up(&self.service, &job.scope(), chatbot_id).await?;
        }
        Ok(())
    }
}

/// An error and its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// How long to wait after this many attempts.
fn retry_wait(attempts: u32) -> SignedDuration {
    let factor =
        1_i32.checked_shl(attempts.saturating_sub(1)).filter(|factor| *factor > 0).unwrap_or(i32::MAX);
    FIRST_RETRY.checked_mul(factor).unwrap_or(LAST_RETRY).min(LAST_RETRY)
}

/// Renews the lease of a job for as long as that works; returns when the lease is lost.
async fn lease_lost(service: &Service, job: &Job) {
    let mut renewed_at = service.now();
    loop {
        tokio::time::sleep(HEARTBEAT).await;
        let now = service.now();
        match service.store.heartbeat_job(job, LEASE, now).await {
            Ok(true) => renewed_at = now,
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, job_id = %job.job_id, "the lease of a training job cannot be renewed");
                if renewed_at.duration_until(now) >= LEASE {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_five_minutes() {
        let seconds: Vec<_> =
            [0, 1, 2, 3, 6, 7, 31, 32, 33, u32::MAX].map(|attempts| retry_wait(attempts).as_secs()).into();
        assert_eq!(seconds, [5, 5, 10, 20, 160, 300, 300, 300, 300, 300]);
    }

    #[test]
    fn an_error_is_told_with_its_causes() {
        let error = StoreError::UnreadableValue { column: "settings".into(), source: "not JSON".into() };
        assert_eq!(chain(&error), "column settings holds a value that cannot be read: not JSON");
    }
}
