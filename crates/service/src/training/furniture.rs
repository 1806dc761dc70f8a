//! Text that a site repeats on most of its pages is furniture: cookie notes, calls to subscribe, menus without marks.
//! It is only known when all pages are, so it is taken out of the stored passages at the end of a crawl.
//!
//! Everything is read from the database, none of it from the crawl, so a crawl in several runs comes to the same as
//! one in one.

use std::collections::BTreeSet;
use std::sync::Arc;

use frontdesk_knowledge::{Block, BlockHash, BlockKind, FieldTerms, Reason, repeated_blocks};
use frontdesk_store::{ChunkRecord, NewChunk, PageOutcome, PageStatus, Scope, StoreError, Webpage};
use uuid::Uuid;

use super::crawl::{Interrupted, PAGE_BATCH};
use crate::service::Service;

/// Shorter lines, such as `Monday: closed` or a brace of a program, may stand on many pages and mean something.
const MIN_LETTERS: usize = 20;

/// Takes the furniture out of the passages of a chatbot. Doing it again changes nothing.
pub(super) async fn remove(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<(), Interrupted> {
    let pages = ready_pages(service, scope, chatbot_id).await?;
    let mut lines_by_page = Vec::with_capacity(pages.len());
    for page in &pages {
        let chunks = service.store.page_chunks(scope, page.webpage_id).await?;
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
        let chunks = service.store.page_chunks(scope, page.webpage_id).await?;
        let repeated = Arc::clone(&repeated);
        // Analysing words is work for a processor, not for the threads that serve requests.
        let clean = move || chunks.into_iter().filter_map(|chunk| without(chunk, &repeated)).collect();
        let cleaned = tokio::task::spawn_blocking(clean).await?;
        service.store.finish_page(scope, page.webpage_id, &outcome(page, cleaned), service.now()).await?;
    }
    tracing::debug!(%chatbot_id, lines = repeated.len(), "repeated lines were taken out");
    Ok(())
}

async fn ready_pages(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<Webpage>, StoreError> {
    let mut all: Vec<Webpage> = Vec::new();
    loop {
        let after = all.last().map(|page| page.webpage_id);
        let pages =
            service.store.webpages(scope, chatbot_id, Some(PageStatus::Ready), after, PAGE_BATCH).await?;
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

/// A passage without its repeated lines; `None` when nothing is left of it.
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

/// The page as it was, with other passages. One that has nothing of its own is no source.
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
    fn short_lines_are_never_furniture() {
        assert_eq!(fingerprint("Monday: closed"), None);
        assert_eq!(fingerprint("}"), None);
        assert!(fingerprint(NOTE).is_some());
    }
}
