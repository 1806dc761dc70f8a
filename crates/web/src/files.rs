//! The files, and their compressed form.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{LazyLock, OnceLock};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// A file that pages load.
#[derive(Debug)]
pub struct File {
    /// The path below `/web/HASH/`.
    pub path: &'static str,
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// The content, without its comments.
    pub text: String,
    gzip: OnceLock<Vec<u8>>,
}

impl File {
    /// Returns the content as a gzip file (RFC 1952). It is compressed at the first call.
    pub fn gzip(&self) -> &[u8] {
        self.gzip.get_or_init(|| gzip(&self.text))
    }
}

/// Compresses a text with gzip (RFC 1952).
pub fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // A vector takes everything.
    let _ = encoder.write_all(text.as_bytes());
    encoder.finish().unwrap_or_default()
}

static FILES: LazyLock<BTreeMap<&'static str, File>> = LazyLock::new(|| {
    let file = |(path, source): &(&'static str, &'static str)| {
        let path = *path;
        let is_ours = !path.starts_with("vendor/");
        let text = if is_ours { compact(source) } else { (*source).to_owned() };
        (path, File { path, media_type: media_type(path), text, gzip: OnceLock::new() })
    };
    EMBEDDED.iter().map(file).collect()
});

static RELEASE: LazyLock<String> = LazyLock::new(|| {
    let mut digest = Sha256::new();
    for file in FILES.values() {
        for part in [file.path, &file.text] {
            digest.update(part.len().to_be_bytes());
            digest.update(part.as_bytes());
        }
    }
    digest.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
});

fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.') {
        Some((_, "js")) => "text/javascript; charset=utf-8",
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

/// Returns the hash of all files, which changes with any of them.
pub fn release() -> &'static str {
    &RELEASE
}

/// Returns a file by its path below `/web/HASH/`.
pub fn file(path: &str) -> Option<&'static File> {
    FILES.get(path)
}

/// Returns all files.
pub fn files() -> impl Iterator<Item = &'static File> {
    FILES.values()
}

/// Returns the modules that the panel needs before it can begin.
pub(crate) const fn panel_modules() -> &'static [&'static str] {
    PANEL_MODULES
}

/// Returns the modules that the console needs before it can begin.
pub(crate) const fn console_modules() -> &'static [&'static str] {
    CONSOLE_MODULES
}

/// Returns the style sheets of the console, in the order in which they apply.
pub(crate) const fn console_styles() -> &'static [&'static str] {
    CONSOLE_STYLES
}

/// Leaves out indentation and the lines that are comments, which are a third of a module. No template of ours
/// contains a line that looks like a comment, or needs its indentation.
pub(crate) fn compact(text: &str) -> String {
    let mut is_comment = false;
    let mut kept = String::with_capacity(text.len());
    for line in text.lines().map(str::trim) {
        let begins = line.starts_with("/*");
        let code = match line.split_once("*/") {
            Some((_, code)) if is_comment || begins => {
                is_comment = false;
                code.trim_start()
            }
            _ => {
                is_comment |= begins;
                line
            }
        };
        if !is_comment && !code.is_empty() && !code.starts_with("//") {
            kept.push_str(code);
            kept.push('\n');
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_left_out() {
        assert_eq!(
            compact(
                "// a\n  b; // c\n/** d */\n/* e\nf */\n  g('http://h')\n/** @type {i} */ j;\n/*\nk */ l;\n"
            ),
            "b; // c\ng('http://h')\nj;\nl;\n"
        );
    }
}
