//! Events that are not in the journal yet.

use uuid::Uuid;

use super::data::EventData;
use crate::sql::row::new_id;

/// An event to be written.
#[derive(Debug, Clone)]
pub(crate) struct NewEvent {
    pub(crate) event_id: Uuid,
    pub(crate) data: EventData,
}

impl NewEvent {
    /// An event with an id of its own.
    pub(crate) fn new(data: EventData) -> Self {
        Self { event_id: new_id(), data }
    }
}
