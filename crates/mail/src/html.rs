//! HTML of messages: as text, and in a safe form.
//!
//! Both start from a parser with bounds on nesting and size, because the time of the HTML algorithm grows
//! with their product.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};
use ego_tree::iter::Edge;
use frontdesk_knowledge::parse_html;
use scraper::node::{Element, Node};

/// Longest address that a text names beside the words of its link, in bytes.
const MAX_LINK_BYTES: usize = 300;

/// Elements without visible text.
const INVISIBLE: &[&str] = &[
    "script", "style", "head", "title", "template", "noscript", "svg", "math", "object", "iframe", "select",
    "textarea",
];

/// Elements that begin and end a line.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tr",
    "ul",
];

/// Elements with an empty line around them.
const SPACED: &[&str] =
    &["blockquote", "dl", "h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "table", "ul"];

/// Returns the visible text of HTML, and whether it was cut. Quoted parts begin with `> `, as in plain text.
pub(crate) fn to_text(html: &str) -> (String, bool) {
    let (document, is_cut) = parse_html(html);
    let mut text = Text::default();
    let mut hidden = 0_usize;
    for edge in document.tree.root().traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(element) => {
                    if hidden > 0 || is_hidden(element) {
                        hidden += 1;
                    } else {
                        text.open(element);
                    }
                }
                Node::Text(found) if hidden == 0 => text.push(found),
                _ => {}
            },
            Edge::Close(node) => {
                if let Node::Element(element) = node.value() {
                    if hidden > 0 {
                        hidden -= 1;
                    } else {
                        text.close(element);
                    }
                }
            }
        }
    }
    (text.out, is_cut)
}

/// Returns whether nobody sees an element. Senders hide text that is meant for programs.
fn is_hidden(element: &Element) -> bool {
    if INVISIBLE.contains(&element.name()) || element.attr("hidden").is_some() {
        return true;
    }
    let Some(style) = element.attr("style") else { return false };
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    let zero = |name: &str| {
        style.split(';').any(|rule| {
            let value = rule.strip_prefix(name).and_then(|rest| rest.strip_prefix(':'));
            value.is_some_and(|value| {
                matches!(value.trim_end_matches("!important"), "0" | "0px" | "0pt" | "0em" | "0%")
            })
        })
    };
    style.contains("display:none")
        || style.contains("visibility:hidden")
        || zero("font-size")
        || zero("opacity")
        || zero("max-height")
}

/// Text that is being written.
#[derive(Debug, Default)]
struct Text {
    out: String,
    quotes: usize,
    preformatted: usize,
    /// Line feeds that come before the next word.
    line_feeds: usize,
    has_space: bool,
    links: Vec<(String, usize)>,
}

impl Text {
    fn open(&mut self, element: &Element) {
        let name = element.name();
        if BLOCKS.contains(&name) {
            self.break_line(if SPACED.contains(&name) { 2 } else { 1 });
        }
        match name {
            "br" => self.line_feeds = (self.line_feeds + 1).min(2),
            "blockquote" => self.quotes += 1,
            "pre" => self.preformatted += 1,
            "li" => self.push("- "),
            "td" | "th" => self.has_space = true,
            "a" => {
                let address = element.attr("href").unwrap_or_default().trim();
                self.links.push((address.to_owned(), self.out.len()));
            }
            "img" => {
                if let Some(alt) =
                    element.attr("alt").map(str::trim).filter(|alt| !alt.is_empty() && alt.len() <= 200)
                {
                    self.push(alt);
                }
            }
            _ => {}
        }
    }

    fn close(&mut self, element: &Element) {
        let name = element.name();
        match name {
            "pre" => self.preformatted = self.preformatted.saturating_sub(1),
            "a" => {
                if let Some((address, start)) = self.links.pop() {
                    self.link(&address, start);
                }
            }
            _ => {}
        }
        if BLOCKS.contains(&name) {
            self.break_line(if SPACED.contains(&name) { 2 } else { 1 });
        }
        if name == "blockquote" {
            // The empty line after a quote is not a part of it.
            self.quotes = self.quotes.saturating_sub(1);
        }
    }

