//! What a dispatcher does: claiming endpoints, reading what is due, and writing the results of attempts.
//!
//! Over all accounts; a dispatcher takes no scope.

use std::collections::{BTreeMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use uuid::Uuid;

use super::deliveries::{Attempt, AttemptOutcome};
use super::{DisabledReason, Webhooks};
use crate::events::notices::{self, NoticeContent};
use crate::events::{Event, event_columns};
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;
use crate::sql::redacted::Redacted;
use crate::sql::row::{Columns, micros, stored};

/// Attempts of a delivery that are kept.
const MAX_ATTEMPTS: usize = 20;

/// An endpoint that a dispatcher has claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointLease {
    /// The endpoint.
    pub webhook_endpoint_id: Uuid,
    /// Distinguishes this claim from others of the same endpoint.
    pub lease_number: u64,
}

record! {
    /// The address and the secrets of an endpoint, as they are now, beside a delivery.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WebhookTarget, columns target_columns of "w." {
        /// The endpoint.
        pub webhook_endpoint_id: Uuid,
        /// Address.
        pub url: String,
        /// The encrypted secret.
        pub secret: Redacted<String>,
        /// The secret before it, encrypted.
        pub previous_secret: Option<Redacted<String>>,
        /// Until when events are signed with it.
        pub previous_secret_until: Option<Timestamp>,
        /// Since when every attempt has failed.
        pub failing_since: Option<Timestamp>,
    }
}

record! {
    /// The part of a delivery that a dispatcher needs.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct QueuedDelivery, columns queued_columns of "d." {
        /// The delivery.
        pub webhook_delivery_id: Uuid,
        /// Failed attempts since it was queued.
        pub failures: u32,
        /// The latest attempts.
        pub attempts: Vec<Attempt>,
    }
}

/// A delivery whose attempt is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The delivery.
    pub delivery: QueuedDelivery,
    /// Where it goes.
    pub target: WebhookTarget,
    /// What it says.
    pub event: Event,
}

impl sqlx::FromRow<'_, sqlx::any::AnyRow> for DueDelivery {
    fn from_row(row: &sqlx::any::AnyRow) -> sqlx::Result<Self> {
        Ok(Self {
            delivery: QueuedDelivery::from_row(row)?,
            target: WebhookTarget::from_row(row)?,
            event: Event::from_row(row)?,
        })
    }
}

/// What follows an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextAttempt {
    /// Nothing: the event is delivered.
    Delivered,
    /// Another attempt.
    At(Timestamp),
    /// Nothing: this was the last attempt.
    GivenUp,
}

/// The result of an attempt, to be written.
#[derive(Debug, Clone)]
pub struct Attempted {
    /// The endpoint.
    pub webhook_endpoint_id: Uuid,
    /// The delivery, with the attempts before this one.
    pub delivery: QueuedDelivery,
    /// The attempt.
    pub attempt: Attempt,
    /// What follows.
    pub next: NextAttempt,
    /// Whether the endpoint wants no more events.
    pub is_gone: bool,
}

/// What becomes of endpoints that fail.
#[derive(Debug, Clone, Copy)]
pub struct HealthPolicy {
    /// The owner is notified after this time without a success.
    pub tell_after: SignedDuration,
    /// The endpoint is disabled after this time without a success.
    pub disable_after: SignedDuration,
}

