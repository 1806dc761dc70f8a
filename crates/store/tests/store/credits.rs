//! Allowances are never exceeded.

use frontdesk_store::{
    CreditPurpose, Day, Month, NewAnswer, ReplyCreditsError, ReplyLimits, ReplyPeriod, Spending, Usage,
};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, answer, at, charge, chatbot, spending};

on_both_databases!(
    the_last_credits_are_spent_once,
    credits_are_taken_all_or_none_and_given_back,
    what_an_answer_does_not_cost_is_refunded_with_it,
    daily_replies_end_at_the_limit,
    replies_use_no_more_than_their_shares,
    refunded_replies_count_nowhere,
    credits_are_counted_by_day_chatbot_and_purpose,
);

/// Credits for a chatbot that does not exist: they count in the total only.
fn nowhere() -> Spending {
    spending(Uuid::nil())
}

async fn the_last_credits_are_spent_once(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let asking: Vec<_> = (0..100)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                store.credits().reserve(&scope, &charge(&Month::of(at(0)), nowhere(), 1, 10)).await.unwrap()
            })
        })
        .collect();
    let mut granted = Vec::new();
    for task in asking {
        granted.extend(task.await.unwrap());
    }
    granted.sort_by_key(|usage| usage.used);
    let expected: Vec<_> = (1..=10).map(|used| Usage { used, limit: 10 }).collect();
    assert_eq!(granted, expected);
    assert_eq!(store.credits().usage(&scope, &Month::of(at(0)), 10).await.unwrap().remaining(), 0);
}

async fn credits_are_taken_all_or_none_and_given_back(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let month = &Month::of(at(0));
    let reserve = async |amount, limit| {
        store.credits().reserve(&scope, &charge(month, nowhere(), amount, limit)).await.unwrap()
    };
    assert_eq!(reserve(11, 10).await, None);
    assert_eq!(reserve(1, 0).await, None);
    assert_eq!(reserve(7, 10).await, Some(Usage { used: 7, limit: 10 }));
    assert_eq!(reserve(4, 10).await, None);
    assert_eq!(reserve(3, 10).await, Some(Usage { used: 10, limit: 10 }));
    assert_eq!(reserve(1, 5).await, None, "the plan was lowered meanwhile");
    let refunded = charge(month, nowhere(), 7, 10);
    let left = Usage { used: 6, limit: 10 };
    assert_eq!(store.credits().refund(&scope, &refunded, 4).await.unwrap(), left);
    assert_eq!(store.credits().usage(&scope, month, 10).await.unwrap(), left);
    assert_eq!(store.credits().refund(&scope, &refunded, 100).await.unwrap().used, 0);
    assert_eq!(store.credits().usage(&scope, month, 10).await.unwrap().used, 0);
    assert_eq!(reserve(u64::MAX, u64::MAX).await.map(|usage| usage.limit), Some(u64::MAX));
    assert_eq!(reserve(1, u64::MAX - 1).await, None);
    let next = Month::of(at(40 * 86_400));
    assert_eq!(store.credits().usage(&scope, &next, 10).await.unwrap().used, 0);
    assert!(store.credits().reserve(&scope, &charge(&next, nowhere(), 10, 10)).await.unwrap().is_some());
}

async fn what_an_answer_does_not_cost_is_refunded_with_it(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let month = Month::of(at(0));
    let charge = charge(&month, spending(world.chatbot.chatbot_id), 3, 10);
    let before = store.credits().usage(&scope, &month, 10).await.unwrap().used;
    let record = async |credits_used| {
        store.credits().reserve(&scope, &charge).await.unwrap().unwrap();
        let answer = NewAnswer { credits_used, charge: Some(charge.clone()), ..answer("Yes.") };
        store.conversations().record_answer(&scope, id, &answer, None, at(5)).await.unwrap().unwrap().refunded
    };
    assert_eq!(record(3).await, None);
    assert_eq!(record(0).await, Some(Usage { used: before + 3, limit: 10 }));
    assert_eq!(record(1).await, Some(Usage { used: before + 4, limit: 10 }));
    assert_eq!(store.credits().usage(&scope, &month, 10).await.unwrap().used, before + 4);
    let entries = store.credits().entries(&scope, &month).await.unwrap();
    let of_chatbot = entries.iter().filter(|entry| entry.chatbot_id == Some(world.chatbot.chatbot_id));
    assert_eq!(of_chatbot.map(|entry| entry.used).sum::<u64>(), before + 4, "{entries:?}");
}

async fn daily_replies_end_at_the_limit(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let asking: Vec<_> = (0..60)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                store.credits().reserve_daily_reply(&scope, bot, &Day::of(at(0)), 7).await.unwrap()
            })
        })
        .collect();
    let mut granted = 0;
    for task in asking {
        granted += usize::from(task.await.unwrap().is_some());
    }
    assert_eq!(granted, 7);
    let tomorrow = Day::of(at(86_400));
    let usage = store.credits().reserve_daily_reply(&scope, bot, &tomorrow, 7).await.unwrap();
    assert_eq!(usage, Some(Usage { used: 1, limit: 7 }));
    assert_eq!(store.credits().reserve_daily_reply(&scope, bot, &tomorrow, 0).await.unwrap(), None);
    assert_eq!(store.credits().reserve_daily_reply(&scope, Uuid::nil(), &tomorrow, 7).await.unwrap(), None);
    assert_eq!(store.credits().prune_daily_replies(&tomorrow).await.unwrap(), 1);
    assert_eq!(database.count("daily_replies").await, 1);
}

/// A day with its month; both follow from the second.
fn period(second: i64) -> ReplyPeriod {
    ReplyPeriod { day: Day::of(at(second)), month: Month::of(at(second)) }
}

