//! The folder of released bundles and what stands beside it: the changelog, the versions.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use frontdesk_contract::changelog::Changelog;
use frontdesk_contract::compat::Announcements;
use frontdesk_contract::release::{CHANGELOG, LOCK_FILE, Lock};
use semver::Version;

/// Where the released bundles are, from the root of the workspace.
pub(crate) const FOLDER: &str = "spec/v1/released";

/// The released bundles with their lock.
pub(crate) struct Releases {
    pub(crate) lock: Lock,
    /// The files of the folder except the lock, by name; a folder within it is one without text.
    pub(crate) frozen: BTreeMap<String, String>,
}

impl Releases {
    /// Reads the folder; before the first release there is none.
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

    /// What the releases have announced to go.
    pub(crate) fn announcements(&self) -> Announcements {
        frontdesk_contract::release::announcements(&self.lock, &self.frozen, FOLDER)
    }
}

/// A lock from its file.
pub(crate) fn parsed(text: &str) -> Result<Lock> {
    Lock::parse(text).with_context(|| {
        format!("`{FOLDER}/{LOCK_FILE}` cannot be read; take it back from the last commit in which it could")
    })
}

/// The changelog, and its text.
pub(crate) fn changelog(root: &Path) -> Result<(Changelog, String)> {
    let text = fs_err::read_to_string(root.join(CHANGELOG)).context("releases are told in the changelog")?;
    let changelog = Changelog::parse(&text).with_context(|| format!("`{CHANGELOG}` cannot be read"))?;
    Ok((changelog, text))
}

/// The version of the crates of the workspace.
pub(crate) fn crates_version(root: &Path) -> Result<Version> {
    let manifest: toml::Table = fs_err::read_to_string(root.join("Cargo.toml"))?.parse()?;
    let version = ["workspace", "package", "version"]
        .iter()
        .try_fold(&toml::Value::Table(manifest), |at, key| at.get(*key))
        .and_then(toml::Value::as_str)
        .map(str::to_owned);
    let Some(version) = version else {
        bail!("Cargo.toml has no `workspace.package.version`, which is the version of the generated crates");
    };
    version.parse().with_context(|| format!("`workspace.package.version` is `{version}`"))
}
