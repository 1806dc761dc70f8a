//! Text snippets: texts written for a chatbot, which it answers from like from its pages.
//!
//! A snippet is indexed in the transaction that writes it, so it is found from the moment the call returns. A
//! snippet that is not enabled keeps its text and has no chunks.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::accounts::plan_limits::{self, PlanLimitReached};
use crate::content::chunk::{ChunkOwner, NewChunk};
use crate::content::chunks;
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{micros, new_id, stored};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

record! {
    /// A text snippet.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct TextSnippet, columns text_snippet_columns {
        /// Identifier.
        pub text_snippet_id: Uuid,
        /// The chatbot that answers from it.
        pub chatbot_id: Uuid,
        /// The account of that chatbot.
        pub account_id: Uuid,
        /// Title, shown where the snippet is cited.
        pub title: String,
        /// The text.
        pub content: String,
        /// The address to cite; a snippet without one is cited by its title.
        pub url: Option<String>,
        /// Whether the chatbot answers from it.
        pub enabled: bool,
        /// The number of characters in the text.
        pub char_count: u64,
        /// The number of passages in the index; 0 when it is not enabled.
        pub chunk_count: u64 = "(SELECT COUNT(*) FROM chunks AS chunk \
             WHERE chunk.text_snippet_id = text_snippets.text_snippet_id)",
        /// The number of answers that used it.
        pub hit_count: u64,
        /// Its tags.
        pub tag_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(bound.tag_id, ' ' ORDER BY bound.tag_id) \
             FROM text_snippet_tags AS bound WHERE bound.text_snippet_id = text_snippets.text_snippet_id), '')",
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}

/// What a snippet says, with the passages to index.
#[derive(Debug, Clone)]
pub struct SnippetContent {
    /// Title.
    pub title: String,
    /// The text.
    pub content: String,
    /// The address to cite.
    pub url: Option<String>,
    /// Whether the chatbot answers from it.
    pub enabled: bool,
    /// The passages of the text. They are stored only while the snippet is enabled.
    pub chunks: Vec<NewChunk>,
}

/// A snippet to be created.
#[derive(Debug, Clone)]
pub struct NewTextSnippet {
    /// What it says.
    pub content: SnippetContent,
    /// Tags of the same chatbot; others are ignored.
    pub tag_ids: Vec<Uuid>,
}

/// A change of a snippet.
#[derive(Debug, Clone)]
pub struct TextSnippetUpdate {
    /// What it says from now on.
    pub content: SnippetContent,
    /// Its tags from now on, or `None` to keep them.
    pub tag_ids: Option<Vec<Uuid>>,
}

/// Why a snippet cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum TextSnippetError {
    /// The plan of the account includes fewer bytes.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for TextSnippetError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

group! {
    /// Text snippets of chatbots.
    pub TextSnippets, text_snippets
}

