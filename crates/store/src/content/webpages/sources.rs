//! Webpages as their owner sees and manages them: lists, pages added by address or with their content,
//! titles, switches and tags.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{
    NewPage, PageLimits, PageOutcome, PageStatus, PageVisit, VisitOutcome, Webpage, Webpages, insert, read,
    record_visit,
};
use crate::accounts::plan_limits::{self, PlanLimitReached, PlanResource};
use crate::content::chunk::{ChunkOwner, NewChunk};
use crate::content::chunks;
use crate::sql::chatbot_lock::{self, ChatbotKey, RowLock};
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::micros;
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};
use crate::work::jobs::{self, NewJob, Subject};

/// Which webpages a list contains.
#[derive(Debug, Clone, Default)]
pub struct WebpageFilter {
    /// Only those of this website.
    pub website_id: Option<Uuid>,
    /// Only those that stand alone, or only the others.
    pub standalone: Option<bool>,
    /// Only those in this state.
    pub status: Option<PageStatus>,
    /// Only those with this tag.
    pub tag_id: Option<Uuid>,
    /// Only those whose title or address contains this text, whatever the case of ASCII letters.
    pub text: Option<String>,
}

/// A page that is to be fetched and stands alone.
#[derive(Debug, Clone)]
pub struct NewWebpage {
    /// Its normalized URL.
    pub url: String,
    /// The title to cite it by, instead of its own.
    pub custom_title: Option<String>,
    /// Tags of the same chatbot; others are ignored.
    pub tag_ids: Vec<Uuid>,
}

/// What a page says.
#[derive(Debug, Clone)]
pub struct WebpageContent {
    /// Its own title.
    pub title: String,
    /// Hash of the content.
    pub content_hash: String,
    /// Language code.
    pub language: Option<String>,
    /// The passages to index.
    pub chunks: Vec<NewChunk>,
}

/// A page that came with its content.
#[derive(Debug, Clone)]
pub struct PushedPage {
    /// Its normalized URL.
    pub url: String,
    /// The title to cite it by, instead of its own.
    pub custom_title: Option<String>,
    /// What it says.
    pub content: WebpageContent,
    /// Its tags from now on, or `None` to keep them.
    pub tag_ids: Option<Vec<Uuid>>,
}

/// A change of a page by its owner.
#[derive(Debug, Clone, Default)]
pub struct WebpageUpdate {
    /// The title to cite it by; the inner `None` is its own.
    pub custom_title: Option<Option<String>>,
    /// Its passages under that title.
    pub chunks: Option<Vec<NewChunk>>,
    /// Whether answers may use it.
    pub enabled: Option<bool>,
    /// Its tags from now on.
    pub tag_ids: Option<Vec<Uuid>>,
}

