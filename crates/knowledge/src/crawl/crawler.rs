//! The crawler: it visits the pages of a frontier one by one.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use frontdesk_outbound::Outbound;
use url::Url;

use super::address::{self, normalize};
use super::bounds::CrawlBounds;
use super::failure::{Failure, NoResponse};
use super::fetch::Fetcher;
use super::frontier::{Frontier, FrontierError, Pending};
use super::hosts::Hosts;
use super::linked;
use super::missing::{self, Fingerprint, Probe};
use super::reason::Reason;
use super::response::{self, Format, Response};
use super::site::Site;
use super::sitemap::Sitemaps;
use super::trap::Traps;
use super::visit::{Found, PageOutcome, Validators, Visit};
use crate::extract::{Extracted, Obstacle};
use crate::page::Page;

/// A start address of a crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The address.
    pub url: Url,
    /// Where it redirects to, if it was visited before.
    pub final_url: Option<Url>,
}

impl From<Url> for Root {
    fn from(url: Url) -> Self {
        Self { url, final_url: None }
    }
}

/// How a crawl ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrawlEnd {
    /// Every page was visited.
    Finished,
    /// The limits were reached; the other pages are closed as over the limit.
    OverLimit,
    /// The frontier asked to stop; the other pages are still pending.
    Cancelled,
    /// The host of the next page asks for a pause, or the crawl has had its time for now. It continues when
    /// it is called again after this time.
    Waiting {
        /// Time until the next request is allowed; none if others are to have the worker in between.
        wait: Duration,
    },
}

/// Visits pages of the sites of some roots.
///
/// It remembers robots rules, redirects under way and which sitemaps were read. All of that can be learned
/// again, so a new crawler continues the work of one that was lost.
#[derive(Debug)]
pub struct Crawler {
    bounds: CrawlBounds,
    roots: Vec<Root>,
    site: Site,
    fetcher: Fetcher,
    traps: Traps,
    /// Files that were read so far.
    files: usize,
    /// What the hosts show for addresses that do not exist, by origin.
    probes: HashMap<String, Probe>,
    stage: Stage,
}

/// The steps of a crawl before it visits pages below the roots.
#[derive(Debug)]
enum Stage {
    /// The roots are to be added to the frontier.
    Roots,
    /// The sitemaps are to be read as soon as all roots have been visited.
    BeforeSitemaps,
    /// The sitemaps are being read, and so many of their pages were added.
    ReadingSitemaps(Sitemaps, usize),
    /// The roots and all pages of sitemaps were added.
    Pages,
}

impl Crawler {
    /// Creates a crawler for the sites that `roots` are on. `hosts` holds the pauses between requests; share
    /// it between the crawls of a process.
    pub fn new(
        outbound: Outbound,
        hosts: Hosts,
        roots: impl IntoIterator<Item = Root>,
        bounds: CrawlBounds,
    ) -> Self {
        let roots: Vec<Root> = roots
            .into_iter()
            .map(|root| Root { url: normalize(&root.url), final_url: root.final_url.as_ref().map(normalize) })
            .collect();
        let mut site = Site::of(roots.iter().map(|root| &root.url), bounds.confine_to_path)
            .with_subdomains(bounds.subdomains);
        for root in &roots {
            if let Some(final_url) = root.final_url.as_ref().filter(|final_url| **final_url != root.url) {
                site.adopt(&root.url, final_url);
            }
        }
        Self {
            fetcher: Fetcher::new(outbound, hosts, bounds.clone()),
            site,
            roots,
            traps: Traps::default(),
            files: 0,
            probes: HashMap::new(),
            stage: Stage::Roots,
            bounds,
        }
    }

    /// Creates a crawler for the pages that a sitemap lists and that are on its host. Links are not followed.
    /// Without [`CrawlBounds::sitemaps`] only pages that the frontier has already are visited.
    pub fn of_sitemap(outbound: Outbound, hosts: Hosts, sitemap: Url, bounds: CrawlBounds) -> Self {
        let bounds = CrawlBounds { max_depth: 1, confine_to_path: false, subdomains: false, ..bounds };
        Self {
            site: Site::of([&sitemap], false),
            stage: if bounds.sitemaps {
                Stage::ReadingSitemaps(Sitemaps::of_file(sitemap), 0)
            } else {
                Stage::Pages
            },
            ..Self::new(outbound, hosts, [], bounds)
        }
    }

