//! Detection of elements that visitors do not see.
//!
//! Instructions planted for assistants are usually in invisible text, so it is never extracted. Attributes
//! and inline styles are evaluated; rules in style sheets are not. Closed panels, such as those of accordions
//! and tabs, are content: see [`super::panels`].

use std::collections::HashSet;

use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::Html;

use super::dom::{self, NodeRef};
use super::panels;

/// How often the controls of panels are looked for: panels may contain controls of further panels.
const ROUNDS: usize = 3;

/// The hidden elements of one document.
#[derive(Debug)]
pub(super) struct Visibility {
    hidden: HashSet<NodeId>,
}

/// How an element is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hiding {
    /// As scripts hide a panel that is closed: `display: none`, `hidden`, no height.
    Closed,
    /// In a way that no panel is closed, such as text outside of the screen or without a size.
    Concealed,
}

impl Visibility {
    pub(super) fn of(document: &Html) -> Self {
        let mut closed = Vec::new();
        let mut hidden = HashSet::new();
        for node in dom::elements(document) {
            match hiding(&node) {
                Some(Hiding::Closed) if panels::is_panel(&node) || is_expandable(&node) => {}
                Some(Hiding::Closed) => {
                    closed.push((node.id(), dom::attribute(&node, "id")));
                    hidden.insert(node.id());
                }
                Some(Hiding::Concealed) => {
                    hidden.insert(node.id());
                }
                None => {}
            }
        }
        let mut visibility = Self { hidden };
        for _ in 0..ROUNDS {
            if closed.is_empty() {
                break;
            }
            let targets = visibility.targets_of_visible_controls(document);
            let before = closed.len();
            closed.retain(|(node, id)| {
                let is_opened = id.is_some_and(|id| targets.contains(id));
                if is_opened {
                    visibility.hidden.remove(node);
                }
                !is_opened
            });
            if closed.len() == before {
                break;
            }
        }
        visibility
    }

    /// Returns whether this element, and with it everything inside, is hidden.
    pub(super) fn hides(&self, node: &NodeRef<'_>) -> bool {
        self.hidden.contains(&node.id())
    }

    /// Returns the ids of the elements that visitors open with a control. A control that visitors cannot see
    /// opens nothing.
    fn targets_of_visible_controls<'a>(&self, document: &'a Html) -> HashSet<&'a str> {
        let mut targets = HashSet::new();
        let mut inside = None;
        for edge in document.tree.root().traverse() {
            match edge {
                Edge::Open(node) if inside.is_none() => {
                    if self.hides(&node) {
                        inside = Some(node.id());
                    } else {
                        targets.extend(panels::targets(&node));
                    }
                }
                Edge::Close(node) if inside == Some(node.id()) => inside = None,
                _ => {}
            }
        }
        targets
    }
}

/// Returns whether visitors see the button directly before an element that opens it.
fn is_expandable(node: &NodeRef<'_>) -> bool {
    panels::expander(node).is_some_and(|expander| hiding(&expander).is_none())
}

fn hiding(node: &NodeRef<'_>) -> Option<Hiding> {
    let style = dom::attribute(node, "style").and_then(style_hides);
    if style == Some(Hiding::Concealed) {
        return style;
    }
    let is_closed = dom::attribute(node, "hidden")
        .is_some_and(|value| !value.eq_ignore_ascii_case("until-found"))
        || dom::attribute_is(node, "aria-hidden", "true")
        || (dom::name(node) == "dialog" && dom::attribute(node, "open").is_none());
    if is_closed { Some(Hiding::Closed) } else { style }
}

/// Returns how an inline style hides its element.
fn style_hides(style: &str) -> Option<Hiding> {
    let style = style.to_ascii_lowercase();
    let mut clipped = false;
    let mut positioned = false;
    let mut no_size = false;
    let mut no_height = false;
    let mut closed = false;
    // Page builders make elements transparent at first and fade them in when the visitor scrolls to them.
    let fades_in = ["transform", "transition", "will-change", "animation"]
        .iter()
        .any(|property| style.contains(property));
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let value = value.trim().trim_end_matches("!important").trim();
        match property.trim() {
            "display" if value == "none" => closed = true,
            "visibility" | "content-visibility" if value == "hidden" || value == "collapse" => closed = true,
            "opacity" if !fades_in && length(value).is_some_and(|opacity| opacity < 0.02) => {
                return Some(Hiding::Concealed);
            }
            "font-size" | "zoom" if length(value).is_some_and(|size| size < 0.02) || is_tiny(value) => {
                return Some(Hiding::Concealed);
            }
            "color" if value == "transparent" => return Some(Hiding::Concealed),
            "text-indent" | "left" | "top" | "right" | "bottom" | "margin-left" | "margin-top"
                if length(value).is_some_and(|offset| offset <= -500.0) =>
            {
                return Some(Hiding::Concealed);
            }
            "transform" if value.contains("scale(0)") || value.contains("translatex(-9") => {
                return Some(Hiding::Concealed);
            }
            "clip" | "clip-path" => {
                clipped |= value.starts_with("rect(0")
                    || value.starts_with("rect(1px")
                    || value.starts_with("inset(50%")
                    || value.starts_with("inset(100%")
                    || value.starts_with("circle(0");
            }
            "position" => positioned |= value == "absolute" || value == "fixed",
            "height" | "max-height" if length(value) == Some(0.0) => no_height = true,
            "width" | "height" | "max-height" | "max-width" => {
                no_size |= length(value)
                    .is_some_and(|size| (0.0..=1.0).contains(&size) && !value.ends_with('%') || size == 0.0);
            }
            "overflow" => positioned |= value == "hidden",
            _ => {}
        }
    }
    if clipped || (no_size && positioned) {
        return Some(Hiding::Concealed);
    }
    (closed || (no_height && positioned)).then_some(Hiding::Closed)
}

