//! The durable job queue.
//!
//! A job waits in a lane until a worker claims it. The claim is a lease: while the worker lives it renews the
//! lease, and when the lease ends the job is claimed again, by whomever. Every later word of a worker about its
//! job (renew, done, failed) counts only while the lease is still its own, told by the owner's name and the
//! number of the attempt; a worker that was thought dead cannot disturb its successor. Work may therefore be
//! done twice and must bear it.
//!
//! Workers serve all tenants, so claiming takes no scope: the scope of the work comes with the job.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, FromRow};
use uuid::Uuid;

use crate::chatbot::{self, Hold};
use crate::row::{Columns, micros, new_id, portable, portable_opt};
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{Scope, Store, StoreError};

/// Tries to put a job next to one with the same key that ends at the same moment.
const ENQUEUE_ATTEMPTS: usize = 5;

named_values! {
    /// How far a job has come.
    pub enum JobState as "job state" {
        /// Waits for its time and a worker.
        Queued = "queued",
        /// A worker holds its lease, or held it until it died.
        Running = "running",
        /// Finished.
        Done = "done",
        /// Given up.
        Failed = "failed",
    }
}

/// Work to be done.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// The lane it waits in; lanes do not delay each other.
    pub lane: String,
    /// What to do.
    pub kind: String,
    /// The chatbot it is done for, with which it is deleted.
    pub chatbot_id: Option<Uuid>,
    /// With what.
    pub payload: Value,
    /// Not before this moment; `None` for now.
    pub run_at: Option<Timestamp>,
    /// How often it may be tried, at least once. An attempt counts from its claim, however it ends.
    pub max_attempts: u32,
    /// While an unfinished job of the account has the same key, it is not enqueued again.
    pub dedupe_key: Option<String>,
}

/// Work, as it is enqueued or claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Identifier.
    pub job_id: Uuid,
    /// The lane it waits in.
    pub lane: String,
    /// What to do.
    pub kind: String,
    /// The account it is done for.
    pub account_id: Uuid,
    /// The chatbot it is done for.
    pub chatbot_id: Option<Uuid>,
    /// With what.
    pub payload: Value,
    /// How far it has come.
    pub state: JobState,
    /// How often it was claimed.
    pub attempts: u32,
    /// How often it may be claimed.
    pub max_attempts: u32,
    /// Not before this moment.
    pub run_at: Timestamp,
    /// Who holds the lease.
    pub lease_owner: Option<String>,
    /// Until when.
    pub lease_until: Option<Timestamp>,
    /// While it is unfinished, no job of the account with the same key is enqueued.
    pub dedupe_key: Option<String>,
    /// What went wrong last.
    pub last_error: Option<String>,
    /// When it was enqueued.
    pub created_at: Timestamp,
    /// When it was finished or given up.
    pub finished_at: Option<Timestamp>,
}

impl Job {
    /// The scope in which its work is done: its account, nothing else.
    pub const fn scope(&self) -> Scope {
        Scope::of_account(self.account_id)
    }

    /// Whether this is the last attempt.
    pub const fn is_last_attempt(&self) -> bool {
        self.attempts >= self.max_attempts
    }
}

impl FromRow<'_, AnyRow> for Job {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            job_id: row.parsed("job_id")?,
            lane: row.text("lane")?,
            kind: row.text("kind")?,
            account_id: row.parsed("account_id")?,
            chatbot_id: row.uuid_opt("chatbot_id")?,
            payload: row.json("payload")?,
            state: row.parsed("state")?,
            attempts: row.number("attempts")?,
            max_attempts: row.number("max_attempts")?,
            run_at: row.time("run_at")?,
            lease_owner: row.text_opt("lease_owner")?,
            lease_until: row.time_opt("lease_until")?,
            dedupe_key: row.text_opt("dedupe_key")?,
            last_error: row.text_opt("last_error")?,
            created_at: row.time("created_at")?,
            finished_at: row.time_opt("finished_at")?,
        })
    }
}

