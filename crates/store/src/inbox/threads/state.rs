//! How a thread changes: with messages, and by what people do with it.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::record::{MessageDirection, Thread};
use crate::events::states::ThreadStatus;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{micros, stored};
use crate::sql::scope::{Scope, in_scope, scoped_as};

/// The longest preview of a message, in characters.
const PREVIEW: usize = 200;

impl Thread {
    /// Sets the status, and what goes with it.
    pub(crate) fn set_status(
        &mut self,
        status: ThreadStatus,
        snoozed_until: Option<Timestamp>,
        now: Timestamp,
    ) {
        let was_resolved = self.status == ThreadStatus::Resolved;
        self.status = status;
        self.snoozed_until = snoozed_until.filter(|_| status == ThreadStatus::Snoozed);
        self.resolved_at = match status {
            ThreadStatus::Resolved if was_resolved => self.resolved_at,
            ThreadStatus::Resolved => Some(now),
            _ => None,
        };
        if matches!(status, ThreadStatus::Resolved | ThreadStatus::Spam) {
            self.waiting_since = None;
        }
        self.updated_at = now;
    }

    /// Counts a message, which is now the last one unless it is a note.
    pub(crate) fn count(&mut self, direction: MessageDirection, body: &str, now: Timestamp) {
        self.message_count += 1;
        self.updated_at = now;
        if direction != MessageDirection::Internal {
            self.last_message_at = self.last_message_at.max(now);
            self.last_message_preview = preview(body);
        }
    }

    /// The contact has written and waits for a person: a thread that was put aside is open again.
    pub(crate) fn awaits_reply(&mut self, now: Timestamp) {
        self.unread_count += 1;
        if matches!(self.status, ThreadStatus::Snoozed | ThreadStatus::Resolved) {
            self.set_status(ThreadStatus::Open, None, now);
        }
        if self.status != ThreadStatus::Spam {
            self.waiting_since = self.waiting_since.or(Some(now));
        }
    }

    /// A person has answered, and so has read what was written.
    pub(crate) fn is_answered(&mut self, now: Timestamp) {
        self.unread_count = 0;
        self.waiting_since = None;
        self.first_reply_at = self.first_reply_at.or(Some(now));
    }
}

/// Returns the beginning of a message on one line.
fn preview(body: &str) -> String {
    let mut preview = String::new();
    for (count, character) in
        body.split_whitespace().flat_map(|word| [" ", word]).skip(1).flat_map(str::chars).enumerate()
    {
        if count == PREVIEW {
            break;
        }
        preview.push(character);
    }
    replace_nul(preview)
}

/// Finds a thread and locks its row until the transaction ends. SQLite needs no lock: its write transactions
/// run one at a time.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    thread_id: Uuid,
) -> Result<Option<Thread>, StoreError> {
    macro_rules! select {
        ($lock:literal) => {
            concat!(
                "SELECT ",
                thread_columns!(),
                " FROM threads WHERE ",
                in_scope!(),
                " AND thread_id = $3",
                $lock
            )
        };
    }
    let sql = dialect.pick(select!(""), select!(" FOR NO KEY UPDATE"));
    Ok(scoped_as(sql, scope).bind(thread_id.to_string()).fetch_optional(connection).await?)
}

/// Writes a new thread.
pub(crate) async fn insert(connection: &mut AnyConnection, thread: &Thread) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO threads (thread_id, account_id, channel, channel_id, external_key, conversation_id, chatbot_id, created_at, \
         status, priority, tags, unread_count, message_count, last_message_at, last_message_preview, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0, $8, '', $8)",
    )
    .bind(thread.thread_id.to_string())
    .bind(thread.account_id.to_string())
    .bind(thread.channel.as_str())
    .bind(thread.channel_id.map(|id| id.to_string()))
    .bind(thread.external_key.clone())
    .bind(thread.conversation_id.map(|id| id.to_string()))
    .bind(thread.chatbot_id.map(|id| id.to_string()))
    .bind(micros(thread.created_at))
    .bind(thread.status.as_str())
    .bind(thread.priority.as_str())
    .bind(thread.tags.to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes all that can change of a locked thread.
pub(crate) async fn save(connection: &mut AnyConnection, thread: &Thread) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE threads SET contact_id = $3, subject = $4, status = $5, priority = $6, assignee_id = $7, tags = $8, \
         snoozed_until = $9, unread_count = $10, message_count = $11, last_message_at = $12, last_message_preview = $13, \
         waiting_since = $14, first_reply_at = $15, resolved_at = $16, updated_at = $17 \
         WHERE thread_id = $1 AND account_id = $2",
    )
    .bind(thread.thread_id.to_string())
    .bind(thread.account_id.to_string())
    .bind(thread.contact_id.map(|id| id.to_string()))
    .bind(thread.subject.as_deref().map(replace_nul))
    .bind(thread.status.as_str())
    .bind(thread.priority.as_str())
    .bind(thread.assignee_id.map(|id| id.to_string()))
    .bind(thread.tags.to_string())
    .bind(thread.snoozed_until.map(micros))
    .bind(stored(thread.unread_count))
    .bind(stored(thread.message_count))
    .bind(micros(thread.last_message_at))
    .bind(thread.last_message_preview.clone())
    .bind(thread.waiting_since.map(micros))
    .bind(thread.first_reply_at.map(micros))
    .bind(thread.resolved_at.map(micros))
    .bind(micros(thread.updated_at))
    .execute(connection)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn previews_are_short_and_on_one_line() {
        assert_eq!(preview("  Hello,\n\n\tI  need "), "Hello, I need");
        assert_eq!(preview(&"ä ".repeat(300)).chars().count(), PREVIEW);
        assert_eq!(preview(""), "");
    }
}
