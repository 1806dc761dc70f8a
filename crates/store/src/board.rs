//! The sales board: deals in their columns and rows, and the activities that follow them.

pub(crate) mod axis;
pub(crate) mod calendar_feeds;
pub(crate) mod deal_activities;
pub(crate) mod deal_rows;
pub(crate) mod deal_status;
pub(crate) mod deal_statuses;
pub(crate) mod deals;
pub(crate) mod lock;
pub(crate) mod secret_tokens;
pub(crate) mod unsubscribes;
