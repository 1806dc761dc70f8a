//! What a finished or abandoned training means for its chatbot.

use std::collections::BTreeMap;

use frontdesk_knowledge::Reason;
use frontdesk_store::{ChatbotStatus, Scope, StoreError, Webpage};
use uuid::Uuid;

use super::crawl::PAGE_BATCH;
use crate::service::Service;

/// Why a training ended without content, as its chatbot shows it.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    code: String,
    message: String,
}

/// Makes the chatbot `ready` if there is anything to answer from, else `failed` with the reason. `details` holds what
/// went wrong in the words of the last run, by address.
pub(super) async fn announce(
    service: &Service,
    scope: &Scope,
    chatbot_id: Uuid,
    details: &BTreeMap<String, String>,
) -> Result<(), StoreError> {
    let counts = service.store.page_counts(scope, chatbot_id).await?;
    if counts.ready > 0 {
        service.metrics.training("ready");
        service
            .store
            .set_chatbot_status(scope, chatbot_id, ChatbotStatus::Ready, None, service.now())
            .await?;
        tracing::info!(
            %chatbot_id,
            ready = counts.ready,
            failed = counts.failed,
            skipped = counts.skipped,
            "the chatbot is ready"
        );
        return Ok(());
    }
    // Roots were stored first, and ids grow with time.
    let first = service.store.webpages(scope, chatbot_id, None, None, PAGE_BATCH).await?;
    let failure = failure(&first, details);
    tracing::info!(%chatbot_id, code = failure.code, "the training found nothing to answer from");
    fail(service, scope, chatbot_id, &failure).await
}

/// Tells a chatbot that no job will go on with its training.
pub(super) async fn give_up(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<(), StoreError> {
    if service.store.page_counts(scope, chatbot_id).await?.ready > 0 {
        // What was read before the trouble is worth answering from.
        service
            .store
            .set_chatbot_status(scope, chatbot_id, ChatbotStatus::Ready, None, service.now())
            .await?;
        return Ok(());
    }
    let failure = Failure {
        code: "internal_error".to_owned(),
        message: "The training failed on our side and was given up. Please create the chatbot anew."
            .to_owned(),
    };
    fail(service, scope, chatbot_id, &failure).await
}

async fn fail(
    service: &Service,
    scope: &Scope,
    chatbot_id: Uuid,
    failure: &Failure,
) -> Result<(), StoreError> {
    service.metrics.training(&failure.code);
    let error = Some((failure.code.as_str(), failure.message.as_str()));
    service.store.set_chatbot_status(scope, chatbot_id, ChatbotStatus::Failed, error, service.now()).await?;
    Ok(())
}

/// The failure that the owner should hear of: that of a start address, and rather a fault than a wish of the site.
fn failure(pages: &[Webpage], details: &BTreeMap<String, String>) -> Failure {
    let reason = |page: &Webpage| page.reason.as_deref().and_then(Reason::parse);
    let roots: Vec<&Webpage> = pages.iter().filter(|page| page.depth == 0).collect();
    let told = roots
        .iter()
        .find(|page| reason(page).is_some_and(Reason::is_failure))
        .or_else(|| roots.iter().find(|page| reason(page).is_some()));
    let Some(page) = told else {
        return Failure {
            code: Reason::EmptyContent.as_str().to_owned(),
            message: "None of the training addresses led to a page with text.".to_owned(),
        };
    };
    let reason = reason(page).unwrap_or(Reason::EmptyContent);
    let detail = details.get(&page.url).map_or_else(|| explanation(reason), String::as_str);
    let others = match roots.len() {
        0 | 1 => String::new(),
        _ => " No other training address led to usable text either.".to_owned(),
    };
    Failure {
        code: reason.as_str().to_owned(),
        message: format!("{} could not be used: {}.{others}", page.url, detail.trim_end_matches('.')),
    }
}

/// A reason in words, where those of the visit itself were lost in a restart.
fn explanation(reason: Reason) -> &'static str {
    match reason {
        Reason::RobotsDisallowed => "the site's robots.txt does not allow it to be read",
        Reason::Noindex => "the page asks not to be indexed",
        Reason::Duplicate => "another page has the same content",
        Reason::CanonicalElsewhere => "the page refers to another address",
        Reason::NotHtml => "it is neither a web page nor text",
        Reason::TooLarge => "the page is too large",
        Reason::NeedsJavascript => "the page is built by scripts in the browser",
        Reason::LoginRequired => "the page asks to sign in",
        Reason::BotChallenge => "the site asks for proof of being a person",
        Reason::HttpError => "the server answered with an error",
        Reason::Timeout => "the server took too long to answer",
        Reason::BlockedAddress => "the address is not public; only public addresses are crawled",
        Reason::OverLimit => "the limit of pages was reached",
        Reason::RedirectLoop => "the page redirects in a circle",
        Reason::DnsError => "the host name could not be resolved",
        Reason::ConnectionFailed => "the server could not be reached",
        Reason::TlsError => "no secure connection could be made",
        _ => "the page has no text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frontdesk_store::PageStatus;
    use jiff::Timestamp;

    fn page(url: &str, depth: u32, status: PageStatus, reason: Option<Reason>) -> Webpage {
        Webpage {
            webpage_id: Uuid::nil(),
            chatbot_id: Uuid::nil(),
            account_id: Uuid::nil(),
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
            created_at: Timestamp::UNIX_EPOCH,
            fetched_at: None,
        }
    }

    #[test]
    fn the_reason_of_a_root_is_told_in_the_words_of_the_visit() {
        let pages = [page("http://127.0.0.1/", 0, PageStatus::Failed, Some(Reason::BlockedAddress))];
        let detail = "127.0.0.1 is a loopback address; only public addresses may be contacted";
        let details = BTreeMap::from([("http://127.0.0.1/".to_owned(), detail.to_owned())]);
        let told = failure(&pages, &details);
        assert_eq!(told.code, "blocked_address");
        assert_eq!(told.message, format!("http://127.0.0.1/ could not be used: {detail}."));
        assert!(failure(&pages, &BTreeMap::new()).message.contains("only public addresses are crawled."));
    }

    #[test]
    fn a_fault_is_told_rather_than_a_wish_of_the_site() {
        let pages = [
            page("https://a.example/", 0, PageStatus::Skipped, Some(Reason::Noindex)),
            page("https://b.example/", 0, PageStatus::Failed, Some(Reason::DnsError)),
            page("https://a.example/x", 1, PageStatus::Failed, Some(Reason::Timeout)),
        ];
        let told = failure(&pages, &BTreeMap::new());
        assert_eq!(told.code, "dns_error");
        assert!(told.message.starts_with("https://b.example/ could not be used: "), "{}", told.message);
        assert!(
            told.message.ends_with("No other training address led to usable text either."),
            "{}",
            told.message
        );
    }

    #[test]
    fn pages_below_the_roots_are_not_blamed() {
        let pages = [page("https://a.example/x", 1, PageStatus::Failed, Some(Reason::Timeout))];
        assert_eq!(failure(&pages, &BTreeMap::new()).code, "empty_content");
    }

    #[test]
    fn every_reason_has_words() {
        for reason in Reason::ALL {
            assert!(!explanation(reason).is_empty() && !explanation(reason).ends_with('.'), "{reason}");
        }
    }
}
