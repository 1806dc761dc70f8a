//! Webpages of a chatbot, those of websites and those that stand alone. The queued ones are the frontier of a
//! crawl, which therefore survives a restart.
//!
//! This file has what crawls read and write; what owners do with single pages is in `sources`.

use jiff::Timestamp;
use sqlx::{AnyConnection, FromRow};
use uuid::Uuid;

use crate::content::chunk::{ChunkOwner, NewChunk};
use crate::content::chunks;
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};

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

named_values! {
    /// What the last visit of a page has brought, as the crawl report says it.
    pub enum VisitOutcome as "visit outcome" {
        /// It was not visited yet.
        Pending = "pending",
        /// New content.
        Ready = "ready",
        /// The same content as before.
        Unchanged = "unchanged",
        /// It could not be read.
        Failed = "failed",
        /// It was left out on purpose.
        Skipped = "skipped",
        /// It existed before and is gone.
        Removed = "removed",
    }
}

impl From<PageStatus> for VisitOutcome {
    fn from(status: PageStatus) -> Self {
        match status {
            PageStatus::Pending => Self::Pending,
            PageStatus::Ready => Self::Ready,
            PageStatus::Failed => Self::Failed,
            PageStatus::Skipped => Self::Skipped,
        }
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
        /// The website that it belongs to; none if it stands alone.
        pub website_id: Option<Uuid>,
        /// Its normalized URL; unique for the chatbot.
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
        /// Whether it is to be visited. A page with content keeps it until then.
        pub queued: bool,
        /// What its last visit has brought.
        pub outcome: VisitOutcome,
        /// The entity tag that came with its content.
        pub etag: Option<String>,
        /// The date of change that came with its content, as the server wrote it.
        pub last_modified: Option<String>,
        /// The title that its owner has given it, instead of its own.
        pub custom_title: Option<String>,
        /// Whether answers may use it.
        pub enabled: bool,
        /// How often answers have cited it.
        pub hit_count: u64,
        /// The number of passages in the index.
        pub chunk_count: u64 = "(SELECT COUNT(*) FROM chunks AS chunk WHERE chunk.webpage_id = webpages.webpage_id)",
        /// The number of characters in these passages.
        pub char_count: u64 = "(SELECT CAST(COALESCE(SUM(LENGTH(chunk.body)), 0) AS BIGINT) FROM chunks AS chunk \
             WHERE chunk.webpage_id = webpages.webpage_id)",
        /// Its tags.
        pub tag_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(bound.tag_id, ' ' ORDER BY bound.tag_id) \
             FROM webpage_tags AS bound WHERE bound.webpage_id = webpages.webpage_id), '')",
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}

pub(crate) use webpage_columns as columns;

mod additions;
mod sources;

pub use self::additions::{AddedPages, NewPage};
pub(crate) use self::additions::{PageLimits, adopt_start_page, insert};
pub use self::sources::{NewWebpage, PushedPage, WebpageContent, WebpageError, WebpageFilter, WebpageUpdate};

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

/// What a crawl has learned from a visit.
#[derive(Debug, Clone)]
pub struct PageVisit {
    /// The page's new state.
    pub outcome: PageOutcome,
    /// What the crawl report says.
    pub result: VisitOutcome,
    /// What the server said to recognize the content by: entity tag and date of change. `None` keeps what is
    /// stored.
    pub validators: Option<(Option<String>, Option<String>)>,
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

/// Gives all pages of a website the tags of the website, and no others.
pub(crate) async fn inherit_tags(connection: &mut AnyConnection, website_id: Uuid) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM webpage_tags WHERE webpage_id IN (SELECT webpage_id FROM webpages WHERE website_id = $1)",
    )
    .bind(website_id.to_string())
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "INSERT INTO webpage_tags (tag_id, webpage_id) SELECT bound.tag_id, p.webpage_id FROM website_tags AS bound \
         JOIN webpages AS p ON p.website_id = bound.website_id WHERE bound.website_id = $1",
    )
    .bind(website_id.to_string())
    .execute(&mut *connection)
    .await?;
    Ok(())
}

/// Reads a page below a chatbot that the transaction has locked.
pub(crate) async fn read(
    connection: &mut AnyConnection,
    webpage_id: Uuid,
) -> Result<Option<Webpage>, StoreError> {
    let page = sqlx::query_as(concat!("SELECT ", webpage_columns!(), " FROM webpages WHERE webpage_id = $1"))
        .bind(webpage_id.to_string());
    Ok(page.fetch_optional(connection).await?)
}

