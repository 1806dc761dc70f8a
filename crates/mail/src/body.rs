//! The text and the HTML of a message.

use std::collections::HashSet;

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::{charset, html, limits::Limits, plain, raw_part::raw_part, transfer};

/// Text and HTML, both safe to show.
#[derive(Debug, Default)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) html: Option<String>,
    pub(crate) is_truncated: bool,
}

/// Reads the text and the HTML. `other` is the text of a body that is not MIME, such as that of
/// `winmail.dat`.
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
            push_text(&mut text, message, part);
        }
    }
    for part in parts(message, &message.attachments).filter(|part| is_broken_text(part)) {
        if is_html(part) {
            source.push_str(&decoded(message, part));
        } else {
            push_text(&mut text, message, part);
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

fn push_text(text: &mut String, message: &Message<'_>, part: &MessagePart<'_>) {
    let decoded = decoded(message, part);
    text.push_str(&if is_flowed(part) { plain::unflow(&decoded, deletes_space(part)) } else { decoded });
    text.push('\n');
}

fn parts<'a, 'x>(message: &'a Message<'x>, ids: &'a [u32]) -> impl Iterator<Item = &'a MessagePart<'x>> {
    let mut seen = HashSet::new();
    ids.iter().filter(move |id| seen.insert(**id)).filter_map(|id| message.part(*id))
}

/// Returns whether a part is text of the message that the parser has put among the attachments, because its
/// encoding is broken or because it is a multipart without parts.
pub(crate) fn is_broken_text(part: &MessagePart<'_>) -> bool {
    let kind = part.content_type();
    let is_file = part.content_disposition().is_some_and(mail_parser::ContentType::is_attachment)
        || part.attachment_name().is_some();
    let is_multipart = kind.is_some_and(|kind| kind.ctype().eq_ignore_ascii_case("multipart"));
    let is_text = kind.is_none_or(|kind| {
        kind.ctype().eq_ignore_ascii_case("text")
            && kind.subtype().is_none_or(|subtype| {
                subtype.eq_ignore_ascii_case("plain") || subtype.eq_ignore_ascii_case("html")
            })
    });
    let has_text = matches!(part.body, PartType::Text(_) | PartType::Html(_) | PartType::Binary(_));
    !is_file && has_text && (is_multipart || is_text && part.is_encoding_problem)
}

fn is_html(part: &MessagePart<'_>) -> bool {
    part.content_type()
        .and_then(mail_parser::ContentType::subtype)
        .is_some_and(|kind| kind.eq_ignore_ascii_case("html"))
}

/// Returns the text of a part, as [`charset`] reads it.
pub(crate) fn decoded(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let raw = raw_part(message, part.offset_body, part.offset_end);
    let encoding = part.content_transfer_encoding().unwrap_or_default().trim().to_ascii_lowercase();
    let bytes = match encoding.as_str() {
        "base64" => transfer::base64(raw),
        "quoted-printable" => transfer::quoted_printable(raw),
        _ => raw.to_vec(),
    };
    let parsed = part.text_contents().unwrap_or_default();
    let name = part.content_type().and_then(|content| content.attribute("charset"));
    let stated = name.and_then(charset::named);
    // The parser knows some more encodings, all of which are rare.
    if name.is_some()
        && stated.is_none()
        && std::str::from_utf8(&bytes).map_or(true, str::is_ascii)
        && !parsed.contains('\u{fffd}')
    {
        return parsed.to_owned();
    }
    let is_undecided = stated.is_none_or(|stated| stated == encoding_rs::UTF_8);
    let in_html = if is_html(part) && is_undecided {
        charset::stated_in(&bytes[..bytes.len().min(2_048)])
    } else {
        None
    };
    charset::decode(&bytes, in_html.or(stated))
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
