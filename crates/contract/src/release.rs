//! Releases of a contract: the frozen bundles, the version that must come next, and the problems that prevent
//! a release.
//!
//! A released version has a bundle, which is a file in the folder of releases, and an entry in the [`Lock`]
//! file there. Neither is ever edited. The working document is [checked](assess) against the newest release,
//! also between releases: every change of the contract updates the version and the changelog, so the contract
//! can be released at any time.

mod lock;
mod problem;
mod version;

use std::collections::BTreeMap;

use frontdesk_document::{Document, MemoryLoader};
use jiff::civil::Date;
use semver::Version;

pub use self::lock::{Lock, LockError, Release, sha256};
pub use self::problem::{CODES, FileLocation, Problem, annotations, text};
pub use self::version::next;
use crate::changelog::Changelog;
use crate::compat::{Announcements, Bump, Bumps, Comparison, Policy, code, compare};

/// The name of the lock file in the folder of releases.
pub const LOCK_FILE: &str = "releases.toml";

/// A contract to release, with the previous releases.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The working document.
    pub document: &'a Document,
    /// Its bundle, as it would be frozen.
    pub bundle: &'a str,
    /// The version of the crates generated from it.
    pub crates: &'a Version,
    /// The changelog.
    pub changelog: &'a Changelog,
    /// The path of the folder of releases, for messages.
    pub folder: &'a str,
    /// The lock of the releases.
    pub lock: &'a Lock,
    /// The other files of the folder of releases, by name.
    pub frozen: &'a BTreeMap<String, String>,
    /// The lock before the change that is checked, if known.
    pub earlier: Option<&'a Lock>,
    /// The day of the release (UTC).
    pub today: Date,
}

/// The result of checking a candidate.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// Its version, or `None` if `info.version` is not valid.
    pub version: Option<Version>,
    /// The newest release before it.
    pub last: Option<Version>,
    /// Whether the document differs from the newest release.
    pub changed: bool,
    /// The version bumps that the changes require.
    pub needed: Bumps,
    /// The problems that prevent a release.
    pub problems: Vec<Problem>,
}

/// Checks a candidate.
///
/// `code` returns the changes of the generated crates since the given release, or `None` to use an estimate.
/// It is called only if the candidate differs from the newest release.
pub fn assess(
    candidate: &Candidate<'_>,
    code: impl FnOnce(&Document) -> Option<Vec<code::Change>>,
) -> Assessment {
    let mut assessor = Assessor { candidate, problems: Vec::new() };
    assessor.frozen();
    assessor.history();
    let written = candidate.document.root().get("info").and_then(|info| info.get("version"));
    let version = written.and_then(|version| version.as_str()?.parse::<Version>().ok());
    let last = candidate.lock.newest();
    let base = last.and_then(|last| candidate.frozen.get(&last.file()));
    let changed = base.is_none_or(|base| base != candidate.bundle);
    // If a released bundle was changed, further problems would be misleading.
    let intact = last.is_none_or(|last| base.is_some_and(|base| sha256(base) == last.sha256));
    let comparison = if changed && intact { assessor.compared(code) } else { None };
    let needed = comparison.as_ref().map(Comparison::bumps).unwrap_or_default();
    let broken = comparison.as_ref().filter(|comparison| comparison.is_breaking());
    if let Some(comparison) = broken {
        assessor.breaking(comparison);
    }
    match &version {
        None => assessor.no_version(),
        // With breaking changes, no version is acceptable.
        Some(version) if changed && intact && broken.is_none() => {
            let fits = last.is_none_or(|last| assessor.version(last, version, needed));
            if fits {
                assessor.entry(version);
            }
        }
        Some(_) => {}
    }
    let problems = assessor.problems;
    Assessment { version, last: last.map(|last| last.version.clone()), changed, needed, problems }
}

