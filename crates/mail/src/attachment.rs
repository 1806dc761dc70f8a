//! Attached files: their names, types and bytes.

use std::collections::HashSet;

use mail_parser::{Message, MessagePart, MimeHeaders, PartType};

use crate::{file_name, limits::Limits, part_text, plain, raw_part::raw_part, tnef};

/// Longest name of a file, in characters.
const MAX_NAME: usize = 150;

/// An attached file.
#[derive(Clone, PartialEq, Eq)]
pub struct Attachment {
    /// A name without folders and without characters that any operating system refuses; unique within the
    /// message.
    pub name: String,
    /// The media type, recognized from the bytes. `application/octet-stream` if it is unknown.
    pub media_type: String,
    /// The media type that the sender states, if it has the form of one.
    pub declared_type: Option<String>,
    /// The id by which the HTML shows the file (`cid:`), without angle brackets.
    pub content_id: Option<String>,
    /// The file is a part of the text, such as a picture in a signature.
    pub is_inline: bool,
    /// The decoded content.
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Attachment {
    /// Omits the content.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Attachment")
            .field("name", &self.name)
            .field("media_type", &self.media_type)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

/// An attached file beyond the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedAttachment {
    /// The name, as in [`Attachment::name`].
    pub name: String,
    /// Size of the decoded content in bytes.
    pub bytes: usize,
}

/// The text of a message in `winmail.dat`.
#[derive(Debug)]
pub(crate) struct WrappedText {
    pub(crate) text: Option<String>,
    pub(crate) html: Option<String>,
}

/// The files of a message, and the text of `winmail.dat`.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) skipped: Vec<SkippedAttachment>,
    pub(crate) wrapped: Option<WrappedText>,
    names: HashSet<String>,
}

/// Reads the files of a message: all parts that are not its text.
pub(crate) fn read(message: &Message<'_>, text_parts: &HashSet<usize>, limits: &Limits) -> Files {
    let mut files = Files::default();
    for (id, part) in message.parts.iter().enumerate() {
        let declared = declared_type(part);
        let is_status = declared.as_deref().is_some_and(|declared| declared.ends_with("delivery-status"));
        // A message of header fields only has a part without bytes.
        let is_nothing = id == 0 && part.offset_body == part.offset_end && part.is_encoding_problem;
        if is_status || is_nothing || text_parts.contains(&id) {
            continue;
        }
        let name = file_name::of(message, part);
        match &part.body {
            PartType::Text(_) | PartType::Html(_) => {
                let text = part_text::decoded(message, part);
                files.push(part, &name, declared, text.as_bytes(), limits);
            }
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => {
                let is_wrapper = tnef::is_wrapper(bytes);
                match is_wrapper.then(|| tnef::read(bytes)).flatten() {
                    Some(wrapped) => {
                        for file in wrapped.files {
                            files.push(part, &file.name, None, file.bytes, limits);
                        }
                        if wrapped.lacks_text {
                            files.push(part, &name, declared, bytes, limits);
                        }
                        let found = WrappedText { text: wrapped.text, html: wrapped.html };
                        let has_text = found.text.is_some() || found.html.is_some();
                        files.wrapped = files.wrapped.take().or(has_text.then_some(found));
                    }
                    None => files.push(part, &name, declared, bytes, limits),
                }
            }
            PartType::Message(nested) => {
                let subject = plain::clean_line(nested.subject().unwrap_or_default());
                let named = if name.is_empty() { format!("{}.eml", plain::cut(&subject, 80)) } else { name };
                let bytes = match part.encoding {
                    mail_parser::Encoding::None => raw_part(message, part.offset_body, part.offset_end),
                    _ => nested.raw_message.as_ref(),
                };
                files.push(
                    part,
                    &named,
                    declared.or_else(|| Some("message/rfc822".to_owned())),
                    bytes,
                    limits,
                );
            }
            PartType::Multipart(_) => {}
        }
    }
    files
}

