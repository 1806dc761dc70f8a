//! Training: from start addresses to searchable content.
//!
//! The frontier of a crawl is in the database, and so is its job; a worker holds nothing that cannot be lost.
//! Creating a website, or beginning another crawl of it, writes both in one transaction. A worker of `jobs`
//! claims the job, visits page after page and commits each before the next. After `kill -9` the next worker
//! continues with the first page that is not committed.
//!
//! - `job` is the kind of job that crawls a website: its limits, and what happens when it is given up.
//! - `crawl` does the work of the job.
//! - `frontier` implements the crawler's frontier on the database.
//! - `visit` decides what the visit of a page means for its stored content.
//! - `page_job` fetches single pages.
//! - `schedule` begins crawls, on demand and when they are due.
//! - `file` reads uploaded files, and `linked` those that websites link to.
//! - `boilerplate` removes text that a site repeats on most pages.
//! - `vectors` decides how long a chatbot waits for its vectors.
//! - `outcome` sets the status of the website and of its chatbot after a crawl.
//! - `recovery` ends crawls that no job continues.
//! - `waiting` keeps the crawlers of jobs that wait for a host.

mod boilerplate;
mod crawl;
mod file;
mod frontier;
mod job;
mod linked;
mod outcome;
mod page_job;
mod recovery;
mod schedule;
mod vectors;
mod visit;
mod waiting;

use frontdesk_knowledge::normalize;
use frontdesk_store::NewPage;
use url::Url;

pub(crate) use crawl::{max_depth, max_pages};
pub(crate) use file::{ReadFile, file_job, file_queue, title_of};
pub(crate) use job::{CrawlWebsite, job};
pub(crate) use outcome::{announce, reason_as_text};
pub(crate) use page_job::{FetchWebpage, page_job};
pub(crate) use recovery::EndTrainingWithoutJob;
pub(crate) use schedule::{BeginScheduledCrawls, recrawl};
pub(crate) use visit::new_chunks;

/// Pages read from the database at a time.
const PAGE_BATCH: u32 = 100;

/// A start address that cannot be crawled, whatever it points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnusableStart {
    /// Its place in the list.
    pub(crate) index: usize,
    /// What is wrong with it, to be read after the name of the field.
    pub(crate) problem: &'static str,
}

/// Returns the first pages of a crawl, or everything that is wrong with the addresses. Whether an address is
/// public is checked when it is fetched, because the host name may resolve to another address then.
pub(crate) fn start_pages(addresses: &[String]) -> Result<Vec<NewPage>, Vec<UnusableStart>> {
    let mut pages: Vec<NewPage> = Vec::with_capacity(addresses.len());
    let mut unusable = Vec::new();
    for (index, address) in addresses.iter().enumerate() {
        match start_url(address) {
            Ok(url) => pages.push(NewPage::root(url.as_str())),
            Err(problem) => unusable.push(UnusableStart { index, problem }),
        }
    }
    if unusable.is_empty() { Ok(pages) } else { Err(unusable) }
}

/// Returns the address of a website or a page in its normal form, or what is wrong with it, to be read after
/// the name of the field.
pub(crate) fn start_url(address: &str) -> Result<Url, &'static str> {
    let url = Url::parse(address.trim()).map_err(|_| "is not a web address")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must be a web address that starts with http:// or https://");
    }
    if url.host().is_none() {
        return Err("has no host name");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or password");
    }
    Ok(normalize(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<String> {
        list.iter().map(|address| (*address).to_owned()).collect()
    }

    #[test]
    fn start_addresses_become_roots() {
        let pages = start_pages(&addresses(&[
            "HTTPS://Docs.Acme.example:443/a?utm_source=mail#part",
            " http://acme.example ",
        ]))
        .unwrap();
        let urls: Vec<_> = pages.iter().map(|page| page.url.as_str()).collect();
        assert_eq!(urls, ["https://docs.acme.example/a", "http://acme.example/"]);
        assert!(pages.iter().all(|page| page.root_url == page.url && page.depth == 0));
    }

    #[test]
    fn all_unusable_addresses_are_reported_at_once() {
        let unusable = start_pages(&addresses(&[
            "https://acme.example",
            "https://",
            "ftp://acme.example",
            "https://user:secret@acme.example/",
            "https://acme.example:99999/",
        ]))
        .unwrap_err();
        assert_eq!(unusable.iter().map(|start| start.index).collect::<Vec<_>>(), [1, 2, 3, 4]);
    }

    #[test]
    fn private_addresses_are_left_to_the_guard_of_the_fetch() {
        assert!(start_pages(&addresses(&["http://127.0.0.1/", "http://[::1]/", "http://intranet/"])).is_ok());
    }
}
