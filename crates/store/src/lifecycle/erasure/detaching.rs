//! The first step of an erasure: everything leaves the contact, and then the contact goes.

use serde_json::json;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::{Erasure, with_lists};
use crate::board::lock::lock_board;
use crate::contacts::account::AccountContacts;
use crate::lifecycle::personal_data::blanks;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, texts_of};
use crate::work::idempotency;

/// Conversations, threads or deals that leave a contact in one transaction.
const AT_A_TIME: usize = 100;

impl Erasure {
    /// Takes everything from the contact and deletes it. What is linked to it meanwhile is taken as well.
    pub(super) async fn detach(&self) -> Result<(), StoreError> {
        loop {
            self.detach_conversations().await?;
            self.detach_threads().await?;
            self.empty_activities().await?;
            self.leave_deals().await?;
            self.leave_other_deals().await?;
            if self.delete_contact().await? {
                return Ok(());
            }
        }
    }

    /// Whoever stores a text in a conversation changes its row first, so each text is either stored before
    /// its conversation is detached, or its author sees that it was.
    async fn detach_conversations(&self) -> Result<(), StoreError> {
        loop {
            // By the contact, or by the proven identity if they have lost the contact.
            let rows = sqlx::query(self.with_lists(&format!(
                "SELECT conversation_id FROM conversations WHERE contact_id {{2}} AND account_id = $1 \
                 UNION SELECT conversation_id FROM conversations WHERE account_id = $1 AND verified_subject {{3}} \
                 AND contact_id IS NULL ORDER BY conversation_id LIMIT {AT_A_TIME}"
            )))
            .bind(self.person.account_id.to_string())
            .bind(json!(self.person.ids).to_string())
            .bind(json!(self.person.external_ids).to_string())
            .fetch_all(self.store.reader())
            .await?;
            let ids = texts(&rows, "conversation_id")?;
            if ids.is_empty() {
                return Ok(());
            }
            let Some(mut transaction) = self.begin().await? else { return Ok(()) };
            let dialect = self.store.dialect();
            lock(&mut transaction, dialect, "conversations", "conversation_id", &ids).await?;
            let rows =
                sqlx::query(self.with_lists("SELECT thread_id FROM threads WHERE conversation_id {1}"))
                    .bind(json!(ids).to_string())
                    .fetch_all(&mut *transaction)
                    .await?;
            let threads = texts(&rows, "thread_id")?;
            self.hide(&mut transaction, "conversation", &ids).await?;
            self.empty_threads(&mut transaction, &threads).await?;
            let sql = format!(
                "UPDATE conversations SET {}, mode = 'closed', handover_due_at = NULL, context_start = message_count \
                 WHERE conversation_id {{1}}",
                blanks("conversations")
            );
            sqlx::query(self.with_lists(&sql))
                .bind(json!(ids).to_string())
                .execute(&mut *transaction)
                .await?;
            self.note(&mut transaction, &ids).await?;
            transaction.commit().await?;
        }
    }

    /// Among them are doubtful submissions that name an address of the person: they have no contact.
    async fn detach_threads(&self) -> Result<(), StoreError> {
        loop {
            let rows = sqlx::query(self.with_lists(&format!(
                "SELECT thread_id FROM threads WHERE account_id = $1 AND contact_id {{2}} \
                 UNION SELECT thread_id FROM threads WHERE account_id = $1 AND claimed_email {{3}} \
                 AND contact_id IS NULL ORDER BY thread_id LIMIT {AT_A_TIME}"
            )))
            .bind(self.person.account_id.to_string())
            .bind(json!(self.person.ids).to_string())
            .bind(json!(self.person.emails).to_string())
            .fetch_all(self.store.reader())
            .await?;
            let ids = texts(&rows, "thread_id")?;
            if ids.is_empty() {
                return Ok(());
            }
            let Some(mut transaction) = self.begin().await? else { return Ok(()) };
            self.empty_threads(&mut transaction, &ids).await?;
            transaction.commit().await?;
        }
    }

