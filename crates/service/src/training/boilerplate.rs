//! Boilerplate: text that a site repeats on most of its pages, such as cookie notices, newsletter prompts and menus
//! without navigation markup.
//!
//! It can only be recognised when all pages are known, so it is removed from the stored passages at the end of a crawl.
//! All input is read from the database and none from the crawl, so several runs lead to the same result as one.

use std::collections::BTreeSet;
use std::sync::Arc;

use frontdesk_knowledge::{Block, BlockHash, BlockKind, FieldTerms, Reason, repeated_blocks};
use frontdesk_store::{ChunkRecord, NewChunk, PageOutcome, PageStatus, Scope, StoreError, Webpage};
use uuid::Uuid;

use super::crawl::PAGE_BATCH;
use crate::{jobs::BoxError, service::Service};

/// Shorter lines, such as `Monday: closed` or a brace of a program, are kept: they may repeat and still be content.
const MIN_LETTERS: usize = 20;

/// Removes boilerplate from the passages of a chatbot. Running it again changes nothing.
pub(super) async fn remove(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<(), BoxError> {
    let pages = ready_pages(service, scope, chatbot_id).await?;
    let mut lines_by_page = Vec::with_capacity(pages.len());
    for page in &pages {
        let chunks = service.store.chunks().of_page(scope, page.webpage_id).await?;
        lines_by_page
            .push(chunks.iter().flat_map(|chunk| chunk.text.lines()).filter_map(fingerprint).collect());
    }
    let repeated = Arc::new(repeated_blocks(lines_by_page.iter()));
    if repeated.is_empty() {
        return Ok(());
    }
    for (page, lines) in pages.iter().zip(&lines_by_page) {
        if repeated.is_disjoint(lines) {
            continue;
        }
        let chunks = service.store.chunks().of_page(scope, page.webpage_id).await?;
        let repeated = Arc::clone(&repeated);
        // Analysing words is CPU-bound and must not block the threads that serve requests.
        let clean = move || chunks.into_iter().filter_map(|chunk| without(chunk, &repeated)).collect();
        let cleaned = tokio::task::spawn_blocking(clean).await?;
        service
            .store
            .webpages()
            .finish(scope, page.webpage_id, &outcome(page, cleaned), service.now())
            .await?;
    }
    tracing::debug!(%chatbot_id, lines = repeated.len(), "boilerplate removed");
    Ok(())
}

async fn ready_pages(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<Webpage>, StoreError> {
    let mut all: Vec<Webpage> = Vec::new();
    loop {
        let after = all.last().map(|page| page.webpage_id);
        let pages = service
            .store
            .webpages()
            .list(scope, chatbot_id, Some(PageStatus::Ready), after, PAGE_BATCH)
            .await?;
        if pages.is_empty() {
            return Ok(all);
        }
        all.extend(pages);
    }
}

fn fingerprint(line: &str) -> Option<BlockHash> {
    let letters = line.chars().filter(|character| character.is_alphabetic()).take(MIN_LETTERS).count();
    (letters == MIN_LETTERS)
        .then(|| BlockHash::of(&Block { kind: BlockKind::Paragraph, text: line.to_owned() }))
}

/// Returns a passage without its repeated lines, or `None` if nothing remains.
fn without(chunk: ChunkRecord, repeated: &BTreeSet<BlockHash>) -> Option<NewChunk> {
    let is_own = |line: &&str| fingerprint(line).is_none_or(|hash| !repeated.contains(&hash));
    let lines: Vec<&str> = chunk.text.lines().filter(is_own).collect();
    let text = lines.join("\n");
    if text.trim().is_empty() {
        return None;
    }
    let language = chunk.language.as_deref();
    let terms = FieldTerms::of("", "", &text, language);
    Some(NewChunk {
        source_type: chunk.source_type,
        title: chunk.title,
        headings: chunk.headings,
        text,
        url: chunk.url,
        language: chunk.language,
        terms_title: chunk.terms_title,
        terms_headings: chunk.terms_headings,
        terms_body: terms.body,
    })
}

/// Returns the page unchanged except for its passages. A page without any is skipped.
fn outcome(page: &Webpage, chunks: Vec<NewChunk>) -> PageOutcome {
    let is_empty = chunks.is_empty();
    PageOutcome {
        status: if is_empty { PageStatus::Skipped } else { PageStatus::Ready },
        reason: is_empty.then(|| Reason::EmptyContent.as_str().to_owned()),
        http_status: page.http_status,
        final_url: None,
        title: None,
        content_hash: None,
        language: None,
        chunks: Some(chunks),
        links: Vec::new(),
        max_pages: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_store::SourceType;

    const NOTE: &str = "We use cookies to make this site better for you.";

    fn chunk(text: &str) -> ChunkRecord {
        ChunkRecord {
            chunk_id: Uuid::nil(),
            chatbot_id: Uuid::nil(),
            webpage_id: None,
            position: 0,
            source_type: SourceType::Webpage,
            title: "Delivery".into(),
            headings: "Costs".into(),
            text: text.into(),
            url: "https://acme.example/".into(),
            language: Some("en".into()),
            terms_title: vec!["deliveri".into()],
            terms_headings: vec!["cost".into()],
            terms_body: Vec::new(),
        }
    }

    #[test]
    fn repeated_lines_leave_text_and_index() {
        let repeated = BTreeSet::from([fingerprint(NOTE).unwrap()]);
        let cleaned =
            without(chunk(&format!("Delivery costs five pounds.\n{NOTE}\nMonday: closed")), &repeated)
                .unwrap();
        assert_eq!(cleaned.text, "Delivery costs five pounds.\nMonday: closed");
        assert!(!cleaned.terms_body.iter().any(|term| term.starts_with("cooki")), "{:?}", cleaned.terms_body);
        assert_eq!(cleaned.terms_title, ["deliveri"]);
        assert_eq!(cleaned.headings, "Costs");
        assert_eq!(without(chunk(NOTE), &repeated), None);
    }

    #[test]
    fn short_lines_are_never_boilerplate() {
        assert_eq!(fingerprint("Monday: closed"), None);
        assert_eq!(fingerprint("}"), None);
        assert!(fingerprint(NOTE).is_some());
    }
}
