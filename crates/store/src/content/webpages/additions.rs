//! Pages that come into the frontier of a crawl: found by links, read from sitemaps, named by owners.

use std::collections::HashSet;

use jiff::Timestamp;
use serde_json::json;
use sqlx::AnyConnection;
use uuid::Uuid;

use crate::sql::chatbot_lock::ChatbotKey;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, id_list, micros, new_id};

/// The longest URL that is kept, in bytes. Longer ones are traps more often than pages, and PostgreSQL could
/// not index them.
const MAX_URL_BYTES: usize = 2048;

/// A page to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPage {
    /// Its normalized URL, at most 2048 bytes.
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
    /// Left out because the website, or the chatbot if they stand alone, has as many pages as it may have.
    pub over_limit: u64,
}

/// Where new pages belong, and how many there may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimits {
    /// The website, or none for pages that stand alone.
    pub(crate) website_id: Option<Uuid>,
    /// Most pages of the website, or of the chatbot if they stand alone.
    pub(crate) max_pages: u64,
}

/// Adds pages to the frontier below a chatbot that the transaction holds exclusively. Pages of a website get
/// its tags.
///
/// Most links of a page lead to pages that are known, so the number of statements does not grow with the
/// number of links.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    pages: &[NewPage],
    limits: PageLimits,
    now: Timestamp,
) -> Result<AddedPages, StoreError> {
    let mut result = AddedPages::default();
    if pages.is_empty() {
        return Ok(result);
    }
    let mut known = known(connection, dialect, key, pages).await?;
    let mut fresh = Vec::new();
    for page in pages {
        if page.url.len() > MAX_URL_BYTES {
            result.too_long += 1;
        } else if known.insert(replace_nul(&page.url)) {
            fresh.push(page);
        } else {
            result.duplicate += 1;
        }
    }
    // Counting takes the longer the more pages there are, and most links of a page lead to known ones.
    if fresh.is_empty() {
        return Ok(result);
    }
    let room = limits.max_pages.saturating_sub(count(connection, key, limits.website_id).await?);
    let (mut ids, mut rows) = (Vec::new(), Vec::new());
    for page in fresh {
        if result.added == room {
            result.over_limit += 1;
            continue;
        }
        let webpage_id = new_id();
        rows.push(json!({
            "webpage_id": webpage_id,
            "url": replace_nul(&page.url),
            "root_url": replace_nul(&page.root_url),
            "parent_url": page.parent_url.as_deref().map(replace_nul),
            "depth": page.depth,
        }));
        ids.push(webpage_id);
        result.added += 1;
    }
    if rows.is_empty() {
        return Ok(result);
    }
    let website_id = limits.website_id.map(|id| id.to_string());
    sqlx::query(dialect.pick(
        "INSERT INTO webpages (webpage_id, chatbot_id, account_id, website_id, url, root_url, parent_url, depth, \
         status, queued, created_at, updated_at) \
         SELECT q.value ->> 'webpage_id', $2, $3, $4, q.value ->> 'url', q.value ->> 'root_url', \
         q.value ->> 'parent_url', q.value ->> 'depth', 'pending', 1, $5, $5 FROM jsonb_each($1) AS q ORDER BY q.key",
        "INSERT INTO webpages (webpage_id, chatbot_id, account_id, website_id, url, root_url, parent_url, depth, \
         status, queued, created_at, updated_at) \
         SELECT q.webpage_id, $2, $3, $4, q.url, q.root_url, q.parent_url, q.depth, 'pending', 1, $5, $5 \
         FROM json_to_recordset(CAST($1 AS json)) AS q \
         (webpage_id TEXT, url TEXT, root_url TEXT, parent_url TEXT, depth BIGINT)",
    ))
    .bind(json!(rows).to_string())
    .bind(&key.chatbot_id)
    .bind(&key.account_id)
    .bind(website_id.clone())
    .bind(micros(now))
    .execute(&mut *connection)
    .await?;
    if website_id.is_some() {
        sqlx::query(dialect.pick(
            "INSERT INTO webpage_tags (tag_id, webpage_id) SELECT bound.tag_id, q.value \
             FROM website_tags AS bound CROSS JOIN json_each($2) AS q WHERE bound.website_id = $1",
            "INSERT INTO webpage_tags (tag_id, webpage_id) SELECT bound.tag_id, q.webpage_id \
             FROM website_tags AS bound CROSS JOIN json_array_elements_text(CAST($2 AS json)) AS q (webpage_id) \
             WHERE bound.website_id = $1",
        ))
        .bind(website_id)
        .bind(id_list(&ids))
        .execute(&mut *connection)
        .await?;
    }
    Ok(result)
}

/// Returns the number of pages of a website, or of a chatbot over all its websites.
async fn count(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    website_id: Option<Uuid>,
) -> Result<u64, StoreError> {
    let pages =
        match website_id {
            Some(id) => sqlx::query("SELECT COUNT(*) AS pages FROM webpages WHERE website_id = $1")
                .bind(id.to_string()),
            None => sqlx::query("SELECT COUNT(*) AS pages FROM webpages WHERE chatbot_id = $1")
                .bind(&key.chatbot_id),
        };
    Ok(pages.fetch_one(connection).await?.number("pages")?)
}

/// Returns the addresses, out of those of some pages, that the chatbot has a page for.
async fn known(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    pages: &[NewPage],
) -> Result<HashSet<String>, StoreError> {
    let urls: Vec<String> = pages.iter().map(|page| replace_nul(&page.url)).collect();
    let rows = sqlx::query(dialect.pick(
        "SELECT url FROM webpages WHERE chatbot_id = $1 AND url IN (SELECT value FROM json_each($2))",
        // One address at a time, because PostgreSQL might otherwise read all pages of the chatbot.
        "SELECT page.url FROM json_array_elements_text(CAST($2 AS json)) AS q (url) CROSS JOIN LATERAL \
         (SELECT p.url FROM webpages AS p WHERE p.chatbot_id = $1 AND p.url = q.url OFFSET 0) AS page",
    ))
    .bind(&key.chatbot_id)
    .bind(json!(urls).to_string())
    .fetch_all(connection)
    .await?;
    Ok(rows.iter().map(|row| row.text("url")).collect::<Result<_, _>>()?)
}

/// Makes a page the start page of a new website, in the transaction that creates the website. A page with
/// this address that the chatbot has already is taken over with its content.
pub(crate) async fn adopt_start_page(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    website_id: Uuid,
    page: &NewPage,
    now: Timestamp,
) -> Result<(), StoreError> {
    let limits = PageLimits { website_id: Some(website_id), max_pages: u64::MAX };
    insert(&mut *connection, dialect, key, std::slice::from_ref(page), limits, now).await?;
    sqlx::query(
        "UPDATE webpages SET website_id = $1, root_url = url, parent_url = NULL, depth = 0, queued = 1 \
         WHERE chatbot_id = $2 AND url = $3",
    )
    .bind(website_id.to_string())
    .bind(&key.chatbot_id)
    .bind(replace_nul(&page.url))
    .execute(&mut *connection)
    .await?;
    Ok(())
}
