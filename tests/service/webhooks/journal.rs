//! What happens in a chat reaches endpoint and journal, in the same words.

use frontdesk_client::{
    model::{ContactInfo, EventType, NewMessage, NewWebhookEndpoint, WebhookDeliveryStatus},
    webhooks::Event,
};
use frontdesk_store::Plan;
use serde_json::Value;

use super::{Receiver, register, secret};
use crate::{
    database::Database,
    installation::{Installation, chatbot_for, learned, status},
    on_both_databases,
    patience::until,
    site,
};

on_both_databases!(
    a_chat_reaches_endpoint_and_journal,
    endpoints_receive_what_they_have_chosen,
    the_journal_is_polled,
    a_failed_crawl_is_reported,
);

async fn a_chat_reaches_endpoint_and_journal(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let receiver = Receiver::start().await;
    let endpoint = register(&client, &receiver).await;
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let trained = receiver.has_received(1).await;
    assert_eq!(trained[0].event_type(), "chatbot.training_completed");

    let contact = ContactInfo::new().email("Sam@Customer.example").name("Sam");
    let question = NewMessage::new("What does delivery cost?").contact(contact);
    let answer = client.messages().send(chatbot_id.into(), question).await.unwrap().into_inner();
    let conversation_id = answer.conversation_id;
    let request = NewMessage::new("I want to talk to a human").conversation_id(conversation_id);
    assert!(client.messages().send(chatbot_id.into(), request).await.unwrap().needs_escalation);

    let received = receiver.has_received(8).await;
    let mut types: Vec<String> = received[1..].iter().map(super::Received::event_type).collect();
    types.sort_unstable();
    let expected = [
        "conversation.created",
        "conversation.handoff_requested",
        "lead.created",
        "message.created",
        "message.created",
        "message.created",
        "message.created",
    ];
    assert_eq!(types, expected);
    let secret = secret(&endpoint);
    for request in &received {
        match request.verified(&secret).unwrap() {
            Event::LeadCreated(lead) => {
                assert_eq!(lead.data.contact.email.as_deref(), Some("sam@customer.example"));
                assert_eq!(lead.data.conversation_id, Some(conversation_id));
                assert_eq!(lead.data.chatbot_id, Some(Into::into(chatbot_id)));
            }
            Event::ConversationCreated(created) => {
                assert_eq!(created.data.conversation.conversation_id, conversation_id);
                assert_eq!(created.data.first_message.text, "What does delivery cost?");
            }
            Event::ConversationHandoffRequested(requested) => {
                assert_eq!(requested.data.conversation.mode.as_str(), "human_requested");
                assert_eq!(requested.data.last_messages.len(), 4);
                assert_eq!(requested.data.contact.unwrap().name.as_deref(), Some("Sam"));
            }
            Event::MessageCreated(message) => {
                assert_eq!(message.data.conversation.unwrap().conversation_id, conversation_id);
            }
            other => assert!(matches!(other, Event::ChatbotTrainingCompleted(_)), "{other:?}"),
        }
        assert_eq!(request.header("webhook-id"), request.json()["id"]);
        assert_eq!(request.header("content-type"), "application/json");
    }
    // The journal has the same events in their order.
    let journal = client.events().list().await.unwrap().into_inner().events;
    let sequences: Vec<i64> = journal.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences, (1..=8).collect::<Vec<_>>());
    let mut sent: Vec<Value> = received.iter().map(super::Received::json).collect();
    sent.sort_by_key(|event| event["sequence"].as_i64());
    let recorded: Vec<Value> = journal.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(sent, recorded);
    // And so have the deliveries.
    until("all deliveries have succeeded", async || {
        let id = endpoint.webhook_endpoint_id;
        let list = client.webhook_endpoints().list_webhook_deliveries(id).await.unwrap().into_inner();
        let done = |status: &WebhookDeliveryStatus| *status == WebhookDeliveryStatus::Succeeded;
        let all = list.webhook_deliveries.iter().all(|delivery| done(&delivery.status));
        (list.webhook_deliveries.len() == 8 && all).then_some(())
    })
    .await;
    service.stop().await;
}

