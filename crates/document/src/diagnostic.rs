//! Problems found in a document: what, where, and what to write instead.

use std::fmt;
use std::sync::Arc;

use crate::codes;
use crate::source::{Sources, Span};

/// How grave a problem is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is accepted, with a loss or a risk that its author should know.
    Warning,
    /// Something worth knowing.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// A location with a label, which may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// How the location is related to the problem.
    pub text: String,
}

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{severity}[{code}]: {message}")]
pub struct Diagnostic {
    /// Stable name of the kind of problem, such as `unresolved-reference`; [`explain`](crate::explain)
    /// describes it.
    pub code: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// The problem, as a lower-case fragment without a full stop.
    pub message: String,
    /// Where it is wrong.
    pub primary: Label,
    /// Other places that belong to the problem, in any file.
    pub related: Vec<Label>,
    /// Facts that help to understand it.
    pub notes: Vec<String>,
    /// What to write instead.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A problem of this severity at this place.
    pub fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            primary: Label { span, text: String::new() },
            related: Vec::new(),
            notes: Vec::new(),
            hint: None,
        }
    }

    /// A problem for which the document is refused.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A problem that the author should know.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// A remark. (The name keeps [`note`](Self::note) free for the facts under a problem.)
    pub fn remark(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message)
    }

    /// Sets the label of the primary location.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Returns the same problem as a warning: the document is accepted, with this interpretation.
    pub fn tolerated(self, reading: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..self }.note(reading)
    }

    /// Says what to write instead; a later hint replaces an earlier one.
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }
}

/// How many problems there are of each severity.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Problems for which the document is refused.
    pub errors: usize,
    /// Problems that its author should know.
    pub warnings: usize,
    /// Remarks.
    pub notes: usize,
}

/// The problems of one run.
///
/// What [`Document::read`](crate::Document::read) returns also carries the texts that were read, so that
/// problems can be shown when there is no document to ask for them.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    sources: Arc<Sources>,
}

/// Problems of references that one place has. Those of limits are about the whole document.
const TOLERABLE: [&str; 6] = [
    codes::INVALID_REFERENCE,
    codes::REFERENCE_CYCLE,
    codes::REMOTE_REFERENCE,
    codes::UNREADABLE_FILE,
    codes::UNRESOLVED_REFERENCE,
    codes::WRONG_REFERENCE_TARGET,
];

impl Diagnostics {
    /// No problems, and no texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// No problems yet in these texts.
    pub fn with_sources(sources: Arc<Sources>) -> Self {
        Self { list: Vec::new(), sources }
    }

    pub(crate) fn set_sources(&mut self, sources: Arc<Sources>) {
        self.sources = sources;
    }

    /// Returns the texts that the problems point into, as far as they are known.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Adds a problem.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Turns errors about references that were added after the first `before` problems into warnings that
    /// state how the place is read, unless errors are asked for. Returns the message of the last one.
    pub(crate) fn tolerate_since(&mut self, before: usize, reading: &str, strict: bool) -> String {
        let mut message = String::new();
        for diagnostic in &mut self.list[before..] {
            message.clone_from(&diagnostic.message);
            let tolerable = TOLERABLE.contains(&diagnostic.code);
            if diagnostic.severity == Severity::Error && tolerable && !strict {
                diagnostic.severity = Severity::Warning;
                diagnostic.notes.push(reading.to_owned());
            }
        }
        message
    }

    /// Adds the problems of another run over the same texts.
    pub fn append(&mut self, other: Self) {
        if self.sources.is_empty() {
            self.sources = other.sources;
        }
        self.list.extend(other.list);
    }

    /// Returns whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Number of problems.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the problems, in the order in which they were added or, after [`sort`](Self::sort), of their
    /// places.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Returns the number of problems of each severity.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for diagnostic in &self.list {
            match diagnostic.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Note => counts.notes += 1,
            }
        }
        counts
    }

    /// Orders them by file in load order, then place, then code, and drops repetitions. The order is stable.
    pub fn sort(&mut self) {
        self.list.sort_by(|left, right| order(left).cmp(&order(right)));
        self.list.dedup();
    }
}

/// Returns the key by which problems are ordered.
pub(crate) fn order(diagnostic: &Diagnostic) -> (crate::FileId, u32, &'static str) {
    (diagnostic.primary.span.file, diagnostic.primary.span.start_byte, diagnostic.code)
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, diagnostics: I) {
        self.list.extend(diagnostics);
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
