//! Chats: threads of conversations in the inbox, which they keep in step with.
//!
//! `replies` is what people of the account write in a thread, and `changes` what else they do with one:
//! either may be about a chat.
//!
//! A conversation has a thread from its first handover on. The thread has a copy of each of its messages
//! under the same id, written in the transaction that writes the message. The row of the conversation is
//! locked before that of its thread.

pub(crate) mod changes;
pub(crate) mod replies;

use jiff::Timestamp;
use serde_json::json;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::record::{Conversation, Message};
use super::{modes, reports};
use crate::events::states::{ConversationMode, MessageRole, ThreadChannel, ThreadStatus};
use crate::inbox::threads::messages::{NewThreadMessage, append};
use crate::inbox::threads::record::{
    AuthorType, DeliveryState, MessageDirection, Thread, ThreadMessage, ThreadPriority,
};
use crate::inbox::threads::reports::report_status;
use crate::inbox::threads::{name_of_user, state};
use crate::sql::database::WriteTransaction;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::record::Column;
use crate::sql::row::{Columns, new_id};
use crate::sql::scope::{Scope, in_scope, scoped};

/// The most messages of a conversation that its new thread begins with; the newest ones.
const TRANSCRIPT: i64 = 200;

/// What happens to a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Something is said.
    Said,
    /// A person is asked for.
    Requested,
    /// A person answers from now on.
    TakenOver,
    /// It is handed back to the chatbot, or closed.
    Ended,
}

/// A message of a conversation that its thread does not have yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    pub(crate) message: &'a Message,
    pub(crate) client_message_id: Option<&'a str>,
}

impl<'a> Said<'a> {
    pub(crate) const fn new(message: &'a Message) -> Self {
        Self { message, client_message_id: None }
    }
}

/// The thread of a conversation after a step.
pub(crate) struct Followed {
    pub(crate) thread: Thread,
    /// The copy of the message.
    pub(crate) message: Option<ThreadMessage>,
    /// The status before the step.
    before: ThreadStatus,
}

/// Lets the thread of a locked conversation follow a step, and creates it if a person takes part for the
/// first time. `None` if the conversation has no thread.
pub(crate) async fn follow(
    transaction: &mut WriteTransaction,
    conversation: &mut Conversation,
    said: Option<Said<'_>>,
    step: Step,
    now: Timestamp,
) -> Result<Option<Followed>, StoreError> {
    let dialect = transaction.dialect();
    let connection: &mut AnyConnection = &mut *transaction;
    let known = match conversation.thread_id {
        Some(thread_id) => {
            let account = Scope::of_account(conversation.account_id);
            state::lock(connection, dialect, &account, thread_id).await?
        }
        None => None,
    };
    let is_new = known.is_none();
    let (mut thread, message) = match known {
        Some(mut thread) => {
            let message = match said {
                Some(said) => Some(copy(connection, dialect, &mut thread, said, now).await?),
                None => None,
            };
            (thread, message)
        }
        None if matches!(step, Step::Requested | Step::TakenOver) => {
            begin(connection, dialect, conversation, said, now).await?
        }
        None => return Ok(None),
    };
    let before = if is_new { ThreadStatus::Open } else { thread.status };
    thread.contact_id = conversation.contact_id.or(thread.contact_id);
    match step {
        Step::Said => {
            let is_visitor = said.is_some_and(|said| said.message.role == MessageRole::Visitor);
            let is_for_people =
                matches!(conversation.mode, ConversationMode::HumanRequested | ConversationMode::Human);
            if is_visitor && is_for_people {
                thread.awaits_reply(now);
            }
        }
        Step::Requested => {
            thread.unread_count = thread.unread_count.max(1);
            thread.waiting_since = thread.waiting_since.or(Some(now));
            if !matches!(thread.status, ThreadStatus::Open | ThreadStatus::Spam) {
                thread.set_status(ThreadStatus::Open, None, now);
            }
        }
        Step::TakenOver => {
            thread.is_answered(now);
            if thread.status == ThreadStatus::Resolved {
                thread.set_status(ThreadStatus::Open, None, now);
            }
        }
        Step::Ended => {
            if thread.status != ThreadStatus::Spam {
                thread.set_status(ThreadStatus::Resolved, None, now);
            }
        }
    }
    state::save(connection, &thread).await?;
    conversation.thread_id = Some(thread.thread_id);
    Ok(Some(Followed { thread, message, before }))
}

/// Reports the new status of a thread that has followed a step. To be called last, as all that inserts
/// events.
pub(crate) async fn report(
    transaction: &mut WriteTransaction,
    followed: Option<&Followed>,
    now: Timestamp,
) -> Result<(), StoreError> {
    match followed {
        Some(followed) => report_status(transaction, &followed.thread, followed.before, now).await,
        None => Ok(()),
    }
}

/// Locks the conversation of a thread that is a chat.
pub(super) async fn lock_conversation(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    thread_id: Uuid,
) -> Result<Option<Conversation>, StoreError> {
    let row = scoped(
        concat!("SELECT conversation_id FROM threads WHERE ", in_scope!(), " AND thread_id = $3"),
        scope,
    )
    .bind(thread_id.to_string())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let Some(conversation_id) = Option::<Uuid>::read(&row, "conversation_id")? else { return Ok(None) };
    modes::lock(connection, dialect, scope, conversation_id).await
}

