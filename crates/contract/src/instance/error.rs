//! [`InstanceError`]: the reason why no instance was found.

use frontdesk_document::NodeRef;

/// The error for a schema without an instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct InstanceError {
    /// The file and the pointer of the schema.
    pub place: String,
    /// The reason.
    pub reason: String,
}

impl InstanceError {
    pub(super) fn at(schema: NodeRef<'_>, reason: impl Into<String>) -> Self {
        Self { place: format!("{}{}", schema.file(), schema.pointer()), reason: reason.into() }
    }
}
