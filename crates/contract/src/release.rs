//! Releases of a contract: what is frozen, what the next version has to be, and what stands in its way.
//!
//! A released version is its bundle, a file of the folder of releases, and an entry of the [`Lock`] beside it. Neither is ever edited.
//! The document of the working tree is [judged](judge) against the newest of them, between releases too: whoever changes the contract
//! raises its version and tells the changelog in the same change, so that it can be released at any time.

mod lock;
mod problem;
mod version;

use std::collections::BTreeMap;

use frontdesk_document::{Document, MemoryLoader};
use jiff::civil::Date;
use semver::Version;

pub use self::lock::{Lock, LockError, Release, sha256};
pub use self::problem::{CODES, Mark, Problem, annotations, text};
pub use self::version::next;
use crate::changelog::Changelog;
use crate::compat::{Announcements, Bump, Bumps, Comparison, Policy, code, compare};

/// The name of the lock within the folder of releases.
pub const LOCK_FILE: &str = "releases.toml";

/// A contract that may be released, and what was released before it.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The document as it stands.
    pub document: &'a Document,
    /// Its bundle, as it would be frozen.
    pub bundle: &'a str,
    /// The version of the crates that are generated from it.
    pub crates: &'a Version,
    /// The changelog.
    pub changelog: &'a Changelog,
    /// The path of the folder of releases, for messages.
    pub folder: &'a str,
    /// The lock of the releases.
    pub lock: &'a Lock,
    /// The other files of the folder of releases, by name.
    pub frozen: &'a BTreeMap<String, String>,
    /// The lock as it was before the change that is judged, if that is known.
    pub earlier: Option<&'a Lock>,
    /// The day of the release, in UTC.
    pub today: Date,
}

/// What a candidate is worth.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// Its version; nothing if that is no version.
    pub version: Option<Version>,
    /// The newest release before it.
    pub last: Option<Version>,
    /// Whether anything differs from the newest release.
    pub changed: bool,
    /// What the changes ask of the version numbers.
    pub needed: Bumps,
    /// What stands in the way of a release.
    pub problems: Vec<Problem>,
}

/// Judges a candidate.
///
/// Of the newest release, `code` tells what changes since for users of the generated crates; nothing if that is to be estimated. It is
/// asked only if the candidate differs from what was released.
pub fn judge(
    candidate: &Candidate<'_>,
    code: impl FnOnce(&Document) -> Option<Vec<code::Change>>,
) -> Judgement {
    let mut judge = Judge { candidate, problems: Vec::new() };
    judge.frozen();
    judge.history();
    let written = candidate.document.root().get("info").and_then(|info| info.get("version"));
    let version = written.and_then(|version| version.as_str()?.parse::<Version>().ok());
    let last = candidate.lock.newest();
    let base = last.and_then(|last| candidate.frozen.get(&last.file()));
    let changed = base.is_none_or(|base| base != candidate.bundle);
    // Beside a bundle that is not what was released, every further word would be about the wrong thing.
    let intact = last.is_none_or(|last| base.is_some_and(|base| sha256(base) == last.sha256));
    let comparison = if changed && intact { judge.compared(code) } else { None };
    let needed = comparison.as_ref().map(Comparison::bumps).unwrap_or_default();
    let broken = comparison.as_ref().filter(|comparison| comparison.is_breaking());
    if let Some(comparison) = broken {
        judge.breaking(comparison);
    }
    match &version {
        None => judge.no_version(),
        // No version of this document fits what breaks it.
        Some(version) if changed && intact && broken.is_none() => {
            let fits = last.is_none_or(|last| judge.version(last, version, needed));
            if fits {
                judge.entry(version);
            }
        }
        Some(_) => {}
    }
    let problems = judge.problems;
    Judgement { version, last: last.map(|last| last.version.clone()), changed, needed, problems }
}

/// What the releases of a folder have announced to go. A bundle that is missing or broken announces nothing.
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

struct Judge<'a> {
    candidate: &'a Candidate<'a>,
    problems: Vec<Problem>,
}

