//! Files about releases: the released bundles, the changelog, and the version of the crates.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use frontdesk_contract::changelog::Changelog;
use frontdesk_contract::compat::Announcements;
use frontdesk_contract::release::{CHANGELOG, LOCK_FILE, Lock};
use semver::Version;

use crate::contract::Contract;

/// The released bundles, and the lock file that lists them.
pub(crate) struct Releases {
    /// The folder, for messages.
    folder: String,
    pub(crate) lock: Lock,
    /// The names and texts of the folder's files, without the lock file; a subfolder has no text.
    pub(crate) frozen: BTreeMap<String, String>,
}

impl Releases {
    /// Reads the folder, which does not exist before the first release.
    pub(crate) fn read(contract: &Contract) -> Result<Self> {
        let folder = contract.root.join(&contract.released);
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
            Some(text) => parsed(&text, &contract.released)?,
            None => Lock::default(),
        };
        Ok(Self { folder: contract.released.clone(), lock, frozen })
    }

    /// Returns the removals that the releases have announced.
    pub(crate) fn announcements(&self) -> Announcements {
        frontdesk_contract::release::announcements(&self.lock, &self.frozen, &self.folder)
    }
}

/// Parses the lock file of a folder.
pub(crate) fn parsed(text: &str, folder: &str) -> Result<Lock> {
    Lock::parse(text).with_context(|| format!("`{folder}/{LOCK_FILE}` is not valid; restore it from git"))
}

/// Returns the changelog and its text.
pub(crate) fn changelog(contract: &Contract) -> Result<(Changelog, String)> {
    let text = fs_err::read_to_string(contract.root.join(CHANGELOG)).context(
        "a release needs the changelog, with a section such as `## 1.2.0 - unreleased` for each version",
    )?;
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