    /// Crawls until the frontier is empty, the limits are reached, the frontier asks to stop, a host asks for
    /// a long pause, or the [slice](CrawlBounds::slice) of time is over. Call it again to continue after a
    /// pause.
    pub async fn crawl(&mut self, frontier: &mut impl Frontier) -> Result<CrawlEnd, FrontierError> {
        let began = Instant::now();
        loop {
            if frontier.is_cancelled().await? {
                return Ok(CrawlEnd::Cancelled);
            }
            if matches!(self.stage, Stage::Roots) {
                let roots: Vec<Found> =
                    self.roots.iter().map(|root| Found { url: root.url.clone(), depth: 0 }).collect();
                frontier.add(&roots).await?;
                self.stage = Stage::BeforeSitemaps;
            }
            let pending = frontier.next().await?;
            let progress = frontier.progress().await?;
            if progress.ready >= self.bounds.max_pages || progress.visited >= self.bounds.max_visits {
                if pending.is_none() {
                    return Ok(CrawlEnd::Finished);
                }
                frontier.close_pending(Reason::OverLimit).await?;
                return Ok(CrawlEnd::OverLimit);
            }
            let result = match pending {
                Some(pending) if pending.depth == 0 => self.finish_next(pending, frontier).await,
                pending => match self.next_sitemap().await {
                    Ok(Some(pages)) => frontier.add(&pages).await.map(Ok),
                    Ok(None) => match pending {
                        Some(pending) => self.finish_next(pending, frontier).await,
                        None => return Ok(CrawlEnd::Finished),
                    },
                    Err(wait) => Ok(Err(wait)),
                },
            };
            match result? {
                Ok(()) if began.elapsed() >= self.bounds.slice => {
                    return Ok(CrawlEnd::Waiting { wait: Duration::ZERO });
                }
                Ok(()) => {}
                Err(wait) if wait > self.bounds.max_sleep => return Ok(CrawlEnd::Waiting { wait }),
                Err(wait) => tokio::time::sleep(wait).await,
            }
        }
    }

    /// Visits a pending page and stores the outcome, or returns how long its host asks to wait.
    async fn finish_next(
        &mut self,
        pending: Pending,
        frontier: &mut impl Frontier,
    ) -> Result<Result<(), Duration>, FrontierError> {
        let mut visit = match self.try_visit(&pending.url, pending.depth, pending.validators.as_ref()).await {
            Ok(visit) => visit,
            Err(wait) => return Ok(Err(wait)),
        };
        if let PageOutcome::Ready(page) = &visit.outcome {
            if !self.bounds.paths.admit(&pending.url) {
                visit.outcome =
                    PageOutcome::without_content(Reason::Excluded, "a path pattern leaves it out");
            } else if pending.known_hash.as_ref() == Some(&page.content_hash) {
                visit.outcome = PageOutcome::without_content(
                    Reason::Unchanged,
                    "the content is the same as at the last visit",
                );
            } else if let Some(other) = frontier.page_with_content(&page.content_hash, pending.id).await? {
                visit.outcome =
                    PageOutcome::without_content(Reason::Duplicate, format!("{other} has the same content"));
            }
        }
        tracing::debug!(url = %visit.url, reason = ?visit.outcome.reason(), links = visit.links.len(), "page visited");
        frontier.finish(pending.id, &visit).await?;
        Ok(Ok(()))
    }

    /// Reads the next sitemap file and returns the pages to add, or `None` if all have been read. Fails with
    /// the time to wait if a host asks for a pause.
    async fn next_sitemap(&mut self) -> Result<Option<Vec<Found>>, Duration> {
        if matches!(self.stage, Stage::BeforeSitemaps) {
            let is_wanted = self.bounds.sitemaps && self.bounds.max_depth > 0;
            self.stage = if is_wanted {
                Stage::ReadingSitemaps(Sitemaps::of(self.site.homes()), 0)
            } else {
                Stage::Pages
            };
        }
        let Stage::ReadingSitemaps(mut sitemaps, added) = std::mem::replace(&mut self.stage, Stage::Pages)
        else {
            return Ok(None);
        };
        let listed = sitemaps.next(&mut self.fetcher).await;
        let mut found = Vec::new();
        if let Ok(Some(listed)) = &listed {
            let left = self.bounds.max_visits.saturating_sub(added);
            found.extend(listed.iter().filter_map(|url| self.admit(&normalize(url), 1)).take(left));
        }
        let added = added + found.len();
        if !matches!(listed, Ok(None)) && added < self.bounds.max_visits {
            self.stage = Stage::ReadingSitemaps(sitemaps, added);
        }
        listed.map(|listed| listed.map(|_| found))
    }

