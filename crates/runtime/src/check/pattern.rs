//! Owns [`Pattern`]: `pattern` in its ECMA 262 dialect.

use std::sync::OnceLock;

/// A regular expression of a document, compiled when it is first used.
///
/// The generator leaves out patterns that do not compile, so none is ever met here; it would match nothing.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<frontdesk_pattern::Pattern>>,
}

impl Pattern {
    /// A pattern as the document writes it.
    pub const fn new(source: &'static str) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    /// The pattern as the document writes it.
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Whether some part of the text matches; a pattern is anchored only where it says so itself.
    ///
    /// The time is bounded, whatever the text: a pattern that looks around or back does not match what it cannot judge within some
    /// milliseconds.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| frontdesk_pattern::Pattern::new(self.source).ok())
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(text))
    }
}

/// A pattern, as in [`check`](mod@crate::check), that lives as long as the program.
#[macro_export]
macro_rules! pattern {
    ($source:literal) => {{
        static PATTERN: $crate::check::Pattern = $crate::check::Pattern::new($source);
        &PATTERN
    }};
}
