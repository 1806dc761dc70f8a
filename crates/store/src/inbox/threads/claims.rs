//! What a doubtful message says of its author: kept with its thread, and turned into a contact once somebody
//! decides that it is wanted.

use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::AnyConnection;
use uuid::Uuid;

use super::record::Thread;
use crate::contacts::record::cleaned;
use crate::contacts::{self, Claimed, Claims, ContactFields, ContactSource};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::record::Column;
use crate::sql::row::email_key;
use crate::sql::scope::{Scope, in_scope, scoped};

/// Keeps what is claimed about the author of a thread without a contact.
pub(crate) async fn keep(
    connection: &mut AnyConnection,
    thread_id: Uuid,
    fields: &ContactFields,
) -> Result<(), StoreError> {
    let text = |text: &Option<String>| cleaned(text.as_deref());
    let claims = json!({
        "email": text(&fields.email),
        "name": text(&fields.name),
        "phone": text(&fields.phone),
        "company": text(&fields.company),
    });
    sqlx::query("UPDATE threads SET claims = $2, claimed_email = $3 WHERE thread_id = $1")
        .bind(thread_id.to_string())
        .bind(claims.to_string())
        .bind(text(&fields.email).as_deref().map(email_key))
        .execute(connection)
        .await?;
    Ok(())
}

/// Locks the contacts of the account of a thread that has claims, before its row is locked. Returns the
/// claims.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    thread_id: Uuid,
) -> Result<Option<ContactFields>, StoreError> {
    let row = scoped(
        concat!(
            "SELECT account_id, claims FROM threads WHERE ",
            in_scope!(),
            " AND thread_id = $3 AND claims IS NOT NULL AND contact_id IS NULL"
        ),
        scope,
    )
    .bind(thread_id.to_string())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    contacts::lock(connection, dialect, Uuid::read(&row, "account_id")?).await?;
    let claims: Value = Value::read(&row, "claims")?;
    let text = |name: &str| claims[name].as_str().map(str::to_owned);
    Ok(Some(ContactFields {
        email: text("email"),
        name: text("name"),
        phone: text("phone"),
        company: text("company"),
        custom: None,
    }))
}

/// Makes the author of a locked thread a contact. The caller saves the thread, and reports a new lead.
pub(crate) async fn accept(
    connection: &mut AnyConnection,
    dialect: Dialect,
    thread: &mut Thread,
    fields: &ContactFields,
    source: ContactSource,
    now: Timestamp,
) -> Result<Option<Claimed>, StoreError> {
    let taken = sqlx::query(
        "UPDATE threads SET claims = NULL, claimed_email = NULL WHERE thread_id = $1 AND claims IS NOT NULL",
    )
    .bind(thread.thread_id.to_string())
    .execute(&mut *connection)
    .await?;
    // An erasure may have emptied them after they were read.
    if taken.rows_affected() == 0 {
        return Ok(None);
    }
    let claims = Claims { account_id: thread.account_id, fields, stated: None, present: None, source };
    let claimed = contacts::claim(connection, dialect, &claims, now).await?;
    if let Some(Claimed { contact, .. }) = &claimed {
        thread.contact_id = Some(contact.contact_id);
        sqlx::query(
            "UPDATE thread_messages SET author_id = $2 WHERE thread_id = $1 AND author_type = 'contact' AND author_id IS NULL",
        )
        .bind(thread.thread_id.to_string())
        .bind(contact.contact_id.to_string())
        .execute(&mut *connection)
        .await?;
    }
    Ok(claimed)
}
