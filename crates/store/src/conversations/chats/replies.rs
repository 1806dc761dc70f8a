//! What people of the account write: replies, notes, and threads that they begin.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::conversations::{chats, modes, reports};
use crate::events::states::{ConversationMode, ThreadChannel, ThreadStatus};
use crate::inbox::threads::messages::{NewThreadMessage, append, sent_before};
use crate::inbox::threads::receive::enabled_channel;
use crate::inbox::threads::record::{AuthorType, DeliveryState, MessageDirection, Thread, ThreadMessage};
use crate::inbox::threads::reports::{report_message, report_status};
use crate::inbox::threads::{Threads, attachments, name_of_user, outgoing, state};
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;
use crate::sql::scope::Scope;
use crate::work::jobs::NewJob;

/// What a person of the account writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// A message to the contact.
    Reply,
    /// A note that the contact never sees.
    Note,
}

/// A message of a person of the account.
#[derive(Debug, Clone)]
pub struct NewThreadReply {
    /// Its identifier. A reply in a chat gets another one.
    pub message_id: Uuid,
    /// To whom it is written.
    pub kind: ReplyKind,
    /// The text.
    pub body: String,
    /// The person.
    pub author_id: Uuid,
    /// Attachments that no message has yet.
    pub attachment_ids: Vec<Uuid>,
    /// The id that the client gives it: a message with this id in the same thread is not written again.
    pub client_message_id: Option<String>,
    /// The status of the thread afterwards, with the time at which a snoozed one comes back.
    pub set_status: Option<(ThreadStatus, Option<Timestamp>)>,
    /// The job that delivers it. Without one the message counts as sent: others fetch it.
    pub delivery: Option<NewJob>,
}

/// A thread that begins with a message of the account.
#[derive(Debug, Clone)]
pub struct NewThread {
    /// The channel.
    pub channel_id: Uuid,
    /// To whom it is written; a contact of the channel's account.
    pub contact_id: Uuid,
    /// What it is about.
    pub subject: Option<String>,
    /// What the channel will know the thread by; the id of the thread if `None`.
    pub external_key: Option<String>,
    /// Its first message.
    pub message: NewThreadReply,
}

/// A message of a person of the account, stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadReply {
    /// The thread, with the message.
    pub thread: Thread,
    /// The message.
    pub message: ThreadMessage,
    /// Whether the message was stored now. If not, it was written before, and nothing has changed.
    pub is_new: bool,
}

