//! Idempotency keys: a request that is repeated with the same key is answered with the first response.
//!
//! A request *claims* its key before it runs and stores its response under the key afterwards. A claim ends after a time, because the
//! process that runs the request may die; whoever claims the key then becomes its holder, and the former holder's response is not stored.

use jiff::{SignedDuration, Timestamp};
use sqlx::Row;
use uuid::Uuid;

use crate::StoreError;
use crate::nul::replace_nul;
use crate::row::{Columns, micros, new_id};

/// The time for which the response to a request is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24);
/// The time after which a request without a response no longer counts as running. Longer than any request takes.
const RUNS: SignedDuration = SignedDuration::from_mins(5);

/// A request that carries an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// The API key that makes the request; idempotency keys of different API keys have nothing to do with each other.
    pub api_key_id: Uuid,
    /// Method and path of the request.
    pub path: String,
    /// The idempotency key.
    pub key: String,
    /// A hash of everything else that makes the request what it is: query and body.
    pub fingerprint: String,
}

/// A response as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// HTTP status.
    pub status: u16,
    /// `Content-Type`, if there is a body.
    pub content_type: Option<String>,
    /// The body, encrypted or not: the store does not read it.
    pub body: Vec<u8>,
    /// The ids in the body, separated by spaces, by which the response is found when a person's data is erased.
    pub mentions: String,
}

/// The right to run a request, held by one caller at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    api_key_id: Uuid,
    path: String,
    key: String,
    holder: String,
}

/// What a claim comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// The request is to run now.
    Run(Claim),
    /// The request has run; this was its response.
    Done(StoredResponse),
    /// The same request is running at this moment.
    Running,
    /// The key was used for another request.
    Reused,
}

group! {
    /// Idempotency keys and the responses stored under them.
    pub Idempotency, idempotency
}

impl Idempotency<'_> {
    /// Claims the key of a request. Of any number of calls with the same key at once, one gets [`Claimed::Run`].
    ///
    /// Takes no scope: the API key that the request was authenticated with is part of the key.
    pub async fn claim(self, request: &IdempotentRequest, now: Timestamp) -> Result<Claimed, StoreError> {
        let holder = new_id().to_string();
        let claimed = sqlx::query(
            "INSERT INTO idempotency_keys \
             (api_key_id, path, idempotency_key, fingerprint, holder, created_at, running_until) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (api_key_id, path, idempotency_key) DO UPDATE SET \
             fingerprint = excluded.fingerprint, holder = excluded.holder, status = NULL, content_type = NULL, \
             body = NULL, created_at = excluded.created_at, running_until = excluded.running_until \
             WHERE idempotency_keys.created_at <= $8 OR (idempotency_keys.status IS NULL \
             AND idempotency_keys.running_until <= $6 AND idempotency_keys.fingerprint = excluded.fingerprint)",
        )
        .bind(request.api_key_id.to_string())
        .bind(replace_nul(&request.path))
        .bind(replace_nul(&request.key))
        .bind(replace_nul(&request.fingerprint))
        .bind(holder.clone())
        .bind(micros(now))
        .bind(now.saturating_add(RUNS).map_or(i64::MAX, micros))
        .bind(now.saturating_sub(KEPT).map_or(i64::MIN, micros))
        .execute(self.store.writer())
        .await?;
        if claimed.rows_affected() > 0 {
            let IdempotentRequest { api_key_id, path, key, .. } = request.clone();
            return Ok(Claimed::Run(Claim { api_key_id, path, key, holder }));
        }
        let row = sqlx::query(
            "SELECT fingerprint, status, content_type, body FROM idempotency_keys \
             WHERE api_key_id = $1 AND path = $2 AND idempotency_key = $3",
        )
        .bind(request.api_key_id.to_string())
        .bind(replace_nul(&request.path))
        .bind(replace_nul(&request.key))
        .fetch_optional(self.store.writer())
        .await?;
        // Released in between: the other call is not finished with it, so the caller may try again.
        let Some(row) = row else { return Ok(Claimed::Running) };
        if row.text("fingerprint")? != replace_nul(&request.fingerprint) {
            return Ok(Claimed::Reused);
        }
        let Some(status) = row.int_opt("status")? else { return Ok(Claimed::Running) };
        let body: Option<Vec<u8>> = row.try_get("body")?;
        Ok(Claimed::Done(StoredResponse {
            status: u16::try_from(status).unwrap_or(500),
            content_type: row.text_opt("content_type")?,
            body: body.unwrap_or_default(),
            mentions: String::new(),
        }))
    }

    /// Stores the response to a request, for the repeats of the next 24 hours. `false` when the claim has ended and another caller
    /// holds the key.
    pub async fn complete(self, claim: &Claim, response: &StoredResponse) -> Result<bool, StoreError> {
        let completed = held(
            "UPDATE idempotency_keys SET status = $5, content_type = $6, body = $7, mentions = $8 \
             WHERE api_key_id = $1 AND path = $2 AND idempotency_key = $3 AND holder = $4",
            claim,
        )
        .bind(i64::from(response.status))
        .bind(response.content_type.clone())
        .bind(response.body.clone())
        .bind(response.mentions.clone());
        Ok(completed.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Gives a key back, after a request that changed nothing: a repeat runs again.
    pub async fn release(self, claim: &Claim) -> Result<bool, StoreError> {
        let released = held(
            "DELETE FROM idempotency_keys \
             WHERE api_key_id = $1 AND path = $2 AND idempotency_key = $3 AND holder = $4",
            claim,
        );
        Ok(released.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Deletes keys whose time is over. For housekeeping. Returns how many.
    pub async fn prune(self, now: Timestamp) -> Result<u64, StoreError> {
        let pruned = sqlx::query("DELETE FROM idempotency_keys WHERE created_at <= $1")
            .bind(now.saturating_sub(KEPT).map_or(i64::MIN, micros));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}

/// A statement about a key, on the condition that the claim still holds it.
fn held(sql: &'static str, claim: &Claim) -> sqlx::query::Query<'static, sqlx::Any, sqlx::any::AnyArguments> {
    sqlx::query(sql)
        .bind(claim.api_key_id.to_string())
        .bind(replace_nul(&claim.path))
        .bind(replace_nul(&claim.key))
        .bind(claim.holder.clone())
}