/// Returns whether a font is too small to be seen: one or two pixels.
fn is_tiny(value: &str) -> bool {
    value.ends_with("px") && length(value).is_some_and(|size| size <= 2.0)
}

/// Returns the number that a CSS length starts with.
fn length(value: &str) -> Option<f64> {
    let end = value
        .char_indices()
        .find(|(index, character)| {
            !(character.is_ascii_digit()
                || *character == '.'
                || (*index == 0 && matches!(character, '-' | '+')))
        })
        .map_or(value.len(), |(index, _)| index);
    value[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_that_hide() {
        let hiding = [
            "display:none",
            "DISPLAY : NONE !important",
            "color:red;display:none",
            "visibility:hidden",
            "opacity:0",
            "opacity: 0.01",
            "font-size:0",
            "font-size:0px",
            "font-size:1px",
            "position:absolute;left:-9999px",
            "text-indent:-9999px",
            "height:0;overflow:hidden",
            "width:1px;height:1px;position:absolute;overflow:hidden",
            "clip:rect(0,0,0,0);position:absolute",
            "clip-path: inset(50%)",
            "transform:scale(0)",
            "color:transparent",
            "margin-left:-10000px",
            "top:-1000em",
        ];
        for style in hiding {
            assert!(style_hides(style).is_some(), "{style}");
        }
        let showing = [
            "",
            "display:block",
            "visibility:visible",
            "opacity:1",
            "opacity:.9",
            "font-size:12px",
            "font-size:0.8em",
            "left:-20px;position:absolute",
            "height:0",
            "width:100%;overflow:hidden",
            "width:1px",
            "color:#fff",
            "nonsense",
            ":::",
            "opacity:0;transform:translateY(20px)",
            "height:1%;position:absolute",
            "margin-left:-15px",
            "background:url(data:;display:nonexistent)",
        ];
        for style in showing {
            assert!(style_hides(style).is_none(), "{style}");
        }
    }

    #[test]
    fn panels_that_visitors_can_open_are_content() {
        let (document, _) = dom::parse(
            "<button aria-expanded=false aria-controls=a>Q</button><div id=a hidden>A</div>\
             <a href='#b'>Tab</a><div id=b style='display:none'>B</div>\
             <button data-bs-target='#c'>Q</button><div id=c style='height:0;overflow:hidden'>C</div>\
             <div class='tab-pane fade' style='display:none'>D</div><div role=tabpanel hidden>E</div>\
             <a href='#f'>Q</a><div id=f hidden><a href='#g'>Q</a><div id=g hidden>G</div></div>\
             <h3><button aria-expanded=false>Q</button></h3> <div hidden>H</div>\
             <div role=button aria-expanded=true>Q</div><p hidden>I</p>\
             <div hidden id=1><a href='#2'>Q</a></div><div id=2 hidden>no control</div><div id=3 hidden>none</div>\
             <a href='#4'>Q</a><div id=4 style='font-size:0'>concealed</div>\
             <a href='#5' style='text-indent:-9999px'>Q</a><div id=5 hidden>concealed control</div>\
             <div class=accordion-body style='position:absolute;left:-9999px' id=6>concealed</div>\
             <button>Send</button><div hidden id=7>no button for it</div>\
             <button aria-expanded=false hidden id=8>Q</button><div hidden id=9>hidden button</div>\
             <button aria-expanded=false>Q</button><div>A</div><div hidden id=10>not directly behind it</div>",
        );
        let visibility = Visibility::of(&document);
        let hidden: Vec<_> = dom::elements(&document)
            .filter(|node| visibility.hides(node))
            .filter_map(|node| dom::attribute(&node, "id"))
            .collect();
        assert_eq!(hidden, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    }
}
