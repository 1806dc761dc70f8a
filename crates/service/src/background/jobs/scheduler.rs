//! Scheduler: keeps one job of each recurring kind enqueued.
//!
//! The job itself is the schedule. Its row holds the time of the next run, its lease makes one process run it
//! at a time, and the end of each run queues it again. The scheduler adds the rows that are missing: at the
//! first start, and after a process of another version has given a job up.

use frontdesk_store::{NewJob, StoreError};
use tokio::{sync::watch, time::sleep};

use super::{
    kind::{JobSpec, NoPayload},
    run::{Environment, stop_requested},
};

/// Runs until it is asked to stop. Any number of processes may do so at a time.
pub(super) async fn run(environment: Environment, mut stopped: watch::Receiver<bool>) {
    loop {
        for spec in environment.registry.recurring() {
            if let Err(error) = ensure(&environment, spec).await {
                tracing::warn!(%error, kind = spec.name, "a recurring job cannot be enqueued");
            }
        }
        tokio::select! {
            () = sleep(environment.timing.schedule) => {}
            () = stop_requested(&mut stopped) => return,
        }
    }
}

async fn ensure(environment: &Environment, spec: &JobSpec) -> Result<(), StoreError> {
    let job = NewJob { dedupe_key: Some(spec.name.to_owned()), ..spec.new_job(&NoPayload {}) };
    let enqueued = environment.store.jobs().enqueue_for_installation(&job, environment.clock.now()).await?;
    if enqueued.is_new {
        environment.signals.enqueued(spec.queue);
    }
    Ok(())
}
