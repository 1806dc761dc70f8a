//! The text and the HTML of a message.

use std::collections::HashSet;

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::{
    alternative,
    attachment::WrappedText,
    headers, html,
    limits::Limits,
    part_text::{self, Format},
    plain,
};

/// How deep forwarded messages within others are read.
const MAX_FORWARDS: usize = 3;

/// Forwarded messages that are read, if a message consists of them.
const MAX_FORWARDED: usize = 50;

/// Text and HTML, both safe to show.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) html: Option<String>,
    pub(crate) is_truncated: bool,
    /// The parts that it consists of. All others are files.
    pub(crate) parts: HashSet<usize>,
}

/// Reads the text and the HTML: all parts that are shown, in their order.
pub(crate) fn read(message: &Message<'_>, limits: &Limits) -> Body {
    let mut reader = Reader { message, limits, parts: HashSet::new(), html_bytes: 0, is_truncated: false };
    let root = Place { is_first: true, in_related: false };
    let shown = reader.part(0, root).unwrap_or_default();
    let mut text = plain::clean(&shown.text);
    let is_truncated = reader.is_truncated | cut(&mut text, limits.text_bytes);
    let html = shown.html.filter(|html| !html.trim().is_empty());
    Body { text, html, is_truncated, parts: reader.parts }
}

impl Body {
    /// Looks for the text elsewhere if there is none: in `winmail.dat`, in an invitation, in forwarded
    /// messages, and at last in a file. All of these stay attached.
    pub(crate) fn complete(&mut self, message: &Message<'_>, wrapped: Option<WrappedText>, limits: &Limits) {
        if !self.text.is_empty() {
            return;
        }
        if let Some(WrappedText { text, html }) = wrapped {
            let mut source = html.unwrap_or_default();
            self.is_truncated |= cut(&mut source, limits.text_bytes);
            let (from_html, is_cut) = html::to_text(&source);
            self.is_truncated |= is_cut;
            self.text = plain::clean(&text.filter(|text| !text.trim().is_empty()).unwrap_or(from_html));
            let html = self.html.take().unwrap_or_else(|| html::sanitize(&source));
            self.html = Some(html).filter(|html| !html.is_empty());
        }
        if self.text.is_empty() {
            self.text = plain::clean(&self.in_files(message, Format::Calendar, limits));
        }
        if self.text.is_empty() {
            self.text = plain::clean(&forwarded(message, limits, MAX_FORWARDS));
        }
        if self.text.is_empty() {
            self.text = plain::clean(&self.in_files(message, Format::Plain, limits));
        }
        self.is_truncated |= cut(&mut self.text, limits.text_bytes);
    }

    /// Returns the text of the first file with a format.
    fn in_files(&self, message: &Message<'_>, format: Format, limits: &Limits) -> String {
        let files = message.parts.iter().enumerate().filter(|(id, _)| !self.parts.contains(id));
        let file = files.map(|(_, part)| part).find(|part| part_text::format(part) == Some(format));
        file.map(|part| part_text::text(message, part, format, limits)).unwrap_or_default()
    }
}

/// Returns the messages that are attached to one without words of its own, as programs show them.
fn forwarded(message: &Message<'_>, limits: &Limits, depth: usize) -> String {
    let mut text = String::new();
    let nested = message.parts.iter().filter_map(|part| match &part.body {
        PartType::Message(nested) => Some(nested),
        _ => None,
    });
    for nested in nested.take(MAX_FORWARDED) {
        let mut body = read(nested, limits);
        if body.text.is_empty() && depth > 1 {
            body.text = forwarded(nested, limits, depth - 1);
        }
        text.push_str("---------- Forwarded message ----------\n");
        let lists = [("From", nested.from()), ("To", nested.to())];
        for (name, list) in lists {
            let people: Vec<String> = headers::mailboxes(list)
                .into_iter()
                .take(10)
                .map(|person| match person.name {
                    Some(name) => format!("{name} <{}>", person.address),
                    None => person.address,
                })
                .collect();
            if !people.is_empty() {
                text.push_str(&format!("{name}: {}\n", people.join(", ")));
            }
        }
        if let Some(date) = headers::date(nested) {
            text.push_str(&format!("Date: {}\n", date.strftime("%Y-%m-%d %H:%M UTC")));
        }
        let subject = plain::clean_line(nested.subject().unwrap_or_default());
        if !subject.is_empty() {
            text.push_str(&format!("Subject: {subject}\n"));
        }
        text.push_str(&format!("\n{}\n\n", body.text));
        if text.len() > limits.text_bytes {
            break;
        }
    }
    text
}

/// What a part shows.
#[derive(Debug, Default)]
struct Shown {
    text: String,
    /// In a safe form. `None` if the part is plain text.
    html: Option<String>,
}

/// Where a part is.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// It is the first one of its multipart.
    is_first: bool,
    /// It belongs to the part before it, as pictures do.
    in_related: bool,
}

