//! Deals of the store as types of the interface, and the other way round.

use frontdesk_model::{
    Deal, DealBoard, DealBoardColumn, DealBoardRequired, DealCell, DealCellRequired, DealChange,
    DealChangeRequired, DealChangeType, DealOutcome, DealRequired, DealSource, DealValueSum,
    DealValueSumRequired,
};
use frontdesk_store as store;
use jiff::Timestamp;

use crate::api::{converted_ids, count, deal_rows, deal_statuses};
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
    Deal::new(DealRequired {
        deal_id: stored.deal_id.into(),
        title: stored.title,
        deal_status_id: stored.deal_status_id.into(),
        deal_row_id: stored.deal_row_id.into(),
        position: stored.position,
        contact_ids: converted_ids(stored.contact_ids),
        thread_ids: converted_ids(stored.thread_ids),
        value: value.map(store::Money::amount),
        currency: value.map(|value| value.currency().to_owned()),
        outcome: outcome(stored.outcome),
        lost_reason: stored.lost_reason,
        probability: stored.probability.map(i64::from),
        expected_close_date: day.and_then(Result::ok),
        owner_id: stored.owner_id.map(Into::into),
        source: DealSource::from(stored.source.as_str()),
        is_rotten,
        status_changed_at: timestamp(stored.status_changed_at),
        closed_at: stored.closed_at.map(timestamp),
        deleted_at: stored.deleted_at.map(timestamp),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
}

/// Converts a change to the type of the interface.
pub(super) fn change(stored: store::DealChange) -> DealChange {
    DealChange::new(DealChangeRequired {
        deal_change_id: stored.deal_change_id.into(),
        r#type: DealChangeType::from(stored.change.as_str()),
        from_deal_status_id: stored.from_deal_status_id.map(Into::into),
        from_status_name: stored.from_status_name,
        to_deal_status_id: stored.to_deal_status_id.into(),
        to_status_name: stored.to_status_name,
        outcome: outcome(stored.outcome),
        team_member_id: stored.user_id.map(Into::into),
        created_at: timestamp(stored.created_at),
    })
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
        let deals = cell.deals.into_iter().map(|deal| shown(deal, now)).collect();
        DealCell::new(DealCellRequired {
            deal_status_id: cell.deal_status_id.into(),
            deal_row_id: cell.deal_row_id.into(),
            count: number,
            value_sums,
            deals,
            has_more,
        })
    });
    DealBoard::new(DealBoardRequired {
        per_cell: stored.per_cell.into(),
        columns: columns.collect(),
        rows: stored.rows.into_iter().map(deal_rows::shown).collect(),
        cells: cells.collect(),
    })
}

fn totals(stored: &store::CellTotals) -> (i64, Vec<DealValueSum>) {
    let sums = stored.value_sums.iter().map(|sum| {
        DealValueSum::new(DealValueSumRequired { currency: sum.currency().to_owned(), value: sum.amount() })
    });
    (count(stored.count), sums.collect())
}
