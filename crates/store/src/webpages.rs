//! Webpages of a chatbot. The pending ones are the frontier of its crawl, which therefore survives a restart.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::chunks::ChunkOwner;
use crate::nul::replace_nul;
use crate::row::{Columns, micros, new_id};
use crate::scope::{in_scope, scoped, scoped_as};
use crate::{NewChunk, Scope, StoreError, chunks};

/// The longest URL that is kept, in bytes. Longer ones are traps more often than pages, and PostgreSQL could
/// not index them.
const MAX_URL_BYTES: usize = 2048;

named_values! {
    /// What became of a page.
    pub enum PageStatus as "page status" {
        /// Waits to be fetched.
        Pending = "pending",
        /// Trained.
        Ready = "ready",
        /// Could not be fetched or read.
        Failed = "failed",
        /// Left out on purpose.
        Skipped = "skipped",
    }
}

record! {
    /// A page.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Webpage, columns webpage_columns {
        /// Identifier.
        pub webpage_id: Uuid,
        /// The chatbot it trains.
        pub chatbot_id: Uuid,
        /// The account of that chatbot.
        pub account_id: Uuid,
        /// Its normalised URL; unique for the chatbot.
        pub url: String,
        /// The URL at which the crawl that found it started.
        pub root_url: String,
        /// The page that links to it; none for a root or an entry of a sitemap.
        pub parent_url: Option<String>,
        /// Links between it and the root.
        pub depth: u32,
        /// Where its content was found, after redirects.
        pub final_url: Option<String>,
        /// Its title.
        pub title: Option<String>,
        /// What became of it.
        pub status: PageStatus,
        /// Why, as a stable code.
        pub reason: Option<String>,
        /// The last HTTP status.
        pub http_status: Option<u16>,
        /// Hash of its content, by which unchanged and duplicate pages are known.
        pub content_hash: Option<String>,
        /// Language code.
        pub language: Option<String>,
        /// When it was found.
        pub created_at: Timestamp,
        /// When it was last fetched.
        pub fetched_at: Option<Timestamp>,
    }
}

/// A page to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPage {
    /// Its normalised URL, at most 2048 bytes.
    pub url: String,
    /// The URL at which the crawl started.
    pub root_url: String,
    /// The page that links to it.
    pub parent_url: Option<String>,
    /// Links between it and the root.
    pub depth: u32,
}

impl NewPage {
    /// A page at which a crawl starts.
    pub fn root(url: impl Into<String>) -> Self {
        let url = url.into();
        Self { root_url: url.clone(), url, parent_url: None, depth: 0 }
    }
}

/// What became of pages that were offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddedPages {
    /// New in the frontier.
    pub added: u64,
    /// Known already.
    pub duplicate: u64,
    /// Left out because the URL is too long.
    pub too_long: u64,
    /// Left out, and not looked at further, because the chatbot has as many pages as it may have.
    pub over_limit: u64,
}

/// What a visit of a page has brought.
#[derive(Debug, Clone)]
pub struct PageOutcome {
    /// What became of the page. [`PageStatus::Pending`] puts it back into the frontier.
    pub status: PageStatus,
    /// Why, as a stable code.
    pub reason: Option<String>,
    /// The HTTP status, if there was an answer.
    pub http_status: Option<u16>,
    /// Where the content was found, after redirects.
    pub final_url: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// Hash of the content.
    pub content_hash: Option<String>,
    /// Language code.
    pub language: Option<String>,
    /// The page's chunks, which replace those it had; `None` keeps them, as for a page that has not changed.
    pub chunks: Option<Vec<NewChunk>>,
    /// Pages it links to.
    pub links: Vec<NewPage>,
    /// How many pages the chatbot may have, over all.
    pub max_pages: u64,
}

impl PageOutcome {
    /// An outcome without content: the page keeps its chunks, if it has any, and leads nowhere.
    pub fn without_content(status: PageStatus, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: Some(reason.into()),
            http_status: None,
            final_url: None,
            title: None,
            content_hash: None,
            language: None,
            chunks: None,
            links: Vec::new(),
            max_pages: 0,
        }
    }
}

/// Pages of a chatbot by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageCounts {
    /// Waiting to be fetched.
    pub pending: u64,
    /// Trained.
    pub ready: u64,
    /// Could not be fetched or read.
    pub failed: u64,
    /// Left out on purpose.
    pub skipped: u64,
}

/// Adds pages to the frontier of a chatbot that the transaction holds exclusively.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    pages: &[NewPage],
    max_pages: u64,
    now: Timestamp,
) -> Result<AddedPages, StoreError> {
    let mut result = AddedPages::default();
    if pages.is_empty() {
        return Ok(result);
    }
    let mut known: u64 = sqlx::query("SELECT COUNT(*) AS pages FROM webpages WHERE chatbot_id = $1")
        .bind(&key.chatbot_id)
        .fetch_one(&mut *connection)
        .await?
        .number("pages")?;
    for page in pages {
        if known >= max_pages {
            result.over_limit += 1;
            continue;
        }
        if page.url.len() > MAX_URL_BYTES {
            result.too_long += 1;
            continue;
        }
        let inserted = sqlx::query(
            "INSERT INTO webpages \
             (webpage_id, chatbot_id, account_id, url, root_url, parent_url, depth, status, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8) ON CONFLICT (chatbot_id, url) DO NOTHING",
        )
        .bind(new_id().to_string())
        .bind(&key.chatbot_id)
        .bind(&key.account_id)
        .bind(replace_nul(&page.url))
        .bind(replace_nul(&page.root_url))
        .bind(page.parent_url.as_deref().map(replace_nul))
        .bind(i64::from(page.depth))
        .bind(micros(now))
        .execute(&mut *connection)
        .await?;
        if inserted.rows_affected() == 0 {
            result.duplicate += 1;
        } else {
            result.added += 1;
            known += 1;
        }
    }
    Ok(result)
}

