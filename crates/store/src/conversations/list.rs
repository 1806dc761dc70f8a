//! Lists of conversations and of their messages, newest first.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::filter::{ConversationFilter, ListedConversation};
use super::record::Message;
use super::search;
use super::turns::Conversations;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros, stored};
use crate::sql::scope::{Scope, in_scope, scoped_as};

impl Conversations<'_> {
    /// One page of the conversations of a chatbot, by the time of their last message, the latest first.
    ///
    /// With [`ConversationFilter::text`], a page looks through up to 2,000 conversations that the other
    /// filters leave, so it may have fewer items than asked for, or none, although another page follows.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        filter: &ConversationFilter,
        page: &PageRequest,
    ) -> Result<Page<ListedConversation>, StoreError> {
        if let Some(text) = &filter.text {
            return search::page(self.store, scope, chatbot_id, filter, text, page).await;
        }
        let arguments = filter.arguments(scope, chatbot_id, page, page.rows())?;
        let statement = filter.statement(self.store.dialect());
        let rows = sqlx::query_as_with(statement, arguments).fetch_all(self.store.reader()).await?;
        Ok(Page::of(rows, page, |ListedConversation { conversation: last, .. }| {
            Position::number(micros(last.last_message_at), last.conversation_id)
        }))
    }

    /// Returns how the database reads a [`page`](Self::page), for tests and benchmarks.
    pub async fn explain_page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        filter: &ConversationFilter,
        page: &PageRequest,
    ) -> Result<String, StoreError> {
        let dialect = self.store.dialect();
        let (explain, column) = match dialect {
            Dialect::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
            Dialect::Postgres => ("EXPLAIN", "QUERY PLAN"),
        };
        // Both parts are constants.
        let statement = AssertSqlSafe(format!("{explain} {}", filter.statement(dialect)));
        let arguments = filter.arguments(scope, chatbot_id, page, page.rows())?;
        let steps = sqlx::query_with(statement, arguments).fetch_all(self.store.reader()).await?;
        let steps: Result<Vec<String>, _> = steps.iter().map(|step| step.text(column)).collect();
        Ok(steps?.join("\n"))
    }

    /// One page of the messages of a conversation, the newest first.
    pub async fn message_page(
        self,
        scope: &Scope,
        conversation_id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<Message>, StoreError> {
        // Positions are unique, so the id of the cursor is not needed.
        let (before, _) = page.before_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                message_columns!(),
                " FROM messages WHERE ",
                in_scope!(),
                " AND conversation_id = $3 AND position < $4 ORDER BY position DESC LIMIT $5"
            ),
            scope,
        )
        .bind(conversation_id.to_string())
        .bind(before)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &Message| Position::number(stored(last.position), last.message_id)))
    }
}
