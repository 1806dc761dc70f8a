//! The result of a comparison: findings with their locations, and the summary.

use std::fmt;

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::effect::{Bump, Bumps, Level, Verdict};
use super::rules::Rule;

/// A location in one of the two documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The path of the file as it was read.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The JSON pointer within the file.
    pub pointer: String,
}

impl Location {
    pub(crate) fn of(node: NodeRef<'_>) -> Self {
        let start = node.key_span().start;
        Self { file: node.file().to_owned(), line: start.line, column: start.column, pointer: node.pointer() }
    }
}

/// A location of a change in the interface.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The method and the path; empty if it does not belong to an operation.
    pub operation: String,
    /// The part of the operation, such as `request body › name`; empty for the whole operation.
    pub place: String,
}

/// One of the two compared documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The older document.
    Base,
    /// The newer document.
    Revision,
}

impl fmt::Display for Side {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Base => "base",
            Self::Revision => "revision",
        })
    }
}

/// A proof of a finding.
#[derive(Clone, Debug, PartialEq)]
pub enum Witness {
    /// A value that one document allows and the other does not, according to the oracles of both.
    Value {
        /// The location of the value in the interface.
        place: String,
        /// The value.
        value: Value,
        /// The document that does not allow it.
        refused_by: Side,
        /// Why that document does not allow it, such as "`name` is longer than 20 characters".
        refusal: String,
    },
    /// A call, if the finding is its own proof, such as a call of a removed operation.
    Call(String),
}

/// A difference, with its consequences.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The stable id: the same change has the same id in later runs, regardless of other changes.
    pub id: String,
    /// The kind of change.
    pub rule: &'static Rule,
    /// The level.
    pub level: Level,
    /// The kinds of users that it affects.
    pub verdicts: Vec<Verdict>,
    /// What changed, without a full stop.
    pub message: String,
    /// Why a breaking change is allowed nevertheless.
    pub excuse: Option<String>,
    /// The locations in the interface, in document order; never empty.
    pub uses: Vec<Use>,
    /// The location in the base; for an addition, where it would be.
    pub base: Option<Location>,
    /// The location in the revision; for a removal, where it was.
    pub revision: Option<Location>,
    /// The proof.
    pub witness: Option<Witness>,
    /// The version bumps that it requires.
    pub bumps: Bumps,
    /// The changes for users of the generated packages; empty if they were not compared.
    pub code: Vec<String>,
}

impl Finding {
    /// Returns whether it is a breaking change that is not excused.
    pub fn breaks(&self) -> bool {
        self.level == Level::Breaking && self.excuse.is_none()
    }
}

/// The outcome of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The findings, in the order of the interface.
    pub findings: Vec<Finding>,
    /// Whether the documents differ at all.
    pub differs: bool,
    /// The version bumps that the generated crates' interfaces require; `None` if the interfaces were not
    /// compared, and verdicts and bumps are estimates.
    pub code: Option<CodeBumps>,
    /// The version bump that the types of the JavaScript client require; `None` if they were not compared.
    pub javascript: Option<Bump>,
}

/// The version bumps that the interfaces of the generated crates require.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeBumps {
    /// The bump of the server crate.
    pub server: Bump,
    /// The bump of the client crate.
    pub client: Bump,
}

impl Comparison {
    /// Returns whether there is a breaking change that is not excused.
    pub fn is_breaking(&self) -> bool {
        self.findings.iter().any(Finding::breaks)
    }

    /// Returns the number of findings that count at a level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level && finding.excuse.is_none()).count()
    }

    /// Returns the version bumps that all findings together require.
    pub fn bumps(&self) -> Bumps {
        let least = if self.differs { Bump::Patch } else { Bump::None };
        // Changes without an explanation in the document count too.
        let code = self.code.unwrap_or_default();
        let least = Bumps {
            spec: least,
            server: least.max(code.server),
            client: least.max(code.client),
            javascript: self.javascript.map(|bump| least.max(bump)),
        };
        self.findings.iter().fold(least, |bumps, finding| bumps.max(finding.bumps))
    }
}
