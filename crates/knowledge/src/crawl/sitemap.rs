//! The sitemaps of a site, read file by file.

use std::collections::HashSet;
use std::time::Duration;

use url::Url;

use super::failure::NoResponse;
use super::fetch::Fetcher;
use super::sitemap_file::{self, MAX_BYTES};

/// Levels of indexes followed below the first sitemap.
const MAX_DEPTH: u32 = 3;

/// Most sitemap files read for one site.
const MAX_FILES: usize = 50;

/// Where sitemaps are looked for if robots.txt names none.
const USUAL_PLACES: [&str; 2] = ["/sitemap_index.xml", "/sitemap.xml"];

/// The sitemap files that are still to be read.
#[derive(Debug)]
pub(super) struct Sitemaps {
    /// Homes of the hosts whose robots.txt has not been asked for sitemaps.
    homes: Vec<Url>,
    /// Files with their level below the first one; the last is read next.
    files: Vec<(Url, u32)>,
    seen: HashSet<Url>,
}

impl Sitemaps {
    /// Prepares the sitemaps of the hosts that `homes` are on.
    pub(super) fn of(mut homes: Vec<Url>) -> Self {
        homes.reverse();
        Self { homes, files: Vec::new(), seen: HashSet::new() }
    }

    /// Prepares one sitemap, with the files that it names.
    pub(super) fn of_file(file: Url) -> Self {
        Self { homes: Vec::new(), files: vec![(file, 0)], seen: HashSet::new() }
    }

    /// Reads the next file and returns the pages it lists, or `None` after the last one. Files that cannot be
    /// read are left out. Fails with the time to wait if a host asks for a pause; the next call reads the
    /// same file.
    pub(super) async fn next(&mut self, fetcher: &mut Fetcher) -> Result<Option<Vec<Url>>, Duration> {
        loop {
            if self.seen.len() >= MAX_FILES {
                return Ok(None);
            }
            let Some((url, depth)) = self.files.last().cloned() else {
                let Some(home) = self.homes.last().cloned() else { return Ok(None) };
                self.files = named_files(&home, fetcher).await?;
                self.homes.pop();
                continue;
            };
            if self.seen.contains(&url) {
                self.files.pop();
                continue;
            }
            let fetched = fetcher.file(&url, MAX_BYTES).await;
            if let Err(NoResponse::Later(wait)) = fetched {
                return Err(wait);
            }
            self.files.pop();
            self.seen.insert(url.clone());
            let body = match fetched {
                Ok(fetched) => fetched.body,
                Err(stop) => {
                    tracing::debug!(%url, ?stop, "a sitemap is left out");
                    continue;
                }
            };
            let Ok(listing) = tokio::task::spawn_blocking(move || sitemap_file::read(&body)).await else {
                continue;
            };
            let resolve = |address: &String| url.join(address.trim()).ok();
            if depth < MAX_DEPTH {
                self.files
                    .extend(listing.sitemaps.iter().rev().filter_map(resolve).map(|url| (url, depth + 1)));
            }
            return Ok(Some(listing.pages.iter().filter_map(resolve).collect()));
        }
    }
}

/// Returns the sitemaps that a host's robots.txt names, else the usual places; the first is last.
async fn named_files(home: &Url, fetcher: &mut Fetcher) -> Result<Vec<(Url, u32)>, Duration> {
    let robots = fetcher.robots(home).await?;
    let named: Vec<Url> =
        robots.sitemaps().iter().filter_map(|address| home.join(address.trim()).ok()).collect();
    let files: Vec<Url> = if !named.is_empty() {
        named.into_iter().rev().collect()
    } else if robots.refusal(home).is_some() {
        Vec::new()
    } else {
        USUAL_PLACES.iter().filter_map(|path| home.join(path).ok()).collect()
    };
    Ok(files.into_iter().map(|url| (url, 0)).collect())
}
