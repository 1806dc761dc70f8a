//! Workers: for each queue, a task that claims jobs and runs as many of them at a time as the queue allows.

use std::time::Duration;

use frontdesk_store::{Job, StoreError};
use tokio::{
    sync::watch,
    task::{AbortHandle, JoinError, JoinSet},
    time::sleep,
};
use uuid::Uuid;

use super::{
    places::Places,
    queue::{JobSignals, Queue},
    run::{Environment, run, stop_requested},
    scheduler,
};

/// The running workers. Dropping it stops them at once; [`JobRunner::shutdown`] also puts their jobs back.
#[derive(Debug)]
pub(crate) struct JobRunner {
    stop: watch::Sender<bool>,
    signals: JobSignals,
    tasks: JoinSet<()>,
    workers: Vec<AbortHandle>,
}

/// Starts the workers of the queues, each with the number of jobs it may run at a time, and the scheduler.
pub(crate) fn start(environment: &Environment, queues: &[(Queue, usize)]) -> JobRunner {
    let (stop, stopped) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut workers = Vec::new();
    for (queue, concurrency) in queues.iter().copied().filter(|(_, concurrency)| *concurrency > 0) {
        let worker = Worker {
            environment: environment.clone(),
            queue,
            concurrency,
            owner: Uuid::new_v4().to_string(),
            stopped: stopped.clone(),
        };
        workers.push(tasks.spawn(worker.run()));
    }
    workers.push(tasks.spawn(scheduler::run(environment.clone(), stopped)));
    JobRunner { stop, signals: environment.signals.clone(), tasks, workers }
}

impl JobRunner {
    /// Returns handles of the tasks that run until the process stops, to see whether they do.
    pub(crate) fn workers(&self) -> Vec<AbortHandle> {
        self.workers.clone()
    }

    /// Stops the workers. The jobs that they run may finish; those that take too long go back to their queues
    /// and continue where they are.
    pub(crate) async fn shutdown(mut self) {
        self.signals.stop();
        self.stop.send_replace(true);
        while let Some(ended) = self.tasks.join_next().await {
            report(ended);
        }
    }
}

struct Worker {
    environment: Environment,
    queue: Queue,
    concurrency: usize,
    owner: String,
    stopped: watch::Receiver<bool>,
}

/// The result of looking for a job.
enum Claim {
    Job(Box<Job>),
    /// No job is due; look again after this time at the latest.
    Nothing(Duration),
}

impl Worker {
    async fn run(mut self) {
        let mut running = Places::new(self.concurrency);
        while !*self.stopped.borrow() {
            let rest = if running.is_free() {
                match self.claim(&running).await {
                    Ok(Claim::Job(job)) => {
                        running
                            .run(job.account_id, run(self.environment.clone(), *job, self.stopped.clone()));
                        continue;
                    }
                    Ok(Claim::Nothing(rest)) => Some(rest),
                    Err(error) => {
                        tracing::warn!(%error, queue = self.queue.name(), "the jobs of a queue cannot be read");
                        Some(self.environment.timing.poll)
                    }
                }
            } else {
                None
            };
            tokio::select! {
                () = self.environment.signals.wait(self.queue), if rest.is_some() => {}
                () = sleep(rest.unwrap_or_default()), if rest.is_some() => {}
                Some(ended) = running.join_next() => report(ended),
                () = stop_requested(&mut self.stopped) => {}
            }
        }
        while let Some(ended) = running.join_next().await {
            report(ended);
        }
    }

    /// Claims the next job. Claiming writes, so an idle worker first looks whether a job is due.
    async fn claim(&self, running: &Places) -> Result<Claim, StoreError> {
        let Environment { store, clock, timing, .. } = &self.environment;
        let now = clock.now();
        let Some(due) = store.jobs().next_due_at(self.queue.name()).await? else {
            return Ok(Claim::Nothing(timing.poll));
        };
        if due > now {
            let wait = Duration::try_from(now.duration_until(due)).unwrap_or_default();
            return Ok(Claim::Nothing(wait.min(timing.poll)));
        }
        let turns = running.turns();
        let claimed =
            store.jobs().claim_in_turn(self.queue.name(), &self.owner, timing.lease, &turns, now).await?;
        Ok(claimed.map_or(Claim::Nothing(timing.poll), |job| Claim::Job(Box::new(job))))
    }
}

fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a worker ended unexpectedly");
    }
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
