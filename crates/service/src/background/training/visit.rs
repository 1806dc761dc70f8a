//! Conversion of a visit into what the store keeps of it.

use frontdesk_knowledge::{Page, PageOutcome, Reason, Visit};
use frontdesk_store::{NewChunk, NewPage, PageStatus, PageVisit, SourceType, VisitOutcome, Webpage};

/// Returns what the visit of a page brings. CPU-bound: call it outside the async threads.
///
/// Content that was stored before is kept if the page cannot be read at the moment, and removed if the page
/// is gone or may no longer be used.
pub(super) fn page_visit(visit: &Visit, known: &Webpage, links: Vec<NewPage>, max_pages: u64) -> PageVisit {
    let had_content = known.status == PageStatus::Ready;
    let is_gone = had_content && matches!(visit.http_status, Some(404 | 410));
    let none = || had_content.then(Vec::new);
    let page = match &visit.outcome {
        PageOutcome::Ready(page) => Some(page),
        _ => None,
    };
    let (status, reason, result, chunks) = match visit.outcome.reason() {
        None => {
            let chunks = page.map(|page| new_chunks(page, known.custom_title.as_deref()));
            (PageStatus::Ready, None, VisitOutcome::Ready, chunks)
        }
        Some(Reason::Unchanged) => (PageStatus::Ready, None, VisitOutcome::Unchanged, None),
        Some(_) if is_gone => (PageStatus::Skipped, Some(Reason::Gone), VisitOutcome::Removed, none()),
        // A robots.txt that fails for an hour looks like one that disallows everything.
        Some(reason) if had_content && (reason.is_failure() || reason == Reason::RobotsDisallowed) => {
            (PageStatus::Ready, Some(reason), VisitOutcome::Failed, None)
        }
        Some(reason) if reason.is_failure() => (PageStatus::Failed, Some(reason), VisitOutcome::Failed, None),
        Some(reason) => (PageStatus::Skipped, Some(reason), VisitOutcome::Skipped, none()),
    };
    let outcome = frontdesk_store::PageOutcome {
        status,
        reason: reason.map(|reason| reason.as_str().to_owned()),
        http_status: visit.http_status,
        final_url: Some(visit.final_url.to_string()),
        title: page.map(|page| page.title.clone()),
        content_hash: page.map(|page| page.content_hash.clone()),
        language: page.and_then(|page| page.language.clone()),
        chunks,
        links,
        max_pages,
    };
    let validators =
        visit.validators.as_ref().filter(|_| page.is_some() || result == VisitOutcome::Unchanged);
    let validators = validators.map(|found| (found.etag.clone(), found.last_modified.clone()));
    PageVisit { outcome, result, validators }
}

/// Returns the passages of a page under the title that its owner has given it, or its own.
pub(crate) fn new_chunks(page: &Page, custom_title: Option<&str>) -> Vec<NewChunk> {
    let renamed;
    let page = match custom_title {
        Some(title) => {
            renamed = Page { title: title.to_owned(), ..page.clone() };
            &renamed
        }
        None => page,
    };
    let chunks = page.chunks().into_iter().map(|chunk| NewChunk {
        source_type: SourceType::Webpage,
        title: chunk.title,
        headings: chunk.headings,
        text: chunk.text,
        url: page.url.to_string(),
        language: page.language.clone(),
        terms_title: chunk.terms.title.into(),
        terms_headings: chunk.terms.headings.into(),
        terms_body: chunk.terms.body.into(),
    });
    chunks.collect()
}

/// Writes to the log why a page has no new content. Details may name internal addresses, so customers see the
/// reason only.
pub(super) fn log(visit: &Visit, known: &Webpage) {
    let chatbot_id = known.chatbot_id;
    match &visit.outcome {
        PageOutcome::Ready(_) => {}
        PageOutcome::Skipped { reason, detail } => {
            tracing::debug!(%chatbot_id, url = %visit.url, %reason, detail, "page skipped");
        }
        PageOutcome::Failed { reason, detail } => {
            tracing::info!(%chatbot_id, url = %visit.url, %reason, detail, "page failed");
        }
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;

    fn known(status: PageStatus) -> Webpage {
        crate::background::training::outcome::page_for_tests("https://a.example/x", 1, status, None)
    }

    fn visit(reason: Reason, http_status: Option<u16>) -> Visit {
        let url: Url = "https://a.example/x".parse().unwrap();
        Visit {
            url: url.clone(),
            final_url: url,
            depth: 1,
            http_status,
            outcome: PageOutcome::without_content(reason, "detail"),
            links: Vec::new(),
            validators: None,
        }
    }

    #[test]
    fn content_is_kept_in_an_outage_and_removed_when_the_page_is_gone_or_closed() {
        for (reason, http_status, status, result, removes) in [
            (Reason::Unchanged, Some(304), PageStatus::Ready, VisitOutcome::Unchanged, false),
            (Reason::HttpError, Some(500), PageStatus::Ready, VisitOutcome::Failed, false),
            (Reason::Timeout, None, PageStatus::Ready, VisitOutcome::Failed, false),
            (Reason::HttpError, Some(404), PageStatus::Skipped, VisitOutcome::Removed, true),
            (Reason::HttpError, Some(410), PageStatus::Skipped, VisitOutcome::Removed, true),
            (Reason::Noindex, Some(200), PageStatus::Skipped, VisitOutcome::Skipped, true),
            (Reason::Excluded, None, PageStatus::Skipped, VisitOutcome::Skipped, true),
        ] {
            let stored = page_visit(&visit(reason, http_status), &known(PageStatus::Ready), Vec::new(), 1);
            assert_eq!((stored.outcome.status, stored.result), (status, result), "{reason} {http_status:?}");
            assert_eq!(stored.outcome.chunks.is_some_and(|chunks| chunks.is_empty()), removes, "{reason}");
        }
        let stored =
            page_visit(&visit(Reason::HttpError, Some(404)), &known(PageStatus::Pending), Vec::new(), 1);
        assert_eq!((stored.outcome.status, stored.result), (PageStatus::Failed, VisitOutcome::Failed));
        assert_eq!(stored.outcome.reason.as_deref(), Some("http_error"));
    }
}