struct Reader<'a, 'x> {
    message: &'a Message<'x>,
    limits: &'a Limits,
    parts: HashSet<usize>,
    /// Size of the HTML that was read.
    html_bytes: usize,
    is_truncated: bool,
}

impl Reader<'_, '_> {
    /// Returns what a part shows, `None` if it is a file.
    fn part(&mut self, id: usize, place: Place) -> Option<Shown> {
        let message = self.message;
        let part = message.parts.get(id)?;
        if let PartType::Multipart(children) = &part.body {
            // A part is within one other, so a part that was seen is a fault of the parser.
            let children: Vec<usize> =
                children.iter().filter_map(|child| usize::try_from(*child).ok()).collect();
            if !self.parts.insert(id) {
                return None;
            }
            return match part.content_type().and_then(mail_parser::ContentType::subtype) {
                Some("alternative") => self.alternatives(&children),
                Some("related") => self.several(&children, true),
                _ => self.several(&children, false),
            };
        }
        let format = part_text::format(part).filter(|format| *format != Format::Calendar)?;
        let is_shown = (place.is_first || !place.in_related) && !part_text::is_file(part, place.is_first);
        if !is_shown || !self.parts.insert(id) {
            return None;
        }
        if format == Format::Rtf {
            // Its pictures and tables are not in the text.
            self.parts.remove(&id);
        }
        Some(self.leaf(part, format))
    }

    fn leaf(&mut self, part: &MessagePart<'_>, format: Format) -> Shown {
        let mut source = part_text::text(self.message, part, format, self.limits);
        if format != Format::Html {
            return Shown { text: source, html: None };
        }
        self.is_truncated |= cut(&mut source, self.limits.text_bytes.saturating_sub(self.html_bytes));
        self.html_bytes += source.len();
        let (text, is_cut) = html::to_text(&source);
        self.is_truncated |= is_cut;
        Shown { text, html: Some(html::sanitize(&source)) }
    }

    fn several(&mut self, children: &[usize], in_related: bool) -> Option<Shown> {
        let mut shown: Vec<Shown> = Vec::new();
        let mut is_first = true;
        for child in children {
            match (self.part(*child, Place { is_first, in_related }), shown.last_mut()) {
                // Both formats one after the other are the same text.
                (Some(rich), Some(plain)) if plain.html.is_none() && rich.html.is_some() => {
                    if alternative::says_the_same(&plain.text, &rich.text) {
                        plain.html = rich.html;
                    } else {
                        shown.push(rich);
                    }
                }
                (found, _) => shown.extend(found),
            }
            // Pictures may precede the text that they belong to.
            is_first &= in_related && !self.is_text(*child);
        }
        joined(shown)
    }

    fn is_text(&self, id: usize) -> bool {
        let part = self.message.parts.get(id);
        part.is_some_and(|part| {
            matches!(part.body, PartType::Multipart(_)) || part_text::format(part).is_some()
        })
    }

    /// Returns the plain text and the HTML of a part that has both, unless the plain text is only a
    /// placeholder.
    fn alternatives(&mut self, children: &[usize]) -> Option<Shown> {
        let (mut plain, mut rich, mut other) = (Vec::new(), Vec::new(), Vec::new());
        for child in children {
            let format = self.message.parts.get(*child).and_then(part_text::format);
            let Some(shown) = self.part(*child, Place { is_first: true, in_related: false }) else {
                continue;
            };
            if shown.html.is_some() {
                rich.push(shown);
            } else if matches!(format, None | Some(Format::Plain)) {
                plain.push(shown);
            } else {
                other.push(shown);
            }
        }
        let Some(rich) = joined(rich) else {
            let plain = joined(plain).filter(|plain| !plain.text.trim().is_empty());
            return plain.or_else(|| joined(other));
        };
        match joined(plain) {
            Some(plain) if !alternative::prefers_html(&plain.text, &rich.text) => {
                Some(Shown { text: plain.text, html: rich.html })
            }
            _ => Some(rich),
        }
    }
}

/// Puts parts together that are shown one below the other. If one of them is HTML, all are.
fn joined(mut parts: Vec<Shown>) -> Option<Shown> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    let text = texts.join("\n\n");
    let html = parts.iter().any(|part| part.html.is_some()).then(|| {
        let parts = parts.iter().map(|part| part.html.clone().unwrap_or_else(|| as_html(&part.text)));
        parts.filter(|html| !html.is_empty()).collect::<Vec<_>>().join("\n")
    });
    Some(Shown { text, html })
}

/// Returns plain text as HTML.
fn as_html(text: &str) -> String {
    let text = plain::clean(text);
    if text.is_empty() {
        return text;
    }
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("<p>{}</p>", escaped.replace('\n', "<br>"))
}

/// Cuts a text to a number of bytes. Returns whether it was longer.
fn cut(text: &mut String, bytes: usize) -> bool {
    let is_longer = text.len() > bytes;
    if is_longer {
        text.truncate(text.floor_char_boundary(bytes));
    }
    is_longer
}
