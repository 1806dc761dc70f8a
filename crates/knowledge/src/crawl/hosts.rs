//! Pauses between requests to the same host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use url::Url;

/// After this many refusals in a row that ask to come back later than the crawl waits, the host is left
/// alone.
const MAX_REFUSALS: u32 = 3;

/// Number of hosts above which hosts without a pending pause are forgotten.
const PRUNE_FROM: usize = 1_000;

/// When each host may be requested again. Clones share their memory: give all crawls of a process the same
/// value, and two crawls of one host keep its pause together.
#[derive(Debug, Clone, Default)]
pub struct Hosts {
    hosts: Arc<Mutex<HashMap<String, Host>>>,
}

/// The state of one host.
#[derive(Debug, Default)]
struct Host {
    last_request: Option<Instant>,
    /// The pause that was asked for at the last request.
    pause: Duration,
    /// The host asked not to be requested before this time.
    closed_until: Option<Instant>,
    /// Responses in a row that asked for a longer wait than the crawl allows.
    refusals: u32,
}

impl Host {
    fn ready_at(&self, pause: Duration) -> Option<Instant> {
        self.last_request.map(|requested| requested + pause).max(self.closed_until)
    }
}

/// A host that may not be requested yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pause {
    /// Time until the next request.
    pub(super) wait: Duration,
    pub(super) cause: PauseCause,
}

/// Why a host may not be requested yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PauseCause {
    /// The pause between two requests.
    CrawlDelay,
    /// The server asked to come back later.
    Busy,
}

impl Hosts {
    /// Creates an empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the right to request the host now, or returns how long to wait. `pause` is the least time since
    /// the last request to the host.
    pub(super) fn take_turn(&self, url: &Url, pause: Duration) -> Result<(), Pause> {
        let now = Instant::now();
        let mut hosts = self.lock();
        if hosts.len() >= PRUNE_FROM {
            hosts.retain(|_, host| host.ready_at(host.pause).is_some_and(|ready| ready > now));
        }
        let host = hosts.entry(key(url)).or_default();
        if let Some(wait) = remaining(host.closed_until, now) {
            return Err(Pause { wait, cause: PauseCause::Busy });
        }
        if let Some(wait) = remaining(host.ready_at(pause), now) {
            return Err(Pause { wait, cause: PauseCause::CrawlDelay });
        }
        host.last_request = Some(now);
        host.pause = pause;
        Ok(())
    }

    /// Returns how long the host asked to be left alone, if it did.
    pub(super) fn closed_for(&self, url: &Url) -> Option<Duration> {
        self.lock().get(&key(url)).and_then(|host| remaining(host.closed_until, Instant::now()))
    }

    /// Leaves the host alone for some time.
    pub(super) fn close(&self, url: &Url, wait: Duration) {
        let mut hosts = self.lock();
        let host = hosts.entry(key(url)).or_default();
        // A wait beyond the range of the clock is as good as none: the caller's bounds have been applied
        // before.
        host.closed_until = Instant::now().checked_add(wait).max(host.closed_until);
    }

    /// Counts a response that asks for a longer wait than the crawl allows. A single page that is overloaded
    /// does not stop the crawl; a host that refuses several pages in a row is left alone.
    pub(super) fn refused(&self, url: &Url, wait: Duration) {
        let refusals = {
            let mut hosts = self.lock();
            let host = hosts.entry(key(url)).or_default();
            host.refusals += 1;
            host.refusals
        };
        if refusals >= MAX_REFUSALS {
            self.close(url, wait);
        }
    }

    /// Notes that the host responds normally.
    pub(super) fn responded(&self, url: &Url) {
        if let Some(host) = self.lock().get_mut(&key(url)) {
            host.refusals = 0;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Host>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remaining(until: Option<Instant>, now: Instant) -> Option<Duration> {
    until.map(|until| until.saturating_duration_since(now)).filter(|wait| !wait.is_zero())
}

/// Returns the default ports of http and https are the same server; any other port is another one.
fn key(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn delayed(wait: Duration) -> Result<(), Pause> {
        Err(Pause { wait, cause: PauseCause::CrawlDelay })
    }

    #[tokio::test(start_paused = true)]
    async fn each_host_has_its_own_pause() {
        let (a, b) = (url("https://a.example/"), url("https://b.example/"));
        let hosts = Hosts::new();
        assert_eq!(hosts.take_turn(&a, seconds(1)), Ok(()));
        assert_eq!(hosts.take_turn(&b, seconds(1)), Ok(()));
        assert_eq!(hosts.take_turn(&a, seconds(1)), delayed(seconds(1)));
        assert_eq!(hosts.take_turn(&url("http://a.example/x"), seconds(1)), delayed(seconds(1)));
        assert_eq!(hosts.take_turn(&url("https://a.example:8443/"), seconds(1)), Ok(()));
        tokio::time::advance(seconds(1)).await;
        assert_eq!(hosts.take_turn(&a, seconds(3)), delayed(seconds(2)), "the pause of this request counts");
        tokio::time::advance(seconds(2)).await;
        assert_eq!(hosts.take_turn(&a, seconds(3)), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn crawls_of_one_process_share_the_pause_of_a_host() {
        let a = url("https://a.example/");
        let hosts = Hosts::new();
        let of_another_crawl = hosts.clone();
        assert_eq!(hosts.take_turn(&a, seconds(10)), Ok(()));
        tokio::time::advance(seconds(4)).await;
        assert_eq!(of_another_crawl.take_turn(&a, seconds(10)), delayed(seconds(6)));
        tokio::time::advance(seconds(6)).await;
        assert_eq!(of_another_crawl.take_turn(&a, seconds(10)), Ok(()));
        assert_eq!(hosts.take_turn(&a, seconds(10)), delayed(seconds(10)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_host_is_left_alone_as_long_as_it_asks() {
        let a = url("https://a.example/");
        let hosts = Hosts::new();
        assert_eq!(hosts.take_turn(&a, Duration::ZERO), Ok(()));
        hosts.close(&a, seconds(30));
        hosts.close(&a, seconds(5));
        assert_eq!(hosts.closed_for(&a), Some(seconds(30)), "the longest wait counts");
        let busy = Pause { wait: seconds(30), cause: PauseCause::Busy };
        assert_eq!(hosts.take_turn(&a, Duration::ZERO), Err(busy));
        tokio::time::advance(seconds(30)).await;
        assert_eq!(hosts.closed_for(&a), None);
        assert_eq!(hosts.take_turn(&a, Duration::ZERO), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn only_several_refusals_in_a_row_close_a_host() {
        let a = url("https://a.example/");
        let hosts = Hosts::new();
        for _ in 0..3 {
            hosts.refused(&a, seconds(3_600));
            hosts.refused(&a, seconds(3_600));
            hosts.responded(&a);
        }
        assert_eq!(hosts.closed_for(&a), None);
        for _ in 0..3 {
            hosts.refused(&a, seconds(3_600));
        }
        assert_eq!(hosts.closed_for(&a), Some(seconds(3_600)));
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_without_a_pause_are_forgotten() {
        let hosts = Hosts::new();
        for number in 0..PRUNE_FROM {
            hosts.take_turn(&url(&format!("https://h{number}.example/")), seconds(1)).unwrap();
        }
        hosts.take_turn(&url("https://slow.example/"), seconds(60)).unwrap();
        tokio::time::advance(seconds(2)).await;
        hosts.take_turn(&url("https://new.example/"), seconds(1)).unwrap();
        assert_eq!(hosts.lock().len(), 2);
        assert!(hosts.take_turn(&url("https://slow.example/"), seconds(60)).is_err());
    }
}