impl Judge<'_> {
    fn problem(&mut self, code: &'static str, mark: Mark, message: String, help: String) {
        self.problems.push(Problem { code, message, mark, help });
    }

    /// A file of the folder of releases.
    fn released(&self, name: &str) -> Mark {
        Mark { file: format!("{}/{name}", self.candidate.folder), line: None }
    }

    /// What was released is as it was released.
    fn frozen(&mut self) {
        let Candidate { lock, frozen, .. } = *self.candidate;
        for release in lock.releases() {
            let (version, file) = (&release.version, release.file());
            let help = format!(
                "take `{0}/{file}` back from the commit that released {version}; what has to change becomes a new version",
                self.candidate.folder
            );
            match frozen.get(&file) {
                None => {
                    let message = format!("the bundle of the released version {version} is gone");
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
            let message = format!("`{name}` is no release: {LOCK_FILE} does not list it");
            let help =
                "remove it; `cargo xtask release` writes the bundle of a version that is ready".to_owned();
            self.problem(problem::FROZEN_UNKNOWN, self.released(name), message, help);
        }
    }

    /// The lock and the changelog still tell of every release.
    fn history(&mut self) {
        let Candidate { lock, earlier, changelog, .. } = *self.candidate;
        for before in earlier.into_iter().flat_map(Lock::releases) {
            if lock.find(&before.version) != Some(before) {
                let message =
                    format!("the entry of the released version {} was edited or removed", before.version);
                let help = "take it back as it was; what has to change becomes a new version".to_owned();
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
                    format!("the changelog no longer tells of version {version}, released on {date}");
                let help = format!("take its section `## {version} - {date}` back");
                self.problem(problem::CHANGELOG_ENTRY, changelog_mark(None), message, help);
            }
        }
    }

    /// The comparison with the newest release, by the rules of the house.
    fn compared(&self, code: impl FnOnce(&Document) -> Option<Vec<code::Change>>) -> Option<Comparison> {
        let Candidate { lock, frozen, folder, changelog, today, .. } = *self.candidate;
        let base = document(lock.newest()?, frozen, folder)?;
        let announcements = Some(announcements(lock, frozen, folder));
        let policy = Policy { announcements, ..Policy::house(today, changelog.clone()) };
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
            let spot = finding.revision.as_ref().or(finding.base.as_ref());
            let mark = spot.map_or_else(
                || self.mark_of_version(),
                |spot| Mark { file: spot.file.clone(), line: Some(spot.line) },
            );
            let message = format!("{at}{} [{}]", finding.message, finding.rule.id);
            let help = format!(
                "keep the old form beside the new one; what is stable may go twelve months after a release marked it `deprecated` with \
                 an `x-sunset`, and when the changelog says so (`cargo xtask explain {}` tells more). A security fix is exempted by an \
                 entry of the changelog with the word `security` and `{}`",
                finding.rule.id, finding.id
            );
            self.problem(problem::BREAKING, mark, message, help);
        }
    }

    fn mark_of_version(&self) -> Mark {
        let root = self.candidate.document.root();
        let info = root.get("info").unwrap_or(root);
        let node = info.get("version").unwrap_or(info);
        Mark { file: node.file().to_owned(), line: Some(node.key_span().start.line) }
    }

    fn no_version(&mut self) {
        let message = "`info.version` is no semantic version".to_owned();
        let help = "write three numbers, such as `1.0.0`".to_owned();
        self.problem(problem::VERSION, self.mark_of_version(), message, help);
    }

    /// Whether the versions follow the last release as far as the changes need.
    fn version(&mut self, last: &Release, version: &Version, needed: Bumps) -> bool {
        // The document differs, so that it cannot keep its version, even if no finding asks for more.
        let least = needed.spec.max(Bump::Patch);
        let wanted = next(&last.version, least);
        let fits = match version::between(&last.version, version) {
            Some(bump) if bump >= least => true,
            Some(_) => {
                let message = format!(
                    "the document changed since {} in a way that needs a {least} version, and `info.version` is {version}",
                    last.version
                );
                let help = format!(
                    "write {wanted} there, and tell what changed below `## {wanted} - unreleased` in {CHANGELOG}"
                );
                self.problem(problem::VERSION, self.mark_of_version(), message, help);
                false
            }
            None => {
                let message = format!("{version} is not the version after {}", last.version);
                let help = format!("write {wanted} there");
                self.problem(problem::VERSION, self.mark_of_version(), message, help);
                false
            }
        };
        let bump = needed.server.max(needed.client);
        let crates = next(&last.crates, bump);
        if *self.candidate.crates < crates {
            let message = format!(
                "the generated crates changed since {} in a way that needs a {bump} version (server {}, client {}), and theirs is {}",
                last.crates, needed.server, needed.client, self.candidate.crates
            );
            let help = format!("write {crates} as `workspace.package.version`");
            let mark = Mark { file: "Cargo.toml".to_owned(), line: None };
            self.problem(problem::CRATES_VERSION, mark, message, help);
        }
        fits
    }

    /// The changelog tells what the version changes.
    fn entry(&mut self, version: &Version) {
        let section = self.candidate.changelog.section(version);
        let help =
            format!("tell users what {version} changes, below the heading `## {version} - unreleased`");
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

/// The file of the changelog.
pub const CHANGELOG: &str = "CHANGELOG.md";

fn changelog_mark(line: Option<usize>) -> Mark {
    Mark { file: CHANGELOG.to_owned(), line: line.and_then(|line| u32::try_from(line).ok()) }
}