impl Files {
    fn push(
        &mut self,
        part: &MessagePart<'_>,
        name: &str,
        declared_type: Option<String>,
        bytes: &[u8],
        limits: &Limits,
    ) {
        let media_type = media_type(bytes, declared_type.as_deref());
        let name = self.unique(&safe_name(name, &media_type));
        if self.attachments.len() >= limits.attachments || bytes.len() > limits.attachment_bytes {
            if self.skipped.len() < limits.parts {
                self.skipped.push(SkippedAttachment { name, bytes: bytes.len() });
            }
            return;
        }
        let content_id = part
            .content_id()
            .map(|id| id.trim_matches(['<', '>', ' ']).to_owned())
            .filter(|id| !id.is_empty());
        let disposition = part.content_disposition();
        let is_inline = disposition.map_or(content_id.is_some(), mail_parser::ContentType::is_inline);
        self.attachments.push(Attachment {
            name,
            media_type,
            declared_type,
            content_id,
            is_inline,
            bytes: bytes.to_vec(),
        });
    }

    /// Returns a name that no other file of the message has.
    fn unique(&mut self, name: &str) -> String {
        let mut unique = name.to_owned();
        let mut number = 2;
        while !self.names.insert(unique.to_lowercase()) {
            let (stem, extension) = split(name);
            unique = format!("{stem} ({number}){extension}");
            number += 1;
        }
        unique
    }
}

fn declared_type(part: &MessagePart<'_>) -> Option<String> {
    let content = part.content_type()?;
    let subtype = content.subtype()?;
    let is_token = |text: &str| {
        !text.is_empty()
            && text.len() <= 100
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte))
    };
    (is_token(content.ctype()) && is_token(subtype))
        .then(|| format!("{}/{subtype}", content.ctype()).to_ascii_lowercase())
}

/// Returns the media type of bytes. The sender is believed only between formats of text, which look alike.
pub fn media_type(bytes: &[u8], declared: Option<&str>) -> String {
    if let Some(kind) = infer::get(bytes) {
        return kind.mime_type().to_owned();
    }
    if declared == Some("message/rfc822") {
        return "message/rfc822".to_owned();
    }
    let is_text = std::str::from_utf8(bytes).is_ok_and(|text| !text.contains('\0'));
    match declared {
        Some(declared) if is_text && (declared.starts_with("text/") || declared == "application/json") => {
            declared.to_owned()
        }
        _ if is_text && !bytes.is_empty() => "text/plain".to_owned(),
        _ => "application/octet-stream".to_owned(),
    }
}

/// Returns a name that is safe to store and to offer for download: no folders, no control characters, none
/// that reorder text, none that an operating system refuses, and at most 150 characters. `media_type` gives a
/// file without a name its extension, and one whose name has none, unless it is text, whose names often have
/// none.
pub fn safe_name(name: &str, media_type: &str) -> String {
    let name = plain::clean_line(name);
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String =
        name.chars().map(|c| if "<>:\"|?*".contains(c) || c.is_control() { '_' } else { c }).collect();
    let name = name.trim_matches(['.', ' ']);
    let (stem, extension) = split(name);
    let known = extension_of(media_type);
    if stem.is_empty() {
        let known = match known {
            "" if media_type.starts_with("text/") => ".txt",
            "" => ".bin",
            known => known,
        };
        return format!("attachment{known}");
    }
    let extension = if extension.is_empty() && media_type != "text/plain" { known } else { extension };
    let reserved = ["con", "prn", "aux", "nul"].contains(&stem.to_lowercase().as_str())
        || stem.len() == 4 && ["com", "lpt"].iter().any(|start| stem.to_lowercase().starts_with(start));
    let extension = plain::cut(extension, 20);
    let stem = plain::cut(stem, MAX_NAME - extension.chars().count()).trim_end_matches([' ', '.']);
    if reserved { format!("_{stem}{extension}") } else { format!("{stem}{extension}") }
}

