//! What the journal of events says of deals.

use std::iter;

use jiff::Timestamp;

use super::{Deal, Money};
use crate::events;
use crate::events::data::EventData;
use crate::events::snapshots::EventDeal;
use crate::events::states::DealOutcome;
use crate::sql::database::WriteTransaction;
use crate::sql::error::StoreError;

impl From<&Deal> for EventDeal {
    fn from(deal: &Deal) -> Self {
        Self {
            deal_id: deal.deal_id,
            title: deal.title.clone(),
            deal_status_id: deal.deal_status_id,
            status_name: deal.status_name.clone(),
            deal_row_id: deal.deal_row_id,
            contact_ids: deal.contact_ids.clone(),
            value: deal.value.as_ref().map(Money::amount),
            currency: deal.value.as_ref().map(|value| value.currency().to_owned()),
            outcome: deal.outcome,
            lost_reason: deal.lost_reason.clone(),
            owner_id: deal.owner_id,
            closed_at: deal.closed_at.map(Timestamp::as_microsecond),
            created_at: deal.created_at,
        }
    }
}

/// Reports a new deal, and its outcome if it has one from the start.
pub(super) async fn deal_created(
    transaction: &mut WriteTransaction,
    deal: &Deal,
    now: Timestamp,
) -> Result<(), StoreError> {
    let data = EventData::DealCreated { deal: deal.into() };
    events::insert(transaction, deal.account_id, iter::once(data).chain(closed(deal)), now).await
}

/// Reports that a deal is in another column or has another outcome.
pub(super) async fn deal_changed(
    transaction: &mut WriteTransaction,
    before: &Deal,
    after: &Deal,
    now: Timestamp,
) -> Result<(), StoreError> {
    let has_new_outcome = before.outcome != after.outcome;
    let mut events = Vec::new();
    if before.deal_status_id != after.deal_status_id || has_new_outcome && after.outcome == DealOutcome::Open
    {
        events.push(EventData::DealStatusChanged {
            deal: after.into(),
            from_deal_status_id: before.deal_status_id,
            from_status_name: before.status_name.clone(),
        });
    }
    if has_new_outcome {
        events.extend(closed(after));
    }
    if events.is_empty() { Ok(()) } else { events::insert(transaction, after.account_id, events, now).await }
}

fn closed(deal: &Deal) -> Option<EventData> {
    match deal.outcome {
        DealOutcome::Open => None,
        DealOutcome::Won => Some(EventData::DealWon { deal: deal.into() }),
        DealOutcome::Lost => Some(EventData::DealLost { deal: deal.into() }),
    }
}
