//! The texts that were read, and positions in them.

use std::fmt;
use std::ops::Range;

/// A file of a [`Sources`], in load order: the root document is the first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub(crate) u32);

impl FileId {
    /// The root document.
    pub const ROOT: Self = Self(0);

    /// Position of the file in load order, counted from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A place in a text, as editors count it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters (Unicode scalar values), counted from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

/// A stretch of one file: half-open, so an empty span has `start == end`.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Byte offset of the first character.
    pub start_byte: u32,
    /// Byte offset just after the last character.
    pub end_byte: u32,
    /// Position of the first character.
    pub start: Position,
    /// Position just after the last character.
    pub end: Position,
}

impl Span {
    /// Returns the bytes covered.
    pub fn range(self) -> Range<usize> {
        self.start_byte as usize..self.end_byte as usize
    }
}

/// A stretch of one file in bytes alone. Lines and columns cost a search in the text, and most places are
/// never shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: FileId,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Bytes between two remembered character counts of a text that is not ASCII.
const CHECKPOINT: usize = 128;

/// A text, with an index that turns byte offsets into lines and columns.
#[derive(Clone)]
pub struct SourceFile {
    path: String,
    text: String,
    /// Byte offset at which each line starts.
    lines: Vec<u32>,
    /// Characters before byte `CHECKPOINT * i`; empty for ASCII, where bytes are characters.
    checkpoints: Vec<u32>,
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SourceFile")
            .field("path", &self.path)
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

impl SourceFile {
    /// A file with this path and text. The text must be shorter than 2 GiB; the reader's limits see to that.
    pub(crate) fn new(path: String, text: String) -> Self {
        let mut lines = vec![0];
        let bytes = text.as_bytes();
        for (offset, byte) in bytes.iter().enumerate() {
            let ends_line =
                *byte == b'\n' || (*byte == b'\r' && bytes.get(offset + 1).is_none_or(|next| *next != b'\n'));
            if ends_line {
                lines.push(offset_of(offset + 1));
            }
        }
        let mut checkpoints = Vec::new();
        if !text.is_ascii() {
            let mut count = 0;
            for block in bytes.chunks(CHECKPOINT) {
                checkpoints.push(offset_of(count));
                count += count_characters(block);
            }
        }
        Self { path, text, lines, checkpoints }
    }

    /// Returns the path under which the file was loaded.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the whole text, without a leading byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the bytes of a line (counted from 1) without its line break; empty past the end.
    pub(crate) fn line_range(&self, line: u32) -> Range<usize> {
        let index = (line.max(1) - 1) as usize;
        let Some(start) = self.lines.get(index).map(|start| *start as usize) else {
            return self.text.len()..self.text.len();
        };
        let end = self.lines.get(index + 1).map_or(self.text.len(), |next| *next as usize);
        start..start + self.text[start..end].trim_end_matches(['\r', '\n']).len()
    }

    /// Returns the position of a byte offset; offsets past the end count as the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = offset.min(offset_of(self.text.len()));
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines[line - 1];
        let (from, to) = (start as usize, offset as usize);
        let before = if self.checkpoints.is_empty() {
            offset - start
        } else if to - from <= CHECKPOINT {
            offset_of(count_characters(&self.text.as_bytes()[from..to]))
        } else {
            self.characters_before(to) - self.characters_before(from)
        };
        Position { line: offset_of(line), column: before + 1 }
    }

    /// Of a text that is not ASCII.
    fn characters_before(&self, offset: usize) -> u32 {
        let block = (offset / CHECKPOINT).min(self.checkpoints.len() - 1);
        self.checkpoints[block]
            + offset_of(count_characters(&self.text.as_bytes()[block * CHECKPOINT..offset]))
    }
}

/// Characters that begin in these bytes of UTF-8.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

/// Returns a byte offset or count as stored; texts are limited far below `u32::MAX`.
pub(crate) fn offset_of(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// Every text that was read, in load order.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    pub(crate) fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(offset_of(self.files.len() - 1))
    }

    /// Returns the file, if it belongs to these sources.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.index())
    }

    /// Path and text of every file, in load order.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(index, file)| (FileId(offset_of(index)), file))
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns whether nothing was read.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the place with its lines and columns.
    pub(crate) fn locate(&self, place: Place) -> Span {
        self.span(place.file, place.start..place.end)
    }

    /// Returns the span of these bytes of a file.
    pub fn span(&self, file: FileId, range: Range<u32>) -> Span {
        let (start, end) = self.get(file).map_or_else(
            || (Position { line: 1, column: 1 }, Position { line: 1, column: 1 }),
            |source| (source.position(range.start), source.position(range.end)),
        );
        Span { file, start_byte: range.start, end_byte: range.end, start, end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_and_every_kind_of_line_break() {
        let file = SourceFile::new("a".into(), "aé\r\n😀b\rc\n".into());
        let at = |needle: &str| {
            file.position(offset_of(file.text().find(needle).expect("the needle is in the text")))
        };
        assert_eq!(at("é"), Position { line: 1, column: 2 });
        assert_eq!(at("b"), Position { line: 2, column: 2 });
        assert_eq!(at("c"), Position { line: 3, column: 1 });
        assert_eq!(file.position(u32::MAX), Position { line: 4, column: 1 });
        assert_eq!(&file.text()[file.line_range(1)], "aé");
        assert_eq!(&file.text()[file.line_range(4)], "");
        assert_eq!(&file.text()[file.line_range(9)], "");
    }

    #[test]
    fn columns_are_right_far_into_a_long_line() {
        let text = "é".repeat(5000) + "x";
        let file = SourceFile::new("a".into(), text);
        assert_eq!(file.position(10_000), Position { line: 1, column: 5001 });
        assert_eq!(file.position(100), Position { line: 1, column: 51 });
    }
}
