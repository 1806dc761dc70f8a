//! Websites of a chatbot: where its webpages come from, and how often they are read again.
//!
//! A website owns the pages that its crawl has found first. The crawl itself, its frontier and its report are
//! in `crawl`.

use jiff::{SignedDuration, Timestamp};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use crate::accounts::plan_limits::{self, PlanLimitReached, PlanResource};
use crate::content::failure::ChatbotError;
use crate::content::webpages::{self, AddedPages, NewPage, PageLimits};
use crate::events::snapshots::EventWebsite;
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::record::{Column, unreadable};
use crate::sql::row::{Columns, micros, new_id};
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped, scoped_as};
use crate::work::jobs::{self, NewJob, Subject};

named_values! {
    /// How the pages of a website are found.
    pub enum WebsiteSource as "website source" {
        /// By following links from a start page, and from sitemaps.
        Crawl = "crawl",
        /// From one sitemap alone.
        Sitemap = "sitemap",
    }
}

named_values! {
    /// How far the crawl of a website has come.
    pub enum WebsiteStatus as "website status" {
        /// Waits for a worker.
        Pending = "pending",
        /// Pages are being read.
        Crawling = "crawling",
        /// All pages were visited; the index is being completed.
        Processing = "processing",
        /// Ended with content.
        Ready = "ready",
        /// Ended with content, and with pages that failed.
        Partial = "partial",
        /// Ended without content.
        Failed = "failed",
        /// Was stopped.
        Cancelled = "cancelled",
    }
}

impl WebsiteStatus {
    /// Returns whether a crawl is running or waiting.
    pub const fn is_unfinished(self) -> bool {
        matches!(self, Self::Pending | Self::Crawling | Self::Processing)
    }
}

named_values! {
    /// How often a website is crawled again.
    pub enum RefreshInterval as "refresh interval" {
        /// Only on demand.
        Never = "never",
        /// After a day.
        Daily = "daily",
        /// After seven days.
        Weekly = "weekly",
        /// After thirty days.
        Monthly = "monthly",
    }
}

impl RefreshInterval {
    /// Returns the time between the end of a crawl and the next one; `None` if there is no next one.
    pub const fn period(self) -> Option<SignedDuration> {
        match self {
            Self::Never => None,
            Self::Daily => Some(SignedDuration::from_hours(24)),
            Self::Weekly => Some(SignedDuration::from_hours(24 * 7)),
            Self::Monthly => Some(SignedDuration::from_hours(24 * 30)),
        }
    }
}

named_values! {
    /// Which pages a crawl reads.
    pub enum CrawlScope as "crawl scope" {
        /// All; those that have not changed keep their content.
        Changed = "changed",
        /// Those that failed at their last visit.
        Failed = "failed",
        /// All, and their content is indexed anew.
        All = "all",
    }
}

/// Patterns of paths, stored as a JSON list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathPatterns(pub Vec<String>);

impl PathPatterns {
    fn stored(&self) -> String {
        serde_json::json!(self.0).to_string()
    }
}

impl Column for PathPatterns {
    fn read(row: &AnyRow, name: &str) -> sqlx::Result<Self> {
        let text: String = row.try_get(name)?;
        serde_json::from_str(&text).map(Self).map_err(|error| unreadable(name, error))
    }
}

