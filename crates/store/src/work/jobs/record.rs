//! Jobs as they are stored.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sqlx::any::AnyRow;
use uuid::Uuid;

use crate::sql::record::{Column, parsed};
use crate::sql::scope::Scope;

named_values! {
    /// The state of a job.
    pub enum JobState as "job state" {
        /// Waits for its time and a free worker.
        Queued = "queued",
        /// A worker holds its lease, or held it until the worker died.
        Running = "running",
        /// Finished.
        Done = "done",
        /// Given up; `last_error` says why.
        Failed = "failed",
    }
}

named_values! {
    /// The kinds of entity that a job can be about.
    pub enum SubjectKind as "job subject" {
        /// A chatbot.
        Chatbot = "chatbot",
        /// A website.
        Website = "website",
    }
}

/// The entity that a job is about. The job is deleted with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Subject {
    /// The kind of entity.
    pub kind: SubjectKind,
    /// Its identifier.
    pub id: Uuid,
}

impl Subject {
    /// A chatbot.
    pub const fn chatbot(id: Uuid) -> Self {
        Self { kind: SubjectKind::Chatbot, id }
    }

    /// A website.
    pub const fn website(id: Uuid) -> Self {
        Self { kind: SubjectKind::Website, id }
    }
}

/// A job to be enqueued.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// The queue it waits in. Queues do not delay each other.
    pub queue: String,
    /// The kind of work.
    pub kind: String,
    /// The entity it is about.
    pub subject: Option<Subject>,
    /// The data that the work needs.
    pub payload: Value,
    /// The earliest start; `None` for now.
    pub run_at: Option<Timestamp>,
    /// How many attempts the job has, at least one. An attempt counts from its claim, even if its worker
    /// dies.
    pub max_attempts: u32,
    /// The longest time from the first claim to the end of the job, over all its runs and the waits between
    /// them.
    pub time_limit: SignedDuration,
    /// While the account has an unfinished job with the same key, the job is not enqueued again.
    pub dedupe_key: Option<String>,
}

record! {
    /// A job in the queue.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Job, columns job_columns {
        /// Identifier.
        pub job_id: Uuid,
        /// The queue it waits in.
        pub queue: String,
        /// The kind of work.
        pub kind: String,
        /// The account it works for; `None` for work of the installation.
        pub account_id: Option<Uuid>,
        /// The entity it is about.
        pub subject: Option<Subject> = ["subject, subject_id"],
        /// The data that the work needs.
        pub payload: Value,
        /// Its state.
        pub state: JobState,
        /// Claims that count towards `max_attempts`, the present one included.
        pub attempts: u32,
        /// How many attempts the job has.
        pub max_attempts: u32,
        /// How many times it was claimed, whether that counted or not.
        pub runs: u64,
        /// The earliest start.
        pub run_at: Timestamp,
        /// The moment at which the job is given up; set by the first claim.
        pub deadline_at: Option<Timestamp>,
        /// The worker that holds the lease.
        pub lease_owner: Option<String>,
        /// The end of the lease.
        pub lease_until: Option<Timestamp>,
        /// While the job is unfinished, no job of the account with the same key is enqueued.
        pub dedupe_key: Option<String>,
        /// The most recent error.
        pub last_error: Option<String>,
        /// When it was enqueued.
        pub created_at: Timestamp,
        /// When it was finished or given up.
        pub finished_at: Option<Timestamp>,
    }
}

impl Job {
    /// Returns the scope in which the job works: its account and nothing else. `None` for work of the
    /// installation.
    pub fn scope(&self) -> Option<Scope> {
        self.account_id.map(Scope::of_account)
    }

    /// Returns whether no attempt is left after this one.
    pub const fn is_last_attempt(&self) -> bool {
        self.attempts >= self.max_attempts
    }

    /// Returns whether this claim exceeds the number of attempts: the worker of the last attempt died without
    /// a word, and what remains is to give the job up.
    pub const fn is_abandoned(&self) -> bool {
        self.attempts > self.max_attempts
    }
}

impl Column for Option<Subject> {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let Some(kind) = parsed(row, name)? else { return Ok(None) };
        Ok(Some(Subject { kind, id: Uuid::read(row, "subject_id")? }))
    }
}

/// Whose turn it is at a queue, as a worker knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turns {
    /// Accounts that already use their share of the workers. They get another worker only if no other account
    /// has a due job.
    pub full: Vec<Uuid>,
    /// Accounts that were served last, the latest at the end.
    pub served: Vec<Uuid>,
}

/// The result of a request to enqueue a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enqueued {
    /// The job: the new one, or the unfinished one with the same key.
    pub job_id: Uuid,
    /// Whether it is new.
    pub is_new: bool,
}

/// The number of jobs in one queue and state, for metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobCount {
    /// The queue.
    pub queue: String,
    /// The state.
    pub state: JobState,
    /// The number of jobs.
    pub jobs: u64,
}

/// The job of a queue that is due and has waited longest, for metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldestDue {
    /// The queue.
    pub queue: String,
    /// When the job became due.
    pub run_at: Timestamp,
}