async fn replies_use_no_more_than_their_shares(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let limits = ReplyLimits { account: 100, month: 12, day: 7 };
    let (today, tomorrow) = (period(0), period(86_400));
    assert_eq!(today.month, tomorrow.month);
    let asking: Vec<_> = (0..60)
        .map(|_| {
            let (store, today) = (store.clone(), today.clone());
            tokio::spawn(async move {
                store.reply_credits().reserve(&scope, &today, &nowhere(), 1, &limits).await.unwrap()
            })
        })
        .collect();
    let mut granted = 0;
    for task in asking {
        match task.await.unwrap() {
            Ok(()) => granted += 1,
            Err(error) => assert_eq!(error, ReplyCreditsError::ReplyDay),
        }
    }
    assert_eq!(granted, 7);
    // A refused reservation has counted nowhere.
    let used = async || store.credits().usage(&scope, &today.month, 100).await.unwrap().used;
    assert_eq!(used().await, 7);

    let reserve = async |period: &ReplyPeriod, limits: ReplyLimits| {
        store.reply_credits().reserve(&scope, period, &nowhere(), 1, &limits).await.unwrap()
    };
    for _ in 0..5 {
        assert_eq!(reserve(&tomorrow, limits).await, Ok(()));
    }
    assert_eq!(reserve(&tomorrow, limits).await, Err(ReplyCreditsError::ReplyMonth));
    let exhausted = ReplyLimits { account: 12, month: 50, day: 50 };
    assert_eq!(reserve(&tomorrow, exhausted).await, Err(ReplyCreditsError::AccountMonth));
    assert_eq!(
        reserve(&tomorrow, ReplyLimits { day: 0, ..limits }).await,
        Err(ReplyCreditsError::ReplyMonth)
    );

    // Requests with a key can still use what replies may not.
    let month = &today.month;
    assert_eq!(
        store.credits().reserve(&scope, &charge(month, nowhere(), 88, 100)).await.unwrap(),
        Some(Usage { used: 100, limit: 100 })
    );
    assert_eq!(reserve(&period(40 * 86_400), limits).await, Ok(()), "another month");
}

async fn refunded_replies_count_nowhere(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let other = account(store, "Two").await.scope();
    let limits = ReplyLimits { account: 1, month: 1, day: 1 };
    let today = period(0);
    let replies = store.reply_credits();
    for _ in 0..3 {
        assert_eq!(replies.reserve(&scope, &today, &nowhere(), 1, &limits).await.unwrap(), Ok(()));
        assert_eq!(
            replies.reserve(&scope, &today, &nowhere(), 1, &limits).await.unwrap(),
            Err(ReplyCreditsError::AccountMonth)
        );
        replies.refund(&other, &today, &nowhere(), 1).await.unwrap();
        replies.refund(&scope, &today, &nowhere(), 1).await.unwrap();
    }
    assert_eq!(store.credits().usage(&scope, &today.month, 1).await.unwrap().used, 0);
    assert_eq!(database.count("reply_credits").await, 2);
    assert_eq!(replies.prune(&today.day).await.unwrap(), 0);
    assert_eq!(replies.prune(&period(86_400).day).await.unwrap(), 1);
    assert_eq!(database.count("reply_credits").await, 1, "the month is kept");
}

async fn credits_are_counted_by_day_chatbot_and_purpose(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let one = chatbot(store, &scope, "one").await.chatbot_id;
    let two = chatbot(store, &scope, "two").await.chatbot_id;
    let month = Month::of(at(0));
    let tomorrow = Spending { day: Day::of(at(86_400)), ..spending(one) };
    let reply = Spending { purpose: CreditPurpose::Reply, ..spending(one) };
    let credits = store.credits();
    for (place, amount) in [(spending(one), 3), (tomorrow.clone(), 1), (spending(two), 5), (spending(one), 4)]
    {
        credits.reserve(&scope, &charge(&month, place, amount, 20)).await.unwrap().unwrap();
    }
    assert_eq!(
        credits.reserve(&scope, &charge(&month, spending(one), 8, 20)).await.unwrap(),
        None,
        "over the limit"
    );
    let limits = ReplyLimits { account: 20, month: 2, day: 2 };
    let replies = store.reply_credits();
    let today = period(0);
    replies.reserve(&scope, &today, &reply, 2, &limits).await.unwrap().unwrap();
    assert!(replies.reserve(&scope, &today, &reply, 1, &limits).await.unwrap().is_err());
    replies.refund(&scope, &today, &reply, 1).await.unwrap();
    credits.refund(&scope, &charge(&month, spending(two), 5, 20), 5).await.unwrap();

    let entries = async || {
        let entries = credits.entries(&scope, &month).await.unwrap();
        entries
            .into_iter()
            .map(|entry| (entry.day, entry.chatbot_id, entry.purpose, entry.used))
            .collect::<Vec<_>>()
    };
    let (day, next) = (Day::of(at(0)).to_string(), tomorrow.day.to_string());
    let expected = vec![
        (day.clone(), Some(one), CreditPurpose::Message, 7),
        (day.clone(), Some(one), CreditPurpose::Reply, 1),
        (next.clone(), Some(one), CreditPurpose::Message, 1),
    ];
    assert_eq!(entries().await, expected);
    assert_eq!(credits.usage(&scope, &month, 20).await.unwrap().used, 9);
    // What a deleted chatbot has used stays counted.
    assert!(store.chatbots().delete(&scope, one).await.unwrap());
    let expected: Vec<_> =
        expected.into_iter().map(|(day, _, purpose, used)| (day, None, purpose, used)).collect();
    assert_eq!(entries().await, expected);
    let other = account(store, "Two").await.scope();
    assert!(credits.entries(&other, &month).await.unwrap().is_empty());
}
