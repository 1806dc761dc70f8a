//! Requests of a crawl: robots rules, pauses, redirects step by step, and further attempts at busy servers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use frontdesk_outbound::{Fetched, Limits, Outbound, OutboundError};
use http::header::{ACCEPT, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::{Timestamp, fmt::rfc2822};
use tokio::time::Instant;
use url::Url;

use super::address;
use super::bounds::CrawlBounds;
use super::failure::{Failure, NoResponse, reason_of};
use super::hosts::{Hosts, PauseCause};
use super::reason::Reason;
use super::response::Response;
use super::robots::Robots;
use super::site::Site;
use super::visit::Validators;

/// Wait before the next attempt if a busy server does not name one.
const DEFAULT_RETRY_WAIT: Duration = Duration::from_secs(2);

/// Most further attempts at a busy server for one page.
const MAX_RETRIES: u32 = 2;

/// Largest robots.txt downloaded. A larger file is an error of the site.
const MAX_ROBOTS_BYTES: u64 = 4_000_000;

/// The formats that the crawler reads, as a request header.
const ACCEPTED: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,*/*;q=0.1";

/// Makes the requests of one crawl.
///
/// No method sleeps. If a host asks for a pause, the result is [`NoResponse::Later`], and the same call made
/// again after that time continues.
#[derive(Debug)]
pub(super) struct Fetcher {
    outbound: Outbound,
    hosts: Hosts,
    bounds: CrawlBounds,
    /// The rules of each origin, fetched once.
    robots: HashMap<String, Arc<Robots>>,
    /// Attempts at each busy robots.txt.
    robots_retries: HashMap<String, u32>,
    /// The page whose host asked for a pause.
    interrupted: Option<Progress>,
    /// The file whose host asked for a pause, with the number of further attempts.
    interrupted_file: Option<(Url, u32)>,
}

/// The requests made so far for one page.
#[derive(Debug)]
struct Progress {
    page: Url,
    /// The address to request next.
    next: Url,
    /// All addresses of the chain of redirects.
    chain: HashSet<Url>,
    /// The last address that responded, with its status.
    responded: Option<(Url, StatusCode)>,
    /// Time spent on requests.
    spent: Duration,
    retries: u32,
}

impl Progress {
    fn new(page: &Url) -> Self {
        Self {
            page: page.clone(),
            next: page.clone(),
            chain: HashSet::from([page.clone()]),
            responded: None,
            spent: Duration::ZERO,
            retries: 0,
        }
    }

    /// Adds the last response to a failure. The address that failed is not named: a site can redirect to any
    /// address, and an internal one must not reach the crawl report.
    fn locate(&self, stop: NoResponse) -> NoResponse {
        match (stop, &self.responded) {
            (NoResponse::Failed(failure), Some((url, status))) => NoResponse::Failed(Failure {
                url: failure.url.or_else(|| Some(url.clone())),
                http_status: failure.http_status.or(Some(status.as_u16())),
                ..failure
            }),
            (stop, _) => stop,
        }
    }
}

impl Fetcher {
    pub(super) fn new(outbound: Outbound, hosts: Hosts, bounds: CrawlBounds) -> Self {
        Self {
            outbound,
            hosts,
            bounds,
            robots: HashMap::new(),
            robots_retries: HashMap::new(),
            interrupted: None,
            interrupted_file: None,
        }
    }

    /// Fetches a page. Redirects are followed one by one, because each step must stay on the site (unless
    /// `may_leave`, for a root) and must be allowed by the robots rules of its own host.
    pub(super) async fn page(
        &mut self,
        page: &Url,
        site: &Site,
        may_leave: bool,
        known: Option<&Validators>,
    ) -> Result<Response, NoResponse> {
        let interrupted = self.interrupted.take().filter(|progress| progress.page == *page);
        let mut progress = interrupted.unwrap_or_else(|| Progress::new(page));
        let result =
            self.follow(&mut progress, site, may_leave, known).await.map_err(|stop| progress.locate(stop));
        if matches!(result, Err(NoResponse::Later(_))) {
            self.interrupted = Some(progress);
        }
        result
    }

    async fn follow(
        &mut self,
        progress: &mut Progress,
        site: &Site,
        may_leave: bool,
        known: Option<&Validators>,
    ) -> Result<Response, NoResponse> {
        loop {
            if !may_leave && !site.contains(&progress.next) {
                let detail = format!("{} is outside the crawled part of the site", progress.next);
                return Err(Failure::new(Reason::CanonicalElsewhere, detail).into());
            }
            let response = self.step(progress, known).await?;
            if !matches!(response.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            progress.responded = Some((response.url.clone(), response.status));
            let target = response.headers.get(LOCATION);
            let next = target
                .and_then(|value| std::str::from_utf8(value.as_bytes()).ok())
                .and_then(|target| response.url.join(target).ok())
                .filter(|next| matches!(next.scheme(), "http" | "https"));
            let Some(mut next) = next else {
                let detail = format!("the redirect to {target:?} cannot be followed");
                return Err(Failure::new(Reason::HttpError, detail).into());
            };
            next.set_fragment(None);
            if !progress.chain.insert(next.clone()) || progress.chain.len() > self.bounds.max_redirects + 1 {
                let detail = format!("the redirect to {next} closes a circle or is one too many");
                return Err(Failure::new(Reason::RedirectLoop, detail).into());
            }
            progress.next = next;
        }
    }

    /// Requests the next address of a page.
    async fn step(
        &mut self,
        progress: &mut Progress,
        known: Option<&Validators>,
    ) -> Result<Response, NoResponse> {
        let url = progress.next.clone();
        let robots = self.robots(&url).await.map_err(NoResponse::Later)?;
        if let Some((reason, detail)) = robots.refusal(&url) {
            return Err(Failure::new(reason, detail).into());
        }
        let limits = Limits {
            // The last step of a long chain still gets some time.
            total: self.bounds.page_time.saturating_sub(progress.spent).max(self.bounds.page_time / 4),
            connect: self.bounds.connect_time,
            max_bytes: match &self.bounds.files {
                Some(files) if address::file_extension(&progress.page).is_some() => files.max_bytes,
                _ => self.bounds.max_page_bytes,
            },
            max_redirects: 0,
        };
        let mut headers = vec![(ACCEPT, HeaderValue::from_static(ACCEPTED))];
        // Only the address that the content came from can say whether it has changed.
        headers.extend(known.filter(|known| known.url == url).map(conditions).unwrap_or_default());
        let started = Instant::now();
        let sent = self.send(&url, &headers, &limits, robots.crawl_delay(), &mut progress.retries).await;
        progress.spent += started.elapsed();
        let fetched = sent?;
        Ok(Response { url, status: fetched.status, headers: fetched.headers, body: fetched.body })
    }

    /// Fetches a file that is not a page, following redirects to any public address.
    pub(super) async fn file(&mut self, url: &Url, max_bytes: u64) -> Result<Fetched, NoResponse> {
        let interrupted = self.interrupted_file.take().filter(|(file, _)| file == url);
        let mut retries = interrupted.map_or(0, |(_, retries)| retries);
        let crawl_delay = self.robots.get(&origin(url)).and_then(|robots| robots.crawl_delay());
        let limits = Limits {
            total: self.bounds.page_time,
            connect: self.bounds.connect_time,
            max_bytes,
            max_redirects: self.bounds.max_redirects,
        };
        let sent = self.send(url, &[], &limits, crawl_delay, &mut retries).await;
        if matches!(sent, Err(NoResponse::Later(_))) {
            self.interrupted_file = Some((url.clone(), retries));
        }
        let fetched = sent?;
        if fetched.status.is_success() {
            Ok(fetched)
        } else {
            Err(Failure::new(Reason::HttpError, format!("the server responded with {}", fetched.status))
                .into())
        }
    }

    /// Makes one request when it is the host's turn. A busy server is asked again as often and as late as the
    /// bounds allow; `retries` counts these attempts.
    async fn send(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        limits: &Limits,
        crawl_delay: Option<Duration>,
        retries: &mut u32,
    ) -> Result<Fetched, NoResponse> {
        let pause = self.bounds.delay.max(crawl_delay.unwrap_or_default());
        if let Err(pause) = self.hosts.take_turn(url, pause) {
            let (bound, reason) = match pause.cause {
                PauseCause::Busy => (self.bounds.max_retry_wait, Reason::ServerBusy),
                PauseCause::CrawlDelay => {
                    (self.bounds.max_crawl_delay.max(self.bounds.delay), Reason::CrawlDelayTooLong)
                }
            };
            if pause.wait <= bound {
                return Err(NoResponse::Later(pause.wait));
            }
            let detail = format!("the host may only be requested in {} s", pause.wait.as_secs());
            return Err(Failure::new(reason, detail).into());
        }
        let fetched = self.outbound.get(url, headers, limits).await.map_err(Failure::from)?;
        let Some(wait) = asked_wait(fetched.status, &fetched.headers) else {
            self.hosts.responded(url);
            return Ok(fetched);
        };
        if wait <= self.bounds.max_retry_wait && *retries < MAX_RETRIES {
            *retries += 1;
            self.hosts.close(url, wait);
            return Err(NoResponse::Later(wait));
        }
        self.hosts.refused(url, wait);
        let status = fetched.status;
        let detail =
            format!("the server responded with {status}, and asks to come back in {} s", wait.as_secs());
        Err(Failure {
            url: Some(fetched.final_url),
            http_status: Some(status.as_u16()),
            ..Failure::new(Reason::ServerBusy, detail)
        }
        .into())
    }

    /// Returns the robots rules for the origin of `url`, or how long the host asks to wait.
    pub(super) async fn robots(&mut self, url: &Url) -> Result<Arc<Robots>, Duration> {
        let origin = origin(url);
        if let Some(robots) = self.robots.get(&origin) {
            return Ok(Arc::clone(robots));
        }
        if let Some(wait) = self.hosts.closed_for(url).filter(|wait| *wait <= self.bounds.max_retry_wait) {
            return Err(wait);
        }
        let robots = Arc::new(self.fetch_robots(url, &origin).await?);
        self.robots.insert(origin, Arc::clone(&robots));
        Ok(robots)
    }

    async fn fetch_robots(&mut self, url: &Url, origin: &str) -> Result<Robots, Duration> {
        let Ok(address) = url.join("/robots.txt") else { return Ok(Robots::AllowAll) };
        let limits = Limits {
            total: self.bounds.page_time,
            connect: self.bounds.connect_time,
            max_bytes: MAX_ROBOTS_BYTES,
            max_redirects: 5,
        };
        let fetched = match self.outbound.get(&address, &[], &limits).await {
            Ok(fetched) => fetched,
            // A redirect that cannot be followed means that the file is unavailable, not the server.
            Err(
                OutboundError::RedirectLoop { .. }
                | OutboundError::TooManyRedirects { .. }
                | OutboundError::InvalidRedirect { .. },
            ) => return Ok(Robots::AllowAll),
            Err(OutboundError::TooLarge { limit, .. }) => {
                return Ok(Robots::DisallowAll(format!("robots.txt is larger than {limit} bytes")));
            }
            Err(error) => return Ok(Robots::Unreachable(reason_of(&error), error.to_string())),
        };
        let status = fetched.status;
        if status.is_success() {
            return Ok(Robots::parse(&fetched.body, &self.bounds.agent));
        }
        if let Some(wait) = asked_wait(status, &fetched.headers) {
            let retries = self.robots_retries.entry(origin.to_owned()).or_default();
            if wait <= self.bounds.max_retry_wait && *retries < MAX_RETRIES {
                *retries += 1;
                self.hosts.close(url, wait);
                return Err(wait);
            }
        }
        if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            return Ok(Robots::DisallowAll(format!("the server responded to robots.txt with {status}")));
        }
        Ok(Robots::AllowAll)
    }

    /// Returns whether robots rules allow a page to be read. Rules that are not known yet and cannot be
    /// fetched now do not.
    pub(super) async fn is_allowed(&mut self, url: &Url) -> bool {
        self.robots(url).await.is_ok_and(|robots| robots.refusal(url).is_none())
    }
}

/// Returns the headers of a request for content that has changed.
fn conditions(known: &Validators) -> Vec<(HeaderName, HeaderValue)> {
    let header = |name, value: &Option<String>| {
        value.as_ref().and_then(|value| HeaderValue::from_str(value).ok()).map(|value| (name, value))
    };
    let etag = header(IF_NONE_MATCH, &known.etag);
    let date = header(IF_MODIFIED_SINCE, &known.last_modified);
    etag.into_iter().chain(date).collect()
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Returns how long a busy server asks to be left alone, or `None` if the server is not busy. Bot protections
/// use the same statuses, but waiting does not help there.
fn asked_wait(status: StatusCode, headers: &HeaderMap) -> Option<Duration> {
    let is_busy = matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
        && !headers.contains_key("cf-mitigated");
    is_busy.then(|| retry_after(headers, Timestamp::now()).unwrap_or(DEFAULT_RETRY_WAIT))
}

/// Returns the time until the moment that `Retry-After` names, in seconds or as a date.
fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = rfc2822::parse(value).ok()?.timestamp();
    Some(Duration::try_from(now.duration_until(date)).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_both_forms() {
        let now: Timestamp = "1994-11-06T08:49:07Z".parse().unwrap();
        for (value, expected) in [
            ("120", Some(120)),
            (" 0 ", Some(0)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("soon", None),
            ("-5", None),
        ] {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_str(value).unwrap())]);
            assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs), "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    #[test]
    fn only_busy_servers_ask_for_a_wait() {
        let plain = HeaderMap::new();
        assert_eq!(asked_wait(StatusCode::SERVICE_UNAVAILABLE, &plain), Some(DEFAULT_RETRY_WAIT));
        assert_eq!(asked_wait(StatusCode::TOO_MANY_REQUESTS, &plain), Some(DEFAULT_RETRY_WAIT));
        assert_eq!(asked_wait(StatusCode::INTERNAL_SERVER_ERROR, &plain), None);
        assert_eq!(asked_wait(StatusCode::OK, &plain), None);
        let challenge = HeaderMap::from_iter([(
            HeaderName::from_static("cf-mitigated"),
            HeaderValue::from_static("challenge"),
        )]);
        assert_eq!(asked_wait(StatusCode::SERVICE_UNAVAILABLE, &challenge), None);
    }
}
