//! The row of a chatbot, locked by a transaction that writes below it.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;
use crate::sql::scope::{Scope, in_scope, scoped};

/// A chatbot found inside a scope, as other tables refer to it.
pub(crate) struct ChatbotKey {
    pub(crate) chatbot_no: i64,
    pub(crate) chatbot_id: String,
    pub(crate) account_id: String,
}

/// The lock that a transaction takes on the chatbot below which it writes. SQLite needs none: its write
/// transactions run one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowLock {
    /// Nobody can delete the chatbot meanwhile. For conversations and jobs, which come often and must not
    /// wait for training.
    KeepsExisting,
    /// No other transaction can take this lock meanwhile. For rows whose number or names depend on each
    /// other, such as pages.
    Exclusive,
}

/// Selects the key of a chatbot in the scope, by its id or the id of something below it, and locks its row in
/// the way that is named.
macro_rules! select_key {
    ($chatbot_id:literal, $lock:literal) => {
        concat!(
            "SELECT chatbot_no, chatbot_id, account_id FROM chatbots WHERE ",
            in_scope!(),
            " AND chatbot_id = ",
            $chatbot_id,
            $lock
        )
    };
}

/// Finds a chatbot and locks its row until the transaction ends. Every transaction that writes below a
/// chatbot does this first, so such transactions never deadlock with each other.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    strength: RowLock,
    scope: &Scope,
    chatbot_id: Uuid,
) -> Result<Option<ChatbotKey>, StoreError> {
    let sql = match (dialect, strength) {
        (Dialect::Sqlite, _) => select_key!("$3", ""),
        (Dialect::Postgres, RowLock::KeepsExisting) => select_key!("$3", " FOR KEY SHARE"),
        (Dialect::Postgres, RowLock::Exclusive) => select_key!("$3", " FOR NO KEY UPDATE"),
    };
    select(connection, sql, scope, chatbot_id).await
}

/// Finds the chatbot of a page in PostgreSQL, and locks its row exclusively as [`lock`] does.
pub(crate) async fn lock_of_page(
    connection: &mut AnyConnection,
    scope: &Scope,
    webpage_id: Uuid,
) -> Result<Option<ChatbotKey>, StoreError> {
    let sql = select_key!(
        "(SELECT page.chatbot_id FROM webpages AS page WHERE page.webpage_id = $3)",
        " FOR NO KEY UPDATE"
    );
    select(connection, sql, scope, webpage_id).await
}

async fn select(
    connection: &mut AnyConnection,
    sql: &'static str,
    scope: &Scope,
    id: Uuid,
) -> Result<Option<ChatbotKey>, StoreError> {
    let row = scoped(sql, scope).bind(id.to_string()).fetch_optional(connection).await?;
    row.map(|row| {
        Ok(ChatbotKey {
            chatbot_no: row.int("chatbot_no")?,
            chatbot_id: row.text("chatbot_id")?,
            account_id: row.text("account_id")?,
        })
    })
    .transpose()
}
