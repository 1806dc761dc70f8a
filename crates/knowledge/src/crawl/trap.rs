//! Detection of crawler traps, endless spaces of addresses: calendars, filters, paths that grow.

use std::collections::{HashMap, HashSet};

use url::Url;

use super::bounds::CrawlBounds;

/// Most path segments of a page.
const MAX_SEGMENTS: usize = 12;

/// Number of occurrences of a segment in one path that come from wrong relative links.
const MAX_REPEATS: usize = 3;

/// Most pages of one calendar: a year by months.
const MAX_CALENDAR_PAGES: usize = 12;

/// Counts of admitted addresses. If they are lost in a restart, a limit applies later.
#[derive(Debug, Default)]
pub(super) struct Traps {
    queries: HashMap<String, HashSet<String>>,
    calendars: HashMap<String, HashSet<String>>,
}

impl Traps {
    /// Returns whether an address may be visited. An address that was admitted stays admitted.
    pub(super) fn admits(&mut self, url: &Url, bounds: &CrawlBounds) -> bool {
        url.as_str().len() <= bounds.max_url_bytes
            && is_sound_path(url)
            && self.admits_calendar(url)
            && self.admits_query(url, bounds.max_query_variants)
    }

    fn admits_query(&mut self, url: &Url, most: usize) -> bool {
        let Some(query) = url.query() else { return true };
        admit(self.queries.entry(url.path().to_owned()).or_default(), query, most)
    }

    fn admits_calendar(&mut self, url: &Url) -> bool {
        let Some(shape) = calendar_shape(url) else { return true };
        admit(self.calendars.entry(shape).or_default(), url.as_str(), MAX_CALENDAR_PAGES)
    }
}

fn admit(admitted: &mut HashSet<String>, candidate: &str, most: usize) -> bool {
    admitted.contains(candidate) || (admitted.len() < most && admitted.insert(candidate.to_owned()))
}

fn is_sound_path(url: &Url) -> bool {
    let segments: Vec<&str> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
    let repeats = |segment: &&str| segments.iter().filter(|other| other == &segment).count();
    segments.len() <= MAX_SEGMENTS && !segments.iter().any(|segment| repeats(segment) >= MAX_REPEATS)
}

/// Returns the address with its digits masked if it ends in a date. All addresses with the same result are
/// one calendar.
///
/// `/blog/2024/05/a-title` ends in a title and is an article; `/events/2024/05` is a month.
fn calendar_shape(url: &Url) -> Option<String> {
    let masked =
        |text: &str| text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect::<String>();
    let dated_path = ends_in_date(url.path());
    let dated_query = url.query().is_some_and(|query| {
        query.split('&').any(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let named = ["date", "day", "month", "year", "week"]
                .iter()
                .any(|part| name.to_ascii_lowercase().contains(part));
            (named && value.contains(|character: char| character.is_ascii_digit()))
                || (is_date_part(value) && has_year(value) && value.len() > 4)
        })
    });
    (dated_path || dated_query).then(|| {
        let path = if dated_path { masked(url.path()).replace("00", "0") } else { url.path().to_owned() };
        let names: Vec<&str> = url
            .query()
            .into_iter()
            .flat_map(|query| query.split('&'))
            .filter_map(|pair| pair.split('=').next())
            .collect();
        format!("{path}?{}", names.join("&"))
    })
}

/// Returns whether a path ends in a month or a day, such as `/2024/05` or `/2024-05-31`. A number alone may
/// be that of a page or of a product, even if it could be a year; and years alone are few.
fn ends_in_date(path: &str) -> bool {
    let mut segments = path.trim_end_matches('/').rsplit('/');
    let last = segments.next().unwrap_or_default();
    let is_short = last.len() <= 2 && is_date_part(last);
    (last.contains('-') && has_year(last)) || (is_short && segments.any(has_year))
}

/// Digits and separators only, as in `2024-05` or `31`.
fn is_date_part(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 10
        && text.chars().all(|character| character.is_ascii_digit() || character == '-')
}

fn has_year(text: &str) -> bool {
    is_date_part(text)
        && text.split('-').any(|part| part.len() == 4 && (part.starts_with("19") || part.starts_with("20")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(urls: impl Iterator<Item = String>) -> usize {
        let (mut traps, bounds) = (Traps::default(), CrawlBounds::default());
        urls.filter(|url| traps.admits(&Url::parse(url).unwrap(), &bounds)).count()
    }

    #[test]
    fn endless_spaces_are_cut() {
        let months = || (2000..2090).flat_map(|year| (1..=12).map(move |month| (year, month)));
        assert_eq!(
            admitted(months().map(|(y, m)| format!("https://a.example/events/{y}/{m:02}/"))),
            MAX_CALENDAR_PAGES
        );
        assert_eq!(
            admitted(months().map(|(y, m)| format!("https://a.example/cal?month={y}-{m:02}"))),
            MAX_CALENDAR_PAGES
        );
        assert_eq!(
            admitted(months().map(|(y, m)| format!("https://a.example/cal?y={y}-{m:02}-01&view=list"))),
            MAX_CALENDAR_PAGES
        );
        assert_eq!(admitted((0..1_000).map(|n| format!("https://a.example/shop?sort={n}"))), 50);
        assert_eq!(admitted(std::iter::once(format!("https://a.example/{}", "a/b/".repeat(3)))), 0);
        assert_eq!(admitted(std::iter::once(format!("https://a.example/{}", "x".repeat(3_000)))), 0);
        let deep: String = (0..13).map(|n| format!("/{n}")).collect();
        assert_eq!(admitted(std::iter::once(format!("https://a.example{deep}"))), 0);
    }

    #[test]
    fn articles_and_products_are_not_cut() {
        assert_eq!(admitted((0..200).map(|n| format!("https://a.example/2024/05/article-{n}"))), 200);
        assert_eq!(admitted((0..3_000).map(|n| format!("https://a.example/product/{n}"))), 3_000);
        assert_eq!(admitted((100..300).map(|n| format!("https://a.example/news/2024/{n}"))), 200);
        assert_eq!(admitted((1990..2030).map(|year| format!("https://a.example/vintage/{year}"))), 40);
        assert_eq!(admitted(std::iter::repeat_n("https://a.example/events/2024/05".to_owned(), 50)), 50);
    }
}
