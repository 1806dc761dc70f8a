//! Leaving time between two requests to the same host.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

/// Longest `Crawl-delay` honoured; a site that asks for more would never be finished.
const MAX_CRAWL_DELAY: Duration = Duration::from_secs(10);

/// When each host may be asked again.
#[derive(Debug)]
pub(super) struct Politeness {
    delay: Duration,
    asked: HashMap<String, Instant>,
}

impl Politeness {
    pub(super) fn new(delay: Duration) -> Self {
        Self { delay, asked: HashMap::new() }
    }

    /// Waits for the host's turn, and takes it.
    pub(super) async fn wait(&mut self, url: &Url, crawl_delay: Option<Duration>) {
        let delay = self.delay.max(crawl_delay.unwrap_or_default().min(MAX_CRAWL_DELAY));
        let host = url.host_str().unwrap_or_default().to_owned();
        if let Some(asked) = self.asked.get(&host) {
            tokio::time::sleep_until(*asked + delay).await;
        }
        self.asked.insert(host, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_host_gets_its_pause() {
        let (a, b) = (Url::parse("https://a.example/").unwrap(), Url::parse("https://b.example/").unwrap());
        let mut politeness = Politeness::new(Duration::from_secs(1));
        let start = Instant::now();
        politeness.wait(&a, None).await;
        politeness.wait(&b, None).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
        politeness.wait(&a, None).await;
        assert_eq!(start.elapsed(), Duration::from_secs(1));
        politeness.wait(&a, Some(Duration::from_secs(3))).await;
        assert_eq!(start.elapsed(), Duration::from_secs(4));
        politeness.wait(&a, Some(Duration::from_hours(1))).await;
        assert_eq!(start.elapsed(), Duration::from_secs(14));
    }
}
