//! Spaces that a style sheet shows and the markup does not have.

use super::dom::{self, NodeRef};
use super::prices;

/// Returns whether an element is separate from the one before it: a dish and its price, two lines of a
/// heading. `line` is the text before it.
pub(super) fn is_apart_from(line: &str, node: &NodeRef<'_>) -> bool {
    let follows_element = node.prev_sibling().is_some_and(|before| before.value().is_element());
    if !follows_element || !matches!(dom::name(node), "span" | "strong" | "b" | "em" | "i") {
        return false;
    }
    let Some(last) = line.chars().next_back() else { return false };
    let mut texts = node.descendants().take(20).filter_map(|inner| inner.value().as_text());
    let Some(first) = texts.find_map(|text| text.chars().next()) else { return false };
    (last.is_alphabetic() && (first.is_ascii_digit() || prices::is_currency(first)))
        || ((last.is_lowercase() || last.is_ascii_digit()) && first.is_uppercase())
}

/// Returns whether the text after an element is separate from it, because the element is a label with a style
/// of its own: `<span class="badge">Popular</span>Full`. `line` ends with the label.
pub(super) fn is_label_apart(line: &str, node: &NodeRef<'_>) -> bool {
    if !matches!(dom::name(node), "span" | "small") || dom::attribute(node, "class").is_none() {
        return false;
    }
    let next = node.next_sibling().and_then(|next| next.value().as_text()?.chars().next());
    let mut last = line.chars().rev();
    // A single letter is part of the word: `<span class="cap">i</span>Phone`.
    next.is_some_and(char::is_uppercase)
        && last.next().is_some_and(char::is_lowercase)
        && last.next().is_some_and(char::is_lowercase)
}
