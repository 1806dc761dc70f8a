//! Deals: moves at the same time, outcomes, deletion, sums, and what happens with their contacts and columns.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use frontdesk_store::{
    BoardError, ContactUpdate, Deal, DealChangeType, DealError, DealFilter, DealMove, DealOrder, DealOutcome,
    DealPlace, DealSortKey, DealStatus, DealStatusKind, DealUpdate, EventType, Money, NewDeal, NewDealRow,
    NewDealStatus, PageRequest, Scope, Store,
};
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, claim, follow_up};

on_both_databases!(
    cards_that_many_clients_move_are_neither_lost_nor_doubled,
    a_deal_gets_the_outcome_of_its_column,
    a_crowded_place_gets_new_ranks,
    sums_are_exact,
    deleted_deals_can_be_restored_for_a_while,
    columns_and_rows_pass_their_deals_on,
    deals_follow_their_contacts,
    lists_are_filtered_and_ordered,
    lists_are_read_by_their_indexes,
);

const CLIENTS: usize = 50;
const CARDS: usize = 200;

fn deal(title: &str) -> NewDeal {
    NewDeal { title: title.into(), ..NewDeal::default() }
}

fn money(amount: &str, currency: &str) -> Money {
    Money::parse(amount, currency).unwrap()
}

async fn statuses(store: &Store, scope: &Scope) -> Vec<DealStatus> {
    store.deal_statuses().page(scope, &PageRequest::first(100)).await.unwrap().items
}

/// The deals of the board in their order, by cell.
async fn cells(store: &Store, scope: &Scope) -> BTreeMap<(Uuid, Uuid), Vec<Deal>> {
    let board = store.deals().board(scope, None, |_| 1_000).await.unwrap();
    let cells = board.cells.into_iter().map(|cell| {
        assert_eq!(cell.totals.count, cell.deals.len() as u64);
        ((cell.deal_status_id, cell.deal_row_id), cell.deals)
    });
    cells.collect()
}

async fn cell(store: &Store, scope: &Scope, deal: &Deal) -> Vec<Uuid> {
    let cells = cells(store, scope).await;
    cells[&(deal.deal_status_id, deal.deal_row_id)].iter().map(|deal| deal.deal_id).collect()
}

/// Checks that the totals of all cells, which triggers keep, are those of the deals.
async fn totals_agree(database: &Database) {
    const COUNTED: &str = "SELECT account_id, deal_status_id, deal_row_id, COALESCE(currency, ''), COUNT(*), \
        SUM(COALESCE(value_units, 0) / 1000000000), SUM(COALESCE(value_units, 0) % 1000000000) FROM deals \
        WHERE deleted_at IS NULL GROUP BY account_id, deal_status_id, deal_row_id, COALESCE(currency, '')";
    const KEPT: &str =
        "SELECT account_id, deal_status_id, deal_row_id, currency, deals, large, small FROM deal_totals";
    let pool = database.raw().await;
    for (one, other) in [(COUNTED, KEPT), (KEPT, COUNTED)] {
        let difference = format!("SELECT deal_status_id FROM ({one} EXCEPT {other}) AS difference");
        let rows = sqlx::query(sqlx::AssertSqlSafe(difference)).fetch_all(&pool).await.unwrap();
        assert_eq!(rows.len(), 0, "cells with other totals");
    }
    pool.close().await;
}

/// The types of the events of deals, oldest first.
async fn events(store: &Store, scope: &Scope) -> Vec<EventType> {
    let events = store.events().page(scope, None, &[], 1_000).await.unwrap().unwrap().items;
    events
        .iter()
        .map(|event| event.data.event_type())
        .filter(|event| event.as_str().starts_with("deal."))
        .collect()
}

