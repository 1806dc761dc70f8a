//! Owns the files of `tests/fixtures/edits`: an edit of the contract, and what is to be said of it.

use std::fmt;
use std::sync::OnceLock;

use frontdesk_contract::compat;
use frontdesk_document::{Document, MemoryLoader};
use json_patch::Patch;
use serde::Deserialize;
use serde_json::Value;

/// An edit.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Edit {
    /// What it does, as a sentence.
    pub(super) says: String,
    /// What our own contract lacks for it, added to both documents (RFC 6902).
    #[serde(default)]
    base: Patch,
    /// The edit.
    #[serde(rename = "edit")]
    change: Patch,
    /// Everything that the law alone says of it, in any order.
    #[serde(default)]
    pub(super) findings: Vec<Expected>,
    /// The rules of what breaks under the rules of the house, where those differ from the law.
    #[serde(default)]
    pub(super) house: Option<Vec<String>>,
    /// What the versions need, where that is more than the findings ask for.
    #[serde(default)]
    pub(super) bumps: Option<Bumps>,
}

/// A finding that is to be.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) rule: String,
    pub(super) level: String,
    #[serde(default)]
    pub(super) verdicts: Vec<String>,
    /// The first operation in which it is met.
    #[serde(default)]
    pub(super) operation: String,
    /// The place in that operation.
    #[serde(default)]
    pub(super) place: String,
    /// Number of places in which it is met.
    #[serde(default = "once")]
    pub(super) uses: usize,
    /// The pointer in both documents, where it is the same one.
    #[serde(default)]
    at: Option<String>,
    #[serde(default)]
    base: Option<String>,
    #[serde(default)]
    revision: Option<String>,
    #[serde(default)]
    pub(super) witness: Proof,
    pub(super) bumps: Bumps,
    /// What changes for users of the generated crates; some of it, where it is much.
    #[serde(default)]
    pub(super) code: Vec<String>,
    /// How much changes for them, where not all is told.
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

/// What shows that a finding is true.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Proof {
    /// Nothing has to.
    #[default]
    None,
    /// A value.
    Value,
    /// A call.
    Call,
}

/// `spec/server/client`.
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

/// Our contract in one file, as it is generated.
fn contract() -> &'static Value {
    static CONTRACT: OnceLock<Value> = OnceLock::new();
    CONTRACT.get_or_init(|| {
        let path = super::workspace().join("generated/openapi.json");
        let text = fs_err::read_to_string(path).expect("the bundle is committed");
        serde_json::from_str(&text).expect("it is JSON")
    })
}

impl Edit {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        serde_yaml::from_str(text).map_err(|error| error.to_string())
    }

    /// Whether its base is more than our contract.
    pub(super) fn adds_to_the_contract(&self) -> bool {
        !self.base.0.is_empty()
    }

    /// The contract before and after it.
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
