//! The work of one crawl, from the frontier of its website to the status of the chatbot.

use std::time::Duration;

use frontdesk_knowledge::{CrawlBounds, CrawlEnd, Crawler, PathRules, Root};
use frontdesk_store::{CrawlScope, Job, Scope, Website, WebsiteSource, WebsiteStatus};
use jiff::SignedDuration;
use url::Url;
use uuid::Uuid;

use super::frontier::StoredFrontier;
use super::{boilerplate, linked, outcome, vectors, waiting::WaitingCrawlers};
use crate::background::{
    Background,
    jobs::{JobError, Outcome},
};

/// How many addresses the frontier may have for each page that may be trained: sites are full of duplicates
/// and redirects.
const ADDRESSES_PER_PAGE: u64 = 5;

/// How long a crawl has its place among the workers before others get it, if any wait. A page that was begun
/// is finished.
const SLICE: Duration = Duration::from_secs(10);

/// Works through the frontier of a website and records the result. If a host asks for a pause, or others are
/// to have the worker, the crawler is kept for the next run of the job. Running the job again after a crash
/// at any moment leads to the same result.
pub(super) async fn run(
    service: &Background,
    waiting: &WaitingCrawlers,
    job: &Job,
    scope: Scope,
    website_id: Uuid,
) -> Result<Outcome, JobError> {
    let websites = service.store.websites();
    let crawling = WebsiteStatus::Crawling;
    let Some(website) = websites.set_unfinished(&scope, website_id, crawling, service.now()).await? else {
        // The crawl was stopped, or a run before this one ended it and waits for vectors, or did not get to
        // the chatbot.
        return conclude(service, &scope, website_id).await;
    };
    let bounds = bounds(service, &website);
    let max_addresses = u64::try_from(bounds.max_visits).unwrap_or(u64::MAX);
    let mut frontier = StoredFrontier::new(service.clone(), website.clone(), max_addresses, job.created_at);
    let mut crawler = match waiting.take(job) {
        Some(crawler) => crawler,
        None => crawler(service, &website, bounds).await?,
    };
    match crawler.crawl(&mut frontier).await? {
        CrawlEnd::Waiting { wait } => {
            waiting.keep(job, crawler, wait);
            return Ok(Outcome::ContinueAt(service.now().saturating_add(SignedDuration::try_from(wait)?)?));
        }
        // Whoever stopped it has told the chatbot.
        CrawlEnd::Cancelled => return Ok(Outcome::Done),
        end => tracing::info!(%website_id, ?end, "the crawl has finished"),
    }
    let processing = WebsiteStatus::Processing;
    if websites.set_unfinished(&scope, website_id, processing, service.now()).await?.is_some() {
        boilerplate::remove(service, &scope, website.chatbot_id).await?;
        outcome::finish(service, &scope, website_id).await?;
    }
    conclude(service, &scope, website_id).await
}

/// Updates the chatbot after a crawl, once the vectors that are worth waiting for exist. Until then the job
/// is continued later, so its worker is free for other crawls.
async fn conclude(service: &Background, scope: &Scope, website_id: Uuid) -> Result<Outcome, JobError> {
    let Some(website) = service.store.websites().get(scope, website_id).await? else {
        return Ok(Outcome::Done);
    };
    if let Some(next_look) = vectors::next_look(service, &website).await? {
        return Ok(Outcome::ContinueAt(next_look));
    }
    outcome::announce(service, scope, website.chatbot_id).await?;
    Ok(Outcome::Done)
}

async fn crawler(service: &Background, website: &Website, bounds: CrawlBounds) -> Result<Crawler, JobError> {
    let (outbound, hosts) = (service.outbound.clone(), service.crawled_hosts.clone());
    let url: Url = website.url.parse()?;
    if website.source == WebsiteSource::Sitemap {
        return Ok(Crawler::of_sitemap(outbound, hosts, url, bounds));
    }
    let scope = website.account_scope();
    let start = service.store.websites().start_page(&scope, website.website_id).await?;
    let final_url = start.and_then(|page| page.final_url).and_then(|url| url.parse().ok());
    Ok(Crawler::new(outbound, hosts, [Root { url, final_url }], bounds))
}

/// Returns the limits of a website's crawl: its own where they are lower than those of the service.
fn bounds(service: &Background, website: &Website) -> CrawlBounds {
    let training = &service.config.training;
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let max_pages = max_pages(service, website);
    CrawlBounds {
        max_pages: number(max_pages),
        max_visits: number(max_pages.saturating_mul(ADDRESSES_PER_PAGE)),
        max_depth: max_depth(service, website),
        confine_to_path: training.confine_to_path,
        subdomains: website.include_subdomains,
        // Patterns are checked when they are set.
        paths: PathRules::new(&website.include_paths.0, &website.exclude_paths.0).unwrap_or_default(),
        // Pages that failed are known already.
        sitemaps: website.scope != CrawlScope::Failed,
        delay: training.delay,
        slice: SLICE,
        files: website.include_files.then(|| linked::files(service)),
        ..CrawlBounds::default()
    }
}

/// Returns the largest number of pages with content that a crawl of a website stores.
pub(crate) fn max_pages(service: &Background, website: &Website) -> u64 {
    let limit = service.config.training.max_pages;
    website.max_pages.map_or(limit, |own| limit.min(own.into()))
}

/// Returns the largest number of links between the start page of a website and a page.
pub(crate) fn max_depth(service: &Background, website: &Website) -> u32 {
    let limit = service.config.training.max_depth;
    website.max_depth.map_or(limit, |own| limit.min(own))
}
