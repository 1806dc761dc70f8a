//! Deletion of content whose file, chatbot or account is gone.

use frontdesk_store::Job;
use jiff::SignedDuration;

use crate::{
    jobs::{Backoff, JobError, JobKind, JobSpec, NoPayload, Outcome, Queue},
    service::Service,
};

static SPEC: JobSpec = JobSpec {
    name: "delete_orphaned_objects",
    queue: Queue::Housekeeping,
    max_attempts: 3,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(5) },
    time_limit: SignedDuration::from_mins(30),
    every: Some(SignedDuration::from_mins(10)),
};

/// How old an object has to be. The row of its file is written after it, by a request that takes a minute at most.
const GRACE: SignedDuration = SignedDuration::from_mins(30);

/// How many objects one run deletes.
const OBJECTS_PER_RUN: u32 = 500;

/// How many times as many objects are deleted at once, after an erasure.
const ERASED_RUNS: usize = 10;

/// Deletes objects that no file names.
#[derive(Debug)]
pub(crate) struct DeleteOrphanedObjects(pub(crate) Service);

impl JobKind for DeleteOrphanedObjects {
    type Payload = NoPayload;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, _: &Job, NoPayload {}: NoPayload) -> Result<Outcome, JobError> {
        let now = self.0.now();
        let before = now.saturating_sub(GRACE)?;
        let orphans = self.0.store.stored_objects().orphans(before, OBJECTS_PER_RUN).await?;
        for key in &orphans {
            self.0.files.delete(key).await?;
            self.0.store.stored_objects().forget(key).await?;
        }
        // Other housekeeping takes turns with a large backlog.
        let is_all = orphans.len() < OBJECTS_PER_RUN as usize;
        Ok(if is_all { Outcome::Done } else { Outcome::ContinueAt(now) })
    }
}

/// Deletes objects whose rows were deleted with the data of a person, at most some thousand. What is left, or cannot be deleted, is the
/// work of the recurring job.
pub(crate) async fn delete_erased_objects(service: &Service) {
    for _ in 0..ERASED_RUNS {
        let erased = match service.store.stored_objects().erased(OBJECTS_PER_RUN).await {
            Ok(erased) => erased,
            Err(error) => {
                tracing::warn!(%error, "erased files stay until the next cleaning");
                return;
            }
        };
        for key in &erased {
            delete_object(service, key).await;
        }
        if erased.len() < OBJECTS_PER_RUN as usize {
            return;
        }
    }
}

/// Deletes an object that no file names any more. If this fails, the recurring job deletes it later.
pub(crate) async fn delete_object(service: &Service, key: &str) {
    if let Err(error) = service.files.delete(key).await {
        tracing::warn!(%error, "the content of a deleted file stays until the next cleaning");
        return;
    }
    if let Err(error) = service.store.stored_objects().forget(key).await {
        tracing::warn!(%error, "a deleted object is still noted; the next cleaning removes the note");
    }
}
