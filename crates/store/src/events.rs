//! The journal of events: what has happened in an account, in its order, and queued for the webhook endpoints that want to know.
//!
//! An event is written in the transaction of the change that it reports, and its deliveries with it, so neither exists without the other.

mod data;

use jiff::{SignedDuration, Timestamp};
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::conversations::{Conversation, NewEscalation};
use crate::database::WriteTransaction;
use crate::row::{Columns, micros, new_id, stored};
use crate::{Contact, Deal, DealOutcome, Message, Page, Position, Scope, StoreError, notices, webhooks};

pub(crate) use data::as_text;
pub use data::{
    EventChatbot, EventContact, EventConversation, EventData, EventDeal, EventFailure, EventMessage,
    EventThread, EventType, EventWebsite,
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

/// An event to be written.
#[derive(Debug, Clone)]
pub(crate) struct NewEvent {
    pub(crate) account_id: Uuid,
    pub(crate) data: EventData,
}

/// Writes an event in the transaction of the change that it reports, queues it for the webhook endpoints that receive it, and for the
/// people who get an e-mail about it. Returns its id.
///
/// To be called last: it locks a row that all events of the account need, until the transaction ends.
pub(crate) async fn insert(
    transaction: &mut WriteTransaction,
    event: &NewEvent,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let event_id = write(transaction, event, now).await?;
    let endpoints = webhooks::subscribers(transaction, event.account_id, &event.data).await?;
    webhooks::queue(transaction, event.account_id, event_id, &endpoints, now).await?;
    if matches!(event.data, EventData::HandoffRequested { .. }) {
        notices::insert_for_handoff(transaction, event.account_id, event_id, now).await?;
    }
    Ok(event_id)
}

/// Writes an event to the journal only.
pub(crate) async fn write(
    connection: &mut AnyConnection,
    event: &NewEvent,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let NewEvent { account_id, data } = event;
    let row = sqlx::query(
        "INSERT INTO event_sequences (account_id, last_sequence) VALUES ($1, 1) \
         ON CONFLICT (account_id) DO UPDATE SET last_sequence = event_sequences.last_sequence + 1 \
         RETURNING last_sequence",
    )
    .bind(account_id.to_string())
    .fetch_one(&mut *connection)
    .await?;
    let event_id = new_id();
    let text = serde_json::to_string(data).map_err(|error| StoreError::invalid("data", error.to_string()))?;
    sqlx::query(
        "INSERT INTO events (event_id, account_id, sequence, type, data, source_chatbot_id, conversation_id, \
         contact_id, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(event_id.to_string())
    .bind(account_id.to_string())
    .bind(row.int("last_sequence")?)
    .bind(data.event_type().as_str())
    .bind(text)
    .bind(data.chatbot_id().map(|id| id.to_string()))
    .bind(data.conversation_id().map(|id| id.to_string()))
    .bind(data.contact_id().map(|id| id.to_string()))
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(event_id)
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
    insert(transaction, &NewEvent { account_id: contact.account_id, data }, now).await?;
    Ok(())
}

/// Reports the first message of a conversation.
pub(crate) async fn conversation_created(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    first_message: &Message,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ConversationCreated {
        conversation: conversation.into(),
        first_message: first_message.into(),
    };
    insert(transaction, &NewEvent { account_id: conversation.account_id, data }, now).await?;
    Ok(())
}

/// Reports a message.
pub(crate) async fn message_created(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    message: &Message,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::MessageCreated { conversation: conversation.into(), message: message.into() };
    insert(transaction, &NewEvent { account_id: conversation.account_id, data }, now).await?;
    Ok(())
}

/// Reports that a person answers in a conversation from now on.
pub(crate) async fn handoff_accepted(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    team_member_id: Uuid,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::HandoffAccepted { conversation: conversation.into(), team_member_id };
    insert(transaction, &NewEvent { account_id: conversation.account_id, data }, now).await?;
    Ok(())
}

/// Reports that a conversation has ended.
pub(crate) async fn conversation_closed(
    transaction: &mut WriteTransaction,
    conversation: &Conversation,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ConversationClosed { conversation: conversation.into() };
    insert(transaction, &NewEvent { account_id: conversation.account_id, data }, now).await?;
    Ok(())
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
        crate::conversations::message_columns!(),
        " FROM messages WHERE conversation_id = $1 ORDER BY position DESC LIMIT $2"
    ))
    .bind(conversation.conversation_id.to_string())
    .bind(LAST_MESSAGES)
    .fetch_all(&mut **transaction)
    .await?;
    last_messages.reverse();
    let contact: Option<Contact> = sqlx::query_as(concat!(
        "SELECT ",
        crate::contacts::contact_columns!(),
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
    insert(transaction, &NewEvent { account_id: conversation.account_id, data }, now).await?;
    Ok(())
}

/// Reports that a contact was changed.
pub(crate) async fn contact_updated(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ContactUpdated { contact: contact.into() };
    insert(transaction, &NewEvent { account_id: contact.account_id, data }, now).await?;
    Ok(())
}

/// Reports that a contact became a paying customer.
pub(crate) async fn contact_became_customer(
    transaction: &mut WriteTransaction,
    contact: &Contact,
    became_customer_at: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ContactBecameCustomer { contact: contact.into(), became_customer_at };
    insert(transaction, &NewEvent { account_id: contact.account_id, data }, now).await?;
    Ok(())
}

/// Reports a new deal, and its outcome if it has one from the start.
pub(crate) async fn deal_created(
    transaction: &mut WriteTransaction,
    deal: &Deal,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::DealCreated { deal: deal.into() };
    insert(transaction, &NewEvent { account_id: deal.account_id, data }, now).await?;
    deal_closed(transaction, deal, now).await
}

/// Reports that a deal is in another column or has another outcome.
pub(crate) async fn deal_changed(
    transaction: &mut WriteTransaction,
    before: &Deal,
    after: &Deal,
    now: Timestamp,
) -> Result<(), StoreError> {
    let has_new_outcome = before.outcome != after.outcome;
    if before.deal_status_id != after.deal_status_id || has_new_outcome && after.outcome == DealOutcome::Open
    {
        let data = EventData::DealStatusChanged {
            deal: after.into(),
            from_deal_status_id: before.deal_status_id,
            from_status_name: before.status_name.clone(),
        };
        insert(transaction, &NewEvent { account_id: after.account_id, data }, now).await?;
    }
    if has_new_outcome { deal_closed(transaction, after, now).await } else { Ok(()) }
}

async fn deal_closed(
    transaction: &mut WriteTransaction,
    deal: &Deal,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = match deal.outcome {
        DealOutcome::Open => return Ok(()),
        DealOutcome::Won => EventData::DealWon { deal: deal.into() },
        DealOutcome::Lost => EventData::DealLost { deal: deal.into() },
    };
    insert(transaction, &NewEvent { account_id: deal.account_id, data }, now).await?;
    Ok(())
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

/// Deletes the events of a contact and of its conversations, in the transaction that erases the contact.
pub(crate) async fn erase(connection: &mut AnyConnection, contact_id: Uuid) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM events WHERE contact_id = $1 OR conversation_id IN \
         (SELECT c.conversation_id FROM conversations AS c WHERE c.contact_id = $1)",
    )
    .bind(contact_id.to_string())
    .execute(connection)
    .await?;
    Ok(())
}
