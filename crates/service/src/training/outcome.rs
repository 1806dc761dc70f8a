//! The status of a chatbot after its training has finished or was given up.

use frontdesk_knowledge::Reason;
use frontdesk_store::{ChatbotStatus, Scope, StoreError, Webpage};
use uuid::Uuid;

use super::crawl::PAGE_BATCH;
use crate::{jobs::GiveUpReason, service::Service};

/// Why a training ended without content, as the chatbot shows it to customers.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    code: String,
    message: String,
}

/// Makes the chatbot `ready` if there is anything to answer from, else `failed` with the reason.
pub(super) async fn announce(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<(), StoreError> {
    let counts = service.store.webpages().counts(scope, chatbot_id).await?;
    if counts.ready > 0 {
        service.metrics.training("ready");
        service
            .store
            .chatbots()
            .set_status(scope, chatbot_id, ChatbotStatus::Ready, None, service.now())
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
    // Roots are stored first, and ids grow with time.
    let first = service.store.webpages().list(scope, chatbot_id, None, None, PAGE_BATCH).await?;
    let failure = failure(&first);
    tracing::info!(%chatbot_id, code = failure.code, "the training found nothing to answer from");
    fail(service, scope, chatbot_id, &failure).await
}

/// Ends the training of a chatbot whose job was given up.
pub(super) async fn give_up(
    service: &Service,
    scope: &Scope,
    chatbot_id: Uuid,
    reason: &GiveUpReason,
) -> Result<(), StoreError> {
    if service.store.webpages().counts(scope, chatbot_id).await?.ready > 0 {
        // The pages read before the fault are worth answering from.
        service
            .store
            .chatbots()
            .set_status(scope, chatbot_id, ChatbotStatus::Ready, None, service.now())
            .await?;
        return Ok(());
    }
    fail(service, scope, chatbot_id, &abandonment(reason)).await
}

async fn fail(
    service: &Service,
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
            "The website could not be read within the time limit of a training. Please check that it responds, and create the \
             chatbot again.",
        ),
        GiveUpReason::LastAttempt(_) | GiveUpReason::Impossible(_) | GiveUpReason::WorkerLost => (
            "internal_error",
            "The training failed because of a fault in the service. Please create the chatbot again.",
        ),
    };
    Failure { code: code.to_owned(), message: message.to_owned() }
}

/// Returns the failure to show to customers: that of a start address, and an error rather than a choice of the site. It
/// names the start address as the customer gave it, and no other address.
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

/// Returns the reason as a clause, with the status of the response if it says more.
fn explanation(reason: Reason, http_status: Option<u16>) -> String {
    match (reason, http_status) {
        (Reason::HttpError, Some(300..=399)) => "the page redirects to an invalid address".to_owned(),
        (Reason::HttpError, Some(status @ 400..)) => format!("the server responded with status {status}"),
        _ => reason.explanation().to_owned(),
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
