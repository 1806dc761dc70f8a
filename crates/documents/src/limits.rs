//! Limits of one extraction.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of one extraction. A file that exceeds one of them is refused as a whole: a part of it would be
/// mistaken for all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of the file.
    pub input_bytes: u64,
    /// Parts of a file that is an archive.
    pub archive_entries: usize,
    /// Bytes of all parts after decompression.
    pub decompressed_bytes: u64,
    /// Decompressed bytes for each compressed byte of a part of more than a megabyte.
    pub compression_ratio: u64,
    /// Levels of nested XML elements.
    pub xml_depth: usize,
    /// Cells of a spreadsheet that are not empty.
    pub cells: usize,
    /// Pages, slides, chapters or sheets.
    pub pages: usize,
    /// Characters of text.
    pub output_chars: usize,
    /// Address space of the child process, in bytes.
    pub memory_bytes: u64,
    /// Processor time of the child process, in seconds.
    pub cpu_seconds: u64,
    /// Time from the start of the child process to its result.
    pub wall_clock: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: 25 * 1024 * 1024,
            archive_entries: 5_000,
            decompressed_bytes: 200 * 1024 * 1024,
            compression_ratio: 200,
            xml_depth: 256,
            cells: 1_000_000,
            pages: 3_000,
            output_chars: 5_000_000,
            memory_bytes: 1024 * 1024 * 1024,
            cpu_seconds: 20,
            wall_clock: Duration::from_secs(30),
        }
    }
}
