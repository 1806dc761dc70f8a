//! Messages of threads: how one is added, and pages of them.

use std::collections::HashMap;

use jiff::Timestamp;
use serde_json::json;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::record::{Attachment, AuthorType, DeliveryState, MessageDirection, Thread, ThreadMessage};
use super::{Threads, words};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::record::Column;
use crate::sql::row::{micros, stored};
use crate::sql::scope::{Scope, in_scope, scoped_as};

/// A message that has no place in its thread yet.
#[derive(Debug, Clone)]
pub(crate) struct NewThreadMessage {
    pub(crate) message_id: Uuid,
    pub(crate) direction: MessageDirection,
    pub(crate) author_type: AuthorType,
    pub(crate) author_id: Option<Uuid>,
    pub(crate) author_name: Option<String>,
    pub(crate) body: String,
    pub(crate) body_html: Option<String>,
    pub(crate) subject: Option<String>,
    pub(crate) folded_text: Option<String>,
    pub(crate) content_digest: Option<String>,
    pub(crate) delivery_status: Option<DeliveryState>,
    pub(crate) client_message_id: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) sent_at: Option<Timestamp>,
}

impl NewThreadMessage {
    /// A message without anything special.
    pub(crate) fn plain(
        message_id: Uuid,
        direction: MessageDirection,
        author_type: AuthorType,
        body: &str,
    ) -> Self {
        Self {
            message_id,
            direction,
            author_type,
            author_id: None,
            author_name: None,
            body: body.to_owned(),
            body_html: None,
            subject: None,
            folded_text: None,
            content_digest: None,
            delivery_status: None,
            client_message_id: None,
            external_id: None,
            sent_at: None,
        }
    }
}

/// Adds a message to a locked thread, which counts it. The caller saves the thread afterwards.
pub(crate) async fn append(
    connection: &mut AnyConnection,
    dialect: Dialect,
    thread: &mut Thread,
    new: NewThreadMessage,
    now: Timestamp,
) -> Result<ThreadMessage, StoreError> {
    thread.count(new.direction, &new.body, now);
    // The subject of a thread is found by its first message, another one by the message that has it.
    let is_first = thread.message_count == 1;
    let subject = thread.subject.as_deref().filter(|_| is_first);
    let own_subject =
        new.subject.as_deref().filter(|own| *own != thread.subject.as_deref().unwrap_or_default());
    let name = new.author_name.as_deref().unwrap_or_default();
    // What is folded away repeats other messages, which would all be found by each other's words.
    let texts = [subject.unwrap_or_default(), own_subject.unwrap_or_default(), name, &new.body];
    let entry = words::entry(thread.account_id, &texts);
    macro_rules! insert {
        ($column:literal, $value:literal) => {
            concat!(
                "INSERT INTO thread_messages (message_id, thread_id, account_id, position, direction, author_type, author_id, \
                 author_name, body, body_html, delivery_status, client_message_id, channel_id, external_id, sent_at, created_at, subject, \
                 folded_text, content_digest",
                $column,
                ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19",
                $value,
                ") RETURNING message_no, ",
                thread_message_columns!()
            )
        };
    }
    let sql = dialect.pick(insert!("", ""), insert!(", tokens", ", CAST($20 AS tsvector)"));
    let mut inserted = sqlx::query(sql)
        .bind(new.message_id.to_string())
        .bind(thread.thread_id.to_string())
        .bind(thread.account_id.to_string())
        .bind(stored(thread.message_count))
        .bind(new.direction.as_str())
        .bind(new.author_type.as_str())
        .bind(new.author_id.map(|id| id.to_string()))
        .bind(new.author_name.map(replace_nul))
        .bind(replace_nul(new.body))
        .bind(new.body_html.map(replace_nul))
        .bind(new.delivery_status.map(DeliveryState::as_str))
        .bind(new.client_message_id.map(replace_nul))
        .bind(thread.channel_id.map(|id| id.to_string()))
        .bind(new.external_id.map(replace_nul))
        .bind(new.sent_at.map(micros))
        .bind(micros(now))
        .bind(new.subject.map(replace_nul))
        .bind(new.folded_text.map(replace_nul))
        .bind(new.content_digest);
    if dialect == Dialect::Postgres {
        inserted = inserted.bind(entry.clone());
    }
    let row = inserted.fetch_one(&mut *connection).await?;
    if dialect == Dialect::Sqlite {
        sqlx::query("INSERT INTO thread_message_index (rowid, tokens) VALUES ($1, $2)")
            .bind(i64::read(&row, "message_no")?)
            .bind(entry)
            .execute(connection)
            .await?;
    }
    Ok(sqlx::FromRow::from_row(&row)?)
}