    /// Writes the address of a link, unless its words are the address.
    fn link(&mut self, address: &str, start: usize) {
        let words = self.out.get(start..).unwrap_or_default().trim().to_owned();
        let is_web = address.starts_with("https://") || address.starts_with("http://");
        let bare = |text: &str| {
            text.trim_start_matches("https://").trim_start_matches("http://").trim_end_matches('/').to_owned()
        };
        if is_web
            && !words.is_empty()
            && address.len() <= MAX_LINK_BYTES
            && !bare(&words).contains(&bare(address))
        {
            self.push(&format!(" <{address}>"));
        }
    }

    fn break_line(&mut self, line_feeds: usize) {
        self.line_feeds = self.line_feeds.max(line_feeds);
        self.has_space = false;
    }

    fn push(&mut self, text: &str) {
        if self.preformatted > 0 {
            for (index, line) in text.split('\n').enumerate() {
                if index > 0 {
                    self.line_feeds += 1;
                }
                if !line.trim().is_empty() {
                    self.word(line);
                }
            }
            return;
        }
        if text.starts_with(char::is_whitespace) {
            self.has_space = true;
        }
        for (index, word) in text.split_whitespace().enumerate() {
            self.has_space |= index > 0;
            self.word(word);
        }
        if text.ends_with(char::is_whitespace) {
            self.has_space = true;
        }
    }

    fn word(&mut self, word: &str) {
        if !self.out.is_empty() {
            for _ in 0..self.line_feeds {
                self.out.push('\n');
            }
        }
        if self.out.is_empty() || self.out.ends_with('\n') {
            if self.quotes > 0 {
                self.out.push_str(&">".repeat(self.quotes.min(10)));
                self.out.push(' ');
            }
        } else if self.has_space {
            self.out.push(' ');
        }
        (self.line_feeds, self.has_space) = (0, false);
        self.out.push_str(word);
    }
}

/// The sanitiser. Nothing that remains loads from another host or runs: an image of another host would report
/// who has read the message.
static SANITIZER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::default();
    let no_attributes: HashMap<&'static str, HashSet<&'static str>> = HashMap::from([
        ("a", HashSet::from(["href", "title"])),
        ("img", HashSet::from(["src", "alt", "width", "height"])),
        ("td", HashSet::from(["colspan", "rowspan"])),
        ("th", HashSet::from(["colspan", "rowspan"])),
        ("ol", HashSet::from(["start"])),
    ]);
    builder
        .tag_attributes(no_attributes)
        .generic_attributes(HashSet::from(["dir", "lang"]))
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel", "cid"]))
        .url_relative(UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .clean_content_tags(HashSet::from([
            "script", "style", "title", "head", "noscript", "template", "iframe", "object",
        ]))
        .attribute_filter(|element, attribute, value| {
            // `cid:` names an attachment, which only images are; links to attachments would not work.
            let is_attachment =
                value.trim_start().get(..4).is_some_and(|start| start.eq_ignore_ascii_case("cid:"));
            match (element, attribute) {
                ("img", "src") => is_attachment.then_some(Cow::Borrowed(value)),
                ("a", "href") if is_attachment => None,
                _ => Some(Cow::Borrowed(value)),
            }
        });
    builder
});