group! {
    /// Webpages of a chatbot.
    pub Webpages, webpages
}

impl Webpages<'_> {
    /// Adds pages to the frontier of a chatbot, up to `max_pages` over all. `None` when there is no such
    /// chatbot.
    pub async fn add(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        pages: &[NewPage],
        max_pages: u64,
        now: Timestamp,
    ) -> Result<Option<AddedPages>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) =
            chatbot_lock::lock(&mut transaction, self.store.dialect(), RowLock::Exclusive, scope, chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        let added = insert(&mut transaction, &key, pages, max_pages, now).await?;
        transaction.commit().await?;
        Ok(Some(added))
    }

    /// The page to fetch next: the one closest to a root, and of those the one found first. It stays pending
    /// until [`Webpages::finish`]; the lease of the crawl job keeps others from fetching it too.
    pub async fn next_pending(self, scope: &Scope, chatbot_id: Uuid) -> Result<Option<Webpage>, StoreError> {
        let next = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND status = 'pending' ORDER BY depth, webpage_id LIMIT 1"
            ),
            scope,
        )
        .bind(chatbot_id.to_string());
        Ok(next.fetch_optional(self.store.reader()).await?)
    }

    /// Writes down what a visit has brought, in one transaction: the page's new state, its chunks with their
    /// index entries, and the pages it links to. Doing it again changes nothing. `false` when there is no such
    /// page, for instance because its chatbot was deleted during the visit.
    pub async fn finish(
        self,
        scope: &Scope,
        webpage_id: Uuid,
        outcome: &PageOutcome,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let page: Option<Webpage> = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND webpage_id = $3"
            ),
            scope,
        )
        .bind(webpage_id.to_string())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(page) = page else { return Ok(false) };
        let key = chatbot_lock::lock(
            &mut transaction,
            self.store.dialect(),
            RowLock::Exclusive,
            scope,
            page.chatbot_id,
        )
        .await?;
        let Some(key) = key else { return Ok(false) };
        let updated = sqlx::query(
            "UPDATE webpages SET status = $2, reason = $3, http_status = $4, \
             final_url = COALESCE($5, final_url), title = COALESCE($6, title), \
             content_hash = COALESCE($7, content_hash), language = COALESCE($8, language), fetched_at = $9 \
             WHERE webpage_id = $1",
        )
        .bind(webpage_id.to_string())
        .bind(outcome.status.as_str())
        .bind(outcome.reason.as_deref().map(replace_nul))
        .bind(outcome.http_status.map(i64::from))
        .bind(outcome.final_url.as_deref().map(replace_nul))
        .bind(outcome.title.as_deref().map(replace_nul))
        .bind(outcome.content_hash.as_deref().map(replace_nul))
        .bind(outcome.language.as_deref().map(replace_nul))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        if updated.rows_affected() == 0 {
            return Ok(false);
        }
        if let Some(chunks) = &outcome.chunks {
            chunks::replace(
                &mut transaction,
                self.store.dialect(),
                &key,
                ChunkOwner::Webpage(webpage_id),
                chunks,
            )
            .await?;
        }
        insert(&mut transaction, &key, &outcome.links, outcome.max_pages, now).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// One page.
    pub async fn find(self, scope: &Scope, webpage_id: Uuid) -> Result<Option<Webpage>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND webpage_id = $3"
            ),
            scope,
        )
        .bind(webpage_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Up to `limit` pages of a chatbot in the order of their ids, those after `after`, of one status or of any.
    pub async fn list(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        status: Option<PageStatus>,
        after: Option<Uuid>,
        limit: u32,
    ) -> Result<Vec<Webpage>, StoreError> {
        let some = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND ($4 IS NULL OR status = $4) AND webpage_id > $5 \
                 ORDER BY webpage_id LIMIT $6"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(status.map(PageStatus::as_str))
        .bind(after.map(|id| id.to_string()).unwrap_or_default())
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.store.reader()).await?)
    }

    /// The trained page of a chatbot that was found first among those with this content, by which a crawl knows
    /// duplicates.
    pub async fn find_by_content(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        content_hash: &str,
    ) -> Result<Option<Webpage>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND content_hash = $4 AND status = 'ready' ORDER BY webpage_id LIMIT 1"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(replace_nul(content_hash));
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns the addresses at which the training of a chatbot starts.
    pub async fn root_urls(self, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<String>, StoreError> {
        let rows = scoped(
            concat!(
                "SELECT DISTINCT root_url FROM webpages WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 ORDER BY root_url"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .fetch_all(self.store.reader())
        .await?;
        rows.iter().map(|row| Ok(row.text("root_url")?)).collect()
    }

    /// Pages of a chatbot by status; zeros when there is no such chatbot.
    pub async fn counts(self, scope: &Scope, chatbot_id: Uuid) -> Result<PageCounts, StoreError> {
        let rows = scoped(
            concat!(
                "SELECT status, COUNT(*) AS pages FROM webpages WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 GROUP BY status"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .fetch_all(self.store.reader())
        .await?;
        let mut counts = PageCounts::default();
        for row in rows {
            let pages = row.number("pages")?;
            match row.parsed("status")? {
                PageStatus::Pending => counts.pending = pages,
                PageStatus::Ready => counts.ready = pages,
                PageStatus::Failed => counts.failed = pages,
                PageStatus::Skipped => counts.skipped = pages,
            }
        }
        Ok(counts)
    }
}
