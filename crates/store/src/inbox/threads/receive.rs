//! What arrives by a channel: one function for all of them.

use jiff::Timestamp;
use serde_json::json;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::attachments::{self, NewAttachment};
use super::messages::{NewThreadMessage, append};
use super::record::{AuthorType, MessageDirection, Thread, ThreadMessage, ThreadPriority};
use super::reports::{report_message, report_status};
use super::{Threads, claims, state};
use crate::accounts::plan_limits;
use crate::contacts::{self, Claimed, ContactFields};
use crate::events::states::{ThreadChannel, ThreadStatus};
use crate::inbox::inbox_channels::{InboxChannel, inbox_channel_columns};
use crate::sql::database::WriteTransaction;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::new_id;
use crate::sql::scope::{Scope, in_scope, scoped_as};

/// A message that has arrived.
#[derive(Debug, Clone)]
pub struct NewInbound {
    /// The channel by which it has come.
    pub channel_id: Uuid,
    /// What the channel knows the thread by. An unknown one begins a new thread.
    pub thread_key: String,
    /// The thread, if the service has found it by other means; of the channel's account and no chat, else it
    /// is ignored.
    pub thread_id: Option<Uuid>,
    /// What the channel knows the message by. A message that is known is not stored again.
    pub message_key: String,
    /// A hash of its content, for channels whose keys do not identify a message for certain: another content
    /// under a known key is another message. `None` if the key alone decides.
    pub content_digest: Option<String>,
    /// What is claimed about its author. A claim never changes a contact whose identity is proven.
    pub contact: ContactFields,
    /// The author, if the account itself says who it is; of the channel's account, else it is ignored. The
    /// claims are then ignored too.
    pub contact_id: Option<Uuid>,
    /// What is shown of an author about whom nothing is claimed, such as name and address of a newsletter.
    pub author_name: Option<String>,
    /// What the thread is about, if this begins one.
    pub subject: Option<String>,
    /// The text.
    pub body: String,
    /// The same in HTML, cleaned by the service.
    pub body_html: Option<String>,
    /// What it quotes, and its signature.
    pub folded_text: Option<String>,
    /// Files that came with it, whose content is stored. Those for which the plan of the account has no room
    /// are named in the text instead.
    pub attachments: Vec<NewAttachment>,
    /// When it was sent, as the channel says.
    pub sent_at: Option<Timestamp>,
    /// Whether it is doubtful: a thread that it begins is then spam, no contact is made of its author, and no
    /// event tells of it. The claims are kept with the thread until somebody decides that it is wanted.
    pub is_spam: bool,
    /// Whether a program wrote it, such as a vacation notice. Nobody waits for a reply then: a known thread
    /// keeps its status and contact.
    pub is_automatic: bool,
}

/// A message that has arrived, stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// The thread, with the message.
    pub thread: Thread,
    /// The message.
    pub message: ThreadMessage,
    /// Whether the message was stored now. If not, it had arrived before, and nothing has changed.
    pub is_new: bool,
    /// Where the contents of files are stored that the message was stored without, because the plan of the
    /// account has no room for them.
    pub left_out: Vec<String>,
}

