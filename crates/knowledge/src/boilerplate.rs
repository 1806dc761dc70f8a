//! Text that a site repeats: kept once, in the most fitting place.
//!
//! Addresses, opening hours and payment methods are in the footer of every page. Each copy would compete with
//! the others in a search, so all but one are removed. Notices that only operate the site, such as cookie
//! notices, are removed everywhere.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};
use url::Url;

use crate::chunk::HEADING_SEPARATOR;
use crate::topics;

/// Fewest pages for a decision on single lines: with fewer, a line on all of them may be content.
const MIN_PAGES: usize = 5;

/// Shorter lines, such as `Monday: closed` or a brace of a program, may repeat and still be content of their
/// own.
const MIN_LETTERS: usize = 20;

/// A survey of the passages of a site, to find the text that it repeats.
///
/// Only fingerprints are kept, so a site of many thousand pages fits into memory.
///
/// ```
/// use frontdesk_knowledge::RepeatedText;
///
/// let footer = ("acme.example", "Open Tuesday to Friday, 11 AM to 5 PM");
/// let mut site = RepeatedText::default();
/// site.add_page("https://acme.example/about", "About", [("", "We make shirts."), footer]);
/// site.add_page("https://acme.example/", "Acme", [("", "Welcome."), footer]);
/// let placement = site.place();
/// assert_eq!(placement.remaining(0, footer.0, footer.1), None);
/// assert_eq!(placement.remaining(1, footer.0, footer.1).as_deref(), Some(footer.1));
/// ```
#[derive(Debug, Default)]
pub struct RepeatedText {
    pages: Vec<SurveyedPage>,
    passages: HashMap<Fingerprint, Repetition>,
    lines: HashMap<Fingerprint, Repetition>,
}

#[derive(Debug)]
struct SurveyedPage {
    topic: BTreeSet<String>,
    is_contact: bool,
    /// First heading of the passages that frame the content.
    frame: String,
    /// Fewer segments and characters are nearer to the start page.
    distance: (usize, usize),
    url: String,
    passages: Vec<SurveyedPassage>,
}

#[derive(Debug)]
struct SurveyedPassage {
    fingerprint: Fingerprint,
    lines: Vec<Fingerprint>,
}

/// The pages with one text, and the best place for it found so far.
#[derive(Debug)]
struct Repetition {
    pages: usize,
    last_page: usize,
    home: usize,
    score: usize,
    is_long: bool,
    is_notice: bool,
    /// Number of pages that have it in a part that frames their content, such as the footer.
    frames: usize,
    last_frame: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Fingerprint([u8; 16]);

impl Fingerprint {
    fn of(parts: &[&str]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize()[..16]);
        Self(bytes)
    }
}

impl RepeatedText {
    /// Adds a page with the heading path and the text of each of its passages. Pages are numbered from 0 in
    /// the order in which they are added.
    pub fn add_page<'a>(
        &mut self,
        url: &str,
        title: &str,
        passages: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) {
        let index = self.pages.len();
        self.pages.push(SurveyedPage::new(url, title));
        for (headings, text) in passages {
            let page = &self.pages[index];
            let seen = Sighting {
                page: index,
                score: page.score(headings, text),
                is_frame: page.is_frame(headings),
            };
            let fingerprint = Fingerprint::of(&[headings, text]);
            count(&mut self.passages, &self.pages, fingerprint, text, &seen);
            let mut lines = Vec::new();
            for line in text.lines() {
                let fingerprint = Fingerprint::of(&[line]);
                count(&mut self.lines, &self.pages, fingerprint, line, &seen);
                lines.push(fingerprint);
            }
            self.pages[index].passages.push(SurveyedPassage { fingerprint, lines });
        }
    }

    /// Decides which blocks are repeated, and which page keeps the one copy.
    ///
    /// 1. A passage or line that frames the content of several pages, as a footer does, stays on one of them.
    /// 2. A passage or line that occurs on more than half of at least five pages stays on one of them.
    /// 3. Cookie notices, newsletter prompts and other notices that are repeated stay nowhere.
    ///
    /// The page that keeps a text is the one whose title, headings or address is about it, such as the
    /// contact page for an address; otherwise the one with the shortest path. The choice depends on the text
    /// and the pages that have it, so a second survey of the remaining text chooses the same.
    pub fn place(self) -> Placement {
        let mut placement = Placement::default();
        let is_on_most = |pages: usize| self.pages.len() >= MIN_PAGES && pages * 2 > self.pages.len();
        let is_repeated_passage =
            |found: &Repetition| found.frames > 1 || (found.is_long && is_on_most(found.pages));
        for (text, repetition) in self.passages.iter().filter(|(_, found)| is_repeated_passage(found)) {
            let home = (!repetition.is_notice).then_some(repetition.home);
            placement.passages.insert(*text, home);
        }
        let is_frequent = |text: &Fingerprint| {
            self.lines.get(text).is_some_and(|found| found.frames > 1 || is_on_most(found.pages))
        };
        let homes = self.homes_of_lines(is_frequent, is_repeated_passage);
        for (text, repetition) in self.lines.iter().filter(|(text, _)| is_frequent(text)) {
            let (home, is_frame) = homes.get(text).map_or((None, false), |home| (home.page, home.is_frame));
            if repetition.is_long || is_frame {
                let home = home.unwrap_or(repetition.home);
                placement.lines.insert(*text, (!repetition.is_notice).then_some(home));
            }
        }
        placement.losers = self.losers(&placement);
        placement
    }

    /// Returns the place of each frequent line: where the largest group of equal passages with it stays.
    fn homes_of_lines(
        &self,
        is_frequent: impl Fn(&Fingerprint) -> bool,
        is_repeated_passage: impl Fn(&Repetition) -> bool,
    ) -> HashMap<Fingerprint, LineHome> {
        let mut homes: HashMap<Fingerprint, LineHome> = HashMap::new();
        for passage in self.pages.iter().flat_map(|page| &page.passages) {
            let Some(group) = self.passages.get(&passage.fingerprint) else { continue };
            let is_frame = passage.lines.iter().all(&is_frequent);
            for line in passage.lines.iter().filter(|line| is_frequent(line)) {
                let home = homes.entry(*line).or_default();
                home.is_frame |= is_frame;
                let is_better = (group.pages, std::cmp::Reverse(group.home))
                    > (home.pages, std::cmp::Reverse(home.page.unwrap_or(usize::MAX)));
                if is_repeated_passage(group) && is_better {
                    home.page = Some(group.home);
                    home.pages = group.pages;
                }
            }
        }
        homes
    }

    fn losers(&self, placement: &Placement) -> BTreeSet<usize> {
        let loses = |(number, page): &(usize, &SurveyedPage)| {
            page.passages.iter().any(|passage| match placement.passages.get(&passage.fingerprint) {
                Some(home) => *home != Some(*number),
                None => passage
                    .lines
                    .iter()
                    .any(|line| placement.lines.get(line).is_some_and(|home| *home != Some(*number))),
            })
        };
        self.pages.iter().enumerate().filter(loses).map(|(number, _)| number).collect()
    }
}

