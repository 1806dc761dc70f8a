//! Getting one page: robots rules, pauses, redirects step by step, and one patient second try.

use std::collections::HashSet;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_outbound::{Limits, Outbound, OutboundError};
use http::header::{ACCEPT, LOCATION, RETRY_AFTER};
use http::{HeaderMap, HeaderValue, StatusCode};
use tokio::time::Instant;
use url::Url;

use super::{Crawler, Reason, normalize};

/// Wait before a second try when a busy server does not name one.
const DEFAULT_RETRY_WAIT: Duration = Duration::from_secs(2);

/// An answer that is no redirect.
#[derive(Debug, Clone)]
pub(super) struct Arrival {
    pub(super) url: Url,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Why no answer could be had.
#[derive(Debug, Clone)]
pub(super) struct Miss {
    pub(super) reason: Reason,
    pub(super) detail: String,
    pub(super) url: Option<Url>,
    pub(super) http_status: Option<u16>,
}

impl Miss {
    pub(super) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), url: None, http_status: None }
    }

    fn at(mut self, url: &Url, status: Option<StatusCode>) -> Self {
        self.url = Some(url.clone());
        self.http_status = status.map(|status| status.as_u16());
        self
    }
}

impl From<OutboundError> for Miss {
    fn from(error: OutboundError) -> Self {
        Self::new(reason_of(&error), error.to_string())
    }
}

/// The reason of the crawl report for a failed request.
pub(super) fn reason_of(error: &OutboundError) -> Reason {
    match error.code() {
        "blocked_address" | "blocked_port" | "bad_url" => Reason::BlockedAddress,
        "dns" => Reason::DnsError,
        "connect" => Reason::ConnectionFailed,
        "tls" => Reason::TlsError,
        "timeout" => Reason::Timeout,
        "too_large" => Reason::TooLarge,
        "too_many_redirects" | "redirect_loop" => Reason::RedirectLoop,
        _ => Reason::HttpError,
    }
}

impl Crawler {
    /// Fetches a page. Redirects are taken one by one, because each step must stay on the site (unless
    /// `may_leave`, for a root) and be allowed by the robots rules of its own host.
    pub(super) async fn fetch(&mut self, url: &Url, may_leave: bool) -> Result<Arrival, Miss> {
        let deadline = Instant::now() + self.bounds.page_time;
        let mut url = url.clone();
        let mut visited = HashSet::new();
        let mut status = None;
        loop {
            if !visited.insert(url.clone()) || visited.len() > self.bounds.max_redirects + 1 {
                return Err(Miss::new(Reason::RedirectLoop, "the page redirects in a circle or too often")
                    .at(&url, status));
            }
            if !may_leave && !self.site.contains(&url) {
                let detail =
                    format!("the page redirects to another site, {}", url.host_str().unwrap_or_default());
                return Err(Miss::new(Reason::CanonicalElsewhere, detail).at(&url, status));
            }
            let answer = self.ask(&url, deadline).await.map_err(|miss| miss.at(&url, status))?;
            if !matches!(answer.status.as_u16(), 301 | 302 | 303 | 307 | 308) {
                return Ok(answer);
            }
            status = Some(answer.status);
            let target =
                answer.headers.get(LOCATION).and_then(|value| std::str::from_utf8(value.as_bytes()).ok());
            let next = target
                .and_then(|target| url.join(target).ok())
                .filter(|next| matches!(next.scheme(), "http" | "https"));
            let Some(mut next) = next else {
                return Err(Miss::new(
                    Reason::HttpError,
                    "the page redirects to an address that cannot be read",
                )
                .at(&url, status));
            };
            next.set_fragment(None);
            url = next;
        }
    }

    /// One request, and a second one if the server asks to come back shortly.
    async fn ask(&mut self, url: &Url, deadline: Instant) -> Result<Arrival, Miss> {
        let first = self.request(url, deadline).await?;
        if !matches!(first.status.as_u16(), 429 | 503) || is_challenge(&first.headers) {
            return Ok(first);
        }
        let wait = retry_after(&first.headers).unwrap_or(DEFAULT_RETRY_WAIT);
        if wait > self.bounds.max_retry_wait {
            return Ok(first);
        }
        tokio::time::sleep(wait).await;
        self.request(url, Instant::now() + self.bounds.page_time).await
    }

    async fn request(&mut self, url: &Url, deadline: Instant) -> Result<Arrival, Miss> {
        let robots = self.robots.get(url, &self.outbound, &self.bounds).await;
        if let Some((reason, detail)) = robots.refusal(url) {
            return Err(Miss::new(reason, detail));
        }
        self.politeness.wait(url, robots.crawl_delay()).await;
        let limits = Limits {
            // The pause before a request is ours, not the server's.
            total: deadline.saturating_duration_since(Instant::now()).max(self.bounds.page_time / 4),
            connect: self.bounds.connect_time,
            max_bytes: self.bounds.max_page_bytes,
            max_redirects: 0,
        };
        let accept = HeaderValue::from_static(
            "text/html,application/xhtml+xml,text/plain;q=0.9,text/markdown;q=0.9,*/*;q=0.1",
        );
        let answer = self.outbound.get(url, &[(ACCEPT, accept)], &limits).await?;
        Ok(Arrival { url: url.clone(), status: answer.status, headers: answer.headers, body: answer.body })
    }

    /// Whether robots rules let a page be read.
    pub(super) async fn is_allowed(&mut self, url: &Url) -> bool {
        self.robots.get(url, &self.outbound, &self.bounds).await.refusal(url).is_none()
    }

    /// The pages listed by the sitemaps of the sites that `homes` lie on.
    pub(super) async fn sitemap_pages(&mut self, homes: &[Url]) -> Vec<Url> {
        let mut seen = HashSet::new();
        let mut pages = Vec::new();
        for home in homes {
            if !seen.insert(home.origin().ascii_serialization()) {
                continue;
            }
            let robots = self.robots.get(home, &self.outbound, &self.bounds).await;
            if robots.refusal(home).is_some() && robots.sitemaps().is_empty() {
                continue;
            }
            let named: Vec<Url> =
                robots.sitemaps().iter().filter_map(|address| home.join(address.trim()).ok()).collect();
            pages.extend(super::sitemap::pages(&self.outbound, home, named, &self.bounds).await);
        }
        pages.iter().map(normalize).collect()
    }
}

fn is_challenge(headers: &HeaderMap) -> bool {
    headers.contains_key("cf-mitigated")
}

/// The wait that a busy server asks for, where it is given in seconds.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

/// Fetches a file that is no page, following redirects wherever they lead.
pub(super) async fn file(
    outbound: &Outbound,
    url: &Url,
    bounds: &super::CrawlBounds,
    max_bytes: u64,
) -> Result<Bytes, Miss> {
    let limits = Limits {
        total: bounds.page_time,
        connect: bounds.connect_time,
        max_bytes,
        max_redirects: bounds.max_redirects,
    };
    let answer = outbound.get(url, &[], &limits).await?;
    if !answer.status.is_success() {
        return Err(Miss::new(Reason::HttpError, format!("the server answered {}", answer.status)));
    }
    Ok(answer.body)
}
