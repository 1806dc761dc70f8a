//! Recognition of a file's format from its content.
//!
//! Only bytes are compared here; nothing is parsed or decompressed, so this is safe in the process of the
//! service.

use memchr::memmem;

use crate::{
    error::ExtractError,
    file_type::{self, FileType},
};

/// How many bytes of the beginning are searched for signatures that need not come first.
const PREFIX_BYTES: usize = 1_024;

/// Determines the format from the content, and checks that the name does not contradict it.
///
/// The name only decides between formats of text, which look alike. A name whose extension stands for another
/// format than the content is refused with [`ExtractError::Mislabelled`], and a format that nothing reads
/// with [`ExtractError::UnsupportedType`].
pub fn sniff(bytes: &[u8], file_name: &str) -> Result<FileType, ExtractError> {
    if bytes.is_empty() {
        return Err(ExtractError::damaged("it has no content"));
    }
    let extension = extension(file_name);
    let named = extension.as_deref().and_then(FileType::of_extension);
    let content = of_content(bytes);
    let mislabelled = |found: &str| ExtractError::Mislabelled {
        extension: extension.clone().unwrap_or_default(),
        found: found.to_owned(),
    };
    match content {
        Content::Known(found) => match named {
            Some(named) if named != found => Err(mislabelled(found.description())),
            None if extension.as_deref().is_some_and(file_type::is_other_format) => {
                Err(mislabelled(found.description()))
            }
            _ => Ok(found),
        },
        Content::Text => match named {
            Some(named) if named.is_text() => Ok(named),
            Some(_) => Err(mislabelled(FileType::Text.description())),
            None if extension.as_deref().is_some_and(file_type::is_other_format) => {
                Err(mislabelled(FileType::Text.description()))
            }
            None => Ok(FileType::Text),
        },
        Content::Other { found, advice } => match named {
            Some(_) => Err(mislabelled(found)),
            None => Err(ExtractError::UnsupportedType { found: found.to_owned(), advice: advice.to_owned() }),
        },
    }
}

