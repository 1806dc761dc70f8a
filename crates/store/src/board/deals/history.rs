//! The history of a deal: how it came into its columns and to its outcomes.

use jiff::Timestamp;
use sqlx::AnyConnection;
use uuid::Uuid;

use super::{Deal, Deals};
use crate::events::states::DealOutcome;
use crate::sql::error::StoreError;
use crate::sql::pages::{Page, PageRequest, Position};
use crate::sql::row::{micros, new_id};
use crate::sql::scope::{Scope, in_scope, scoped_as};

named_values! {
    /// What happened to a deal.
    pub enum DealChangeType as "type of change of a deal" {
        /// It was created.
        Created = "created",
        /// It came into another column, with the same outcome.
        Moved = "moved",
        /// It was won.
        Won = "won",
        /// It was lost.
        Lost = "lost",
        /// It is open again.
        Reopened = "reopened",
        /// It was deleted.
        Deleted = "deleted",
        /// Its deletion was undone.
        Restored = "restored",
    }
}

record! {
    /// A change of a deal.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DealChange, columns deal_change_columns {
        /// Identifier.
        pub deal_change_id: Uuid,
        /// The deal.
        pub deal_id: Uuid,
        /// What happened.
        pub change: DealChangeType = "type",
        /// The column before; `None` for a new deal.
        pub from_deal_status_id: Option<Uuid>,
        /// The name that it had then.
        pub from_status_name: Option<String>,
        /// The column after.
        pub to_deal_status_id: Uuid,
        /// The name that it had then.
        pub to_status_name: String,
        /// The outcome after.
        pub outcome: DealOutcome,
        /// Who did it, if the person is still known.
        pub user_id: Option<Uuid>,
        /// When it was done.
        pub created_at: Timestamp,
    }
}

/// Notes a change that has been written.
pub(super) async fn insert(
    connection: &mut AnyConnection,
    change: DealChangeType,
    before: Option<&Deal>,
    after: &Deal,
    author: Option<Uuid>,
    now: Timestamp,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO deal_changes (deal_change_id, deal_id, account_id, type, from_deal_status_id, from_status_name, \
         to_deal_status_id, to_status_name, outcome, user_id, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(new_id().to_string())
    .bind(after.deal_id.to_string())
    .bind(after.account_id.to_string())
    .bind(change.as_str())
    .bind(before.map(|deal| deal.deal_status_id.to_string()))
    .bind(before.map(|deal| deal.status_name.clone()))
    .bind(after.deal_status_id.to_string())
    .bind(after.status_name.clone())
    .bind(after.outcome.as_str())
    .bind(author.map(|id| id.to_string()))
    .bind(micros(now))
    .execute(connection)
    .await?;
    Ok(())
}

impl Deals<'_> {
    /// One page of the history of a deal, the newest change first.
    pub async fn changes(
        self,
        scope: &Scope,
        deal_id: Uuid,
        page: &PageRequest,
    ) -> Result<Page<DealChange>, StoreError> {
        let (key, id) = page.before_number();
        let rows = scoped_as(
            concat!(
                "SELECT ",
                deal_change_columns!(),
                " FROM deal_changes WHERE ",
                in_scope!(),
                " AND deal_id = $3 AND (created_at, deal_change_id) < ($4, $5) \
                 ORDER BY created_at DESC, deal_change_id DESC LIMIT $6"
            ),
            scope,
        )
        .bind(deal_id.to_string())
        .bind(key)
        .bind(id)
        .bind(page.rows())
        .fetch_all(self.store.reader())
        .await?;
        Ok(Page::of(rows, page, |last: &DealChange| {
            Position::number(micros(last.created_at), last.deal_change_id)
        }))
    }
}