async fn cards_that_many_clients_move_are_neither_lost_nor_doubled(database: &Database) {
    moves_at_once(database, Duration::from_secs(3)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "takes a minute"]
async fn cards_are_moved_for_a_minute_on_sqlite() {
    moves_at_once(&Database::sqlite().await, Duration::from_mins(1)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "takes a minute"]
async fn cards_are_moved_for_a_minute_on_postgres() {
    let Some(database) = Database::postgres("cards_are_moved_for_a_minute").await else { return };
    moves_at_once(&database, Duration::from_mins(1)).await;
    database.close().await;
}

async fn moves_at_once(database: &Database, time: Duration) {
    let store = &database.store;
    let scope = account(store, "acme").await.scope();
    let other_row = NewDealRow { name: "Partners".into(), ..NewDealRow::default() };
    let other_row = store.deal_rows().create(&scope, &other_row, at(0)).await.unwrap().deal_row_id;
    let columns: Vec<Uuid> =
        statuses(store, &scope).await.iter().map(|status| status.deal_status_id).collect();
    let mut cards = Vec::new();
    for number in 0..CARDS {
        let made = store.deals().create(&scope, &deal(&format!("card {number}")), None, at(1)).await.unwrap();
        cards.push(made);
    }
    let rows = [cards[0].deal_row_id, other_row];
    let ids: Vec<Uuid> = cards.iter().map(|card| card.deal_id).collect();
    let end = Instant::now() + time;
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let (store, ids, columns) = (store.clone(), ids.clone(), columns.clone());
        clients.spawn(async move {
            let mut random = fastrand::Rng::with_seed(client as u64 + 1);
            let (mut done, mut refused) = (Vec::new(), 0);
            while Instant::now() < end {
                let deal_id = ids[random.usize(..ids.len())];
                let neighbor = ids[random.usize(..ids.len())];
                let place = match random.usize(..3) {
                    0 => DealPlace::End,
                    1 => DealPlace::Before(neighbor),
                    _ => DealPlace::After(neighbor),
                };
                let mut to = DealMove { place, ..DealMove::default() };
                if place == DealPlace::End || random.usize(..8) == 0 {
                    to.deal_status_id = Some(columns[random.usize(..columns.len())]);
                    to.deal_row_id = Some(rows[random.usize(..rows.len())]);
                }
                match store.deals().move_to(&scope, deal_id, &to, None, Timestamp::now()).await {
                    Ok(moved) => done.push(moved.unwrap()),
                    Err(DealError::NeighborElsewhere | DealError::OwnNeighbor) => refused += 1,
                    Err(error) => panic!("{error:?}"),
                }
            }
            (done, refused)
        });
    }
    // Whoever looks meanwhile sees every card exactly once.
    let mut looks = 0;
    while Instant::now() < end {
        let seen = cells(store, &scope).await;
        let mut seen: Vec<Uuid> = seen.values().flatten().map(|card| card.deal_id).collect();
        assert_eq!(seen.len(), CARDS);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), CARDS);
        looks += 1;
    }
    let (mut last, mut passages, mut moves, mut refusals) = (BTreeMap::new(), BTreeMap::new(), 0, 0);
    for card in &cards {
        last.insert(card.deal_id, card.clone());
    }
    while let Some(client) = clients.join_next().await {
        let (done, refused) = client.unwrap();
        refusals += refused;
        for moved in done {
            moves += 1;
            passages.entry(moved.deal_id).or_insert_with(Vec::new).push(moved.clone());
            let known = &last[&moved.deal_id];
            assert_ne!(known.updated_at, moved.updated_at, "two moves reported the same success");
            if moved.updated_at > known.updated_at {
                last.insert(moved.deal_id, moved);
            }
        }
    }
    assert!(moves > 50 && refusals > 0 && looks > 0, "{moves} moves, {refusals} refusals, {looks} looks");

    // Each card is where its last successful move has put it.
    let board = cells(store, &scope).await;
    let mut found = BTreeMap::new();
    for ((deal_status_id, deal_row_id), deals) in &board {
        assert!(deals.is_sorted_by(|one, next| one.position < next.position), "{deals:?}");
        for deal in deals {
            assert_eq!((deal.deal_status_id, deal.deal_row_id), (*deal_status_id, *deal_row_id));
            assert!(found.insert(deal.deal_id, deal.clone()).is_none(), "{} is there twice", deal.deal_id);
        }
        // A list shows the same order, page by page.
        let filter = DealFilter {
            deal_status_id: Some(*deal_status_id),
            deal_row_id: Some(*deal_row_id),
            ..DealFilter::default()
        };
        let order = DealOrder { key: DealSortKey::Position, descending: false };
        let (mut listed, mut page) = (Vec::new(), PageRequest::first(7));
        loop {
            let part = store.deals().page(&scope, &filter, order, &page).await.unwrap();
            listed.extend(part.items);
            match part.next {
                Some(after) => page.after = Some(after),
                None => break,
            }
        }
        assert_eq!(&listed, deals);
    }
    assert_eq!(found.len(), CARDS);
    for (deal_id, expected) in &last {
        let deal = &found[deal_id];
        assert_eq!(
            (deal.deal_status_id, deal.deal_row_id, &deal.position, deal.outcome),
            (expected.deal_status_id, expected.deal_row_id, &expected.position, expected.outcome)
        );
        // The history has every passage into another column, and nothing else.
        let mut moved = passages.remove(deal_id).unwrap_or_default();
        moved.sort_by_key(|moved| moved.updated_at);
        let mut column = cards.iter().find(|card| card.deal_id == *deal_id).unwrap().deal_status_id;
        let mut expected = Vec::new();
        for moved in moved {
            if moved.deal_status_id != column {
                expected.push(moved.deal_status_id);
                column = moved.deal_status_id;
            }
        }
        let page = PageRequest::first(100_000);
        let changes = store.deals().changes(&scope, *deal_id, &page).await.unwrap().items;
        let mut passed: Vec<Uuid> = changes.iter().map(|change| change.to_deal_status_id).collect();
        assert_eq!(passed.pop().map(|_| passed.len()), Some(expected.len()));
        passed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(passed, expected);
    }
    totals_agree(database).await;
}

