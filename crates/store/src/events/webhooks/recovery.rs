//! Sending the events of a period again that an endpoint should have received and did not.
//!
//! A period may have any number of events, so they are queued in parts, each in a short transaction of its
//! own.

use jiff::Timestamp;
use uuid::Uuid;

use super::{Webhooks, queue_all, receives};
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, id_list, micros};
use crate::sql::scope::{Scope, in_scope, scoped};

/// The events that are sent again.
#[derive(Debug, Clone, Copy)]
pub struct MissedEvents {
    /// Events from this moment on.
    pub since: Timestamp,
    /// Events before this moment.
    pub until: Timestamp,
    /// Deliveries that were given up until this moment, which is that of the request. One that fails again
    /// later is not sent for ever.
    pub given_up_until: Timestamp,
}

/// A part of the events that were missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveredPart {
    /// How many were queued.
    pub queued: u64,
    /// The number of the last event that was looked at, after which the next part begins; `None` if there is
    /// no next part.
    pub last: Option<i64>,
}

/// The events `e` that an endpoint has missed: `$1` is the account, `$2` the endpoint, `$3` and `$4` the
/// period, `$5` the time before which deliveries were given up.
macro_rules! missed {
    () => {
        concat!(
            " FROM events AS e JOIN webhook_endpoints AS w ON w.webhook_endpoint_id = $2 \
             LEFT JOIN webhook_deliveries AS d ON d.webhook_endpoint_id = $2 AND d.event_id = e.event_id \
             WHERE e.account_id = $1 AND +e.created_at >= $3 AND +e.created_at < $4 \
             AND ((d.status = 'failed' AND d.finished_at <= $5) OR (d.webhook_delivery_id IS NULL AND ",
            receives!("e.type", "COALESCE(e.source_chatbot_id, '')"),
            "))"
        )
    };
}

impl Webhooks<'_> {
    /// Returns the number of events that an endpoint has missed, or `None` if there is no such endpoint.
    pub async fn count_missed(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
        missed: &MissedEvents,
    ) -> Result<Option<u64>, StoreError> {
        let Some(endpoint) = self.find(scope, webhook_endpoint_id).await? else { return Ok(None) };
        let row = sqlx::query(concat!("SELECT COUNT(*) AS events", missed!()))
            .bind(endpoint.account_id.to_string())
            .bind(webhook_endpoint_id.to_string())
            .bind(micros(missed.since))
            .bind(micros(missed.until))
            .bind(micros(missed.given_up_until))
            .fetch_one(self.store.reader())
            .await?;
        Ok(Some(row.number("events")?))
    }

    /// Queues up to `limit` of the events that an endpoint has missed, those with the lowest numbers after
    /// `after`. Returns `None` if there is no such endpoint. Parts that were queued before are not queued
    /// again.
    pub async fn recover_part(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
        missed: &MissedEvents,
        after: i64,
        limit: u32,
        now: Timestamp,
    ) -> Result<Option<RecoveredPart>, StoreError> {
        let Some(endpoint) = self.find(scope, webhook_endpoint_id).await? else { return Ok(None) };
        // Read before the transaction, because looking for the events may take longer than writing.
        let rows = sqlx::query(concat!(
            "SELECT e.event_id, e.sequence, COALESCE(d.status, '') AS status",
            missed!(),
            " AND e.sequence > $6 ORDER BY e.sequence LIMIT $7"
        ))
        .bind(endpoint.account_id.to_string())
        .bind(webhook_endpoint_id.to_string())
        .bind(micros(missed.since))
        .bind(micros(missed.until))
        .bind(micros(missed.given_up_until))
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(self.store.reader())
        .await?;
        let Some(last) = rows.last() else { return Ok(Some(RecoveredPart { queued: 0, last: None })) };
        let last = last.int("sequence")?;
        let (mut given_up, mut never_queued) = (Vec::new(), Vec::new());
        for row in &rows {
            let event_id: Uuid = row.parsed("event_id")?;
            if row.text("status")?.is_empty() {
                never_queued.push((webhook_endpoint_id, event_id));
            } else {
                given_up.push(event_id);
            }
        }
        let is_queued = self.queue_part(scope, &endpoint, &given_up, &never_queued, now).await?;
        let is_last = rows.len() < limit as usize;
        let part = RecoveredPart { queued: rows.len() as u64, last: (!is_last).then_some(last) };
        Ok(is_queued.then_some(part))
    }

    /// Returns whether the endpoint is still there.
    async fn queue_part(
        self,
        scope: &Scope,
        endpoint: &super::WebhookEndpoint,
        given_up: &[Uuid],
        never_queued: &[(Uuid, Uuid)],
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        macro_rules! endpoint {
            ($lock:literal) => {
                concat!(
                    "SELECT 1 FROM webhook_endpoints WHERE ",
                    in_scope!(),
                    " AND webhook_endpoint_id = $3",
                    $lock
                )
            };
        }
        macro_rules! queue_again {
            ($events:literal) => {
                concat!(
                    "UPDATE webhook_deliveries SET status = 'pending', failures = 0, due_at = $2, finished_at = NULL \
                     WHERE webhook_endpoint_id = $1 AND status = 'failed' AND event_id IN ",
                    $events
                )
            };
        }
        let id = endpoint.webhook_endpoint_id;
        let mut transaction = self.store.begin().await?;
        // A dispatcher locks an endpoint before its deliveries too.
        let sql = transaction.dialect().pick(endpoint!(""), endpoint!(" FOR NO KEY UPDATE"));
        let found = scoped(sql, scope).bind(id.to_string()).fetch_optional(&mut *transaction).await?;
        if found.is_none() {
            return Ok(false);
        }
        let sql = transaction.dialect().pick(
            queue_again!("(SELECT value FROM json_each($3))"),
            queue_again!("(SELECT * FROM json_array_elements_text(CAST($3 AS json)))"),
        );
        sqlx::query(sql)
            .bind(id.to_string())
            .bind(micros(now))
            .bind(id_list(given_up))
            .execute(&mut *transaction)
            .await?;
        queue_all(&mut transaction, endpoint.account_id, never_queued, now).await?;
        transaction.wake_dispatchers([id]);
        transaction.commit().await?;
        Ok(true)
    }
}
