//! Owns [`Pattern`]: `pattern` in its ECMA 262 dialect.

use std::sync::OnceLock;

/// A regular expression of a document, compiled when it is first used.
///
/// The generator refuses a document whose pattern does not compile, so a pattern that does not is never met here; it
/// would match nothing.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<regress::Regex>>,
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
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| {
                regress::Regex::with_flags(self.source, "u")
                    .or_else(|_| regress::Regex::new(self.source))
                    .ok()
            })
            .as_ref()
            .is_some_and(|regex| regex.find(text).is_some())
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