/// Why a page cannot be added.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WebpageError {
    /// The chatbot has a page with this address already.
    #[error("the chatbot already has a page with this address ({webpage_id})")]
    AlreadyExists {
        /// The page.
        webpage_id: Uuid,
    },
    /// The plan of the account includes no more webpages.
    #[error(transparent)]
    PlanLimit(#[from] PlanLimitReached),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for WebpageError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Webpages<'_> {
    /// One page of the webpages of a chatbot, oldest first.
    pub async fn page(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        filter: &WebpageFilter,
        page: &PageRequest,
    ) -> Result<Page<Webpage>, StoreError> {
        let (key, id) = page.after_number();
        let text = filter.text.as_deref().map(|text| {
            let escaped = replace_nul(text).replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
            format!("%{escaped}%")
        });
        let rows = scoped_as(
            concat!(
                "SELECT ",
                webpage_columns!(),
                " FROM webpages WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 AND (created_at, webpage_id) > ($4, $5) AND ($6 = '' OR website_id = $6) \
                 AND ($7 < 0 OR (CASE WHEN website_id IS NULL THEN 1 ELSE 0 END) = $7) AND ($8 = '' OR status = $8) \
                 AND ($9 = '' OR EXISTS (SELECT 1 FROM webpage_tags AS bound \
                 WHERE bound.webpage_id = webpages.webpage_id AND bound.tag_id = $9)) \
                 AND ($10 = '' OR LOWER(url) LIKE LOWER($10) ESCAPE '\\' \
                 OR LOWER(COALESCE(custom_title, title, '')) LIKE LOWER($10) ESCAPE '\\') \
                 ORDER BY created_at, webpage_id LIMIT $11"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(key)
        .bind(id)
        .bind(filter.website_id.map(|id| id.to_string()).unwrap_or_default())
        .bind(filter.standalone.map_or(-1, i64::from))
        .bind(filter.status.map_or("", PageStatus::as_str))
        .bind(filter.tag_id.map(|id| id.to_string()).unwrap_or_default())
        .bind(text.unwrap_or_default())
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &Webpage| Position::number(micros(last.created_at), last.webpage_id)))
    }

    /// Adds a page that stands alone and is to be fetched, with the job that `job` returns for it. `None`
    /// when there is no such chatbot.
    pub async fn create(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        new: &NewWebpage,
        job: impl FnOnce(Uuid) -> NewJob + Send,
        now: Timestamp,
    ) -> Result<Option<Webpage>, WebpageError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, chatbot_id).await?
        else {
            return Ok(None);
        };
        if let Some(existing) = find_by_url(&mut transaction, &key, &new.url).await? {
            return Err(WebpageError::AlreadyExists { webpage_id: existing.webpage_id });
        }
        let page = add(&mut transaction, dialect, &key, &new.url, now).await?;
        plan_limits::room(&mut transaction, &key.account_id, PlanResource::Webpages, None).await?.check()?;
        write_settings(&mut transaction, &key, &page, new.custom_title.as_deref(), Some(&new.tag_ids))
            .await?;
        let subject = Some(Subject::chatbot(chatbot_id));
        jobs::insert(&mut transaction, Some(&key.account_id), subject, &job(page.webpage_id), now).await?;
        let page = read(&mut transaction, page.webpage_id).await?;
        transaction.commit().await?;
        Ok(page)
    }

    /// Adds a page with its content, or replaces the page with this address, and returns it with whether it
    /// is new. It stands alone from then on. A chatbot that had nothing to answer from becomes ready. `None`
    /// when there is no such chatbot.
    pub async fn push(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        pushed: &PushedPage,
        now: Timestamp,
    ) -> Result<Option<(Webpage, bool)>, WebpageError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, chatbot_id).await?
        else {
            return Ok(None);
        };
        let existing = find_by_url(&mut transaction, &key, &pushed.url).await?;
        let is_new = existing.is_none();
        let page = match existing {
            Some(page) => page,
            None => add(&mut transaction, dialect, &key, &pushed.url, now).await?,
        };
        let content = &pushed.content;
        let is_empty = content.chunks.is_empty();
        let outcome = PageOutcome {
            status: if is_empty { PageStatus::Skipped } else { PageStatus::Ready },
            reason: is_empty.then(|| "empty_content".to_owned()),
            http_status: None,
            final_url: None,
            title: Some(content.title.clone()),
            content_hash: Some(content.content_hash.clone()),
            language: content.language.clone(),
            chunks: Some(content.chunks.clone()),
            links: Vec::new(),
            max_pages: 0,
        };
        let result = VisitOutcome::from(outcome.status);
        let visit = PageVisit { outcome, result, validators: Some((None, None)) };
        record_visit(&mut transaction, dialect, &key, &page, &visit, now).await?;
        sqlx::query(
            "UPDATE webpages SET website_id = NULL, parent_url = NULL, depth = 0, root_url = url, final_url = NULL, \
             fetched_at = NULL WHERE webpage_id = $1",
        )
        .bind(page.webpage_id.to_string())
        .execute(&mut *transaction)
        .await?;
        let tag_ids = pushed.tag_ids.as_deref();
        write_settings(&mut transaction, &key, &page, pushed.custom_title.as_deref(), tag_ids).await?;
        if page.status != PageStatus::Ready {
            plan_limits::room(&mut transaction, &key.account_id, PlanResource::Webpages, None)
                .await?
                .check()?;
        }
        if !is_empty {
            make_ready(&mut transaction, &key, now).await?;
        }
        let page = read(&mut transaction, page.webpage_id).await?;
        transaction.commit().await?;
        Ok(page.map(|page| (page, is_new)))
    }

    /// Puts a page into the frontier, to be fetched by `job` unless somebody is going to fetch it already. It
    /// keeps its content until then. `None` when there is no such page.
    pub async fn refresh(
        self,
        scope: &Scope,
        page: &Webpage,
        job: &NewJob,
        now: Timestamp,
    ) -> Result<Option<Webpage>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, page.chatbot_id).await?
        else {
            return Ok(None);
        };
        let queued = sqlx::query(
            "UPDATE webpages SET queued = 1, updated_at = $2 WHERE webpage_id = $1 AND queued = 0",
        )
        .bind(page.webpage_id.to_string())
        .bind(micros(now))
        .execute(&mut *transaction)
        .await?;
        if queued.rows_affected() > 0 {
            let subject = Some(Subject::chatbot(page.chatbot_id));
            jobs::insert(&mut transaction, Some(&key.account_id), subject, job, now).await?;
        }
        let page = read(&mut transaction, page.webpage_id).await?;
        transaction.commit().await?;
        Ok(page)
    }

    /// Changes what the owner decides about a page. `None` when there is no such page.
    pub async fn update(
        self,
        scope: &Scope,
        page: &Webpage,
        update: &WebpageUpdate,
        now: Timestamp,
    ) -> Result<Option<Webpage>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(key) =
            chatbot_lock::lock(&mut transaction, dialect, RowLock::Exclusive, scope, page.chatbot_id).await?
        else {
            return Ok(None);
        };
        let Some(stored) = read(&mut transaction, page.webpage_id).await? else { return Ok(None) };
        let title = update.custom_title.clone().unwrap_or_else(|| stored.custom_title.clone());
        write_settings(&mut transaction, &key, &stored, title.as_deref(), update.tag_ids.as_deref()).await?;
        sqlx::query("UPDATE webpages SET enabled = $2, updated_at = $3 WHERE webpage_id = $1")
            .bind(page.webpage_id.to_string())
            .bind(i64::from(update.enabled.unwrap_or(stored.enabled)))
            .bind(micros(now))
            .execute(&mut *transaction)
            .await?;
        // Content that a visit has brought meanwhile has the title of that moment; the next visit corrects
        // it.
        let is_same = stored.content_hash == page.content_hash && stored.chunk_count == page.chunk_count;
        if let Some(chunks) = update.chunks.as_ref().filter(|_| is_same) {
            let owner = ChunkOwner::Webpage(page.webpage_id);
            chunks::replace(&mut transaction, dialect, &key, owner, chunks).await?;
        }
        let page = read(&mut transaction, page.webpage_id).await?;
        transaction.commit().await?;
        Ok(page)
    }

    /// Deletes a page with its passages. `false` when there is no such page.
    pub async fn delete(self, scope: &Scope, webpage_id: Uuid) -> Result<bool, StoreError> {
        let deleted =
            scoped(concat!("DELETE FROM webpages WHERE ", in_scope!(), " AND webpage_id = $3"), scope)
                .bind(webpage_id.to_string());
        Ok(deleted.execute(self.store.writer()).await?.rows_affected() > 0)
    }
}

