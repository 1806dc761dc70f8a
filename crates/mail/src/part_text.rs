//! Parts that are text: which ones, and what they say.

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::{calendar, charset, enriched, limits::Limits, plain, raw_part::raw_part, rtf, transfer};

/// The format of a part that is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Plain,
    Html,
    /// `text/enriched`.
    Enriched,
    /// `text/richtext`, which is older.
    Richtext,
    Rtf,
    Calendar,
}

/// Returns the format of a part, by the type that it states. `None` if it is not text.
pub(crate) fn format(part: &MessagePart<'_>) -> Option<Format> {
    if matches!(part.body, PartType::Multipart(_) | PartType::Message(_)) {
        return None;
    }
    let Some(content) = part.content_type() else { return Some(Format::Plain) };
    let kind = content.ctype().to_ascii_lowercase();
    let subtype = content.subtype().unwrap_or_default().to_ascii_lowercase();
    match (kind.as_str(), subtype.as_str()) {
        // A multipart without parts is one text.
        ("multipart", _) | ("text", "plain" | "") => Some(Format::Plain),
        ("text", "html") => Some(Format::Html),
        ("text", "enriched") => Some(Format::Enriched),
        ("text", "richtext") => Some(Format::Richtext),
        ("text" | "application", "rtf" | "x-rtf") => Some(Format::Rtf),
        ("text", "calendar") | ("application", "ics") => Some(Format::Calendar),
        _ => None,
    }
}

/// Returns whether a part is a file that the sender has attached. The first part of a message is its text,
/// even if a program gave it a name.
pub(crate) fn is_file(part: &MessagePart<'_>, is_first: bool) -> bool {
    let is_attached = part.content_disposition().is_some_and(mail_parser::ContentType::is_attachment);
    is_attached || !is_first && part.attachment_name().is_some()
}

/// Returns what a part of a format says, apart from HTML, which remains.
pub(crate) fn text(message: &Message<'_>, part: &MessagePart<'_>, format: Format, limits: &Limits) -> String {
    match format {
        Format::Plain if is_flowed(part) => plain::unflow(&decoded(message, part), deletes_space(part)),
        Format::Plain | Format::Html => decoded(message, part),
        Format::Enriched => enriched::to_text(&decoded(message, part), false),
        Format::Richtext => enriched::to_text(&decoded(message, part), true),
        Format::Rtf => {
            let bytes = bytes(message, part);
            rtf::to_text(&bytes[..bytes.len().min(limits.text_bytes.saturating_mul(8))])
        }
        Format::Calendar => calendar::to_text(&decoded(message, part)).unwrap_or_default(),
    }
}

fn encoding(part: &MessagePart<'_>) -> String {
    part.content_transfer_encoding().unwrap_or_default().trim().to_ascii_lowercase()
}

fn bytes(message: &Message<'_>, part: &MessagePart<'_>) -> Vec<u8> {
    let raw = raw_part(message, part.offset_body, part.offset_end);
    match encoding(part).as_str() {
        "base64" => transfer::base64(transfer::without_footer(raw).0),
        "quoted-printable" => transfer::quoted_printable(raw),
        _ => raw.to_vec(),
    }
}

/// Returns the text of a part, as [`charset`] reads it.
pub(crate) fn decoded(message: &Message<'_>, part: &MessagePart<'_>) -> String {
    let bytes = bytes(message, part);
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
    let is_undecided = stated.is_none_or(|stated| stated == charset::UTF8);
    let in_html = if format(part) == Some(Format::Html) && is_undecided {
        charset::stated_in(&bytes[..bytes.len().min(2_048)])
    } else {
        None
    };
    let mut text = charset::decode(&bytes, in_html.or(stated));
    if encoding(part) == "base64" {
        let (_, footer) = transfer::without_footer(raw_part(message, part.offset_body, part.offset_end));
        if !footer.is_empty() && format(part) == Some(Format::Plain) {
            text.push('\n');
            text.push_str(&charset::decode(footer, None));
        }
    }
    text
}

fn is_flowed(part: &MessagePart<'_>) -> bool {
    let format = part.content_type().and_then(|content| content.attribute("format"));
    format.is_some_and(|format| format.eq_ignore_ascii_case("flowed"))
}

fn deletes_space(part: &MessagePart<'_>) -> bool {
    let delete = part.content_type().and_then(|content| content.attribute("delsp"));
    delete.is_some_and(|delete| delete.eq_ignore_ascii_case("yes"))
}