async fn a_deal_gets_the_outcome_of_its_column(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let (deals, author) = (store.deals(), Some(world.user.user_id));
    let columns = statuses(store, &scope).await;
    let [new, .., negotiation, won, lost] = columns.as_slice() else { panic!("{columns:?}") };
    let before = events(store, &scope).await.len();
    let deal = deals.create(&scope, &deal("Mower"), author, at(10)).await.unwrap();
    assert_eq!((deal.deal_status_id, deal.outcome), (new.deal_status_id, DealOutcome::Open));
    let to =
        |status: &DealStatus| DealMove { deal_status_id: Some(status.deal_status_id), ..DealMove::default() };
    let id = deal.deal_id;
    let moved = deals.move_to(&scope, id, &to(negotiation), author, at(11)).await.unwrap().unwrap();
    assert_eq!((moved.outcome, moved.closed_at, moved.status_changed_at), (DealOutcome::Open, None, at(11)));
    let moved = deals.move_to(&scope, id, &to(won), author, at(12)).await.unwrap().unwrap();
    assert_eq!((moved.outcome, moved.closed_at), (DealOutcome::Won, Some(at(12))));
    let again = deals.win(&scope, id, author, at(13)).await.unwrap().unwrap();
    assert_eq!((again.outcome, again.closed_at, again.active_at), (DealOutcome::Won, Some(at(12)), at(12)));
    let loses = deals.lose(&scope, id, Some("Too dear"), author, at(14)).await.unwrap().unwrap();
    assert_eq!((loses.deal_status_id, loses.outcome), (lost.deal_status_id, DealOutcome::Lost));
    assert_eq!((loses.lost_reason.as_deref(), loses.closed_at), (Some("Too dear"), Some(at(14))));
    let reopened = deals.reopen(&scope, id, author, at(15)).await.unwrap().unwrap();
    assert_eq!(reopened.deal_status_id, negotiation.deal_status_id, "where it was open before");
    assert_eq!((reopened.outcome, reopened.closed_at, reopened.lost_reason), (DealOutcome::Open, None, None));
    let changes = deals.changes(&scope, id, &PageRequest::first(10)).await.unwrap().items;
    assert_eq!(
        changes.iter().rev().map(|change| change.change).collect::<Vec<_>>(),
        [
            DealChangeType::Created,
            DealChangeType::Moved,
            DealChangeType::Won,
            DealChangeType::Lost,
            DealChangeType::Reopened
        ]
    );
    assert!(changes.iter().all(|change| change.user_id == author));
    assert_eq!(
        (changes[0].from_status_name.as_deref(), &*changes[0].to_status_name),
        (Some("Lost"), "Negotiation")
    );
    assert_eq!(
        events(store, &scope).await[before..],
        [
            EventType::DealCreated,
            EventType::DealStatusChanged,
            EventType::DealStatusChanged,
            EventType::DealWon,
            EventType::DealStatusChanged,
            EventType::DealLost,
            EventType::DealStatusChanged,
        ]
    );

    // Without a column for it, a won deal stays where it is.
    let target = Some(negotiation.deal_status_id);
    assert!(store.deal_statuses().delete(&scope, won.deal_status_id, target, None, at(16)).await.unwrap());
    let won = deals.win(&scope, id, author, at(17)).await.unwrap().unwrap();
    assert_eq!((won.deal_status_id, won.outcome), (negotiation.deal_status_id, DealOutcome::Won));

    // A deal that nobody touches rots, but not a closed one.
    let update = frontdesk_store::DealStatusUpdate { rot_after_days: Some(Some(2)), ..Default::default() };
    store.deal_statuses().update(&scope, negotiation.deal_status_id, &update, at(18)).await.unwrap();
    let open = deals.reopen(&scope, id, author, at(20)).await.unwrap().unwrap();
    assert!(!open.is_rotten(at(20 + 2 * 86_400 - 1)) && open.is_rotten(at(20 + 2 * 86_400)));
    let within = deals.move_to(&scope, id, &DealMove::default(), author, at(30)).await.unwrap().unwrap();
    assert!(within.is_rotten(at(20 + 2 * 86_400)), "a move within the column is no progress");
    let won = deals.win(&scope, id, author, at(31)).await.unwrap().unwrap();
    assert!(!won.is_rotten(at(1_000 * 86_400)));
    totals_agree(database).await;
}

