//! Classification of the parts of a page: content, the frame around it, and parts that are not meant for
//! readers.

use super::dom::{self, NodeRef};
use super::panels;
use super::visibility::Visibility;

/// Elements whose content is never text for readers.
const NEVER_TEXT: [&str; 21] = [
    "script", "style", "noscript", "template", "head", "iframe", "object", "embed", "canvas", "audio",
    "video", "svg", "input", "select", "textarea", "datalist", "progress", "meter", "map", "frameset",
    "noframes",
];

/// ARIA roles of controls and dialogs.
const CONTROL_ROLES: [&str; 5] = ["search", "menu", "menubar", "alertdialog", "toolbar"];

/// Words in class names and ids of parts that only operate the site, in any position.
const OPERATING_NAMES: [&str; 17] = [
    "breadcrumb",
    "breadcrumbs",
    "crumbs",
    "cookie",
    "cookies",
    "cookiebar",
    "consent",
    "gdpr",
    "newsletter",
    "pagination",
    "pager",
    "share",
    "sharing",
    "skip",
    "feedback",
    "advert",
    "sponsored",
];

/// Names that also mark content, such as the menu of a restaurant. Such a part is only dropped if it consists
/// of links.
const LINK_LIST_NAMES: [&str; 8] = ["menu", "nav", "navbar", "navigation", "social", "toc", "popup", "modal"];

/// Words in class names and ids of the frame.
const FRAME_NAMES: [&str; 10] = [
    "footer",
    "site-footer",
    "page-footer",
    "colophon",
    "sidebar",
    "topbar",
    "top-bar",
    "top-header",
    "site-header",
    "page-header-top",
];

/// An element that is named like chrome but has at least this much text is content.
const TOO_LONG_FOR_CHROME: usize = 1_500;

/// Most nodes below an element that are looked at for its classification, so that the time stays linear.
const LOOKED_AT: usize = 4_000;

/// What becomes of an element and everything in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It belongs to the same part as its parent.
    Inherited,
    /// It belongs to the frame of the page.
    Frame,
    /// It is a menu: links to other pages are skipped, and the rest is read.
    Menu,
    /// It is a form: only paragraphs, headings, lists and tables in it are read.
    Form,
    /// It is left out.
    Dropped,
}

/// Returns the part that an element belongs to.
///
/// `inside_main` is set inside the page's `main` or `article`: a header in there belongs to the content.
/// `in_frame` is set inside the frame.
pub(super) fn part(node: &NodeRef<'_>, visibility: &Visibility, inside_main: bool, in_frame: bool) -> Part {
    let name = dom::name(node);
    if name.is_empty() || matches!(name, "html" | "body" | "main") {
        let is_hidden = visibility.hides(node) && !matches!(name, "html" | "body");
        return if is_hidden { Part::Dropped } else { Part::Inherited };
    }
    if NEVER_TEXT.contains(&name) || visibility.hides(node) {
        return Part::Dropped;
    }
    let role = dom::attribute(node, "role").unwrap_or_default().trim();
    if CONTROL_ROLES.contains(&role) {
        return Part::Dropped;
    }
    if is_operating(node, visibility, inside_main) {
        return Part::Dropped;
    }
    if panels::is_tab(node) {
        return Part::Dropped;
    }
    match name {
        "nav" | "menu" => return Part::Menu,
        "button" if !labels_content(node) => return Part::Dropped,
        "form" if is_control_form(node, visibility) => return form(node),
        _ => {}
    }
    if role == "navigation" {
        return Part::Menu;
    }
    if inside_main || in_frame {
        return Part::Inherited;
    }
    match name {
        "footer" | "aside" => Part::Frame,
        // A page title in a header belongs to the content.
        "header" if !has_descendant(node, &["h1"]) => Part::Frame,
        _ if matches!(role, "contentinfo" | "complementary") => Part::Frame,
        _ if role == "banner" && !has_descendant(node, &["h1"]) => Part::Frame,
        "div" | "section"
            if names(node, &FRAME_NAMES) && !has_descendant(node, &["h1", "main", "article"]) =>
        {
            Part::Frame
        }
        _ => Part::Inherited,
    }
}

