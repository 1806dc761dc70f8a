//! Record of a check's dependencies and cost, kept beside the crates so that a run can be resumed.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use fs_err as fs;
use sha2::{Digest as _, Sha256};

/// The cost of a check.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The elapsed time.
    pub time: Duration,
    /// The largest memory use of one of its processes, in bytes.
    pub peak: u64,
}

/// A check without warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The fingerprint of everything that the result depends on.
    pub key: String,
    /// The cost of the check.
    pub cost: Cost,
}

impl Stamp {
    /// The number of lines of its text.
    pub const LINES: usize = 3;

    /// Parses the text that `Display` writes; `None` for any other text, such as a truncated file.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let key = value("key")?.to_owned();
        let time = Duration::from_millis(value("milliseconds")?.parse().ok()?);
        let peak = value("bytes")?.parse().ok()?;
        text.ends_with('\n').then_some(Self { key, cost: Cost { time, peak } })
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "key {}", self.key)?;
        writeln!(formatter, "milliseconds {}", self.cost.time.as_millis())?;
        writeln!(formatter, "bytes {}", self.cost.peak)
    }
}

/// A digest of named texts, in the order in which they are added.
#[derive(Clone, Debug, Default)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    /// Returns the fingerprint of no text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. Lengths are included, so that different lists of texts never give the same bytes.
    pub fn add(&mut self, name: &str, text: &[u8]) {
        for bytes in [name.as_bytes(), text] {
            self.0.update((bytes.len() as u64).to_le_bytes());
            self.0.update(bytes);
        }
    }

    /// Returns the digest as hexadecimal digits.
    pub fn hex(self) -> String {
        self.0.finalize().iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    }
}

/// Returns the fingerprint of a crate: its manifest and sources.
pub fn of_crate(folder: &Path) -> Result<String> {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add("Cargo.toml", &fs::read(folder.join("Cargo.toml"))?);
    let mut files = Vec::new();
    let mut open = vec![folder.join("src")];
    while let Some(place) = open.pop() {
        for entry in fs::read_dir(place)? {
            let path = entry?.path();
            if path.is_dir() { open.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file).to_string_lossy().into_owned();
        fingerprint.add(&name, &fs::read(&file)?);
    }
    Ok(fingerprint.hex())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(texts: &[(&str, &str)]) -> String {
        let mut fingerprint = Fingerprint::new();
        for (name, text) in texts {
            fingerprint.add(name, text.as_bytes());
        }
        fingerprint.hex()
    }

    #[test]
    fn a_stamp_is_read_as_it_was_written() {
        let cost = Cost { time: Duration::from_millis(1234), peak: 5 << 30 };
        let stamp = Stamp { key: fingerprint(&[]), cost };
        let text = stamp.to_string();
        assert_eq!(Stamp::parse(&text), Some(stamp));
        for end in 0..text.len() {
            assert_eq!(Stamp::parse(&text[..end]), None, "cut off after {end} bytes");
        }
        assert_eq!(Stamp::parse("key a\nmilliseconds soon\nbytes 1\n"), None);
    }

    #[test]
    fn a_fingerprint_changes_with_every_name_and_text() {
        let base = fingerprint(&[("a", "1"), ("b", "2")]);
        assert_eq!(base, fingerprint(&[("a", "1"), ("b", "2")]));
        let others: [&[(&str, &str)]; 5] = [
            &[("a", "1"), ("b", "3")],
            &[("a", "1"), ("c", "2")],
            &[("a", "1")],
            &[("a1", "b2")],
            &[("b", "2"), ("a", "1")],
        ];
        for other in others {
            assert_ne!(base, fingerprint(other), "{other:?}");
        }
    }

    #[test]
    fn a_crate_changes_with_its_sources() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |path: &str, text: &str| {
            let place = folder.path().join(path);
            fs::create_dir_all(place.parent().expect("a file has a folder")).expect("it can be made");
            fs::write(place, text).expect("it can be written");
            of_crate(folder.path())
        };
        assert!(of_crate(folder.path()).is_err());
        assert!(write("Cargo.toml", "").is_err(), "without sources there is no crate");
        let first = write("src/lib.rs", "").expect("it can be read");
        let second = write("src/a/b.rs", "").expect("it can be read");
        let third = write("src/a/b.rs", "x").expect("it can be read");
        assert!(first != second && second != third);
    }
}