/// Why a message cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadError {
    /// The channel was deleted or switched off, or the chat is closed.
    #[error("nothing can be sent by the channel of the thread")]
    ChannelClosed,
    /// There is no such attachment, or another message has it.
    #[error("the attachment cannot be used")]
    NoAttachment(Uuid),
    /// There is no such contact in the account of the channel.
    #[error("there is no such contact")]
    NoContact,
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for ThreadError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Threads<'_> {
    /// Adds a reply or a note to a thread. A reply in a chat is a message of its conversation, in which the
    /// person answers from now on. `None` if there is no such thread.
    pub async fn reply(
        self,
        scope: &Scope,
        thread_id: Uuid,
        new: &NewThreadReply,
        now: Timestamp,
    ) -> Result<Option<ThreadReply>, ThreadError> {
        let Some(known) = self.find(scope, thread_id).await? else { return Ok(None) };
        match known.conversation_id {
            Some(conversation_id) if new.kind == ReplyKind::Reply => {
                self.reply_in_chat(scope, thread_id, conversation_id, new, now).await
            }
            _ => self.write(scope, thread_id, new, now).await,
        }
    }

    async fn write(
        self,
        scope: &Scope,
        thread_id: Uuid,
        new: &NewThreadReply,
        now: Timestamp,
    ) -> Result<Option<ThreadReply>, ThreadError> {
        let dialect = self.store.dialect();
        let mut transaction = self.store.begin().await?;
        // A chat whose status changes with a note: its conversation is locked before its thread, as
        // everywhere.
        let chat = chats::lock_conversation(&mut transaction, dialect, scope, thread_id).await?;
        let Some(mut thread) = state::lock(&mut transaction, dialect, scope, thread_id).await? else {
            return Ok(None);
        };
        let client_message_id = new.client_message_id.as_deref();
        if let Some(message) = sent_before(&mut transaction, thread_id, client_message_id).await? {
            return Ok(Some(ThreadReply { thread, message, is_new: false }));
        }
        if new.kind == ReplyKind::Reply {
            let channel_id = thread.channel_id.ok_or(ThreadError::ChannelClosed)?;
            let account = Scope::of_account(thread.account_id);
            let channel = enabled_channel(&mut transaction, dialect, &account, channel_id).await?;
            channel.ok_or(ThreadError::ChannelClosed)?;
        }
        let before = thread.status;
        let message = add(&mut transaction, scope, &mut thread, new, now).await?;
        if let Some((status, snoozed_until)) = new.set_status {
            thread.set_status(status, snoozed_until, now);
        }
        state::save(&mut transaction, &thread).await?;
        let closed = chats::close_if_done(&mut transaction, chat, &thread).await?;
        if new.kind == ReplyKind::Reply {
            report_message(&mut transaction, &thread, &message, now).await?;
        }
        chats::report_closed(&mut transaction, closed.as_ref(), now).await?;
        report_status(&mut transaction, &thread, before, now).await?;
        if let Some(closed) = closed {
            transaction.announce_conversation(closed.conversation_id);
        }
        transaction.commit().await?;
        Ok(Some(ThreadReply { thread, message, is_new: true }))
    }

    async fn reply_in_chat(
        self,
        scope: &Scope,
        thread_id: Uuid,
        conversation_id: Uuid,
        new: &NewThreadReply,
        now: Timestamp,
    ) -> Result<Option<ThreadReply>, ThreadError> {
        let dialect = self.store.dialect();
        let mut transaction = self.store.begin().await?;
        let conversation = modes::lock(&mut transaction, dialect, scope, conversation_id).await?;
        let Some(conversation) = conversation else { return Ok(None) };
        let Some(thread) = state::lock(&mut transaction, dialect, scope, thread_id).await? else {
            return Ok(None);
        };
        let client_message_id = new.client_message_id.as_deref();
        if let Some(message) = sent_before(&mut transaction, thread_id, client_message_id).await? {
            return Ok(Some(ThreadReply { thread, message, is_new: false }));
        }
        if conversation.mode == ConversationMode::Closed {
            return Err(ThreadError::ChannelClosed);
        }
        let before = thread.status;
        let was_human = conversation.mode == ConversationMode::Human;
        let reply =
            modes::take_over(&mut transaction, conversation_id, new.author_id, &new.body, now).await?;
        let mut conversation = reply.conversation;
        let said = chats::Said { message: &reply.message, client_message_id };
        let followed =
            chats::follow(&mut transaction, &mut conversation, Some(said), chats::Step::TakenOver, now)
                .await?;
        let Some(chats::Followed { mut thread, message: Some(message), .. }) = followed else {
            return Ok(None);
        };
        let mut closed = None;
        if let Some((status, snoozed_until)) = new.set_status {
            thread.set_status(status, snoozed_until, now);
            state::save(&mut transaction, &thread).await?;
            closed = chats::close_if_done(&mut transaction, Some(conversation.clone()), &thread).await?;
        }
        reports::message_created(&mut transaction, &conversation, &reply.message, now).await?;
        if !was_human {
            reports::handoff_accepted(&mut transaction, &conversation, new.author_id, now).await?;
        }
        chats::report_closed(&mut transaction, closed.as_ref(), now).await?;
        report_status(&mut transaction, &thread, before, now).await?;
        transaction.announce_conversation(conversation_id);
        transaction.commit().await?;
        Ok(Some(ThreadReply { thread, message, is_new: true }))
    }

    /// Begins a thread with a message to a contact. `None` if there is no such channel.
    pub async fn create(
        self,
        scope: &Scope,
        new: &NewThread,
        now: Timestamp,
    ) -> Result<Option<ThreadReply>, ThreadError> {
        let dialect = self.store.dialect();
        let Some(known) = self.store.inbox_channels().find(scope, new.channel_id).await? else {
            return Ok(None);
        };
        let mut transaction = self.store.begin().await?;
        let channel = enabled_channel(&mut transaction, dialect, scope, known.channel_id).await?;
        let Some(channel) = channel else { return Err(ThreadError::ChannelClosed) };
        let contact = sqlx::query(dialect.pick(
            "SELECT 1 FROM contacts WHERE contact_id = $1 AND account_id = $2",
            "SELECT 1 FROM contacts WHERE contact_id = $1 AND account_id = $2 FOR KEY SHARE",
        ))
        .bind(new.contact_id.to_string())
        .bind(channel.account_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        contact.ok_or(ThreadError::NoContact)?;
        let mut thread = Thread::of_channel(&channel, now);
        thread.external_key = Some(match &new.external_key {
            Some(key) => crate::sql::nul::replace_nul(key),
            None => thread.thread_id.to_string(),
        });
        state::insert(&mut transaction, &thread).await?;
        thread.contact_id = Some(new.contact_id);
        thread.subject = new.subject.as_deref().map(crate::sql::nul::replace_nul);
        let message = add(&mut transaction, scope, &mut thread, &new.message, now).await?;
        if let Some((status, snoozed_until)) = new.message.set_status {
            thread.set_status(status, snoozed_until, now);
        }
        state::save(&mut transaction, &thread).await?;
        report_message(&mut transaction, &thread, &message, now).await?;
        transaction.commit().await?;
        Ok(Some(ThreadReply { thread, message, is_new: true }))
    }
}

/// Adds a message of a person to a locked thread that is not a chat, or a note to any.
async fn add(
    transaction: &mut WriteTransaction,
    scope: &Scope,
    thread: &mut Thread,
    new: &NewThreadReply,
    now: Timestamp,
) -> Result<ThreadMessage, ThreadError> {
    let dialect = transaction.dialect();
    let connection: &mut AnyConnection = &mut *transaction;
    let is_reply = new.kind == ReplyKind::Reply;
    let direction = if is_reply { MessageDirection::Outbound } else { MessageDirection::Internal };
    let is_chat = thread.channel == ThreadChannel::Chatbot;
    debug_assert!(!(is_chat && is_reply), "replies in chats are messages of conversations");
    let delivery_status = match &new.delivery {
        _ if !is_reply => None,
        Some(_) => Some(DeliveryState::Queued),
        None => Some(DeliveryState::Sent),
    };
    let message = NewThreadMessage {
        author_id: Some(new.author_id),
        author_name: name_of_user(connection, new.author_id).await?,
        delivery_status,
        client_message_id: new.client_message_id.clone(),
        ..NewThreadMessage::plain(new.message_id, direction, AuthorType::TeamMember, &new.body)
    };
    if is_reply {
        thread.is_answered(now);
    }
    let message = append(connection, dialect, thread, message, now).await?;
    for attachment_id in &new.attachment_ids {
        let account_id = thread.account_id;
        let message_id = message.message_id;
        if !attachments::attach(connection, scope, account_id, *attachment_id, message_id).await? {
            return Err(ThreadError::NoAttachment(*attachment_id));
        }
    }
    if let Some(job) = new.delivery.as_ref().filter(|_| is_reply) {
        outgoing::queue(connection, thread.account_id, message.message_id, job, now).await?;
    }
    Ok(message)
}
