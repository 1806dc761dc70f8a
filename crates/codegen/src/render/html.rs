//! HTML in the document's prose, as Markdown. Anything else in angle brackets is a placeholder and becomes
//! code.

use pulldown_cmark::{Event, Options, Parser};

/// The extensions that rustdoc reads, so that both see the same structure.
pub(crate) const EXTENSIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// The prose with its HTML as Markdown; code stays as it is.
pub(super) fn to_markdown(text: &str) -> String {
    if !text.contains('<') {
        return text.to_owned();
    }
    let mut converter = Converter { converted: String::with_capacity(text.len()), targets: Vec::new() };
    let mut at = 0;
    for (event, range) in Parser::new_ext(text, EXTENSIONS).into_offset_iter() {
        if matches!(event, Event::Html(_) | Event::InlineHtml(_)) && range.start >= at {
            converter.converted.push_str(&text[at..range.start]);
            converter.stretch(&text[range.clone()]);
            at = range.end;
        }
    }
    converter.converted.push_str(&text[at..]);
    converter.converted
}

struct Converter {
    converted: String,
    /// Targets of the links that are open; `None` for an `a` element without one.
    targets: Vec<Option<String>>,
}

impl Converter {
    /// A tag, or the lines of an HTML block with text between their tags.
    fn stretch(&mut self, source: &str) {
        let mut rest = source;
        while let Some(start) = rest.find('<') {
            self.converted.push_str(&rest[..start]);
            rest = &rest[start..];
            if rest.starts_with("<!--") {
                rest = rest.find("-->").map_or("", |end| &rest[end + 3..]);
                continue;
            }
            match rest.find('>') {
                Some(end) if self.tag(&rest[..=end]) => rest = &rest[end + 1..],
                // Not a tag at all: a declaration, a processing instruction, a loose bracket.
                _ => {
                    self.converted.push_str("\\<");
                    rest = &rest[1..];
                }
            }
        }
        self.converted.push_str(rest);
    }

    /// Writes what stands for a tag; `false` if it is none.
    fn tag(&mut self, tag: &str) -> bool {
        let inner = tag.trim_start_matches('<').trim_end_matches('>').trim_end_matches('/').trim();
        let closing = inner.starts_with('/');
        let inner = inner.trim_start_matches('/');
        let name: String = inner.chars().take_while(|character| !character.is_whitespace()).collect();
        match name.to_ascii_lowercase().as_str() {
            "b" | "strong" => self.converted.push_str("**"),
            "i" | "em" => self.converted.push('*'),
            "code" | "tt" | "kbd" | "samp" | "var" => self.converted.push('`'),
            "br" => self.converted.push_str("  \n"),
            "hr" => self.converted.push_str("\n\n---\n\n"),
            "p" | "div" | "ul" | "ol" | "dl" | "table" | "blockquote" | "details" | "section" => {
                self.converted.push_str("\n\n");
            }
            "li" if !closing => self.converted.push_str("\n- "),
            "tr" | "dt" | "dd" | "summary" if !closing => self.converted.push_str("\n\n"),
            "td" | "th" if !closing => self.converted.push(' '),
            "pre" => self.converted.push_str(if closing { "\n```\n\n" } else { "\n\n```text\n" }),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if closing => self.converted.push_str("\n\n"),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                let level = usize::from(name.as_bytes()[1] - b'0');
                self.converted.push_str("\n\n");
                self.converted.push_str(&"#".repeat(level));
                self.converted.push(' ');
            }
            "a" if closing => {
                if let Some(Some(target)) = self.targets.pop() {
                    self.converted.push_str("](");
                    self.converted.push_str(&target);
                    self.converted.push(')');
                }
            }
            "a" => {
                let target = attribute(inner, "href");
                if target.is_some() {
                    self.converted.push('[');
                }
                self.targets.push(target);
            }
            "img" => self.converted.push_str(&attribute(inner, "alt").unwrap_or_default()),
            name if ELEMENTS.contains(&name) => {}
            name if name.starts_with(|character: char| character.is_ascii_alphabetic()) => {
                self.converted.push('`');
                self.converted.push_str(tag);
                self.converted.push('`');
            }
            _ => return false,
        }
        true
    }
}

/// The value of an attribute of a tag, if it can stand in a Markdown link.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!("{name}="))? + name.len() + 1;
    let value = &tag[start..];
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split_whitespace().next()?,
    };
    (!value.is_empty() && !value.contains(['\n', '(', ')'])).then(|| value.trim().replace(' ', "%20"))
}

/// Elements whose tags add nothing to the prose.
const ELEMENTS: &[&str] = &[
    "abbr",
    "article",
    "aside",
    "big",
    "caption",
    "center",
    "cite",
    "col",
    "colgroup",
    "dd",
    "del",
    "dfn",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "header",
    "iframe",
    "input",
    "ins",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "mark",
    "nav",
    "noscript",
    "option",
    "picture",
    "q",
    "s",
    "script",
    "select",
    "small",
    "source",
    "span",
    "strike",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "tr",
    "u",
    "video",
    "wbr",
];
