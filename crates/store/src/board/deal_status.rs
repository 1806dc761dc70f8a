//! A deal status, as it is stored: a column of the sales board of an account.

use jiff::Timestamp;
use uuid::Uuid;

use crate::board::axis::{Entry, Statements, statements};
use crate::events::states::DealOutcome;

named_values! {
    /// What it means for a deal to be in a column.
    pub enum DealStatusKind as "kind of deal status" {
        /// Nothing has become of it yet.
        Open = "open",
        /// It is won.
        Won = "won",
        /// It is lost.
        Lost = "lost",
    }
}

impl DealStatusKind {
    /// The outcome that deals get in such a column.
    pub const fn outcome(self) -> DealOutcome {
        match self {
            Self::Open => DealOutcome::Open,
            Self::Won => DealOutcome::Won,
            Self::Lost => DealOutcome::Lost,
        }
    }
}

record! {
    /// A column of a board.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DealStatus, columns deal_status_columns of "s." {
        /// Identifier.
        pub deal_status_id: Uuid,
        /// The account whose board it is on.
        pub account_id: Uuid,
        /// Name; unique in the account regardless of case.
        pub name: String,
        /// Color, as `#rrggbb`.
        pub color: Option<String>,
        /// What it means for a deal to be in it.
        pub kind: DealStatusKind,
        /// How likely deals in it are won, in percent.
        pub probability: Option<u32>,
        /// After how many idle days an open deal in it is rotten.
        pub rot_after_days: Option<u32>,
        /// The place in the order of the columns: ascending, with gaps where columns were deleted.
        pub position: u64,
        /// The number of deals in it, without deleted ones.
        pub deal_count: u64 = "(SELECT CAST(COALESCE(SUM(total.deals), 0) AS BIGINT) FROM deal_totals AS total \
             WHERE total.account_id = s.account_id AND total.deal_status_id = s.deal_status_id)",
        /// When it was created.
        pub created_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}
#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use deal_status_columns;

impl Entry for DealStatus {
    const STATEMENTS: Statements =
        statements!(deal_status_columns of "deal_statuses" as "s", "deal_status_id");

    fn id(&self) -> Uuid {
        self.deal_status_id
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn position(&self) -> u64 {
        self.position
    }
}
