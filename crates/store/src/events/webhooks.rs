//! Webhook endpoints, and the deliveries of events to them.
//!
//! A delivery is written in the transaction of its event. Who sends it is decided by a lease of its endpoint:
//! a dispatcher claims an endpoint and then is the only one that sends to it, so that a limit of concurrent
//! requests holds among all processes, and a backlog of one endpoint is never in the way of another. What a
//! dispatcher writes about an attempt counts only while it has the lease; after the death of a dispatcher the
//! lease ends, and another one sends everything again whose result was not written.

mod deliveries;
mod dispatch;
mod endpoints;
mod recovery;

use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use crate::events::new_event::NewEvent;
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::signals::QueuedEvents;

pub use deliveries::{Attempt, AttemptOutcome, DeliveryStatus, WebhookDelivery};
pub use dispatch::{
    Attempted, DueDelivery, EndpointLease, HealthPolicy, NextAttempt, QueuedDelivery, WebhookTarget,
};
pub use endpoints::{
    DisabledReason, NewWebhookEndpoint, WebhookEndpoint, WebhookEndpointError, WebhookEndpointUpdate,
};
pub use recovery::{MissedEvents, RecoveredPart};

group! {
    /// Webhook endpoints, and the deliveries of events to them.
    pub Webhooks, webhooks
}

impl Webhooks<'_> {
    /// Returns the signals of events that are queued from now on, by any process.
    pub fn queued_events(self) -> QueuedEvents {
        self.store.signals().queued_events()
    }
}

/// The most deliveries that one statement queues.
const QUEUED_AT_ONCE: usize = 500;

/// Whether an endpoint, as the row `w`, receives an event with the type in `$2` and the chatbot in `$3`. An
/// event that belongs to no chatbot is not for endpoints that are confined to some.
macro_rules! receives {
    ($event_type:literal, $chatbot:literal) => {
        concat!(
            "' ' || w.events || ' ' LIKE '% ' || ",
            $event_type,
            " || ' %' AND (w.chatbot_ids = '' OR (",
            $chatbot,
            " <> '' AND ' ' || w.chatbot_ids || ' ' LIKE '% ' || ",
            $chatbot,
            " || ' %'))"
        )
    };
}
use receives;

/// Queues events of an account for its enabled endpoints that receive them.
pub(crate) async fn queue_for_subscribers(
    transaction: &mut WriteTransaction,
    account_id: Uuid,
    events: &[NewEvent],
    now: Timestamp,
) -> Result<(), StoreError> {
    macro_rules! select {
        ($source:literal) => {
            concat!(
                "SELECT w.webhook_endpoint_id AS webhook_endpoint_id, q.value ->> 'event_id' AS event_id \
                 FROM webhook_endpoints AS w CROSS JOIN ",
                $source,
                " WHERE w.account_id = $1 AND w.enabled = 1 AND ",
                receives!("(q.value ->> 'type')", "(q.value ->> 'chatbot_id')")
            )
        };
    }
    let events: Vec<_> = events
        .iter()
        .map(|NewEvent { event_id, data }| {
            let chatbot_id = data.chatbot_id().map(|id| id.to_string()).unwrap_or_default();
            json!({ "event_id": event_id, "type": data.event_type().as_str(), "chatbot_id": chatbot_id })
        })
        .collect();
    let sql = transaction
        .dialect()
        .pick(select!("json_each($2) AS q"), select!("json_array_elements(CAST($2 AS json)) AS q (value)"));
    let rows = sqlx::query(sql)
        .bind(account_id.to_string())
        .bind(json!(events).to_string())
        .fetch_all(&mut **transaction)
        .await?;
    let deliveries = rows.iter().map(|row| Ok((row.parsed("webhook_endpoint_id")?, row.parsed("event_id")?)));
    queue(transaction, account_id, &deliveries.collect::<sqlx::Result<Vec<_>>>()?, now).await
}

/// Queues events for endpoints, given as pairs of endpoint and event, and wakes the dispatchers when the
/// transaction is committed.
pub(crate) async fn queue(
    transaction: &mut WriteTransaction,
    account_id: Uuid,
    deliveries: &[(Uuid, Uuid)],
    now: Timestamp,
) -> Result<(), StoreError> {
    queue_all(transaction, account_id, deliveries, now).await?;
    transaction.wake_dispatchers(deliveries.iter().map(|(endpoint, _)| *endpoint));
    Ok(())
}

/// Queues events for endpoints, given as pairs of endpoint and event.
async fn queue_all(
    transaction: &mut WriteTransaction,
    account_id: Uuid,
    deliveries: &[(Uuid, Uuid)],
    now: Timestamp,
) -> Result<(), StoreError> {
    macro_rules! insert {
        ($source:literal) => {
            concat!(
                "INSERT INTO webhook_deliveries (webhook_delivery_id, webhook_endpoint_id, account_id, event_id, \
                 status, failures, due_at, attempts, created_at) \
                 SELECT q.value ->> 'id', q.value ->> 'endpoint', $2, q.value ->> 'event', 'pending', 0, $3, '[]', $3 ",
                $source,
                " ON CONFLICT (webhook_endpoint_id, event_id) DO NOTHING"
            )
        };
    }
    // `WHERE true` tells SQLite that `ON` does not belong to a join.
    let sql = transaction.dialect().pick(
        insert!("FROM json_each($1) AS q WHERE true"),
        insert!("FROM json_array_elements(CAST($1 AS json)) AS q (value)"),
    );
    for some in deliveries.chunks(QUEUED_AT_ONCE) {
        let rows: Vec<_> = some
            .iter()
            .map(|(endpoint, event)| json!({ "id": new_id(), "endpoint": endpoint, "event": event }))
            .collect();
        sqlx::query(sql)
            .bind(json!(rows).to_string())
            .bind(account_id.to_string())
            .bind(micros(now))
            .execute(&mut **transaction)
            .await?;
    }
    Ok(())
}
