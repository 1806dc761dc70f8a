//! Detection of elements that visitors do not see.
//!
//! Instructions planted for assistants are usually in invisible text, so it is never extracted. Attributes and inline
//! styles are evaluated; rules in style sheets are not.

use std::collections::HashSet;

use ego_tree::NodeId;
use scraper::Html;

use super::dom::{self, NodeRef};

/// The hidden elements of one document.
#[derive(Debug)]
pub(super) struct Visibility {
    hidden: HashSet<NodeId>,
}

impl Visibility {
    pub(super) fn of(document: &Html) -> Self {
        let revealed = revealed_ids(document);
        let hidden = dom::elements(document)
            .filter(|node| {
                is_hidden(node) && !dom::attribute(node, "id").is_some_and(|id| revealed.contains(id))
            })
            .map(|node| node.id())
            .collect();
        Self { hidden }
    }

    /// Returns whether this element, and with it everything inside, is hidden.
    pub(super) fn hides(&self, node: &NodeRef<'_>) -> bool {
        self.hidden.contains(&node.id())
    }
}

/// Returns the ids of the panels that visitors open with a control on the page. Accordions and tabs are hidden at first,
/// but contain content written for people.
fn revealed_ids(document: &Html) -> HashSet<&str> {
    dom::elements(document)
        .filter(|node| {
            matches!(dom::name(node), "button" | "a" | "summary")
                || ["button", "tab"].iter().any(|role| dom::attribute_is(node, "role", role))
        })
        .filter(|node| {
            dom::attribute(node, "aria-expanded").is_some() || dom::attribute_is(node, "role", "tab")
        })
        .filter_map(|node| dom::attribute(&node, "aria-controls"))
        .flat_map(str::split_whitespace)
        .collect()
}

fn is_hidden(node: &NodeRef<'_>) -> bool {
    if dom::attribute(node, "hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found")) {
        return true;
    }
    dom::attribute_is(node, "aria-hidden", "true") || dom::attribute(node, "style").is_some_and(style_hides)
}

/// Returns whether an inline style hides its element.
fn style_hides(style: &str) -> bool {
    let style = style.to_ascii_lowercase();
    let mut clipped = false;
    let mut positioned = false;
    let mut no_size = false;
    // Page builders make elements transparent at first and fade them in when the visitor scrolls to them.
    let fades_in = ["transform", "transition", "will-change", "animation"]
        .iter()
        .any(|property| style.contains(property));
    for declaration in style.split(';') {
        let Some((property, value)) = declaration.split_once(':') else { continue };
        let value = value.trim().trim_end_matches("!important").trim();
        match property.trim() {
            "display" if value == "none" => return true,
            "visibility" | "content-visibility" if value == "hidden" || value == "collapse" => return true,
            "opacity" if !fades_in && length(value).is_some_and(|opacity| opacity < 0.02) => return true,
            "font-size" | "zoom" if length(value).is_some_and(|size| size < 0.02) || is_tiny(value) => {
                return true;
            }
            "color" if value == "transparent" => return true,
            "text-indent" | "left" | "top" | "right" | "bottom" | "margin-left" | "margin-top"
                if length(value).is_some_and(|offset| offset <= -500.0) =>
            {
                return true;
            }
            "transform" if value.contains("scale(0)") || value.contains("translatex(-9") => return true,
            "clip" | "clip-path" => {
                clipped |= value.starts_with("rect(0")
                    || value.starts_with("rect(1px")
                    || value.starts_with("inset(50%")
                    || value.starts_with("inset(100%")
                    || value.starts_with("circle(0");
            }
            "position" => positioned |= value == "absolute" || value == "fixed",
            "width" | "height" | "max-height" | "max-width" => {
                no_size |= length(value)
                    .is_some_and(|size| (0.0..=1.0).contains(&size) && !value.ends_with('%') || size == 0.0);
            }
            "overflow" => positioned |= value == "hidden",
            _ => {}
        }
    }
    clipped || (no_size && positioned)
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
            assert!(style_hides(style), "{style}");
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
            assert!(!style_hides(style), "{style}");
        }
    }

    #[test]
    fn panels_with_a_control_are_content() {
        let (document, _) = dom::parse(
            "<button aria-expanded=false aria-controls=p1>Q</button><div id=p1 hidden>A</div><div id=p2 hidden>B</div>",
        );
        let visibility = Visibility::of(&document);
        let hidden: Vec<_> = dom::elements(&document)
            .filter(|node| visibility.hides(node))
            .filter_map(|node| dom::attribute(&node, "id"))
            .collect();
        assert_eq!(hidden, ["p2"]);
    }
}