/// Finds a page inside a scope and locks its chatbot exclusively until the transaction ends, as
/// [`chatbot_lock::lock`] does. `None` if there is no such page.
pub(crate) async fn lock(
    connection: &mut AnyConnection,
    dialect: Dialect,
    scope: &Scope,
    webpage_id: Uuid,
) -> Result<Option<(ChatbotKey, Webpage)>, StoreError> {
    if dialect == Dialect::Postgres {
        let Some(key) = chatbot_lock::lock_of_page(connection, scope, webpage_id).await? else {
            return Ok(None);
        };
        // Not read before: another transaction may have changed it until the lock was taken.
        return Ok(read(connection, webpage_id).await?.map(|page| (key, page)));
    }
    // Nothing else writes while this transaction is open, so one statement reads both. A crawl does this for
    // each page, and sending a statement to the connection's thread takes longer than finding one row.
    let row = scoped(
        concat!(
            "SELECT ",
            webpage_columns!(),
            ", (SELECT bot.chatbot_no FROM chatbots AS bot WHERE bot.chatbot_id = webpages.chatbot_id) AS chatbot_no \
             FROM webpages WHERE ",
            in_scope!(),
            " AND webpage_id = $3"
        ),
        scope,
    )
    .bind(webpage_id.to_string())
    .fetch_optional(connection)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let page = Webpage::from_row(&row)?;
    let key = ChatbotKey {
        chatbot_no: row.int("chatbot_no")?,
        chatbot_id: page.chatbot_id.to_string(),
        account_id: page.account_id.to_string(),
    };
    Ok(Some((key, page)))
}

/// Writes what a visit has brought to a page: its state and its chunks. Chunks that are replaced by none take
/// the content hash and the validators with them, so that the next visit reads the page again.
pub(crate) async fn record_visit(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    page: &Webpage,
    visit: &PageVisit,
    now: Timestamp,
) -> Result<(), StoreError> {
    let outcome = &visit.outcome;
    let is_emptied = outcome.chunks.as_ref().is_some_and(Vec::is_empty);
    let (etag, last_modified) = match &visit.validators {
        _ if is_emptied => (None, None),
        Some((etag, last_modified)) => (etag.clone(), last_modified.clone()),
        None => (page.etag.clone(), page.last_modified.clone()),
    };
    let hash = outcome.content_hash.as_deref().or(page.content_hash.as_deref()).filter(|_| !is_emptied);
    let is_queued = outcome.status == PageStatus::Pending;
    sqlx::query(
        "UPDATE webpages SET status = $2, reason = $3, http_status = $4, \
         final_url = COALESCE($5, final_url), title = COALESCE($6, title), content_hash = $7, \
         language = COALESCE($8, language), fetched_at = $9, queued = $10, outcome = $11, etag = $12, \
         last_modified = $13, updated_at = $9 WHERE webpage_id = $1",
    )
    .bind(page.webpage_id.to_string())
    .bind(outcome.status.as_str())
    .bind(outcome.reason.as_deref().map(replace_nul))
    .bind(outcome.http_status.map(i64::from))
    .bind(outcome.final_url.as_deref().map(replace_nul))
    .bind(outcome.title.as_deref().map(replace_nul))
    .bind(hash.map(replace_nul))
    .bind(outcome.language.as_deref().map(replace_nul))
    .bind(micros(now))
    .bind(i64::from(is_queued))
    .bind(visit.result.as_str())
    .bind(etag.as_deref().map(replace_nul))
    .bind(last_modified.as_deref().map(replace_nul))
    .execute(&mut *connection)
    .await?;
    if let Some(chunks) = &outcome.chunks {
        let owner = ChunkOwner::Webpage(page.webpage_id);
        if page.chunk_count > 0 {
            chunks::replace(connection, dialect, key, owner, chunks).await?;
        } else {
            chunks::insert(connection, dialect, key, owner, chunks).await?;
        }
    }
    Ok(())
}

group! {
    /// Webpages of a chatbot.
    pub Webpages, webpages
}

