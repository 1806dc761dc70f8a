//! What a comparison tells: findings with their places, and the judgement of the whole.

use frontdesk_document::NodeRef;
use serde_json::Value;

use super::effect::{Bump, Bumps, Level, Verdict};
use super::rules::Rule;

/// A place in one of the two documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spot {
    /// The path of the file as it was read.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The JSON pointer within the file.
    pub pointer: String,
}

impl Spot {
    pub(crate) fn of(node: NodeRef<'_>) -> Self {
        let start = node.key_span().start;
        Self { file: node.file().to_owned(), line: start.line, column: start.column, pointer: node.pointer() }
    }
}

/// Where in the interface a change is met.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Use {
    /// The method and the path; empty for what belongs to no operation.
    pub operation: String,
    /// The part of the operation, such as `request body › name`; empty for the operation as a whole.
    pub place: String,
}

/// A request or a response that shows that a finding is true.
#[derive(Clone, Debug, PartialEq)]
pub enum Witness {
    /// A value that one document allows and the other does not; both were asked.
    Value {
        /// Where in the interface the value stands.
        place: String,
        /// The value.
        value: Value,
        /// What the document that refuses it says.
        refusal: String,
    },
    /// Something of which the finding itself is the proof, such as a call of an operation that is gone.
    Call(String),
}

/// One difference, and what it means.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Names this finding in every later run over the same change, whatever else changes around it.
    pub id: String,
    /// What kind of change it is.
    pub rule: &'static Rule,
    /// How grave it is.
    pub level: Level,
    /// Who notices.
    pub verdicts: Vec<Verdict>,
    /// What changed, as a sentence without a full stop.
    pub message: String,
    /// Why a breaking change is allowed all the same.
    pub excuse: Option<String>,
    /// Where in the interface it is met: never empty, in the order of the documents.
    pub uses: Vec<Use>,
    /// The place in the base; of what is added, where it would stand.
    pub base: Option<Spot>,
    /// The place in the revision; of what is removed, where it stood.
    pub revision: Option<Spot>,
    /// What shows it.
    pub witness: Option<Witness>,
    /// What it asks of the version numbers.
    pub bumps: Bumps,
    /// What changes for users of the generated crates; empty if their code was not looked at.
    pub code: Vec<String>,
}

impl Finding {
    /// Whether it breaks a promise that nothing excuses.
    pub fn breaks(&self) -> bool {
        self.level == Level::Breaking && self.excuse.is_none()
    }
}

/// The outcome of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The findings in the order of the interface.
    pub findings: Vec<Finding>,
    /// Whether the documents differ in anything at all.
    pub differs: bool,
    /// What the interfaces of the server and of the client crate ask of their versions; `None` if they were not looked at,
    /// and verdicts and versions follow the estimates of the rules.
    pub code: Option<CodeBumps>,
}

/// The bumps that the interfaces of the generated crates ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CodeBumps {
    /// The generated server crate.
    pub server: Bump,
    /// The generated client crate.
    pub client: Bump,
}

impl Comparison {
    /// Whether a promise is broken that nothing excuses.
    pub fn is_breaking(&self) -> bool {
        self.findings.iter().any(Finding::breaks)
    }

    /// Number of findings of a level that count at that level.
    pub fn count(&self, level: Level) -> usize {
        self.findings.iter().filter(|finding| finding.level == level && finding.excuse.is_none()).count()
    }

    /// What all findings together ask of the version numbers.
    pub fn bumps(&self) -> Bumps {
        let least = if self.differs { Bump::Patch } else { Bump::None };
        // What nothing in the document explains counts all the same.
        let code = self.code.unwrap_or_default();
        let least = Bumps { spec: least, server: least.max(code.server), client: least.max(code.client) };
        self.findings.iter().fold(least, |bumps, finding| bumps.max(finding.bumps))
    }
}
