//! Deals: possible sales on a board with columns (statuses) and rows.

use released_client::{
    model::{
        Deal, DealLoss, DealMove, DealOutcome, DealRowId, DealRowOrder, DealRowUpdate, DealStatusId,
        DealStatusKind, DealStatusOrder, DealStatusUpdate, DealUpdate, DeleteDealStatusError,
        ListDealsSortBy, NewContact, NewDeal, NewDealRow, NewDealStatus,
    },
    runtime::{Date, Patch},
};

use crate::{Bakery, Outcome};

/// Sets up a board, moves deals over it, and removes what is not needed any more.
pub async fn sell(bakery: &Bakery) -> Outcome {
    let client = &bakery.client;
    let first = client.deal_statuses().list().await?.into_inner().deal_statuses;
    let names: Vec<&str> = first.iter().map(|status| &*status.name).collect();
    assert_eq!(names, ["New", "Contacted", "Proposal", "Negotiation", "Won", "Lost"]);
    let tasting = columns(bakery).await?;
    let weddings = rows(bakery).await?;
    let deal = one_deal(bakery, first[0].deal_status_id, tasting, weddings).await?;

    // A column with deals is not deleted by mistake.
    let statuses = client.deal_statuses();
    client.deals().move_to(deal.deal_id, DealMove::new().deal_status_id(tasting)).await?;
    let in_use = statuses.delete(tasting).await.expect_err("it has a deal").into_declared()?;
    assert!(matches!(in_use, DeleteDealStatusError::Conflict(_)), "{in_use:?}");
    statuses.delete(tasting).move_to(first[0].deal_status_id).await?;
    assert_eq!(client.deals().get(deal.deal_id).await?.deal_status_id, first[0].deal_status_id);
    // The deals of a row go to the default row.
    client.deal_rows().delete(weddings).await?;
    let row = client.deals().get(deal.deal_id).await?.deal_row_id;
    assert!(client.deal_rows().get(row).await?.is_default);
    Ok(())
}

/// A column of one's own, at the beginning of the board.
async fn columns(bakery: &Bakery) -> Outcome<DealStatusId> {
    let statuses = bakery.client.deal_statuses();
    let new = NewDealStatus::new("Tasting").color("#f2b134").probability(40).rot_after_days(14);
    let created = statuses.create(new).await?.into_inner();
    assert_eq!((&created.kind, created.probability), (&DealStatusKind::Open, Some(40)));
    let id = created.deal_status_id;
    let update = DealStatusUpdate::new().name("Cake tasting").rot_after_days(Patch::Null);
    let updated = statuses.update(id, update).await?.into_inner();
    assert_eq!((&*updated.name, updated.rot_after_days), ("Cake tasting", None));
    let order = statuses.order(DealStatusOrder::new([id])).await?;
    assert_eq!((order.deal_status_ids[0], order.deal_status_ids.len()), (id, 7), "the others follow");
    assert_eq!(statuses.get(id).await?.position, 1);
    Ok(id)
}

async fn rows(bakery: &Bakery) -> Outcome<DealRowId> {
    let rows = bakery.client.deal_rows();
    let created = rows.create(NewDealRow::new("Wedding").color("#c0ffee")).await?.into_inner();
    let id = created.deal_row_id;
    let updated = rows.update(id, DealRowUpdate::new().name("Weddings").color(Patch::Null)).await?;
    assert_eq!((&*updated.name, &updated.color), ("Weddings", &None));
    let order = rows.order(DealRowOrder::new([id])).await?;
    assert_eq!((order.deal_row_ids[0], order.deal_row_ids.len()), (id, 2));
    let listed = rows.list().await?.into_inner().deal_rows;
    assert_eq!(listed.iter().map(|row| row.is_default).collect::<Vec<_>>(), [false, true]);
    assert_eq!(rows.get(id).await?.name, "Weddings");
    Ok(id)
}

/// A deal from its first contact to its end, and back. Returns it as an open deal.
async fn one_deal(
    bakery: &Bakery,
    new: DealStatusId,
    tasting: DealStatusId,
    weddings: DealRowId,
) -> Outcome<Deal> {
    let (deals, contacts) = (bakery.client.deals(), bakery.client.contacts());
    let ivy = contacts.create(NewContact::new().email("ivy@customer.example").name("Ivy")).await?;
    let cake = NewDeal::new("Wedding cake")
        .deal_row_id(weddings)
        .contact_ids([ivy.contact_id])
        .value("360")
        .currency("GBP")
        .expected_close_date(Date::new(2031, 6, 14).ok_or("a date")?);
    let cake = deals.create(cake).await?.into_inner();
    let id = cake.deal_id;
    assert_eq!(
        (cake.deal_status_id, cake.value.as_deref(), &cake.outcome),
        (tasting, Some("360.00"), &DealOutcome::Open)
    );
    let rolls =
        deals.create(NewDeal::new("Rolls every day").deal_status_id(new).deal_row_id(weddings)).await?;

    let update = DealUpdate::new().title("Wedding cake, three tiers").value("420.50").probability(60);
    assert_eq!(deals.update(id, update).await?.value.as_deref(), Some("420.50"));
    let moved = deals.move_to(id, DealMove::new().before_deal_id(rolls.deal_id)).await?;
    assert_eq!(moved.deal_status_id, new, "beside its neighbour");
    let cell =
        deals.list().deal_status_id(new).deal_row_id(weddings).sort_by(ListDealsSortBy::Position).await?;
    assert_eq!(cell.deals.iter().map(|deal| deal.deal_id).collect::<Vec<_>>(), [id, rolls.deal_id]);
    let board = deals.get_board().per_cell(10).await?.into_inner();
    let cell = board.cells.iter().find(|cell| cell.deal_row_id == weddings).ok_or("no cell of the row")?;
    assert_eq!((cell.count, &*cell.value_sums[0].value, &*cell.value_sums[0].currency), (2, "420.50", "GBP"));

    let won = deals.win(id).await?;
    assert_eq!((&won.outcome, won.closed_at.is_some()), (&DealOutcome::Won, true));
    let open = deals.reopen(id).await?;
    assert_eq!((&open.outcome, open.deal_status_id), (&DealOutcome::Open, new));
    let lost = deals.lose(rolls.deal_id, DealLoss::new().lost_reason("Too early in the morning")).await?;
    assert_eq!(lost.lost_reason.as_deref(), Some("Too early in the morning"));
    let closed = deals.list().outcome([DealOutcome::Won, DealOutcome::Lost]).await?;
    assert_eq!(closed.deals.iter().map(|deal| deal.deal_id).collect::<Vec<_>>(), [rolls.deal_id]);

    deals.delete(id).await?;
    assert!(deals.get(id).await.is_err_and(|error| error.is_not_found()));
    assert_eq!(deals.list().deleted(true).await?.deals[0].deal_id, id);
    assert_eq!(deals.restore(id).await?.deleted_at, None);
    let of_ivy = contacts.list_deals(ivy.contact_id).await?;
    assert_eq!(of_ivy.deals[0].title, "Wedding cake, three tiers");
    let history = deals.list_changes(id).await?.into_inner().changes;
    let steps: Vec<&str> = history.iter().map(|change| change.r#type.as_str()).collect();
    assert_eq!(steps, ["restored", "deleted", "reopened", "won", "moved", "created"]);
    Ok(deals.get(id).await?.into_inner())
}
