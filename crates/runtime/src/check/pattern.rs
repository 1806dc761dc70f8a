//! [`Pattern`]: the keyword `pattern`, in the ECMA 262 dialect.

use std::sync::OnceLock;

/// A regular expression of a document, compiled on first use.
///
/// The generator omits patterns that do not compile. If one occurs nevertheless, it matches nothing.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<frontdesk_pattern::Pattern>>,
}

impl Pattern {
    /// Makes a pattern from the document's text.
    pub const fn new(source: &'static str) -> Self {
        Self { source, compiled: OnceLock::new() }
    }

    /// Returns the document's text.
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Whether some part of the text matches. A pattern is anchored only if it contains anchors.
    ///
    /// The time is bounded for every text: a pattern with lookaround or backreferences that exceeds its limit of steps,
    /// some milliseconds, does not match.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| frontdesk_pattern::Pattern::new(self.source).ok())
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(text))
    }
}

/// Returns a static pattern, as in [`check`](mod@crate::check).
#[macro_export]
macro_rules! pattern {
    ($source:literal) => {{
        static PATTERN: $crate::check::Pattern = $crate::check::Pattern::new($source);
        &PATTERN
    }};
}
