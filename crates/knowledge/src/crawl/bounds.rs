//! Limits on the extent and the pace of a crawl.

use std::time::Duration;

use super::linked::LinkedFiles;
use super::paths::PathRules;

/// The limits of one crawl.
#[derive(Debug, Clone)]
pub struct CrawlBounds {
    /// Most pages with content.
    pub max_pages: usize,
    /// Most visits, including those without content. Limits the work on a site of duplicates and errors.
    pub max_visits: usize,
    /// Most links between a root and a page; 0 visits the roots only.
    pub max_depth: u32,
    /// Whether a root with a path confines the crawl to that path: from `https://acme.example/shop/`, only
    /// pages below `/shop/` are visited. A root that is a file, such as `/shop/index.html`, means its folder.
    pub confine_to_path: bool,
    /// Whether links to subdomains of a root's host are followed.
    pub subdomains: bool,
    /// The paths that the owner includes or excludes. A root that they leave out is visited for its links
    /// only.
    pub paths: PathRules,
    /// Whether the pages that sitemaps list are visited too.
    pub sitemaps: bool,
    /// Least time between two requests to one host. A longer `Crawl-delay` in robots.txt is honored.
    pub delay: Duration,
    /// Longest `Crawl-delay` that is waited for. The pages of a site that asks for more are reported instead.
    pub max_crawl_delay: Duration,
    /// Longest `Retry-After` that is waited for. A page whose server asks for more is reported instead.
    pub max_retry_wait: Duration,
    /// Longest pause that the crawl sleeps through. For longer ones it ends with [`CrawlEnd::Waiting`].
    ///
    /// [`CrawlEnd::Waiting`]: crate::CrawlEnd::Waiting
    pub max_sleep: Duration,
    /// Time after which it ends with [`CrawlEnd::Waiting`] for a moment, so that others get the worker. A
    /// page that was begun is finished.
    ///
    /// [`CrawlEnd::Waiting`]: crate::CrawlEnd::Waiting
    pub slice: Duration,
    /// Time for one page, including redirects and without pauses.
    pub page_time: Duration,
    /// Time to open a connection.
    pub connect_time: Duration,
    /// Largest page in bytes, after decompression.
    pub max_page_bytes: u64,
    /// How linked files are read; `None` leaves them out.
    pub files: Option<LinkedFiles>,
    /// Most redirects followed for one page.
    pub max_redirects: usize,
    /// Longest address in bytes.
    pub max_url_bytes: usize,
    /// Most different queries visited of one path. Limits filters and sort orders that multiply each other.
    pub max_query_variants: usize,
    /// The product token that robots.txt and robots directives address.
    pub agent: String,
}

impl Default for CrawlBounds {
    fn default() -> Self {
        Self {
            max_pages: 200,
            max_visits: 1_000,
            max_depth: 8,
            confine_to_path: true,
            subdomains: false,
            paths: PathRules::default(),
            sitemaps: true,
            delay: Duration::from_millis(200),
            max_crawl_delay: Duration::from_mins(1),
            max_retry_wait: Duration::from_mins(2),
            max_sleep: Duration::from_secs(1),
            slice: Duration::MAX,
            page_time: Duration::from_secs(20),
            connect_time: Duration::from_secs(10),
            max_page_bytes: 5_000_000,
            files: None,
            max_redirects: 5,
            max_url_bytes: 2_000,
            max_query_variants: 50,
            agent: "frontdesk".to_owned(),
        }
    }
}
