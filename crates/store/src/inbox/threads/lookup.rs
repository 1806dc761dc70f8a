//! Threads by what e-mails say of the messages before them.

use jiff::Timestamp;
use uuid::Uuid;

use super::Threads;
use super::record::{MessageDirection, Thread};
use crate::sql::error::StoreError;
use crate::sql::hidden::is_hidden;
use crate::sql::nul::replace_nul;
use crate::sql::record::unreadable;
use crate::sql::row::{Columns, email_spellings, micros};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// What the channel of a thread knows one of its messages by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageKey {
    /// Which way the message goes.
    pub direction: MessageDirection,
    /// What the channel knows it by.
    pub external_id: String,
    /// The subject that it came with.
    pub subject: Option<String>,
    /// Who wrote it: the contact, for a message that came in.
    pub author_id: Option<Uuid>,
}

impl Threads<'_> {
    /// Returns the thread that has a message with one of these ids (`Message-ID` without angle brackets); the
    /// first id that is known counts.
    ///
    /// Messages of the account are sent under ids that begin with their own identifier, so they are found
    /// whatever channel has sent them.
    pub async fn find_by_message_ids(
        self,
        scope: &Scope,
        channel_id: Uuid,
        ids: &[String],
    ) -> Result<Option<Uuid>, StoreError> {
        for id in ids {
            let own = id.split('@').next().and_then(|local| Uuid::parse_str(local).ok());
            let found = scoped(
                concat!(
                    "SELECT thread_id FROM thread_messages WHERE ",
                    in_scope!(),
                    " AND (channel_id = $3 AND external_id = $4 OR message_id = $5 AND direction = 'outbound') AND NOT ",
                    is_hidden!("thread_messages" in "thread_id"),
                    " LIMIT 1"
                ),
                scope,
            )
            .bind(channel_id.to_string())
            .bind(replace_nul(id))
            .bind(own.unwrap_or_default().to_string())
            .fetch_optional(self.store.reader())
            .await?;
            if let Some(found) = found {
                return Ok(Some(found.parsed("thread_id")?));
            }
        }
        Ok(None)
    }

    /// Returns the newest threads of a channel, at most `limit`, whose contact has this address and that have
    /// a message at or after a time.
    pub async fn recent_with(
        self,
        scope: &Scope,
        channel_id: Uuid,
        email: &str,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<Thread>, StoreError> {
        let [key, written] = email_spellings(email);
        // By way of the contacts, which are few, to the index of their threads.
        let recent = scoped_as(
            concat!(
                "SELECT ",
                thread_columns!(),
                " FROM threads WHERE ",
                in_scope!(),
                " AND channel_id = $3 AND last_message_at >= $5 AND contact_id IN \
                 (SELECT contacts.contact_id FROM contacts WHERE contacts.account_id = threads.account_id \
                 AND contacts.email IN ($4, $7)) ORDER BY last_message_at DESC, thread_id DESC LIMIT $6"
            ),
            scope,
        )
        .bind(channel_id.to_string())
        .bind(key)
        .bind(micros(since))
        .bind(i64::from(limit))
        .bind(written);
        Ok(recent.fetch_all(self.store.reader()).await?)
    }

    /// Returns what the channel of a thread knows its newest messages by, at most `limit`, oldest first.
    pub async fn message_keys(
        self,
        scope: &Scope,
        thread_id: Uuid,
        limit: u32,
    ) -> Result<Vec<MessageKey>, StoreError> {
        let mut rows = scoped(
            concat!(
                "SELECT direction, external_id, subject, author_id FROM thread_messages WHERE ",
                in_scope!(),
                " AND thread_id = $3 AND external_id IS NOT NULL AND NOT ",
                is_hidden!("thread_messages" in "thread_id"),
                " ORDER BY position DESC LIMIT $4"
            ),
            scope,
        )
        .bind(thread_id.to_string())
        .bind(i64::from(limit))
        .fetch_all(self.store.reader())
        .await?;
        rows.reverse();
        rows.iter()
            .map(|row| {
                // Behind a space is what tells it from another message with the same id.
                let key = row.text("external_id")?;
                let external_id = key.split(' ').next().unwrap_or_default().to_owned();
                let subject = row.text_opt("subject")?;
                let author_id = row.text_opt("author_id")?.map(|id| id.parse());
                let author_id = author_id.transpose().map_err(|error| unreadable("author_id", error))?;
                Ok(MessageKey { direction: row.parsed("direction")?, external_id, subject, author_id })
            })
            .collect()
    }
}
