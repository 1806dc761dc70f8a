//! The keyword `pattern` of JSON Schema: regular expressions in the dialect of ECMA 262, on an engine with
//! bounded time.
//!
//! Patterns come from documents, and texts from strangers: a backtracking engine can need years for `^(a+)+$`
//! and forty characters. This crate translates patterns for [`fancy_regex`]. Patterns without lookaround and
//! backreferences run in linear time. All others stop after a limited number of steps and then do not match.
//!
//! The semantics are those of ECMA 262: `\d`, `\w` and `\b` are limited to ASCII, `$` matches only at the
//! end, not before a final line break, and `.` matches all characters except the four line terminators. A
//! pattern is parsed with the flag `u` if possible, as JSON Schema recommends, otherwise with the legacy
//! syntax of browsers (annex B). No other flag is set, so matching is case-sensitive.

mod class;
mod cursor;
mod escape;
mod syntax_error;
mod translate;

use fancy_regex::{Regex, RegexBuilder};

use self::cursor::Dialect;
pub use self::syntax_error::{Reason, SyntaxError};
use self::translate::translated;

/// The maximum number of backtracking steps of a match: some milliseconds.
const MOST_STEPS: usize = 100_000;

/// The maximum size of a compiled part of a pattern in the linear engine, in bytes.
const LARGEST: usize = 2 << 20;

/// The maximum number of repetitions that are expanded; a larger number is counted. If an expanded pattern is
/// too large, all repetitions are counted.
const MOST_COPIES: u32 = 1_000;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern(Regex);

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// The pattern is not a regular expression, or uses an unsupported construct.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The engine does not support the pattern.
    #[error("the engine, whose time is bounded, does not support it: {0}")]
    Engine(Box<fancy_regex::Error>),
}

impl Pattern {
    /// Compiles a pattern. This is expensive.
    pub fn new(source: &str) -> Result<Self, PatternError> {
        let (dialect, written_out) = match translated(source, Dialect::Unicode, MOST_COPIES) {
            Ok(written_out) => (Dialect::Unicode, written_out),
            Err(_) => (Dialect::Legacy, translated(source, Dialect::Legacy, MOST_COPIES)?),
        };
        match compiled(&written_out) {
            Ok(regex) => Ok(Self(regex)),
            Err(_) => Ok(Self(compiled(&translated(source, dialect, 1)?)?)),
        }
    }

    /// Returns whether some part of the text matches. A pattern is anchored only if it contains anchors.
    ///
    /// Also returns `false` if a pattern with lookaround, backreferences or long repetitions needs more than
    /// a hundred thousand backtracking steps.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text).unwrap_or(false)
    }
}

fn compiled(source: &str) -> Result<Regex, PatternError> {
    let built = RegexBuilder::new(source).backtrack_limit(MOST_STEPS).delegate_size_limit(LARGEST).build();
    built.map_err(|error| PatternError::Engine(Box::new(error)))
}
