//! Crawling a site: which pages to visit, within bounds and politely, and what each visit found.
//!
//! A crawl is a sequence of small steps, and a [`Frontier`] remembers its pages durably. [`Crawler::crawl`]
//! runs the steps in this order:
//!
//! 1. The roots (start addresses) are visited, and with them the links of the start page and its navigation
//!    are known.
//! 2. The sitemaps of the site are read. Their pages come after the links of the start page.
//! 3. The other pages are visited, those with the fewest links between them and a root first.
//!
//! If a host asks for a longer pause than the crawl should sleep through, [`Crawler::crawl`] returns
//! [`CrawlEnd::Waiting`]; the same crawler, or after a crash a new one, continues with the first page that is
//! not finished. [`Hosts`] holds the pauses of all crawls of a process together.

mod address;
mod bounds;
mod crawler;
mod failure;
mod fetch;
mod frontier;
mod hosts;
mod linked;
mod missing;
mod paths;
mod reason;
mod response;
mod robots;
mod site;
mod sitemap;
mod sitemap_file;
mod trap;
mod visit;

pub use address::normalize;
pub use bounds::CrawlBounds;
pub use crawler::{CrawlEnd, Crawler, Root};
pub use frontier::{Frontier, FrontierError, Pending, Progress};
pub use hosts::Hosts;
pub use linked::{FileReader, FileText, LinkedFiles, UnreadableFile};
pub use paths::{InvalidPattern, PathRules};
pub use reason::Reason;
pub use response::read_page;
pub use visit::{Found, PageOutcome, Validators, Visit};
