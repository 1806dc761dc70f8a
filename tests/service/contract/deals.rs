//! The sales board: what happens to cards, columns and rows, and who hears of it.

use frontdesk_client::model::{
    DealLoss, DealMove, DealOutcome, DealStatusKind, DealUpdate, EventType, InboxChannelKind,
    ListDealsSortBy, NewChannelMessage, NewContact, NewDeal, NewDealRow, NewDealStatus, NewInboxChannel,
    TeamMemberId, ThreadUpdate,
};
use frontdesk_runtime::Patch;
use frontdesk_store::Plan;

use crate::{
    database::Database,
    installation::{Installation, status},
    on_both_databases,
};

on_both_databases!(
    a_sale_goes_through_the_board,
    requests_that_do_not_fit_are_refused,
    deals_and_threads_are_linked_from_both_sides,
);

async fn a_sale_goes_through_the_board(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let (deals, contacts) = (client.deals(), client.contacts());
    let ann = contacts
        .create(NewContact::new().email("ann@customer.example").name("Ann"))
        .await
        .unwrap()
        .contact_id;
    let columns = client.deal_statuses().list().await.unwrap().into_inner().deal_statuses;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["New", "Contacted", "Proposal", "Negotiation", "Won", "Lost"]);
    assert_eq!((columns[4].kind.clone(), columns[4].probability), (DealStatusKind::Won, Some(100)));

    let new = |title: &str, value: &str, currency: &str| {
        NewDeal::new(title).value(value.to_owned()).currency(currency.to_owned()).contact_ids([ann])
    };
    let mower = deals.create(new("Mower", "0.10", "EUR")).await.unwrap().into_inner();
    let hedge = deals.create(new("Hedge", "0.2", "EUR")).await.unwrap().into_inner();
    let rose = deals.create(new("Rose", "5000", "JPY")).await.unwrap().into_inner();
    assert_eq!((hedge.value.as_deref(), rose.value.as_deref()), (Some("0.20"), Some("5000")));
    assert_eq!(mower.deal_status_id, columns[0].deal_status_id);
    let board = deals.get_board().per_cell(2).await.unwrap().into_inner();
    let cell = &board.cells[0];
    assert_eq!((board.columns.len(), board.rows.len(), board.cells.len()), (6, 1, 1));
    let shown: Vec<&str> = cell.deals.iter().map(|deal| deal.title.as_str()).collect();
    assert_eq!((shown, cell.count, cell.has_more), (vec!["Mower", "Hedge"], 3, true));
    let sums: Vec<_> =
        cell.value_sums.iter().map(|sum| (sum.currency.as_str(), sum.value.as_str())).collect();
    assert_eq!(sums, [("EUR", "0.30"), ("JPY", "5000")]);

    // The order of a cell, and a neighbor that somebody else has moved.
    let front = DealMove::new().before_deal_id(mower.deal_id);
    deals.move_to(rose.deal_id, front).await.unwrap();
    let listed = async || {
        let list = deals.list().deal_status_id(mower.deal_status_id).deal_row_id(mower.deal_row_id);
        let list = list.sort_by(ListDealsSortBy::Position).await.unwrap().into_inner();
        list.deals.into_iter().map(|deal| deal.title).collect::<Vec<_>>()
    };
    assert_eq!(listed().await, ["Rose", "Mower", "Hedge"]);
    deals.move_to(hedge.deal_id, DealMove::new().deal_status_id(columns[1].deal_status_id)).await.unwrap();
    let beside = DealMove::new().deal_status_id(mower.deal_status_id).after_deal_id(hedge.deal_id);
    let refused = deals.move_to(rose.deal_id, beside).await;
    assert_eq!(status(&refused), 409);
    assert_eq!(listed().await, ["Rose", "Mower"]);

    let won = deals.win(hedge.deal_id).await.unwrap().into_inner();
    assert_eq!((won.deal_status_id, won.outcome), (columns[4].deal_status_id, DealOutcome::Won));
    let back = deals.reopen(hedge.deal_id).await.unwrap().into_inner();
    assert_eq!((back.deal_status_id, back.outcome), (columns[1].deal_status_id, DealOutcome::Open));
    let lost = deals.lose(rose.deal_id, DealLoss::new().lost_reason("Too dear")).await.unwrap().into_inner();
    assert_eq!((lost.outcome, lost.lost_reason.as_deref()), (DealOutcome::Lost, Some("Too dear")));
    let history = deals.list_changes(hedge.deal_id).await.unwrap().into_inner().changes;
    let steps: Vec<&str> = history.iter().map(|change| change.r#type.as_str()).collect();
    assert_eq!(steps, ["reopened", "won", "moved", "created"]);
    assert!(history.iter().all(|change| change.team_member_id == Some(acme.owner.user_id.into())));

    // Deleted and restored.
    deals.delete(mower.deal_id).await.unwrap();
    assert_eq!(status(&deals.get(mower.deal_id).await), 404);
    assert_eq!(status(&deals.win(mower.deal_id).await), 404);
    let deleted = deals.list().deleted(true).await.unwrap().into_inner().deals;
    assert_eq!((deleted.len(), deleted[0].deal_id), (1, mower.deal_id));
    let restored = deals.restore(mower.deal_id).await.unwrap().into_inner();
    assert_eq!((restored.deleted_at, restored.contact_ids), (None, vec![ann]));
    assert_eq!(contacts.list_deals(ann).await.unwrap().into_inner().deals.len(), 3);

    contacts.mark_as_customer(ann, None).await.unwrap();
    contacts.mark_as_customer(ann, None).await.unwrap();
    let events = client.events().list().await.unwrap().into_inner().events;
    let types: Vec<&str> = events.iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(
        types,
        [
            "deal.created",
            "deal.created",
            "deal.created",
            "deal.status_changed",
            "deal.status_changed",
            "deal.won",
            "deal.status_changed",
            "deal.status_changed",
            "deal.lost",
            "contact.became_customer",
        ]
    );
    let won = events.iter().find(|event| event.r#type == EventType::DealWon).unwrap();
    let data = serde_json::to_value(won).unwrap()["data"].clone();
    assert_eq!((&data["deal"]["value"], &data["deal"]["status_name"]), (&"0.20".into(), &"Won".into()));
    service.stop().await;
}

async fn requests_that_do_not_fit_are_refused(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let deals = client.deals();
    let deal = deals.create(NewDeal::new("Mower")).await.unwrap().into_inner();
    for wrong in [
        DealUpdate::new().value("5".to_owned()),
        DealUpdate::new().currency("EUR".to_owned()),
        DealUpdate::new().value("5".to_owned()).currency("ZZQ".to_owned()),
        DealUpdate::new().value("5.00001".to_owned()).currency("EUR".to_owned()),
        DealUpdate::new().contact_ids([deal.deal_id.uuid().into()]),
        DealUpdate::new().owner_id(TeamMemberId::from(deal.deal_id.uuid())),
    ] {
        assert_eq!(status(&deals.update(deal.deal_id, &wrong).await), 422, "{wrong:?}");
    }
    let valued = DealUpdate::new()
        .value("5".to_owned())
        .currency("EUR".to_owned())
        .owner_id(TeamMemberId::from(acme.owner.user_id));
    let valued = deals.update(deal.deal_id, &valued).await.unwrap().into_inner();
    assert_eq!((valued.value.as_deref(), valued.owner_id), (Some("5.00"), Some(acme.owner.user_id.into())));
    let cleared = DealUpdate::new().value(Patch::Null);
    let cleared = deals.update(deal.deal_id, &cleared).await.unwrap().into_inner();
    assert_eq!((cleared.value, cleared.currency), (None, None));

    let both = DealMove::new().before_deal_id(deal.deal_id).after_deal_id(deal.deal_id);
    assert_eq!(status(&deals.move_to(deal.deal_id, both).await), 422);
    assert_eq!(status(&deals.list().sort_by(ListDealsSortBy::Position).await), 422);
    assert_eq!(status(&deals.list().outcome([DealOutcome::from("pending")]).await), 422);

    let statuses = client.deal_statuses();
    assert_eq!(status(&statuses.delete(deal.deal_status_id).await), 409);
    assert_eq!(status(&statuses.delete(deal.deal_status_id).move_to(deal.deal_status_id).await), 422);
    let taken = statuses.create(NewDealStatus::new("negotiation")).await;
    assert_eq!(status(&taken), 409);
    assert_eq!(status(&client.deal_rows().delete(deal.deal_row_id).await), 409);
    for number in 0..49 {
        client.deal_rows().create(NewDealRow::new(format!("Row {number}"))).await.unwrap();
    }
    assert_eq!(status(&client.deal_rows().create(NewDealRow::new("One too many")).await), 409);
    // 300 cells.
    assert_eq!(status(&deals.get_board().per_cell(34).await), 422);
    assert_eq!(deals.get_board().per_cell(33).await.unwrap().per_cell, 33);
    assert_eq!(deals.get_board().per_cell(50).deal_row_id(deal.deal_row_id).await.unwrap().rows.len(), 1);
    service.stop().await;
}

async fn deals_and_threads_are_linked_from_both_sides(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let (client, stranger) = (service.client(&acme), service.client(&other));
    let (deals, inbox, channels) = (client.deals(), client.inbox(), client.inbox_channels());
    let contacts = client.contacts();
    let ann = contacts.create(NewContact::new().email("ann@customer.example")).await.unwrap().contact_id;
    let channel = channels.create(NewInboxChannel::new(InboxChannelKind::Api, "Shop")).await.unwrap();
    let mut threads = Vec::new();
    for key in ["one", "two", "three"] {
        let message = NewChannelMessage::new(key, key, "Where is my hedge?").contact_id(ann);
        let pushed = channels.receive_channel_message(channel.channel_id, message).await.unwrap();
        threads.push(pushed.thread_id);
    }
    // By pages, the latest message first.
    let first = contacts.list_threads(ann).limit(2).await.unwrap().into_inner();
    let cursor = first.pagination.next_cursor.clone().unwrap();
    let last = contacts.list_threads(ann).limit(2).cursor(cursor).await.unwrap().into_inner();
    let listed: Vec<_> = first.threads.iter().chain(&last.threads).map(|thread| thread.thread_id).collect();
    assert_eq!(listed, [threads[2], threads[1], threads[0]]);
    assert_eq!(status(&stranger.contacts().list_threads(ann).await), 404);

    let hedge = deals.create(NewDeal::new("Hedge").thread_ids([threads[0]])).await.unwrap().into_inner();
    assert_eq!(hedge.thread_ids, [threads[0]]);
    let both = ThreadUpdate::new().deal_ids([hedge.deal_id]);
    assert_eq!(inbox.update_thread(threads[1], both).await.unwrap().deal_ids, [hedge.deal_id]);
    let about = inbox.list_threads().deal_id(hedge.deal_id).await.unwrap().into_inner().threads;
    let about: Vec<_> = about.iter().map(|thread| thread.thread_id).collect();
    assert_eq!(about, [threads[1], threads[0]]);
    let found = deals.list().thread_id(threads[1]).await.unwrap().into_inner().deals;
    assert_eq!(found.iter().map(|deal| deal.deal_id).collect::<Vec<_>>(), [hedge.deal_id]);
    let changed = DealUpdate::new().thread_ids([threads[2]]);
    assert_eq!(deals.update(hedge.deal_id, changed).await.unwrap().thread_ids, [threads[2]]);
    assert!(inbox.get_thread(threads[0]).await.unwrap().deal_ids.is_empty());

    // Ids of another account are refused in bodies and in filters.
    let theirs = stranger.deals();
    assert_eq!(status(&theirs.create(NewDeal::new("Spy").thread_ids([threads[0]])).await), 422);
    let own = theirs.create(NewDeal::new("Own")).await.unwrap().deal_id;
    assert_eq!(status(&theirs.update(own, DealUpdate::new().thread_ids([threads[0]])).await), 422);
    assert_eq!(status(&inbox.update_thread(threads[0], ThreadUpdate::new().deal_ids([own])).await), 422);
    assert_eq!(status(&inbox.list_threads().deal_id(own).await), 422);
    assert_eq!(status(&theirs.list().thread_id(threads[0]).await), 422);
    service.stop().await;
}