/// Returns the message of a thread that a client has given this id.
pub(crate) async fn sent_before(
    connection: &mut AnyConnection,
    thread_id: Uuid,
    client_message_id: Option<&str>,
) -> Result<Option<ThreadMessage>, StoreError> {
    let Some(client_message_id) = client_message_id else { return Ok(None) };
    let known = sqlx::query_as(concat!(
        "SELECT ",
        thread_message_columns!(),
        " FROM thread_messages WHERE thread_id = $1 AND client_message_id = $2"
    ))
    .bind(thread_id.to_string())
    .bind(replace_nul(client_message_id));
    Ok(known.fetch_optional(connection).await?)
}

/// Which messages of a thread a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagesFrom {
    /// The newest ones.
    Newest,
    /// The last ones before a position.
    Before(u64),
    /// The first ones after a position.
    After(u64),
}

impl Threads<'_> {
    /// Returns the message of a thread that a client has given this id.
    pub async fn written_before(
        self,
        scope: &Scope,
        thread_id: Uuid,
        client_message_id: &str,
    ) -> Result<Option<ThreadMessage>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                thread_message_columns!(),
                " FROM thread_messages WHERE ",
                in_scope!(),
                " AND thread_id = $3 AND client_message_id = $4"
            ),
            scope,
        )
        .bind(thread_id.to_string())
        .bind(replace_nul(client_message_id));
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Up to `limit` messages of a thread, oldest first, and whether there are more in the direction that is
    /// read: earlier ones, or later ones for [`MessagesFrom::After`].
    pub async fn messages(
        self,
        scope: &Scope,
        thread_id: Uuid,
        from: MessagesFrom,
        limit: u32,
    ) -> Result<(Vec<ThreadMessage>, bool), StoreError> {
        macro_rules! page {
            ($condition:literal, $order:literal) => {
                concat!(
                    "SELECT ",
                    thread_message_columns!(),
                    " FROM thread_messages WHERE ",
                    in_scope!(),
                    " AND thread_id = $3 AND position ",
                    $condition,
                    " $4 ORDER BY position ",
                    $order,
                    " LIMIT $5"
                )
            };
        }
        let (sql, position) = match from {
            MessagesFrom::Newest => (page!("<=", "DESC"), i64::MAX),
            MessagesFrom::Before(position) => (page!("<", "DESC"), stored(position)),
            MessagesFrom::After(position) => (page!(">", ""), stored(position)),
        };
        let mut rows: Vec<ThreadMessage> = scoped_as(sql, scope)
            .bind(thread_id.to_string())
            .bind(position)
            .bind(i64::from(limit) + 1)
            .fetch_all(self.store.reader())
            .await?;
        let has_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        if !matches!(from, MessagesFrom::After(_)) {
            rows.reverse();
        }
        Ok((rows, has_more))
    }

    /// One message of a thread.
    pub async fn find_message(
        self,
        scope: &Scope,
        thread_id: Uuid,
        message_id: Uuid,
    ) -> Result<Option<ThreadMessage>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                thread_message_columns!(),
                " FROM thread_messages WHERE ",
                in_scope!(),
                " AND thread_id = $3 AND message_id = $4"
            ),
            scope,
        )
        .bind(thread_id.to_string())
        .bind(message_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// The attachments of messages, by message, in the order in which they were stored.
    pub async fn attachments_of(
        self,
        scope: &Scope,
        message_ids: &[Uuid],
    ) -> Result<HashMap<Uuid, Vec<Attachment>>, StoreError> {
        let mut found: HashMap<Uuid, Vec<Attachment>> = HashMap::new();
        if message_ids.is_empty() {
            return Ok(found);
        }
        let ids: Vec<String> = message_ids.iter().map(Uuid::to_string).collect();
        macro_rules! select {
            ($ids:literal) => {
                concat!(
                    "SELECT ",
                    attachment_columns!(),
                    " FROM attachments WHERE ",
                    in_scope!(),
                    " AND message_id IN (",
                    $ids,
                    ") ORDER BY attachment_id"
                )
            };
        }
        let sql = self.store.dialect().pick(
            select!("SELECT value FROM json_each($3)"),
            select!("SELECT * FROM json_array_elements_text(CAST($3 AS json))"),
        );
        let rows: Vec<Attachment> =
            scoped_as(sql, scope).bind(json!(ids).to_string()).fetch_all(self.store.reader()).await?;
        for attachment in rows {
            if let Some(message_id) = attachment.message_id {
                found.entry(message_id).or_default().push(attachment);
            }
        }
        Ok(found)
    }
}