/// Returns whether a button is the heading of the panel that it opens, as in an accordion.
fn labels_content(node: &NodeRef<'_>) -> bool {
    ["aria-expanded", "aria-controls", "data-bs-target", "data-target"]
        .iter()
        .any(|attribute| dom::attribute(node, attribute).is_some())
        || dom::attribute_is(node, "role", "tab")
        || node
            .ancestors()
            .take(3)
            .any(|ancestor| matches!(dom::name(&ancestor), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
}

/// Returns whether a form consists mainly of controls. Some frameworks wrap the whole page in a form, which
/// is kept.
fn is_control_form(node: &NodeRef<'_>, visibility: &Visibility) -> bool {
    !has_descendant(node, &["main", "article", "h1"])
        && text_length(node, visibility, TOO_LONG_FOR_CHROME) < TOO_LONG_FOR_CHROME
}

/// Returns a search, sign-in or newsletter form says nothing; a contact or order form may say when and how
/// the business replies.
fn form(node: &NodeRef<'_>) -> Part {
    let mut fields = 0;
    for inner in node.descendants() {
        match dom::name(&inner) {
            "input" => match dom::attribute(&inner, "type").unwrap_or("text") {
                "search" | "password" => return Part::Dropped,
                "hidden" | "submit" | "button" => {}
                _ => fields += 1,
            },
            "select" | "textarea" => fields += 1,
            _ => {}
        }
    }
    if fields < 2 { Part::Dropped } else { Part::Form }
}

fn is_operating(node: &NodeRef<'_>, visibility: &Visibility, inside_main: bool) -> bool {
    if !matches!(
        dom::name(node),
        "div" | "section" | "ul" | "ol" | "p" | "span" | "a" | "aside" | "header" | "dialog"
    ) {
        return false;
    }
    let is_short = || text_length(node, visibility, TOO_LONG_FOR_CHROME) < TOO_LONG_FOR_CHROME;
    if names(node, &OPERATING_NAMES) || names_first(node) {
        // A section on cookies in a privacy policy has no button to accept them.
        let explains = inside_main
            && has_descendant(node, &["h1", "h2", "h3", "h4"])
            && !has_descendant(node, &["button", "input", "form"]);
        return !explains && is_short();
    }
    names(node, &LINK_LIST_NAMES) && is_short() && is_link_list(node, visibility)
}

/// Returns whether a class name or the id is one of these names.
fn names(node: &NodeRef<'_>, known: &[&str]) -> bool {
    tokens(node).any(|token| known.contains(&token.to_ascii_lowercase().as_str()))
}

/// Returns whether a class name or the id begins with the name of an operating part: `cookie-banner`. Only
/// the first word is significant: `lunch-menu` may be content.
fn names_first(node: &NodeRef<'_>) -> bool {
    tokens(node).any(|token| {
        let first = token.split(['-', '_']).next().unwrap_or_default();
        matches!(
            first,
            "cookie"
                | "cookies"
                | "consent"
                | "breadcrumb"
                | "breadcrumbs"
                | "share"
                | "newsletter"
                | "pagination"
        )
    })
}

fn tokens<'a>(node: &NodeRef<'a>) -> impl Iterator<Item = &'a str> {
    let node = *node;
    ["class", "id"]
        .into_iter()
        .filter_map(move |attribute| dom::attribute(&node, attribute))
        .flat_map(str::split_whitespace)
        .filter(|token| !["has-", "with-", "no-"].iter().any(|prefix| token.starts_with(prefix)))
}

/// Returns whether at least half of the text is linked, apart from numbers to call and addresses to write to.
fn is_link_list(node: &NodeRef<'_>, visibility: &Visibility) -> bool {
    let mut total = 0;
    let mut linked = 0;
    let mut links = 0_usize;
    let mut skipped = None;
    for edge in node.traverse().take(LOOKED_AT) {
        match edge {
            ego_tree::iter::Edge::Open(inner) if skipped.is_none() => {
                if let Some(text) = inner.value().as_text() {
                    let length = text.split_whitespace().map(str::len).sum::<usize>();
                    total += length;
                    linked += if links > 0 { length } else { 0 };
                } else if NEVER_TEXT.contains(&dom::name(&inner)) || visibility.hides(&inner) {
                    skipped = Some(inner.id());
                } else if is_page_link(&inner) {
                    links += 1;
                }
            }
            ego_tree::iter::Edge::Close(inner) => {
                if skipped == Some(inner.id()) {
                    skipped = None;
                } else if skipped.is_none() && is_page_link(&inner) {
                    links = links.saturating_sub(1);
                }
            }
            ego_tree::iter::Edge::Open(_) => {}
        }
    }
    linked * 2 >= total
}

/// Returns whether a node is a link, except to a telephone number or an email address.
pub(super) fn is_page_link(node: &NodeRef<'_>) -> bool {
    dom::name(node) == "a"
        && !dom::attribute(node, "href").is_some_and(|target| {
            let target = target.trim_start().to_ascii_lowercase();
            target.starts_with("tel:") || target.starts_with("mailto:")
        })
}

fn has_descendant(node: &NodeRef<'_>, wanted: &[&str]) -> bool {
    node.descendants().skip(1).take(LOOKED_AT).any(|inner| wanted.contains(&dom::name(&inner)))
}

/// Returns the number of visible characters below a node, counted up to `limit`. Menus do not count.
pub(super) fn text_length(node: &NodeRef<'_>, visibility: &Visibility, limit: usize) -> usize {
    let mut length = 0;
    let mut skipped = None;
    for edge in node.traverse() {
        match edge {
            ego_tree::iter::Edge::Open(inner) if skipped.is_none() => {
                if let Some(text) = inner.value().as_text() {
                    length += text.split_whitespace().map(str::len).sum::<usize>();
                    if length >= limit {
                        return limit;
                    }
                } else if NEVER_TEXT.contains(&dom::name(&inner))
                    || matches!(dom::name(&inner), "nav" | "menu")
                    || visibility.hides(&inner)
                {
                    skipped = Some(inner.id());
                }
            }
            ego_tree::iter::Edge::Close(inner) if skipped == Some(inner.id()) => skipped = None,
            _ => {}
        }
    }
    length
}
