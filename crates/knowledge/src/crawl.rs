//! Crawling a site: which pages to visit, in bounds and with manners, and what each visit found.
//!
//! The crawl is a sequence of small resumable steps. [`Crawler::seeds`] names the first pages, [`Crawler::visit`]
//! looks at one page and names the pages it links to, and a [`Frontier`] remembers both durably. [`Crawler::crawl`]
//! drives the steps; after a crash it goes on where the frontier stands.

mod address;
mod bounds;
mod fetch;
mod frontier;
mod politeness;
mod reason;
mod robots;
mod sitemap;
mod trap;

use std::collections::HashSet;

use frontdesk_outbound::Outbound;
use http::HeaderMap;
use url::Url;

use crate::extract::{self, Extracted, Obstacle};
use crate::page::Page;
use address::Site;
use fetch::{Arrival, Miss};
use politeness::Politeness;
use robots::RobotsCache;
use trap::Traps;

pub use address::normalize;
pub use bounds::CrawlBounds;
pub use frontier::{CrawlEnd, Found, Frontier, FrontierError, Pending, Progress};
pub use reason::Reason;

/// What a visit found at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The address that was visited.
    pub url: Url,
    /// The address that answered, after redirects; `url` itself when nothing did.
    pub final_url: Url,
    /// Links from a root to this page.
    pub depth: u32,
    /// Status of the last answer.
    pub http_status: Option<u16>,
    /// The page, or why there is none.
    pub outcome: PageOutcome,
    /// Pages of the same site to visit next, normalised and within bounds.
    pub links: Vec<Found>,
}

/// The result of a visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageOutcome {
    /// The page has content.
    Ready(Box<Page>),
    /// There is nothing to learn here, or nothing that may be learned.
    Skipped {
        /// Why.
        reason: Reason,
        /// The particulars, for the owner of the site.
        detail: String,
    },
    /// The page could not be read; another visit may succeed.
    Failed {
        /// Why.
        reason: Reason,
        /// The particulars, for the owner of the site.
        detail: String,
    },
}

impl PageOutcome {
    /// The outcome of a page that gave no content, sorted by its reason.
    pub fn without_content(reason: Reason, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        if reason.is_failure() { Self::Failed { reason, detail } } else { Self::Skipped { reason, detail } }
    }

    /// Why there is no content; `None` for a page that is ready.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Ready(_) => None,
            Self::Skipped { reason, .. } | Self::Failed { reason, .. } => Some(*reason),
        }
    }
}

/// Visits pages of the sites of some roots, remembering their robots rules and when they were last asked.
///
/// Everything it remembers can be learned again, so a new crawler continues the work of a lost one.
#[derive(Debug)]
pub struct Crawler {
    outbound: Outbound,
    bounds: CrawlBounds,
    site: Site,
    robots: RobotsCache,
    politeness: Politeness,
    traps: Traps,
    /// The answers of roots that were fetched to learn their final addresses.
    probed: Vec<(Url, Result<Arrival, Miss>)>,
}

impl Crawler {
    /// A crawler for the sites that `roots` lie on.
    pub fn new(outbound: Outbound, roots: &[Url], bounds: CrawlBounds) -> Self {
        Self {
            site: Site::of(roots),
            robots: RobotsCache::default(),
            politeness: Politeness::new(bounds.delay),
            traps: Traps::default(),
            probed: Vec::new(),
            outbound,
            bounds,
        }
    }

    /// The pages to begin with: the roots, and the pages that the sitemaps of their sites list.
    ///
    /// A root that redirects to another host takes its site along: the owner of `acme.example` who has moved to
    /// `acme.shop` means the shop. Call this for a resumed crawl too; pages known already are found again.
    pub async fn seeds(&mut self, roots: &[Url]) -> Vec<Found> {
        self.probed.clear();
        let mut seeds = Vec::new();
        for root in roots {
            let root = self.settle(&normalize(root)).await;
            seeds.push(Found { url: root, depth: 0 });
        }
        if self.bounds.sitemaps && self.bounds.max_depth > 0 {
            let homes: Vec<Url> = seeds.iter().map(|seed| seed.url.clone()).collect();
            for url in self.sitemap_pages(&homes).await {
                seeds.extend(self.admit(&url, 1));
            }
        }
        let mut seen = HashSet::new();
        seeds.retain(|seed| seen.insert(seed.url.clone()));
        seeds
    }

