//! Selection of the part of a page that is its content.

use scraper::Html;

use super::chrome::text_length;
use super::dom::{self, NodeRef};
use super::visibility::Visibility;

/// A marked content element with less text than this only counts if it has a sufficient share of the page's
/// text.
const CONVINCING_LENGTH: usize = 200;

/// Most candidates compared.
const MAX_CANDIDATES: usize = 40;

/// The element to read the main text from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root<'a> {
    pub(super) node: NodeRef<'a>,
    /// The page marks this element as its content.
    pub(super) is_marked: bool,
}

/// Returns the page's `main`, else its only substantial `article`, else the whole body.
///
/// Shop and home pages are not articles. In a body without marks, page chrome is skipped while reading,
/// instead of guessing one container and losing the rest.
pub(super) fn root<'a>(document: &'a Html, visibility: &Visibility) -> Root<'a> {
    let body = dom::elements(document)
        .find(|node| dom::name(node) == "body")
        .unwrap_or_else(|| document.tree.root());
    let body_length = text_length(&body, visibility, usize::MAX);
    let marked = |is_candidate: fn(&NodeRef<'_>) -> bool| {
        dom::elements(document)
            .filter(move |node| is_candidate(node))
            .filter(move |node| {
                !visibility.hides(node) && !node.ancestors().any(|above| visibility.hides(&above))
            })
            .filter(move |node| !node.ancestors().any(|ancestor| is_candidate(&ancestor)))
            .take(MAX_CANDIDATES)
            .map(|node| (text_length(&node, visibility, usize::MAX), node))
    };
    let is_convincing =
        |length: usize, share: usize| length >= CONVINCING_LENGTH || length * share >= body_length;
    let main = marked(|node| dom::name(node) == "main" || dom::attribute_is(node, "role", "main"))
        .max_by_key(|(length, _)| *length);
    if let Some((length, node)) = main
        && length > 0
        && is_convincing(length, 10)
    {
        return Root { node, is_marked: true };
    }
    let mut articles =
        marked(|node| dom::name(node) == "article" || dom::attribute_is(node, "role", "article"));
    if let (Some((length, node)), None) = (articles.next(), articles.next())
        && length * 3 >= body_length
        && is_convincing(length, 2)
    {
        return Root { node, is_marked: true };
    }
    Root { node: body, is_marked: false }
}
