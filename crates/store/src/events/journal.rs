//! The journal of events: what has happened in an account, in its order, and queued for the webhook endpoints
//! that want to know.
//!
//! An event is written in the transaction of the change that it reports, and its deliveries with it, so
//! neither exists without the other.

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use uuid::Uuid;

use crate::events::data::{EventData, EventType};
use crate::events::new_event::NewEvent;
use crate::events::{notices, webhooks};
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;
use crate::sql::pages::{Page, Position};
use crate::sql::row::{Columns, micros, stored};
use crate::sql::scope::Scope;

record! {
    /// An event.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Event, columns event_columns of "e." {
        /// Identifier.
        pub event_id: Uuid,
        /// The account in which it occurred.
        pub account_id: Uuid,
        /// Its number in the account.
        pub sequence: u64,
        /// What has happened.
        pub data: EventData,
        /// When it occurred.
        pub created_at: Timestamp,
    }
}
#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use event_columns;

/// Writes events of an account in the transaction of the change that they report, queues them for the webhook
/// endpoints that receive them, and for the people who get an e-mail about them.
///
/// To be called last: it locks a row that all events of the account need, until the transaction ends.
pub(crate) async fn insert(
    transaction: &mut WriteTransaction,
    account_id: Uuid,
    events: impl IntoIterator<Item = EventData>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let events: Vec<NewEvent> = events.into_iter().map(NewEvent::new).collect();
    let has_endpoints = write(transaction, account_id, &events, now).await?;
    if has_endpoints {
        webhooks::queue_for_subscribers(transaction, account_id, &events, now).await?;
    }
    for event in events.iter().filter(|event| matches!(event.data, EventData::HandoffRequested { .. })) {
        notices::insert_for_handoff(transaction, account_id, event.event_id, now).await?;
    }
    Ok(())
}

/// Writes events to the journal only. Returns whether the account has webhook endpoints that are enabled.
pub(crate) async fn write(
    transaction: &mut WriteTransaction,
    account_id: Uuid,
    events: &[NewEvent],
    now: Timestamp,
) -> Result<bool, StoreError> {
    // The account's last number, raised by the number of events. Both statements bind the list of events, the
    // account, the time and the number of events.
    macro_rules! raise_sequence {
        () => {
            "INSERT INTO event_sequences (account_id, last_sequence) VALUES ($2, $4) \
             ON CONFLICT (account_id) DO UPDATE SET last_sequence = event_sequences.last_sequence + excluded.last_sequence \
             RETURNING last_sequence, (SELECT COUNT(*) FROM webhook_endpoints AS w \
             WHERE w.account_id = event_sequences.account_id AND w.enabled = 1) AS endpoints"
        };
    }
    macro_rules! insert {
        ($place:literal, $source:literal) => {
            concat!(
                "INSERT INTO events (event_id, account_id, sequence, type, data, source_chatbot_id, conversation_id, \
                 contact_id, about_id, created_at) SELECT q.value ->> 'event_id', $2, raised.last_sequence - $4 + ",
                $place,
                ", q.value ->> 'type', q.value ->> 'data', q.value ->> 'chatbot_id', q.value ->> 'conversation_id', \
                 q.value ->> 'contact_id', q.value ->> 'about_id', $3 FROM ",
                $source
            )
        };
    }
    let mut rows = Vec::with_capacity(events.len());
    for NewEvent { event_id, data } in events {
        let text =
            serde_json::to_string(data).map_err(|error| StoreError::invalid("data", error.to_string()))?;
        rows.push(json!({
            "event_id": event_id,
            "type": data.event_type().as_str(),
            "data": text,
            "chatbot_id": data.chatbot_id(),
            "conversation_id": data.conversation_id(),
            "contact_id": data.contact_id(),
            "about_id": data.about_id(),
        }));
    }
    // One exchange with the database, because most writes report an event.
    let sql = transaction.dialect().pick(
        concat!(
            raise_sequence!(),
            "; ",
            insert!(
                "q.key + 1",
                "event_sequences AS raised CROSS JOIN json_each($1) AS q WHERE raised.account_id = $2"
            )
        ),
        concat!(
            "WITH raised AS (",
            raise_sequence!(),
            "), written AS (",
            insert!(
                "q.place",
                "raised CROSS JOIN json_array_elements(CAST($1 AS json)) WITH ORDINALITY AS q (value, place)"
            ),
            ") SELECT endpoints FROM raised"
        ),
    );
    let raised = sqlx::query(sql)
        .bind(json!(rows).to_string())
        .bind(account_id.to_string())
        .bind(micros(now))
        .bind(stored(events.len() as u64))
        // All rows, because the driver of SQLite would stop after the one of the first statement.
        .fetch_all(&mut **transaction)
        .await?;
    let raised = raised.first().ok_or(sqlx::Error::RowNotFound)?;
    transaction.announce_changes(account_id, events.iter().flat_map(|event| event.data.topics()).copied());
    Ok(raised.number::<u64>("endpoints")? > 0)
}

group! {
    /// The journal of events.
    pub Events, events
}

impl Events<'_> {
    /// One page of the events of the scope's own account, oldest first: those after the event `after`, or
    /// all. Returns `None` if the account has no such event, or not any more. With `types`, only events of
    /// these types.
    ///
    /// Sub-accounts have journals of their own: only the events of one account have an order.
    pub async fn page(
        self,
        scope: &Scope,
        after: Option<Uuid>,
        types: &[EventType],
        limit: u32,
    ) -> Result<Option<Page<Event>>, StoreError> {
        let sequence = match after {
            Some(event_id) => match self.find(scope, event_id).await? {
                Some(event) => event.sequence,
                None => return Ok(None),
            },
            None => 0,
        };
        let types: Vec<&str> = types.iter().map(|event_type| event_type.as_str()).collect();
        let rows = sqlx::query_as(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events AS e WHERE e.account_id = $1 AND e.sequence > $2 \
             AND ($3 = '' OR ' ' || $3 || ' ' LIKE '% ' || e.type || ' %') ORDER BY e.sequence LIMIT $4"
        ))
        .bind(scope.account_id.to_string())
        .bind(stored(sequence))
        .bind(types.join(" "))
        .bind(i64::from(limit) + 1)
        .fetch_all(self.store.reader())
        .await?;
        let request = crate::sql::pages::PageRequest::first(limit);
        Ok(Some(Page::of(rows, &request, |last: &Event| {
            Position::number(stored(last.sequence), last.event_id)
        })))
    }

    /// Returns one event of the scope's own account.
    pub async fn find(self, scope: &Scope, event_id: Uuid) -> Result<Option<Event>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            event_columns!(),
            " FROM events AS e WHERE e.account_id = $1 AND e.event_id = $2"
        ))
        .bind(scope.account_id.to_string())
        .bind(event_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Deletes up to `limit` events that occurred before a moment, with their deliveries, and returns how
    /// many it deleted. For housekeeping, over all accounts; the limit keeps the write short.
    pub async fn prune(self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM events WHERE event_id IN \
             (SELECT event_id FROM events WHERE created_at < $1 ORDER BY created_at LIMIT $2)",
        )
        .bind(micros(before))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }

    /// How long events are kept.
    pub const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);
}
