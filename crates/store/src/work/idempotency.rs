//! Idempotency keys: a request that is repeated with the same key is answered with the first response.
//!
//! A request *claims* its key before it runs and stores its response under the key afterwards. While it runs,
//! its process renews the claim. A claim that is not renewed ends, because the process has died; whoever
//! claims the key then becomes its holder, and the former holder's response is not stored.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use crate::sql::database::Store;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, new_id};

/// The time for which the response to a request is kept.
const KEPT: SignedDuration = SignedDuration::from_hours(24);
/// A request that began up to this long after an erasure may still have read what was erased: the erasure
/// waited for locks, or the clock of the request's process is ahead.
const ERASING: SignedDuration = SignedDuration::from_mins(1);
/// The time after which a request without a response no longer counts as running, if its claim is not
/// renewed. Several times as long as a process waits before it renews, so that a slow database ends no claim.
const RUNS: SignedDuration = SignedDuration::from_mins(1);

/// Keeps others on PostgreSQL from storing responses until the transaction ends.
const LOCK: &str = "LOCK TABLE idempotency_keys IN SHARE ROW EXCLUSIVE MODE";

/// A request that carries an idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// The API key that makes the request; idempotency keys of different API keys have nothing to do with
    /// each other.
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
    /// The ids in the body, separated by spaces, by which the response is found when a person's data is
    /// erased.
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
    /// Claims the key of a request. Of any number of calls with the same key at once, one gets
    /// [`Claimed::Run`].
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

    /// Stores the response to a request, for the repeats of the next 24 hours. `false` when the claim has
    /// ended and another caller holds the key, or when a contact or conversation that the response names was
    /// erased while the request ran. Then the key is given back.
    pub async fn complete(self, claim: &Claim, response: &StoredResponse) -> Result<bool, StoreError> {
        macro_rules! update {
            ($mentions:literal) => {
                concat!(
                    "UPDATE idempotency_keys SET status = $5, content_type = $6, body = $7, mentions = $8 \
                     WHERE api_key_id = $1 AND path = $2 AND idempotency_key = $3 AND holder = $4 \
                     AND NOT EXISTS (SELECT 1 FROM erased_ids AS e WHERE e.erased_id IN ",
                    $mentions,
                    " AND e.erased_at > idempotency_keys.created_at - $10)"
                )
            };
        }
        // A response may repeat words of what its path names without naming it.
        let in_body = response.mentions.split_whitespace().map(str::to_owned);
        let mentioned: BTreeSet<String> = in_body.chain(ids_in(&claim.path)).collect();
        let completed = held(
            self.store.dialect().pick(
                update!("(SELECT value FROM json_each($9))"),
                update!("(SELECT jsonb_array_elements_text(CAST($9 AS jsonb)))"),
            ),
            claim,
        )
        .bind(i64::from(response.status))
        .bind(response.content_type.clone())
        .bind(response.body.clone())
        .bind(mentioned.iter().map(String::as_str).collect::<Vec<_>>().join(" "))
        .bind(json!(mentioned).to_string())
        .bind(ERASING.as_secs() * 1_000_000);
        let is_stored = completed.execute(self.store.writer()).await?.rows_affected() > 0;
        if !is_stored {
            self.release(claim).await?;
        }
        Ok(is_stored)
    }

    /// Notes that a request is still running. `false` when its claim has ended and another caller holds the
    /// key.
    pub async fn renew(self, claim: &Claim, now: Timestamp) -> Result<bool, StoreError> {
        let renewed = held(
            "UPDATE idempotency_keys SET running_until = $5 \
             WHERE api_key_id = $1 AND path = $2 AND idempotency_key = $3 AND holder = $4 AND status IS NULL",
            claim,
        )
        .bind(now.saturating_add(RUNS).map_or(i64::MAX, micros));
        Ok(renewed.execute(self.store.writer()).await?.rows_affected() > 0)
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

    /// Deletes up to `limit` keys whose time is over, and as many erased ids that no request under way can
    /// name. Returns the greater of both numbers. For housekeeping; the limit keeps the writes short.
    pub async fn prune(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let before = now.saturating_sub(KEPT).map_or(i64::MIN, micros);
        let mut most = 0;
        for statement in [
            "DELETE FROM erased_ids WHERE erased_id IN \
             (SELECT erased_id FROM erased_ids WHERE erased_at <= $1 ORDER BY erased_at LIMIT $2)",
            "DELETE FROM idempotency_keys WHERE (api_key_id, path, idempotency_key) IN (SELECT api_key_id, path, \
             idempotency_key FROM idempotency_keys WHERE created_at <= $1 ORDER BY created_at LIMIT $2)",
        ] {
            let pruned = sqlx::query(statement).bind(before).bind(i64::from(limit));
            most = most.max(pruned.execute(self.store.writer()).await?.rows_affected());
        }
        Ok(most)
    }
}

