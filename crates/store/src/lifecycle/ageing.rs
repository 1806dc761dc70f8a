//! Removal of expired conversations and threads, together with all other data that repeats their words.
//!
//! One transaction removes a bounded number of messages: those of several short conversations, or a part of a
//! long one.

use jiff::Timestamp;
use serde_json::json;
use sqlx::{AnyConnection, SqlStr};
use uuid::Uuid;

use super::erasure::with_lists;
use crate::sql::database::Store;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, texts_of};
use crate::work::idempotency;

/// Messages that one transaction removes.
const MESSAGES: i64 = 500;
/// Conversations or threads that are looked at in one go.
const AT_A_TIME: i64 = 100;
/// Events, questions or e-mails that one transaction removes.
const BATCH: usize = 250;

/// What has an age.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Conversations, with their threads.
    Conversation,
    /// Threads that are no chats.
    Thread,
}

/// What of an account is older than a moment.
pub(crate) struct Ageing<'s> {
    pub(crate) store: &'s Store,
    pub(crate) account_id: Uuid,
    /// The moment, in microseconds.
    pub(crate) before: i64,
    pub(crate) now: Timestamp,
}

impl Kind {
    /// The condition of those that are removed: `$1` is the account, `$2` the moment.
    const fn due(self) -> &'static str {
        match self {
            Self::Conversation => {
                "FROM conversations AS old WHERE old.account_id = $1 AND old.last_message_at < $2"
            }
            Self::Thread => {
                "FROM threads AS old WHERE old.account_id = $1 AND old.last_message_at < $2 AND old.conversation_id IS NULL"
            }
        }
    }

    const fn id(self) -> &'static str {
        match self {
            Self::Conversation => "conversation_id",
            Self::Thread => "thread_id",
        }
    }

    const fn table(self) -> &'static str {
        match self {
            Self::Conversation => "conversations",
            Self::Thread => "threads",
        }
    }

    /// The threads of some of them.
    const fn threads(self) -> &'static str {
        match self {
            Self::Conversation => "(SELECT t.thread_id FROM threads AS t WHERE t.conversation_id {1})",
            Self::Thread => "(SELECT t.thread_id FROM threads AS t WHERE t.thread_id {1})",
        }
    }
}

