//! Problems that prevent a release, and their rendering.

use std::fmt::Write as _;

use frontdesk_document::Explanation;

use crate::github;

/// A location in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLocation {
    /// The path of the file, relative to the root of the workspace.
    pub file: String,
    /// The line, from 1, if known.
    pub line: Option<u32>,
}

/// A problem that prevents a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The stable code of its kind.
    pub code: &'static str,
    /// What is wrong, without a full stop.
    pub message: String,
    /// Where it is wrong.
    pub location: FileLocation,
    /// What to do, without a full stop.
    pub help: String,
}

/// Declares the kind of each problem as a constant and as a row of [`CODES`].
macro_rules! problems {
    ($($name:ident = $code:literal: $text:literal,)*) => {
        $(#[doc = $text] pub(super) const $name: &str = $code;)*

        /// The explanation of each kind of problem.
        pub const CODES: &[Explanation] = &[$(Explanation { code: $code, text: $text },)*];
    };
}

problems! {
    BREAKING = "release-breaking":
        "The document has a breaking change since the last release that is not exempted. `cargo xtask compat` shows every change with a proof. Keep the old form alongside the new one, \
         location it `deprecated` with an `x-sunset` at least twelve months away, and remove it when that date has passed.",
    CHANGELOG_ENTRY = "release-changelog-entry":
        "The changelog does not describe the changes of a version. Add a heading such as `## 1.1.0 - unreleased`, and describe below it what users need to know. `cargo xtask release` fills in the date.",
    CRATES_VERSION = "release-crates-version":
        "The changes of the generated crates need a higher version. Raise `workspace.package.version` in Cargo.toml.",
    FROZEN_CHANGED = "release-frozen-changed":
        "The bundle of a released version was changed. Users rely on it: restore the file from the commit of its release, and put corrections into a new version.",
    FROZEN_MISSING = "release-frozen-missing":
        "The bundle of a released version is missing. Restore it from the commit of its release.",
    FROZEN_UNKNOWN = "release-frozen-unknown":
        "The folder of released bundles contains a file that does not belong to a release. Only `cargo xtask release` writes to this folder; remove the file.",
    LOCK_CHANGED = "release-lock-changed":
        "An entry of the lock file of releases was edited or removed. Entries of released versions never change; restore it.",
    VERSION = "release-version":
        "`info.version` does not fit the changes since the last release: text changes need a patch version, additions a minor version. It must be the next version after the last release, without gaps.",
}

/// Renders the problems for a terminal.
pub fn text(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |mut out, problem| {
        let Problem { code, message, location, help } = problem;
        let line = location.line.map_or_else(String::new, |line| format!(":{line}"));
        // Writing to a string never fails.
        let _ = writeln!(out, "error[{code}]: {message}\n  --> {}{line}\n  = help: {help}\n", location.file);
        out
    })
}

/// Renders the problems as workflow commands, which GitHub shows beside the lines of a pull request.
pub fn annotations(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |mut out, problem| {
        let line = problem.location.line.map_or_else(String::new, |line| format!("line={line},"));
        let place = format!("file={},{line}", github::property(&problem.location.file));
        let text = github::data(&format!("{}\n{}", problem.message, problem.help));
        let _ = writeln!(out, "::error {place}title={}::{text}", github::property(problem.code));
        out
    })
}
