//! The lock file of releases: versions, dates, and hashes of the released bundles.

use std::fmt::Write as _;

use jiff::civil::Date;
use semver::Version;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// The first lines of a lock file.
const HEADER: &str = "\
# The released versions of this contract, the oldest first. Users build on them: neither an entry nor its file is ever edited.
# `cargo xtask release` adds to this file.
";

/// All released versions, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    releases: Vec<Release>,
}

/// A released version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The version of the contract, `info.version` of its bundle.
    pub version: Version,
    /// The day of the release (UTC).
    pub date: Date,
    /// The version of the crates generated from it.
    pub crates: Version,
    /// The SHA-256 of the bundle, in lower-case hexadecimal digits.
    pub sha256: String,
}

impl Release {
    /// Returns the name of its bundle in the folder of releases.
    pub fn file(&self) -> String {
        format!("{}.yaml", self.version)
    }
}

/// The error for an invalid lock file.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// It is not TOML, or does not have the expected form.
    #[error(transparent)]
    Form(#[from] toml::de::Error),
    /// A value is invalid.
    #[error("the {key} of the release {release} is not valid: `{value}`")]
    Value {
        /// The version of the entry.
        release: String,
        /// The key of the value.
        key: &'static str,
        /// The value.
        value: String,
    },
    /// The versions are not in ascending order.
    #[error("{0} is listed after {1}; list every version once, in ascending order")]
    Order(Version, Version),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    release: Vec<WrittenRelease>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRelease {
    version: String,
    date: String,
    crates: String,
    sha256: String,
}

impl WrittenRelease {
    fn read(self) -> Result<Release, LockError> {
        let wrong = |key, value: &str| LockError::Value {
            release: self.version.clone(),
            key,
            value: value.to_owned(),
        };
        Ok(Release {
            version: self.version.parse().map_err(|_| wrong("version", &self.version))?,
            date: self.date.parse().map_err(|_| wrong("date", &self.date))?,
            crates: self.crates.parse().map_err(|_| wrong("crates", &self.crates))?,
            sha256: self.sha256,
        })
    }
}

impl Lock {
    /// Parses a lock file.
    ///
    /// # Errors
    ///
    /// See [`LockError`].
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let written: Written = toml::from_str(text)?;
        let releases =
            written.release.into_iter().map(WrittenRelease::read).collect::<Result<Vec<_>, _>>()?;
        for pair in releases.windows(2) {
            if pair[1].version <= pair[0].version {
                return Err(LockError::Order(pair[1].version.clone(), pair[0].version.clone()));
            }
        }
        Ok(Self { releases })
    }

    /// Returns the releases, the oldest first.
    pub fn releases(&self) -> &[Release] {
        &self.releases
    }

    /// Returns the newest release.
    pub fn newest(&self) -> Option<&Release> {
        self.releases.last()
    }

    /// Returns the release of a version.
    pub fn find(&self, version: &Version) -> Option<&Release> {
        self.releases.iter().find(|release| release.version == *version)
    }

    /// Appends a release.
    #[must_use]
    pub fn with(mut self, release: Release) -> Self {
        self.releases.push(release);
        self
    }

    /// Renders the lock as a file.
    pub fn to_toml(&self) -> String {
        self.releases.iter().fold(HEADER.to_owned(), |mut text, release| {
            let Release { version, date, crates, sha256 } = release;
            // Writing to a string never fails.
            let _ = write!(
                text,
                "\n[[release]]\nversion = \"{version}\"\ndate = \"{date}\"\ncrates = \"{crates}\"\nsha256 = \"{sha256}\"\n"
            );
            text
        })
    }
}

/// Returns the SHA-256 of a text, in lower-case hexadecimal digits.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(version: &str) -> Release {
        Release {
            version: version.parse().expect("a version"),
            date: "2026-11-21".parse().expect("a date"),
            crates: "1.0.0".parse().expect("a version"),
            sha256: sha256(version),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let lock = Lock::default().with(release("1.0.0")).with(release("1.10.0"));
        assert_eq!(Lock::parse(&lock.to_toml()).expect("it reads"), lock);
        assert_eq!(Lock::parse(HEADER).expect("it reads"), Lock::default());
    }

    #[test]
    fn hashes_are_those_of_other_tools() {
        assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn a_lock_that_was_edited_badly_says_where() {
        let text = Lock::default().with(release("1.10.0")).with(release("1.9.0")).to_toml();
        assert_eq!(
            Lock::parse(&text).expect_err("the order is wrong").to_string(),
            "1.9.0 is listed after 1.10.0; list every version once, in ascending order"
        );
        let text = Lock::default().with(release("1.0.0")).to_toml();
        let error = Lock::parse(&text.replace("2026-11-21", "soon")).expect_err("that is no date");
        assert_eq!(error.to_string(), "the date of the release 1.0.0 is not valid: `soon`");
        assert!(matches!(Lock::parse(&text.replace("crates", "crate")), Err(LockError::Form(_))));
    }
}
