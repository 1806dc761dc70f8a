//! Allowances are never exceeded.

use frontdesk_store::{Day, Month, Usage};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{account, at, chatbot};

on_both_databases!(
    the_last_credits_are_spent_once,
    credits_are_taken_all_or_none_and_given_back,
    daily_replies_end_at_the_limit,
);

async fn the_last_credits_are_spent_once(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let asking: Vec<_> = (0..100)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(
                async move { store.reserve_credits(&scope, &Month::of(at(0)), 1, 10).await.unwrap() },
            )
        })
        .collect();
    let mut granted = Vec::new();
    for task in asking {
        granted.extend(task.await.unwrap());
    }
    granted.sort_by_key(|usage| usage.used);
    let expected: Vec<_> = (1..=10).map(|used| Usage { used, limit: 10 }).collect();
    assert_eq!(granted, expected);
    assert_eq!(store.credit_usage(&scope, &Month::of(at(0)), 10).await.unwrap().remaining(), 0);
}

async fn credits_are_taken_all_or_none_and_given_back(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let month = &Month::of(at(0));
    let reserve = async |amount, limit| store.reserve_credits(&scope, month, amount, limit).await.unwrap();
    assert_eq!(reserve(11, 10).await, None);
    assert_eq!(reserve(1, 0).await, None);
    assert_eq!(reserve(7, 10).await, Some(Usage { used: 7, limit: 10 }));
    assert_eq!(reserve(4, 10).await, None);
    assert_eq!(reserve(3, 10).await, Some(Usage { used: 10, limit: 10 }));
    assert_eq!(reserve(1, 5).await, None, "the plan was lowered meanwhile");
    store.refund_credits(&scope, month, 4).await.unwrap();
    assert_eq!(store.credit_usage(&scope, month, 10).await.unwrap().used, 6);
    store.refund_credits(&scope, month, 100).await.unwrap();
    assert_eq!(store.credit_usage(&scope, month, 10).await.unwrap().used, 0);
    assert_eq!(reserve(u64::MAX, u64::MAX).await.map(|usage| usage.limit), Some(u64::MAX));
    assert_eq!(reserve(1, u64::MAX - 1).await, None);
    let next = Month::of(at(40 * 86_400));
    assert_eq!(store.credit_usage(&scope, &next, 10).await.unwrap().used, 0);
    assert!(store.reserve_credits(&scope, &next, 10, 10).await.unwrap().is_some());
}

async fn daily_replies_end_at_the_limit(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let asking: Vec<_> = (0..60)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(
                async move { store.reserve_daily_reply(&scope, bot, &Day::of(at(0)), 7).await.unwrap() },
            )
        })
        .collect();
    let mut granted = 0;
    for task in asking {
        granted += usize::from(task.await.unwrap().is_some());
    }
    assert_eq!(granted, 7);
    let tomorrow = Day::of(at(86_400));
    let usage = store.reserve_daily_reply(&scope, bot, &tomorrow, 7).await.unwrap();
    assert_eq!(usage, Some(Usage { used: 1, limit: 7 }));
    assert_eq!(store.reserve_daily_reply(&scope, bot, &tomorrow, 0).await.unwrap(), None);
    assert_eq!(store.reserve_daily_reply(&scope, Uuid::nil(), &tomorrow, 7).await.unwrap(), None);
    assert_eq!(store.prune_daily_replies(&tomorrow).await.unwrap(), 1);
    assert_eq!(database.count("daily_replies").await, 1);
}
