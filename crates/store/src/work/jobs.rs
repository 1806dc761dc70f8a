//! The durable job queue.
//!
//! A job waits in a queue until a worker claims it. The claim is a lease: while the worker lives it renews
//! the lease, and when the lease ends any worker may claim the job again. Everything that a worker later
//! writes about its job (renew, done, failed, later) counts only while the lease is still its own, which the
//! owner's name and the number of the run prove. A worker that was thought dead cannot disturb its successor.
//! The same work may therefore be done twice and must tolerate that.
//!
//! A job works for an account, or for the installation. It can be about one entity of the account, its
//! [`Subject`]; whoever deletes the entity deletes its jobs in the same transaction ([`cancel`]).

#[macro_use]
mod record;
mod lease;

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped};

pub use record::{Enqueued, Job, JobCount, JobState, NewJob, OldestDue, Subject, SubjectKind, Turns};

/// How often inserting a job is attempted while a job with the same key is just ending.
const ENQUEUE_ATTEMPTS: usize = 5;

group! {
    /// The job queue.
    pub Jobs, jobs
}

/// Enqueues a job in a transaction that has found, or made, its account and subject.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    account_id: Option<&str>,
    subject: Option<Subject>,
    job: &NewJob,
    now: Timestamp,
) -> Result<Enqueued, StoreError> {
    if job.max_attempts == 0 {
        return Err(StoreError::invalid("max_attempts", "it is 0, so the job would never run"));
    }
    if job.time_limit <= SignedDuration::ZERO {
        return Err(StoreError::invalid("time_limit", "it is not positive, so the job would never run"));
    }
    let dedupe_key = job.dedupe_key.as_deref().map(replace_nul);
    for _ in 0..ENQUEUE_ATTEMPTS {
        let created = sqlx::query(
            "INSERT INTO jobs (job_id, queue, kind, account_id, subject, subject_id, payload, state, attempts, \
             max_attempts, runs, run_at, time_limit, dedupe_key, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', 0, $8, 0, $9, $10, $11, $12) \
             ON CONFLICT DO NOTHING RETURNING job_id",
        )
        .bind(new_id().to_string())
        .bind(replace_nul(&job.queue))
        .bind(replace_nul(&job.kind))
        .bind(account_id.map(str::to_owned))
        .bind(subject.map(|subject| subject.kind.as_str()))
        .bind(subject.map(|subject| subject.id.to_string()))
        .bind(job.payload.to_string())
        .bind(i64::from(job.max_attempts))
        .bind(micros(job.run_at.unwrap_or(now)))
        .bind(i64::try_from(job.time_limit.as_micros()).unwrap_or(i64::MAX))
        .bind(dedupe_key.clone())
        .bind(micros(now))
        .fetch_optional(&mut *connection)
        .await?;
        if let Some(row) = created {
            return Ok(Enqueued { job_id: row.parsed("job_id")?, is_new: true });
        }
        let existing = match account_id {
            Some(account_id) => sqlx::query(
                "SELECT job_id FROM jobs WHERE dedupe_key = $1 AND account_id = $2 \
                 AND state IN ('queued', 'running')",
            )
            .bind(dedupe_key.clone())
            .bind(account_id.to_owned()),
            None => sqlx::query(
                "SELECT job_id FROM jobs WHERE dedupe_key = $1 AND account_id IS NULL \
                 AND state IN ('queued', 'running')",
            )
            .bind(dedupe_key.clone()),
        };
        if let Some(row) = existing.fetch_optional(&mut *connection).await? {
            return Ok(Enqueued { job_id: row.parsed("job_id")?, is_new: false });
        }
    }
    Err(StoreError::Contended { entity: "job" })
}

