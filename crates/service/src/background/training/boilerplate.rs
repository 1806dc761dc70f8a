//! Text that a site repeats: kept on one page, removed from the others.
//!
//! It can only be recognized when all pages are known, so it is removed from the stored passages at the end
//! of a crawl. All input is read from the database and none from the crawl. The choice of the page that keeps
//! a text depends only on the text and on the pages that have it, so that interrupted and repeated runs lead
//! to the same result as one, and a page that a later crawl stores anew loses what another page keeps.

use std::sync::Arc;

use frontdesk_knowledge::{FieldTerms, Placement, Reason, RepeatedText};
use frontdesk_store::{ChunkRecord, NewChunk, PageOutcome, PageStatus, Scope, StoreError, Webpage};
use uuid::Uuid;

use super::PAGE_BATCH;
use crate::background::{Background, jobs::BoxError};

/// Most passes. A removal can make two passages equal that were not before; one pass is nearly always enough.
const MAX_PASSES: usize = 4;

/// Removes repeated text from the passages of a chatbot, except one copy. Running it again changes nothing.
pub(super) async fn remove(service: &Background, scope: &Scope, chatbot_id: Uuid) -> Result<(), BoxError> {
    for _ in 0..MAX_PASSES {
        if !remove_once(service, scope, chatbot_id).await? {
            break;
        }
    }
    Ok(())
}

/// Returns whether anything was removed.
async fn remove_once(service: &Background, scope: &Scope, chatbot_id: Uuid) -> Result<bool, BoxError> {
    let pages = ready_pages(service, scope, chatbot_id).await?;
    let mut repeated = RepeatedText::default();
    for page in &pages {
        let chunks = service.store.chunks().of_page(scope, page.webpage_id).await?;
        let passages = chunks.iter().map(|chunk| (chunk.headings.as_str(), chunk.text.as_str()));
        let url = page.final_url.as_deref().unwrap_or(&page.url);
        repeated.add_page(url, page.title.as_deref().unwrap_or_default(), passages);
    }
    let placement = Arc::new(repeated.place());
    if placement.is_empty() {
        return Ok(false);
    }
    let mut changed = 0_usize;
    for (number, page) in pages.iter().enumerate().filter(|(number, _)| placement.affects(*number)) {
        let chunks = service.store.chunks().of_page(scope, page.webpage_id).await?;
        let placement = Arc::clone(&placement);
        // Analyzing words is CPU-bound and must not block the threads that serve requests.
        let remaining = tokio::task::spawn_blocking(move || remaining(chunks, &placement, number)).await?;
        let Some(chunks) = remaining else { continue };
        changed += 1;
        let outcome = outcome(page, chunks);
        service.store.webpages().finish(scope, page.webpage_id, &outcome, service.now()).await?;
    }
    tracing::debug!(%chatbot_id, repeated = placement.len(), pages = changed, "repeated text removed");
    Ok(changed > 0)
}

async fn ready_pages(
    service: &Background,
    scope: &Scope,
    chatbot_id: Uuid,
) -> Result<Vec<Webpage>, StoreError> {
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

/// Returns the passages that stay on a page, or `None` if all stay as they are.
fn remaining(chunks: Vec<ChunkRecord>, placement: &Placement, page: usize) -> Option<Vec<NewChunk>> {
    let mut is_changed = false;
    let mut kept = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        match placement.remaining(page, &chunk.headings, &chunk.text) {
            Some(text) => {
                is_changed |= text != chunk.text;
                kept.push(with_text(chunk, text));
            }
            None => is_changed = true,
        }
    }
    is_changed.then_some(kept)
}

fn with_text(chunk: ChunkRecord, text: String) -> NewChunk {
    let terms_body = if text == chunk.text {
        chunk.terms_body
    } else {
        FieldTerms::of("", "", &text, chunk.language.as_deref()).body.into()
    };
    NewChunk {
        source_type: chunk.source_type,
        title: chunk.title,
        headings: chunk.headings,
        text,
        url: chunk.url,
        language: chunk.language,
        terms_title: chunk.terms_title,
        terms_headings: chunk.terms_headings,
        terms_body,
    }
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
    const FOOTER: &str = "Mon-Fri 9:00-17:00\n12 High Street, Leeds";

    fn chunk(headings: &str, text: &str) -> ChunkRecord {
        ChunkRecord {
            chunk_id: Uuid::nil(),
            chatbot_id: Uuid::nil(),
            webpage_id: None,
            position: 0,
            source_type: SourceType::Webpage,
            title: "Delivery".into(),
            headings: headings.into(),
            text: text.into(),
            url: "https://acme.example/".into(),
            language: Some("en".into()),
            terms_title: "deliveri".into(),
            terms_headings: "cost".into(),
            terms_body: String::new(),
        }
    }

    fn site() -> Vec<Vec<ChunkRecord>> {
        (0..6)
            .map(|page| {
                vec![
                    chunk(
                        "Costs",
                        &format!("Delivery to area {page} costs five pounds.\n{NOTE}\nMonday: closed"),
                    ),
                    chunk("acme.example", FOOTER),
                ]
            })
            .collect()
    }

    fn place(pages: &[Vec<ChunkRecord>]) -> Placement {
        let mut repeated = RepeatedText::default();
        for (number, chunks) in pages.iter().enumerate() {
            let url = if number == 4 {
                "https://acme.example/contact".into()
            } else {
                format!("https://acme.example/{number}")
            };
            repeated.add_page(
                &url,
                "Delivery",
                chunks.iter().map(|chunk| (chunk.headings.as_str(), chunk.text.as_str())),
            );
        }
        repeated.place()
    }

    #[test]
    fn repeated_text_stays_on_one_page_and_notices_on_none() {
        let pages = site();
        let placement = place(&pages);
        for (number, chunks) in pages.into_iter().enumerate() {
            let kept = remaining(chunks, &placement, number).unwrap();
            assert_eq!(kept[0].text, format!("Delivery to area {number} costs five pounds.\nMonday: closed"));
            assert!(
                !kept[0].terms_body.split(' ').any(|term| term.starts_with("cooki")),
                "{:?}",
                kept[0].terms_body
            );
            assert_eq!(kept[0].terms_title, "deliveri");
            assert_eq!(kept[0].headings, "Costs");
            assert_eq!(kept.get(1).map(|chunk| chunk.text.as_str()), (number == 4).then_some(FOOTER));
        }
    }

    #[test]
    fn repeated_and_interrupted_runs_lead_to_the_same_result() {
        let text = |pages: &[Vec<ChunkRecord>]| -> Vec<Vec<String>> {
            pages.iter().map(|chunks| chunks.iter().map(|chunk| chunk.text.clone()).collect()).collect()
        };
        let run = |pages: &mut Vec<Vec<ChunkRecord>>, until: usize| {
            let placement = place(pages);
            for (number, chunks) in pages.iter_mut().enumerate().take(until) {
                if let Some(kept) = remaining(chunks.clone(), &placement, number) {
                    *chunks = kept.into_iter().map(|kept| chunk(&kept.headings, &kept.text)).collect();
                }
            }
        };
        let mut once = site();
        run(&mut once, 6);
        let mut again = once.clone();
        run(&mut again, 6);
        assert_eq!(text(&again), text(&once));
        // What frames the content is still recognized after an interruption.
        for stop in 1..6 {
            let mut pages = site();
            run(&mut pages, stop);
            run(&mut pages, 6);
            let footers: usize = text(&pages).iter().flatten().filter(|text| *text == FOOTER).count();
            assert_eq!((footers, pages[4].len()), (1, 2), "interrupted after {stop} pages");
        }
    }
}