async fn a_crowded_place_gets_new_ranks(database: &Database) {
    let store = &database.store;
    let scope = account(store, "acme").await.scope();
    let deals = store.deals();
    let mut cards = Vec::new();
    for number in 0..4 {
        cards.push(deals.create(&scope, &deal(&number.to_string()), None, at(1)).await.unwrap());
    }
    let [first, one, two, last] = cards.as_slice() else { panic!() };
    // The two in the middle overtake each other again and again at the same place.
    for round in 0..300_i64 {
        let (mover, beside) = if round % 2 == 0 { (one, two) } else { (two, one) };
        let to = DealMove { place: DealPlace::After(beside.deal_id), ..DealMove::default() };
        let moved = deals.move_to(&scope, mover.deal_id, &to, None, at(2 + round)).await.unwrap().unwrap();
        assert!(moved.position.len() <= 48, "{}", moved.position);
        let order = cell(store, &scope, first).await;
        assert_eq!(order, [first.deal_id, beside.deal_id, mover.deal_id, last.deal_id], "round {round}");
    }
    let ranked = cells(store, &scope).await.into_values().next().unwrap();
    let before: Vec<&str> = cards.iter().map(|card| card.position.as_str()).collect();
    assert!(!before.contains(&ranked[0].position.as_str()), "the first card has got a new rank meanwhile");
}