async fn endpoints_receive_what_they_have_chosen(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let client = service.client(&acme);
    let site = site::bakery().await;
    let chosen = learned(&client, &site).await;
    let ignored = learned(&client, &site).await;
    let (usual, confined, foreign) =
        (Receiver::start().await, Receiver::start().await, Receiver::start().await);
    client.webhook_endpoints().create(NewWebhookEndpoint::new(usual.url())).await.unwrap();
    let new = NewWebhookEndpoint::new(confined.url())
        .chatbot_ids([chosen.into()])
        .events([EventType::MessageCreated]);
    client.webhook_endpoints().create(new).await.unwrap();
    register(&service.client(&other), &foreign).await;

    for chatbot_id in [chosen, ignored] {
        client.messages().send(chatbot_id.into(), NewMessage::new("What does delivery cost?")).await.unwrap();
    }
    let (two, both) = (confined.has_received(2).await, usual.has_received(2).await);
    assert!(two.iter().all(|request| request.event_type() == "message.created"), "{two:?}");
    assert!(
        two.iter()
            .all(|request| { request.json()["data"]["conversation"]["chatbot_id"] == chosen.to_string() })
    );
    assert!(both.iter().all(|request| request.event_type() == "conversation.created"), "{both:?}");
    // Nothing of another account, nor what was not chosen.
    let journal = client.events().list().types([EventType::MessageCreated]).await.unwrap();
    assert_eq!(journal.events.len(), 4);
    assert_eq!(service.client(&other).events().list().await.unwrap().events.len(), 0);
    assert_eq!((usual.received().len(), confined.received().len(), foreign.received().len()), (2, 2, 0));
    service.stop().await;
}

async fn the_journal_is_polled(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let client = service.client(&acme);
    let chatbot_id = learned(&client, &site::bakery().await).await;
    for _ in 0..3 {
        client.messages().send(chatbot_id.into(), NewMessage::new("What does delivery cost?")).await.unwrap();
    }
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let mut page = client.events().list().limit(4);
        if let Some(after) = after.take() {
            page = page.after(after);
        }
        let page = page.await.unwrap().into_inner();
        seen.extend(page.events.iter().map(|event| event.sequence));
        match page.pagination.next_cursor {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, (1..=10).collect::<Vec<_>>());
    let last = client.events().list().limit(100).await.unwrap().into_inner().events.pop().unwrap();
    assert!(client.events().list().after(last.id).await.unwrap().events.is_empty());
    client.messages().send(chatbot_id.into(), NewMessage::new("What does delivery cost?")).await.unwrap();
    assert_eq!(client.events().list().after(last.id).await.unwrap().events.len(), 3);
    for unknown in ["nothing", "0199f3a2-5c41-7d08-b6e3-92f1a47c05de"] {
        assert_eq!(status(&client.events().list().after(unknown).await), 422);
    }
    assert_eq!(status(&service.client(&other).events().list().after(last.id).await), 422);
    assert_eq!(status(&client.events().list().types([EventType::from("nothing.happened")]).await), 422);
    service.stop().await;
}

async fn a_failed_crawl_is_reported(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let receiver = Receiver::start().await;
    register(&client, &receiver).await;
    // An address that the crawler may not read.
    let chatbot = chatbot_for("Helper", &["http://127.0.0.2/".into()]);
    client.chatbots().create(chatbot).await.unwrap();
    let mut received = receiver.has_received(2).await;
    received.sort_by_key(super::Received::event_type);
    assert_eq!(received[0].json()["data"]["chatbot"]["status"], "failed");
    assert_eq!(received[0].json()["data"]["error"]["code"], "blocked_address");
    assert_eq!(received[1].event_type(), "website.crawl_failed");
    assert_eq!(received[1].json()["data"]["website"]["url"], "http://127.0.0.2/");
    service.stop().await;
}