/// Returns HTML in a form that is safe to show: no scripts, styles, forms or embedded documents, links to the
/// web, mail and telephone only, and images only if they are attached.
pub fn sanitize(html: &str) -> String {
    let (document, _) = parse_html(html);
    SANITIZER.clean(&document.root_element().inner_html()).to_string().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_lines_quotes_and_addresses() {
        let html = "<html><head><title>x</title><style>p{}</style></head><body><p>Dear <b>shop</b>,<br>see \
            <a href='https://acme.example/a'>this</a> and <a href=\"https://acme.example/\">acme.example</a></p><ul><li>one</li>\
            <li>two</li></ul><div>Bye</div><blockquote>Earlier<blockquote>first</blockquote></blockquote><p>End</p></body></html>";
        let (text, is_cut) = to_text(html);
        assert_eq!(
            text,
            "Dear shop,\nsee this <https://acme.example/a> and acme.example\n\n- one\n- two\n\nBye\n\n> Earlier\n\n>> first\n\nEnd"
        );
        assert!(!is_cut);
    }

    #[test]
    fn hidden_text_is_not_read() {
        for hidden in [
            "<span style='display: none'>x</span>",
            "<div hidden>x</div>",
            "<p style='font-size:0px'>x</p>",
            "<style>x</style>",
            "<p style='visibility:hidden'><b>x</b></p>",
            "<!-- x -->",
            "<script>x</script>",
            "<p style='opacity:0'>x</p>",
        ] {
            assert_eq!(to_text(&format!("<p>a</p>{hidden}")).0, "a", "{hidden}");
        }
        assert_eq!(to_text("<p style='font-size:0.9em;opacity:0.5'>a</p>").0, "a");
    }

    #[test]
    fn nothing_that_runs_or_loads_remains() {
        for (html, expected) in [
            ("<p onclick=alert(1)>a</p>", "<p>a</p>"),
            ("a<script>alert(1)</script>", "a"),
            ("<a href='javascript:alert(1)'>a</a>", "<a rel=\"noopener noreferrer nofollow\">a</a>"),
            ("<a href=' JaVaScRiPt:alert(1)'>a</a>", "<a rel=\"noopener noreferrer nofollow\">a</a>"),
            ("<a href='/local'>a</a>", "<a rel=\"noopener noreferrer nofollow\">a</a>"),
            ("<img src='https://tracker.example/1.gif' alt=a>", "<img alt=\"a\">"),
            ("<img src='cid:1@x' alt=a>", "<img alt=\"a\" src=\"cid:1@x\">"),
            ("<img src=x onerror=alert(1)>", "<img>"),
            ("<iframe src='https://evil.example'></iframe>a", "a"),
            ("<form action='https://evil.example'><input name=a>b</form>", "b"),
            ("<p style='background:url(https://evil.example)'>a</p>", "<p>a</p>"),
            ("<svg><style><img src=x onerror=alert(1)></style></svg>a", "<img>a"),
            (
                "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
                "",
            ),
            (
                "<meta http-equiv=refresh content='0;url=https://evil.example'><base href='https://evil.example'>a",
                "a",
            ),
            ("<object data=x></object><embed src=x>a", "a"),
        ] {
            let clean = sanitize(html);
            assert!(!clean.contains("alert(1)") || clean.contains("&lt;"), "{html}: {clean}");
            assert!(!clean.contains("evil.example") && !clean.contains("onerror="), "{html}: {clean}");
            if !expected.is_empty() {
                assert_eq!(clean, expected, "{html}");
            }
        }
    }

    /// HTML that repeats one tag so often that a step whose time grows with the square of the length would
    /// take hours.
    fn hostile_html() -> impl Iterator<Item = (&'static str, String)> {
        let tags = [
            "<div>",
            "<b>",
            "<table><tr><td>",
            "<p><font size=1>",
            "<blockquote>",
            "<a href=x>",
            "</p>",
            "<svg>",
            "<!--",
        ];
        tags.into_iter().map(|tag| (tag, tag.repeat(150_000)))
    }

    #[test]
    fn hostile_html_is_read() {
        for (tag, html) in hostile_html() {
            let (text, _) = to_text(&html);
            assert!(text.trim().len() < 100, "{tag}: {text:?}");
        }
    }

    #[test]
    fn hostile_html_is_cleaned() {
        for (tag, html) in hostile_html() {
            let clean = sanitize(&html);
            assert!(!clean.contains("<svg") && !clean.contains("<!--"), "{tag}");
        }
    }
}
