//! The crawl of a website: its beginning and end, its frontier, and its report.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::{CrawlScope, Website, WebsiteStatus, Websites, next_crawl, read};
use crate::accounts::plan_limits::{self, PLAN_LIMIT_REASON, PlanResource};
use crate::content::webpages::{
    self, PageLimits, PageOutcome, PageStatus, PageVisit, VisitOutcome, Webpage, columns as webpage_columns,
};
use crate::events::{self, EventData, EventFailure};
use crate::sql::chatbot_lock::{self, RowLock};
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{Columns, micros};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};
use crate::work::jobs::{self, NewJob, Subject};

/// What became of the report of a visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageFinish {
    /// It was stored.
    Stored,
    /// It was stored without the content and the links, because the plan of the account includes no more
    /// webpages. The page is skipped.
    OverPlan,
    /// The page is no longer in the frontier, because its crawl was stopped or it was deleted.
    Gone,
}

impl PageVisit {
    /// Returns the visit of a page whose content may not be stored for a reason, given as a stable code.
    pub fn skipped(http_status: Option<u16>, reason: impl Into<String>) -> Self {
        let outcome =
            PageOutcome { http_status, ..PageOutcome::without_content(PageStatus::Skipped, reason) };
        Self { outcome, result: VisitOutcome::Skipped, validators: None }
    }
}

/// Why a website is not crawled again.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecrawlRefused {
    /// A crawl is running or waiting.
    #[error("a crawl of this website is running")]
    InProgress,
    /// The last crawl began too recently.
    #[error("the website can be crawled again at {available_at}")]
    TooSoon {
        /// The time from which it can.
        available_at: Timestamp,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for RecrawlRefused {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

record! {
    /// What became of one page at its last visit.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ReportEntry, columns report_columns {
        /// The page.
        pub webpage_id: Uuid,
        /// Its address.
        pub url: String,
        /// What became of it.
        pub outcome: VisitOutcome,
        /// The last HTTP status.
        pub http_status: Option<u16>,
        /// Why it has no new content, as a stable code.
        pub reason: Option<String>,
        /// When it was last visited.
        pub fetched_at: Option<Timestamp>,
        /// When it was found.
        pub created_at: Timestamp,
    }
}

/// How far a crawl has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlProgress {
    /// Pages that are not in the frontier.
    pub visited: u64,
    /// Those of them with content.
    pub ready: u64,
}

