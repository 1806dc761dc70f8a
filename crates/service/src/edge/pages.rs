//! Pages of lists: from `limit` and `cursor` of a request to a page of the store, and back to `pagination` of
//! the response.
//!
//! A cursor is the position of the last item of a page, signed for the list that it belongs to: operation,
//! path, filters and account. A cursor of another list, or one that was made up, is refused as an invalid
//! field.

use frontdesk_model::{Pagination, ValidationFailed};
use frontdesk_runtime::{check, server::Incoming};
use frontdesk_store::{PageRequest, Position};

use crate::edge::{Caller, cursors::Cursors, responses};

/// The number of items on a page if the request does not say.
const DEFAULT_LIMIT: u32 = 25;
/// A list as a request asks for it.
pub(crate) struct Listing<'a> {
    cursors: &'a Cursors,
    /// What makes the list the one it is.
    list: String,
}

impl<'a> Listing<'a> {
    pub(crate) fn new(cursors: &'a Cursors, caller: &Caller, incoming: &Incoming) -> Self {
        let mut filters: Vec<(&str, &str)> =
            incoming.raw_query().filter(|(name, _)| !matches!(*name, "limit" | "cursor")).collect();
        filters.sort_unstable();
        let parts = incoming.parts();
        let list = format!(
            "{}\n{}\n{}\n{:?}\n{filters:?}",
            incoming.operation().id,
            parts.uri.path(),
            caller.account_id,
            caller.scope.includes_sub_accounts,
        );
        Self { cursors, list }
    }

    /// The page to read. A cursor that does not belong to this list is an invalid field.
    pub(crate) fn page(
        &self,
        limit: Option<i64>,
        cursor: Option<&str>,
    ) -> Result<PageRequest, ValidationFailed> {
        let limit = limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(DEFAULT_LIMIT);
        let Some(cursor) = cursor else { return Ok(PageRequest { after: None, limit }) };
        match self.cursors.read(&self.list, cursor) {
            Some(position) => Ok(PageRequest { after: Some(position), limit }),
            None => Err(responses::validation_failed([check::Failure {
                path: "cursor".to_owned(),
                message: "is not a cursor of this list; send `pagination.next_cursor` of the page before, with the same filters"
                    .to_owned(),
            }])),
        }
    }

    /// How the list continues after a page.
    pub(crate) fn pagination(&self, next: Option<&Position>) -> Pagination {
        let next_cursor = next.map(|position| self.cursors.write(&self.list, position));
        let has_more = next_cursor.is_some();
        Pagination::new(next_cursor, has_more)
    }
}