async fn sums_are_exact(database: &Database) {
    let store = &database.store;
    let scope = account(store, "acme").await.scope();
    for amount in ["0.1", "0.2", "999999999999.9999", "999999999999.9999"] {
        let new = NewDeal { value: Some(money(amount, "EUR")), ..deal("Mower") };
        store.deals().create(&scope, &new, None, at(1)).await.unwrap();
    }
    for (value, title) in [(Some(money("5000", "JPY")), "yen"), (None, "unknown")] {
        store.deals().create(&scope, &NewDeal { value, ..deal(title) }, None, at(1)).await.unwrap();
    }
    // More than fits into 64 bits.
    let statement = "UPDATE deals SET value_units = 9223372036854775807 WHERE currency = 'JPY'";
    let pool = database.raw().await;
    sqlx::query(statement).execute(&pool).await.unwrap();
    pool.close().await;
    let new = NewDeal { value: Some(money("0.0001", "JPY")), ..deal("yen") };
    store.deals().create(&scope, &new, None, at(1)).await.unwrap();
    let board = store.deals().board(&scope, None, |cells| u32::try_from(cells).unwrap()).await.unwrap();
    assert_eq!(board.per_cell, 6, "six columns and one row");
    let sums: Vec<_> =
        board.cells[0].totals.value_sums.iter().map(|sum| (sum.amount(), sum.currency())).collect();
    assert_eq!(sums, [("2000000000000.2998".to_owned(), "EUR"), ("922337203685477.5808".to_owned(), "JPY")]);
    assert_eq!(board.cells[0].totals.count, 7);
    assert_eq!(board.cells[0].deals.len(), 6);
    assert_eq!(board.columns[0].totals, board.cells[0].totals);
    assert_eq!(board.columns[1].totals.count, 0);
    let without = DealUpdate { value: Some(None), ..DealUpdate::default() };
    let yen = board.cells[0].deals.iter().find(|deal| deal.title == "yen").unwrap();
    store.deals().update(&scope, yen.deal_id, &without, at(2)).await.unwrap().unwrap();
    let changed = store.deals().board(&scope, None, |_| 1).await.unwrap();
    assert_eq!(changed.cells[0].totals.value_sums[1].amount(), "0.0001");
    assert_eq!((changed.columns[0].status.deal_count, changed.rows[0].deal_count), (7, 7));
    assert_eq!(changed.columns[1].status.deal_count, 0);
    totals_agree(database).await;
}

async fn deleted_deals_can_be_restored_for_a_while(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, deals, id) = (world.scope(), store.deals(), world.deal.deal_id);
    assert!(deals.delete(&scope, id, None, at(10)).await.unwrap());
    assert!(!deals.delete(&scope, id, None, at(10)).await.unwrap());
    assert_eq!(deals.find(&scope, id).await.unwrap(), None);
    assert!(cells(store, &scope).await.is_empty());
    let deleted = DealFilter { deleted: true, ..DealFilter::default() };
    let first = PageRequest::first(10);
    let listed = deals.page(&scope, &deleted, DealOrder::default(), &first).await.unwrap().items;
    assert_eq!((listed.len(), listed[0].deleted_at), (1, Some(at(10))));
    // Meanwhile another deal takes the place, and the column is deleted.
    let other = deals.create(&scope, &deal("Other"), None, at(11)).await.unwrap();
    assert_eq!(other.position, world.deal.position);
    let column = other.deal_status_id;
    let columns = statuses(store, &scope).await;
    let target = columns[1].deal_status_id;
    assert!(store.deal_statuses().delete(&scope, column, Some(target), None, at(12)).await.unwrap());
    let restored = deals.restore(&scope, id, None, at(13)).await.unwrap().unwrap();
    assert_eq!((restored.deal_status_id, restored.deleted_at), (target, None));
    assert_eq!(restored.contact_ids, world.deal.contact_ids);
    assert_eq!(cell(store, &scope, &restored).await, [other.deal_id, id]);
    assert_eq!(deals.purge(at(1_000), 10).await.unwrap(), 0);
    assert!(deals.delete(&scope, id, None, at(20)).await.unwrap());
    assert_eq!(deals.purge(at(20), 10).await.unwrap(), 0);
    let later = at(20).checked_add(frontdesk_store::DEALS_RESTORABLE + SignedDuration::from_secs(1)).unwrap();
    let due = later.checked_sub(frontdesk_store::DEALS_RESTORABLE).unwrap();
    assert_eq!(deals.purge(due, 10).await.unwrap(), 1);
    assert_eq!(deals.restore(&scope, id, None, later).await.unwrap(), None);
    totals_agree(database).await;
}

