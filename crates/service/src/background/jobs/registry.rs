//! The kinds of jobs that this version can run, by name.

use std::{collections::BTreeMap, sync::Arc};

use frontdesk_store::Job;
use futures_util::future::BoxFuture;

use super::kind::{BoxError, GiveUpReason, JobError, JobKind, JobSpec, Outcome};

/// A kind of job whose payload type is hidden.
pub(super) trait AnyKind: Send + Sync {
    fn spec(&self) -> &JobSpec;
    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<Outcome, JobError>>;
    fn give_up<'a>(&'a self, job: &'a Job, reason: &'a GiveUpReason) -> BoxFuture<'a, Result<(), BoxError>>;
}

impl<K: JobKind> AnyKind for K {
    fn spec(&self) -> &JobSpec {
        JobKind::spec(self)
    }

    fn run<'a>(&'a self, job: &'a Job) -> BoxFuture<'a, Result<Outcome, JobError>> {
        match serde_json::from_value(job.payload.clone()) {
            Ok(payload) => Box::pin(JobKind::run(self, job, payload)),
            Err(error) => {
                let error = JobError::GiveUp(format!("the payload cannot be read: {error}").into());
                Box::pin(std::future::ready(Err(error)))
            }
        }
    }

    fn give_up<'a>(&'a self, job: &'a Job, reason: &'a GiveUpReason) -> BoxFuture<'a, Result<(), BoxError>> {
        Box::pin(JobKind::give_up(self, job, reason))
    }
}

/// The kinds of jobs that this version can run.
#[derive(Default)]
pub(crate) struct Registry {
    kinds: BTreeMap<&'static str, Arc<dyn AnyKind>>,
}

impl Registry {
    /// Adds a kind. A second kind of the same name would never run, so it is a mistake of the program.
    #[must_use]
    pub(crate) fn with(mut self, kind: impl JobKind) -> Self {
        let name = JobKind::spec(&kind).name;
        let earlier = self.kinds.insert(name, Arc::new(kind));
        assert!(earlier.is_none(), "two kinds of jobs are named `{name}`");
        self
    }

    /// Returns the kind with this name.
    pub(super) fn find(&self, name: &str) -> Option<Arc<dyn AnyKind>> {
        self.kinds.get(name).cloned()
    }

    /// Returns the recurring kinds.
    pub(super) fn recurring(&self) -> impl Iterator<Item = &JobSpec> {
        self.kinds.values().map(|kind| kind.spec()).filter(|spec| spec.every.is_some())
    }
}

impl std::fmt::Debug for Registry {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_list().entries(self.kinds.keys()).finish()
    }
}
