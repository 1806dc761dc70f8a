//! Page chrome, the parts around the content of a page: menus, banners, forms, controls.

use super::dom::{self, NodeRef};
use super::visibility::Visibility;

/// Elements whose content is never text for readers.
const NEVER_TEXT: [&str; 24] = [
    "script", "style", "noscript", "template", "head", "iframe", "object", "embed", "canvas", "audio",
    "video", "svg", "input", "select", "textarea", "datalist", "progress", "meter", "dialog", "map",
    "frameset", "noframes", "nav", "menu",
];

/// ARIA roles of page chrome.
const CHROME_ROLES: [&str; 9] =
    ["navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog", "toolbar"];

/// Words in class names and ids that mark page chrome, at any position.
const CHROME_NAMES: [&str; 24] = [
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
    "social",
    "skip",
    "feedback",
    "menu",
    "navbar",
    "nav",
    "toc",
    "popup",
    "modal",
    "advert",
    "sponsored",
];

/// An element that is named like page chrome but has at least this much text is content.
const TOO_LONG_FOR_CHROME: usize = 1_500;

/// Returns whether an element and everything in it is left out.
///
/// `inside_main` is set if the content root is the page's `main` or `article`: a header in there belongs to the content.
pub(super) fn is_dropped(node: &NodeRef<'_>, visibility: &Visibility, inside_main: bool) -> bool {
    let name = dom::name(node);
    if name.is_empty() || matches!(name, "html" | "body" | "main") {
        return visibility.hides(node) && !matches!(name, "html" | "body");
    }
    if NEVER_TEXT.contains(&name) || visibility.hides(node) {
        return true;
    }
    if dom::attribute(node, "role").is_some_and(|role| CHROME_ROLES.contains(&role.trim())) {
        return true;
    }
    match name {
        "footer" => return true,
        "header" | "aside" if !inside_main => return true,
        "button" => return !labels_content(node),
        "form" => return is_control_form(node, visibility),
        _ => {}
    }
    is_named_like_chrome(node) && text_length(node, visibility, TOO_LONG_FOR_CHROME) < TOO_LONG_FOR_CHROME
}

/// Returns whether a button is the heading of the panel that it opens, as in an accordion.
fn labels_content(node: &NodeRef<'_>) -> bool {
    dom::attribute(node, "aria-expanded").is_some()
        || node
            .ancestors()
            .take(3)
            .any(|ancestor| matches!(dom::name(&ancestor), "h1" | "h2" | "h3" | "h4" | "h5" | "h6"))
}

/// Returns whether a form consists mainly of controls. Some frameworks wrap the whole page in a form, which is kept.
fn is_control_form(node: &NodeRef<'_>, visibility: &Visibility) -> bool {
    let holds_content =
        node.descendants().any(|inner| matches!(dom::name(&inner), "main" | "article" | "h1"));
    !holds_content && text_length(node, visibility, TOO_LONG_FOR_CHROME) < TOO_LONG_FOR_CHROME
}

fn is_named_like_chrome(node: &NodeRef<'_>) -> bool {
    if !matches!(dom::name(node), "div" | "section" | "ul" | "ol" | "p" | "span" | "a" | "aside" | "header") {
        return false;
    }
    ["class", "id"].iter().filter_map(|attribute| dom::attribute(node, attribute)).any(|value| {
        value
            .split_whitespace()
            .filter(|token| {
                !token.starts_with("has-") && !token.starts_with("with-") && !token.starts_with("no-")
            })
            .any(|token| {
                // Only the first word of a name is significant: `menu-item-prices` is a menu, `lunch-menu` may be content.
                let first = token.split(['-', '_']).next().unwrap_or_default();
                CHROME_NAMES.contains(&token.to_ascii_lowercase().as_str())
                    || matches!(
                        first,
                        "cookie"
                            | "cookies"
                            | "consent"
                            | "breadcrumb"
                            | "breadcrumbs"
                            | "share"
                            | "social"
                            | "newsletter"
                            | "pagination"
                    )
            })
    })
}

/// Returns the number of visible characters below a node, counted up to `limit`.
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
                } else if NEVER_TEXT.contains(&dom::name(&inner)) || visibility.hides(&inner) {
                    skipped = Some(inner.id());
                }
            }
            ego_tree::iter::Edge::Close(inner) if skipped == Some(inner.id()) => skipped = None,
            _ => {}
        }
    }
    length
}