record! {
    /// A website.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Website, columns website_columns {
        /// Identifier.
        pub website_id: Uuid,
        /// The chatbot that answers from its pages.
        pub chatbot_id: Uuid,
        /// The account of that chatbot.
        pub account_id: Uuid,
        /// The start address, or the address of the sitemap; unique for the chatbot.
        pub url: String,
        /// How its pages are found.
        pub source: WebsiteSource,
        /// Most pages with content; `None` for the limit of the service.
        pub max_pages: Option<u32>,
        /// Most links between the start page and a page; `None` for the limit of the service.
        pub max_depth: Option<u32>,
        /// Patterns of the paths that are used; all if empty.
        pub include_paths: PathPatterns,
        /// Patterns of the paths that are not visited.
        pub exclude_paths: PathPatterns,
        /// Whether subdomains of the host belong to the website.
        pub include_subdomains: bool,
        /// Whether files that its pages link to are read like pages.
        pub include_files: bool,
        /// How often it is crawled again.
        pub refresh_interval: RefreshInterval,
        /// How far the crawl has come.
        pub status: WebsiteStatus,
        /// Which pages the present or last crawl reads.
        pub scope: CrawlScope,
        /// Pages found.
        pub pages_found: u64 = "(SELECT COUNT(*) FROM webpages AS p WHERE p.website_id = websites.website_id)",
        /// Pages with content.
        pub pages_ready: u64 = "(SELECT COUNT(*) FROM webpages AS p WHERE p.website_id = websites.website_id \
             AND p.status = 'ready')",
        /// Pages that could not be read at their last visit.
        pub pages_failed: u64 = "(SELECT COUNT(*) FROM webpages AS p WHERE p.website_id = websites.website_id \
             AND p.outcome = 'failed')",
        /// Pages that were left out on purpose.
        pub pages_skipped: u64 = "(SELECT COUNT(*) FROM webpages AS p WHERE p.website_id = websites.website_id \
             AND p.status = 'skipped')",
        /// When the last crawl ended.
        pub last_crawled_at: Option<Timestamp>,
        /// When the next scheduled crawl begins.
        pub next_crawl_at: Option<Timestamp>,
        /// The time from which it may be crawled again on demand.
        pub recrawl_available_at: Option<Timestamp>,
        /// Why the last crawl failed, if it did.
        pub last_error: Option<ChatbotError> = ["error_code, error_message, error_at"],
        /// Its tags, which its pages have too.
        pub tag_ids: Vec<Uuid> = "COALESCE((SELECT string_agg(bound.tag_id, ' ' ORDER BY bound.tag_id) \
             FROM website_tags AS bound WHERE bound.website_id = websites.website_id), '')",
        /// When it was added.
        pub created_at: Timestamp,
        /// When its settings or its status last changed.
        pub updated_at: Timestamp,
    }
}

mod crawl;

pub use self::crawl::{CrawlProgress, PageFinish, RecrawlRefused, ReportEntry};

impl Website {
    /// Returns the scope of the account it belongs to, and nothing else.
    pub const fn account_scope(&self) -> Scope {
        Scope::of_account(self.account_id)
    }
}

/// How a website is crawled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebsiteOptions {
    /// Most pages with content; `None` for the limit of the service.
    pub max_pages: Option<u32>,
    /// Most links between the start page and a page; `None` for the limit of the service.
    pub max_depth: Option<u32>,
    /// Patterns of the paths that are used; all if empty.
    pub include_paths: PathPatterns,
    /// Patterns of the paths that are not visited.
    pub exclude_paths: PathPatterns,
    /// Whether subdomains of the host belong to the website.
    pub include_subdomains: bool,
    /// Whether files that its pages link to are read like pages.
    pub include_files: bool,
    /// How often it is crawled again.
    pub refresh_interval: RefreshInterval,
}

impl Default for WebsiteOptions {
    fn default() -> Self {
        Self {
            max_pages: None,
            max_depth: None,
            include_paths: PathPatterns::default(),
            exclude_paths: PathPatterns::default(),
            include_subdomains: false,
            include_files: true,
            refresh_interval: RefreshInterval::Never,
        }
    }
}

/// A website to be created, with the job that crawls it.
#[derive(Debug, Clone)]
pub struct NewWebsite {
    /// The normalized start address, or the address of the sitemap.
    pub url: String,
    /// How its pages are found.
    pub source: WebsiteSource,
    /// How it is crawled.
    pub options: WebsiteOptions,
    /// Tags of the same chatbot; others are ignored.
    pub tag_ids: Vec<Uuid>,
    /// The job that crawls it; its subject becomes the new website, whatever `subject` says.
    pub job: NewJob,
}

/// Why a website cannot be created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebsiteError {
    /// The chatbot has a website with this address already.
    #[error("the chatbot already has a website with this address ({website_id})")]
    AlreadyExists {
        /// The website.
        website_id: Uuid,
    },
    /// The plan of the account includes no more webpages.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for WebsiteError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Creates a website below a chatbot that the transaction holds exclusively, with its start page and its job.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    new: &NewWebsite,
    now: Timestamp,
) -> Result<Uuid, WebsiteError> {
    let website_id = new_id();
    let url = replace_nul(&new.url);
    let options = &new.options;
    let inserted = sqlx::query(
        "INSERT INTO websites (website_id, chatbot_id, account_id, url, source, max_pages, max_depth, include_paths, \
         exclude_paths, include_subdomains, refresh_interval, status, scope, created_at, updated_at, include_files) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 'pending', 'changed', $12, $12, $13) \
         ON CONFLICT (chatbot_id, url) DO NOTHING",
    )
    .bind(website_id.to_string())
    .bind(&key.chatbot_id)
    .bind(&key.account_id)
    .bind(url.clone())
    .bind(new.source.as_str())
    .bind(options.max_pages.map(i64::from))
    .bind(options.max_depth.map(i64::from))
    .bind(options.include_paths.stored())
    .bind(options.exclude_paths.stored())
    .bind(i64::from(options.include_subdomains))
    .bind(options.refresh_interval.as_str())
    .bind(micros(now))
    .bind(i64::from(options.include_files))
    .execute(&mut *connection)
    .await?;
    if inserted.rows_affected() == 0 {
        let existing: Website = sqlx::query_as(concat!(
            "SELECT ",
            website_columns!(),
            " FROM websites WHERE chatbot_id = $1 AND url = $2"
        ))
        .bind(&key.chatbot_id)
        .bind(url)
        .fetch_one(&mut *connection)
        .await?;
        return Err(WebsiteError::AlreadyExists { website_id: existing.website_id });
    }
    bind_tags(&mut *connection, key, website_id, &new.tag_ids).await?;
    if new.source == WebsiteSource::Crawl {
        webpages::adopt_start_page(&mut *connection, dialect, key, website_id, &NewPage::root(&new.url), now)
            .await?;
    }
    let subject = Some(Subject::website(website_id));
    jobs::insert(&mut *connection, Some(&key.account_id), subject, &new.job, now).await?;
    Ok(website_id)
}