/// Returns the removals that the releases of a folder have announced. Missing and invalid bundles are
/// skipped.
pub fn announcements(lock: &Lock, frozen: &BTreeMap<String, String>, folder: &str) -> Announcements {
    let read = |release: &Release| Some((release.date, document(release, frozen, folder)?));
    let releases: Vec<(Date, Document)> = lock.releases().iter().filter_map(read).collect();
    Announcements::of(releases.iter().map(|(date, document)| (*date, document)))
}

fn document(release: &Release, frozen: &BTreeMap<String, String>, folder: &str) -> Option<Document> {
    let path = format!("{folder}/{}", release.file());
    let loader = MemoryLoader::new().with(path.as_str(), frozen.get(&release.file())?.as_str());
    Document::read(&path, &loader).0
}

struct Assessor<'a> {
    candidate: &'a Candidate<'a>,
    problems: Vec<Problem>,
}

impl Assessor<'_> {
    fn problem(&mut self, code: &'static str, location: FileLocation, message: String, help: String) {
        self.problems.push(Problem { code, message, location, help });
    }

    /// Returns the location of a file in the folder of releases.
    fn released(&self, name: &str) -> FileLocation {
        FileLocation { file: format!("{}/{name}", self.candidate.folder), line: None }
    }

    /// Checks that the released bundles are unchanged.
    fn frozen(&mut self) {
        let Candidate { lock, frozen, .. } = *self.candidate;
        for release in lock.releases() {
            let (version, file) = (&release.version, release.file());
            let help = format!(
                "restore `{0}/{file}` from the commit that released {version}; put changes into a new version",
                self.candidate.folder
            );
            match frozen.get(&file) {
                None => {
                    let message = format!("the bundle of the released version {version} is missing");
                    self.problem(problem::FROZEN_MISSING, self.released(&file), message, help);
                }
                Some(text) if sha256(text) != release.sha256 => {
                    let message = format!("the bundle of the released version {version} was edited");
                    self.problem(problem::FROZEN_CHANGED, self.released(&file), message, help);
                }
                Some(_) => {}
            }
        }
        for name in frozen.keys().filter(|name| !lock.releases().iter().any(|it| it.file() == **name)) {
            let message = format!("`{name}` is not a release: {LOCK_FILE} does not list it");
            let help = "remove it; `cargo xtask release` writes the bundles".to_owned();
            self.problem(problem::FROZEN_UNKNOWN, self.released(name), message, help);
        }
    }

    /// Checks that the lock and the changelog still contain every release.
    fn history(&mut self) {
        let Candidate { lock, earlier, changelog, .. } = *self.candidate;
        for before in earlier.into_iter().flat_map(Lock::releases) {
            if lock.find(&before.version) != Some(before) {
                let message =
                    format!("the entry of the released version {} was edited or removed", before.version);
                let help = "restore it; put changes into a new version".to_owned();
                self.problem(problem::LOCK_CHANGED, self.released(LOCK_FILE), message, help);
            }
        }
        for release in lock.releases() {
            let dated = changelog
                .section(&release.version)
                .is_some_and(|section| section.released == Some(release.date) && !section.entries.is_empty());
            if !dated {
                let Release { version, date, .. } = release;
                let message =
                    format!("the changelog has no section for version {version}, released on {date}");
                let help = format!("restore its section `## {version} - {date}`");
                self.problem(problem::CHANGELOG_ENTRY, changelog_mark(None), message, help);
            }
        }
    }

    /// Compares with the newest release, under the project policy.
    fn compared(&self, code: impl FnOnce(&Document) -> Option<Vec<code::Change>>) -> Option<Comparison> {
        let Candidate { lock, frozen, folder, changelog, today, .. } = *self.candidate;
        let base = document(lock.newest()?, frozen, folder)?;
        let announcements = Some(announcements(lock, frozen, folder));
        let policy = Policy { announcements, ..Policy::project(today, changelog.clone()) };
        let comparison = compare(&base, self.candidate.document, &policy);
        Some(match code(&base) {
            Some(changes) => comparison.with_code(&changes),
            None => comparison,
        })
    }

    fn breaking(&mut self, comparison: &Comparison) {
        for finding in comparison.findings.iter().filter(|finding| finding.breaks()) {
            let at = finding.uses.first().map_or(String::new(), |used| {
                let place = [used.operation.as_str(), used.place.as_str()];
                place.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" › ") + ": "
            });
            let location = finding.revision.as_ref().or(finding.base.as_ref());
            let location = location.map_or_else(
                || self.location_of_version(),
                |location| FileLocation { file: location.file.clone(), line: Some(location.line) },
            );
            let message = format!("{at}{} [{}]", finding.message, finding.rule.id);
            let help = format!(
                "keep the old form alongside the new one; a stable part may be removed twelve months after a release deprecated it with \
                 an `x-sunset`, and when the changelog says so (`cargo xtask explain {}` tells more). A security fix is exempted by an \
                 entry of the changelog with the word `security` and `{}`",
                finding.rule.id, finding.id
            );
            self.problem(problem::BREAKING, location, message, help);
        }
    }

    fn location_of_version(&self) -> FileLocation {
        let root = self.candidate.document.root();
        let info = root.get("info").unwrap_or(root);
        let node = info.get("version").unwrap_or(info);
        FileLocation { file: node.file().to_owned(), line: Some(node.key_span().start.line) }
    }

    fn no_version(&mut self) {
        let message = "`info.version` is not a semantic version".to_owned();
        let help = "use three numbers, such as `1.0.0`".to_owned();
        self.problem(problem::VERSION, self.location_of_version(), message, help);
    }

    /// Checks that the versions follow the newest release with the required bumps. Returns whether
    /// `info.version` does.
    fn version(&mut self, last: &Release, version: &Version, needed: Bumps) -> bool {
        // A changed document needs a new version, even without findings.
        let least = needed.spec.max(Bump::Patch);
        let wanted = next(&last.version, least);
        let fits = match version::between(&last.version, version) {
            Some(bump) if bump >= least => true,
            Some(_) => {
                let message = format!(
                    "the document changed since {} in a way that needs a {least} version, but `info.version` is {version}",
                    last.version
                );
                let help = format!(
                    "write {wanted} there, and describe the changes under `## {wanted} - unreleased` in {CHANGELOG}"
                );
                self.problem(problem::VERSION, self.location_of_version(), message, help);
                false
            }
            None => {
                let message = format!("{version} is not the version after {}", last.version);
                let help = format!("write {wanted} there");
                self.problem(problem::VERSION, self.location_of_version(), message, help);
                false
            }
        };
        let bump = needed.server.max(needed.client);
        let crates = next(&last.crates, bump);
        if *self.candidate.crates < crates {
            let message = format!(
                "the generated crates changed since {} in a way that needs a {bump} version (server {}, client {}), but their version is {}",
                last.crates, needed.server, needed.client, self.candidate.crates
            );
            let help = format!("write {crates} as `workspace.package.version`");
            let location = FileLocation { file: "Cargo.toml".to_owned(), line: None };
            self.problem(problem::CRATES_VERSION, location, message, help);
        }
        fits
    }

    /// Checks that the changelog describes the version.
    fn entry(&mut self, version: &Version) {
        let section = self.candidate.changelog.section(version);
        let help = format!(
            "describe for users what {version} changes, under the heading `## {version} - unreleased`"
        );
        match section {
            None => {
                let message = format!("the changelog has no section for version {version}");
                self.problem(problem::CHANGELOG_ENTRY, changelog_mark(None), message, help);
            }
            Some(section) if section.entries.is_empty() => {
                let message = format!("the section of version {version} is empty");
                self.problem(problem::CHANGELOG_ENTRY, changelog_mark(Some(section.line)), message, help);
            }
            Some(_) => {}
        }
    }
}

/// The file name of the changelog.
pub const CHANGELOG: &str = "CHANGELOG.md";

fn changelog_mark(line: Option<usize>) -> FileLocation {
    FileLocation { file: CHANGELOG.to_owned(), line: line.and_then(|line| u32::try_from(line).ok()) }
}
