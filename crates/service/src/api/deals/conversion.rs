//! Deals of the store as types of the interface, and the other way round.

use frontdesk_model::{
    Deal, DealBoard, DealBoardColumn, DealCell, DealChange, DealChangeType, DealOutcome, DealSource,
    DealValueSum,
};
use frontdesk_store as store;
use jiff::Timestamp;

use crate::api::{count, deal_rows, deal_statuses};
use crate::edge::responses::timestamp;

/// Reads a moment.
pub(super) fn moment(given: frontdesk_runtime::Timestamp) -> Result<Timestamp, jiff::Error> {
    Timestamp::from_microsecond(given.as_microseconds())
}

/// Reads a day.
pub(super) fn civil(given: frontdesk_runtime::Date) -> Result<jiff::civil::Date, jiff::Error> {
    given.to_string().parse()
}

/// Reads a share in percent.
pub(super) fn percent(given: i64) -> Option<u32> {
    u32::try_from(given).ok()
}

pub(super) fn outcome(stored: store::DealOutcome) -> DealOutcome {
    match stored {
        store::DealOutcome::Open => DealOutcome::Open,
        store::DealOutcome::Won => DealOutcome::Won,
        store::DealOutcome::Lost => DealOutcome::Lost,
    }
}

/// Converts a deal to the type of the interface.
pub(in crate::api) fn shown(stored: store::Deal, now: Timestamp) -> Deal {
    let is_rotten = stored.is_rotten(now);
    let value = stored.value.as_ref();
    let day = stored.expected_close_date.map(|date| date.to_string().parse());
    Deal::new(
        stored.deal_id,
        stored.title,
        stored.deal_status_id,
        stored.deal_row_id,
        stored.position,
        stored.contact_ids,
        stored.thread_ids,
        value.map(store::Money::amount),
        value.map(|value| value.currency().to_owned()),
        outcome(stored.outcome),
        stored.lost_reason,
        stored.probability.map(i64::from),
        day.and_then(Result::ok),
        stored.owner_id,
        DealSource::from(stored.source.as_str()),
        is_rotten,
        timestamp(stored.status_changed_at),
        stored.closed_at.map(timestamp),
        stored.deleted_at.map(timestamp),
        timestamp(stored.created_at),
        timestamp(stored.updated_at),
    )
}

/// Converts a change to the type of the interface.
pub(super) fn change(stored: store::DealChange) -> DealChange {
    DealChange::new(
        stored.deal_change_id,
        DealChangeType::from(stored.change.as_str()),
        stored.from_deal_status_id,
        stored.from_status_name,
        stored.to_deal_status_id,
        stored.to_status_name,
        outcome(stored.outcome),
        stored.user_id,
        timestamp(stored.created_at),
    )
}

/// Converts a board to the type of the interface.
pub(super) fn board(stored: store::Board, now: Timestamp) -> DealBoard {
    let columns = stored.columns.into_iter().map(|column| {
        let (number, value_sums) = totals(&column.totals);
        DealBoardColumn::new(deal_statuses::shown(column.status), number, value_sums)
    });
    let cells = stored.cells.into_iter().map(|cell| {
        let (number, value_sums) = totals(&cell.totals);
        let has_more = cell.totals.count > cell.deals.len() as u64;
        let deals = cell.deals.into_iter().map(|deal| shown(deal, now));
        DealCell::new(cell.deal_status_id, cell.deal_row_id, number, value_sums, deals, has_more)
    });
    DealBoard::new(stored.per_cell.into(), columns, stored.rows.into_iter().map(deal_rows::shown), cells)
}

fn totals(stored: &store::CellTotals) -> (i64, Vec<DealValueSum>) {
    let sums = stored.value_sums.iter().map(|sum| DealValueSum::new(sum.currency(), sum.amount()));
    (count(stored.count), sums.collect())
}