async fn columns_and_rows_pass_their_deals_on(database: &Database) {
    let store = &database.store;
    let scope = account(store, "acme").await.scope();
    let (deals, board) = (store.deals(), store.deal_statuses());
    let columns = statuses(store, &scope).await;
    let (new, contacted, won) = (&columns[0], &columns[1], &columns[4]);
    let first = deals.create(&scope, &deal("first"), None, at(1)).await.unwrap();
    let second = deals.create(&scope, &deal("second"), None, at(1)).await.unwrap();
    let there = NewDeal { deal_status_id: Some(contacted.deal_status_id), ..deal("there") };
    let there = deals.create(&scope, &there, None, at(1)).await.unwrap();
    let refused = board.delete(&scope, new.deal_status_id, None, None, at(2)).await;
    assert!(matches!(refused, Err(BoardError::InUse)), "{refused:?}");
    for wrong in [won.deal_status_id, new.deal_status_id, Uuid::now_v7()] {
        let refused = board.delete(&scope, new.deal_status_id, Some(wrong), None, at(2)).await;
        assert!(matches!(refused, Err(BoardError::NoTarget)), "{refused:?}");
    }
    let target = Some(contacted.deal_status_id);
    assert!(board.delete(&scope, new.deal_status_id, target, None, at(2)).await.unwrap());
    assert_eq!(cell(store, &scope, &there).await, [there.deal_id, first.deal_id, second.deal_id]);
    let changes = deals.changes(&scope, first.deal_id, &PageRequest::first(10)).await.unwrap().items;
    assert_eq!(
        (changes[0].change, changes[0].from_status_name.as_deref()),
        (DealChangeType::Moved, Some("New"))
    );

    // The last open column stays, and so does its kind.
    for status in &columns[2..4] {
        assert!(board.delete(&scope, status.deal_status_id, None, None, at(3)).await.unwrap());
    }
    let refused = board.delete(&scope, contacted.deal_status_id, Some(won.deal_status_id), None, at(3)).await;
    assert!(matches!(refused, Err(BoardError::NoTarget)), "{refused:?}");
    for id in [first.deal_id, second.deal_id, there.deal_id] {
        deals.win(&scope, id, None, at(4)).await.unwrap().unwrap();
    }
    let refused = board.delete(&scope, contacted.deal_status_id, None, None, at(5)).await;
    assert!(matches!(refused, Err(BoardError::Needed)), "{refused:?}");
    let kind = frontdesk_store::DealStatusUpdate { kind: Some(DealStatusKind::Lost), ..Default::default() };
    let refused = board.update(&scope, contacted.deal_status_id, &kind, at(5)).await;
    assert!(matches!(refused, Err(BoardError::Needed)), "{refused:?}");
    let refused = board.update(&scope, won.deal_status_id, &kind, at(5)).await;
    assert!(matches!(refused, Err(BoardError::InUse)), "{refused:?}");

    let rows = store.deal_rows();
    let partners = NewDealRow { name: "Partners".into(), ..NewDealRow::default() };
    let partners = rows.create(&scope, &partners, at(6)).await.unwrap();
    let refused =
        rows.create(&scope, &NewDealRow { name: "PARTNERS".into(), ..NewDealRow::default() }, at(6)).await;
    assert!(
        matches!(refused, Err(BoardError::AlreadyExists(id)) if id == partners.deal_row_id),
        "{refused:?}"
    );
    let to = DealMove { deal_row_id: Some(partners.deal_row_id), ..DealMove::default() };
    deals.move_to(&scope, there.deal_id, &to, None, at(7)).await.unwrap().unwrap();
    let refused = rows.delete(&scope, first.deal_row_id, None, at(8)).await;
    assert!(matches!(refused, Err(BoardError::Needed)), "{refused:?}");
    assert!(rows.delete(&scope, partners.deal_row_id, None, at(8)).await.unwrap());
    let there = deals.find(&scope, there.deal_id).await.unwrap().unwrap();
    assert_eq!((there.deal_row_id, there.outcome), (first.deal_row_id, DealOutcome::Won));
    assert_eq!(cell(store, &scope, &there).await.last(), Some(&there.deal_id));

    for number in 0.. {
        let new = NewDealStatus {
            name: number.to_string(),
            color: None,
            kind: DealStatusKind::Open,
            probability: None,
            rot_after_days: None,
        };
        match board.create(&scope, &new, at(9)).await {
            Ok(_) => {}
            Err(BoardError::LimitReached(limit)) => {
                assert_eq!(statuses(store, &scope).await.len() as u64, limit);
                break;
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    totals_agree(database).await;
}

async fn deals_follow_their_contacts(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, deals, contacts) = (world.scope(), store.deals(), store.contacts());
    let ann = contacts.upsert(&scope, &claim("ann@customer.example"), at(10)).await.unwrap().unwrap();
    let name = ContactUpdate { name: Some(Some("Ann Baker".into())), ..ContactUpdate::default() };
    contacts.update(&scope, ann.contact_id, &name, at(11)).await.unwrap().unwrap();
    let both = vec![ann.contact_id, world.contact.contact_id];
    let new = NewDeal { contact_ids: both.clone(), ..deal("Mower for ann baker") };
    let of_both = deals.create(&scope, &new, None, at(12)).await.unwrap();
    assert_eq!(of_both.contact_ids.len(), 2);
    let of = |contact_id| DealFilter { contact_id: Some(contact_id), ..DealFilter::default() };
    let listed = async |contact_id| {
        let page = PageRequest::first(10);
        deals.page(&scope, &of(contact_id), DealOrder::default(), &page).await.unwrap().items.len()
    };
    assert_eq!((listed(ann.contact_id).await, listed(world.contact.contact_id).await), (1, 2));
    contacts.merge(&scope, ann.contact_id, world.contact.contact_id, at(13)).await.unwrap().unwrap();
    assert_eq!(listed(ann.contact_id).await, 2);
    let merged = deals.find(&scope, of_both.deal_id).await.unwrap().unwrap();
    assert_eq!(merged.contact_ids, [ann.contact_id]);
    // Whoever read the list before the merge still names the other one.
    let (named, meant) = (vec![world.contact.contact_id], [ann.contact_id]);
    let update = DealUpdate { contact_ids: Some(named.clone()), ..DealUpdate::default() };
    let updated = deals.update(&scope, of_both.deal_id, &update, at(13)).await.unwrap().unwrap();
    assert_eq!(updated.contact_ids, meant);
    let new = NewDeal { contact_ids: named, ..deal("late") };
    let late = deals.create(&scope, &new, None, at(13)).await.unwrap();
    assert_eq!(late.contact_ids, meant);
    let activity = follow_up(&late, &world.contact);
    assert!(store.deal_activities().create(&activity).await.unwrap());
    let activities = store.deal_activities();
    let stored = activities.find(&scope, late.deal_id, activity.deal_activity_id).await.unwrap().unwrap();
    assert_eq!(stored.contact_id, Some(ann.contact_id));
    deals
        .lose(&scope, merged.deal_id, Some("ANN BAKER (ann@customer.example) is away"), None, at(14))
        .await
        .unwrap();

    assert!(contacts.erase(&scope, ann.contact_id, at(15)).await.unwrap());
    let left = deals.find(&scope, of_both.deal_id).await.unwrap().unwrap();
    assert_eq!((&*left.title, left.contact_ids.len()), ("Mower for [erased]", 0));
    assert_eq!(left.lost_reason.as_deref(), Some("[erased] ([erased]) is away"));
    assert_eq!(events(store, &scope).await, [], "the events of these deals are gone");
    totals_agree(database).await;
}

async fn lists_are_read_by_their_indexes(database: &Database) {
    // PostgreSQL chooses by statistics, which the benchmark has.
    if database.is_postgres() {
        return;
    }
    let world = World::new(&database.store, "one", 1).await;
    let changed = DealFilter { updated_since: Some(at(0)), ..DealFilter::default() };
    for (filter, key, index) in [
        (DealFilter::default(), DealSortKey::Created, "deals_created"),
        (DealFilter::default(), DealSortKey::Updated, "deals_updated"),
        (DealFilter::default(), DealSortKey::Value, "deals_value"),
        (DealFilter::default(), DealSortKey::ExpectedClose, "deals_expected"),
        (changed, DealSortKey::Created, "deals_updated"),
    ] {
        let order = DealOrder { key, descending: true };
        let page = PageRequest::first(25);
        let plan = database.store.deals().explain_page(&world.scope(), &filter, order, &page).await.unwrap();
        assert!(plan.contains(&format!("SEARCH d USING INDEX {index} ")), "{key:?} of {filter:?}\n{plan}");
    }
}

async fn lists_are_filtered_and_ordered(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, deals) = (world.scope(), store.deals());
    deals.delete(&scope, world.deal.deal_id, None, at(5)).await.unwrap();
    let day = |text: &str| Some(text.parse().unwrap());
    let columns = statuses(store, &scope).await;
    for (second, (title, value, date, column)) in (10..).zip([
        ("alpha", Some(money("10", "EUR")), day("2026-12-01"), 0),
        ("beta", Some(money("9", "EUR")), None, 1),
        ("gamma 100%", None, day("2026-11-30"), 0),
        ("Delta", Some(money("100", "JPY")), day("2027-01-01"), 4),
    ]) {
        let new = NewDeal {
            value,
            expected_close_date: date,
            deal_status_id: Some(columns[column].deal_status_id),
            owner_id: (column == 0).then_some(world.user.user_id),
            ..deal(title)
        };
        deals.create(&scope, &new, None, at(second)).await.unwrap();
    }
    let titles = async |filter: DealFilter, key: DealSortKey, descending: bool| {
        let (mut titles, mut page) = (Vec::new(), PageRequest::first(1));
        loop {
            let order = DealOrder { key, descending };
            let part = deals.page(&scope, &filter, order, &page).await.unwrap();
            titles.extend(part.items.into_iter().map(|deal| deal.title.chars().next().unwrap()));
            match part.next {
                Some(after) => page.after = Some(after),
                None => return titles.into_iter().collect::<String>(),
            }
        }
    };
    let all = DealFilter::default;
    for (key, ascending) in [
        (DealSortKey::Created, "abgD"),
        (DealSortKey::Updated, "abgD"),
        (DealSortKey::Value, "gbaD"),
        (DealSortKey::ExpectedClose, "gaDb"),
    ] {
        assert_eq!(titles(all(), key, false).await, ascending, "{key:?}");
        let descending: String = ascending.chars().rev().collect();
        assert_eq!(titles(all(), key, true).await, descending, "{key:?}");
    }
    let first = columns[0].deal_status_id;
    for (filter, expected) in [
        (DealFilter { deal_status_id: Some(first), ..all() }, "ag"),
        (DealFilter { deal_row_id: Some(world.deal.deal_row_id), ..all() }, "abgD"),
        (DealFilter { owner_id: Some(world.user.user_id), ..all() }, "ag"),
        (DealFilter { outcomes: vec![DealOutcome::Won], ..all() }, "D"),
        (DealFilter { outcomes: vec![DealOutcome::Won, DealOutcome::Open], ..all() }, "abgD"),
        (DealFilter { outcomes: vec![DealOutcome::Lost], ..all() }, ""),
        (DealFilter { expected_close_before: day("2026-12-01"), ..all() }, "g"),
        (DealFilter { updated_since: Some(at(11)), updated_until: Some(at(13)), ..all() }, "bg"),
        (DealFilter { text: Some("DELTA".into()), ..all() }, "D"),
        (DealFilter { text: Some("100%".into()), ..all() }, "g"),
        (DealFilter { text: Some("%".into()), outcomes: vec![DealOutcome::Won], ..all() }, ""),
        (DealFilter { contact_id: Some(world.contact.contact_id), ..all() }, ""),
    ] {
        assert_eq!(titles(filter.clone(), DealSortKey::Created, false).await, expected, "{filter:?}");
    }
    let update = DealUpdate { title: Some("Epsilon".into()), value: Some(None), ..DealUpdate::default() };
    let oldest = DealOrder { descending: false, ..DealOrder::default() };
    let mut listed = deals.page(&scope, &all(), oldest, &PageRequest::first(1)).await.unwrap().items;
    let alpha = listed.remove(0);
    let changed = deals.update(&scope, alpha.deal_id, &update, at(20)).await.unwrap().unwrap();
    assert_eq!((changed.value, changed.owner_id, changed.position), (None, alpha.owner_id, alpha.position));
    assert_eq!(
        titles(DealFilter { text: Some("epsil".into()), ..all() }, DealSortKey::Updated, true).await,
        "E"
    );
    totals_agree(database).await;
}
