//! A bounded HTML parser, and queries on its nodes.
//!
//! The time of the HTML algorithm grows with the product of nesting depth and size, and with the square of
//! the number of a tag's attributes. A hostile page could occupy a thread for minutes, so both are limited.
//! Pages written for people stay far below the limits.

use std::borrow::Cow;

use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, parse_document};
use scraper::node::{Element, Node};
use scraper::{Html, HtmlTreeSink};

/// A node of the parsed page.
pub(super) type NodeRef<'a> = ego_tree::NodeRef<'a, Node>;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 400;

/// Most nodes that are read. A list of prices of two megabytes has 300,000.
const MAX_NODES: usize = 500_000;

/// Most attributes of one tag that are read.
const MAX_ATTRIBUTES: usize = 256;

/// Size in bytes of the pieces in which input is parsed. The limits are checked between two pieces.
const PIECE_BYTES: usize = 2_048;

/// Returns the document tree of a page, and whether the input was cut at a limit.
///
/// The tree has at most half a million nodes, nested about 400 deep, however hostile the input is.
pub fn parse(text: &str) -> (Html, bool) {
    let text = limit_attributes(text);
    let mut parser = parse_document(HtmlTreeSink::new(Html::new_document()), ParseOpts::default());
    let mut rest: &str = &text;
    let mut truncated = false;
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(rest.ceil_char_boundary(PIECE_BYTES));
        parser.process(piece.into());
        rest = tail;
        if exceeds_bounds(&parser.tokenizer.sink.sink.0.borrow()) {
            truncated = !rest.is_empty();
            break;
        }
    }
    (parser.finish(), truncated)
}

fn exceeds_bounds(document: &Html) -> bool {
    let mut nodes = document.tree.nodes();
    if nodes.len() > MAX_NODES {
        return true;
    }
    nodes.next_back().is_some_and(|newest| newest.ancestors().take(MAX_DEPTH + 1).count() > MAX_DEPTH)
}

/// Removes the attributes of a tag beyond the limit.
fn limit_attributes(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut kept: Option<String> = None;
    let mut copied = 0;
    let mut position = 0;
    while let Some(offset) = bytes[position..].iter().position(|byte| *byte == b'<') {
        let start = position + offset;
        position = start + 1;
        if !bytes.get(position).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let (end, excess) = scan_tag(bytes, position);
        if let Some(excess) = excess {
            let kept = kept.get_or_insert_with(|| String::with_capacity(text.len()));
            kept.push_str(&text[copied..excess]);
            copied = end;
        }
        position = skip_raw_text(bytes, start + 1, end);
    }
    match kept {
        Some(mut kept) => {
            kept.push_str(&text[copied..]);
            Cow::Owned(kept)
        }
        None => Cow::Borrowed(text),
    }
}

/// Returns the end of the raw text that starts at `end` if the tag named at `name` contains raw text, else
/// `end`. Text in a script that looks like a tag is not one.
fn skip_raw_text(bytes: &[u8], name: usize, end: usize) -> usize {
    let is_named =
        |tag: &[u8]| bytes.get(name..name + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag));
    let Some(tag) = [&b"script"[..], b"style"].into_iter().find(|tag| is_named(tag)) else { return end };
    let closes = |window: &[u8]| window.starts_with(b"</") && window[2..].eq_ignore_ascii_case(tag);
    bytes[end..].windows(tag.len() + 2).position(closes).map_or(bytes.len(), |offset| end + offset)
}

/// Returns the index of the `>` (or the end of input) of the tag whose name starts at `start`, and the index
/// from which its attributes exceed the limit.
fn scan_tag(bytes: &[u8], start: usize) -> (usize, Option<usize>) {
    let mut quote = None;
    let mut attributes = 0;
    let mut excess = None;
    let mut separated = false;
    for (index, byte) in bytes.iter().enumerate().skip(start) {
        match (quote, *byte) {
            (Some(open), byte) if byte == open => {
                quote = None;
                separated = true;
            }
            (None, b'>') => return (index, excess),
            (None, b'"' | b'\'') if bytes[index - 1] == b'=' => quote = Some(*byte),
            (None, byte) if byte.is_ascii_whitespace() || byte == b'/' => separated = true,
            (None, _) if separated => {
                separated = false;
                attributes += 1;
                if attributes > MAX_ATTRIBUTES && excess.is_none() {
                    excess = Some(index);
                }
            }
            _ => {}
        }
    }
    (bytes.len(), excess)
}