impl Ageing<'_> {
    /// Removes up to `limit` of a kind, the oldest first, and returns how many.
    pub(crate) async fn remove(&self, kind: Kind, limit: u32) -> Result<u64, StoreError> {
        let mut removed = 0;
        while removed < u64::from(limit) {
            let left = i64::try_from(u64::from(limit) - removed).unwrap_or(AT_A_TIME);
            let due = format!(
                "SELECT old.{id} AS id, old.message_count AS messages {due} ORDER BY old.last_message_at, old.{id} LIMIT {limit}",
                id = kind.id(),
                due = kind.due(),
                limit = left.min(AT_A_TIME)
            );
            let rows = sqlx::query(self.sql(&due))
                .bind(self.account_id.to_string())
                .bind(self.before)
                .fetch_all(self.store.reader())
                .await?;
            if rows.is_empty() {
                break;
            }
            let (mut some, mut messages) = (Vec::new(), 0);
            for row in rows {
                let (id, count) = (row.text("id")?, row.int("messages")?);
                if messages + count > MESSAGES && !some.is_empty() {
                    removed += self.remove_some(kind, &some).await?;
                    (some, messages) = (Vec::new(), 0);
                }
                if count > MESSAGES {
                    self.shorten(kind, &id, count).await?;
                }
                some.push(id);
                messages += count.min(MESSAGES);
            }
            removed += self.remove_some(kind, &some).await?;
        }
        Ok(removed)
    }

    /// Returns whether some of a kind are left to remove.
    pub(super) async fn has_more(&self, kind: Kind) -> Result<bool, StoreError> {
        let due = sqlx::query(self.sql(&format!("SELECT 1 {} LIMIT 1", kind.due())))
            .bind(self.account_id.to_string())
            .bind(self.before);
        Ok(due.fetch_optional(self.store.reader()).await?.is_some())
    }

    /// Removes events of conversations and threads, questions, and skipped e-mails that are as old. Returns
    /// how many.
    pub(super) async fn remove_others(&self) -> Result<u64, StoreError> {
        let mut removed = self
            .remove_all(
                "SELECT event_id AS id FROM events WHERE account_id = $1 AND created_at < $2 \
             AND (conversation_id IS NOT NULL OR type LIKE 'message.%' OR type LIKE 'thread.%')",
                &["DELETE FROM events WHERE event_id {1}"],
            )
            .await?;
        removed += self.remove_all(
            "SELECT unanswered_question_id AS id FROM unanswered_questions WHERE account_id = $1 AND last_asked_at < $2",
            &["DELETE FROM unanswered_questions WHERE unanswered_question_id {1}"],
        )
        .await?;
        removed += self
            .remove_all(
                "SELECT skipped_mail_id AS id FROM skipped_mails WHERE account_id = $1 AND created_at < $2",
                &[
                    "UPDATE stored_objects SET is_erased = 1 WHERE object_key IN \
                 (SELECT s.object_key FROM skipped_mails AS s WHERE s.skipped_mail_id {1})",
                    "DELETE FROM skipped_mails WHERE skipped_mail_id {1}",
                ],
            )
            .await?;
        Ok(removed)
    }

    /// Removes the rows whose ids a statement reads, and returns how many.
    async fn remove_all(&self, select: &str, statements: &[&str]) -> Result<u64, StoreError> {
        let rows = sqlx::query(self.sql(select))
            .bind(self.account_id.to_string())
            .bind(self.before)
            .fetch_all(self.store.reader())
            .await?;
        let ids: Vec<String> = texts_of(&rows, "id")?;
        for some in ids.chunks(BATCH) {
            let mut transaction = self.store.begin().await?;
            for statement in statements {
                self.run(&mut transaction, statement, some).await?;
            }
            transaction.commit().await?;
        }
        Ok(ids.len() as u64)
    }

    /// Removes the messages of a long conversation or thread but the last ones, as long as nobody adds one.
    async fn shorten(&self, kind: Kind, id: &str, count: i64) -> Result<(), StoreError> {
        let ids = [id.to_owned()];
        let mut until = 0;
        while until + MESSAGES < count {
            until += MESSAGES;
            let mut transaction = self.store.begin().await?;
            if self.lock_due(&mut transaction, kind, &ids).await?.is_empty() {
                return Ok(());
            }
            self.release_attachments(&mut transaction, kind, &ids, until).await?;
            let mut statements = vec![format!(
                "DELETE FROM thread_messages WHERE thread_id IN {} AND position <= {until}",
                kind.threads()
            )];
            if kind == Kind::Conversation {
                statements.push(format!(
                    "DELETE FROM messages WHERE conversation_id {{1}} AND position <= {until}"
                ));
                statements.push(format!(
                    "DELETE FROM events WHERE event_id IN (SELECT e.event_id FROM events AS e \
                     WHERE e.conversation_id {{1}} LIMIT {MESSAGES})"
                ));
            }
            statements.push(format!(
                "DELETE FROM events WHERE event_id IN (SELECT e.event_id FROM events AS e \
                 WHERE e.about_id IN {} LIMIT {MESSAGES})",
                kind.threads()
            ));
            for statement in &statements {
                self.run(&mut transaction, statement, &ids).await?;
            }
            self.note_unindexed(&mut transaction).await?;
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Notes that entries are deleted from the search index, together with them. An account that keeps
    /// everything has no place for the note.
    async fn note_unindexed(&self, connection: &mut AnyConnection) -> Result<(), StoreError> {
        sqlx::query("UPDATE retention SET is_unindexed = 1 WHERE account_id = $1 AND is_unindexed = 0")
            .bind(self.account_id.to_string())
            .execute(connection)
            .await?;
        Ok(())
    }

    /// Removes some with all that belongs to them, unless somebody has added a message meanwhile. Returns how
    /// many were removed.
    async fn remove_some(&self, kind: Kind, ids: &[String]) -> Result<u64, StoreError> {
        let mut transaction = self.store.begin().await?;
        let ids = self.lock_due(&mut transaction, kind, ids).await?;
        let rows = sqlx::query(
            self.sql(&format!("SELECT t.thread_id FROM threads AS t WHERE t.{} {{1}}", kind.id())),
        )
        .bind(json!(ids).to_string())
        .fetch_all(&mut *transaction)
        .await?;
        let threads: Vec<String> = texts_of(&rows, "thread_id")?;
        self.release_attachments(&mut transaction, kind, &ids, i64::MAX).await?;
        self.run(&mut transaction, "DELETE FROM events WHERE conversation_id {1}", &ids).await?;
        self.run(&mut transaction, "DELETE FROM events WHERE about_id {1}", &threads).await?;
        for noted in [&ids, &threads] {
            idempotency::note_erased(&mut transaction, self.account_id, noted, self.now).await?;
        }
        let removed = self
            .run(&mut transaction, &format!("DELETE FROM {} WHERE {} {{1}}", kind.table(), kind.id()), &ids)
            .await?;
        if removed > 0 {
            self.note_unindexed(&mut transaction).await?;
        }
        transaction.commit().await?;
        Ok(removed)
    }

    /// Returns those of some ids that are still due, locked until the transaction ends.
    async fn lock_due(
        &self,
        connection: &mut AnyConnection,
        kind: Kind,
        ids: &[String],
    ) -> Result<Vec<String>, StoreError> {
        let lock = self.store.dialect().pick("", " FOR UPDATE");
        let sql = format!(
            "SELECT old.{id} AS id {due} AND old.{id} {{3}} ORDER BY old.{id}{lock}",
            id = kind.id(),
            due = kind.due()
        );
        let rows = sqlx::query(self.sql(&sql))
            .bind(self.account_id.to_string())
            .bind(self.before)
            .bind(json!(ids).to_string())
            .fetch_all(connection)
            .await?;
        Ok(texts_of(&rows, "id")?)
    }

    /// Has the objects of attachments deleted at once when nothing names them any more.
    async fn release_attachments(
        &self,
        connection: &mut AnyConnection,
        kind: Kind,
        ids: &[String],
        until: i64,
    ) -> Result<(), StoreError> {
        let sql = format!(
            "UPDATE stored_objects SET is_erased = 1 WHERE object_key IN (SELECT a.object_key FROM thread_messages AS m \
             JOIN attachments AS a ON a.message_id = m.message_id WHERE m.thread_id IN {} AND m.position <= {until})",
            kind.threads()
        );
        self.run(connection, &sql, ids).await?;
        Ok(())
    }

    async fn run(
        &self,
        connection: &mut AnyConnection,
        statement: &str,
        ids: &[String],
    ) -> Result<u64, StoreError> {
        let done = sqlx::query(self.sql(statement)).bind(json!(ids).to_string()).execute(connection).await?;
        Ok(done.rows_affected())
    }

    fn sql(&self, statement: &str) -> SqlStr {
        with_lists(self.store.dialect(), statement)
    }
}
