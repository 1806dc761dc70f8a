//! What is sent for accounts in turn: notices and follow-ups.

use frontdesk_store::{FollowUp, FollowUpPlan, NextFollowUp};
use jiff::Timestamp;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{LEASE, World, at, follow_up};

on_both_databases!(notices_of_accounts_take_turns, follow_ups_of_accounts_take_turns);

/// Two accounts, the one whose id is smaller first.
async fn accounts(database: &Database) -> [World; 2] {
    let mut worlds =
        [World::new(&database.store, "one", 1).await, World::new(&database.store, "two", 2).await];
    worlds.sort_by_key(|world| world.account.account_id);
    worlds
}

async fn notices_of_accounts_take_turns(database: &Database) {
    let worlds = accounts(database).await;
    let raw = database.raw().await;
    sqlx::query("DELETE FROM notices").execute(&raw).await.unwrap();
    // The first has many, which were due long before the one of the second.
    for (world, due_at) in [(&worlds[0], 1), (&worlds[0], 2), (&worlds[0], 3), (&worlds[1], 9)] {
        sqlx::query(
            "INSERT INTO notices (notice_id, account_id, user_id, content, status, attempts, due_at, created_at) \
             VALUES ($1, $2, $3, $4, 'queued', 0, $5, 0)",
        )
        .bind(Uuid::now_v7().to_string())
        .bind(world.account.account_id.to_string())
        .bind(world.user.user_id.to_string())
        .bind(r#"{"webhook_disabled":{"url":"https://acme.example/","is_gone":false}}"#)
        .bind(due_at)
        .execute(&raw)
        .await
        .unwrap();
    }
    let mut order = Vec::new();
    while let Some(notice) =
        database.store.notices().take_in_turn(order.last().copied(), at(10)).await.unwrap()
    {
        // Until it is being sent, it stays due.
        assert!(database.store.notices().begin_sending(&notice).await.unwrap());
        order.push(notice.account_id);
    }
    let [first, second] = worlds.map(|world| world.account.account_id);
    assert_eq!(order, [first, second, first, first]);
    raw.close().await;
}

struct Always;

impl FollowUpPlan for Always {
    fn permitted(&self, _: &FollowUp, now: Timestamp) -> Option<Timestamp> {
        Some(now)
    }

    fn after(&self, _: &FollowUp, _: Timestamp) -> Option<Timestamp> {
        None
    }
}

async fn follow_ups_of_accounts_take_turns(database: &Database) {
    let worlds = accounts(database).await;
    let activities = database.store.deal_activities();
    for _ in 0..2 {
        assert!(activities.create(&follow_up(&worlds[0].deal, &worlds[0].contact)).await.unwrap());
    }
    let mut order = Vec::new();
    let mut turn = None;
    loop {
        let next = activities.claim_follow_up(&mut turn, &Always, true, LEASE, at(20)).await.unwrap();
        if next == NextFollowUp::Nothing {
            break;
        }
        order.extend(turn);
    }
    let [first, second] = worlds.map(|world| world.account.account_id);
    assert_eq!(order, [first, second, first, first]);
}
