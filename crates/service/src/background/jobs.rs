//! Work that outlives a request: typed kinds of jobs, the queues they wait in, and the workers that run them.
//!
//! A job is a row in the database (`frontdesk_store::Jobs`). Any number of processes may work on the same
//! queues; the lease of a job sees to it that one of them runs it at a time.
//!
//! - `queue` lists the queues and how many jobs of each a process runs at a time.
//! - `kind` describes a kind of job: the trait [`JobKind`], its [`JobSpec`], how a run can end.
//! - `registry` finds the kind of a claimed job by its name.
//! - `runner` claims the jobs of a queue; `places` says how many of them one account gets; `run` works on one
//!   of them: lease, deadline, retries, giving up.
//! - `scheduler` keeps the recurring jobs of the installation enqueued.
//! - `housekeeping` has the recurring jobs that delete what is no longer needed.
//!
//! Work that is due at a later time is a job with a `run_at`; the workers find it through an index. Recurring
//! work is a job that queues itself again at the end of each run. The kinds of a subject area live in its
//! module, such as `training`, and `startup` registers them.

mod housekeeping;
mod kind;
mod places;
mod queue;
mod registry;
mod run;
mod runner;
mod scheduler;

pub(crate) use housekeeping::{
    ApplyRetention, DeleteOrphanedObjects, EraseAccounts, FinishErasures, PruneIdempotency, PruneJobs,
    PruneReplyCounts, PruneSessions, PruneSkippedMails, PruneVisitorSessions, PurgeDeals, hourly,
};
pub(crate) use kind::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, NoPayload, Outcome};
pub(crate) use queue::{JobSignals, Queue};
pub(crate) use registry::Registry;
pub(crate) use run::{Environment, Timing};
pub(crate) use runner::{JobRunner, start};
