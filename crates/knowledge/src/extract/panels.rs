//! Panels that are closed at first and that visitors open: accordions, tabs, slides, dialogs.

use std::collections::HashMap;

use scraper::Html;

use super::clean::clean_text;
use super::dom::{self, NodeRef};

/// Most tabs of a page that are read.
const MAX_TABS: usize = 200;

/// Most nodes inside a tab that are read.
const MAX_TAB_NODES: usize = 50;

/// Attributes of a control that name the panel that it opens.
const TARGET_ATTRIBUTES: [&str; 9] = [
    "aria-controls",
    "href",
    "data-target",
    "data-bs-target",
    "data-toggle-target",
    "data-tab",
    "data-open",
    "commandfor",
    "popovertarget",
];

/// Words in class names of panels. A name with one of them belongs to an accordion, a set of tabs or a
/// carousel.
const PANEL_WORDS: [&str; 14] = [
    "tab",
    "tabs",
    "tabpanel",
    "tabcontent",
    "accordion",
    "accordions",
    "collapse",
    "collapsible",
    "toggle",
    "faq",
    "slide",
    "slider",
    "carousel",
    "swiper",
];

/// Words beside them that mark an element as something else: the navigation of a small screen, or a copy that
/// a slider makes.
const NO_PANEL_WORDS: [&str; 6] = ["nav", "navbar", "menu", "cloned", "duplicate", "icon"];

/// Returns whether role or class name show that an element is a panel.
pub(super) fn is_panel(node: &NodeRef<'_>) -> bool {
    if dom::attribute_is(node, "role", "tabpanel") {
        return true;
    }
    let Some(classes) = dom::attribute(node, "class") else { return false };
    let mut found = false;
    for word in classes.split(|character: char| !character.is_ascii_alphanumeric()) {
        let word = word.to_ascii_lowercase();
        if NO_PANEL_WORDS.contains(&word.as_str()) {
            return false;
        }
        found |= PANEL_WORDS.contains(&word.as_str());
    }
    found
}

/// Returns the element directly before a panel with the button that opens it: the button itself, or a heading
/// around it. Such a button says with `aria-expanded` whether the panel is open.
pub(super) fn expander<'a>(panel: &NodeRef<'a>) -> Option<NodeRef<'a>> {
    let before = panel.prev_siblings().find(|sibling| sibling.value().is_element())?;
    let opens = |node: NodeRef<'a>| is_button(&node) && dom::attribute(&node, "aria-expanded").is_some();
    before.descendants().take(MAX_TAB_NODES).any(opens).then_some(before)
}

fn is_button(node: &NodeRef<'_>) -> bool {
    matches!(dom::name(node), "a" | "button" | "summary") || dom::attribute_is(node, "role", "button")
}

/// Returns the ids that a control names; none if the element is not a control.
pub(super) fn targets<'a>(node: &NodeRef<'a>) -> impl Iterator<Item = &'a str> {
    let name = dom::name(node);
    let is_control = is_button(node)
        || name == "label"
        || ["tab", "link"].iter().any(|role| dom::attribute_is(node, "role", role))
        || TARGET_ATTRIBUTES[2..5].iter().any(|attribute| dom::attribute(node, attribute).is_some());
    let node = *node;
    TARGET_ATTRIBUTES
        .into_iter()
        .filter(move |_| is_control)
        .filter_map(move |attribute| {
            let value = dom::attribute(&node, attribute)?.trim();
            // Other addresses than those of parts of the page open no panel.
            if attribute == "href" { value.strip_prefix('#') } else { Some(value.trim_start_matches('#')) }
        })
        .flat_map(str::split_whitespace)
}

/// Returns whether an element is the tab of a panel.
pub(super) fn is_tab(node: &NodeRef<'_>) -> bool {
    dom::attribute_is(node, "role", "tab")
        || ["data-toggle", "data-bs-toggle"]
            .iter()
            .any(|attribute| ["tab", "pill"].iter().any(|value| dom::attribute_is(node, attribute, value)))
}

/// Returns the labels of panels by their id: the text of their tabs.
pub(super) fn labels(document: &Html) -> HashMap<&str, String> {
    let mut labels = HashMap::new();
    for tab in dom::elements(document).filter(is_tab).take(MAX_TABS) {
        let text: String = tab
            .descendants()
            .take(MAX_TAB_NODES)
            .filter_map(|inner| inner.value().as_text().map(|text| &*text.text))
            .collect();
        let text = clean_text(&text);
        if !text.is_empty() {
            for id in targets(&tab) {
                labels.entry(id).or_insert_with(|| text.clone());
            }
        }
    }
    labels
}
