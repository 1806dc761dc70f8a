//! The second step of an erasure: deletes what has words of the person besides the messages of its
//! conversations and threads.
//!
//! What to delete is read first, without holding anybody up, and then deleted some at a time.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::Erasure;
use crate::content::question_key::question_key;
use crate::conversations::unanswered_questions::stored_text;
use crate::lifecycle::personal_data::blanks;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::hidden::is_hidden;
use crate::sql::row::{Columns, texts_of};
use crate::work::idempotency;

/// Messages whose questions are looked for at a time.
const MESSAGES: i64 = 1_000;

/// Marks the objects of rows for deletion, and deletes the rows: of attachments and of skipped e-mails.
const RELEASE_ATTACHMENTS: [&str; 2] = [
    "UPDATE stored_objects SET is_erased = 1 WHERE object_key IN \
     (SELECT a.object_key FROM attachments AS a WHERE a.attachment_id {1})",
    "DELETE FROM attachments WHERE attachment_id {1}",
];
const RELEASE_MAILS: [&str; 2] = [
    "UPDATE stored_objects SET is_erased = 1 WHERE object_key IN \
     (SELECT s.object_key FROM skipped_mails AS s WHERE s.skipped_mail_id {1})",
    "DELETE FROM skipped_mails WHERE skipped_mail_id {1}",
];