impl Webhooks<'_> {
    /// Claims up to `limit` enabled endpoints that have something due and that no other dispatcher has, of
    /// those in `only` or of all.
    pub async fn claim(
        self,
        owner: &str,
        only: Option<&[Uuid]>,
        lease: SignedDuration,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<EndpointLease>, StoreError> {
        macro_rules! claim {
            ($only:literal, $lock:literal) => {
                concat!(
                    "UPDATE webhook_endpoints SET lease_owner = $1, lease_until = $2, lease_number = lease_number + 1 \
                     WHERE webhook_endpoint_id IN (SELECT w.webhook_endpoint_id FROM webhook_endpoints AS w \
                     WHERE ",
                    $only,
                    " AND w.enabled = 1 AND (w.lease_until IS NULL OR w.lease_until <= $3) \
                     AND EXISTS (SELECT 1 FROM webhook_deliveries AS d \
                     WHERE d.webhook_endpoint_id = w.webhook_endpoint_id AND d.status = 'pending' AND d.due_at <= $3) \
                     LIMIT $4",
                    $lock,
                    ") RETURNING webhook_endpoint_id, lease_number"
                )
            };
        }
        let dialect = self.store.dialect();
        let sql = match only {
            Some(_) => dialect.pick(
                claim!("w.webhook_endpoint_id IN (SELECT value FROM json_each($5))", ""),
                claim!(
                    "w.webhook_endpoint_id IN (SELECT * FROM json_array_elements_text(CAST($5 AS json)))",
                    " FOR NO KEY UPDATE OF w SKIP LOCKED"
                ),
            ),
            None => {
                dialect.pick(claim!("$5 = ''", ""), claim!("$5 = ''", " FOR NO KEY UPDATE OF w SKIP LOCKED"))
            }
        };
        let only = only.map(|ids| json!(ids).to_string()).unwrap_or_default();
        let rows = sqlx::query(sql)
            .bind(owner.to_owned())
            .bind(now.saturating_add(lease).map_or(i64::MAX, micros))
            .bind(micros(now))
            .bind(stored(limit))
            .bind(only)
            .fetch_all(self.store.writer())
            .await?;
        let leases = rows.iter().map(|row| {
            Ok(EndpointLease {
                webhook_endpoint_id: row.parsed("webhook_endpoint_id")?,
                lease_number: row.number("lease_number")?,
            })
        });
        Ok(leases.collect::<sqlx::Result<_>>()?)
    }

    /// Returns whether an endpoint that nobody has claimed has something due. Cheaper than a claim, which
    /// writes.
    pub async fn is_any_due(self, now: Timestamp) -> Result<bool, StoreError> {
        let row = sqlx::query(
            "SELECT 1 FROM webhook_endpoints AS w WHERE w.enabled = 1 AND (w.lease_until IS NULL OR w.lease_until <= $1) \
             AND EXISTS (SELECT 1 FROM webhook_deliveries AS d WHERE d.webhook_endpoint_id = w.webhook_endpoint_id \
             AND d.status = 'pending' AND d.due_at <= $1) LIMIT 1",
        )
        .bind(micros(now))
        .fetch_optional(self.store.reader())
        .await?;
        Ok(row.is_some())
    }

    /// Renews all leases of a dispatcher, and returns those that it still has.
    pub async fn renew(
        self,
        owner: &str,
        lease: SignedDuration,
        now: Timestamp,
    ) -> Result<Vec<EndpointLease>, StoreError> {
        let rows = sqlx::query(
            "UPDATE webhook_endpoints SET lease_until = $2 WHERE lease_owner = $1 \
             RETURNING webhook_endpoint_id, lease_number",
        )
        .bind(owner.to_owned())
        .bind(now.saturating_add(lease).map_or(i64::MAX, micros))
        .fetch_all(self.store.writer())
        .await?;
        let leases = rows.iter().map(|row| {
            Ok(EndpointLease {
                webhook_endpoint_id: row.parsed("webhook_endpoint_id")?,
                lease_number: row.number("lease_number")?,
            })
        });
        Ok(leases.collect::<sqlx::Result<_>>()?)
    }

    /// Gives endpoints of a dispatcher back.
    pub async fn release(self, owner: &str, endpoints: &[Uuid]) -> Result<(), StoreError> {
        let released = sqlx::query(self.store.dialect().pick(
            "UPDATE webhook_endpoints SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1 \
             AND webhook_endpoint_id IN (SELECT value FROM json_each($2))",
            "UPDATE webhook_endpoints SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = $1 \
             AND webhook_endpoint_id IN (SELECT * FROM json_array_elements_text(CAST($2 AS json)))",
        ))
        .bind(owner.to_owned())
        .bind(json!(endpoints).to_string());
        released.execute(self.store.writer()).await?;
        Ok(())
    }

    /// Ends all leases. Only for the start of the single process that uses a SQLite file: the holders are
    /// gone.
    pub async fn end_all_leases(self) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE webhook_endpoints SET lease_owner = NULL, lease_until = NULL WHERE lease_owner IS NOT NULL",
        )
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Returns what is due to endpoints that a dispatcher has, oldest first, at most `limit` deliveries of
    /// each.
    pub async fn due(
        self,
        owner: &str,
        endpoints: &[Uuid],
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        macro_rules! due {
            ($deliveries:literal, $endpoints:literal) => {
                concat!(
                    "SELECT ",
                    queued_columns!(),
                    ", ",
                    target_columns!(),
                    ", ",
                    event_columns!(),
                    " FROM webhook_endpoints AS w ",
                    $deliveries,
                    " JOIN events AS e ON e.event_id = d.event_id \
                     WHERE w.enabled = 1 AND w.lease_owner = $1 AND w.webhook_endpoint_id IN ",
                    $endpoints,
                    " ORDER BY d.due_at, d.webhook_delivery_id"
                )
            };
        }
        // PostgreSQL would compare all deliveries with those that are due; SQLite has no `LATERAL`.
        let sql = self.store.dialect().pick(
            due!(
                "JOIN webhook_deliveries AS d ON d.webhook_delivery_id IN \
                 (SELECT x.webhook_delivery_id FROM webhook_deliveries AS x \
                 WHERE x.webhook_endpoint_id = w.webhook_endpoint_id AND x.status = 'pending' AND x.due_at <= $3 \
                 ORDER BY x.due_at, x.webhook_delivery_id LIMIT $4)",
                "(SELECT value FROM json_each($2))"
            ),
            due!(
                "CROSS JOIN LATERAL (SELECT x.* FROM webhook_deliveries AS x \
                 WHERE x.webhook_endpoint_id = w.webhook_endpoint_id AND x.status = 'pending' AND x.due_at <= $3 \
                 ORDER BY x.due_at, x.webhook_delivery_id LIMIT $4) AS d",
                "(SELECT * FROM json_array_elements_text(CAST($2 AS json)))"
            ),
        );
        let due = sqlx::query_as(sql)
            .bind(owner.to_owned())
            .bind(json!(endpoints).to_string())
            .bind(micros(now))
            .bind(stored(limit));
        Ok(due.fetch_all(self.store.reader()).await?)
    }

    /// Writes the results of attempts, in the order in which they ended, and what they mean for their
    /// endpoints. Results for endpoints that the dispatcher does not have any more are dropped: whoever has
    /// them now sends again.
    pub async fn record(
        self,
        owner: &str,
        attempted: &[Attempted],
        policy: HealthPolicy,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut results: BTreeMap<Uuid, Vec<&Attempted>> = BTreeMap::new();
        for result in attempted {
            results.entry(result.webhook_endpoint_id).or_default().push(result);
        }
        let mut transaction = self.store.begin().await?;
        let held = lock(&mut transaction, owner, results.keys()).await?;
        for (endpoint, results) in results.into_iter().filter(|(endpoint, _)| held.contains(endpoint)) {
            for result in &results {
                write(&mut transaction, result, now).await?;
            }
            judge(&mut transaction, endpoint, &results, policy, now).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// Locks the endpoints that the dispatcher still has, so that nobody else can claim or delete them until the
/// transaction ends.
async fn lock(
    transaction: &mut WriteTransaction,
    owner: &str,
    endpoints: impl Iterator<Item = &Uuid>,
) -> Result<HashSet<Uuid>, StoreError> {
    let endpoints: Vec<&Uuid> = endpoints.collect();
    let sql = transaction.dialect().pick(
        "SELECT webhook_endpoint_id FROM webhook_endpoints WHERE lease_owner = $1 \
         AND webhook_endpoint_id IN (SELECT value FROM json_each($2))",
        "SELECT webhook_endpoint_id FROM webhook_endpoints WHERE lease_owner = $1 \
         AND webhook_endpoint_id IN (SELECT * FROM json_array_elements_text(CAST($2 AS json))) \
         ORDER BY webhook_endpoint_id FOR NO KEY UPDATE",
    );
    let rows = sqlx::query(sql)
        .bind(owner.to_owned())
        .bind(json!(endpoints).to_string())
        .fetch_all(&mut **transaction)
        .await?;
    Ok(rows.iter().map(|row| row.parsed("webhook_endpoint_id")).collect::<sqlx::Result<_>>()?)
}

async fn write(
    transaction: &mut WriteTransaction,
    result: &Attempted,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut attempts = result.delivery.attempts.clone();
    attempts.push(result.attempt.clone());
    attempts.drain(..attempts.len().saturating_sub(MAX_ATTEMPTS));
    let (status, due_at, finished_at) = match result.next {
        NextAttempt::Delivered => ("succeeded", None, Some(now)),
        NextAttempt::At(due_at) => ("pending", Some(due_at), None),
        NextAttempt::GivenUp => ("failed", None, Some(now)),
    };
    let is_failure = result.next != NextAttempt::Delivered;
    sqlx::query(
        "UPDATE webhook_deliveries SET status = $2, due_at = COALESCE($3, due_at), finished_at = $4, attempts = $5, \
         failures = failures + $6 WHERE webhook_delivery_id = $1 AND status = 'pending'",
    )
    .bind(result.delivery.webhook_delivery_id.to_string())
    .bind(status)
    .bind(due_at.map(micros))
    .bind(finished_at.map(micros))
    .bind(json!(attempts).to_string())
    .bind(i64::from(is_failure))
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// Notes how well an endpoint works, tells its owner, and disables it if it does not work at all.
async fn judge(
    transaction: &mut WriteTransaction,
    endpoint: Uuid,
    results: &[&Attempted],
    policy: HealthPolicy,
    now: Timestamp,
) -> Result<(), StoreError> {
    let has_succeeded = |result: &&&Attempted| result.attempt.outcome == AttemptOutcome::Succeeded;
    let succeeded = results.iter().any(|result| has_succeeded(&result));
    let is_failing = results.last().is_some_and(|last| !has_succeeded(&last));
    let is_gone = results.iter().any(|result| result.is_gone);
    let row = sqlx::query(
        "UPDATE webhook_endpoints SET last_success_at = CASE WHEN $2 = 1 THEN $4 ELSE last_success_at END, \
         failing_since = CASE WHEN $3 = 0 THEN NULL WHEN $2 = 1 THEN $4 ELSE COALESCE(failing_since, $4) END, \
         owner_told_at = CASE WHEN $2 = 1 THEN NULL ELSE owner_told_at END \
         WHERE webhook_endpoint_id = $1 RETURNING account_id, url, enabled, failing_since, owner_told_at",
    )
    .bind(endpoint.to_string())
    .bind(i64::from(succeeded))
    .bind(i64::from(is_failing))
    .bind(micros(now))
    .fetch_one(&mut **transaction)
    .await?;
    let failing_since = row.time_opt("failing_since")?;
    let failing_for = failing_since.map(|since| since.duration_until(now)).unwrap_or_default();
    if row.int("enabled")? == 0 || failing_since.is_none() {
        return Ok(());
    }
    let account_id: Uuid = row.parsed("account_id")?;
    let url = row.text("url")?;
    if is_gone || failing_for >= policy.disable_after {
        let reason = if is_gone { DisabledReason::Gone } else { DisabledReason::Failing };
        sqlx::query(
            "UPDATE webhook_endpoints SET enabled = 0, disabled_reason = $2 WHERE webhook_endpoint_id = $1",
        )
        .bind(endpoint.to_string())
        .bind(reason.as_str())
        .execute(&mut **transaction)
        .await?;
        let content = NoticeContent::WebhookDisabled { url, is_gone };
        return notices::insert_for_owners(transaction, account_id, &content, now).await;
    }
    if failing_for >= policy.tell_after && row.time_opt("owner_told_at")?.is_none() {
        sqlx::query("UPDATE webhook_endpoints SET owner_told_at = $2 WHERE webhook_endpoint_id = $1")
            .bind(endpoint.to_string())
            .bind(micros(now))
            .execute(&mut **transaction)
            .await?;
        let content = NoticeContent::WebhookFailing { url, since: failing_since.unwrap_or(now) };
        return notices::insert_for_owners(transaction, account_id, &content, now).await;
    }
    Ok(())
}
