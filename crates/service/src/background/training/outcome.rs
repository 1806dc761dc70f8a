//! The status of a chatbot after its training has finished or was given up.

use frontdesk_knowledge::Reason;
use frontdesk_store::{ChatbotStatus, Scope, StoreError, Webpage, Website, WebsiteSource};
use uuid::Uuid;

use super::PAGE_BATCH;
use crate::background::{Background, jobs::GiveUpReason};

/// Why a training ended without content, as the chatbot shows it to customers.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    code: String,
    message: String,
}

/// Ends the crawl of a website, with the reason if it has no content.
pub(super) async fn finish(service: &Background, scope: &Scope, website_id: Uuid) -> Result<(), StoreError> {
    let websites = service.store.websites();
    let Some(website) = websites.get(scope, website_id).await? else { return Ok(()) };
    let failure = if website.pages_ready > 0 {
        None
    } else if website.source == WebsiteSource::Sitemap {
        Some(empty_sitemap(&website))
    } else {
        let start = websites.start_page(scope, website_id).await?;
        Some(failure(start.as_slice()))
    };
    let error = failure.as_ref().map(|failure| (failure.code.as_str(), failure.message.as_str()));
    websites.finish(scope, website_id, error, service.now()).await?;
    Ok(())
}

fn empty_sitemap(website: &Website) -> Failure {
    let (code, problem) = match website.pages_found {
        0 => ("sitemap_empty", "could not be read, or lists no pages of its own host"),
        _ => (Reason::EmptyContent.as_str(), "leads to no page with usable text; see the crawl report"),
    };
    Failure { code: code.to_owned(), message: format!("The sitemap {} {problem}.", website.url) }
}

/// Sets the status of a chatbot after something that it is trained on has changed: `ready` if there is
/// anything to answer from, else `failed` with the reason. While it is in training, it waits for the crawls
/// of all its websites.
pub(crate) async fn announce(
    service: &Background,
    scope: &Scope,
    chatbot_id: Uuid,
) -> Result<(), StoreError> {
    let chatbots = service.store.chatbots();
    let Some(chatbot) = chatbots.find(scope, chatbot_id).await? else { return Ok(()) };
    let counts = service.store.webpages().counts(scope, chatbot_id).await?;
    let has_content = counts.ready > 0 || chatbot.training_sources > 0;
    let is_waiting = service.store.websites().unfinished(scope, chatbot_id).await? > 0;
    if is_waiting && (chatbot.status == ChatbotStatus::Training || !has_content) {
        return Ok(());
    }
    let pages = service.store.webpages().list(scope, chatbot_id, None, None, PAGE_BATCH).await?;
    // A chatbot whose last page was deleted has nothing that could fail.
    if has_content || pages.is_empty() {
        if chatbot.status == ChatbotStatus::Ready {
            return Ok(());
        }
        service.metrics.training("ready");
        chatbots.set_status(scope, chatbot_id, ChatbotStatus::Ready, None, service.now()).await?;
        tracing::info!(
            %chatbot_id,
            ready = counts.ready,
            failed = counts.failed,
            skipped = counts.skipped,
            "the chatbot is ready"
        );
        return Ok(());
    }
    // Start pages are stored first, and ids grow with time.
    let failure = failure(&pages);
    tracing::info!(%chatbot_id, code = failure.code, "the training found nothing to answer from");
    fail(service, scope, chatbot_id, &failure).await
}

/// Ends the crawl of a website whose job was given up, and the training of its chatbot if that waits for no
/// other.
pub(super) async fn give_up(
    service: &Background,
    scope: &Scope,
    website_id: Uuid,
    reason: &GiveUpReason,
) -> Result<(), StoreError> {
    let websites = service.store.websites();
    let Some(website) = websites.get(scope, website_id).await? else { return Ok(()) };
    let failure = abandonment(reason);
    let error = Some((failure.code.as_str(), failure.message.as_str()));
    websites.abandon_pages(scope, website_id, Reason::Timeout.as_str()).await?;
    websites.finish(scope, website_id, error, service.now()).await?;
    abandon(service, scope, website.chatbot_id, &failure).await
}

/// Ends the training of a chatbot that no job continues.
pub(super) async fn end_training(
    service: &Background,
    scope: &Scope,
    chatbot_id: Uuid,
    reason: &GiveUpReason,
) -> Result<(), StoreError> {
    abandon(service, scope, chatbot_id, &abandonment(reason)).await
}

async fn abandon(
    service: &Background,
    scope: &Scope,
    chatbot_id: Uuid,
    failure: &Failure,
) -> Result<(), StoreError> {
    // The pages read before the fault, and those of other websites, are worth answering from.
    let has_content = service.store.webpages().counts(scope, chatbot_id).await?.ready > 0;
    if has_content || service.store.websites().unfinished(scope, chatbot_id).await? > 0 {
        return announce(service, scope, chatbot_id).await;
    }
    fail(service, scope, chatbot_id, failure).await
}

async fn fail(
    service: &Background,
    scope: &Scope,
    chatbot_id: Uuid,
    failure: &Failure,
) -> Result<(), StoreError> {
    service.metrics.training(&failure.code);
    let error = Some((failure.code.as_str(), failure.message.as_str()));
    service
        .store
        .chatbots()
        .set_status(scope, chatbot_id, ChatbotStatus::Failed, error, service.now())
        .await?;
    Ok(())
}

/// Returns the failure of a training whose job was given up before a page could be used.
fn abandonment(reason: &GiveUpReason) -> Failure {
    let (code, message) = match reason {
        GiveUpReason::TimeLimit => (
            Reason::Timeout.as_str(),
            "The website could not be read within the time limit of a crawl. Please check that it responds, and crawl the \
             website again.",
        ),
        GiveUpReason::LastAttempt(_) | GiveUpReason::Impossible(_) | GiveUpReason::WorkerLost => (
            "internal_error",
            "The training failed because of a fault in the service. Please crawl the website again.",
        ),
    };
    Failure { code: code.to_owned(), message: message.to_owned() }
}

