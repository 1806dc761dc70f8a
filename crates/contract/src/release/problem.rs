//! What stands in the way of a release, and how it is told.

use std::fmt::Write as _;

use frontdesk_document::Explanation;

use crate::github;

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The path of the file from the root of the workspace.
    pub file: String,
    /// The line, from 1, if it is known.
    pub line: Option<u32>,
}

/// Something that stands in the way of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The stable name of its kind.
    pub code: &'static str,
    /// What is wrong, as a sentence without a full stop.
    pub message: String,
    /// Where.
    pub mark: Mark,
    /// What to do, as a sentence without a full stop.
    pub help: String,
}

/// Declares the kind of each problem as a constant, and as a row of [`CODES`].
macro_rules! problems {
    ($($name:ident = $code:literal: $text:literal,)*) => {
        $(#[doc = $text] pub(super) const $name: &str = $code;)*

        /// What each kind of problem means and what to do.
        pub const CODES: &[Explanation] = &[$(Explanation { code: $code, text: $text },)*];
    };
}

problems! {
    BREAKING = "release-breaking":
        "The document breaks a promise of the last release, and nothing excuses it. `cargo xtask compat` tells each place with a proof. Keep the old form beside the new one, \
         mark the old one `deprecated` with an `x-sunset` twelve months away, and take it out when that day has passed.",
    CHANGELOG_ENTRY = "release-changelog-entry":
        "The changelog does not tell what a version changed. Give it a heading such as `## 1.1.0 - unreleased`, and below it what users have to know; `cargo xtask release` puts the date.",
    CRATES_VERSION = "release-crates-version":
        "The generated crates changed more than their version says. It is `workspace.package.version` in Cargo.toml.",
    FROZEN_CHANGED = "release-frozen-changed":
        "The bundle of a released version is not what was released. Users built on it: take the file back from the commit of its release. A correction is a new version.",
    FROZEN_MISSING = "release-frozen-missing":
        "The bundle of a released version is gone. Take it back from the commit of its release.",
    FROZEN_UNKNOWN = "release-frozen-unknown":
        "There is a file among the released bundles that no release put there. `cargo xtask release` is the only way in.",
    LOCK_CHANGED = "release-lock-changed":
        "An entry of the lock of releases was edited or removed. What was released stays as it was released.",
    VERSION = "release-version":
        "The document changed more since the last release than `info.version` says: prose needs a patch version, additions need a minor one. It is the version after the last release, and no further one.",
}

/// The problems as text for a terminal.
pub fn text(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |mut out, problem| {
        let Problem { code, message, mark, help } = problem;
        let line = mark.line.map_or_else(String::new, |line| format!(":{line}"));
        // Writing to a string does not fail.
        let _ = writeln!(out, "error[{code}]: {message}\n  --> {}{line}\n  = help: {help}\n", mark.file);
        out
    })
}

/// The problems as workflow commands, which GitHub shows beside the lines of a pull request.
pub fn annotations(problems: &[Problem]) -> String {
    problems.iter().fold(String::new(), |mut out, problem| {
        let line = problem.mark.line.map_or_else(String::new, |line| format!("line={line},"));
        let place = format!("file={},{line}", github::property(&problem.mark.file));
        let text = github::data(&format!("{}\n{}", problem.message, problem.help));
        let _ = writeln!(out, "::error {place}title={}::{text}", github::property(problem.code));
        out
    })
}
