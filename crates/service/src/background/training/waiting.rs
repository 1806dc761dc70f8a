//! Crawlers of jobs that wait for a host.
//!
//! A crawler knows the rules of its hosts, which sitemaps were read and which redirects are under way. The
//! next run of the job continues with it if it happens in the same process; elsewhere a new crawler learns
//! all of that again.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use frontdesk_knowledge::Crawler;
use frontdesk_store::Job;
use uuid::Uuid;

/// How long a crawler is kept after its job became due. By then the job was deleted or runs elsewhere.
const GRACE: Duration = Duration::from_mins(10);

/// The crawlers of the jobs that wait, by job.
#[derive(Debug, Default)]
pub(super) struct WaitingCrawlers {
    crawlers: Mutex<HashMap<Uuid, Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    crawler: Crawler,
    /// The run that continues with the crawler. If the next run happens in another process, this one is
    /// outdated.
    run: u64,
    drop_at: Instant,
}

impl WaitingCrawlers {
    /// Keeps the crawler of a job that continues after `wait`.
    pub(super) fn keep(&self, job: &Job, crawler: Crawler, wait: Duration) {
        let now = Instant::now();
        let waiting = Waiting { crawler, run: job.runs + 1, drop_at: now + wait + GRACE };
        let mut crawlers = self.crawlers.lock().unwrap_or_else(PoisonError::into_inner);
        crawlers.retain(|_, other| other.drop_at > now);
        crawlers.insert(job.job_id, waiting);
    }

    /// Returns the crawler with which this run of a job continues.
    pub(super) fn take(&self, job: &Job) -> Option<Crawler> {
        let mut crawlers = self.crawlers.lock().unwrap_or_else(PoisonError::into_inner);
        crawlers.remove(&job.job_id).filter(|waiting| waiting.run == job.runs).map(|waiting| waiting.crawler)
    }
}
