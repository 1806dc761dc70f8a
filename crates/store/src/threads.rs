//! The inbox: threads with people outside of the account, over all channels.
//!
//! - `record`: threads, messages and attachments as they are stored; `state` says how a thread changes.
//! - `messages` adds a message and reads pages of them; `words` makes its entry in the search index.
//! - `receive`: what arrives by a channel; `lookup` finds the thread of an e-mail, `claims` keeps what a doubtful message says of its author.
//! - `replies`: what people of the account write; `changes` is what else they do with a thread.
//! - `chats` keeps the threads of conversations in step with them.
//! - `outgoing`: messages on their way to a channel, and what becomes of them.
//! - `attachments`: files before they have a message, and one by one.
//! - `list`: pages of threads.

#[macro_use]
mod record;
mod attachments;
mod changes;
pub(crate) mod chats;
mod claims;
mod list;
mod lookup;
mod messages;
mod outgoing;
mod receive;
mod replies;
mod state;
mod words;

pub use attachments::{AttachmentError, NewAttachment};
pub use changes::ThreadUpdate;
pub use list::ThreadFilter;
pub use lookup::MessageKey;
pub use messages::MessagesFrom;
pub use outgoing::{DeliveryOutcome, OutgoingMessage};
pub use receive::{NewInbound, Received};
pub use record::{
    Attachment, AuthorType, DeliveryState, MessageDirection, Thread, ThreadChannel, ThreadMessage,
    ThreadPriority, ThreadStatus,
};
pub use replies::{NewThread, NewThreadReply, ReplyKind, ThreadError, ThreadReply};
pub(crate) use words::entry as index_entry;

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::database::WriteTransaction;
use crate::events::{self, EventData};
use crate::record::Column;
use crate::scope::{in_scope, scoped_as};
use crate::{Scope, StoreError};

group! {
    /// Threads of the inbox.
    pub Threads, threads
}

impl Threads<'_> {
    /// One thread.
    pub async fn find(self, scope: &Scope, thread_id: Uuid) -> Result<Option<Thread>, StoreError> {
        let one = scoped_as(
            concat!("SELECT ", thread_columns!(), " FROM threads WHERE ", in_scope!(), " AND thread_id = $3"),
            scope,
        )
        .bind(thread_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Opens snoozed threads whose time has come, at most `limit`, and returns how many. Over all accounts: for recurring work of the
    /// installation.
    pub async fn wake(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let due = sqlx::query(
            "SELECT thread_id, account_id FROM threads WHERE snoozed_until <= $1 ORDER BY snoozed_until LIMIT $2",
        )
        .bind(crate::row::micros(now))
        .bind(i64::from(limit))
        .fetch_all(self.store.reader())
        .await?;
        let mut woken = 0;
        for row in due {
            let scope = Scope::of_account(Uuid::read(&row, "account_id")?);
            let mut transaction = self.store.begin().await?;
            let thread_id = Uuid::read(&row, "thread_id")?;
            let locked = state::lock(&mut transaction, self.store.dialect(), &scope, thread_id).await?;
            let Some(mut thread) =
                locked.filter(|thread| thread.snoozed_until.is_some_and(|until| until <= now))
            else {
                continue;
            };
            let before = thread.status;
            thread.set_status(ThreadStatus::Open, None, now);
            state::save(&mut transaction, &thread).await?;
            report_status(&mut transaction, &thread, before, now).await?;
            transaction.commit().await?;
            woken += 1;
        }
        Ok(woken)
    }
}

/// Reports a new status of a thread. To be called last, as all that inserts events.
async fn report_status(
    transaction: &mut WriteTransaction,
    thread: &Thread,
    before: ThreadStatus,
    now: Timestamp,
) -> Result<(), StoreError> {
    if thread.status == before {
        return Ok(());
    }
    let data =
        EventData::ThreadStatusChanged { thread: thread.into(), previous_status: before.as_str().to_owned() };
    events::insert(transaction, thread.account_id, [data], now).await
}

/// Reports a message of a thread that is no chat.
async fn report_message(
    transaction: &mut WriteTransaction,
    thread: &Thread,
    message: &ThreadMessage,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::ThreadMessageCreated { thread: thread.into(), message: message.into() };
    events::insert(transaction, thread.account_id, [data], now).await
}

/// Returns the name of a person of any account.
async fn name_of_user(connection: &mut AnyConnection, user_id: Uuid) -> Result<Option<String>, StoreError> {
    let row = sqlx::query("SELECT name FROM users WHERE user_id = $1")
        .bind(user_id.to_string())
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| String::read(&row, "name")).transpose()?)
}