/// Replaces the tags of a website.
async fn bind_tags(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    website_id: Uuid,
    tag_ids: &[Uuid],
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM website_tags WHERE website_id = $1")
        .bind(website_id.to_string())
        .execute(&mut *connection)
        .await?;
    for tag_id in tag_ids {
        sqlx::query(
            "INSERT INTO website_tags (tag_id, website_id) SELECT tag_id, $2 FROM tags \
             WHERE tag_id = $1 AND chatbot_id = $3 ON CONFLICT (tag_id, website_id) DO NOTHING",
        )
        .bind(tag_id.to_string())
        .bind(website_id.to_string())
        .bind(&key.chatbot_id)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

impl From<&Website> for EventWebsite {
    fn from(website: &Website) -> Self {
        Self { website_id: website.website_id, chatbot_id: website.chatbot_id, url: website.url.clone() }
    }
}

group! {
    /// Websites of chatbots.
    pub Websites, websites
}

impl Websites<'_> {
    /// Creates a website with its start page and its job. `None` when there is no such chatbot.
    pub async fn create(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        new: &NewWebsite,
        now: Timestamp,
    ) -> Result<Option<Website>, WebsiteError> {
        let mut transaction = self.store.begin().await?;
        let Some(key) =
            chatbot_lock::lock(&mut transaction, self.store.dialect(), RowLock::Exclusive, scope, chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        let website_id = insert(&mut transaction, self.store.dialect(), &key, new, now).await?;
        let mut room =
            plan_limits::room(&mut transaction, &key.account_id, PlanResource::Webpages, None).await?;
        match new.source {
            // Its start page is counted.
            WebsiteSource::Crawl => room.check()?,
            WebsiteSource::Sitemap => room.take()?,
        }
        let website = read(&mut transaction, website_id).await?;
        transaction.commit().await?;
        Ok(website)
    }

    /// One page of the websites of a chatbot, oldest first; with `status` or `tag_id` only those in this
    /// state or with this tag.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        status: Option<WebsiteStatus>,
        tag_id: Option<Uuid>,
        page: &PageRequest,
    ) -> Result<Page<Website>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                website_columns!(),
                " FROM websites WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND (created_at, website_id) > ($4, $5) AND ($6 = '' OR status = $6) \
                 AND ($7 = '' OR EXISTS (SELECT 1 FROM website_tags AS bound \
                 WHERE bound.website_id = websites.website_id AND bound.tag_id = $7)) \
                 ORDER BY created_at, website_id LIMIT $8"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(key)
        .bind(id)
        .bind(status.map_or("", WebsiteStatus::as_str))
        .bind(tag_id.map(|id| id.to_string()).unwrap_or_default())
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &Website| Position::number(micros(last.created_at), last.website_id)))
    }

    /// One website of a chatbot.
    pub async fn find(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        website_id: Uuid,
    ) -> Result<Option<Website>, StoreError> {
        Ok(self.get(scope, website_id).await?.filter(|website| website.chatbot_id == chatbot_id))
    }

    /// One website, whichever chatbot it belongs to.
    pub async fn get(self, scope: &Scope, website_id: Uuid) -> Result<Option<Website>, StoreError> {
        find_by_id(self.store, row_by_id!(website_columns of "websites", "website_id"), scope, website_id)
            .await
    }

    /// Reads how a website is crawled, lets `change` edit it and writes it back; no other change comes
    /// between. Tags that are given replace those of the website and of all its pages. `None` when there is
    /// no such website.
    pub async fn update<F>(
        self,
        scope: &Scope,
        website: &Website,
        tag_ids: Option<&[Uuid]>,
        now: Timestamp,
        change: F,
    ) -> Result<Option<Website>, StoreError>
    where
        F: FnOnce(&mut WebsiteOptions) + Send,
    {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, website.chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        let Some(stored) = read(&mut transaction, website.website_id).await? else { return Ok(None) };
        let mut options = WebsiteOptions {
            max_pages: stored.max_pages,
            max_depth: stored.max_depth,
            include_paths: stored.include_paths,
            exclude_paths: stored.exclude_paths,
            include_subdomains: stored.include_subdomains,
            include_files: stored.include_files,
            refresh_interval: stored.refresh_interval,
        };
        change(&mut options);
        let next = if options.refresh_interval == stored.refresh_interval {
            stored.next_crawl_at
        } else {
            stored.last_crawled_at.and_then(|last| next_crawl(last, options.refresh_interval))
        };
        sqlx::query(
            "UPDATE websites SET max_pages = $2, max_depth = $3, include_paths = $4, exclude_paths = $5, \
             include_subdomains = $6, refresh_interval = $7, next_crawl_at = $8, updated_at = $9, \
             include_files = $10 WHERE website_id = $1",
        )
        .bind(website.website_id.to_string())
        .bind(options.max_pages.map(i64::from))
        .bind(options.max_depth.map(i64::from))
        .bind(options.include_paths.stored())
        .bind(options.exclude_paths.stored())
        .bind(i64::from(options.include_subdomains))
        .bind(options.refresh_interval.as_str())
        .bind(next.map(micros))
        .bind(micros(now))
        .bind(i64::from(options.include_files))
        .execute(&mut *transaction)
        .await?;
        if let Some(tag_ids) = tag_ids {
            bind_tags(&mut transaction, &key, website.website_id, tag_ids).await?;
            webpages::inherit_tags(&mut transaction, website.website_id).await?;
        }
        let updated = read(&mut transaction, website.website_id).await?;
        transaction.commit().await?;
        Ok(updated)
    }

    /// Deletes a website with its pages, their chunks and its jobs. A worker that crawls it loses its lease.
    /// `false` when there is no such website.
    pub async fn delete(self, scope: &Scope, website: &Website) -> Result<bool, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let locked =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, website.chatbot_id)
                .await?;
        if locked.is_none() {
            return Ok(false);
        }
        let deleted =
            scoped(concat!("DELETE FROM websites WHERE ", in_scope!(), " AND website_id = $3"), scope)
                .bind(website.website_id.to_string())
                .execute(&mut *transaction)
                .await?;
        if deleted.rows_affected() == 0 {
            return Ok(false);
        }
        jobs::cancel(&mut transaction, Subject::website(website.website_id)).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// How many websites of a chatbot are being crawled or wait for it.
    pub async fn unfinished(self, scope: &Scope, chatbot_id: Uuid) -> Result<u64, StoreError> {
        let row = scoped(
            concat!(
                "SELECT COUNT(*) AS websites FROM websites WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND status IN ('pending', 'crawling', 'processing')"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .fetch_one(self.store.reader())
        .await?;
        Ok(row.number("websites")?)
    }
}

/// Reads a website of the chatbot that a transaction has locked.
async fn read(connection: &mut AnyConnection, website_id: Uuid) -> Result<Option<Website>, StoreError> {
    let website =
        sqlx::query_as(concat!("SELECT ", website_columns!(), " FROM websites WHERE website_id = $1"))
            .bind(website_id.to_string());
    Ok(website.fetch_optional(connection).await?)
}

/// Returns when a website is crawled again after a crawl that ended at `last`.
fn next_crawl(last: Timestamp, interval: RefreshInterval) -> Option<Timestamp> {
    interval.period().map(|period| last.saturating_add(period).unwrap_or(Timestamp::MAX))
}

impl Websites<'_> {
    /// Adds pages to the frontier of a website; pages that the chatbot has already stay as they are. `None`
    /// when there is no such website.
    pub async fn add_pages(
        self,
        scope: &Scope,
        website: &Website,
        pages: &[NewPage],
        max_pages: u64,
        now: Timestamp,
    ) -> Result<Option<AddedPages>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, website.chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        if read(&mut transaction, website.website_id).await?.is_none() {
            return Ok(None);
        }
        let limits = PageLimits { website_id: Some(website.website_id), max_pages };
        let added =
            webpages::insert(&mut transaction, self.store.dialect(), &key, pages, limits, now).await?;
        transaction.commit().await?;
        Ok(Some(added))
    }
}
