//! The work of one training job, from its start addresses to the status of its chatbot.

use frontdesk_knowledge::{CrawlBounds, CrawlEnd, Crawler, Root};
use frontdesk_store::{Job, PageStatus, Scope, StoreError};
use jiff::SignedDuration;
use url::Url;
use uuid::Uuid;

use super::frontier::StoredFrontier;
use super::{boilerplate, outcome, waiting::WaitingCrawlers};
use crate::{
    jobs::{JobError, Outcome},
    service::Service,
};

/// How many addresses the frontier may have for each page that may be trained: sites are full of duplicates and redirects.
const ADDRESSES_PER_PAGE: u64 = 5;
/// Pages read from the database at a time.
pub(super) const PAGE_BATCH: u32 = 100;

/// Works through the frontier of a job's chatbot and records the result. If a host asks for a pause, the crawler is kept for
/// the next run of the job. Running the job again after a crash at any moment leads to the same result.
pub(super) async fn run(
    service: &Service,
    waiting: &WaitingCrawlers,
    job: &Job,
    scope: Scope,
    chatbot_id: Uuid,
) -> Result<Outcome, JobError> {
    let bounds = bounds(service);
    let max_addresses = u64::try_from(bounds.max_visits).unwrap_or(u64::MAX);
    let mut frontier = StoredFrontier::new(service.clone(), scope, chatbot_id, max_addresses, job.created_at);
    let mut crawler = match waiting.take(job) {
        Some(crawler) => crawler,
        None => {
            let roots = roots(service, &scope, chatbot_id).await?;
            Crawler::new(service.outbound.clone(), service.crawled_hosts.clone(), roots, bounds)
        }
    };
    let end = crawler.crawl(&mut frontier).await?;
    if let CrawlEnd::Waiting { wait } = end {
        waiting.keep(job, crawler, wait);
        return Ok(Outcome::ContinueAt(service.now().saturating_add(SignedDuration::try_from(wait)?)?));
    }
    tracing::info!(%chatbot_id, ?end, "the crawl has finished");
    boilerplate::remove(service, &scope, chatbot_id).await?;
    outcome::announce(service, &scope, chatbot_id).await?;
    Ok(Outcome::Done)
}

fn bounds(service: &Service) -> CrawlBounds {
    let training = &service.config.training;
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    CrawlBounds {
        max_pages: number(training.max_pages),
        max_visits: number(training.max_pages.saturating_mul(ADDRESSES_PER_PAGE)),
        max_depth: training.max_depth,
        confine_to_path: training.confine_to_path,
        delay: training.delay,
        ..CrawlBounds::default()
    }
}

/// Returns the start addresses that were given when the chatbot was created.
async fn roots(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<Root>, StoreError> {
    let mut roots = Vec::new();
    let mut after = None;
    loop {
        let pages =
            service.store.webpages().list(scope, chatbot_id, None::<PageStatus>, after, PAGE_BATCH).await?;
        for page in &pages {
            // Roots are stored first, and ids grow with time.
            if page.depth > 0 || page.parent_url.is_some() {
                return Ok(roots);
            }
            let address = |text: &String| text.parse::<Url>().ok();
            if let Some(url) = address(&page.url) {
                roots.push(Root { url, final_url: page.final_url.as_ref().and_then(address) });
            }
        }
        let Some(last) = pages.last() else { return Ok(roots) };
        after = Some(last.webpage_id);
    }
}