/// What became of a request to enqueue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enqueued {
    /// The job: the new one, or the unfinished one with the same key.
    pub job_id: Uuid,
    /// Whether it is new.
    pub is_new: bool,
}

/// Jobs in one lane and state, for metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobCount {
    /// The lane.
    pub lane: String,
    /// The state.
    pub state: JobState,
    /// How many.
    pub jobs: u64,
}

/// Enqueues a job for an account and chatbot that were found inside a scope.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    account_id: &str,
    chatbot_id: Option<&str>,
    job: &NewJob,
    now: Timestamp,
) -> Result<Enqueued, StoreError> {
    if job.max_attempts == 0 {
        return Err(StoreError::invalid("max_attempts", "it is 0, so the job would never run"));
    }
    let dedupe_key = portable_opt(job.dedupe_key.as_deref());
    for _ in 0..ENQUEUE_ATTEMPTS {
        let created = sqlx::query(
            "INSERT INTO jobs (job_id, lane, kind, account_id, chatbot_id, payload, state, attempts, \
             max_attempts, run_at, dedupe_key, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $7, $8, $9, $10) \
             ON CONFLICT (account_id, dedupe_key) WHERE state IN ('queued', 'running') DO NOTHING \
             RETURNING job_id",
        )
        .bind(new_id().to_string())
        .bind(portable(&job.lane))
        .bind(portable(&job.kind))
        .bind(account_id.to_owned())
        .bind(chatbot_id.map(str::to_owned))
        .bind(job.payload.to_string())
        .bind(i64::from(job.max_attempts))
        .bind(micros(job.run_at.unwrap_or(now)))
        .bind(dedupe_key.clone())
        .bind(micros(now))
        .fetch_optional(&mut *connection)
        .await?;
        if let Some(row) = created {
            return Ok(Enqueued { job_id: row.parsed("job_id")?, is_new: true });
        }
        let existing = sqlx::query(
            "SELECT job_id FROM jobs WHERE account_id = $1 AND dedupe_key = $2 \
             AND state IN ('queued', 'running')",
        )
        .bind(account_id.to_owned())
        .bind(dedupe_key.clone())
        .fetch_optional(&mut *connection)
        .await?;
        if let Some(row) = existing {
            return Ok(Enqueued { job_id: row.parsed("job_id")?, is_new: false });
        }
    }
    Err(StoreError::AlreadyExists { entity: "job", existing_id: None })
}

impl Store {
    /// Enqueues a job for the account of the scope, or for that of the chatbot it names. `None` when there is no
    /// such chatbot.
    pub async fn enqueue(
        &self,
        scope: &Scope,
        job: &NewJob,
        now: Timestamp,
    ) -> Result<Option<Enqueued>, StoreError> {
        let mut transaction = self.begin().await?;
        let enqueued = if let Some(chatbot_id) = job.chatbot_id {
            let key =
                chatbot::hold(&mut transaction, self.dialect(), Hold::Existing, scope, chatbot_id).await?;
            let Some(key) = key else { return Ok(None) };
            insert(&mut transaction, &key.account_id, Some(&key.chatbot_id), job, now).await?
        } else {
            insert(&mut transaction, &scope.account_id.to_string(), None, job, now).await?
        };
        transaction.commit().await?;
        Ok(Some(enqueued))
    }

    /// One job.
    pub async fn job(&self, scope: &Scope, job_id: Uuid) -> Result<Option<Job>, StoreError> {
        let one = scoped_as(concat!("SELECT * FROM jobs WHERE ", in_scope!(), " AND job_id = $3"), scope)
            .bind(job_id.to_string());
        Ok(one.fetch_optional(self.reader()).await?)
    }

