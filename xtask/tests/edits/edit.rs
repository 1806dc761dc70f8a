//! The format of the files in `tests/fixtures/edits`: an edit of the contract, and the expected findings.

use std::fmt;
use std::sync::OnceLock;

use frontdesk_contract::compat;
use frontdesk_document::{Document, MemoryLoader};
use json_patch::Patch;
use serde::Deserialize;
use serde_json::Value;

/// An edit of the contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// A sentence that describes the edit.
    pub(super) says: String,
    /// Additions to both documents (RFC 6902), for constructs that the contract does not have.
    #[serde(default)]
    base: Patch,
    /// The edit (RFC 6902).
    #[serde(rename = "edit")]
    change: Patch,
    /// All findings under the basic policy, in any order.
    #[serde(default)]
    pub(super) findings: Vec<Expected>,
    /// The rules of the breaking findings under the project policy, if those differ from the basic policy.
    #[serde(default)]
    pub(super) project: Option<Vec<String>>,
    /// The needed versions, if they are higher than the findings require.
    #[serde(default)]
    pub(super) bumps: Option<Bumps>,
}

/// An expected finding.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) rule: String,
    pub(super) level: String,
    #[serde(default)]
    pub(super) verdicts: Vec<String>,
    /// The first operation that it occurs in.
    #[serde(default)]
    pub(super) operation: String,
    /// The location in that operation.
    #[serde(default)]
    pub(super) place: String,
    /// The number of locations that it occurs in.
    #[serde(default = "once")]
    pub(super) uses: usize,
    /// The pointer, if it is the same in both documents.
    #[serde(default)]
    at: Option<String>,
    #[serde(default)]
    base: Option<String>,
    #[serde(default)]
    revision: Option<String>,
    #[serde(default)]
    pub(super) witness: Proof,
    pub(super) bumps: Bumps,
    /// The changes for users of the generated crates, or some of them if there are many.
    #[serde(default)]
    pub(super) code: Vec<String>,
    /// The number of these changes, if not all of them are listed.
    #[serde(default)]
    changes: Option<usize>,
}

fn once() -> usize {
    1
}

impl Expected {
    pub(super) fn base_pointer(&self) -> String {
        self.base.as_ref().or(self.at.as_ref()).cloned().unwrap_or_default()
    }

    pub(super) fn changes(&self) -> usize {
        self.changes.unwrap_or(self.code.len())
    }

    pub(super) fn revision_pointer(&self) -> String {
        self.revision.as_ref().or(self.at.as_ref()).cloned().unwrap_or_default()
    }
}

/// The kind of proof for a finding.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Proof {
    /// No proof is needed.
    #[default]
    None,
    /// A value.
    Value,
    /// A call.
    Call,
}

/// The spec, the server and the client, separated by slashes.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(transparent)]
pub(super) struct Bumps(String);

impl Bumps {
    pub(super) fn of(bumps: compat::Bumps) -> Self {
        Self(format!("{}/{}/{}", bumps.spec, bumps.server, bumps.client))
    }
}

impl fmt::Display for Bumps {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The version of the contract that is edited. It was released and never changes, so no expectation depends
/// on later operations.
const VERSION: &str = "1.1.0";

/// Returns the released bundle.
fn contract() -> &'static Value {
    static CONTRACT: OnceLock<Value> = OnceLock::new();
    CONTRACT.get_or_init(|| {
        let path = super::workspace().join("spec/v1/released").join(format!("{VERSION}.yaml"));
        let text = fs_err::read_to_string(path).expect("the bundle is committed");
        serde_yaml::from_str(&text).expect("it is YAML")
    })
}

impl Edit {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        serde_yaml::from_str(text).map_err(|error| error.to_string())
    }

    /// Returns whether the base has additions to the contract.
    pub(super) fn adds_to_the_contract(&self) -> bool {
        !self.base.0.is_empty()
    }

    /// Returns the contract before and after the edit.
    pub(super) fn documents(&self) -> Result<(Document, Document), String> {
        let mut value = contract().clone();
        json_patch::patch(&mut value, &self.base).map_err(|error| format!("base: {error}"))?;
        let base = document(&value)?;
        json_patch::patch(&mut value, &self.change).map_err(|error| format!("edit: {error}"))?;
        Ok((base, document(&value)?))
    }
}

fn document(value: &Value) -> Result<Document, String> {
    const NAME: &str = "openapi.json";
    let text = serde_json::to_string_pretty(value).map_err(|error| error.to_string())?;
    let (document, problems) = Document::read(NAME, &MemoryLoader::new().with(NAME, text));
    document.ok_or_else(|| problems.render(problems.sources(), false))
}
