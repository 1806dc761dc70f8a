//! Webhook endpoints: where events are sent, which ones, and how well that goes.

use jiff::Timestamp;
use uuid::Uuid;

use super::Webhooks;
use crate::events::EventType;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::redacted::Redacted;
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};

/// The most deliveries that one statement deletes.
const DELETED_AT_ONCE: i64 = 1_000;

named_values! {
    /// Why an endpoint was disabled by the service.
    pub enum DisabledReason as "reason of a disabled endpoint" {
        /// Nothing was delivered for days.
        Failing = "failing",
        /// The endpoint said that it is gone.
        Gone = "gone",
    }
}

record! {
    /// A webhook endpoint.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct WebhookEndpoint, columns endpoint_columns {
        /// Identifier.
        pub webhook_endpoint_id: Uuid,
        /// The account whose events it receives.
        pub account_id: Uuid,
        /// Address.
        pub url: String,
        /// What it is for.
        pub description: Option<String>,
        /// The names of the types of events that it receives.
        pub events: Vec<String>,
        /// The chatbots whose events it receives; empty for all events of the account. Deleted chatbots stay
        /// in the list.
        pub chatbot_ids: Vec<Uuid>,
        /// Whether events are sent to it.
        pub enabled: bool,
        /// Why the service has disabled it.
        pub disabled_reason: Option<DisabledReason>,
        /// The secret of the signatures, encrypted.
        pub secret: Redacted<String>,
        /// The secret before it, encrypted.
        pub previous_secret: Option<Redacted<String>>,
        /// Until when events are signed with the previous secret too.
        pub previous_secret_until: Option<Timestamp>,
        /// Since when every attempt has failed.
        pub failing_since: Option<Timestamp>,
        /// When an attempt last succeeded.
        pub last_success_at: Option<Timestamp>,
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed by its account.
        pub updated_at: Timestamp,
    }
}

/// A webhook endpoint to be created.
#[derive(Debug, Clone)]
pub struct NewWebhookEndpoint {
    /// Identifier; its secret is encrypted for it.
    pub webhook_endpoint_id: Uuid,
    /// Address.
    pub url: String,
    /// What it is for.
    pub description: Option<String>,
    /// The types of events that it receives.
    pub events: Vec<EventType>,
    /// The chatbots whose events it receives; empty for all events of the account.
    pub chatbot_ids: Vec<Uuid>,
    /// Whether events are sent to it.
    pub enabled: bool,
    /// The encrypted secret.
    pub secret: Redacted<String>,
}

/// A change of a webhook endpoint. What is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct WebhookEndpointUpdate {
    /// Address.
    pub url: Option<String>,
    /// What it is for.
    pub description: Option<Option<String>>,
    /// The types of events that it receives.
    pub events: Option<Vec<EventType>>,
    /// The chatbots whose events it receives; empty for all events of the account.
    pub chatbot_ids: Option<Vec<Uuid>>,
    /// Whether events are sent to it.
    pub enabled: Option<bool>,
}

/// Why a webhook endpoint cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebhookEndpointError {
    /// The account has as many endpoints as it may have.
    #[error("the account has {0} webhook endpoints already")]
    LimitReached(u64),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for WebhookEndpointError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

fn names(events: &[EventType]) -> String {
    events.iter().map(|event_type| event_type.as_str()).collect::<Vec<_>>().join(" ")
}

fn ids(ids: &[Uuid]) -> String {
    ids.iter().map(Uuid::to_string).collect::<Vec<_>>().join(" ")
}

