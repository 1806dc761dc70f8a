//! [`SearchError`]: why there are no passages.

use frontdesk_knowledge::IndexError;
use frontdesk_store::StoreError;

/// The search in the training content failed.
#[derive(Debug, thiserror::Error)]
#[error("the training content could not be searched")]
pub struct SearchError(#[source] pub(crate) IndexError);

impl From<StoreError> for SearchError {
    fn from(error: StoreError) -> Self {
        Self(error.into())
    }
}
