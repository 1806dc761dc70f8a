//! The inbox: threads with people outside of the account, over all channels.
//!
//! - `record`: threads, messages and attachments as they are stored; `state` says how a thread changes.
//! - `messages` adds a message and reads pages of them; `words` makes its entry in the search index.
//! - `receive`: what arrives by a channel; `lookup` finds the thread of an e-mail, `claims` keeps what a
//!   doubtful message says of its author.
//! - `reports`: what the journal of events says of threads; `deal_links`: the deals that they are about.
//! - `outgoing`: messages on their way to a channel, and what becomes of them.
//! - `attachments`: files before they have a message, and one by one.
//! - `list`: pages of threads.
//!
//! What people do with a thread, which may be that of a conversation, is in
//! [`conversations::chats`](crate::conversations::chats).

#[macro_use]
pub(crate) mod record;
pub(crate) mod attachments;
pub(crate) mod claims;
pub(crate) mod deal_links;
mod list;
mod lookup;
pub(crate) mod messages;
pub(crate) mod outgoing;
pub(crate) mod receive;
pub(crate) mod reports;
pub(crate) mod state;
mod words;

pub use attachments::{AttachmentError, NewAttachment};
pub use list::ThreadFilter;
pub use lookup::MessageKey;
pub use messages::MessagesFrom;
pub use outgoing::{DeliveryOutcome, OutgoingMessage};
pub use receive::{NewInbound, Received};
pub use record::{
    Attachment, AuthorType, DeliveryState, MessageDirection, Thread, ThreadMessage, ThreadPriority,
};
pub(crate) use words::entry as index_entry;

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use self::reports::report_status;
use crate::events::states::ThreadStatus;
use crate::sql::error::StoreError;
use crate::sql::record::Column;
use crate::sql::scope::{Scope, find_by_id, row_by_id};

group! {
    /// Threads of the inbox.
    pub Threads, threads
}

impl Threads<'_> {
    /// One thread.
    pub async fn find(self, scope: &Scope, thread_id: Uuid) -> Result<Option<Thread>, StoreError> {
        find_by_id(self.store, row_by_id!(thread_columns of "threads", "thread_id"), scope, thread_id).await
    }

    /// Opens snoozed threads whose time has come, at most `limit`, and returns how many. Over all accounts:
    /// for recurring work of the installation.
    pub async fn wake(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let due = sqlx::query(
            "SELECT thread_id, account_id FROM threads WHERE snoozed_until <= $1 ORDER BY snoozed_until LIMIT $2",
        )
        .bind(crate::sql::row::micros(now))
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

/// Returns the name of a person of any account.
pub(crate) async fn name_of_user(
    connection: &mut AnyConnection,
    user_id: Uuid,
) -> Result<Option<String>, StoreError> {
    let row = sqlx::query("SELECT name FROM users WHERE user_id = $1")
        .bind(user_id.to_string())
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|row| String::read(&row, "name")).transpose()?)
}