/// Where a frequent line stays.
#[derive(Debug, Default)]
struct LineHome {
    /// The page that keeps the largest group of equal passages with it, if there is one.
    page: Option<usize>,
    /// The size of that group, in pages.
    pages: usize,
    /// Every line of some passage with it is frequent.
    is_frame: bool,
}

impl SurveyedPage {
    fn new(url: &str, title: &str) -> Self {
        let parsed = Url::parse(url).ok();
        let path = parsed.as_ref().map_or(url, Url::path);
        let segments =
            path.split('/').filter(|segment| !segment.is_empty() && !segment.starts_with("index.")).count();
        let name = format!("{title} {path}");
        Self {
            topic: topics::words(&name),
            is_contact: topics::is_contact_name(&name),
            frame: parsed.as_ref().and_then(Url::host_str).unwrap_or_default().to_owned(),
            distance: (segments, path.len()),
            url: url.to_owned(),
            passages: Vec::new(),
        }
    }

    fn is_frame(&self, headings: &str) -> bool {
        let rest = headings.strip_prefix(self.frame.as_str());
        !self.frame.is_empty()
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(HEADING_SEPARATOR))
    }

    /// Returns how well the page fits a passage: 0 if nothing says that it is about it.
    fn score(&self, headings: &str, text: &str) -> usize {
        const CONTACT: usize = 100;
        let first = text.lines().next().unwrap_or_default();
        let subject = topics::words(&format!("{headings} {first}"));
        let shared = subject.intersection(&self.topic).count();
        let contact = self.is_contact && topics::has_contact_facts(text);
        shared.min(CONTACT - 1) + if contact { CONTACT } else { 0 }
    }
}

/// Where a text was seen.
struct Sighting {
    page: usize,
    /// How well the page fits it.
    score: usize,
    is_frame: bool,
}

fn count(
    counts: &mut HashMap<Fingerprint, Repetition>,
    pages: &[SurveyedPage],
    fingerprint: Fingerprint,
    text: &str,
    seen: &Sighting,
) {
    let found = counts.entry(fingerprint).or_insert_with(|| Repetition {
        pages: 0,
        last_page: usize::MAX,
        home: seen.page,
        score: seen.score,
        is_long: is_long(text),
        is_notice: text.lines().all(topics::is_site_notice),
        frames: 0,
        last_frame: usize::MAX,
    });
    if found.last_page != seen.page {
        found.pages += 1;
        found.last_page = seen.page;
    }
    if seen.is_frame && found.last_frame != seen.page {
        found.frames += 1;
        found.last_frame = seen.page;
    }
    let rank = |score: usize, page: usize| {
        let surveyed = &pages[page];
        (std::cmp::Reverse(score), surveyed.distance, surveyed.url.as_str())
    };
    if rank(seen.score, seen.page) < rank(found.score, found.home) {
        found.home = seen.page;
        found.score = seen.score;
    }
}