impl Webpages<'_> {
    /// Adds pages that stand alone to the frontier of a chatbot, up to `max_pages` over all. `None` when
    /// there is no such chatbot.
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
        let added = insert(
            &mut transaction,
            self.store.dialect(),
            &key,
            pages,
            PageLimits { website_id: None, max_pages },
            now,
        )
        .await?;
        transaction.commit().await?;
        Ok(Some(added))
    }

    /// The page of a chatbot to fetch next, whatever its website: the one closest to a root, and of those the
    /// one found first. It stays queued until [`Webpages::finish`].
    pub async fn next_pending(self, scope: &Scope, chatbot_id: Uuid) -> Result<Option<Webpage>, StoreError> {
        let next = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND queued = 1 ORDER BY depth, webpage_id LIMIT 1"
            ),
            scope,
        )
        .bind(chatbot_id.to_string());
        Ok(next.fetch_optional(self.store.reader()).await?)
    }

    /// Writes down new content of a page, in one transaction: the page's new state, its chunks with their
    /// index entries, and the pages it links to. Doing it again changes nothing. `false` when there is no
    /// such page, for instance because its chatbot was deleted during the visit.
    pub async fn finish(
        self,
        scope: &Scope,
        webpage_id: Uuid,
        outcome: &PageOutcome,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin_repeatable().await?;
        let dialect = self.store.dialect();
        let Some((key, page)) = lock(&mut transaction, dialect, scope, webpage_id).await? else {
            return Ok(false);
        };
        // Rewriting content after its visit, as when boilerplate is removed, does not count as a visit.
        let is_rewritten = !page.queued && page.status == outcome.status;
        let result = if is_rewritten { page.outcome } else { outcome.status.into() };
        let mut outcome = outcome.clone();
        if is_rewritten && outcome.reason.is_none() {
            outcome.reason.clone_from(&page.reason);
        }
        let links = std::mem::take(&mut outcome.links);
        let limits = PageLimits { website_id: page.website_id, max_pages: outcome.max_pages };
        let visit = PageVisit { outcome, result, validators: None };
        record_visit(&mut transaction, dialect, &key, &page, &visit, now).await?;
        insert(&mut transaction, dialect, &key, &links, limits, now).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// One page.
    pub async fn find(self, scope: &Scope, webpage_id: Uuid) -> Result<Option<Webpage>, StoreError> {
        find_by_id(self.store, row_by_id!(webpage_columns of "webpages", "webpage_id"), scope, webpage_id)
            .await
    }

    /// Up to `limit` pages of a chatbot in the order of their ids, those after `after`, of one status or of
    /// any.
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

    /// The trained page of a chatbot that was found first among those with this content, by which a crawl
    /// knows duplicates.
    pub async fn find_by_content(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        content_hash: &str,
    ) -> Result<Option<Webpage>, StoreError> {
        let one = scoped_as(SAME_CONTENT, scope).bind(chatbot_id.to_string()).bind(replace_nul(content_hash));
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

const SAME_CONTENT: &str = concat!(
    "SELECT ",
    webpage_columns!(),
    " FROM webpages WHERE ",
    in_scope!(),
    " AND chatbot_id = $3 AND content_hash = $4 AND status = 'ready' ORDER BY webpage_id LIMIT 1"
);

#[cfg(test)]
mod tests {
    use sqlx::{AssertSqlSafe, Row};

    use super::*;
    use crate::sql::database::Store;

    /// How a statement is executed on SQLite, whose plans depend on the indexes alone.
    async fn plan(statement: &str) -> String {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let explained = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        let steps = sqlx::query(explained).fetch_all(store.reader()).await.unwrap();
        steps.iter().map(|step| step.get::<String, _>("detail")).collect::<Vec<_>>().join("\n")
    }

    /// The first statement runs for each page of a crawl and the second for each message, so neither may read
    /// the rows of all pages.
    #[tokio::test]
    async fn equal_pages_and_numbers_of_sources_are_read_from_an_index() {
        let found = plan(SAME_CONTENT).await;
        let index = "INDEX webpages_content (chatbot_id=? AND content_hash=? AND status=?)";
        assert!(found.contains(index), "{found}");
        let counted = plan("SELECT COUNT(*) FROM training_sources WHERE chatbot_id = $1").await;
        let index = "COVERING INDEX webpages_status (chatbot_id=? AND status=? AND enabled=?)";
        assert!(counted.contains(index), "{counted}");
    }
}
