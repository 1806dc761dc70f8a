//! Pages that a search engine found: fetching, extraction like that of training content, and search.

use std::time::Duration;

use frontdesk_assistant::WebQuestion;
use frontdesk_knowledge::{
    CrawlBounds, MemoryIndex, Page, Query, Retrieval, SourceType, Words, read_page, search,
};
use frontdesk_outbound::{Fetched, Limits, Outbound};
use futures_util::future::join_all;
use url::Url;

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
    let indexed = tokio::task::spawn_blocking(move || {
        let agent = CrawlBounds::default().agent;
        let pages = fetched.into_iter().flatten().filter_map(|page| read_page(page, &agent));
        let mut index = MemoryIndex::new();
        let mut language = None;
        for page in pages.filter(|page| about.as_deref().is_none_or(|name| names(page, name))) {
            index.insert_page(&page);
            language = language.or(page.language);
        }
        (index, language)
    });
    let (index, language) = indexed.await.ok()?;
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
    let fetched = outbound.get(url, &[], &LIMITS).await;
    fetched.inspect_err(|error| tracing::debug!(%url, %error, "a page of the web was not read")).ok()
}

/// Returns whether a page names a business, in its title or its text.
fn names(page: &Page, business: &str) -> bool {
    let name = Words::of(business).joined();
    let has = |text: &str| format!(" {} ", Words::of(text).joined()).contains(&format!(" {name} "));
    !name.is_empty() && (has(&page.title) || has(&page.text()))
}
