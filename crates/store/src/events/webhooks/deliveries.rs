//! Deliveries as accounts see them: the list, tests, sending again, and recovering what was missed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::any::AnyRow;
use uuid::Uuid;

use super::Webhooks;
use crate::events::new_event::NewEvent;
use crate::events::{self, EventData, EventType};
use crate::sql::error::StoreError;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::record::{Column, unreadable};
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};

named_values! {
    /// How far a delivery has come.
    pub enum DeliveryStatus as "status of a delivery" {
        /// An attempt is due, or planned.
        Pending = "pending",
        /// The endpoint has accepted the event.
        Succeeded = "succeeded",
        /// Given up.
        Failed = "failed",
    }
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptOutcome {
    /// A 2xx status.
    Succeeded,
    /// Another status.
    HttpError,
    /// No response in time.
    Timeout,
    /// No connection, or one that is not allowed.
    Unreachable,
    /// The encryption or the certificate was not accepted.
    TlsError,
}

/// An attempt to deliver an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// When it began.
    #[serde(with = "events::as_text")]
    pub at: Timestamp,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Its result.
    pub outcome: AttemptOutcome,
    /// The status of the response.
    pub http_status: Option<u16>,
}

impl Column for Vec<Attempt> {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let text = String::read(row, name)?;
        serde_json::from_str(&text).map_err(|error| unreadable(name, error))
    }
}

record! {
    /// One event on its way to one endpoint.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WebhookDelivery, columns delivery_columns of "d." {
        /// Identifier.
        pub webhook_delivery_id: Uuid,
        /// The endpoint.
        pub webhook_endpoint_id: Uuid,
        /// The account.
        pub account_id: Uuid,
        /// The event.
        pub event_id: Uuid,
        /// The type of the event.
        pub event_type: EventType = "(SELECT e.type FROM events AS e WHERE e.event_id = d.event_id)",
        /// How far it has come.
        pub status: DeliveryStatus,
        /// When the next attempt is due, while it is pending.
        pub due_at: Timestamp,
        /// The latest attempts, oldest first.
        pub attempts: Vec<Attempt>,
        /// When it was queued.
        pub created_at: Timestamp,
        /// When it succeeded or was given up.
        pub finished_at: Option<Timestamp>,
    }
}

impl Webhooks<'_> {
    /// Returns one page of the deliveries to an endpoint, newest first; with `status` only those with it.
    pub async fn deliveries(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
        status: Option<DeliveryStatus>,
        page: &PageRequest,
    ) -> Result<Page<WebhookDelivery>, StoreError> {
        let (key, id) = page.before_number();
        // In a list from the newest to the oldest, the first page begins before every id.
        let id = if page.after.is_some() { id } else { Uuid::max().to_string() };
        let rows = scoped_as(
            concat!(
                "SELECT ",
                delivery_columns!(),
                " FROM webhook_deliveries AS d WHERE ",
                in_scope!("d."),
                " AND d.webhook_endpoint_id = $3 AND (d.created_at, d.webhook_delivery_id) < ($4, $5) \
                 AND ($6 = '' OR d.status = $6) ORDER BY d.created_at DESC, d.webhook_delivery_id DESC LIMIT $7"
            ),
            scope,
        )
        .bind(webhook_endpoint_id.to_string())
        .bind(key)
        .bind(id)
        .bind(status.map_or("", DeliveryStatus::as_str))
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &WebhookDelivery| {
            Position::number(micros(last.created_at), last.webhook_delivery_id)
        }))
    }

    /// Returns one delivery.
    pub async fn find_delivery(
        self,
        scope: &Scope,
        webhook_delivery_id: Uuid,
    ) -> Result<Option<WebhookDelivery>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(delivery_columns of "webhook_deliveries" as "d", "webhook_delivery_id"),
            scope,
            webhook_delivery_id,
        )
        .await
    }

    /// Queues a test event for an endpoint, and for no other. Returns `None` if there is no such endpoint.
    pub async fn send_test(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<WebhookDelivery>, StoreError> {
        let Some(endpoint) = self.find(scope, webhook_endpoint_id).await? else { return Ok(None) };
        let account_id = endpoint.account_id;
        let mut transaction = self.store.begin().await?;
        let test = NewEvent::new(EventData::WebhookTest { webhook_endpoint_id });
        let event_id = test.event_id;
        events::write(&mut transaction, account_id, &[test], now).await?;
        super::queue(&mut transaction, account_id, &[(webhook_endpoint_id, event_id)], now).await?;
        let delivery = sqlx::query_as(concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries AS d WHERE d.event_id = $1 AND d.webhook_endpoint_id = $2"
        ))
        .bind(event_id.to_string())
        .bind(webhook_endpoint_id.to_string())
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(Some(delivery))
    }

    /// Returns when the test events of an endpoint since a moment were queued, oldest first.
    pub async fn tests_since(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
        since: Timestamp,
    ) -> Result<Vec<Timestamp>, StoreError> {
        let rows = scoped(
            concat!(
                "SELECT d.created_at FROM webhook_deliveries AS d JOIN events AS e ON e.event_id = d.event_id WHERE ",
                in_scope!("d."),
                " AND d.webhook_endpoint_id = $3 AND d.created_at > $4 AND e.type = 'webhook.test' ORDER BY d.created_at"
            ),
            scope,
        )
        .bind(webhook_endpoint_id.to_string())
        .bind(micros(since))
        .fetch_all(self.store.reader())
        .await?;
        Ok(rows.iter().map(|row| row.time("created_at")).collect::<sqlx::Result<_>>()?)
    }

    /// Queues a delivery again, whatever came of it, with all its attempts. Returns `None` if there is no
    /// such delivery.
    pub async fn resend(
        self,
        scope: &Scope,
        webhook_delivery_id: Uuid,
        now: Timestamp,
    ) -> Result<Option<WebhookDelivery>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let updated = scoped(
            concat!(
                "UPDATE webhook_deliveries SET status = 'pending', failures = 0, due_at = $4, finished_at = NULL WHERE ",
                in_scope!(),
                " AND webhook_delivery_id = $3"
            ),
            scope,
        )
        .bind(webhook_delivery_id.to_string())
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        if updated.rows_affected() == 0 {
            return Ok(None);
        }
        let delivery: WebhookDelivery = sqlx::query_as(concat!(
            "SELECT ",
            delivery_columns!(),
            " FROM webhook_deliveries AS d WHERE d.webhook_delivery_id = $1"
        ))
        .bind(webhook_delivery_id.to_string())
        .fetch_one(&mut *transaction)
        .await?;
        transaction.wake_dispatchers([delivery.webhook_endpoint_id]);
        transaction.commit().await?;
        Ok(Some(delivery))
    }
}