/// Returns the extension of a file name in lower case.
pub(crate) fn extension(file_name: &str) -> Option<String> {
    let (stem, extension) = file_name.rsplit_once('.')?;
    let is_extension = !stem.is_empty() && (1..=10).contains(&extension.len());
    (is_extension && extension.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .then(|| extension.to_ascii_lowercase())
}

/// The format that the bytes indicate.
enum Content {
    /// A format that is recognized.
    Known(FileType),
    /// Text without a signature.
    Text,
    /// A format that is not read.
    Other { found: &'static str, advice: &'static str },
}

const fn other(found: &'static str, advice: &'static str) -> Content {
    Content::Other { found, advice }
}

const SAVE_AS: &str = "Save it as .docx, .pptx, .xlsx or .pdf, and upload it again.";
const UNPACK: &str = "Unpack it, and upload the files in it one by one.";
const READABLE: &str = "PDF, Office, OpenDocument, EPUB, HTML, Markdown, CSV and text files can be read.";

/// Signatures at the beginning of a file.
const SIGNATURES: &[(&[u8], Content)] = &[
    (b"\x89PNG\r\n\x1a\n", Content::Known(FileType::Png)),
    (b"\xff\xd8\xff", Content::Known(FileType::Jpeg)),
    (b"GIF87a", Content::Known(FileType::Gif)),
    (b"GIF89a", Content::Known(FileType::Gif)),
    (b"II*\0", Content::Known(FileType::Tiff)),
    (b"MM\0*", Content::Known(FileType::Tiff)),
    (b"ID3", Content::Known(FileType::Mp3)),
    (b"OggS", Content::Known(FileType::Ogg)),
    (b"fLaC", Content::Known(FileType::Flac)),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", other("an old or a protected Office document", SAVE_AS)),
    (b"{\\rtf", other("a Rich Text document", SAVE_AS)),
    (b"\x1f\x8b", other("a gzip archive", UNPACK)),
    (b"7z\xbc\xaf\x27\x1c", other("a 7-Zip archive", UNPACK)),
    (b"Rar!\x1a\x07", other("a RAR archive", UNPACK)),
    (b"BZh", other("a bzip2 archive", UNPACK)),
    (b"\xfd7zXZ\0", other("an XZ archive", UNPACK)),
    (b"\x28\xb5\x2f\xfd", other("a Zstandard archive", UNPACK)),
    (b"MZ", other("a program", READABLE)),
    (b"\x7fELF", other("a program", READABLE)),
    (b"\x1aE\xdf\xa3", other("a video", READABLE)),
];

fn of_content(bytes: &[u8]) -> Content {
    let prefix = &bytes[..bytes.len().min(PREFIX_BYTES)];
    if memmem::find(prefix, b"%PDF-").is_some() {
        return Content::Known(FileType::Pdf);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return of_archive(bytes);
    }
    if let Some((_, content)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        // Two or three letters are a signature only if binary data follows.
        let is_short = matches!(content, Content::Other { found: "a program" | "a bzip2 archive", .. })
            || matches!(content, Content::Known(FileType::Mp3));
        if !is_short || !is_text(bytes) {
            return match content {
                Content::Known(found) => Content::Known(*found),
                Content::Text => Content::Text,
                Content::Other { found, advice } => other(found, advice),
            };
        }
    }
    match (bytes.get(..4), bytes.get(8..12)) {
        (Some(b"RIFF"), Some(b"WEBP")) => return Content::Known(FileType::Webp),
        (Some(b"RIFF"), Some(b"WAVE")) => return Content::Known(FileType::Wav),
        (Some(b"RIFF"), Some(b"AVI ")) => return other("a video", READABLE),
        _ => {}
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        return match bytes.get(8..12) {
            Some(b"heic" | b"heix" | b"mif1" | b"msf1" | b"avif" | b"avis") => Content::Known(FileType::Heif),
            Some(b"M4A " | b"M4B ") => Content::Known(FileType::M4a),
            _ => other("a video", READABLE),
        };
    }
    if is_text(bytes) {
        return of_text(prefix);
    }
    // BMP and MP3 without a tag have signatures of two bytes.
    match bytes.get(..2) {
        Some(b"BM") if bytes.len() > 54 => Content::Known(FileType::Bmp),
        Some([0xff, second]) if second & 0xe6 == 0xe2 => Content::Known(FileType::Mp3),
        _ => other("of an unknown binary format", READABLE),
    }
}

/// Tells the formats apart that are ZIP archives, by the names in the directory of the archive.
fn of_archive(bytes: &[u8]) -> Content {
    // OpenDocument and EPUB begin with an uncompressed part that states the media type.
    if bytes.get(30..38) == Some(b"mimetype") {
        let stated = &bytes[38..bytes.len().min(38 + 100)];
        for file_type in [FileType::Odt, FileType::Ods, FileType::Epub] {
            if stated.starts_with(file_type.mime_type().as_bytes()) {
                return Content::Known(file_type);
            }
        }
        return other("an OpenDocument file of another kind", SAVE_AS);
    }
    let parts = [
        (&b"word/document.xml"[..], FileType::Docx),
        (b"ppt/presentation.xml", FileType::Pptx),
        (b"xl/workbook.xml", FileType::Xlsx),
        (b"META-INF/container.xml", FileType::Epub),
    ];
    match parts.into_iter().find(|(name, _)| has_part(bytes, name)) {
        Some((_, file_type)) => Content::Known(file_type),
        None => other("a ZIP archive", UNPACK),
    }
}

/// Returns whether the directory of an archive has an entry with this name.
fn has_part(bytes: &[u8], name: &[u8]) -> bool {
    const HEADER_BYTES: usize = 46;
    memmem::find_iter(bytes, name)
        .any(|at| at >= HEADER_BYTES && bytes[at - HEADER_BYTES..].starts_with(b"PK\x01\x02"))
}

fn of_text(prefix: &[u8]) -> Content {
    let text = String::from_utf8_lossy(prefix).to_ascii_lowercase();
    let start = text.trim_start_matches(['\u{feff}', ' ', '\n', '\r', '\t']);
    let is_html = start.starts_with("<!doctype html") || start.starts_with("<html");
    if is_html || (start.starts_with("<?xml") && start.contains("<html")) {
        return Content::Known(FileType::Html);
    }
    if start.starts_with("<svg") || (start.starts_with("<?xml") && start.contains("<svg")) {
        return other("an SVG drawing", READABLE);
    }
    if start.starts_with("<?xml") {
        return other("an XML file", READABLE);
    }
    Content::Text
}

/// Returns whether the bytes are text in UTF-8, UTF-16 with a byte order mark, or an encoding of one byte.
fn is_text(bytes: &[u8]) -> bool {
    const SAMPLE_BYTES: usize = 64 * 1024;
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return bytes.len().is_multiple_of(2);
    }
    let is_control =
        |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b) || *byte == 0x7f;
    let sample = &bytes[..bytes.len().min(SAMPLE_BYTES)];
    if sample.iter().any(is_control) || memchr::memchr(0, bytes).is_some() {
        return false;
    }
    // Without control characters, mostly letters: text of an encoding of one byte. Compressed data has
    // control characters.
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_determines_the_type() {
        let cases: &[(&[u8], &str, FileType)] = &[
            (b"%PDF-1.7\n", "a.pdf", FileType::Pdf),
            (b"\n\n%PDF-1.4", "noname", FileType::Pdf),
            (b"hello", "a.txt", FileType::Text),
            (b"hello", "README", FileType::Text),
            (b"a,b\n1,2", "a.CSV", FileType::Csv),
            (b"# Title", "a.md", FileType::Markdown),
            (b"<!DOCTYPE html><p>x", "a.html", FileType::Html),
            (b"<p>x</p>", "a.htm", FileType::Html),
            (b"\x89PNG\r\n\x1a\n\0\0", "a.png", FileType::Png),
            (b"RIFF\0\0\0\0WAVEfmt ", "a.wav", FileType::Wav),
            (b"BMW sells cars", "a.txt", FileType::Text),
            (b"MZ is a code", "a.txt", FileType::Text),
            (b"caf\xe9 au lait", "a.txt", FileType::Text),
            (b"\xff\xfeh\0i\0", "a.txt", FileType::Text),
        ];
        for (bytes, name, expected) in cases {
            assert_eq!(sniff(bytes, name), Ok(*expected), "{name}");
        }
    }

    #[test]
    fn a_contradicting_name_is_refused_with_both() {
        for (bytes, name, both) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "menu.pdf", [".pdf", "PNG image"]),
            (b"%PDF-1.4", "menu.docx", [".docx", "PDF document"]),
            (b"hello", "menu.pdf", [".pdf", "plain text"]),
            (b"PK\x03\x04", "menu.docx", [".docx", "ZIP archive"]),
            (
                b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
                "menu.xlsx",
                [".xlsx", "old or a protected Office document"],
            ),
            (b"<html><body>x", "menu.txt", [".txt", "web page"]),
            (b"%PDF-1.4", "menu.zip", [".zip", "PDF document"]),
        ] {
            let error = sniff(bytes, name).unwrap_err();
            assert_eq!(error.code(), "mislabelled", "{name}");
            assert!(both.iter().all(|part| error.to_string().contains(part)), "{error}");
        }
    }

    #[test]
    fn other_formats_are_named() {
        for (bytes, name, part) in [
            (&b"PK\x03\x04rest"[..], "a.zip", "a ZIP archive"),
            (b"\x1f\x8b\x08", "a.gz", "a gzip archive"),
            (b"{\\rtf1 x}", "a.rtf", "a Rich Text document"),
            (b"\0\x01\x02\x03", "data", "unknown binary format"),
            (b"<svg xmlns='x'/>", "a.svg", "an SVG drawing"),
        ] {
            let error = sniff(bytes, name).unwrap_err();
            assert_eq!(error.code(), "unsupported_file_type", "{name}");
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