    /// Visits one page. Never fails: an error is the outcome. Sleeps as long as the host asks, up to the
    /// limits.
    pub async fn visit(&mut self, url: &Url, depth: u32) -> Visit {
        loop {
            match self.try_visit(url, depth, None).await {
                Ok(visit) => return visit,
                Err(wait) => tokio::time::sleep(wait).await,
            }
        }
    }

    /// Visits one page, or returns how long its host asks to wait.
    async fn try_visit(
        &mut self,
        url: &Url,
        depth: u32,
        known: Option<&Validators>,
    ) -> Result<Visit, Duration> {
        let is_root = self.roots.iter().any(|root| root.url == *url);
        let fetched = if !is_root && !self.bounds.paths.admit(url) {
            // The patterns may have changed since the page was found.
            Err(Failure::new(Reason::Excluded, "a path pattern leaves it out").into())
        } else if address::is_other_file(url) {
            Err(Failure::new(Reason::NotHtml, "files of this kind are not downloaded").into())
        } else if let Some(failure) = self.file_left_out(url) {
            Err(failure.into())
        } else {
            self.fetcher.page(url, &self.site, is_root, known).await
        };
        match fetched {
            Ok(response) => Ok(self.read(url, depth, response, known.is_some()).await),
            Err(NoResponse::Later(wait)) => Err(wait),
            Err(NoResponse::Failed(failure)) => Ok(Visit {
                url: url.clone(),
                final_url: failure.url.unwrap_or_else(|| url.clone()),
                depth,
                http_status: failure.http_status,
                outcome: PageOutcome::without_content(failure.reason, failure.detail),
                links: Vec::new(),
                validators: None,
            }),
        }
    }

    async fn read(&mut self, url: &Url, depth: u32, response: Response, is_conditional: bool) -> Visit {
        let final_url = normalize(&response.url);
        self.adopt(url, &final_url);
        let status = response.status;
        let mut visit = Visit {
            url: url.clone(),
            final_url: final_url.clone(),
            depth,
            http_status: Some(status.as_u16()),
            outcome: PageOutcome::without_content(
                Reason::HttpError,
                format!("the server responded with {status}"),
            ),
            links: Vec::new(),
            validators: None,
        };
        if is_conditional && status.as_u16() == 304 {
            visit.outcome =
                PageOutcome::without_content(Reason::Unchanged, "the server says that nothing has changed");
            return visit;
        }
        if matches!(status.as_u16(), 401 | 407) {
            visit.outcome = PageOutcome::without_content(
                Reason::LoginRequired,
                format!("the server responded with {status}"),
            );
            return visit;
        }
        let Some(format) = Format::of(&response) else {
            if status.is_success()
                && let Some(extension) = linked::extension(&response)
            {
                self.read_file(&mut visit, &response, extension).await;
            } else if status.is_success() {
                let content_type = response.header("content-type").unwrap_or("missing");
                visit.outcome = PageOutcome::without_content(
                    Reason::NotHtml,
                    format!("the content type is {content_type}"),
                );
            }
            return visit;
        };
        let validators = response.validators();
        let is_marked_challenge = response.is_marked_challenge();
        let asked = response.directives(&self.bounds.agent);
        let agent = self.bounds.agent.clone();
        let parsed_url = final_url.clone();
        let extracted =
            tokio::task::spawn_blocking(move || format.extract(&response, &parsed_url, &agent)).await;
        let Ok(extracted) = extracted else {
            tracing::error!(url = %final_url, "extraction of a page panicked");
            visit.outcome = PageOutcome::without_content(Reason::EmptyContent, "extraction failed");
            return visit;
        };
        if is_marked_challenge || extracted.obstacle == Some(Obstacle::BotChallenge) {
            visit.outcome = PageOutcome::without_content(Reason::BotChallenge, "the page is a bot challenge");
            return visit;
        }
        if !status.is_success() {
            return visit;
        }
        let directives = extracted.directives.or(asked);
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
        visit.validators = Some(validators);
        visit.outcome = response::outcome(final_url, extracted);
        if let PageOutcome::Ready(page) = &visit.outcome
            && missing::is_suspicious(page)
            && missing::is_missing(page, &self.probe(&visit.final_url).await)
        {
            visit.outcome =
                PageOutcome::without_content(Reason::NotFound, "the page says that it does not exist");
            visit.validators = None;
        }
        visit
    }

