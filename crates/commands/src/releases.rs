//! Files about releases: the released bundles, the changelog, and the version of the crates.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use frontdesk_contract::changelog::Changelog;
use frontdesk_contract::compat::Announcements;
use frontdesk_contract::release::{CHANGELOG, LOCK_FILE, Lock};
use semver::Version;

/// The folder of the released bundles, relative to the root of the workspace.
pub(crate) const FOLDER: &str = "spec/v1/released";

/// The released bundles, and the lock file that lists them.
pub(crate) struct Releases {
    pub(crate) lock: Lock,
    /// The names and texts of the folder's files, without the lock file; a subfolder has no text.
    pub(crate) frozen: BTreeMap<String, String>,
}

impl Releases {
    /// Reads the folder, which does not exist before the first release.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let folder = root.join(FOLDER);
        let mut frozen = BTreeMap::new();
        if folder.is_dir() {
            for entry in fs_err::read_dir(&folder)? {
                let entry = entry?;
                let name = entry.file_name().to_string_lossy().into_owned();
                let text = if entry.file_type()?.is_dir() {
                    String::new()
                } else {
                    String::from_utf8_lossy(&fs_err::read(entry.path())?).into_owned()
                };
                frozen.insert(name, text);
            }
        }
        let lock = match frozen.remove(LOCK_FILE) {
            Some(text) => parsed(&text)?,
            None => Lock::default(),
        };
        Ok(Self { lock, frozen })
    }

    /// Returns the removals that the releases have announced.
    pub(crate) fn announcements(&self) -> Announcements {
        frontdesk_contract::release::announcements(&self.lock, &self.frozen, FOLDER)
    }
}

/// Parses a lock file.
pub(crate) fn parsed(text: &str) -> Result<Lock> {
    Lock::parse(text).with_context(|| format!("`{FOLDER}/{LOCK_FILE}` is not valid; restore it from git"))
}

/// Returns the changelog and its text.
pub(crate) fn changelog(root: &Path) -> Result<(Changelog, String)> {
    let text = fs_err::read_to_string(root.join(CHANGELOG)).context("a release needs the changelog")?;
    let changelog = Changelog::parse(&text).with_context(|| format!("`{CHANGELOG}` is not valid"))?;
    Ok((changelog, text))
}

/// Returns the version of the workspace's crates.
pub(crate) fn crates_version(root: &Path) -> Result<Version> {
    let manifest: toml::Table = fs_err::read_to_string(root.join("Cargo.toml"))?.parse()?;
    let version = ["workspace", "package", "version"]
        .iter()
        .try_fold(&toml::Value::Table(manifest), |at, key| at.get(*key))
        .and_then(toml::Value::as_str)
        .map(str::to_owned);
    let Some(version) = version else {
        bail!("Cargo.toml has no `workspace.package.version`; set it to the version of the generated crates");
    };
    version.parse().with_context(|| format!("`workspace.package.version` is not a version: `{version}`"))
}
