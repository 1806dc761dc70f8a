//! ZIP archives with bounds: the container of the office formats and of EPUB.

use std::{
    borrow::Cow,
    io::{Cursor, Read},
};

use encoding_rs::UTF_8;
use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;
use zip::ZipArchive;

use crate::{
    error::{ExceededLimit, ExtractError},
    limits::Limits,
};

/// Parts of up to this size may be compressed at any ratio: short XML files are often repetitive.
const RATIO_FROM_BYTES: u64 = 1024 * 1024;

/// An archive whose parts have all been decompressed once, so that their real sizes are known to be within
/// the limits.
pub(crate) struct Archive<'a> {
    zip: ZipArchive<Cursor<&'a [u8]>>,
    bytes: &'a [u8],
}

impl<'a> Archive<'a> {
    /// Opens an archive and measures every part. The sizes that an archive states are not believed.
    pub(crate) fn open(bytes: &'a [u8], limits: &Limits) -> Result<Self, ExtractError> {
        let zip = ZipArchive::new(Cursor::new(bytes))
            .map_err(|_| ExtractError::damaged("it is not a complete archive"))?;
        let mut archive = Self { zip, bytes };
        if archive.zip.len() > limits.archive_entries {
            return Err(ExceededLimit::Entries(limits.archive_entries).into());
        }
        let mut total = 0;
        for index in 0..archive.zip.len() {
            match archive.measure(index, limits.decompressed_bytes - total, limits) {
                Ok(size) => total += size,
                // Reading the part fails, too, if it is needed at all. Pictures are not.
                Err(ExtractError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(archive)
    }

    /// Returns the decompressed size of a part.
    fn measure(&mut self, index: usize, most: u64, limits: &Limits) -> Result<u64, ExtractError> {
        let unreadable = || ExtractError::damaged("a part of it cannot be decompressed");
        let mut part = self.zip.by_index(index).map_err(|error| match error {
            zip::result::ZipError::UnsupportedArchive(zip::result::ZipError::PASSWORD_REQUIRED) => {
                ExtractError::Encrypted
            }
            _ => unreadable(),
        })?;
        let compressed = part.compressed_size().max(1);
        let mut size = 0;
        let mut buffer = vec![0; 64 * 1024];
        loop {
            let read = part.read(&mut buffer).map_err(|_| unreadable())?;
            if size == 0 && is_archive(&buffer[..read]) {
                return Err(ExceededLimit::NestedArchive.into());
            }
            if read == 0 {
                return Ok(size);
            }
            size += read as u64;
            if size > RATIO_FROM_BYTES && size / compressed > limits.compression_ratio {
                return Err(ExceededLimit::CompressionRatio(limits.compression_ratio).into());
            }
            if size > most {
                return Err(ExceededLimit::DecompressedBytes(limits.decompressed_bytes).into());
            }
        }
    }

    /// Returns the name of the part that is meant by `name`, even if the two are written differently:
    /// percent-encoded, with composed or decomposed letters, or in another case.
    pub(crate) fn name_like(&self, name: &str) -> Option<String> {
        if self.zip.index_for_name(name).is_some() {
            return Some(name.to_owned());
        }
        let wanted = normal(name);
        let like = |same: &dyn Fn(&str) -> bool| {
            self.zip.file_names().flatten().find(|found| same(&normal(found))).map(Cow::into_owned)
        };
        let folded = wanted.to_lowercase();
        like(&|found| found == wanted).or_else(|| like(&|found| found.to_lowercase() == folded))
    }

    /// Returns the whole archive as bytes.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the bytes of a part, or `None` if there is no such part.
    pub(crate) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ExtractError> {
        let Ok(mut part) = self.zip.by_name(name) else { return Ok(None) };
        let mut bytes = Vec::new();
        part.read_to_end(&mut bytes)
            .map_err(|_| ExtractError::damaged(format!("its part {name} cannot be decompressed")))?;
        Ok(Some(bytes))
    }

    /// Returns the text of a part, or `None` if there is no such part.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<String>, ExtractError> {
        let Some(bytes) = self.part(name)? else { return Ok(None) };
        // XML is UTF-8, or UTF-16 with a byte order mark.
        let (text, ..) = UTF_8.decode(&bytes);
        Ok(Some(match text {
            Cow::Borrowed(_) => String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned(),
            Cow::Owned(text) => text,
        }))
    }

    /// Returns the text of a part that the format requires.
    pub(crate) fn required(&mut self, name: &str) -> Result<String, ExtractError> {
        self.text(name)?.ok_or_else(|| ExtractError::damaged(format!("its part {name} is missing")))
    }
}

/// Returns whether a part begins like an archive. Embedded fonts and pictures do not.
fn is_archive(start: &[u8]) -> bool {
    [&b"PK\x03\x04"[..], b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"BZh9", b"\xfd7zXZ\0"]
        .iter()
        .any(|signature| start.starts_with(signature))
}

/// Resolves a path that a part of an archive refers to, relative to the folder of that part.
pub(crate) fn resolve(base_part: &str, target: &str) -> String {
    let mut path: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => base_part.rsplit_once('/').map(|(folder, _)| folder.split('/').collect()).unwrap_or_default(),
    };
    let target = target.split(['#', '?']).next().unwrap_or_default();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            step => path.push(step),
        }
    }
    path.join("/")
}

/// Returns the name of a part with percent escapes decoded and letters composed.
pub(crate) fn normal(name: &str) -> String {
    percent_decode_str(name).decode_utf8_lossy().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_part() {
        for (base, target, expected) in [
            ("ppt/presentation.xml", "slides/slide1.xml", "ppt/slides/slide1.xml"),
            ("ppt/slides/slide1.xml", "../media/a.png", "ppt/media/a.png"),
            ("ppt/slides/slide1.xml", "/xl/a.xml", "xl/a.xml"),
            ("content.opf", "a/./b.xhtml#part", "a/b.xhtml"),
            ("content.opf", "../../../etc/passwd", "etc/passwd"),
        ] {
            assert_eq!(resolve(base, target), expected);
        }
    }
}
