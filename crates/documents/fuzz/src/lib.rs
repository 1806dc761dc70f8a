//! What the targets share: limits for short runs, and archives around the part that is fuzzed.

use std::io::{Cursor, Write};

use frontdesk_documents::{Limits, extract};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Reads one input. Only a crash is a finding: every result is fine.
pub fn read(bytes: &[u8], file_name: &str) {
    let limits =
        Limits { decompressed_bytes: 4 << 20, output_chars: 100_000, cells: 10_000, ..Limits::default() };
    let _ = extract(bytes, file_name, &limits);
}

/// Reads an archive of these parts, so that the fuzzer need not invent checksums.
pub fn read_archive(parts: &[(&str, &[u8])], file_name: &str) {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        if zip.start_file(*name, options).is_err() || zip.write_all(bytes).is_err() {
            return;
        }
    }
    if let Ok(archive) = zip.finish() {
        read(&archive.into_inner(), file_name);
    }
}
