//! What the chatbot of the demonstration has read, and how long that takes.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use frontdesk_store::{
    Chatbot, ChatbotStatus, NewWebsite, PageRequest, PageStatus, StoreError, Website, WebsiteOptions,
    WebsiteSource,
};

use super::DemoError;
use crate::{
    api::Service,
    background::{jobs::Queue, training},
};

/// How often the progress of the embeddings is printed.
const REPORT_INTERVAL: Duration = Duration::from_secs(2);
/// Interval and maximum number of checks whether the training is finished.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
const MAX_CHECKS: usize = 1200;
/// The pages of the chatbot among which those of its own website are counted.
const MAX_PAGES: u32 = 1000;
/// The websites of the chatbot among which its own is found.
const MAX_WEBSITES: u32 = 100;
/// How the addresses of the website begin, wherever it listens.
const LOCAL: &str = "http://127.0.0.1:";

/// Waits until the chatbot has read its website.
pub(super) async fn trained(
    service: &Service,
    chatbot: Chatbot,
    site: &str,
    progress: &mut (dyn Write + Send),
) -> Result<Chatbot, DemoError> {
    let scope = chatbot.scope();
    let mut reported = 0;
    for _ in 0..MAX_CHECKS {
        let Some(now) = service.store.chatbots().find(&scope, chatbot.chatbot_id).await? else {
            return Err(DemoError::Untrained("it was deleted".to_owned()));
        };
        let pages = pages(service, &now, site).await?;
        if pages > reported {
            reported = pages;
            writeln!(progress, "Reading {site}: {reported} pages")?;
        }
        let is_unfinished = websites(service, &now)
            .await?
            .iter()
            .any(|website| website.url.starts_with(site) && website.status.is_unfinished());
        match now.status {
            ChatbotStatus::Ready if !is_unfinished => return Ok(now),
            ChatbotStatus::Failed => {
                let reason =
                    now.last_error.map_or_else(|| "no reason is known".to_owned(), |error| error.message);
                return Err(DemoError::Untrained(reason));
            }
            ChatbotStatus::Ready | ChatbotStatus::Training => tokio::time::sleep(CHECK_INTERVAL).await,
        }
    }
    Err(DemoError::Untrained("it takes longer than two minutes; the log may say why".to_owned()))
}

/// Returns how many pages of the website the chatbot has read. Its other sources are written by people.
pub(super) async fn pages(service: &Service, chatbot: &Chatbot, site: &str) -> Result<usize, StoreError> {
    let (webpages, read) = (service.store.webpages(), Some(PageStatus::Ready));
    let pages = webpages.list(&chatbot.scope(), chatbot.chatbot_id, read, None, MAX_PAGES).await?;
    Ok(pages.iter().filter(|page| page.url.starts_with(site)).count())
}

async fn websites(service: &Service, chatbot: &Chatbot) -> Result<Vec<Website>, StoreError> {
    let (websites, page) = (service.store.websites(), PageRequest::first(MAX_WEBSITES));
    Ok(websites.page(&chatbot.scope(), chatbot.chatbot_id, None, None, &page).await?.items)
}

/// Has the chatbot read the website at its present address, and forget the earlier one.
pub(super) async fn replace_website(
    service: &Service,
    chatbot: &Chatbot,
    home: &str,
) -> Result<(), DemoError> {
    let scope = chatbot.scope();
    let known = websites(service, chatbot).await?;
    if known.iter().any(|website| website.url == home) {
        return Ok(());
    }
    if let Some(earlier) = known.iter().find(|website| website.url.starts_with(LOCAL)) {
        service.store.websites().delete(&scope, earlier).await?;
    }
    let new = NewWebsite {
        url: home.to_owned(),
        source: WebsiteSource::Crawl,
        options: WebsiteOptions::default(),
        tag_ids: Vec::new(),
        job: training::job(),
    };
    service.store.websites().create(&scope, chatbot.chatbot_id, &new, service.now()).await?;
    service.job_signals.enqueued(Queue::Crawl);
    Ok(())
}

/// Waits until all content can be searched by meaning, so that the first question is answered as well as
/// later ones. If the model fails or takes longer than two minutes, the demonstration begins without it: the
/// chatbot then searches by words.
pub(super) async fn embedded(
    service: &Service,
    chatbot: &Chatbot,
    progress: &mut (dyn Write + Send),
) -> Result<(), DemoError> {
    let Some(model_id) = service.search.embedding().id_soon().await else { return Ok(()) };
    let (vectors, scope) = (service.store.vectors(), chatbot.scope());
    let mut reported: Option<Instant> = None;
    for _ in 0..MAX_CHECKS {
        let incomplete = vectors.progress(&scope, Some(chatbot.chatbot_id), Some(&model_id)).await?;
        let Some(incomplete) = incomplete.first() else { break };
        if reported.is_none_or(|reported| reported.elapsed() >= REPORT_INTERVAL) {
            let remaining = incomplete.passages.saturating_sub(incomplete.processed);
            writeln!(progress, "Computing embeddings for the search: {remaining} passages remain")?;
            reported = Some(Instant::now());
        }
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
    Ok(())
}