    /// Gives the next job of a lane to `owner` until `now + lease`. Due jobs come first that belong to the
    /// account with the fewest running in the lane, then those due longest, so one tenant's backlog does not
    /// keep others waiting. A job whose lease has ended is due again, as long as it has attempts left. `owner`
    /// must be unique among workers that live at the same time.
    pub async fn claim_job(
        &self,
        lane: &str,
        owner: &str,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<Option<Job>, StoreError> {
        macro_rules! claim {
            ($lock:literal) => {
                concat!(
                    "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease_owner = $2, \
                     lease_until = $3 WHERE job_id = (WITH busy AS MATERIALIZED (SELECT account_id, \
                     COUNT(*) AS running FROM jobs WHERE lane = $1 AND state = 'running' \
                     AND lease_until > $4 GROUP BY account_id) \
                     SELECT j.job_id FROM jobs AS j LEFT JOIN busy \
                     ON busy.account_id = j.account_id WHERE j.lane = $1 \
                     AND ((j.state = 'queued' AND j.run_at <= $4) OR (j.state = 'running' \
                     AND j.lease_until <= $4 AND j.attempts < j.max_attempts)) \
                     ORDER BY COALESCE(busy.running, 0), j.run_at, j.job_id LIMIT 1",
                    $lock,
                    ") RETURNING *"
                )
            };
        }
        let claimed = sqlx::query_as(self.dialect().pick(claim!(""), claim!(" FOR UPDATE OF j SKIP LOCKED")))
            .bind(portable(lane))
            .bind(portable(owner))
            .bind(lease_end(now, lease))
            .bind(micros(now));
        Ok(claimed.fetch_optional(self.writer()).await?)
    }

    /// When the next job of a lane becomes due, for a worker to sleep until then; `None` when nothing waits.
    /// A moment in the past means that a job is due now.
    pub async fn next_job_at(&self, lane: &str) -> Result<Option<Timestamp>, StoreError> {
        let row = sqlx::query(
            "SELECT MIN(CASE WHEN state = 'queued' THEN run_at ELSE lease_until END) AS due FROM jobs \
             WHERE lane = $1 AND (state = 'queued' OR (state = 'running' AND attempts < max_attempts))",
        )
        .bind(portable(lane))
        .fetch_one(self.reader())
        .await?;
        Ok(row.time_opt("due")?)
    }

    /// Renews the lease of a claimed job until `now + lease`. `false` when the lease is lost, because it ended
    /// and another worker has the job, or because the job was deleted along with its chatbot: stop working.
    pub async fn heartbeat_job(
        &self,
        job: &Job,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let renewed = held(
            "UPDATE jobs SET lease_until = $4 \
             WHERE job_id = $1 AND lease_owner = $2 AND attempts = $3 AND state = 'running'",
            job,
        )
        .bind(lease_end(now, lease));
        Ok(renewed.execute(self.writer()).await?.rows_affected() > 0)
    }

    /// Notes that a claimed job is finished. `false` when the lease is lost.
    pub async fn complete_job(&self, job: &Job, now: Timestamp) -> Result<bool, StoreError> {
        let completed = held(
            "UPDATE jobs SET state = 'done', finished_at = $4, lease_owner = NULL, lease_until = NULL, \
             last_error = NULL WHERE job_id = $1 AND lease_owner = $2 AND attempts = $3 AND state = 'running'",
            job,
        )
        .bind(micros(now));
        Ok(completed.execute(self.writer()).await?.rows_affected() > 0)
    }

    /// Notes that an attempt of a claimed job failed. With `retry_at` and attempts left it is queued again for
    /// that moment, else it is given up. Returns its state then, `None` when the lease is lost.
    pub async fn fail_job(
        &self,
        job: &Job,
        error: &str,
        retry_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Option<JobState>, StoreError> {
        let retry_at = retry_at.filter(|_| !job.is_last_attempt());
        let state = if retry_at.is_some() { JobState::Queued } else { JobState::Failed };
        let failed = held(
            "UPDATE jobs SET state = $4, run_at = COALESCE($5, run_at), finished_at = $6, last_error = $7, \
             lease_owner = NULL, lease_until = NULL \
             WHERE job_id = $1 AND lease_owner = $2 AND attempts = $3 AND state = 'running'",
            job,
        )
        .bind(state.as_str())
        .bind(retry_at.map(micros))
        .bind(retry_at.is_none().then(|| micros(now)))
        .bind(portable(error));
        Ok((failed.execute(self.writer()).await?.rows_affected() > 0).then_some(state))
    }

    /// Puts a claimed job back untried, when the worker is asked to stop. `false` when the lease is lost.
    pub async fn release_job(&self, job: &Job, now: Timestamp) -> Result<bool, StoreError> {
        let released = held(
            "UPDATE jobs SET state = 'queued', run_at = $4, attempts = attempts - 1, lease_owner = NULL, \
             lease_until = NULL \
             WHERE job_id = $1 AND lease_owner = $2 AND attempts = $3 AND state = 'running'",
            job,
        )
        .bind(micros(now));
        Ok(released.execute(self.writer()).await?.rows_affected() > 0)
    }

    /// Gives up the jobs whose lease has ended on their last attempt, and returns them, so that what waits for
    /// them can be told. Run it now and then.
    pub async fn fail_abandoned_jobs(&self, now: Timestamp) -> Result<Vec<Job>, StoreError> {
        let abandoned = sqlx::query_as(
            "UPDATE jobs SET state = 'failed', finished_at = $1, lease_owner = NULL, lease_until = NULL, \
             last_error = 'the worker disappeared on the last attempt' \
             WHERE state = 'running' AND lease_until <= $1 AND attempts >= max_attempts RETURNING *",
        )
        .bind(micros(now));
        Ok(abandoned.fetch_all(self.writer()).await?)
    }

    /// Ends all leases. Only for the start of the single process that uses a SQLite file: whoever held them is
    /// gone, and waiting for the leases to end would be waiting for nothing. Returns how many.
    pub async fn release_all_leases(&self, now: Timestamp) -> Result<u64, StoreError> {
        let ended = sqlx::query("UPDATE jobs SET lease_until = $1 WHERE state = 'running'").bind(micros(now));
        Ok(ended.execute(self.writer()).await?.rows_affected())
    }

    /// Deletes the unfinished jobs of a chatbot; workers that hold one lose the lease. Returns how many.
    pub async fn cancel_jobs(&self, scope: &Scope, chatbot_id: Uuid) -> Result<u64, StoreError> {
        let cancelled = scoped(
            concat!(
                "DELETE FROM jobs WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND state IN ('queued', 'running')"
            ),
            scope,
        )
        .bind(chatbot_id.to_string());
        Ok(cancelled.execute(self.writer()).await?.rows_affected())
    }

    /// How many jobs are in which lane and state, over all tenants; for metrics.
    pub async fn job_counts(&self) -> Result<Vec<JobCount>, StoreError> {
        let rows = sqlx::query(
            "SELECT lane, state, COUNT(*) AS jobs FROM jobs GROUP BY lane, state ORDER BY lane, state",
        )
        .fetch_all(self.reader())
        .await?;
        let counts = rows.iter().map(|row| {
            Ok(JobCount { lane: row.text("lane")?, state: row.parsed("state")?, jobs: row.number("jobs")? })
        });
        Ok(counts.collect::<sqlx::Result<_>>()?)
    }

    /// Deletes jobs that were finished or given up before a moment. For housekeeping. Returns how many.
    pub async fn prune_jobs(&self, before: Timestamp) -> Result<u64, StoreError> {
        let pruned = sqlx::query("DELETE FROM jobs WHERE state IN ('done', 'failed') AND finished_at < $1")
            .bind(micros(before));
        Ok(pruned.execute(self.writer()).await?.rows_affected())
    }
}

/// A statement about a job that its worker believes to hold; the condition on `$1` to `$3` checks the belief.
fn held(sql: &'static str, job: &Job) -> sqlx::query::Query<'static, sqlx::Any, sqlx::any::AnyArguments> {
    sqlx::query(sql).bind(job.job_id.to_string()).bind(job.lease_owner.clone()).bind(i64::from(job.attempts))
}

fn lease_end(now: Timestamp, lease: SignedDuration) -> i64 {
    now.saturating_add(lease).map_or(i64::MAX, micros)
}