impl Websites<'_> {
    /// Begins another crawl: puts the pages that `what` names into the frontier and enqueues the job. Pages
    /// that were gone at their last visit are forgotten. With `pause`, the crawl is refused until so much
    /// time has passed since the last one that had a pause began. `None` when there is no such website.
    pub async fn recrawl(
        self,
        scope: &Scope,
        website: &Website,
        what: CrawlScope,
        job: &NewJob,
        pause: Option<SignedDuration>,
        now: Timestamp,
    ) -> Result<Option<Website>, RecrawlRefused> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, website.chatbot_id)
                .await?
        else {
            return Ok(None);
        };
        let Some(stored) = read(&mut transaction, website.website_id).await? else { return Ok(None) };
        if stored.status.is_unfinished() {
            return Err(RecrawlRefused::InProgress);
        }
        if let Some(available_at) = stored.recrawl_available_at.filter(|at| pause.is_some() && *at > now) {
            return Err(RecrawlRefused::TooSoon { available_at });
        }
        let id = website.website_id.to_string();
        sqlx::query("DELETE FROM webpages WHERE website_id = $1 AND outcome = 'removed' AND depth > 0")
            .bind(&id)
            .execute(&mut *transaction)
            .await?;
        sqlx::query(
            "UPDATE webpages SET queued = 1 WHERE website_id = $1 AND ($2 <> 'failed' OR outcome = 'failed' \
             OR reason IN ('cancelled', 'over_limit', 'plan_limit_reached'))",
        )
        .bind(&id)
        .bind(what.as_str())
        .execute(&mut *transaction)
        .await?;
        let available_at = pause.map(|pause| now.saturating_add(pause).unwrap_or(Timestamp::MAX));
        sqlx::query(
            "UPDATE websites SET status = 'pending', scope = $2, next_crawl_at = NULL, recrawl_available_at = $3, \
             error_code = NULL, error_message = NULL, error_at = NULL, updated_at = $4 WHERE website_id = $1",
        )
        .bind(&id)
        .bind(what.as_str())
        .bind(available_at.map(micros))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        let subject = Subject::website(website.website_id);
        // The job of the last crawl may still wait for vectors. It would crawl beside the new one.
        jobs::cancel_open(&mut transaction, subject).await?;
        jobs::insert(&mut transaction, Some(&key.account_id), Some(subject), job, now).await?;
        let website = read(&mut transaction, website.website_id).await?;
        transaction.commit().await?;
        Ok(website)
    }

    /// Moves a website whose crawl is unfinished to another unfinished status. `None` when there is no such
    /// website, or its crawl has ended or was stopped.
    pub async fn set_unfinished(
        self,
        scope: &Scope,
        website_id: Uuid,
        status: WebsiteStatus,
        now: Timestamp,
    ) -> Result<Option<Website>, StoreError> {
        let changed = scoped(
            concat!(
                "UPDATE websites SET status = $4, updated_at = $5 WHERE ",
                in_scope!(),
                " AND website_id = $3 AND status IN ('pending', 'crawling', 'processing')"
            ),
            scope,
        )
        .bind(website_id.to_string())
        .bind(status.as_str())
        .bind(micros(now))
        .execute(self.store.writer())
        .await?;
        if changed.rows_affected() == 0 { Ok(None) } else { self.get(scope, website_id).await }
    }

    /// Returns whether the crawl of a website is running or waiting; `false` when there is no such website.
    pub async fn is_unfinished(self, scope: &Scope, website_id: Uuid) -> Result<bool, StoreError> {
        let found = scoped(
            concat!(
                "SELECT website_id FROM websites WHERE ",
                in_scope!(),
                " AND website_id = $3 AND status IN ('pending', 'crawling', 'processing')"
            ),
            scope,
        )
        .bind(website_id.to_string());
        Ok(found.fetch_optional(self.store.reader()).await?.is_some())
    }

    /// Ends an unfinished crawl and schedules the next one. The status follows from the pages; `error`, as
    /// code and message, says why there is none with content. `None` when there is no such website, or its
    /// crawl has ended or was stopped.
    pub async fn finish(
        self,
        scope: &Scope,
        website_id: Uuid,
        error: Option<(&str, &str)>,
        now: Timestamp,
    ) -> Result<Option<Website>, StoreError> {
        let Some(website) = self.get(scope, website_id).await? else { return Ok(None) };
        let next = next_crawl(now, website.refresh_interval);
        let mut transaction = self.store.begin().await?;
        let changed = scoped(
            concat!(
                "UPDATE websites SET status = CASE WHEN EXISTS (SELECT 1 FROM webpages AS p \
                 WHERE p.website_id = websites.website_id AND p.status = 'ready') THEN \
                 CASE WHEN EXISTS (SELECT 1 FROM webpages AS p WHERE p.website_id = websites.website_id \
                 AND p.outcome = 'failed') THEN 'partial' ELSE 'ready' END ELSE 'failed' END, \
                 error_code = $4, error_message = $5, error_at = $6, last_crawled_at = $7, next_crawl_at = $8, \
                 updated_at = $7 WHERE ",
                in_scope!(),
                " AND website_id = $3 AND status IN ('pending', 'crawling', 'processing')"
            ),
            scope,
        )
        .bind(website_id.to_string())
        .bind(error.map(|(code, _)| replace_nul(code)))
        .bind(error.map(|(_, message)| replace_nul(message)))
        .bind(error.map(|_| micros(now)))
        .bind(micros(now))
        .bind(next.map(micros))
        .execute(&mut *transaction)
        .await?;
        if changed.rows_affected() == 0 {
            return Ok(None);
        }
        if let Some((code, message)) = error {
            let (code, message) = (replace_nul(code), replace_nul(message));
            let error = EventFailure { code, message, at: now };
            let data = EventData::CrawlFailed { website: (&website).into(), error };
            events::insert(&mut transaction, website.account_id, [data], now).await?;
        }
        transaction.commit().await?;
        self.get(scope, website_id).await
    }

    /// Takes all pages of a website out of the frontier because nobody is going to visit them. Those that
    /// were never visited have failed for `reason`.
    pub async fn abandon_pages(
        self,
        scope: &Scope,
        website_id: Uuid,
        reason: &str,
    ) -> Result<(), StoreError> {
        let abandoned = scoped(
            concat!(
                "UPDATE webpages SET queued = 0, reason = CASE WHEN status = 'pending' THEN $4 ELSE reason END, \
                 outcome = CASE WHEN status = 'pending' THEN 'failed' ELSE outcome END, \
                 status = CASE WHEN status = 'pending' THEN 'failed' ELSE status END WHERE ",
                in_scope!(),
                " AND website_id = $3 AND queued = 1"
            ),
            scope,
        )
        .bind(website_id.to_string())
        .bind(replace_nul(reason));
        abandoned.execute(self.store.writer()).await?;
        Ok(())
    }

    /// Stops an unfinished crawl: empties the frontier and deletes the job. Finished pages stay; those that
    /// were never visited are skipped for the reason `cancelled`. A worker that is reading a page can no
    /// longer store it. Does nothing if no crawl is running. `None` when there is no such website.
    pub async fn cancel(
        self,
        scope: &Scope,
        website: &Website,
        now: Timestamp,
    ) -> Result<Option<Website>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let locked =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, website.chatbot_id)
                .await?;
        let Some(stored) = read(&mut transaction, website.website_id).await?.filter(|_| locked.is_some())
        else {
            return Ok(None);
        };
        if !stored.status.is_unfinished() {
            return Ok(Some(stored));
        }
        let id = website.website_id.to_string();
        sqlx::query(
            "UPDATE webpages SET status = 'skipped', outcome = 'skipped', reason = 'cancelled', updated_at = $2 \
             WHERE website_id = $1 AND queued = 1 AND status = 'pending'",
        )
        .bind(&id)
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        sqlx::query("UPDATE webpages SET queued = 0 WHERE website_id = $1 AND queued = 1")
            .bind(&id)
            .execute(&mut *transaction)
            .await?;
        let next = next_crawl(now, stored.refresh_interval);
        sqlx::query(
            "UPDATE websites SET status = 'cancelled', next_crawl_at = $2, updated_at = $3 WHERE website_id = $1",
        )
        .bind(&id)
        .bind(next.map(micros))
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        jobs::cancel(&mut transaction, Subject::website(website.website_id)).await?;
        let website = read(&mut transaction, website.website_id).await?;
        transaction.commit().await?;
        Ok(website)
    }

    /// The page to visit next: the one closest to the start page, and of those the one found first. It stays
    /// in the frontier until [`Websites::finish_page`].
    pub async fn next_page(self, scope: &Scope, website_id: Uuid) -> Result<Option<Webpage>, StoreError> {
        let next = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND website_id = $3 AND queued = 1 ORDER BY depth, webpage_id LIMIT 1"
            ),
            scope,
        )
        .bind(website_id.to_string());
        Ok(next.fetch_optional(self.store.reader()).await?)
    }

    /// Writes down what a visit has brought, in one transaction: the page's new state, its chunks with their
    /// index entries, and the pages it links to. A page that would get content beyond the limit of the
    /// account's plan is skipped instead.
    ///
    /// A page whose visit is lost with the power is still in the frontier, and is visited again.
    pub async fn finish_page(
        self,
        scope: &Scope,
        page: &Webpage,
        visit: &PageVisit,
        now: Timestamp,
    ) -> Result<PageFinish, StoreError> {
        let mut transaction = self.store.begin_repeatable().await?;
        let dialect = self.store.dialect();
        let locked = webpages::lock(&mut transaction, dialect, scope, page.webpage_id).await?;
        let Some((key, stored)) =
            locked.filter(|(_, stored)| stored.queued && stored.website_id == page.website_id)
        else {
            return Ok(PageFinish::Gone);
        };
        if visit.outcome.status == PageStatus::Ready && stored.status != PageStatus::Ready {
            let (resource, page) = (PlanResource::Webpages, Some(page.webpage_id));
            if plan_limits::room(&mut transaction, &key.account_id, resource, page).await?.take().is_err() {
                let skipped = PageVisit::skipped(visit.outcome.http_status, PLAN_LIMIT_REASON);
                webpages::record_visit(&mut transaction, dialect, &key, &stored, &skipped, now).await?;
                transaction.commit().await?;
                return Ok(PageFinish::OverPlan);
            }
        }
        webpages::record_visit(&mut transaction, dialect, &key, &stored, visit, now).await?;
        let limits = PageLimits { website_id: stored.website_id, max_pages: visit.outcome.max_pages };
        webpages::insert(&mut transaction, dialect, &key, &visit.outcome.links, limits, now).await?;
        transaction.commit().await?;
        Ok(PageFinish::Stored)
    }

    /// How far the crawl of a website has come: pages that are not in the frontier, and those of them with
    /// content.
    pub async fn progress(self, scope: &Scope, website_id: Uuid) -> Result<CrawlProgress, StoreError> {
        let row = scoped(
            concat!(
                "SELECT COUNT(*) AS visited, COALESCE(SUM(CASE WHEN status = 'ready' THEN 1 ELSE 0 END), 0) AS ready \
                 FROM webpages WHERE ",
                in_scope!(),
                " AND website_id = $3 AND queued = 0"
            ),
            scope,
        )
        .bind(website_id.to_string())
        .fetch_one(self.store.reader())
        .await?;
        Ok(CrawlProgress { visited: row.number("visited")?, ready: row.number("ready")? })
    }

    /// The start page of a website.
    pub async fn start_page(self, scope: &Scope, website_id: Uuid) -> Result<Option<Webpage>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND website_id = $3 AND depth = 0 ORDER BY webpage_id LIMIT 1"
            ),
            scope,
        )
        .bind(website_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// One page of the crawl report, in the order in which the pages were found; with `outcome` only those
    /// with it.
    pub async fn report(
        self,
        scope: &Scope,
        website_id: Uuid,
        outcome: Option<VisitOutcome>,
        page: &PageRequest,
    ) -> Result<Page<ReportEntry>, StoreError> {
        let (key, id) = page.after_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                report_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND website_id = $3 AND (created_at, webpage_id) > ($4, $5) AND ($6 = '' OR outcome = $6) \
                 ORDER BY created_at, webpage_id LIMIT $7"
            ),
            scope,
        )
        .bind(website_id.to_string())
        .bind(key)
        .bind(id)
        .bind(outcome.map_or("", VisitOutcome::as_str))
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &ReportEntry| {
            Position::number(micros(last.created_at), last.webpage_id)
        }))
    }

    /// Up to `limit` websites whose next crawl is due, in whatever account. Takes no scope because the
    /// scheduler serves all accounts; each website brings its own.
    pub async fn due(self, now: Timestamp, limit: u32) -> Result<Vec<Website>, StoreError> {
        let websites = sqlx::query_as(concat!(
            "SELECT ",
            website_columns!(),
            " FROM websites WHERE next_crawl_at <= $1 AND status NOT IN ('pending', 'crawling', 'processing') \
             ORDER BY next_crawl_at LIMIT $2"
        ))
        .bind(micros(now))
        .bind(i64::from(limit));
        Ok(websites.fetch_all(self.store.reader()).await?)
    }

    /// Websites in whatever account whose crawl is unfinished although no job works or waits for it. Takes no
    /// scope because workers serve all accounts; each website brings its own.
    pub async fn stranded(self) -> Result<Vec<Website>, StoreError> {
        let websites = sqlx::query_as(concat!(
            "SELECT ",
            website_columns!(),
            " FROM websites WHERE status IN ('pending', 'crawling', 'processing') AND NOT EXISTS (SELECT 1 FROM jobs \
             WHERE jobs.subject_id = websites.website_id AND jobs.subject = 'website' \
             AND jobs.state IN ('queued', 'running'))"
        ));
        Ok(websites.fetch_all(self.store.reader()).await?)
    }
}
