//! The formats that are recognized.

use serde::{Deserialize, Serialize};

use crate::document::DocumentKind;

/// A format of files, as determined from the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileType {
    /// PDF.
    Pdf,
    /// Word, Office Open XML.
    Docx,
    /// PowerPoint, Office Open XML.
    Pptx,
    /// Excel, Office Open XML.
    Xlsx,
    /// OpenDocument text.
    Odt,
    /// OpenDocument spreadsheet.
    Ods,
    /// Comma-separated values.
    Csv,
    /// Markdown.
    Markdown,
    /// Plain text.
    Text,
    /// Electronic book.
    Epub,
    /// Web page.
    Html,
    /// PNG image.
    Png,
    /// JPEG image.
    Jpeg,
    /// GIF image.
    Gif,
    /// WebP image.
    Webp,
    /// BMP image.
    Bmp,
    /// TIFF image.
    Tiff,
    /// HEIF or AVIF image.
    Heif,
    /// MP3 audio.
    Mp3,
    /// WAVE audio.
    Wav,
    /// Ogg audio.
    Ogg,
    /// FLAC audio.
    Flac,
    /// AAC audio in an MP4 container.
    M4a,
}

/// A supported format: its media type, its name with the article, and the extensions of its files.
type Row = (FileType, &'static str, &'static str, &'static [&'static str]);

const TYPES: &[Row] = &[
    (FileType::Pdf, "application/pdf", "a PDF document", &["pdf"]),
    (
        FileType::Docx,
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "a Word document",
        &["docx", "docm", "dotx"],
    ),
    (
        FileType::Pptx,
        "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "a PowerPoint presentation",
        &["pptx", "pptm", "ppsx", "potx"],
    ),
    (
        FileType::Xlsx,
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "an Excel workbook",
        &["xlsx", "xlsm", "xltx"],
    ),
    (FileType::Odt, "application/vnd.oasis.opendocument.text", "an OpenDocument text", &["odt", "ott"]),
    (
        FileType::Ods,
        "application/vnd.oasis.opendocument.spreadsheet",
        "an OpenDocument spreadsheet",
        &["ods", "ots"],
    ),
    (FileType::Csv, "text/csv", "a table of comma-separated values", &["csv", "tsv", "tab"]),
    (FileType::Markdown, "text/markdown", "a Markdown text", &["md", "markdown"]),
    (FileType::Text, "text/plain", "a plain text", &["txt", "text"]),
    (FileType::Epub, "application/epub+zip", "an EPUB book", &["epub"]),
    (FileType::Html, "text/html", "a web page", &["html", "htm", "xhtml"]),
    (FileType::Png, "image/png", "a PNG image", &["png"]),
    (FileType::Jpeg, "image/jpeg", "a JPEG image", &["jpg", "jpeg"]),
    (FileType::Gif, "image/gif", "a GIF image", &["gif"]),
    (FileType::Webp, "image/webp", "a WebP image", &["webp"]),
    (FileType::Bmp, "image/bmp", "a BMP image", &["bmp"]),
    (FileType::Tiff, "image/tiff", "a TIFF image", &["tif", "tiff"]),
    (FileType::Heif, "image/heif", "an HEIF image", &["heic", "heif", "avif"]),
    (FileType::Mp3, "audio/mpeg", "an MP3 recording", &["mp3"]),
    (FileType::Wav, "audio/wav", "a WAVE recording", &["wav"]),
    (FileType::Ogg, "audio/ogg", "an Ogg recording", &["ogg", "oga", "opus"]),
    (FileType::Flac, "audio/flac", "a FLAC recording", &["flac"]),
    (FileType::M4a, "audio/mp4", "an MP4 recording", &["m4a"]),
];

/// Extensions of formats that are not read. A file with such a name and another content is mislabeled too.
const OTHER_EXTENSIONS: &[&str] = &[
    "zip", "gz", "tgz", "tar", "7z", "rar", "doc", "xls", "ppt", "rtf", "exe", "dll", "jar", "apk", "iso",
    "mp4", "mov", "avi", "mkv", "webm", "svg",
];

impl FileType {
    /// Returns the media type.
    pub fn mime_type(self) -> &'static str {
        self.row().1
    }

    /// Returns the name of the format with its article, such as "a PDF document".
    pub fn description(self) -> &'static str {
        self.row().2
    }

    /// Returns the kind of file.
    pub const fn kind(self) -> DocumentKind {
        match self {
            Self::Xlsx | Self::Ods | Self::Csv => DocumentKind::Spreadsheet,
            Self::Png | Self::Jpeg | Self::Gif | Self::Webp | Self::Bmp | Self::Tiff | Self::Heif => {
                DocumentKind::Image
            }
            Self::Mp3 | Self::Wav | Self::Ogg | Self::Flac | Self::M4a => DocumentKind::Audio,
            _ => DocumentKind::Document,
        }
    }

    /// Returns whether the content alone cannot distinguish this format from other texts.
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Markdown | Self::Text | Self::Html)
    }

    /// Returns the format of an extension in lower case.
    pub(crate) fn of_extension(extension: &str) -> Option<Self> {
        TYPES.iter().find(|row| row.3.contains(&extension)).map(|row| row.0)
    }

    fn row(self) -> &'static Row {
        TYPES.iter().find(|row| row.0 == self).expect("every format has a row")
    }
}

/// Returns whether the extension belongs to a format that is known and not read.
pub(crate) fn is_other_format(extension: &str) -> bool {
    OTHER_EXTENSIONS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_type_and_extensions() {
        for (file_type, mime_type, _, extensions) in TYPES {
            assert_eq!(file_type.mime_type(), *mime_type);
            assert!(extensions.iter().all(|extension| FileType::of_extension(extension) == Some(*file_type)));
        }
    }
}
