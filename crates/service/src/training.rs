//! Training: from start addresses to searchable content.
//!
//! The frontier of a crawl is in the database, and so is the job that works it off; a worker holds nothing that cannot
//! be lost. Creating a chatbot writes both in one transaction ([`start_pages`], [`job`]); a worker ([`spawn`]) takes the
//! job, visits page after page and commits each before the next. After `kill -9` the next worker goes on with the
//! first page that is not committed.
//!
//! - `worker` claims jobs, keeps their leases and ends them.
//! - `crawl` does the work of one job.
//! - `frontier` lets the crawler see the database as its frontier.
//! - `furniture` removes text that a site repeats on most pages.
//! - `outcome` decides what a finished crawl means for its chatbot.
//! - `housekeeping` ends what has been abandoned and forgets what nobody needs.

mod crawl;
mod frontier;
mod furniture;
mod housekeeping;
mod outcome;
mod worker;

use frontdesk_store::{NewJob, NewPage};
use serde_json::json;
use url::Url;

pub(crate) use worker::{TrainingHandle, spawn};

/// The lane of training jobs. Answering never waits for it.
pub(crate) const LANE: &str = "crawl";
/// The kind of job that crawls a chatbot's start addresses.
const KIND: &str = "train";
/// How often a job is taken up. A crash of the process costs an attempt, an orderly stop does not; a page that kills
/// the worker each time must not do so for ever.
const MAX_ATTEMPTS: u32 = 8;

/// A start address that cannot be crawled, whatever it points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnusableStart {
    /// Its place in the list.
    pub(crate) index: usize,
    /// What is wrong with it, to be read after the name of the field.
    pub(crate) problem: &'static str,
}

/// The first pages of a crawl, or everything that is wrong with the addresses. Whether an address is public is not
/// asked here: its name is resolved when it is fetched, and the answer can differ from one moment to the next.
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

fn start_url(address: &str) -> Result<Url, &'static str> {
    let mut url = Url::parse(address.trim()).map_err(|_| "is not a web address")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must be a web address that starts with http:// or https://");
    }
    if url.host().is_none() {
        return Err("has no host name");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not contain a user name or password");
    }
    url.set_fragment(None);
    Ok(url)
}

/// The job that trains a new chatbot.
pub(crate) fn job() -> NewJob {
    NewJob {
        lane: LANE.to_owned(),
        kind: KIND.to_owned(),
        chatbot_id: None,
        payload: json!({}),
        run_at: None,
        max_attempts: MAX_ATTEMPTS,
        dedupe_key: None,
    }
}

#[cfg(test)]
mod running_tests;

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(list: &[&str]) -> Vec<String> {
        list.iter().map(|address| (*address).to_owned()).collect()
    }

    #[test]
    fn start_addresses_become_roots() {
        let pages =
            start_pages(&addresses(&["HTTPS://Docs.Acme.example:443/a#part", " http://acme.example "]))
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
