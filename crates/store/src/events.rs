//! The journal of events: what has happened in an account, in its order, and queued for the webhook endpoints that want to know.
//!
//! An event is written in the transaction of the change that it reports, and its deliveries with it, so neither exists without the other.

pub(crate) mod as_text;
mod data;
pub(crate) mod new_event;
mod snapshots;

use std::iter;

use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use uuid::Uuid;

use self::new_event::NewEvent;
use crate::contacts::record::contact_columns;
use crate::conversations::modes::NewEscalation;
use crate::conversations::record::{Conversation, message_columns};
use crate::database::WriteTransaction;
use crate::row::{Columns, micros, stored};
use crate::{Contact, Deal, DealOutcome, Message, Page, Position, Scope, StoreError, notices, webhooks};

pub use data::{EventData, EventType};
pub use snapshots::{
    EventChatbot, EventContact, EventConversation, EventDeal, EventFailure, EventMessage, EventThread,
    EventWebsite,
};

/// Messages that a request for a person shows.
const LAST_MESSAGES: i64 = 5;

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

/// Writes events of an account in the transaction of the change that they report, queues them for the webhook endpoints that receive them,
/// and for the people who get an e-mail about them.
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
    // The account's last number, raised by the number of events. Both statements bind the list of events, the account, the time and the
    // number of events.
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
    Ok(raised.number::<u64>("endpoints")? > 0)
}

/// Reports that a contact has an e-mail address or a phone number for the first time.
pub(crate) async fn lead_created(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    chatbot_id: Option<Uuid>,
    conversation_id: Option<Uuid>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::LeadCreated { contact: contact.into(), chatbot_id, conversation_id };
    insert(transaction, contact.account_id, [data], now).await
}

/// Reports a message of a visitor, and the conversation if it begins with it.
pub(crate) async fn visitor_said(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    message: &Message,
    is_new: bool,
    now: Timestamp,
) -> Result<(), StoreError> {
    let created = is_new.then(|| EventData::ConversationCreated {
        conversation: conversation.into(),
        first_message: message.into(),
    });
    let said = EventData::MessageCreated { conversation: conversation.into(), message: message.into() };
    insert(transaction, conversation.account_id, created.into_iter().chain([said]), now).await
}

/// Reports a message.
pub(crate) async fn message_created(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    message: &Message,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::MessageCreated { conversation: conversation.into(), message: message.into() };
    insert(transaction, conversation.account_id, [data], now).await
}

/// Reports that a person answers in a conversation from now on.
pub(crate) async fn handoff_accepted(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    team_member_id: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::HandoffAccepted { conversation: conversation.into(), team_member_id };
    insert(transaction, conversation.account_id, [data], now).await
}

/// Reports that a conversation has ended.
pub(crate) async fn conversation_closed(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ConversationClosed { conversation: conversation.into() };
    insert(transaction, conversation.account_id, [data], now).await
}

/// Reports that a conversation waits for a person.
pub(crate) async fn handoff_requested(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    escalation: &NewEscalation,
    now: Timestamp,
) -> Result<(), StoreError> {
    let mut last_messages: Vec<Message> = sqlx::query_as(concat!(
        "SELECT ",
        message_columns!(),
        " FROM messages WHERE conversation_id = $1 ORDER BY position DESC LIMIT $2"
    ))
    .bind(conversation.conversation_id.to_string())
    .bind(LAST_MESSAGES)
    .fetch_all(&mut **transaction)
    .await?;
    last_messages.reverse();
    let contact: Option<Contact> = sqlx::query_as(concat!(
        "SELECT ",
        contact_columns!(),
        " FROM contacts WHERE contact_id = $1 AND account_id = $2"
    ))
    .bind(conversation.contact_id.map(|id| id.to_string()))
    .bind(conversation.account_id.to_string())
    .fetch_optional(&mut **transaction)
    .await?;
    let data = EventData::HandoffRequested {
        conversation: conversation.into(),
        reason: escalation.reason.as_str().to_owned(),
        note: escalation.note.clone(),
        last_messages: last_messages.iter().map(EventMessage::from).collect(),
        contact: contact.as_ref().map(EventContact::from),
    };
    insert(transaction, conversation.account_id, [data], now).await
}

/// Reports that a contact was changed.
pub(crate) async fn contact_updated(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ContactUpdated { contact: contact.into() };
    insert(transaction, contact.account_id, [data], now).await
}

/// Reports that a contact became a paying customer.
pub(crate) async fn contact_became_customer(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    became_customer_at: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ContactBecameCustomer { contact: contact.into(), became_customer_at };
    insert(transaction, contact.account_id, [data], now).await
}

/// Reports a new deal, and its outcome if it has one from the start.
pub(crate) async fn deal_created(
    transaction: &mut WriteTransaction,
    deal: &Deal,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::DealCreated { deal: deal.into() };
    insert(transaction, deal.account_id, iter::once(data).chain(closed(deal)), now).await
}

/// Reports that a deal is in another column or has another outcome.
pub(crate) async fn deal_changed(
    transaction: &mut WriteTransaction,
    before: &Deal,
    after: &Deal,
    now: Timestamp,
) -> Result<(), StoreError> {
    let has_new_outcome = before.outcome != after.outcome;
    let mut events = Vec::new();
    if before.deal_status_id != after.deal_status_id || has_new_outcome && after.outcome == DealOutcome::Open
    {
        events.push(EventData::DealStatusChanged {
            deal: after.into(),
            from_deal_status_id: before.deal_status_id,
            from_status_name: before.status_name.clone(),
        });
    }
    if has_new_outcome {
        events.extend(closed(after));
    }
    if events.is_empty() { Ok(()) } else { insert(transaction, after.account_id, events, now).await }
}

fn closed(deal: &Deal) -> Option<EventData> {
    match deal.outcome {
        DealOutcome::Open => None,
        DealOutcome::Won => Some(EventData::DealWon { deal: deal.into() }),
        DealOutcome::Lost => Some(EventData::DealLost { deal: deal.into() }),
    }
}

group! {
    /// The journal of events.
    pub Events, events
}

impl Events<'_> {
    /// One page of the events of the scope's own account, oldest first: those after the event `after`, or all. Returns `None` if the account
    /// has no such event, or not any more. With `types`, only events of these types.
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
        let request = crate::PageRequest::first(limit);
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

    /// Deletes up to `limit` events that occurred before a moment, with their deliveries, and returns how many it deleted. For
    /// housekeeping, over all accounts; the limit keeps the write short.
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
