//! Keyless replies to emails: content, limits and the switch.

use std::sync::Arc;

use frontdesk_model::operations::messages;
use frontdesk_model::{DraftReplyError, EmailReply, ReplyRateLimitedHeaders, ReplyRejectedBody};
use frontdesk_runtime::Failure;
use frontdesk_store::Chatbot;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{Shop, head, service};
use crate::api;
use crate::platform::chatbot_settings;
use crate::platform::config::Config;

fn thread(body: &str) -> Value {
    json!({ "subject": "Re: A question", "messages": [{ "from": "jo@customer.example", "body": body }] })
}

#[tokio::test]
async fn a_reply_is_drafted_from_the_content() {
    let shop = Shop::open().await;
    let reply = shop.draft(thread("Hello,\n\nwhat does delivery cost?\n\nBest wishes\nJo")).await.unwrap();
    assert!(reply.reply.contains("4.90 pounds"), "{}", reply.reply);
    assert_eq!(reply.sources[0].url, "https://shop.example/delivery");
    assert_eq!((reply.usage.credits_used, reply.usage.monthly_remaining), (1, 1_999));
    // A draft is about people but keeps nothing of them.
    assert!(shop.contacts().await.is_empty());
}

#[tokio::test]
async fn a_chatbot_without_content_drafts_nothing() {
    let shop = Shop::untrained(&service().await, None).await;
    match shop.draft(thread("What does delivery cost?")).await {
        Err(Failure::Declared(DraftReplyError::UnprocessableEntity(rejected))) => {
            assert!(matches!(rejected.body, ReplyRejectedBody::NoTrainingDataError(_)), "{rejected:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(shop.used().await, 0);
}

#[tokio::test]
async fn drafts_are_bounded_by_credits_and_by_day() {
    let broke = Shop::with_credits(0).await;
    let outcome = broke.draft(thread("What does delivery cost?")).await;
    assert!(matches!(outcome, Err(Failure::Declared(DraftReplyError::PaymentRequired(_)))), "{outcome:?}");

    let mut shop = Shop::open().await;
    let mut config = Config::default();
    config.limits.replies_per_day = 1;
    shop.service.answering.background.edge.platform.config = Arc::new(config);
    shop.draft(thread("What does delivery cost?")).await.unwrap();
    match shop.draft(thread("What does delivery cost?")).await {
        Err(Failure::Declared(DraftReplyError::TooManyRequests(limited))) => {
            let wait = limited.typed_headers::<ReplyRateLimitedHeaders>().unwrap().retry_after;
            assert!((1..=86_401).contains(&wait), "{limited:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// The status of an outcome, and for 429 the seconds to wait.
fn refusal(outcome: Result<EmailReply, Failure<DraftReplyError>>) -> (u16, Option<i64>) {
    match outcome {
        Err(Failure::Declared(DraftReplyError::PaymentRequired(_))) => (402, None),
        Err(Failure::Declared(DraftReplyError::TooManyRequests(limited))) => {
            (429, Some(limited.typed_headers::<ReplyRateLimitedHeaders>().unwrap().retry_after))
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn replies_leave_credits_for_messages() {
    let question = || thread("What does delivery cost?");
    let mut shop = Shop::with_credits(10).await;
    let mut config = Config::default();
    config.limits.reply_percent_per_day = 30;
    config.limits.reply_percent_per_month = 50;
    shop.service.answering.background.edge.platform.config = Arc::new(config);
    for _ in 0..3 {
        shop.draft(question()).await.unwrap();
    }
    let (status, retry_after) = refusal(shop.draft(question()).await);
    assert_eq!(status, 429);
    assert!(retry_after.is_some_and(|seconds| (1..=86_401).contains(&seconds)), "{retry_after:?}");

    // A larger share of the day, so that the share of the month comes first.
    let mut config = Config::default();
    config.limits.reply_percent_per_day = 100;
    config.limits.reply_percent_per_month = 50;
    shop.service.answering.background.edge.platform.config = Arc::new(config);
    for _ in 0..2 {
        shop.draft(question()).await.unwrap();
    }
    assert_eq!(refusal(shop.draft(question()).await), (402, None));

    // The other half of the month is left for requests with a key.
    for left in (0..5).rev() {
        let answer = shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
        assert_eq!(answer.usage.monthly_remaining, left);
    }
    assert_eq!(refusal(shop.draft(question()).await), (402, None));
}

#[tokio::test]
async fn a_reply_that_costs_nothing_uses_no_share() {
    let mut shop = Shop::with_credits(10).await;
    let mut config = Config::default();
    config.limits.reply_percent_per_day = 10;
    shop.service.answering.background.edge.platform.config = Arc::new(config);
    for _ in 0..3 {
        let reply = shop.draft(thread("Who won the chess championship in 1972?")).await.unwrap();
        assert_eq!((reply.usage.credits_used, reply.usage.monthly_remaining), (0, 10));
    }
    shop.draft(thread("What does delivery cost?")).await.unwrap();
    assert_eq!(refusal(shop.draft(thread("What does delivery cost?")).await).0, 429);
}

#[tokio::test]
async fn only_so_many_replies_are_drafted_at_a_time() {
    let mut shop = Shop::open().await;
    shop.service.answering.reply_slots = Arc::new(Semaphore::new(1));
    let slot = Arc::clone(&shop.service.reply_slots).try_acquire_owned().unwrap();
    let (status, retry_after) = refusal(shop.draft(thread("What does delivery cost?")).await);
    assert_eq!(status, 429);
    assert!(retry_after.is_some_and(|seconds| seconds >= 1));
    assert_eq!(shop.used().await, 0);
    drop(slot);
    // Each draft frees its slot.
    for _ in 0..2 {
        shop.draft(thread("What does delivery cost?")).await.unwrap();
    }
}

#[tokio::test]
async fn the_replies_of_a_chatbot_are_limited_by_the_minute() {
    let mut shop = Shop::open().await;
    let mut config = Config::default();
    config.limits.replies_per_chatbot = 2;
    shop.service.answering.background.edge.platform.config = Arc::new(config);
    for _ in 0..2 {
        shop.draft(thread("What does delivery cost?")).await.unwrap();
    }
    let (status, retry_after) = refusal(shop.draft(thread("What does delivery cost?")).await);
    assert_eq!(status, 429);
    assert!(retry_after.is_some_and(|seconds| (1..=60).contains(&seconds)), "{retry_after:?}");
    assert_eq!(shop.used().await, 2);
}

#[tokio::test]
async fn switched_off_replies_look_like_an_unknown_chatbot() {
    let shop = Shop::open().await;
    let switch = async |on: bool| {
        let update = serde_json::from_value(json!({ "email_replies_enabled": on })).unwrap();
        let (scope, now) = (shop.scope(), shop.service.now());
        let updated = shop.service.store.chatbots().update(&scope, shop.chatbot.chatbot_id, now, |chatbot| {
            chatbot_settings::apply_update(chatbot, update).unwrap();
        });
        updated.await.unwrap().unwrap();
    };
    // Replies have no caller, so the chatbot is resolved without a scope.
    let resolve = async |chatbot_id: Uuid| {
        let mut incoming = head(&messages::DRAFT_REPLY, chatbot_id);
        let resolved = api::resolvers().resolve(&shop.service, None, &mut incoming).await;
        assert_eq!(resolved.is_ok(), incoming.extensions().get::<Chatbot>().is_some());
        format!("{resolved:?}")
    };
    switch(false).await;
    assert_eq!(resolve(shop.chatbot.chatbot_id).await, resolve(Uuid::new_v4()).await);
    // Requests with a key are not affected.
    shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
    switch(true).await;
    shop.draft(thread("What does delivery cost?")).await.unwrap();
}

#[tokio::test]
async fn the_question_of_the_customer_is_answered() {
    let shop = Shop::open().await;
    let messages = json!([
        { "from": "jo@customer.example", "body": "What does delivery cost?" },
        { "from": "support@shop.example", "body": "Do you want us to sharpen your secateurs in the workshop?" }
    ]);
    let reply = shop.draft(json!({ "subject": "Re: A question", "messages": messages })).await.unwrap();
    assert!(reply.reply.contains("4.90 pounds"), "{}", reply.reply);
}

#[tokio::test]
async fn the_newest_message_is_found_by_its_time() {
    let shop = Shop::open().await;
    let messages = json!([
        { "from": "jo@customer.example", "body": "What does delivery cost?",
          "delivered_at": "Thu, 19 Nov 2026 10:30:00 +0100" },
        { "from": "jo@customer.example", "body": "What does it cost to sharpen secateurs?",
          "delivered_at": "2026-11-19T08:00:00Z" }
    ]);
    let reply = shop.draft(json!({ "subject": "A question", "messages": messages })).await.unwrap();
    assert!(reply.reply.contains("4.90 pounds"), "{}", reply.reply);
}
