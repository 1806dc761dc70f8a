//! Erasure of what was written with a person, in the transaction that erases the contact.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::StoreError;
use crate::dialect::Dialect;
use crate::record::Column;
use crate::row::{Columns, email_key};

/// Removes the texts of all threads with a contact and of all messages that it has written, and their attachments. The rows of threads and
/// messages stay, so that counts remain right. Objects of attachments are deleted later, as nothing names them any more.
pub(crate) async fn erase(
    connection: &mut AnyConnection,
    dialect: Dialect,
    account_id: Uuid,
    contact_id: Uuid,
) -> Result<(), StoreError> {
    macro_rules! of_contact {
        ($statement:literal) => {
            concat!(
                $statement,
                " account_id = $1 AND (author_id = $2 OR thread_id IN \
                 (SELECT t.thread_id FROM threads AS t WHERE t.account_id = $1 AND t.contact_id = $2) OR thread_id IN \
                 (SELECT t.thread_id FROM threads AS t JOIN conversations AS c ON c.conversation_id = t.conversation_id \
                 WHERE c.account_id = $1 AND c.contact_id = $2))"
            )
        };
    }
    adopt_claimed(connection, account_id, contact_id).await?;
    let texts = sqlx::query(of_contact!("SELECT message_id FROM thread_messages WHERE"))
        .bind(account_id.to_string())
        .bind(contact_id.to_string())
        .fetch_all(&mut *connection)
        .await?;
    for row in texts {
        sqlx::query("DELETE FROM attachments WHERE message_id = $1")
            .bind(String::read(&row, "message_id")?)
            .execute(&mut *connection)
            .await?;
    }
    if dialect == Dialect::Sqlite {
        sqlx::query(concat!(
            "DELETE FROM thread_message_index WHERE rowid IN (",
            of_contact!("SELECT message_no FROM thread_messages WHERE"),
            ")"
        ))
        .bind(account_id.to_string())
        .bind(contact_id.to_string())
        .execute(&mut *connection)
        .await?;
    }
    // In this order: the first statement finds the threads by their contact.
    for statement in [
        dialect.pick(
            of_contact!(
                "UPDATE thread_messages SET body = '', body_html = NULL, subject = NULL, folded_text = NULL, content_digest = NULL, \
                 author_id = NULL, author_name = NULL, delivery_error = NULL, client_message_id = NULL, external_id = NULL WHERE"
            ),
            of_contact!(
                "UPDATE thread_messages SET body = '', body_html = NULL, subject = NULL, folded_text = NULL, content_digest = NULL, \
                 author_id = NULL, author_name = NULL, delivery_error = NULL, client_message_id = NULL, external_id = NULL, tokens = CAST('' AS tsvector) WHERE"
            ),
        ),
        "UPDATE threads SET contact_id = NULL, external_key = NULL, subject = NULL, claims = NULL, claimed_email = NULL, last_message_preview = '', tags = '[]', \
         status = 'resolved', snoozed_until = NULL, waiting_since = NULL, unread_count = 0 WHERE account_id = $1 AND \
         (contact_id = $2 OR conversation_id IN \
         (SELECT c.conversation_id FROM conversations AS c WHERE c.account_id = $1 AND c.contact_id = $2))",
    ] {
        sqlx::query(statement)
            .bind(account_id.to_string())
            .bind(contact_id.to_string())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

/// Links the doubtful submissions that name the address of a contact to it, so that they are erased with it.
async fn adopt_claimed(
    connection: &mut AnyConnection,
    account_id: Uuid,
    contact_id: Uuid,
) -> Result<(), StoreError> {
    let row = sqlx::query("SELECT email FROM contacts WHERE account_id = $1 AND contact_id = $2")
        .bind(account_id.to_string())
        .bind(contact_id.to_string())
        .fetch_optional(&mut *connection)
        .await?;
    let Some(email) = row.map(|row| row.text_opt("email")).transpose()?.flatten() else { return Ok(()) };
    sqlx::query(
        "UPDATE threads SET contact_id = $2 WHERE account_id = $1 AND contact_id IS NULL AND claimed_email = $3",
    )
    .bind(account_id.to_string())
    .bind(contact_id.to_string())
    .bind(email_key(&email))
    .execute(connection)
    .await?;
    Ok(())
}
