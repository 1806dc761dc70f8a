//! Erasing a person's data from every table.
//!
//! The rows of conversations and messages stay, so that counts remain right, but without texts and without any link to the person. A
//! table that takes up texts of conversations or data of contacts needs a statement in [`erase_conversations`] or [`Contacts::erase`]; the test
//! `an_erased_contact_leaves_no_trace` plants a text in every column and searches the whole database for it.

use uuid::Uuid;

use super::account::AccountContacts;
use super::{Contact, Contacts};
use crate::dialect::Dialect;
use crate::question_key::question_key;
use crate::row::Columns;
use crate::skipped_mails;
use crate::threads;
use crate::unanswered_questions;
use crate::{Scope, StoreError, deals, events, idempotency};
use jiff::Timestamp;

impl Contacts<'_> {
    /// Erases a contact: itself, the texts of its conversations, the questions in them that could not be answered, its traces in deals, and stored
    /// responses that contain any of it. Responses under way are not stored. Returns `false` if there is no such contact.
    pub async fn erase(self, scope: &Scope, contact_id: Uuid, now: Timestamp) -> Result<bool, StoreError> {
        let Some(known) = self.find(scope, contact_id).await? else { return Ok(false) };
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, known.account_id, now).await?
        else {
            return Ok(false);
        };
        // Before the contact, as whoever links a deal to it does.
        deals::lock_board(contacts.connection, dialect, known.account_id).await?;
        let Some(contact) = contacts.get_for_deletion(dialect, contact_id).await? else { return Ok(false) };
        contacts.adopt_proven_conversations(&contact).await?;
        contacts.lock_conversations(dialect, contact_id).await?;
        // Before the conversations lose their contact, by which they are found.
        let erased =
            idempotency::note_erased(contacts.connection, contact.account_id, contact_id, now).await?;
        events::erase(contacts.connection, contact_id).await?;
        deals::erase_contact(contacts.connection, &contact).await?;
        // Before the conversations lose their contact, by which their threads are found.
        threads::erase(contacts.connection, dialect, contact.account_id, contact_id).await?;
        skipped_mails::erase(contacts.connection, contact.account_id, contact.email.as_deref()).await?;
        erase_conversations(&mut contacts, contact_id).await?;
        erase_activities(&mut contacts, contact_id).await?;
        contacts.delete(contact_id).await?;
        idempotency::forget(contacts.connection, dialect, contact.account_id, &erased).await?;
        transaction.commit().await?;
        self.store.forget_overwritten().await;
        Ok(true)
    }
}

impl AccountContacts<'_> {
    /// Returns a contact that no conversation can be linked to until the transaction ends.
    async fn get_for_deletion(
        &mut self,
        dialect: Dialect,
        contact_id: Uuid,
    ) -> Result<Option<Contact>, StoreError> {
        macro_rules! select {
            ($lock:literal) => {
                concat!(
                    "SELECT ",
                    contact_columns!(),
                    " FROM contacts WHERE account_id = $1 AND contact_id = $2",
                    $lock
                )
            };
        }
        let found = sqlx::query_as(dialect.pick(select!(""), select!(" FOR UPDATE")))
            .bind(self.account_id.to_string())
            .bind(contact_id.to_string());
        Ok(found.fetch_optional(&mut *self.connection).await?)
    }

    /// Links the conversations of the person's proven identity to the contact, if they have lost their link.
    async fn adopt_proven_conversations(&mut self, contact: &Contact) -> Result<(), StoreError> {
        let Some(subject) = contact.external_id.as_ref().filter(|_| contact.is_verified) else {
            return Ok(());
        };
        sqlx::query(
            "UPDATE conversations SET contact_id = $3 WHERE account_id = $1 AND verified_subject = $2",
        )
        .bind(self.account_id.to_string())
        .bind(subject.clone())
        .bind(contact.contact_id.to_string())
        .execute(&mut *self.connection)
        .await?;
        Ok(())
    }
}

impl AccountContacts<'_> {
    /// Locks the conversations of a contact until the transaction ends. Whoever stores a text in a conversation changes its row first, so each
    /// text is either stored before the erasure looks for texts, or its author sees that the conversation was erased. No conversation joins
    /// the contact meanwhile, because the contact is locked as well.
    async fn lock_conversations(&mut self, dialect: Dialect, contact_id: Uuid) -> Result<(), StoreError> {
        if dialect == Dialect::Sqlite {
            return Ok(());
        }
        sqlx::query(
            "SELECT conversation_id FROM conversations WHERE account_id = $1 AND contact_id = $2 \
             ORDER BY conversation_id FOR NO KEY UPDATE",
        )
        .bind(self.account_id.to_string())
        .bind(contact_id.to_string())
        .fetch_all(&mut *self.connection)
        .await?;
        Ok(())
    }
}

/// Removes the texts of all conversations of a contact, and what else was stored of them.
async fn erase_conversations(contacts: &mut AccountContacts<'_>, contact_id: Uuid) -> Result<(), StoreError> {
    let said = sqlx::query(
        "SELECT m.chatbot_id AS chatbot_id, m.body AS body FROM messages AS m \
         JOIN conversations AS c ON c.conversation_id = m.conversation_id \
         WHERE c.account_id = $1 AND c.contact_id = $2 AND m.role = 'visitor'",
    )
    .bind(contacts.account_id.to_string())
    .bind(contact_id.to_string())
    .fetch_all(&mut *contacts.connection)
    .await?;
    for message in said {
        sqlx::query("DELETE FROM unanswered_questions WHERE chatbot_id = $1 AND question_key = $2")
            .bind(message.text("chatbot_id")?)
            .bind(question_key(&unanswered_questions::stored_text(&message.text("body")?)))
            .execute(&mut *contacts.connection)
            .await?;
    }
    // In this order: the first statements find the conversations by their contact.
    for statement in [
        "UPDATE messages SET body = '', sources = '[]', feedback_comment = NULL WHERE account_id = $1 AND conversation_id IN \
         (SELECT c.conversation_id FROM conversations AS c WHERE c.account_id = $1 AND c.contact_id = $2)",
        "UPDATE conversations SET contact_id = NULL, verified_subject = NULL, escalation_note = NULL, \
         mode = 'closed', handover_due_at = NULL, \
         context_start = message_count WHERE account_id = $1 AND contact_id = $2",
    ] {
        sqlx::query(statement)
            .bind(contacts.account_id.to_string())
            .bind(contact_id.to_string())
            .execute(&mut *contacts.connection)
            .await?;
    }
    Ok(())
}

/// Removes the texts of the activities that concern a contact, and ends its follow-ups. That an address has unsubscribed stays known: its row
/// holds a hash.
async fn erase_activities(contacts: &mut AccountContacts<'_>, contact_id: Uuid) -> Result<(), StoreError> {
    for statement in [
        "UPDATE deal_activities SET state = 'stopped', stopped_reason = 'contact_erased', next_attempt_at = NULL, send_now = 0 \
         WHERE account_id = $1 AND contact_id = $2 AND state IN ('scheduled', 'sending', 'waiting')",
        "UPDATE deal_activities SET title = '', note = NULL, result = NULL, subject = NULL, \
         body = CASE WHEN channel IS NULL THEN NULL ELSE '' END, timezone = CASE WHEN channel IS NULL THEN NULL ELSE 'UTC' END, \
         send_window = NULL, contact_id = NULL WHERE account_id = $1 AND contact_id = $2",
    ] {
        sqlx::query(statement)
            .bind(contacts.account_id.to_string())
            .bind(contact_id.to_string())
            .execute(&mut *contacts.connection)
            .await?;
    }
    Ok(())
}