/// Returns the element of a node, or `None` for another kind of node.
pub(super) fn element<'a>(node: &NodeRef<'a>) -> Option<&'a Element> {
    node.value().as_element()
}

/// Returns the tag name of a node, or `""` if it is not an element.
pub(super) fn name<'a>(node: &NodeRef<'a>) -> &'a str {
    element(node).map_or("", Element::name)
}

/// Returns an attribute of a node.
pub(super) fn attribute<'a>(node: &NodeRef<'a>, attribute: &str) -> Option<&'a str> {
    element(node).and_then(|element| element.attr(attribute))
}

/// Returns whether an attribute has exactly this value, ignoring case.
pub(super) fn attribute_is(node: &NodeRef<'_>, attribute_name: &str, value: &str) -> bool {
    attribute(node, attribute_name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
}

/// Returns the text in a node, including that of the elements in it.
pub(super) fn text(node: &NodeRef<'_>) -> String {
    node.descendants().filter_map(|inner| inner.value().as_text()).map(|text| &**text).collect()
}

/// Returns all elements of the document in document order.
pub(super) fn elements(document: &Html) -> impl Iterator<Item = NodeRef<'_>> {
    document.tree.root().descendants().filter(|node| node.value().is_element())
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn elements_in(html: &str) -> (usize, bool) {
        let (document, truncated) = parse(html);
        (elements(&document).count(), truncated)
    }

    #[test]
    fn ordinary_pages_are_read_whole() {
        let (count, truncated) = elements_in("<title>x</title><p>one<p>two");
        assert_eq!((count, truncated), (6, false));
    }

    #[test]
    fn endless_nesting_is_cut() {
        for tag in ["<div>", "<b>", "<table><tr><td>", "<ul><li>", "<svg>", "<span>"] {
            let (count, truncated) = elements_in(&tag.repeat(100_000));
            assert!(truncated, "{tag}");
            assert!(count < 10_000, "{tag}: {count}");
        }
        for tag in ["<p><b id=x>", "<a><b><i>", "</p>", "<br>", "<table>x", "<select><option>", "<li>"] {
            let (count, _) = elements_in(&tag.repeat(20_000));
            assert!(count < 2 * MAX_NODES, "{tag}: {count}");
        }
    }

    #[test]
    fn formatting_elements_do_not_multiply() {
        let mut html = String::new();
        for id in 0..20_000 {
            write!(html, "<b id={id}></p><p>").unwrap();
        }
        assert!(elements_in(&html).1);
    }

    #[test]
    fn attributes_of_one_tag_are_bounded() {
        let mut html = String::from("<p class=\"a > b\">before</p><div");
        for attribute in 0..200_000 {
            write!(html, " a{attribute}=\"v'\"").unwrap();
        }
        html.push_str(">inside</div><p>after</p>");
        let (document, _) = parse(&html);
        let div = elements(&document).find(|node| name(node) == "div").unwrap();
        assert_eq!(element(&div).unwrap().attrs().count(), MAX_ATTRIBUTES);
        let text: String = document.root_element().text().collect();
        assert_eq!(text, "beforeinsideafter");
    }

    #[test]
    fn ordinary_attributes_are_untouched() {
        for html in
            ["<a href='x y z' title=\"1 > 2\" b>", "a < b and c > d", "<", "<a", "<a href=", "x<b y='"]
        {
            assert!(matches!(limit_attributes(html), Cow::Borrowed(_)), "{html}");
        }
    }

    #[test]
    fn scripts_are_not_taken_for_tags() {
        let words = "d ".repeat(2 * MAX_ATTRIBUTES);
        for script in
            [format!("a <b {words}"), format!("a <b && c='{words}"), format!("if (a <b || \" {words}")]
        {
            let html = format!("<script>{script}</SCRIPT><p>text");
            assert!(matches!(limit_attributes(&html), Cow::Borrowed(_)), "{html}");
        }
        assert!(matches!(limit_attributes("<script>never closed <b "), Cow::Borrowed(_)));
    }
}