    /// Takes words and links out of the rows of threads, and hides their messages.
    async fn empty_threads(&self, connection: &mut AnyConnection, ids: &[String]) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        lock(connection, self.store.dialect(), "threads", "thread_id", ids).await?;
        self.hide(connection, "thread", ids).await?;
        let sql = format!(
            "UPDATE threads SET {}, status = 'resolved', snoozed_until = NULL, waiting_since = NULL, unread_count = 0 \
             WHERE thread_id {{1}}",
            blanks("threads")
        );
        sqlx::query(self.with_lists(&sql)).bind(json!(ids).to_string()).execute(&mut *connection).await?;
        self.note(connection, ids).await
    }

    /// Notes that the messages which conversations or threads have at present are to be emptied, and hides
    /// them until then.
    async fn hide(
        &self,
        connection: &mut AnyConnection,
        kind: &str,
        ids: &[String],
    ) -> Result<(), StoreError> {
        let sql = format!(
            "INSERT INTO erasing_texts (container_id, contact_id, account_id, kind, through, done) \
             SELECT {kind}_id, $2, account_id, '{kind}', message_count, 0 FROM {kind}s WHERE {kind}_id {{1}} \
             ON CONFLICT (container_id) DO UPDATE SET through = excluded.through, contact_id = excluded.contact_id"
        );
        sqlx::query(self.with_lists(&sql))
            .bind(json!(ids).to_string())
            .bind(self.person.contact_id.to_string())
            .execute(connection)
            .await?;
        Ok(())
    }

    /// Notes ids, so that no response that names one is stored for repeats.
    async fn note(&self, connection: &mut AnyConnection, ids: &[String]) -> Result<(), StoreError> {
        idempotency::note_erased(connection, self.person.account_id, ids, self.moment()).await
    }

    /// Removes the texts of the activities that concern the contact, and ends its follow-ups. That an address
    /// has unsubscribed stays known: its row holds a hash.
    async fn empty_activities(&self) -> Result<(), StoreError> {
        let empty =
            format!("UPDATE deal_activities SET {} WHERE deal_activity_id {{1}}", blanks("deal_activities"));
        let ids = self
            .ids(
                "SELECT deal_activity_id FROM deal_activities WHERE account_id = $1 AND contact_id {2} \
                 ORDER BY deal_activity_id",
                "deal_activity_id",
            )
            .await?;
        self.in_batches(
            &ids,
            &[
                "UPDATE deal_activities SET state = 'stopped', stopped_reason = 'contact_erased', next_attempt_at = NULL, \
                 send_now = 0 WHERE deal_activity_id {1} AND state IN ('scheduled', 'sending', 'waiting')",
                &empty,
            ],
        )
        .await?;
        Ok(())
    }

    /// Removes the contact from its deals: the links, what is known of it in titles, reasons and texts of
    /// activities, and the events that report these deals. The deals stay, because they are the business of
    /// the account.
    async fn leave_deals(&self) -> Result<(), StoreError> {
        loop {
            let ids = self
                .ids(
                    &format!(
                        "SELECT DISTINCT deal_id FROM deal_contacts WHERE account_id = $1 AND contact_id {{2}} \
                         ORDER BY deal_id LIMIT {AT_A_TIME}"
                    ),
                    "deal_id",
                )
                .await?;
            if ids.is_empty() {
                return Ok(());
            }
            let mut transaction = self.store.begin().await?;
            lock_board(&mut transaction, self.store.dialect(), self.person.account_id).await?;
            if !self.touch(&mut transaction).await? {
                return Ok(());
            }
            self.rewrite_deals(&mut transaction, &ids, |text| self.person.taken_from(text)).await?;
            let links = "DELETE FROM deal_contacts WHERE deal_id {1} AND contact_id {2}";
            sqlx::query(self.with_lists(links))
                .bind(json!(ids).to_string())
                .bind(json!(self.person.ids).to_string())
                .execute(&mut *transaction)
                .await?;
            self.note(&mut transaction, &ids).await?;
            transaction.commit().await?;
        }
    }

    /// Takes what is clearly this person's out of the deals that name it without a link.
    async fn leave_other_deals(&self) -> Result<(), StoreError> {
        let patterns = json!(self.person.patterns()).to_string();
        if self.person.patterns().is_empty() {
            return Ok(());
        }
        let (like, source) = match self.store.dialect() {
            Dialect::Sqlite => ("LIKE", "json_each($2) AS p"),
            Dialect::Postgres => ("ILIKE", "json_array_elements_text(CAST($2 AS json)) AS p (value)"),
        };
        let named = |table: &str, columns: &[&str]| {
            let any = columns.iter().map(|column| format!("t.{column} {like} p.value"));
            let any = any.collect::<Vec<_>>().join(" OR ");
            format!(
                "SELECT t.deal_id FROM {table} AS t WHERE t.account_id = $1 AND EXISTS (SELECT 1 FROM {source} WHERE {any})"
            )
        };
        let sql = format!(
            "{} UNION {} ORDER BY deal_id",
            named("deals", &["title", "lost_reason"]),
            named("deal_activities", &ACTIVITY_TEXTS)
        );
        let rows = sqlx::query(self.with_lists(&sql))
            .bind(self.person.account_id.to_string())
            .bind(patterns)
            .fetch_all(self.store.reader())
            .await?;
        for some in texts(&rows, "deal_id")?.chunks(AT_A_TIME) {
            let mut transaction = self.store.begin().await?;
            lock_board(&mut transaction, self.store.dialect(), self.person.account_id).await?;
            if !self.touch(&mut transaction).await? {
                return Ok(());
            }
            self.rewrite_deals(&mut transaction, some, |text| self.person.clearly_taken_from(text)).await?;
            self.note(&mut transaction, some).await?;
            transaction.commit().await?;
        }
        Ok(())
    }

    /// Rewrites the texts of deals and of their activities, and deletes the events about deals whose texts
    /// have changed.
    async fn rewrite_deals(
        &self,
        connection: &mut AnyConnection,
        ids: &[String],
        rewritten: impl Fn(&str) -> String + Send,
    ) -> Result<(), StoreError> {
        let deals =
            sqlx::query(self.with_lists(
                "SELECT deal_id, title, lost_reason FROM deals WHERE deal_id {1} ORDER BY deal_id",
            ))
            .bind(json!(ids).to_string())
            .fetch_all(&mut *connection)
            .await?;
        for deal in deals {
            let (title, reason) = (deal.text("title")?, deal.text_opt("lost_reason")?);
            let (new_title, new_reason) = (rewritten(&title), reason.as_deref().map(&rewritten));
            if (&title, &reason) == (&new_title, &new_reason) {
                continue;
            }
            sqlx::query("UPDATE deals SET title = $2, search_text = $3, lost_reason = $4 WHERE deal_id = $1")
                .bind(deal.text("deal_id")?)
                .bind(&new_title)
                .bind(new_title.to_lowercase())
                .bind(new_reason)
                .execute(&mut *connection)
                .await?;
        }
        let activities = sqlx::query(self.with_lists(
            "SELECT deal_activity_id, title, note, result, subject, body FROM deal_activities WHERE deal_id {1} \
             ORDER BY deal_activity_id",
        ))
        .bind(json!(ids).to_string())
        .fetch_all(&mut *connection)
        .await?;
        for activity in activities {
            let before: Vec<Option<String>> =
                ACTIVITY_TEXTS.iter().map(|column| activity.text_opt(column)).collect::<Result<_, _>>()?;
            let after: Vec<Option<String>> =
                before.iter().map(|text| text.as_deref().map(&rewritten)).collect();
            if before == after {
                continue;
            }
            let mut update = sqlx::query(
                "UPDATE deal_activities SET title = $2, note = $3, result = $4, subject = $5, body = $6 \
                 WHERE deal_activity_id = $1",
            )
            .bind(activity.text("deal_activity_id")?);
            for text in after {
                update = update.bind(text);
            }
            update.execute(&mut *connection).await?;
        }
        // They have the title of that time.
        sqlx::query(self.with_lists("DELETE FROM events WHERE about_id {1}"))
            .bind(json!(ids).to_string())
            .execute(connection)
            .await?;
        Ok(())
    }

    /// Deletes the contact, unless something was linked to it meanwhile. Returns whether it is gone.
    async fn delete_contact(&self) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let (account_id, contact_id) = (self.person.account_id, self.person.contact_id);
        let dialect = self.store.dialect();
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, account_id, self.now).await?
        else {
            return Ok(true);
        };
        // Before the contact, as whoever links a deal to it does.
        lock_board(contacts.connection, dialect, account_id).await?;
        if !self.touch(contacts.connection).await? || !contacts.lock_for_deletion(dialect, contact_id).await?
        {
            return Ok(true);
        }
        let linked = sqlx::query(
            "SELECT 1 FROM conversations WHERE contact_id = $1 UNION ALL SELECT 1 FROM threads WHERE contact_id = $1 \
             UNION ALL SELECT 1 FROM deal_contacts WHERE contact_id = $1 \
             UNION ALL SELECT 1 FROM deal_activities WHERE contact_id = $1 LIMIT 1",
        )
        .bind(contact_id.to_string())
        .fetch_optional(&mut *contacts.connection)
        .await?;
        if linked.is_some() {
            return Ok(false);
        }
        contacts.delete(contact_id).await?;
        transaction.commit().await?;
        Ok(true)
    }
}

/// The columns of activities that hold texts.
const ACTIVITY_TEXTS: [&str; 5] = ["title", "note", "result", "subject", "body"];

/// Locks rows until the transaction ends, in the order of their ids. SQLite needs no lock: its write
/// transactions run one at a time.
async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    table: &str,
    id: &str,
    ids: &[String],
) -> Result<(), StoreError> {
    if dialect == Dialect::Postgres {
        let sql = format!("SELECT {id} FROM {table} WHERE {id} {{1}} ORDER BY {id} FOR NO KEY UPDATE");
        sqlx::query(with_lists(dialect, &sql)).bind(json!(ids).to_string()).fetch_all(connection).await?;
    }
    Ok(())
}

fn texts(rows: &[AnyRow], column: &str) -> Result<Vec<String>, StoreError> {
    Ok(texts_of(rows, column)?)
}