/// Splits a name into stem and extension, which begins with its dot.
fn split(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 && name.len() - at <= 12 => name.split_at(at),
        _ => (name, ""),
    }
}

/// Returns the extension of a type, with its dot; empty if there are several.
fn extension_of(media_type: &str) -> &'static str {
    let known = EXTENSIONS.iter().find(|(known, _)| *known == media_type);
    known.map_or("", |(_, extension)| extension)
}

const EXTENSIONS: &[(&str, &str)] = &[
    ("application/pdf", ".pdf"),
    ("image/png", ".png"),
    ("image/jpeg", ".jpg"),
    ("image/gif", ".gif"),
    ("image/webp", ".webp"),
    ("image/heif", ".heic"),
    ("image/tiff", ".tif"),
    ("image/bmp", ".bmp"),
    ("text/plain", ".txt"),
    ("text/html", ".html"),
    ("text/calendar", ".ics"),
    ("text/csv", ".csv"),
    ("text/vcard", ".vcf"),
    ("text/x-vcard", ".vcf"),
    ("text/directory", ".vcf"),
    ("text/xml", ".xml"),
    ("text/rtf", ".rtf"),
    ("application/rtf", ".rtf"),
    ("application/json", ".json"),
    ("message/rfc822", ".eml"),
    ("application/zip", ".zip"),
    ("application/gzip", ".gz"),
    ("application/msword", ".doc"),
    ("application/vnd.ms-excel", ".xls"),
    ("application/vnd.ms-powerpoint", ".ppt"),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", ".docx"),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", ".xlsx"),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", ".pptx"),
    ("application/vnd.oasis.opendocument.text", ".odt"),
    ("application/vnd.oasis.opendocument.spreadsheet", ".ods"),
    ("application/epub+zip", ".epub"),
    ("audio/mpeg", ".mp3"),
    ("audio/m4a", ".m4a"),
    ("audio/ogg", ".ogg"),
    ("audio/x-wav", ".wav"),
    ("audio/amr", ".amr"),
    ("video/mp4", ".mp4"),
    ("video/quicktime", ".mov"),
    ("video/webm", ".webm"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_safe() {
        for (name, safe) in [
            ("menu.pdf", "menu.pdf"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\ada\\menu.pdf", "menu.pdf"),
            ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
            ("a\r\nb.txt", "a b.txt"),
            ("what?.txt", "what_.txt"),
            ("...", "attachment.txt"),
            ("", "attachment.txt"),
            (".htaccess", "htaccess"),
            ("nul.txt", "_nul.txt"),
            ("com1.txt", "_com1.txt"),
            ("Preisliste März.xlsx", "Preisliste März.xlsx"),
            ("a\0b.txt", "ab.txt"),
        ] {
            assert_eq!(safe_name(name, "text/plain"), safe, "{name:?}");
        }
        let long = safe_name(&format!("{}.pdf", "ä".repeat(400)), "application/pdf");
        assert!(long.chars().count() == 150 && long.to_lowercase().ends_with("ä.pdf"), "{long}");
    }

    #[test]
    fn names_have_an_extension_that_fits_the_type() {
        for (name, media_type, safe) in [
            ("", "application/rtf", "attachment.rtf"),
            ("", "text/vcard", "attachment.vcf"),
            ("", "text/rfc822-headers", "attachment.txt"),
            ("", "application/octet-stream", "attachment.bin"),
            ("Invoice 12", "application/pdf", "Invoice 12.pdf"),
            ("v1.2 of the plan", "image/png", "v1.2 of the plan.png"),
            ("README", "text/plain", "README"),
            ("data", "application/octet-stream", "data"),
            ("menu.pdf", "image/png", "menu.pdf"),
        ] {
            assert_eq!(safe_name(name, media_type), safe, "{name:?}");
        }
    }
}