    /// Follows a root's redirects, and takes the host they lead to into the site.
    async fn settle(&mut self, root: &Url) -> Url {
        let arrived = self.fetch(root, true).await;
        let settled = match &arrived {
            Ok(arrival) => {
                let settled = normalize(&arrival.url);
                self.site.adopt(root, &settled);
                settled
            }
            Err(_) => root.clone(),
        };
        self.probed.push((settled.clone(), arrived));
        settled
    }

    /// Looks at one page. Never fails: what goes wrong is the outcome.
    pub async fn visit(&mut self, url: &Url, depth: u32) -> Visit {
        let probed = self.probed.iter().position(|(probed, _)| probed == url);
        let arrived = match probed.map(|index| self.probed.swap_remove(index)) {
            Some((_, arrived)) => arrived,
            None if address::is_document(url) => {
                Err(Miss::new(Reason::NotHtml, "only web pages and text files are crawled"))
            }
            None => self.fetch(url, false).await,
        };
        match arrived {
            Ok(arrival) => self.read(url, depth, arrival).await,
            Err(miss) => Visit {
                url: url.clone(),
                final_url: miss.url.unwrap_or_else(|| url.clone()),
                depth,
                http_status: miss.http_status,
                outcome: PageOutcome::without_content(miss.reason, miss.detail),
                links: Vec::new(),
            },
        }
    }

    async fn read(&mut self, url: &Url, depth: u32, arrival: Arrival) -> Visit {
        let final_url = normalize(&arrival.url);
        let status = arrival.status;
        let mut visit = Visit {
            url: url.clone(),
            final_url: final_url.clone(),
            depth,
            http_status: Some(status.as_u16()),
            outcome: PageOutcome::without_content(Reason::HttpError, format!("the server answered {status}")),
            links: Vec::new(),
        };
        if matches!(status.as_u16(), 401 | 407) {
            visit.outcome =
                PageOutcome::without_content(Reason::LoginRequired, format!("the server answered {status}"));
            return visit;
        }
        let Some(form) = Form::of(&arrival) else {
            if status.is_success() {
                let content_type = header(&arrival.headers, "content-type").unwrap_or("of an unknown type");
                visit.outcome =
                    PageOutcome::without_content(Reason::NotHtml, format!("the answer is {content_type}"));
            }
            return visit;
        };
        let mitigated =
            header(&arrival.headers, "cf-mitigated").is_some_and(|value| value.contains("challenge"));
        let headers = arrival.headers.clone();
        let agent = self.bounds.agent.clone();
        let parsed_url = final_url.clone();
        let extracted =
            tokio::task::spawn_blocking(move || form.extract(&arrival, &parsed_url, &agent)).await;
        let Ok(extracted) = extracted else {
            tracing::error!(url = %final_url, "extraction of a page panicked");
            visit.outcome = PageOutcome::without_content(Reason::EmptyContent, "the page could not be read");
            return visit;
        };
        if mitigated || extracted.obstacle == Some(Obstacle::BotChallenge) {
            visit.outcome = PageOutcome::without_content(
                Reason::BotChallenge,
                "the site asks for proof of being a person; allow the crawler in its bot protection",
            );
            return visit;
        }
        if !status.is_success() {
            return visit;
        }
        let mut directives = extracted.directives;
        for value in headers.get_all("x-robots-tag").iter().filter_map(|value| value.to_str().ok()) {
            directives.read(value, &self.bounds.agent);
        }
        if !directives.nofollow {
            visit.links = self.links(&extracted, depth);
        }
        if directives.noindex {
            visit.outcome = PageOutcome::without_content(Reason::Noindex, "the page asks not to be indexed");
            return visit;
        }
        if let Some(canonical) = self.canonical_elsewhere(&extracted, &final_url).await {
            visit.outcome = PageOutcome::without_content(
                Reason::CanonicalElsewhere,
                format!("the page names {canonical} as its original"),
            );
            visit.links.extend(self.admit(&canonical, depth));
            return visit;
        }
        visit.outcome = outcome(final_url, extracted);
        visit
    }

