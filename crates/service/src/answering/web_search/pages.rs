//! Pages that a search engine found: fetched, read as training content is, and searched for the answer.

use std::time::Duration;

use frontdesk_assistant::WebQuestion;
use frontdesk_knowledge::{
    Extracted, MemoryIndex, Page, Query, Retrieval, SourceType, Words, extract_html, extract_text, search,
};
use frontdesk_outbound::{Fetched, Limits, Outbound};
use futures_util::future::join_all;
use http::header;
use url::Url;

/// The product token by which pages address this program in their directives.
const AGENT: &str = "frontdesk";

const LIMITS: Limits = Limits {
    total: Duration::from_secs(4),
    connect: Duration::from_secs(2),
    max_bytes: 2 << 20,
    max_redirects: 3,
};

/// Returns the passages that answer a question best, from the first pages that can be read. `None` if there
/// are none.
pub(super) async fn passages(
    outbound: &Outbound,
    found: &[Url],
    limit: usize,
    question: &WebQuestion,
) -> Option<Retrieval> {
    let fetched = join_all(found.iter().take(limit).map(|url| fetch(outbound, url))).await;
    let about = question.about.clone();
    let read = tokio::task::spawn_blocking(move || {
        let pages = fetched.into_iter().flatten().filter_map(read);
        pages.filter(|page| about.as_deref().is_none_or(|name| names(page, name))).collect::<Vec<Page>>()
    });
    let pages = read.await.ok()?;
    let mut index = MemoryIndex::new();
    for page in &pages {
        index.insert_page(page);
    }
    let language = pages.first().and_then(|page| page.language.clone());
    let query = Query { question: question.text.clone(), language, ..Query::default() };
    let mut retrieval = search(&index, None, &query)
        .await
        .inspect_err(|error| tracing::error!(%error, "pages of the web cannot be searched"))
        .ok()?;
    let parts = retrieval.parts.iter_mut().flat_map(|part| &mut part.retrieval.passages);
    for passage in retrieval.passages.iter_mut().chain(parts) {
        passage.source_type = SourceType::WebSearch;
    }
    (!retrieval.passages.is_empty()).then_some(retrieval)
}

async fn fetch(outbound: &Outbound, url: &Url) -> Option<Fetched> {
    match outbound.get(url, &[], &LIMITS).await {
        Ok(fetched) if fetched.status.is_success() => Some(fetched),
        Ok(fetched) => {
            tracing::debug!(%url, status = %fetched.status, "a page of the web was not read");
            None
        }
        Err(error) => {
            tracing::debug!(%url, %error, "a page of the web was not read");
            None
        }
    }
}

/// Extracts the text of a page. `None` if it has none, shows something else in its place, or asks robots
/// not to use it.
fn read(fetched: Fetched) -> Option<Page> {
    let content_type = fetched.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence =
        content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (body, url) = (&fetched.body, &fetched.final_url);
    let mut extracted: Extracted = match essence.as_str() {
        "text/html" | "application/xhtml+xml" => extract_html(body, content_type, url, AGENT),
        "text/plain" => extract_text(body, content_type, url),
        _ => return None,
    };
    for value in fetched.headers.get_all("x-robots-tag") {
        extracted.directives.read(value.to_str().unwrap_or_default(), AGENT);
    }
    if extracted.obstacle.is_some() || extracted.directives.noindex {
        return None;
    }
    let page = Page::new(fetched.final_url, extracted);
    page.has_text().then_some(page)
}

/// Returns whether a page names a business, in its title or its text.
fn names(page: &Page, business: &str) -> bool {
    let name = Words::of(business).joined();
    let has = |text: &str| format!(" {} ", Words::of(text).joined()).contains(&format!(" {name} "));
    !name.is_empty() && (has(&page.title) || has(&page.text()))
}