impl Erasure {
    /// Ends the sessions of widgets of the person, and those in whose conversations the person has written.
    pub(super) async fn end_sessions(&self) -> Result<(), StoreError> {
        sqlx::query(self.with_lists(
            "DELETE FROM visitor_sessions WHERE account_id = $1 AND (contact_id {2} OR verified_subject {3} OR session_id IN \
             (SELECT v.session_id FROM visitor_messages AS v JOIN conversations AS c ON c.conversation_id = v.conversation_id \
             WHERE c.account_id = $1 AND c.contact_id {2}))",
        ))
        .bind(self.person.account_id.to_string())
        .bind(json!(self.person.ids).to_string())
        .bind(json!(self.person.external_ids).to_string())
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Deletes the events about the person, also under the ids of contacts that were merged into it, and
    /// about what was detached from it.
    pub(super) async fn delete_events(&self) -> Result<(), StoreError> {
        let source = self
            .store
            .dialect()
            .pick("json_each($2) AS p", "json_array_elements_text(CAST($2 AS json)) AS p (value)");
        let mut ids = self
            .ids(
                &format!(
                    "SELECT event_id FROM events WHERE account_id = $1 AND contact_id {{2}} \
                     UNION SELECT e.event_id FROM events AS e WHERE e.account_id = $1 AND e.type LIKE 'deal.%' AND EXISTS \
                     (SELECT 1 FROM {source} WHERE e.data LIKE '%' || p.value || '%')"
                ),
                "event_id",
            )
            .await?;
        ids.extend(
            self.ids_of_erasure(
                "SELECT e.event_id FROM erasing_texts AS x JOIN events AS e ON e.conversation_id = x.container_id \
                 WHERE x.contact_id = $1 UNION SELECT e.event_id FROM erasing_texts AS x \
                 JOIN events AS e ON e.about_id = x.container_id WHERE x.contact_id = $1",
                "event_id",
            )
            .await?,
        );
        self.in_batches(&ids, &["DELETE FROM events WHERE event_id {1}"]).await?;
        Ok(())
    }

    /// Deletes the attachments of hidden messages. Their objects are deleted at once, as nothing names them
    /// any more.
    pub(super) async fn delete_attachments(&self) -> Result<(), StoreError> {
        let ids = self
            .ids_of_erasure(
                "SELECT a.attachment_id FROM erasing_texts AS x JOIN thread_messages AS m ON m.thread_id = x.container_id \
                 AND m.position <= x.through JOIN attachments AS a ON a.message_id = m.message_id WHERE x.contact_id = $1",
                "attachment_id",
            )
            .await?;
        self.in_batches(&ids, &RELEASE_ATTACHMENTS).await?;
        Ok(())
    }

    /// Empties what the person has written in threads with others, and deletes the events that report it.
    pub(super) async fn empty_elsewhere(&self) -> Result<(), StoreError> {
        let rows = sqlx::query(self.with_lists(concat!(
            "SELECT m.message_id AS message_id, m.thread_id AS thread_id FROM thread_messages AS m \
             WHERE m.account_id = $1 AND m.author_id {2} AND NOT ",
            is_hidden!("m" in "thread_id")
        )))
        .bind(self.person.account_id.to_string())
        .bind(json!(self.person.ids).to_string())
        .fetch_all(self.store.reader())
        .await?;
        let mut ids = Vec::with_capacity(rows.len());
        let mut events = Vec::new();
        for row in &rows {
            let message_id = row.text("message_id")?;
            let reporting = sqlx::query("SELECT event_id FROM events WHERE about_id = $1 AND data LIKE $2")
                .bind(row.text("thread_id")?)
                .bind(format!("%{message_id}%"))
                .fetch_all(self.store.reader())
                .await?;
            for event in reporting {
                events.push(event.text("event_id")?);
            }
            ids.push(message_id);
        }
        if ids.is_empty() {
            return Ok(());
        }
        let attachments =
            sqlx::query(self.with_lists(
                "SELECT attachment_id FROM attachments WHERE message_id {1} ORDER BY attachment_id",
            ))
            .bind(json!(ids).to_string())
            .fetch_all(self.store.reader())
            .await?;
        let attachments: Vec<String> = texts_of(&attachments, "attachment_id")?;
        self.in_batches(&attachments, &RELEASE_ATTACHMENTS).await?;
        self.in_batches(&events, &["DELETE FROM events WHERE event_id {1}"]).await?;
        // The preview of a thread is that of its last message, apart from notes.
        let preview = "UPDATE threads SET last_message_preview = '' WHERE thread_id IN (SELECT m.thread_id \
             FROM thread_messages AS m WHERE m.message_id {1} AND NOT EXISTS (SELECT 1 FROM thread_messages AS later \
             WHERE later.thread_id = m.thread_id AND later.position > m.position AND later.direction <> 'internal'))";
        let empty = format!(
            "UPDATE thread_messages SET {}{} WHERE message_id {{1}}",
            blanks("thread_messages"),
            self.store.dialect().pick("", ", tokens = CAST('' AS tsvector)")
        );
        let unindex = "DELETE FROM thread_message_index WHERE rowid IN \
             (SELECT m.message_no FROM thread_messages AS m WHERE m.message_id {1})";
        let statements = match self.store.dialect() {
            Dialect::Sqlite => vec![preview, unindex, &*empty],
            Dialect::Postgres => vec![preview, &*empty],
        };
        let Some(mut transaction) = self.begin().await? else { return Ok(()) };
        self.note_unindexed(&mut transaction).await?;
        transaction.commit().await?;
        self.in_batches(&ids, &statements).await?;
        Ok(())
    }

    /// Deletes the questions that could not be answered and were asked in hidden messages: those that were
    /// last asked there, and those with the same words.
    pub(super) async fn delete_questions(&self) -> Result<(), StoreError> {
        let mut ids: BTreeSet<String> = self
            .ids_of_erasure(
                "SELECT q.unanswered_question_id FROM erasing_texts AS x \
                 JOIN unanswered_questions AS q ON q.conversation_id = x.container_id WHERE x.contact_id = $1",
                "unanswered_question_id",
            )
            .await?
            .into_iter()
            .collect();
        let (mut conversation_id, mut position) = (String::new(), 0);
        let mut known: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        loop {
            let said = sqlx::query(
                "SELECT m.chatbot_id AS chatbot_id, m.conversation_id AS conversation_id, m.position AS position, m.role AS role, \
                 CASE WHEN m.role = 'visitor' THEN m.body ELSE '' END AS body FROM erasing_texts AS x \
                 JOIN messages AS m ON m.conversation_id = x.container_id AND m.position <= x.through \
                 WHERE x.contact_id = $1 AND (x.container_id, m.position) > ($2, $3) \
                 ORDER BY x.container_id, m.position LIMIT $4",
            )
            .bind(self.person.contact_id.to_string())
            .bind(conversation_id.clone())
            .bind(position)
            .bind(MESSAGES)
            .fetch_all(self.store.reader())
            .await?;
            let Some(last) = said.last() else { break };
            conversation_id = last.text("conversation_id")?;
            position = last.int("position")?;
            for message in &said {
                let body = message.text("body")?;
                if body.is_empty() {
                    continue;
                }
                let chatbot_id = message.text("chatbot_id")?;
                if !known.contains_key(&chatbot_id) {
                    known.insert(chatbot_id.clone(), self.questions(&chatbot_id).await?);
                }
                let asked =
                    known.get(&chatbot_id).and_then(|known| known.get(&question_key(&stored_text(&body))));
                ids.extend(asked.cloned());
            }
        }
        let ids: Vec<String> = ids.into_iter().collect();
        self.in_batches(&ids, &["DELETE FROM unanswered_questions WHERE unanswered_question_id {1}"]).await?;
        Ok(())
    }

    /// The questions of a chatbot, which are some hundred at most, by their words.
    async fn questions(&self, chatbot_id: &str) -> Result<BTreeMap<String, String>, StoreError> {
        let rows = sqlx::query(
            "SELECT question_key, unanswered_question_id FROM unanswered_questions WHERE chatbot_id = $1",
        )
        .bind(chatbot_id.to_owned())
        .fetch_all(self.store.reader())
        .await?;
        let mut questions = BTreeMap::new();
        for row in rows {
            questions.insert(row.text("question_key")?, row.text("unanswered_question_id")?);
        }
        Ok(questions)
    }

    /// Deletes the skipped e-mails that the person has sent or that name one of its addresses, as a bounce
    /// does.
    pub(super) async fn delete_skipped_mails(&self) -> Result<(), StoreError> {
        if self.person.emails.is_empty() {
            return Ok(());
        }
        let source = self
            .store
            .dialect()
            .pick("json_each($2) AS p", "json_array_elements_text(CAST($2 AS json)) AS p (value)");
        let sql = format!(
            "SELECT s.skipped_mail_id FROM skipped_mails AS s WHERE s.account_id = $1 AND EXISTS (SELECT 1 FROM {source} \
             WHERE s.from_address = p.value OR {})",
            self.store.dialect().pick(
                "instr(s.addresses, ' ' || p.value || ' ') > 0",
                "position(' ' || p.value || ' ' IN s.addresses) > 0"
            )
        );
        let rows = sqlx::query(self.with_lists(&sql))
            .bind(self.person.account_id.to_string())
            .bind(json!(self.person.emails).to_string())
            .fetch_all(self.store.reader())
            .await?;
        let ids: Vec<String> = texts_of(&rows, "skipped_mail_id")?;
        self.in_batches(&ids, &RELEASE_MAILS).await?;
        Ok(())
    }

    /// Deletes the stored responses that name what was erased.
    pub(super) async fn forget_responses(&self) -> Result<(), StoreError> {
        idempotency::forget(&self.store, self.person.account_id).await
    }
}