impl Threads<'_> {
    /// Stores a message that has arrived by a channel: finds or creates its contact and its thread, opens a
    /// thread that was snoozed or resolved, and reports it by events. Returns `None` if there is no such
    /// channel, or it is not enabled.
    ///
    /// Messages of one account are stored one after the other. A message that was stored before, by its key,
    /// is returned unchanged.
    pub async fn receive(
        self,
        scope: &Scope,
        new: &NewInbound,
        now: Timestamp,
    ) -> Result<Option<Received>, StoreError> {
        let dialect = self.store.dialect();
        let mut transaction = self.store.begin().await?;
        let Some(channel) = enabled_channel(&mut transaction, dialect, scope, new.channel_id).await? else {
            return Ok(None);
        };
        if !contacts::lock(&mut transaction, dialect, channel.account_id).await? {
            return Ok(None);
        }
        let keys = match keys_of(&mut transaction, &channel, new).await? {
            Keyed::Known(known) => return Ok(Some(*known)),
            Keyed::New(keys) => keys,
        };
        let named = match new.thread_id {
            Some(thread_id) => named_thread(&mut transaction, dialect, &channel, thread_id).await?,
            None => None,
        };
        if let Some(other) = named.as_ref().and_then(|thread| thread.channel_id)
            && other != channel.channel_id
            && let Some(known) = known_message(&mut transaction, other, &keys.message_key).await?
            && is_same(&known, new)
        {
            return Ok(Some(known));
        }
        let known = match named {
            Some(thread) => Some(thread),
            None => thread_by_key(&mut transaction, dialect, &channel, &keys.thread_key).await?,
        };
        let is_spam = new.is_spam && known.as_ref().is_none_or(|thread| thread.status == ThreadStatus::Spam);
        let claimed = match known.as_ref().and_then(|thread| thread.contact_id) {
            _ if is_spam || new.is_automatic && known.is_some() => None,
            present => {
                let claims = contacts::Claims {
                    account_id: channel.account_id,
                    fields: &new.contact,
                    stated: new.contact_id,
                    present,
                    source: ThreadChannel::from(channel.kind).contact_source(),
                };
                contacts::claim(&mut transaction, dialect, &claims, now).await?
            }
        };
        let is_known = known.is_some();
        let mut thread = match known {
            Some(thread) => thread,
            None => begin(&mut transaction, &channel, new, &keys, now).await?,
        };
        if is_spam && !is_known {
            claims::keep(&mut transaction, thread.thread_id, &new.contact).await?;
        }
        let before = thread.status;
        let contact = claimed.as_ref().map(|claimed| &claimed.contact);
        thread.contact_id = thread.contact_id.or(contact.map(|contact| contact.contact_id));
        if new.is_automatic && is_known {
            thread.unread_count += 1;
        } else {
            thread.awaits_reply(now);
        }
        let (kept, left_out) = kept_attachments(&mut transaction, &channel, &new.attachments).await?;
        let body = with_notes(&new.body, &left_out);
        let message = NewThreadMessage {
            author_id: contact.map(|contact| contact.contact_id),
            author_name: new
                .contact
                .name
                .clone()
                .or(contact.and_then(|contact| contact.name.clone()))
                .or_else(|| new.author_name.clone()),
            body_html: new.body_html.clone(),
            subject: new.subject.clone(),
            folded_text: new.folded_text.clone(),
            content_digest: new.content_digest.clone(),
            external_id: Some(keys.message_key.clone()),
            sent_at: new.sent_at,
            ..NewThreadMessage::plain(new_id(), MessageDirection::Inbound, AuthorType::Contact, &body)
        };
        let message = append(&mut transaction, dialect, &mut thread, message, now).await?;
        for attachment in kept {
            let message_id = Some(message.message_id);
            attachments::insert(&mut transaction, thread.account_id, message_id, attachment, now).await?;
        }
        state::save(&mut transaction, &thread).await?;
        if !is_spam {
            if let Some(Claimed { contact, is_new_lead: true }) = &claimed {
                contacts::lead_created(&mut transaction, contact, None, None, now).await?;
            }
            report_message(&mut transaction, &thread, &message, now).await?;
            report_status(&mut transaction, &thread, before, now).await?;
        }
        transaction.commit().await?;
        let left_out = left_out.into_iter().map(|attachment| attachment.object_key.clone()).collect();
        Ok(Some(Received { thread, message, is_new: true, left_out }))
    }
}

/// Divides attachments into those that the plan of the account has room for, and the others. Each takes the
/// room that there is.
async fn kept_attachments<'a>(
    transaction: &mut WriteTransaction,
    channel: &InboxChannel,
    attachments: &'a [NewAttachment],
) -> Result<(Vec<&'a NewAttachment>, Vec<&'a NewAttachment>), StoreError> {
    if attachments.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut room = plan_limits::storage(transaction, &channel.account_id.to_string()).await?;
    Ok(attachments.iter().partition(|attachment| room.take_many(attachment.size_bytes).is_ok()))
}

/// Returns a text with a line for each file that was left out. A message without text begins with them.
fn with_notes(body: &str, left_out: &[&NewAttachment]) -> String {
    let notes = left_out.iter().map(|file| {
        let NewAttachment { file_name, size_bytes, .. } = file;
        format!("[{file_name}: {size_bytes} bytes, not stored because the plan includes no more storage]")
    });
    let lines = Some(body.to_owned()).filter(|body| !body.is_empty()).into_iter().chain(notes);
    lines.collect::<Vec<_>>().join("\n")
}

/// Finds a channel that takes messages, and keeps it from being deleted until the transaction ends.
pub(crate) async fn enabled_channel(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    channel_id: Uuid,
) -> Result<Option<InboxChannel>, StoreError> {
    macro_rules! select {
        ($lock:literal) => {
            concat!(
                "SELECT ",
                inbox_channel_columns!(),
                " FROM inbox_channels WHERE ",
                in_scope!(),
                " AND channel_id = $3 AND enabled = 1",
                $lock
            )
        };
    }
    let sql = dialect.pick(select!(""), select!(" FOR KEY SHARE"));
    Ok(scoped_as(sql, scope).bind(channel_id.to_string()).fetch_optional(connection).await?)
}

impl Threads<'_> {
    /// Returns whether a channel has an e-mail already, so that its files need not be stored again.
    /// [`receive`](Self::receive) decides.
    pub async fn has_mail(self, scope: &Scope, new: &NewInbound) -> Result<bool, StoreError> {
        let Some(channel) = self.store.inbox_channels().find(scope, new.channel_id).await? else {
            return Ok(false);
        };
        let mut connection = self.store.reader().acquire().await?;
        Ok(matches!(keys_of(&mut connection, &channel, new).await?, Keyed::Known(_)))
    }
}

/// What a message and the thread that it begins are stored under.
struct Keys {
    message_key: String,
    thread_key: String,
}