async fn find_by_url(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    url: &str,
) -> Result<Option<Webpage>, StoreError> {
    let page = sqlx::query_as(concat!(
        "SELECT ",
        webpage_columns!(),
        " FROM webpages WHERE chatbot_id = $1 AND url = $2"
    ))
    .bind(&key.chatbot_id)
    .bind(replace_nul(url));
    Ok(page.fetch_optional(connection).await?)
}

/// Adds a page that stands alone and is not there yet.
async fn add(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    url: &str,
    now: Timestamp,
) -> Result<Webpage, StoreError> {
    let limits = PageLimits { website_id: None, max_pages: u64::MAX };
    insert(&mut *connection, dialect, key, &[NewPage::root(url)], limits, now).await?;
    let page = find_by_url(connection, key, url).await?;
    page.ok_or_else(|| StoreError::invalid("url", "it is longer than 2048 bytes"))
}

/// Writes the title that the owner has given a page, and its tags.
async fn write_settings(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    page: &Webpage,
    custom_title: Option<&str>,
    tag_ids: Option<&[Uuid]>,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE webpages SET custom_title = $2 WHERE webpage_id = $1")
        .bind(page.webpage_id.to_string())
        .bind(custom_title.map(replace_nul))
        .execute(&mut *connection)
        .await?;
    let Some(tag_ids) = tag_ids else { return Ok(()) };
    sqlx::query("DELETE FROM webpage_tags WHERE webpage_id = $1")
        .bind(page.webpage_id.to_string())
        .execute(&mut *connection)
        .await?;
    for tag_id in tag_ids {
        sqlx::query(
            "INSERT INTO webpage_tags (tag_id, webpage_id) SELECT tag_id, $2 FROM tags \
             WHERE tag_id = $1 AND chatbot_id = $3 ON CONFLICT (tag_id, webpage_id) DO NOTHING",
        )
        .bind(tag_id.to_string())
        .bind(page.webpage_id.to_string())
        .bind(&key.chatbot_id)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Makes a chatbot ready that had nothing to answer from.
async fn make_ready(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE chatbots SET status = 'ready', error_code = NULL, error_message = NULL, error_at = NULL, \
         updated_at = $2 WHERE chatbot_id = $1 AND status <> 'ready'",
    )
    .bind(&key.chatbot_id)
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(())
}
