//! Detection of cookie walls: pages that show nothing but a request to accept cookies.

use scraper::Html;

use super::block::{Block, BlockKind, Place};
use super::dom::{self, NodeRef};
use super::head::Head;
use super::visibility::Visibility;

/// Most links of a wall: its own pages about privacy and law.
const MAX_LINKS: usize = 8;
/// Content beside the request, in bytes, from which the page is not a wall.
const MAX_OTHER_CHARS: usize = 200;
/// Longest request, in bytes; a page with more is about privacy.
const MAX_CHARS: usize = 4_000;

/// Words of such requests, in lower case.
const SUBJECTS: [&str; 18] = [
    "cookie",
    "consent",
    "tracking",
    "personal data",
    "privacy",
    "datenschutz",
    "einwilligung",
    "personenbezogen",
    "traceurs",
    "confidentialité",
    "données personnelles",
    "privacidad",
    "datos personales",
    "riservatezza",
    "dati personali",
    "persoonsgegevens",
    "dados pessoais",
    "prywatno",
];

/// What the buttons say, in lower case.
const ACCEPTING: [&str; 22] = [
    "accept",
    "agree",
    "allow all",
    "allow cookies",
    "got it",
    "akzeptieren",
    "zustimmen",
    "einverstanden",
    "alle erlauben",
    "annehmen",
    "accepter",
    "j'accepte",
    "j’accepte",
    "aceptar",
    "acepto",
    "accetta",
    "accetto",
    "accepteren",
    "akkoord",
    "aceitar",
    "akceptuj",
    "zgadzam",
];

/// Returns whether the page is a cookie wall.
pub(super) fn is_wall(document: &Html, visibility: &Visibility, blocks: &[Block], head: &Head) -> bool {
    if head.links.len() > MAX_LINKS {
        return false;
    }
    let other: usize = blocks
        .iter()
        .filter(|block| block.place == Place::Main && !matches!(block.kind, BlockKind::Heading(_)))
        .filter(|block| !is_about_consent(&block.text) && !accepts(&block.text))
        .map(|block| block.text.len())
        .sum();
    if other > MAX_OTHER_CHARS {
        return false;
    }
    let (mut about, mut all, mut has_button) = (0, 0, false);
    for node in dom::elements(document) {
        has_button |= is_control(&node) && accepts(&label(&node));
        if matches!(
            dom::name(&node),
            "p" | "div" | "li" | "span" | "h1" | "h2" | "h3" | "section" | "dialog" | "form"
        ) {
            // Text of the element itself, without that of the elements in it.
            let own: String =
                node.children().filter_map(|child| child.value().as_text()).map(|text| &**text).collect();
            let own = own.trim();
            let is_hidden =
                || visibility.hides(&node) || node.ancestors().any(|ancestor| visibility.hides(&ancestor));
            if !own.is_empty() && !is_hidden() {
                all += own.len();
                about += if is_about_consent(own) { own.len() } else { 0 };
            }
        }
    }
    has_button && about > 0 && all <= MAX_CHARS && about * 2 >= all
}

fn is_control(node: &NodeRef<'_>) -> bool {
    matches!(dom::name(node), "button" | "a")
        || dom::attribute_is(node, "role", "button")
        || (dom::name(node) == "input" && dom::attribute(node, "value").is_some())
}

fn label(node: &NodeRef<'_>) -> String {
    let text = dom::text(node);
    let named = ["value", "aria-label"].iter().filter_map(|name| dom::attribute(node, name));
    std::iter::once(text.as_str()).chain(named).collect::<Vec<_>>().join(" ")
}

fn accepts(text: &str) -> bool {
    const MAX_LABEL_CHARS: usize = 60;
    let lower = text.trim().to_lowercase();
    lower.len() <= MAX_LABEL_CHARS && ACCEPTING.iter().any(|word| lower.contains(word))
}

fn is_about_consent(text: &str) -> bool {
    let lower = text.to_lowercase();
    SUBJECTS.iter().any(|subject| lower.contains(subject))
}