impl Webhooks<'_> {
    /// Creates an endpoint in the caller's own account, unless it has `limit` endpoints.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewWebhookEndpoint,
        limit: u64,
        now: Timestamp,
    ) -> Result<WebhookEndpoint, WebhookEndpointError> {
        let mut transaction = self.store.begin().await?;
        let account_id = scope.account_id.to_string();
        // Serialized per account: two calls must not both create the last endpoint.
        sqlx::query(self.store.dialect().pick(
            "SELECT 1 FROM accounts WHERE account_id = $1",
            "SELECT 1 FROM accounts WHERE account_id = $1 FOR NO KEY UPDATE",
        ))
        .bind(&account_id)
        .fetch_optional(&mut *transaction)
        .await?;
        let existing: u64 =
            sqlx::query("SELECT COUNT(*) AS endpoints FROM webhook_endpoints WHERE account_id = $1")
                .bind(&account_id)
                .fetch_one(&mut *transaction)
                .await?
                .number("endpoints")?;
        if existing >= limit {
            return Err(WebhookEndpointError::LimitReached(limit));
        }
        let created = sqlx::query_as(concat!(
            "INSERT INTO webhook_endpoints (webhook_endpoint_id, account_id, url, description, events, chatbot_ids, \
             enabled, secret, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING ",
            endpoint_columns!()
        ))
        .bind(new.webhook_endpoint_id.to_string())
        .bind(account_id)
        .bind(replace_nul(&new.url))
        .bind(new.description.as_deref().map(replace_nul))
        .bind(names(&new.events))
        .bind(ids(&new.chatbot_ids))
        .bind(i64::from(new.enabled))
        .bind(new.secret.expose().clone())
        .bind(micros(now))
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(created)
    }

    /// Returns one page of the endpoints, oldest first.
    pub async fn page(self, scope: &Scope, page: &PageRequest) -> Result<Page<WebhookEndpoint>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                endpoint_columns!(),
                " FROM webhook_endpoints WHERE ",
                in_scope!(),
                " AND (created_at, webhook_endpoint_id) > ($3, $4) ORDER BY created_at, webhook_endpoint_id LIMIT $5"
            ),
            scope,
        )
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &WebhookEndpoint| {
            Position::number(micros(last.created_at), last.webhook_endpoint_id)
        }))
    }

    /// Returns one endpoint.
    pub async fn find(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
    ) -> Result<Option<WebhookEndpoint>, StoreError> {
        find_by_id(
            self.store,
            row_by_id!(endpoint_columns of "webhook_endpoints", "webhook_endpoint_id"),
            scope,
            webhook_endpoint_id,
        )
        .await
    }

    /// Changes an endpoint. Enabling it forgets why it was disabled, and sends what waits. Returns `None` if
    /// there is no such endpoint.
    pub async fn update(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
        update: &WebhookEndpointUpdate,
        now: Timestamp,
    ) -> Result<Option<WebhookEndpoint>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let updated: Option<WebhookEndpoint> = scoped_as(
            concat!(
                "UPDATE webhook_endpoints SET url = COALESCE($4, url), \
                 description = CASE WHEN $5 = 1 THEN $6 ELSE description END, events = COALESCE($7, events), \
                 chatbot_ids = COALESCE($8, chatbot_ids), enabled = COALESCE($9, enabled), \
                 disabled_reason = CASE WHEN $9 IS NULL THEN disabled_reason END, \
                 failing_since = CASE WHEN $9 = 1 AND enabled = 0 THEN NULL ELSE failing_since END, \
                 owner_told_at = CASE WHEN $9 = 1 AND enabled = 0 THEN NULL ELSE owner_told_at END, \
                 updated_at = $10 WHERE ",
                in_scope!(),
                " AND webhook_endpoint_id = $3 RETURNING ",
                endpoint_columns!()
            ),
            scope,
        )
        .bind(webhook_endpoint_id.to_string())
        .bind(update.url.as_deref().map(replace_nul))
        .bind(i64::from(update.description.is_some()))
        .bind(update.description.clone().flatten().map(|text| replace_nul(&text)))
        .bind(update.events.as_deref().map(names))
        .bind(update.chatbot_ids.as_deref().map(ids))
        .bind(update.enabled.map(i64::from))
        .bind(micros(now))
        .fetch_optional(&mut *transaction)
        .await?;
        if updated.as_ref().is_some_and(|endpoint| endpoint.enabled) {
            transaction.wake_dispatchers([webhook_endpoint_id]);
        }
        transaction.commit().await?;
        Ok(updated)
    }

    /// Gives an endpoint another secret; the present one is used too until a moment. Returns `None` if there
    /// is no such endpoint.
    pub async fn rotate_secret(
        self,
        scope: &Scope,
        webhook_endpoint_id: Uuid,
        secret: &Redacted<String>,
        previous_until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<WebhookEndpoint>, StoreError> {
        let rotated = scoped_as(
            concat!(
                "UPDATE webhook_endpoints SET previous_secret = secret, previous_secret_until = $5, secret = $4, \
                 updated_at = $6 WHERE ",
                in_scope!(),
                " AND webhook_endpoint_id = $3 RETURNING ",
                endpoint_columns!()
            ),
            scope,
        )
        .bind(webhook_endpoint_id.to_string())
        .bind(secret.expose().clone())
        .bind(micros(previous_until))
        .bind(micros(now));
        Ok(rotated.fetch_optional(self.store.writer()).await?)
    }

    /// Deletes an endpoint with its deliveries. Returns `false` if there is no such endpoint.
    ///
    /// It is disabled first. Its deliveries, of which there may be any number, go in short transactions; if
    /// this is interrupted, calling it again continues.
    pub async fn delete(self, scope: &Scope, webhook_endpoint_id: Uuid) -> Result<bool, StoreError> {
        let disabled = scoped(
            concat!(
                "UPDATE webhook_endpoints SET enabled = 0 WHERE ",
                in_scope!(),
                " AND webhook_endpoint_id = $3"
            ),
            scope,
        )
        .bind(webhook_endpoint_id.to_string());
        if disabled.execute(self.store.writer()).await?.rows_affected() == 0 {
            return Ok(false);
        }
        loop {
            let some = sqlx::query(
                "DELETE FROM webhook_deliveries WHERE webhook_delivery_id IN (SELECT webhook_delivery_id \
                 FROM webhook_deliveries WHERE webhook_endpoint_id = $1 ORDER BY created_at LIMIT $2)",
            )
            .bind(webhook_endpoint_id.to_string())
            .bind(DELETED_AT_ONCE);
            if some.execute(self.store.writer()).await?.rows_affected() < DELETED_AT_ONCE.unsigned_abs() {
                break;
            }
        }
        let deleted = scoped(
            concat!("DELETE FROM webhook_endpoints WHERE ", in_scope!(), " AND webhook_endpoint_id = $3"),
            scope,
        )
        .bind(webhook_endpoint_id.to_string());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Returns all endpoints of all accounts, to encrypt their secrets again.
    pub async fn list_of_all_accounts(self) -> Result<Vec<WebhookEndpoint>, StoreError> {
        let all = sqlx::query_as(concat!(
            "SELECT ",
            endpoint_columns!(),
            " FROM webhook_endpoints ORDER BY webhook_endpoint_id"
        ));
        Ok(all.fetch_all(self.store.reader()).await?)
    }
}
