//! How far and how fast a crawl may go.

use std::time::Duration;

/// The bounds of one crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlBounds {
    /// Most pages with content.
    pub max_pages: usize,
    /// Most visits, those without content included. Bounds the work on a site that is all doubles and errors.
    pub max_visits: usize,
    /// Most links between a root and a page; 0 visits the roots only.
    pub max_depth: u32,
    /// Whether the pages that sitemaps list are visited too.
    pub sitemaps: bool,
    /// Least time between two requests to one host. A longer `Crawl-delay` in robots.txt is honoured up to ten seconds.
    pub delay: Duration,
    /// Time for one page, redirects included.
    pub page_time: Duration,
    /// Time to open a connection.
    pub connect_time: Duration,
    /// Largest page in bytes, after decompression.
    pub max_page_bytes: u64,
    /// Most redirects followed for one page.
    pub max_redirects: usize,
    /// Longest address in bytes.
    pub max_url_bytes: usize,
    /// Most different queries visited of one path. Bounds filters and sort orders that multiply each other.
    pub max_query_variants: usize,
    /// Longest wait that a server may ask for by `Retry-After` before it is asked once more.
    pub max_retry_wait: Duration,
    /// The product token that robots.txt and robots directives address.
    pub agent: String,
}

impl Default for CrawlBounds {
    fn default() -> Self {
        Self {
            max_pages: 200,
            max_visits: 1_000,
            max_depth: 8,
            sitemaps: true,
            delay: Duration::from_millis(200),
            page_time: Duration::from_secs(20),
            connect_time: Duration::from_secs(10),
            max_page_bytes: 5_000_000,
            max_redirects: 5,
            max_url_bytes: 2_000,
            max_query_variants: 50,
            max_retry_wait: Duration::from_secs(30),
            agent: "frontdesk".to_owned(),
        }
    }
}
