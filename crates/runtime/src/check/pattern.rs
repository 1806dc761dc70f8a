//! [`Pattern`]: the keyword `pattern`, in the ECMA 262 dialect.

use std::sync::OnceLock;

/// A regular expression of a document, compiled on first use.
///
/// The generator omits patterns that do not compile. If one occurs nevertheless, it matches nothing.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    rule: Option<&'static str>,
    compiled: OnceLock<Option<frontdesk_pattern::Pattern>>,
}

impl Pattern {
    /// Makes a pattern from the document's text.
    pub const fn new(source: &'static str) -> Self {
        Self { source, rule: None, compiled: OnceLock::new() }
    }

    /// Says in words what the pattern requires, as the end of a sentence that begins with the location:
    /// `must be a color such as #ff8800`. It is the text of the extension key `x-pattern-rule` of a document.
    #[must_use]
    pub const fn in_words(mut self, rule: &'static str) -> Self {
        self.rule = Some(rule);
        self
    }

    /// Returns the document's text.
    pub const fn source(&self) -> &'static str {
        self.source
    }

    /// Returns the rule as the end of a sentence: in words, or else with the pattern itself.
    pub fn rule(&self) -> String {
        self.rule.map_or_else(|| format!("must match the pattern {}", self.source), str::to_owned)
    }

    /// Whether some part of the text matches. A pattern is anchored only if it contains anchors.
    ///
    /// The time is bounded for every text: a pattern with lookaround or backreferences that exceeds its limit
    /// of steps, some milliseconds, does not match.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled
            .get_or_init(|| frontdesk_pattern::Pattern::new(self.source).ok())
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(text))
    }
}

/// Returns a static pattern, as in [`check`](mod@crate::check); a second text says in words what it requires.
#[macro_export]
macro_rules! pattern {
    ($source:literal) => {{
        static PATTERN: $crate::check::Pattern = $crate::check::Pattern::new($source);
        &PATTERN
    }};
    ($source:literal, $rule:literal) => {{
        static PATTERN: $crate::check::Pattern = $crate::check::Pattern::new($source).in_words($rule);
        &PATTERN
    }};
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use crate::check::{Field, Path, Report};

    #[test]
    fn a_violated_pattern_is_told_in_words_where_the_document_has_them() {
        let told = |pattern: &'static super::Pattern| {
            let mut report = Report::default();
            Field::parameter(&"red".to_owned(), Path::ROOT.name("color"), &mut report, &|field| {
                let _ = field.pattern(pattern);
            });
            report.into_failures().into_iter().map(|failure| failure.message).collect::<Vec<_>>()
        };
        assert_eq!(told(pattern!("^#")), ["must match the pattern ^#"]);
        assert_eq!(
            told(pattern!("^#", "must be a color such as #ff8800")),
            ["must be a color such as #ff8800"]
        );
        assert_eq!(told(pattern!("^r", "must begin with r")), [""; 0]);
    }
}
