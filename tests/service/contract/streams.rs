//! Answers as server-sent events.

use frontdesk_client::{
    Client,
    model::{Answer, AnswerEvent, AnswerMode, NewEscalation, NewMessage, SendMessageError},
};
use frontdesk_runtime::codec::EventStream;
use frontdesk_store::Plan;
use serde_json::json;
use uuid::Uuid;

use crate::{
    database::{Database, account},
    installation::{Installation, learned, status},
    on_both_databases, patience, site,
    wire::{Request, header},
};

on_both_databases!(
    a_stream_ends_with_the_answer,
    a_repeat_gets_the_same_stream,
    an_answer_is_finished_for_a_client_that_has_gone,
    errors_before_the_answer_have_their_statuses,
    a_stream_passes_proxies,
);

const QUESTION: &str = "What does delivery cost?";

/// Reads a whole stream. Returns the text of its parts, and the answer.
async fn read(mut events: EventStream<AnswerEvent>) -> (String, Answer) {
    let (mut text, mut answer) = (String::new(), None);
    while let Some(event) = events.next().await {
        assert!(answer.is_none(), "an event follows the answer: {event:?}");
        let event = event.unwrap();
        match event.data {
            AnswerEvent::AnswerTextEvent(part) => {
                assert_eq!(event.kind.as_deref(), Some("text"));
                text.push_str(&part.text);
            }
            AnswerEvent::AnswerCompletedEvent(completed) => {
                assert_eq!(event.kind.as_deref(), Some("answer"));
                answer = Some(completed.answer);
            }
            other => panic!("{other:?}"),
        }
    }
    (text, answer.expect("the stream ends with the answer"))
}

async fn stream(client: &Client, chatbot_id: Uuid, message: NewMessage) -> (String, Answer) {
    read(client.messages().send_stream(chatbot_id.into(), message).await.unwrap().into_inner()).await
}

async fn a_stream_ends_with_the_answer(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site = site::bakery().await;
    let bot = learned(&client, &site).await;
    let (text, answer) = stream(&client, bot, NewMessage::new(QUESTION)).await;
    assert!(text.contains("Delivery within ten miles costs 4.90 pounds."), "{text}");
    assert_eq!((&text, answer.usage.credits_used), (&answer.response, 1));

    let conversation =
        client.conversations().get(bot.into(), answer.conversation_id).await.unwrap().into_inner();
    let stored = conversation.messages.unwrap().pop().unwrap();
    assert_eq!((stored.text, stored.message_id.to_string()), (text, answer.message_id));

    // A person answers from here on, so there is no text.
    client.conversations().escalate(bot.into(), answer.conversation_id, NewEscalation::new()).await.unwrap();
    let next = NewMessage::new("Hello?").conversation_id(answer.conversation_id);
    let (text, answer) = stream(&client, bot, next).await;
    assert_eq!((&*text, &*answer.response, answer.mode), ("", "", AnswerMode::HumanRequested));
    service.stop().await;
}

async fn a_stream_passes_proxies(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let bot = learned(&service.client(&acme), &site::bakery().await).await;
    let path = format!("/api/v1/chatbots/{bot}/messages");
    let ask = Request::new("POST", &path).key(&acme.key.text).header("Accept", "text/event-stream");
    let ask = ask.header("Idempotency-Key", "one").json(json!({ "message": QUESTION }).to_string());
    // A repeat is a stream as well.
    for _ in 0..2 {
        let raw = ask.send(service.address()).await;
        assert_eq!((raw.status.as_u16(), header(&raw, "content-type")), (200, "text/event-stream"));
        assert_eq!(header(&raw, "x-accel-buffering"), "no");
        assert_eq!(header(&raw, "cache-control"), "no-cache, no-transform");
    }
    service.stop().await;
}

async fn a_repeat_gets_the_same_stream(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site = site::bakery().await;
    let bot = learned(&client, &site).await;
    let send =
        || client.messages().send_stream(bot.into(), NewMessage::new(QUESTION)).idempotency_key("a-key");
    let first = read(send().await.unwrap().into_inner()).await;
    // The response is stored at the end of the stream, which the client may see a moment before.
    let repeated = patience::until("the response is stored", async || send().await.ok());
    assert_eq!(read(repeated.await.into_inner()).await, first);
    let whole = client.messages().send(bot.into(), NewMessage::new(QUESTION)).idempotency_key("a-key");
    assert_eq!(status(&whole.await), 422);
    assert_eq!(service.database.credits_used(&acme.scope()).await, 1);
    service.stop().await;
}

async fn an_answer_is_finished_for_a_client_that_has_gone(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site = site::bakery().await;
    let bot = learned(&client, &site).await;
    drop(client.messages().send_stream(bot.into(), NewMessage::new(QUESTION)).await.unwrap());
    patience::until("the answer is stored", async || {
        let list = client.conversations().list(bot.into()).await.unwrap().into_inner();
        (list.conversations.first()?.message_count == 2).then_some(())
    })
    .await;
    service.stop().await;
}

async fn errors_before_the_answer_have_their_statuses(database: Database) {
    let service = Installation::start(database).await;
    let mut poor = account("acme", Plan::Growth);
    poor.monthly_credits = Some(0);
    let acme = service.database.customer_of(poor).await;
    let client = service.client(&acme);
    let site = site::bakery().await;
    let bot = learned(&client, &site).await;
    let refused = client.messages().send_stream(bot.into(), NewMessage::new(QUESTION)).await.unwrap_err();
    assert!(matches!(refused.declared(), Some(SendMessageError::PaymentRequired(_))), "{refused:?}");
    let missing = client.messages().send_stream(Uuid::new_v4().into(), NewMessage::new(QUESTION)).await;
    assert_eq!(status(&missing), 404);
    service.stop().await;
}
