//! Pages that say that they do not exist although the server responds with 200.

use std::collections::BTreeSet;

use crate::extract::{BlockKind, Place};
use crate::page::Page;

/// A page with more text than this, in bytes, is content in any case.
const MAX_CHARS: usize = 1_500;
/// A page with at most this much text, in bytes, does not exist if its title or heading says so,
/// whatever the host shows for a random address.
const CLEAR_CHARS: usize = 400;
/// Lines at the beginning of the content that can say so.
const FIRST_LINES: usize = 3;
/// Share of common lines, one of so many, from which two pages are the same.
const SAME_SHARE: usize = 2;

/// What such pages say, in lower case.
const PHRASES: [&str; 46] = [
    "page not found",
    "page was not found",
    "page could not be found",
    "page cannot be found",
    "page can't be found",
    "can’t find the page",
    "can't find the page",
    "can’t find that page",
    "can't find that page",
    "couldn't find the page",
    "couldn’t find the page",
    "could not find the page",
    "couldn't find that page",
    "page doesn't exist",
    "page doesn’t exist",
    "page does not exist",
    "page you requested",
    "page you are looking for",
    "page you're looking for",
    "page you’re looking for",
    "error 404",
    "404 error",
    "404 not found",
    "404 - ",
    "not found",
    "nothing was found",
    "no longer available",
    "no longer exists",
    "seite nicht gefunden",
    "nicht gefunden",
    "seite existiert nicht",
    "seite wurde nicht",
    "fehler 404",
    "page introuvable",
    "page non trouvée",
    "n'existe pas",
    "n’existe pas",
    "no encontrada",
    "no se encuentra",
    "non trovata",
    "niet gevonden",
    "não encontrada",
    "nie znaleziono",
    "nie istnieje",
    "nenalezena",
    "hittades inte",
];

/// What a host shows for an address that does not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Probe {
    /// The server responds with 404, 410 or not at all.
    Honest,
    /// The server responds with 200 and this page.
    Page(Fingerprint),
}

/// The title and the lines of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    title: String,
    lines: BTreeSet<String>,
}

impl Fingerprint {
    pub(super) fn of(page: &Page) -> Self {
        // The address that was asked for may be repeated in the text.
        let lines = content(page).map(|(_, text)| masked(text)).collect();
        Self { title: masked(&page.title), lines }
    }

    fn is_like(&self, other: &Self) -> bool {
        let common = self.lines.intersection(&other.lines).count();
        let most = self.lines.len().max(other.lines.len());
        most > 0 && common * SAME_SHARE >= most && self.title == other.title
    }
}

fn masked(text: &str) -> String {
    let words = text
        .split_whitespace()
        .filter(|word| !word.contains('/') && !word.contains(|c: char| c.is_ascii_digit()));
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

fn content(page: &Page) -> impl Iterator<Item = (BlockKind, &str)> {
    page.blocks
        .iter()
        .filter(|block| block.place == Place::Main)
        .map(|block| (block.kind, block.text.as_str()))
}

/// Returns whether a page may say that it does not exist, so that it is worth asking for a random address.
pub(super) fn is_suspicious(page: &Page) -> bool {
    let chars: usize = content(page).map(|(_, text)| text.len()).sum();
    chars <= MAX_CHARS
        && (says_so(&page.title) || content(page).take(FIRST_LINES).any(|(_, text)| says_so(text)))
}

/// Returns whether a suspicious page does not exist.
pub(super) fn is_missing(page: &Page, probe: &Probe) -> bool {
    if let Probe::Page(other) = probe
        && Fingerprint::of(page).is_like(other)
    {
        return true;
    }
    let chars: usize = content(page).map(|(_, text)| text.len()).sum();
    let heading =
        content(page).take(1).any(|(kind, text)| matches!(kind, BlockKind::Heading(_)) && is_clear(text));
    chars <= CLEAR_CHARS && (is_clear(&page.title) || heading)
}

fn says_so(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    lower == "404" || PHRASES.iter().any(|phrase| lower.contains(phrase))
}

/// Returns whether a title says nothing else.
fn is_clear(title: &str) -> bool {
    const MAX_WORDS: usize = 8;
    says_so(title) && title.split_whitespace().count() <= MAX_WORDS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Block;

    fn page(title: &str, lines: &[&str]) -> Page {
        let blocks = lines.iter().map(|line| Block::new(BlockKind::Paragraph, *line)).collect();
        Page::of_file("https://a.example/x".parse().unwrap(), title.to_owned(), None, blocks)
    }

    #[test]
    fn pages_that_do_not_exist_differ_from_pages_about_it() {
        let missing = page(
            "Oops",
            &["We can't find the page /old/7 you wanted.", "Go back to our start page, please."],
        );
        let same =
            page("Oops", &["We can't find the page /zzz you wanted.", "Go back to our start page, please."]);
        let probe = Probe::Page(Fingerprint::of(&same));
        assert!(is_suspicious(&missing) && is_missing(&missing, &probe));
        assert!(!is_missing(&missing, &Probe::Honest));

        let clear = page("404 Not Found - Acme", &["This product was removed."]);
        assert!(is_suspicious(&clear) && is_missing(&clear, &Probe::Honest));

        let german = page("Seite nicht gefunden", &["Diese Seite gibt es nicht mehr."]);
        assert!(is_suspicious(&german) && is_missing(&german, &Probe::Honest));

        let lost = page(
            "Lost property",
            &["Things that were not found within a year are sold.", "Call us on Mondays."],
        );
        assert!(is_suspicious(&lost) && !is_missing(&lost, &probe));
        let help =
            page("How to fix a 404 error in your own shop, step by step", &["First, look at the address."]);
        assert!(!is_missing(&help, &Probe::Honest));
        assert!(!is_suspicious(&page("Delivery", &["We deliver on Mondays."])));
    }
}
