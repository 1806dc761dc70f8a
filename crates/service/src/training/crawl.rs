//! The work of one training job, from its start addresses to the status of its chatbot.

use frontdesk_knowledge::{CrawlBounds, Crawler, FrontierError};
use frontdesk_store::{Job, PageStatus, Scope};
use url::Url;
use uuid::Uuid;

use super::frontier::StoredFrontier;
use super::{KIND, furniture, outcome};
use crate::service::Service;

/// How many addresses are remembered for each page that may be trained: sites are full of doubles and detours.
const ADDRESSES_PER_PAGE: u64 = 5;
/// Pages read from the database at a time.
pub(super) const PAGE_BATCH: u32 = 100;

/// Work that could not be brought to an end, through no fault of the site.
#[derive(Debug)]
pub(super) struct Interrupted(pub(super) FrontierError);

impl<E: Into<FrontierError>> From<E> for Interrupted {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

/// Works off the frontier of a job's chatbot and says what came of it. Doing it again, after a crash at whatever
/// moment, comes to the same.
pub(super) async fn run(service: Service, job: Job) -> Result<(), Interrupted> {
    let (KIND, Some(chatbot_id)) = (job.kind.as_str(), job.chatbot_id) else {
        // A later version may know what to do; the next attempt may be its own.
        return Err(Interrupted("this version does not know this kind of training job".into()));
    };
    let scope = job.scope();
    let roots = roots(&service, &scope, chatbot_id).await?;
    let bounds = bounds(&service);
    let max_addresses = u64::try_from(bounds.max_visits).unwrap_or(u64::MAX);
    let mut frontier = StoredFrontier::new(service.clone(), scope, chatbot_id, max_addresses, job.created_at);
    let mut crawler = Crawler::new(service.outbound.clone(), &roots, bounds);
    let end = crawler.crawl(&roots, &mut frontier).await.map_err(Interrupted)?;
    tracing::info!(%chatbot_id, ?end, "the crawl is at its end");
    furniture::remove(&service, &scope, chatbot_id).await?;
    outcome::announce(&service, &scope, chatbot_id, &frontier.into_details()).await?;
    Ok(())
}

fn bounds(service: &Service) -> CrawlBounds {
    let training = &service.config.training;
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    CrawlBounds {
        max_pages: number(training.max_pages),
        max_visits: number(training.max_pages.saturating_mul(ADDRESSES_PER_PAGE)),
        max_depth: training.max_depth,
        delay: training.delay,
        ..CrawlBounds::default()
    }
}

/// The start addresses that were given when the chatbot was created.
async fn roots(service: &Service, scope: &Scope, chatbot_id: Uuid) -> Result<Vec<Url>, Interrupted> {
    let mut roots = Vec::new();
    let mut after = None;
    loop {
        let pages = service.store.webpages(scope, chatbot_id, None::<PageStatus>, after, PAGE_BATCH).await?;
        let Some(last) = pages.last() else { return Ok(roots) };
        after = Some(last.webpage_id);
        let given = pages.iter().filter(|page| page.depth == 0 && page.parent_url.is_none());
        roots.extend(given.filter_map(|page| page.url.parse::<Url>().ok()));
    }
}