fn is_long(text: &str) -> bool {
    text.chars().filter(|character| character.is_alphabetic()).take(MIN_LETTERS).count() == MIN_LETTERS
}

/// Where the repeated text of a site stays.
#[derive(Debug, Default)]
pub struct Placement {
    /// The page that keeps each repeated passage, or `None` if no page does.
    passages: HashMap<Fingerprint, Option<usize>>,
    /// The same for single lines.
    lines: HashMap<Fingerprint, Option<usize>>,
    /// The pages that lose text.
    losers: BTreeSet<usize>,
}

impl Placement {
    /// Returns whether the site repeats nothing.
    pub fn is_empty(&self) -> bool {
        self.passages.is_empty() && self.lines.is_empty()
    }

    /// Returns the number of repeated passages and lines.
    pub fn len(&self) -> usize {
        self.passages.len() + self.lines.len()
    }

    /// Returns whether the page with this number loses any text.
    pub fn affects(&self, page: usize) -> bool {
        self.losers.contains(&page)
    }

    /// Returns the part of a passage that stays on the page with this number, or `None` if nothing of it
    /// stays.
    pub fn remaining(&self, page: usize, headings: &str, text: &str) -> Option<String> {
        match self.passages.get(&Fingerprint::of(&[headings, text])) {
            Some(home) if *home == Some(page) => return Some(text.to_owned()),
            Some(_) => return None,
            None => {}
        }
        let stays =
            |line: &&str| self.lines.get(&Fingerprint::of(&[line])).is_none_or(|home| *home == Some(page));
        let lines: Vec<&str> = text.lines().filter(stays).collect();
        let rest = lines.join("\n");
        (!rest.trim().is_empty()).then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Path, title, and passages with their headings.
    type Page<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);

    const HOURS: &str = "Mon-Fri 9:00-17:00, 12 High Street, Leeds";

    fn site(pages: &[Page<'_>]) -> (Placement, Vec<Vec<String>>) {
        let mut repeated = RepeatedText::default();
        for (path, title, passages) in pages {
            repeated.add_page(&format!("https://acme.example{path}"), title, passages.iter().copied());
        }
        let placement = repeated.place();
        let kept = pages
            .iter()
            .enumerate()
            .map(|(number, (_, _, passages))| {
                passages
                    .iter()
                    .filter_map(|(headings, text)| placement.remaining(number, headings, text))
                    .collect()
            })
            .collect();
        (placement, kept)
    }

    #[test]
    fn a_footer_stays_on_the_page_about_it() {
        let footer: &[(&str, &str)] = &[("acme.example", HOURS)];
        let (placement, kept) =
            site(&[("/", "Acme", footer), ("/kontakt", "Kontakt", footer), ("/about", "About", footer)]);
        assert_eq!(kept, [vec![], vec![HOURS.to_owned()], vec![]]);
        assert_eq!([0, 1, 2].map(|page| placement.affects(page)), [true, false, true]);
        let (_, kept) = site(&[("/about/us", "About", footer), ("/", "Acme", footer)]);
        assert_eq!(kept, [vec![], vec![HOURS.to_owned()]]);
    }

    #[test]
    fn the_same_content_of_two_pages_is_no_frame() {
        let hours: &[(&str, &str)] = &[("Opening hours", HOURS)];
        let (placement, kept) =
            site(&[("/leeds", "Leeds", hours), ("/york", "York", hours), ("/", "Acme", &[])]);
        assert!(placement.is_empty());
        assert_eq!(kept[1], [HOURS]);
    }

    #[test]
    fn lines_on_most_pages_stay_once() {
        let texts: Vec<String> = (0..6)
            .map(|page| format!("Own text {page}\nWe are a family business since 1987.\nClosed"))
            .collect();
        let passages: Vec<[(&str, &str); 1]> = texts.iter().map(|text| [("", text.as_str())]).collect();
        let paths = ["/a", "/b", "/c/d", "/", "/e", "/f"];
        let pages: Vec<Page<'_>> =
            paths.iter().zip(&passages).map(|(path, passages)| (*path, "T", passages.as_slice())).collect();
        let (_, kept) = site(&pages);
        assert_eq!(kept[3], ["Own text 3\nWe are a family business since 1987.\nClosed"]);
        assert_eq!(kept[0], ["Own text 0\nClosed"]);
    }

    #[test]
    fn notices_stay_nowhere() {
        let notice: &[(&str, &str)] = &[("acme.example", "We use cookies to improve this site.")];
        let (_, kept) = site(&[("/", "Acme", notice), ("/a", "A", notice)]);
        assert_eq!(kept, [Vec::<String>::new(), vec![]]);
    }

    #[test]
    fn a_few_pages_prove_nothing_about_their_content() {
        let same: &[(&str, &str)] = &[("", "We are a family business since 1987.")];
        let pages: Vec<Page<'_>> = vec![("/", "T", same); MIN_PAGES - 1];
        assert!(site(&pages).0.is_empty());
    }
}