enum Keyed {
    Known(Box<Received>),
    New(Keys),
}

/// Returns what a message is stored under: its own keys, or, if its key has another content already, these
/// with its digest. No `Message-ID` has a space, so nothing else has such a key.
async fn keys_of(
    connection: &mut AnyConnection,
    channel: &InboxChannel,
    new: &NewInbound,
) -> Result<Keyed, StoreError> {
    let keys = Keys { message_key: new.message_key.clone(), thread_key: new.thread_key.clone() };
    let Some(known) = known_message(connection, channel.channel_id, &keys.message_key).await? else {
        return Ok(Keyed::New(keys));
    };
    let Some(digest) = new.content_digest.as_deref().filter(|_| !is_same(&known, new)) else {
        return Ok(Keyed::Known(Box::new(known)));
    };
    let with_digest = |key: &str| format!("{key} {digest}");
    let keys =
        Keys { message_key: with_digest(&keys.message_key), thread_key: with_digest(&keys.thread_key) };
    Ok(match known_message(connection, channel.channel_id, &keys.message_key).await? {
        Some(known) => Keyed::Known(Box::new(known)),
        None => Keyed::New(keys),
    })
}

/// Returns whether a stored message with the key of a new one is the same message. Messages that are older
/// than digests are recognized by their date or their text.
fn is_same(known: &Received, new: &NewInbound) -> bool {
    let message = &known.message;
    match (&new.content_digest, &message.content_digest) {
        (None, _) => true,
        (Some(digest), Some(stored)) => digest == stored,
        (Some(_), None) if message.direction == MessageDirection::Inbound => {
            message.sent_at.is_some() && message.sent_at == new.sent_at
                || message.body == replace_nul(&new.body)
        }
        // The account's own message, which has come back, has its text.
        (Some(_), None) => new.body.contains(message.body.trim()),
    }
}

async fn known_message(
    connection: &mut AnyConnection,
    channel_id: Uuid,
    message_key: &str,
) -> Result<Option<Received>, StoreError> {
    let message: Option<ThreadMessage> = sqlx::query_as(concat!(
        "SELECT ",
        thread_message_columns!(),
        " FROM thread_messages WHERE channel_id = $1 AND external_id = $2"
    ))
    .bind(channel_id.to_string())
    .bind(replace_nul(message_key))
    .fetch_optional(&mut *connection)
    .await?;
    let Some(message) = message else { return Ok(None) };
    let thread = sqlx::query_as(concat!("SELECT ", thread_columns!(), " FROM threads WHERE thread_id = $1"))
        .bind(message.thread_id.to_string())
        .fetch_one(connection)
        .await?;
    Ok(Some(Received { thread, message, is_new: false, left_out: Vec::new() }))
}

/// Finds a thread by its id in the account of a channel, unless it is a chat.
async fn named_thread(
    connection: &mut AnyConnection,
    dialect: Dialect,
    channel: &InboxChannel,
    thread_id: Uuid,
) -> Result<Option<Thread>, StoreError> {
    let account = Scope::of_account(channel.account_id);
    let thread = state::lock(connection, dialect, &account, thread_id).await?;
    Ok(thread
        .filter(|thread| thread.account_id == channel.account_id && thread.channel != ThreadChannel::Chatbot))
}

async fn thread_by_key(
    connection: &mut AnyConnection,
    dialect: Dialect,
    channel: &InboxChannel,
    thread_key: &str,
) -> Result<Option<Thread>, StoreError> {
    macro_rules! select {
        ($lock:literal) => {
            concat!(
                "SELECT ",
                thread_columns!(),
                " FROM threads WHERE channel_id = $1 AND external_key = $2",
                $lock
            )
        };
    }
    let found = sqlx::query_as(dialect.pick(select!(""), select!(" FOR NO KEY UPDATE")))
        .bind(channel.channel_id.to_string())
        .bind(replace_nul(thread_key));
    Ok(found.fetch_optional(connection).await?)
}

async fn begin(
    connection: &mut AnyConnection,
    channel: &InboxChannel,
    new: &NewInbound,
    keys: &Keys,
    now: Timestamp,
) -> Result<Thread, StoreError> {
    let thread = Thread {
        external_key: Some(replace_nul(&keys.thread_key)),
        subject: new.subject.as_deref().map(replace_nul),
        status: if new.is_spam { ThreadStatus::Spam } else { ThreadStatus::Open },
        ..Thread::of_channel(channel, now)
    };
    state::insert(connection, &thread).await?;
    Ok(thread)
}

impl Thread {
    /// Returns an empty thread of a channel.
    pub(crate) fn of_channel(channel: &InboxChannel, now: Timestamp) -> Self {
        Self {
            thread_id: new_id(),
            account_id: channel.account_id,
            channel: channel.kind.into(),
            channel_id: Some(channel.channel_id),
            external_key: None,
            conversation_id: None,
            chatbot_id: None,
            contact_id: None,
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
        }
    }
}
