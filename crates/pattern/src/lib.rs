//! `pattern` of JSON Schema: regular expressions in the dialect of ECMA 262, on an engine whose time is bounded.
//!
//! A pattern is the document's and a text is a stranger's: an engine that goes back and tries again can be made to take years for
//! `^(a+)+$` and forty characters. Here a pattern is rewritten for [`fancy_regex`]. What needs no look around and no back reference then runs in
//! time linear in the text; what needs them is given up after a number of steps, and the text is taken not to match.
//!
//! Where ECMA 262 and Rust's engines differ, ECMA 262 counts: `\d`, `\w` and `\b` are of ASCII, `$` is the end and not a last line break before it,
//! `.` is anything but the four line terminators. A pattern is read with the flag `u` if it can be, as JSON Schema advises, and otherwise
//! as browsers read old ones (annex B). The flag is the only one, so letters keep their case.

mod class;
mod escape;
mod translate;

use fancy_regex::{Regex, RegexBuilder};

use self::translate::{Dialect, translated};
pub use self::translate::{Mistake, Reason};

/// Steps back before a match is given up: some milliseconds.
const MOST_STEPS: usize = 100_000;

/// Bytes that a part of a pattern may take when it is compiled for the linear engine.
const LARGEST: usize = 2 << 20;

/// Repetitions above this number are counted instead of being written out; so are all, of a pattern that is too large written out.
const MOST_COPIES: u32 = 1_000;

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern(Regex);

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    /// It is no regular expression, or one that is not taken here.
    #[error(transparent)]
    Mistake(#[from] Mistake),
    /// It is one that the engine does not take.
    #[error("the engine, whose time is bounded, does not take it: {0}")]
    Engine(Box<fancy_regex::Error>),
}

impl Pattern {
    /// Compiles a pattern, which takes a while.
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

    /// Whether some part of the text matches; a pattern is anchored only where it says so itself.
    ///
    /// Also `false` where a pattern with look around, back references or long repetitions goes back more than a hundred thousand times.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text).unwrap_or(false)
    }
}

fn compiled(source: &str) -> Result<Regex, PatternError> {
    let built = RegexBuilder::new(source).backtrack_limit(MOST_STEPS).delegate_size_limit(LARGEST).build();
    built.map_err(|error| PatternError::Engine(Box::new(error)))
}
