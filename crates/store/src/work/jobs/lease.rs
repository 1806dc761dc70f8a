//! Leases: claiming a job, renewing the claim, and the ways in which a claim ends.

use jiff::{SignedDuration, Timestamp};
use sqlx::Any;
use sqlx::any::AnyArguments;
use sqlx::query::Query;

use super::Jobs;
use super::record::{Job, JobState, Turns};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::redacted::guarded;
use crate::sql::row::{Columns, id_list, micros, stored};

impl Jobs<'_> {
    /// Gives the next job of a queue to `owner` until `now + lease`, or returns `None` if no job is due.
    ///
    /// Due jobs are ordered by the number of jobs that their account has running in the queue, then by the
    /// time at which they became due. One account's backlog therefore does not keep others waiting, and a job
    /// that continues later takes its place behind those that became due before it. A job whose lease has
    /// ended is due again, even after its last attempt: see [`Job::is_abandoned`]. The first claim sets the
    /// deadline of the job.
    ///
    /// `owner` must be unique among the workers that live at the same time. Takes no scope because workers
    /// serve all accounts; the job brings its own.
    pub async fn claim(
        self,
        queue: &str,
        owner: &str,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<Option<Job>, StoreError> {
        self.claim_in_turn(queue, owner, lease, &Turns::default(), now).await
    }

    /// Like [`claim`](Self::claim), but leaves out the accounts that have no place left, and puts those
    /// behind the others that have had their turn before. With one place, running jobs alone say nothing: the
    /// longest backlog would always be first.
    pub async fn claim_in_turn(
        self,
        queue: &str,
        owner: &str,
        lease: SignedDuration,
        turns: &Turns,
        now: Timestamp,
    ) -> Result<Option<Job>, StoreError> {
        macro_rules! claim {
            ($full:literal, $served:literal, $lock:literal) => {
                concat!(
                    "UPDATE jobs SET state = 'running', attempts = attempts + 1, runs = runs + 1, \
                     deadline_at = COALESCE(deadline_at, $4 + time_limit), lease_owner = $2, \
                     lease_until = $3 WHERE job_id = (WITH busy AS MATERIALIZED (SELECT account_id, \
                     COUNT(*) AS running FROM jobs WHERE queue = $1 AND state = 'running' \
                     AND lease_until > $4 GROUP BY account_id), served AS MATERIALIZED (",
                    $served,
                    ") SELECT j.job_id FROM jobs AS j LEFT JOIN busy \
                     ON busy.account_id = j.account_id LEFT JOIN served ON served.account_id = j.account_id \
                     WHERE j.queue = $1 \
                     AND ((j.state = 'queued' AND j.run_at <= $4) \
                     OR (j.state = 'running' AND j.lease_until <= $4)) \
                     AND (j.account_id IS NULL OR j.account_id NOT IN (",
                    $full,
                    ") OR NOT EXISTS (SELECT 1 FROM accounts AS other WHERE other.account_id <> j.account_id)) \
                     ORDER BY COALESCE(busy.running, 0), COALESCE(served.turn, -1), j.run_at, j.job_id LIMIT 1",
                    $lock,
                    ") RETURNING ",
                    job_columns!()
                )
            };
        }
        let sql = self.store.dialect().pick(
            claim!(
                "SELECT value FROM json_each($5)",
                "SELECT value AS account_id, key AS turn FROM json_each($6)",
                ""
            ),
            claim!(
                "SELECT * FROM json_array_elements_text(CAST($5 AS json))",
                "SELECT * FROM json_array_elements_text(CAST($6 AS json)) WITH ORDINALITY AS turns (account_id, turn)",
                " FOR UPDATE OF j SKIP LOCKED"
            ),
        );
        let claimed = sqlx::query_as(sql)
            .bind(replace_nul(queue))
            .bind(replace_nul(owner))
            .bind(lease_end(now, lease))
            .bind(micros(now))
            .bind(id_list(&turns.full))
            .bind(id_list(&turns.served));
        Ok(claimed.fetch_optional(self.store.writer()).await?)
    }

    /// Returns when the next job of a queue becomes due, or `None` if the queue is empty. A moment in the
    /// past means that a job is due now. A worker can sleep until then, unless somebody enqueues a job.
    pub async fn next_due_at(self, queue: &str) -> Result<Option<Timestamp>, StoreError> {
        let row = sqlx::query(
            "SELECT MIN(due) AS due FROM (\
             SELECT MIN(run_at) AS due FROM jobs WHERE queue = $1 AND state = 'queued' \
             UNION ALL SELECT MIN(lease_until) FROM jobs WHERE queue = $1 AND state = 'running') AS next",
        )
        .bind(replace_nul(queue))
        .fetch_one(self.store.reader())
        .await?;
        Ok(row.time_opt("due")?)
    }

    /// Renews the lease of a claimed job until `now + lease`. Returns `false` if the lease is lost, because
    /// it ended and another worker has the job, or because the job was deleted with its subject: the caller
    /// must stop working.
    pub async fn heartbeat(
        self,
        job: &Job,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(held!("lease_until = $4", job).bind(lease_end(now, lease))).await
    }

    /// Marks a claimed job as finished. Returns `false` if the lease is lost.
    pub async fn complete(self, job: &Job, now: Timestamp) -> Result<bool, StoreError> {
        let completed = held!(
            "state = 'done', finished_at = $4, lease_owner = NULL, lease_until = NULL, last_error = NULL",
            job
        );
        self.write(completed.bind(micros(now))).await
    }

    /// Ends a failed attempt of a claimed job. With `retry_at` and attempts left the job is queued again for
    /// that moment, otherwise it is given up. Returns its new state, or `None` if the lease is lost.
    pub async fn fail(
        self,
        job: &Job,
        error: &str,
        retry_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Option<JobState>, StoreError> {
        let retry_at = retry_at.filter(|_| !job.is_last_attempt());
        let state = if retry_at.is_some() { JobState::Queued } else { JobState::Failed };
        let failed = held!(
            "state = $4, run_at = COALESCE($5, run_at), finished_at = $6, last_error = $7, lease_owner = NULL, \
             lease_until = NULL",
            job
        )
        .bind(state.as_str())
        .bind(retry_at.map(micros))
        .bind(retry_at.is_none().then(|| micros(now)))
        .bind(guarded(error));
        Ok(self.write(failed).await?.then_some(state))
    }

    /// Puts a claimed job back for a later moment without using up an attempt: its worker stops, or the work
    /// has to wait. The deadline stays. Returns `false` if the lease is lost.
    pub async fn release(self, job: &Job, run_at: Timestamp) -> Result<bool, StoreError> {
        let released = held!(
            "state = 'queued', run_at = $4, attempts = attempts - 1, lease_owner = NULL, lease_until = NULL",
            job
        );
        self.write(released.bind(micros(run_at))).await
    }

    /// Queues a claimed job again as if it were new, with all its attempts and its whole time limit: the way
    /// in which recurring work ends a run. `error` is kept as the last error. Returns `false` if the lease is
    /// lost.
    pub async fn repeat(self, job: &Job, run_at: Timestamp, error: Option<&str>) -> Result<bool, StoreError> {
        let repeated = held!(
            "state = 'queued', run_at = $4, attempts = 0, deadline_at = NULL, last_error = $5, lease_owner = NULL, \
             lease_until = NULL",
            job
        );
        self.write(repeated.bind(micros(run_at)).bind(error.map(guarded))).await
    }

    /// Ends all leases and returns how many there were. Only for the start of the single process that uses a
    /// SQLite file: the holders are gone, so nobody has to wait for their leases to end.
    pub async fn end_all_leases(self, now: Timestamp) -> Result<u64, StoreError> {
        let ended = sqlx::query("UPDATE jobs SET lease_until = $1 WHERE state = 'running'").bind(micros(now));
        Ok(ended.execute(self.store.writer()).await?.rows_affected())
    }

    async fn write(self, statement: Query<'static, Any, AnyArguments>) -> Result<bool, StoreError> {
        Ok(statement.execute(self.store.writer()).await?.rows_affected() > 0)
    }
}

/// An update of a job that its worker believes to hold. The conditions on `$1` to `$3` are the fence: a
/// worker that lost its lease changes nothing.
macro_rules! held {
    ($set:literal, $job:expr) => {
        sqlx::query(concat!(
            "UPDATE jobs SET ",
            $set,
            " WHERE job_id = $1 AND lease_owner = $2 AND runs = $3 AND state = 'running'"
        ))
        .bind($job.job_id.to_string())
        .bind($job.lease_owner.clone())
        .bind(stored($job.runs))
    };
}
use held;

fn lease_end(now: Timestamp, lease: SignedDuration) -> i64 {
    now.saturating_add(lease).map_or(i64::MAX, micros)
}