/// Notes ids of what is being erased, in the transaction that takes it out of sight: responses under way that
/// name one will not be stored.
pub(crate) async fn note_erased(
    connection: &mut AnyConnection,
    account_id: Uuid,
    ids: &[String],
    now: Timestamp,
) -> Result<(), StoreError> {
    // In one order, so that two transactions never wait for each other.
    let ids: BTreeSet<&String> = ids.iter().collect();
    for id in ids {
        sqlx::query(
            "INSERT INTO erased_ids (erased_id, account_id, erased_at) VALUES ($1, $2, $3) \
             ON CONFLICT (erased_id) DO UPDATE SET erased_at = excluded.erased_at",
        )
        .bind(id.clone())
        .bind(account_id.to_string())
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// [Notes](note_erased) one id, and deletes the responses that name it in the same transaction, which is
/// about to be committed.
pub(crate) async fn erase(
    connection: &mut AnyConnection,
    dialect: Dialect,
    account_id: Uuid,
    id: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    note_erased(connection, account_id, &[id.to_string()], now).await?;
    if dialect == Dialect::Postgres {
        // A response that is not stored yet waits for the end of the transaction, and then finds the id
        // noted.
        sqlx::query(LOCK).execute(&mut *connection).await?;
    }
    sqlx::query(
        "DELETE FROM idempotency_keys WHERE api_key_id IN (SELECT k.key_id FROM api_keys AS k \
         WHERE k.account_id = $1 OR k.account_id = (SELECT a.parent_id FROM accounts AS a WHERE a.account_id = $1)) \
         AND mentions LIKE '%' || $2 || '%'",
    )
    .bind(account_id.to_string())
    .bind(id.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes the responses that name an id which was [noted](note_erased) since their requests began. A request
/// that is repeated afterwards runs again.
pub(crate) async fn forget(store: &Store, account_id: Uuid) -> Result<(), StoreError> {
    if store.dialect() == Dialect::Postgres {
        // A response is either stored before this, and found by the statements below, or it waits for the end
        // of this transaction and then finds the ids noted.
        let mut transaction = store.begin().await?;
        sqlx::query(LOCK).execute(&mut *transaction).await?;
        transaction.commit().await?;
    }
    macro_rules! naming {
        ($mentioned:literal) => {
            concat!(
                "SELECT r.api_key_id AS api_key_id, r.path AS path, r.idempotency_key AS idempotency_key \
                 FROM idempotency_keys AS r WHERE r.api_key_id IN (SELECT k.key_id FROM api_keys AS k \
                 WHERE k.account_id = $1 OR k.account_id = (SELECT a.parent_id FROM accounts AS a WHERE a.account_id = $1)) \
                 AND r.mentions <> '' AND EXISTS (SELECT 1 FROM ",
                $mentioned,
                " JOIN erased_ids AS e ON e.erased_id = m.value WHERE e.erased_at > r.created_at - $2)"
            )
        };
    }
    let named = sqlx::query(store.dialect().pick(
        naming!("json_each('[\"' || replace(r.mentions, ' ', '\",\"') || '\"]') AS m"),
        naming!("unnest(string_to_array(r.mentions, ' ')) AS m (value)"),
    ))
    .bind(account_id.to_string())
    .bind(ERASING.as_secs() * 1_000_000)
    .fetch_all(store.reader())
    .await?;
    for response in named {
        sqlx::query(
            "DELETE FROM idempotency_keys WHERE api_key_id = $1 AND path = $2 AND idempotency_key = $3",
        )
        .bind(response.text("api_key_id")?)
        .bind(response.text("path")?)
        .bind(response.text("idempotency_key")?)
        .execute(store.writer())
        .await?;
    }
    Ok(())
}

/// Returns the ids in a text, such as a path.
fn ids_in(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_ascii_hexdigit() && character != '-')
        .filter_map(|word| Uuid::try_parse(word).ok())
        .map(|id| id.to_string())
}

/// A statement about a key, on the condition that the claim still holds it.
fn held(sql: &'static str, claim: &Claim) -> sqlx::query::Query<'static, sqlx::Any, sqlx::any::AnyArguments> {
    sqlx::query(sql)
        .bind(claim.api_key_id.to_string())
        .bind(replace_nul(&claim.path))
        .bind(replace_nul(&claim.key))
        .bind(claim.holder.clone())
}