    /// Returns why a linked file is not fetched; `None` if it is, or if the address is not that of a file.
    fn file_left_out(&self, url: &Url) -> Option<Failure> {
        address::file_extension(url)?;
        match &self.bounds.files {
            None => Some(Failure::new(Reason::Excluded, "linked files are not read")),
            Some(files) if self.files >= files.max_files => {
                let detail = format!("the crawl has read {} files", files.max_files);
                Some(Failure::new(Reason::OverLimit, detail))
            }
            Some(_) => None,
        }
    }

    /// Reads a response that is a file into a visit.
    async fn read_file(&mut self, visit: &mut Visit, response: &Response, extension: &str) {
        let left_out = |reason, detail: &str| PageOutcome::without_content(reason, detail);
        let Some(files) = self.bounds.files.clone() else {
            visit.outcome = left_out(Reason::Excluded, "linked files are not read");
            return;
        };
        if self.files >= files.max_files {
            visit.outcome = left_out(Reason::OverLimit, "the crawl has read as many files as it may");
            return;
        }
        if response.directives(&self.bounds.agent).noindex {
            visit.outcome = left_out(Reason::Noindex, "the server asks not to index the file");
            return;
        }
        self.files += 1;
        visit.outcome = files.outcome(visit.final_url.clone(), response, extension).await;
        visit.validators = Some(response.validators());
    }

    /// Returns what the host of a page shows for a random address beside it, and asks each host only once.
    async fn probe(&mut self, page: &Url) -> Probe {
        /// Longest pause that the host may ask for.
        const MAX_WAIT: Duration = Duration::from_secs(5);
        let origin = page.origin().ascii_serialization();
        if let Some(probe) = self.probes.get(&origin) {
            return probe.clone();
        }
        let Ok(address) = page.join(&uuid::Uuid::new_v4().simple().to_string()) else { return Probe::Honest };
        let fetched = loop {
            match self.fetcher.page(&address, &self.site, false, None).await {
                Err(NoResponse::Later(wait)) if wait <= MAX_WAIT => tokio::time::sleep(wait).await,
                fetched => break fetched,
            }
        };
        let probe = match fetched {
            Ok(response) if response.status.is_success() => {
                let agent = self.bounds.agent.clone();
                let read = tokio::task::spawn_blocking(move || {
                    let format = Format::of(&response)?;
                    let extracted = format.extract(&response, &response.url, &agent);
                    Some(Fingerprint::of(&Page::new(response.url.clone(), extracted)))
                });
                read.await.ok().flatten().map_or(Probe::Honest, Probe::Page)
            }
            _ => Probe::Honest,
        };
        self.probes.insert(origin, probe.clone());
        probe
    }

    /// Extends the site by the address that a root redirects to: the owner of `acme.example` who has moved to
    /// `acme.shop` means the shop.
    fn adopt(&mut self, url: &Url, final_url: &Url) {
        if url == final_url {
            return;
        }
        if let Some(root) = self.roots.iter_mut().find(|root| root.url == *url) {
            root.final_url = Some(final_url.clone());
            self.site.adopt(url, final_url);
        }
    }

    fn links(&mut self, extracted: &Extracted, depth: u32) -> Vec<Found> {
        // A page that only refreshes to another one does not count as a step.
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

    /// Returns a page of the site in the site's own spelling, unless it is a trap or was visited by way of a
    /// root.
    fn admit(&mut self, url: &Url, depth: u32) -> Option<Found> {
        let url = self.site.align(url)?;
        let is_read = self.roots.iter().any(|root| root.url != url && root.final_url.as_ref() == Some(&url));
        let is_admitted = !is_read
            && !address::is_asset(&url)
            && self.bounds.paths.admit(&url)
            && self.traps.admits(&url, &self.bounds);
        is_admitted.then_some(Found { url, depth })
    }

    /// Returns the address of the original that a page is a copy of, if the page names one credibly.
    async fn canonical_elsewhere(&mut self, extracted: &Extracted, final_url: &Url) -> Option<Url> {
        let canonical = self.site.align(&normalize(extracted.canonical.as_ref()?))?;
        let own = self.site.align(final_url)?;
        // Templates that name the home page as the original of every page are mistakes, not copies.
        let is_home = matches!(canonical.path(), "/" | "") && canonical.query().is_none();
        if address::is_same_page(&canonical, &own) || is_home {
            return None;
        }
        self.fetcher.is_allowed(&canonical).await.then_some(canonical)
    }
}
