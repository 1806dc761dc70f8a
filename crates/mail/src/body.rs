//! The text and the HTML of a message.

use std::{borrow::Cow, collections::HashSet};

use mail_parser::{Encoding, Message, MessagePart, MimeHeaders, PartType};

use crate::{html, limits::Limits, plain, raw_part::raw_part};

/// Text and HTML, both safe to show.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) html: Option<String>,
    pub(crate) is_truncated: bool,
}

/// Reads the text and the HTML. `other` is the text of a body that is not MIME, such as that of `winmail.dat`.
pub(crate) fn read(message: &Message<'_>, other: Option<String>, limits: &Limits) -> Body {
    let mut body = Body::default();
    let (mut text, mut source) = (String::new(), String::new());
    for part in parts(message, &message.html_body) {
        if let PartType::Html(_) = part.body {
            source.push_str(&decoded(message, part));
        }
    }
    for part in parts(message, &message.text_body) {
        if let PartType::Text(_) = part.body {
            let decoded = decoded(message, part);
            text.push_str(&if is_flowed(part) {
                plain::unflow(&decoded, deletes_space(part))
            } else {
                decoded.into_owned()
            });
            text.push('\n');
        }
    }
    body.is_truncated |= cut(&mut source, limits.text_bytes);
    if text.trim().is_empty()
        && let Some(other) = other
    {
        text = other;
    }
    let mut clean = plain::clean(&text);
    if !source.trim().is_empty() {
        let (from_html, is_cut) = html::to_text(&source);
        body.is_truncated |= is_cut;
        // HTML comes from the message, or with a text of its own that is empty.
        if clean.is_empty() {
            clean = plain::clean(&from_html);
        }
        body.html = Some(html::sanitize(&source)).filter(|html| !html.trim().is_empty());
    }
    body.is_truncated |= cut(&mut clean, limits.text_bytes);
    body.text = clean;
    body
}

fn parts<'a, 'x>(message: &'a Message<'x>, ids: &'a [u32]) -> impl Iterator<Item = &'a MessagePart<'x>> {
    let mut seen = HashSet::new();
    ids.iter().filter(move |id| seen.insert(**id)).filter_map(|id| message.part(*id))
}

/// Returns the text of a part. Bytes that are not in the stated encoding are read as windows-1252, which programs that state nothing use.
pub(crate) fn decoded<'a>(message: &'a Message<'_>, part: &'a MessagePart<'_>) -> Cow<'a, str> {
    let text = part.text_contents().unwrap_or_default();
    let charset = part.content_type().and_then(|content| content.attribute("charset")).unwrap_or("utf-8");
    let is_undecided = encoding_rs::Encoding::for_label(charset.as_bytes())
        .is_none_or(|encoding| encoding == encoding_rs::UTF_8 || charset.eq_ignore_ascii_case("us-ascii"));
    if !text.contains('\u{fffd}') || !is_undecided {
        return Cow::Borrowed(text);
    }
    let raw = raw_part(message, part.offset_body, part.offset_end);
    let bytes = match part.encoding {
        Encoding::None => Some(raw.to_vec()),
        Encoding::QuotedPrintable => mail_parser::decoders::quoted_printable::quoted_printable_decode(raw),
        Encoding::Base64 => mail_parser::decoders::base64::base64_decode(raw),
    };
    match bytes {
        Some(bytes) if std::str::from_utf8(&bytes).is_err() => {
            Cow::Owned(encoding_rs::WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned())
        }
        _ => Cow::Borrowed(text),
    }
}

fn is_flowed(part: &MessagePart<'_>) -> bool {
    let format = part.content_type().and_then(|content| content.attribute("format"));
    format.is_some_and(|format| format.eq_ignore_ascii_case("flowed"))
}

fn deletes_space(part: &MessagePart<'_>) -> bool {
    let delete = part.content_type().and_then(|content| content.attribute("delsp"));
    delete.is_some_and(|delete| delete.eq_ignore_ascii_case("yes"))
}

/// Cuts a text to a number of bytes. Returns whether it was longer.
fn cut(text: &mut String, bytes: usize) -> bool {
    let is_longer = text.len() > bytes;
    if is_longer {
        text.truncate(text.floor_char_boundary(bytes));
    }
    is_longer
}