/// Closes the locked conversation of a thread that is resolved or spam. Returns it if it was open.
pub(super) async fn close_if_done(
    connection: &mut AnyConnection,
    conversation: Option<Conversation>,
    thread: &Thread,
) -> Result<Option<Conversation>, StoreError> {
    let is_done = matches!(thread.status, ThreadStatus::Resolved | ThreadStatus::Spam);
    let open = conversation.filter(|conversation| {
        is_done && matches!(conversation.mode, ConversationMode::HumanRequested | ConversationMode::Human)
    });
    let Some(conversation) = open else { return Ok(None) };
    let id = conversation.conversation_id;
    Ok(Some(modes::end_exchange(connection, id, ConversationMode::Closed).await?))
}

/// Reports that a conversation was closed. To be called last, as all that inserts events.
pub(super) async fn report_closed(
    transaction: &mut WriteTransaction,
    closed: Option<&Conversation>,
    now: Timestamp,
) -> Result<(), StoreError> {
    match closed {
        Some(conversation) => reports::conversation_closed(transaction, conversation, now).await,
        None => Ok(()),
    }
}

/// Creates the thread of a conversation with what was said in it.
async fn begin(
    connection: &mut AnyConnection,
    dialect: Dialect,
    conversation: &Conversation,
    last: Option<Said<'_>>,
    now: Timestamp,
) -> Result<(Thread, Option<ThreadMessage>), StoreError> {
    let mut thread = Thread {
        thread_id: new_id(),
        account_id: conversation.account_id,
        channel: ThreadChannel::Chatbot,
        channel_id: None,
        external_key: None,
        conversation_id: Some(conversation.conversation_id),
        chatbot_id: Some(conversation.chatbot_id),
        contact_id: conversation.contact_id,
        subject: None,
        status: ThreadStatus::Open,
        priority: ThreadPriority::None,
        assignee_id: None,
        tags: json!([]),
        snoozed_until: None,
        unread_count: 0,
        message_count: 0,
        last_message_at: now,
        last_message_preview: String::new(),
        waiting_since: None,
        first_reply_at: None,
        resolved_at: None,
        deal_ids: Vec::new(),
        created_at: now,
        updated_at: now,
    };
    state::insert(connection, &thread).await?;
    let mut transcript: Vec<Message> = sqlx::query_as(concat!(
        "SELECT ",
        message_columns!(),
        " FROM messages WHERE conversation_id = $1 ORDER BY position DESC LIMIT $2"
    ))
    .bind(conversation.conversation_id.to_string())
    .bind(TRANSCRIPT)
    .fetch_all(&mut *connection)
    .await?;
    transcript.reverse();
    let mut newest = None;
    for message in &transcript {
        let client_message_id = last
            .filter(|last| last.message.message_id == message.message_id)
            .and_then(|last| last.client_message_id);
        let said = Said { message, client_message_id };
        let copied = copy(connection, dialect, &mut thread, said, message.created_at).await?;
        thread.unread_count += u64::from(message.role == MessageRole::Visitor);
        newest = Some(copied);
    }
    thread.last_message_at = now;
    thread.updated_at = now;
    Ok((thread, newest.filter(|_| last.is_some())))
}

/// Copies a message of a conversation into its locked thread.
async fn copy(
    connection: &mut AnyConnection,
    dialect: Dialect,
    thread: &mut Thread,
    said: Said<'_>,
    at: Timestamp,
) -> Result<ThreadMessage, StoreError> {
    let Said { message, client_message_id } = said;
    let (direction, author_type) = match message.role {
        MessageRole::Visitor => (MessageDirection::Inbound, AuthorType::Contact),
        MessageRole::Assistant => (MessageDirection::Outbound, AuthorType::Ai),
        MessageRole::TeamMember => (MessageDirection::Outbound, AuthorType::TeamMember),
        MessageRole::System => (MessageDirection::Outbound, AuthorType::System),
    };
    let (author_id, author_name) = match author_type {
        AuthorType::Contact => (thread.contact_id, name_of_contact(connection, thread.contact_id).await?),
        AuthorType::TeamMember => match message.team_member_id {
            Some(user_id) => (Some(user_id), name_of_user(connection, user_id).await?),
            None => (None, None),
        },
        AuthorType::Ai => (thread.chatbot_id, None),
        AuthorType::System => (None, None),
    };
    let new = NewThreadMessage {
        author_id,
        author_name,
        delivery_status: (direction == MessageDirection::Outbound).then_some(DeliveryState::Sent),
        client_message_id: client_message_id.map(str::to_owned),
        ..NewThreadMessage::plain(message.message_id, direction, author_type, &message.body)
    };
    append(connection, dialect, thread, new, at).await
}

async fn name_of_contact(
    connection: &mut AnyConnection,
    contact_id: Option<Uuid>,
) -> Result<Option<String>, StoreError> {
    let Some(contact_id) = contact_id else { return Ok(None) };
    let row = sqlx::query("SELECT name FROM contacts WHERE contact_id = $1")
        .bind(contact_id.to_string())
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| row.text_opt("name")).transpose()?.flatten())
}