impl TextSnippets<'_> {
    /// Creates a snippet and indexes it. A chatbot that had nothing to answer from becomes ready. `None` when
    /// there is no such chatbot.
    pub async fn create(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        new: &NewTextSnippet,
        now: Timestamp,
    ) -> Result<Option<TextSnippet>, TextSnippetError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) =
            chatbot_lock::lock(&mut transaction, self.store.dialect(), RowLock::Exclusive, scope, chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        let text_snippet_id = new_id();
        let (title, content) = (replace_nul(&new.content.title), replace_nul(&new.content.content));
        let size = plan_limits::size_of(&[&title, &content]);
        plan_limits::storage(&mut transaction, &key.account_id).await?.take_many(size)?;
        sqlx::query(
            "INSERT INTO text_snippets (text_snippet_id, chatbot_id, account_id, title, content, url, enabled, \
             char_count, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)",
        )
        .bind(text_snippet_id.to_string())
        .bind(&key.chatbot_id)
        .bind(&key.account_id)
        .bind(title)
        .bind(content)
        .bind(new.content.url.as_deref().map(replace_nul))
        .bind(i64::from(new.content.enabled))
        .bind(stored(new.content.content.chars().count()))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let snippet = self
            .index(&mut transaction, &key, text_snippet_id, &new.content, Some(&new.tag_ids), now)
            .await?;
        transaction.commit().await?;
        Ok(Some(snippet))
    }

    /// One page of the snippets of a chatbot, oldest first; with `tag_id` only those that have this tag, with
    /// `enabled` only those in this state.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        tag_id: Option<Uuid>,
        enabled: Option<bool>,
        page: &PageRequest,
    ) -> Result<Page<TextSnippet>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                text_snippet_columns!(),
                " FROM text_snippets WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND (created_at, text_snippet_id) > ($4, $5) \
                 AND ($6 = '' OR EXISTS (SELECT 1 FROM text_snippet_tags AS bound \
                 WHERE bound.text_snippet_id = text_snippets.text_snippet_id AND bound.tag_id = $6)) \
                 AND ($7 < 0 OR enabled = $7) ORDER BY created_at, text_snippet_id LIMIT $8"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(key)
        .bind(id)
        .bind(tag_id.map(|id| id.to_string()).unwrap_or_default())
        .bind(enabled.map_or(-1, i64::from))
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &TextSnippet| {
            Position::number(micros(last.created_at), last.text_snippet_id)
        }))
    }

    /// One snippet of a chatbot.
    pub async fn find(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        text_snippet_id: Uuid,
    ) -> Result<Option<TextSnippet>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                text_snippet_columns!(),
                " FROM text_snippets WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND text_snippet_id = $4"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(text_snippet_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Replaces what a snippet says, and indexes it anew. `None` when the snippet is no longer as `snippet`
    /// says: another call has changed or deleted it since it was read.
    pub async fn update(
        self,
        scope: &Scope,
        snippet: &TextSnippet,
        update: &TextSnippetUpdate,
        now: Timestamp,
    ) -> Result<Option<TextSnippet>, TextSnippetError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, snippet.chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        let (title, content) = (replace_nul(&update.content.title), replace_nul(&update.content.content));
        let before = plan_limits::size_of(&[&snippet.title, &snippet.content]);
        let grown = plan_limits::size_of(&[&title, &content]).saturating_sub(before);
        plan_limits::storage(&mut transaction, &key.account_id).await?.take_many(grown)?;
        let updated = sqlx::query(
            "UPDATE text_snippets SET title = $3, content = $4, url = $5, enabled = $6, char_count = $7, \
             updated_at = CASE WHEN $8 > updated_at THEN $8 ELSE updated_at + 1 END \
             WHERE text_snippet_id = $1 AND chatbot_id = $2 AND updated_at = $9",
        )
        .bind(snippet.text_snippet_id.to_string())
        .bind(&key.chatbot_id)
        .bind(title)
        .bind(content)
        .bind(update.content.url.as_deref().map(replace_nul))
        .bind(i64::from(update.content.enabled))
        .bind(stored(update.content.content.chars().count()))
        .bind(micros(now))
        .bind(micros(snippet.updated_at))
        .execute(&mut *transaction)
        .await?;
        if updated.rows_affected() == 0 {
            return Ok(None);
        }
        let tag_ids = update.tag_ids.as_deref();
        let snippet = self
            .index(&mut transaction, &key, snippet.text_snippet_id, &update.content, tag_ids, now)
            .await?;
        transaction.commit().await?;
        Ok(Some(snippet))
    }

    /// Deletes a snippet with its passages. `false` when there is no such snippet.
    pub async fn delete(self, scope: &Scope, text_snippet_id: Uuid) -> Result<bool, StoreError> {
        let deleted = scoped(
            concat!("DELETE FROM text_snippets WHERE ", in_scope!(), " AND text_snippet_id = $3"),
            scope,
        )
        .bind(text_snippet_id.to_string());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Brings passages and tags in line with a snippet that was just written, and returns it as it is stored.
    async fn index(
        self,
        connection: &mut AnyConnection,
        key: &ChatbotKey,
        text_snippet_id: Uuid,
        content: &SnippetContent,
        tag_ids: Option<&[Uuid]>,
        now: Timestamp,
    ) -> Result<TextSnippet, StoreError> {
        let chunks = if content.enabled { content.chunks.as_slice() } else { &[] };
        let owner = ChunkOwner::TextSnippet(text_snippet_id);
        chunks::replace(&mut *connection, self.store.dialect(), key, owner, chunks).await?;
        if let Some(tag_ids) = tag_ids {
            sqlx::query("DELETE FROM text_snippet_tags WHERE text_snippet_id = $1")
                .bind(text_snippet_id.to_string())
                .execute(&mut *connection)
                .await?;
            for tag_id in tag_ids {
                sqlx::query(
                    "INSERT INTO text_snippet_tags (tag_id, text_snippet_id) \
                     SELECT tag_id, $2 FROM tags WHERE tag_id = $1 AND chatbot_id = $3 \
                     ON CONFLICT (tag_id, text_snippet_id) DO NOTHING",
                )
                .bind(tag_id.to_string())
                .bind(text_snippet_id.to_string())
                .bind(&key.chatbot_id)
                .execute(&mut *connection)
                .await?;
            }
        }
        if !chunks.is_empty() {
            sqlx::query(
                "UPDATE chatbots SET status = 'ready', error_code = NULL, error_message = NULL, \
                 error_at = NULL, updated_at = $2 WHERE chatbot_id = $1 AND status <> 'ready'",
            )
            .bind(&key.chatbot_id)
            .bind(micros(now))
            .execute(&mut *connection)
            .await?;
        }
        let snippet = sqlx::query_as(concat!(
            "SELECT ",
            text_snippet_columns!(),
            " FROM text_snippets WHERE text_snippet_id = $1"
        ))
        .bind(text_snippet_id.to_string());
        Ok(snippet.fetch_one(connection).await?)
    }
}