    fn links(&mut self, extracted: &Extracted, depth: u32) -> Vec<Found> {
        // A page that only sends on is no step away from a root.
        let refresh: Vec<Found> =
            extracted.refresh.iter().filter_map(|url| self.admit(&normalize(url), depth)).collect();
        let next = depth + 1;
        if next > self.bounds.max_depth {
            return refresh;
        }
        let mut seen = HashSet::new();
        let links: Vec<Found> =
            extracted.links.iter().filter_map(|url| self.admit(&normalize(url), next)).collect();
        refresh.into_iter().chain(links).filter(|found| seen.insert(found.url.clone())).collect()
    }

    /// A page of the site in the site's own spelling, if it is one and no trap.
    fn admit(&mut self, url: &Url, depth: u32) -> Option<Found> {
        let url = self.site.align(url)?;
        let admitted = !address::is_asset(&url) && self.traps.admits(&url, &self.bounds);
        admitted.then_some(Found { url, depth })
    }

    /// The address of the original that a page is a copy of, if the page says so credibly.
    async fn canonical_elsewhere(&mut self, extracted: &Extracted, final_url: &Url) -> Option<Url> {
        let canonical = self.site.align(&normalize(extracted.canonical.as_ref()?))?;
        let own = self.site.align(final_url)?;
        // Templates that name the home page as the original of every page are mistakes, not copies.
        let is_home = matches!(canonical.path(), "/" | "") && canonical.query().is_none();
        if address::is_same_page(&canonical, &own) || is_home {
            return None;
        }
        self.is_allowed(&canonical).await.then_some(canonical)
    }
}

/// The kinds of answer that hold text.
#[derive(Debug, Clone, Copy)]
enum Form {
    Html,
    Text,
}

impl Form {
    fn of(arrival: &Arrival) -> Option<Self> {
        let content_type = header(&arrival.headers, "content-type").unwrap_or_default().to_ascii_lowercase();
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        let start = arrival.body.trim_ascii_start();
        let is_binary = arrival.body.iter().take(1_000).any(|byte| *byte == 0)
            && !arrival.body.starts_with(&[0xff, 0xfe])
            && !arrival.body.starts_with(&[0xfe, 0xff]);
        let starts_html =
            start.starts_with(b"<!") || start.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<html"));
        let ending = arrival.url.path().rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        match essence {
            _ if is_binary || start.starts_with(b"%PDF-") => None,
            "text/html" | "application/xhtml+xml" => Some(Self::Html),
            "text/plain" | "" if starts_html => Some(Self::Html),
            "text/plain" | "text/markdown" | "text/x-markdown" | "" => Some(Self::Text),
            "application/octet-stream" if matches!(ending.as_str(), "txt" | "md") => Some(Self::Text),
            _ => None,
        }
    }

    fn extract(self, arrival: &Arrival, url: &Url, agent: &str) -> Extracted {
        let content_type = header(&arrival.headers, "content-type");
        match self {
            Self::Html => extract::extract_html(&arrival.body, content_type, url, agent),
            Self::Text => extract::extract_text(&arrival.body, content_type, url),
        }
    }
}

fn outcome(final_url: Url, extracted: Extracted) -> PageOutcome {
    match extracted.obstacle {
        Some(Obstacle::LoginRequired) => {
            return PageOutcome::without_content(Reason::LoginRequired, "the page asks to sign in");
        }
        Some(Obstacle::NeedsJavascript) => {
            return PageOutcome::without_content(
                Reason::NeedsJavascript,
                "the page is built by scripts in the browser; offer its text in the HTML or add it as a text snippet",
            );
        }
        Some(Obstacle::BotChallenge) | None => {}
    }
    if let Some(target) = &extracted.refresh {
        return PageOutcome::without_content(
            Reason::CanonicalElsewhere,
            format!("the page sends visitors on to {target}"),
        );
    }
    let page = Page::new(final_url, extracted);
    if page.has_text() {
        PageOutcome::Ready(Box::new(page))
    } else {
        PageOutcome::without_content(Reason::EmptyContent, "the page has no text besides menus and headings")
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