/// Returns the failure to show to customers: that of a start address, and an error rather than a choice of
/// the site. It names the start address as the customer gave it, and no other address.
fn failure(pages: &[Webpage]) -> Failure {
    let reason = |page: &Webpage| page.reason.as_deref().and_then(Reason::parse);
    let roots: Vec<&Webpage> = pages.iter().filter(|page| page.depth == 0).collect();
    let shown = roots
        .iter()
        .find(|page| reason(page).is_some_and(Reason::is_failure))
        .or_else(|| roots.iter().find(|page| reason(page).is_some()));
    let Some(page) = shown else {
        return Failure {
            code: Reason::EmptyContent.as_str().to_owned(),
            message: "None of the training addresses led to a page with text.".to_owned(),
        };
    };
    let reason = reason(page).unwrap_or(Reason::EmptyContent);
    let others = match roots.len() {
        0 | 1 => "",
        _ => " No other training address led to usable text either.",
    };
    Failure {
        code: reason.as_str().to_owned(),
        message: format!(
            "{} could not be used: {}.{others}",
            page.url,
            explanation(reason, page.http_status)
        ),
    }
}

/// Returns why a page has no new content, as a sentence for its owner.
pub(crate) fn reason_as_text(page: &Webpage) -> Option<String> {
    let reason = page.reason.as_deref().and_then(Reason::parse)?;
    let mut text = explanation(reason, page.http_status);
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Some(format!("{text}."))
}

/// Returns the reason as a clause, with the status of the response if it says more.
fn explanation(reason: Reason, http_status: Option<u16>) -> String {
    match (reason, http_status) {
        (Reason::HttpError, Some(300..=399)) => "the page redirects to an invalid address".to_owned(),
        (Reason::HttpError, Some(status @ 400..)) => format!("the server responded with status {status}"),
        _ => reason.explanation().to_owned(),
    }
}

#[cfg(test)]
pub(super) fn page_for_tests(
    url: &str,
    depth: u32,
    status: frontdesk_store::PageStatus,
    reason: Option<Reason>,
) -> Webpage {
    Webpage {
        webpage_id: Uuid::nil(),
        chatbot_id: Uuid::nil(),
        account_id: Uuid::nil(),
        website_id: None,
        url: url.to_owned(),
        root_url: url.to_owned(),
        parent_url: None,
        depth,
        final_url: None,
        title: None,
        status,
        reason: reason.map(|reason| reason.as_str().to_owned()),
        http_status: None,
        content_hash: None,
        language: None,
        created_at: jiff::Timestamp::UNIX_EPOCH,
        fetched_at: None,
        queued: false,
        outcome: status.into(),
        etag: None,
        last_modified: None,
        custom_title: None,
        enabled: true,
        hit_count: 0,
        chunk_count: 0,
        char_count: 0,
        tag_ids: Vec::new(),
        updated_at: jiff::Timestamp::UNIX_EPOCH,
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_store::PageStatus;

    use super::page_for_tests as page;
    use super::*;

    #[test]
    fn the_reason_of_a_root_is_shown_with_its_address() {
        let root = page("http://127.0.0.1/", 0, PageStatus::Failed, Some(Reason::BlockedAddress));
        let shown = failure(std::slice::from_ref(&root));
        assert_eq!(shown.code, "blocked_address");
        assert!(shown.message.starts_with("http://127.0.0.1/ could not be used: "), "{}", shown.message);
        assert!(shown.message.contains("not public") && shown.message.ends_with("are crawled."));
    }

    #[test]
    fn the_status_of_an_error_is_shown() {
        let mut root = page("https://a.example/", 0, PageStatus::Failed, Some(Reason::HttpError));
        for (http_status, clause) in [
            (Some(404), "the server responded with status 404"),
            (Some(302), "the page redirects to an invalid address"),
            (None, "the server responded with an error"),
        ] {
            root.http_status = http_status;
            let shown = failure(std::slice::from_ref(&root));
            assert_eq!(shown.message, format!("https://a.example/ could not be used: {clause}."));
        }
    }

    #[test]
    fn an_error_is_shown_rather_than_a_choice_of_the_site() {
        let pages = [
            page("https://a.example/", 0, PageStatus::Skipped, Some(Reason::Noindex)),
            page("https://b.example/", 0, PageStatus::Failed, Some(Reason::DnsError)),
            page("https://a.example/x", 1, PageStatus::Failed, Some(Reason::Timeout)),
        ];
        let shown = failure(&pages);
        assert_eq!(shown.code, "dns_error");
        assert!(shown.message.starts_with("https://b.example/ could not be used: "), "{}", shown.message);
        assert!(
            shown.message.ends_with("No other training address led to usable text either."),
            "{}",
            shown.message
        );
    }

    #[test]
    fn pages_below_the_roots_are_not_shown() {
        let pages = [page("https://a.example/x", 1, PageStatus::Failed, Some(Reason::Timeout))];
        assert_eq!(failure(&pages).code, "empty_content");
    }

    #[test]
    fn a_message_names_the_start_address_and_no_other() {
        for reason in Reason::ALL {
            let mut root = page("https://a.example/", 0, PageStatus::Failed, Some(reason));
            root.final_url = Some("http://10.1.2.3:8500/".to_owned());
            let message = failure(&[root]).message;
            assert_eq!(message.matches("://").count(), 1, "{message}");
            assert!(message.starts_with("https://a.example/ ") && !message.contains("10.1.2.3"), "{message}");
        }
    }
}
