//! From bytes to a document, in this process.

use crate::{
    blocks::clean,
    content::Content,
    csv_file,
    document::Document,
    docx, epub,
    error::{ExceededLimit, ExtractError},
    file_type::FileType,
    limits::Limits,
    markdown, open_document, pdf, pptx,
    sniff::sniff,
    spreadsheet, web_text,
};

/// Longest title, in characters.
const MAX_TITLE_CHARS: usize = 200;

/// Reads a file in this process. It can panic, recurse and allocate on hostile input; the service uses
/// [`Extractor`](crate::Extractor).
pub fn extract(bytes: &[u8], file_name: &str, limits: &Limits) -> Result<Document, ExtractError> {
    if bytes.len() as u64 > limits.input_bytes {
        return Err(ExceededLimit::InputBytes(limits.input_bytes).into());
    }
    let file_type = sniff(bytes, file_name)?;
    let content = read(bytes, file_type, limits)?;
    if !content.blocks.have_text() {
        return Err(ExtractError::NoText);
    }
    let stated = content.title.map(|title| clean(&title)).filter(|title| is_title(title));
    let title = stated
        .or_else(|| content.blocks.first_heading().map(str::to_owned))
        .unwrap_or_else(|| stem(file_name));
    let stated =
        content.language.map(|language| language.trim().to_owned()).filter(|language| is_language(language));
    Ok(Document {
        kind: file_type.kind(),
        mime_type: file_type.mime_type().to_owned(),
        title: title.chars().take(MAX_TITLE_CHARS).collect(),
        // Office programs state the language of the program rather than that of the text.
        language: content.blocks.language().or(stated),
        page_count: content.page_count,
        blocks: content.blocks.into_vec(),
        warnings: content.warnings.into_vec(),
    })
}

fn read(bytes: &[u8], file_type: FileType, limits: &Limits) -> Result<Content, ExtractError> {
    match file_type {
        FileType::Pdf => pdf::read(bytes, limits),
        FileType::Docx => docx::read(bytes, limits),
        FileType::Pptx => pptx::read(bytes, limits),
        FileType::Xlsx => spreadsheet::read(bytes, limits),
        FileType::Odt => open_document::read_text(bytes, limits),
        FileType::Ods => open_document::read_spreadsheet(bytes, limits),
        FileType::Csv => csv_file::read(bytes, limits),
        FileType::Markdown => markdown::read(bytes, limits),
        FileType::Text => web_text::read_text(bytes, limits),
        FileType::Epub => epub::read(bytes, limits),
        FileType::Html => web_text::read_html(bytes, limits),
        FileType::Png
        | FileType::Jpeg
        | FileType::Gif
        | FileType::Webp
        | FileType::Bmp
        | FileType::Tiff
        | FileType::Heif
        | FileType::Mp3
        | FileType::Wav
        | FileType::Ogg
        | FileType::Flac
        | FileType::M4a => Err(ExtractError::NoExtractor {
            kind: file_type.kind(),
            mime_type: file_type.mime_type().to_owned(),
        }),
    }
}

/// Returns whether a stated title is one: programs fill the field with names of files and templates.
fn is_title(title: &str) -> bool {
    let lower = title.to_lowercase();
    let is_generated = lower.starts_with("microsoft word")
        || lower.starts_with("microsoft powerpoint")
        || lower.starts_with("powerpoint")
        || lower.starts_with("untitled")
        || lower == "unknown title"
        || [".doc", ".docx", ".indd", ".ppt", ".pptx", ".xls", ".xlsx", ".odt", ".pdf"]
            .iter()
            .any(|ending| lower.ends_with(ending));
    title.chars().any(char::is_alphanumeric) && !is_generated
}

fn is_language(language: &str) -> bool {
    (2..=35).contains(&language.len())
        && language.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Returns the name of a file without folder and extension.
fn stem(file_name: &str) -> String {
    let name = file_name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    clean(&stem.replace('_', " "))
}