/// Deletes all jobs of a subject in the transaction that deletes the subject. Workers that hold one lose the
/// lease.
pub(crate) async fn cancel(connection: &mut AnyConnection, subject: Subject) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM jobs WHERE subject_id = $1 AND subject = $2")
        .bind(subject.id.to_string())
        .bind(subject.kind.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the jobs of a subject that have not ended, in the transaction that enqueues one in their place.
/// Workers that hold one lose the lease.
pub(crate) async fn cancel_open(connection: &mut AnyConnection, subject: Subject) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM jobs WHERE subject_id = $1 AND subject = $2 AND state IN ('queued', 'running')")
        .bind(subject.id.to_string())
        .bind(subject.kind.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes all jobs of the websites of a chatbot in the transaction that deletes the chatbot, before the
/// websites are gone.
pub(crate) async fn cancel_of_websites(
    connection: &mut AnyConnection,
    chatbot_id: Uuid,
) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM jobs WHERE subject = 'website' \
         AND subject_id IN (SELECT website_id FROM websites WHERE chatbot_id = $1)",
    )
    .bind(chatbot_id.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Finds the account of a subject inside a scope, and keeps the subject from being deleted until the
/// transaction ends. SQLite needs no lock for that: its write transactions run one at a time.
async fn subject_account(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    subject: Subject,
) -> Result<Option<String>, StoreError> {
    macro_rules! account {
        ($table:literal, $id:literal, $lock:literal) => {
            concat!("SELECT account_id FROM ", $table, " WHERE ", in_scope!(), " AND ", $id, " = $3", $lock)
        };
    }
    let sql = match subject.kind {
        SubjectKind::Chatbot => dialect.pick(
            account!("chatbots", "chatbot_id", ""),
            account!("chatbots", "chatbot_id", " FOR KEY SHARE"),
        ),
        SubjectKind::Website => dialect.pick(
            account!("websites", "website_id", ""),
            account!("websites", "website_id", " FOR KEY SHARE"),
        ),
    };
    let row = scoped(sql, scope).bind(subject.id.to_string()).fetch_optional(connection).await?;
    Ok(row.map(|row| row.text("account_id")).transpose()?)
}

impl Jobs<'_> {
    /// Enqueues a job for the account of its subject, or for the account of the scope if it has none. Returns
    /// `None` if the scope has no such subject.
    pub async fn enqueue(
        self,
        scope: &Scope,
        job: &NewJob,
        now: Timestamp,
    ) -> Result<Option<Enqueued>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let account_id = match job.subject {
            Some(subject) => {
                let dialect = self.store.dialect();
                match subject_account(&mut transaction, dialect, scope, subject).await? {
                    Some(account_id) => account_id,
                    None => return Ok(None),
                }
            }
            None => scope.account_id.to_string(),
        };
        let enqueued = insert(&mut transaction, Some(&account_id), job.subject, job, now).await?;
        transaction.commit().await?;
        Ok(Some(enqueued))
    }

    /// Enqueues work of the installation, which belongs to no account and has no subject.
    pub async fn enqueue_for_installation(
        self,
        job: &NewJob,
        now: Timestamp,
    ) -> Result<Enqueued, StoreError> {
        let mut transaction = self.store.begin().await?;
        let enqueued = insert(&mut transaction, None, None, job, now).await?;
        transaction.commit().await?;
        Ok(enqueued)
    }

    /// Returns one job of the scope.
    pub async fn find(self, scope: &Scope, job_id: Uuid) -> Result<Option<Job>, StoreError> {
        find_by_id(self.store, row_by_id!(job_columns of "jobs", "job_id"), scope, job_id).await
    }

    /// Deletes the unfinished jobs of a subject and returns how many there were. Workers that hold one lose
    /// the lease.
    pub async fn cancel(self, scope: &Scope, subject: Subject) -> Result<u64, StoreError> {
        let cancelled = scoped(
            concat!(
                "DELETE FROM jobs WHERE ",
                in_scope!(),
                " AND subject_id = $3 AND subject = $4 AND state IN ('queued', 'running')"
            ),
            scope,
        )
        .bind(subject.id.to_string())
        .bind(subject.kind.as_str());
        Ok(cancelled.execute(self.store.writer()).await?.rows_affected())
    }

    /// Returns the number of jobs by queue and state. For metrics, over all accounts.
    pub async fn counts(self) -> Result<Vec<JobCount>, StoreError> {
        let rows = sqlx::query(
            "SELECT queue, state, COUNT(*) AS jobs FROM jobs GROUP BY queue, state ORDER BY queue, state",
        )
        .fetch_all(self.store.reader())
        .await?;
        let counts = rows.iter().map(|row| {
            Ok(JobCount { queue: row.text("queue")?, state: row.parsed("state")?, jobs: row.number("jobs")? })
        });
        Ok(counts.collect::<sqlx::Result<_>>()?)
    }

    /// Returns, for each queue in which a job is due, the job that has waited longest. For metrics, over all
    /// accounts.
    pub async fn oldest_due(self, now: Timestamp) -> Result<Vec<OldestDue>, StoreError> {
        let rows = sqlx::query(
            "SELECT queue, MIN(run_at) AS run_at FROM jobs WHERE state = 'queued' AND run_at <= $1 \
             GROUP BY queue ORDER BY queue",
        )
        .bind(micros(now))
        .fetch_all(self.store.reader())
        .await?;
        let oldest =
            rows.iter().map(|row| Ok(OldestDue { queue: row.text("queue")?, run_at: row.time("run_at")? }));
        Ok(oldest.collect::<sqlx::Result<_>>()?)
    }

    /// Deletes up to `limit` jobs that were finished or given up before a moment, and returns how many it
    /// deleted. For housekeeping, over all accounts; the limit keeps the write short.
    pub async fn prune(self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM jobs WHERE job_id IN (SELECT job_id FROM jobs WHERE state IN ('done', 'failed') \
             AND finished_at < $1 ORDER BY finished_at LIMIT $2)",
        )
        .bind(micros(before))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}
