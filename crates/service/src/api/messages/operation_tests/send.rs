//! Messages of visitors: answers, conversations, credits, tags and tenants.

use std::sync::Arc;

use frontdesk_model::operations::messages;
use frontdesk_model::{Answer, SendMessageError};
use frontdesk_runtime::Failure;
use frontdesk_store::{Chatbot, ConversationMode, EscalationReason, MessageRole, NewEscalation};
use serde_json::json;
use uuid::Uuid;

use super::{Shop, head, named, refused};
use crate::api;
use crate::edge::authorization::resources::Unresolved;

#[tokio::test]
async fn a_question_is_answered_from_the_content_and_kept() {
    let shop = Shop::open().await;
    let answer = shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
    assert!(answer.response.contains("4.90 pounds"), "{}", answer.response);
    assert_eq!(answer.sources[0].url, "https://shop.example/delivery");
    assert_eq!(answer.mode.as_str(), "ai");
    assert!(!answer.needs_escalation);
    let usage = &answer.usage;
    assert_eq!((usage.credits_used, usage.monthly_remaining, usage.monthly_limit), (1, 1_999, 2_000));

    let messages = shop
        .service
        .store
        .conversations()
        .messages(&shop.scope(), answer.conversation_id.uuid(), 0, 10)
        .await
        .unwrap();
    let kept: Vec<_> = messages.iter().map(|message| (message.role, message.body.as_str())).collect();
    assert_eq!(
        kept,
        [
            (MessageRole::Visitor, "What does delivery cost?"),
            (MessageRole::Assistant, answer.response.as_str())
        ]
    );
    assert_eq!(messages[1].message_id.to_string(), answer.message_id);
    assert_eq!(messages[1].credits_used, 1);
}

#[tokio::test]
async fn what_the_content_does_not_hold_is_refused_and_free() {
    let shop = Shop::open().await;
    let answer = shop.send(json!({ "message": "Who won the chess championship in 1972?" })).await.unwrap();
    assert!(answer.sources.is_empty());
    assert!(!answer.response.is_empty());
    assert_eq!((answer.usage.credits_used, answer.usage.monthly_remaining), (0, 2_000));
    assert_eq!(shop.used().await, 0);
}

#[tokio::test]
async fn a_conversation_goes_on_under_its_id_and_under_no_other() {
    let shop = Shop::open().await;
    let first = shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
    let next = json!({ "message": "And sharpening secateurs?", "conversation_id": first.conversation_id });
    assert_eq!(shop.send(next).await.unwrap().conversation_id, first.conversation_id);

    let unknown = Uuid::new_v4();
    let answer = shop.send(json!({ "message": "Hello", "conversation_id": unknown })).await.unwrap();
    assert!(answer.conversation_id != unknown.into() && answer.conversation_id != first.conversation_id);

    // The conversation of another tenant, and of another chatbot of the same account, is as good as unknown.
    let other = Shop::untrained(&shop.service, None).await;
    let foreign =
        other.send(json!({ "message": "Hello", "conversation_id": first.conversation_id })).await.unwrap();
    assert_ne!(foreign.conversation_id, first.conversation_id);
    let messages = shop
        .service
        .store
        .conversations()
        .messages(&shop.scope(), first.conversation_id.uuid(), 0, 10)
        .await
        .unwrap();
    assert_eq!(messages.len(), 4);
}

#[tokio::test]
async fn while_a_person_answers_messages_are_only_kept() {
    let shop = Shop::with_credits(1).await;
    let first = shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
    assert_eq!(first.usage.monthly_remaining, 0);
    for mode in [ConversationMode::HumanRequested, ConversationMode::Human] {
        let conversations = shop.service.store.conversations();
        let (scope, id, now) = (shop.scope(), first.conversation_id, shop.service.now());
        if mode == ConversationMode::HumanRequested {
            let request = NewEscalation { reason: EscalationReason::Other, note: None, unclaimed_at: None };
            conversations.escalate(&scope, id.uuid(), &request, now).await.unwrap();
        } else {
            conversations.reply(&scope, id.uuid(), shop.caller.user_id, "Hello.", now).await.unwrap();
        }
        let body = json!({ "message": "Are you there?", "conversation_id": first.conversation_id });
        // No credits are needed, so none being left does not matter.
        let kept = shop.send(body).await.unwrap();
        assert_eq!((kept.response.as_str(), kept.mode.as_str()), ("", mode.as_str()));
        assert_eq!((kept.usage.credits_used, kept.needs_escalation), (0, false));
        assert_eq!(kept.conversation_id, first.conversation_id);
    }
    let messages = shop
        .service
        .store
        .conversations()
        .messages(&shop.scope(), first.conversation_id.uuid(), 0, 10)
        .await
        .unwrap();
    assert_eq!(messages.len(), 5);
    assert_eq!(messages[4].role, MessageRole::Visitor);
}

#[tokio::test]
async fn a_yes_to_the_offer_hands_over_and_later_messages_wait_for_a_person() {
    let shop = Shop::open().await;
    let first = shop.send(json!({ "message": "Who won the chess championship in 1972?" })).await.unwrap();
    assert!(
        first.response.ends_with("Shall I connect you with a person from the team?"),
        "{}",
        first.response
    );
    assert_eq!((first.mode.as_str(), first.needs_escalation), ("ai", false));
    let reply = |text: &str| json!({ "message": text, "conversation_id": first.conversation_id });

    let accepted = shop.send(reply("Yes please")).await.unwrap();
    assert_eq!((accepted.mode.as_str(), accepted.needs_escalation), ("human_requested", true));
    assert!(accepted.response.contains("Shop"), "{}", accepted.response);
    assert_eq!((accepted.usage.credits_used, accepted.conversation_id), (0, first.conversation_id));
    let stored =
        shop.service.store.conversations().find(&shop.scope(), first.conversation_id.uuid()).await.unwrap();
    assert_eq!(stored.unwrap().mode, ConversationMode::HumanRequested);

    let waiting = shop.send(reply("What does delivery cost?")).await.unwrap();
    assert_eq!((waiting.mode.as_str(), waiting.response.as_str()), ("human_requested", ""));
    assert_eq!((waiting.usage.credits_used, waiting.needs_escalation), (0, false));
}

#[tokio::test]
async fn a_request_for_a_person_hands_over_at_once() {
    let shop = Shop::open().await;
    let answer = shop.send(json!({ "message": "I want to talk to a human" })).await.unwrap();
    assert_eq!((answer.mode.as_str(), answer.needs_escalation), ("human_requested", true));
    let hair = shop.send(json!({ "message": "I want human hair extensions" })).await.unwrap();
    assert_eq!(hair.mode.as_str(), "ai");
}

#[tokio::test]
async fn a_person_is_offered_once_however_long_the_conversation_is() {
    let shop = Shop::open().await;
    let unknown = "Who won the chess championship in 1972?";
    let offer = "Shall I connect you with a person";
    let first = shop.send(json!({ "message": unknown })).await.unwrap();
    assert!(first.response.contains(offer), "{}", first.response);
    let say = |text: &str| json!({ "message": text, "conversation_id": first.conversation_id });
    for _ in 0..12 {
        let answer = shop.send(say("What does delivery cost?")).await.unwrap();
        assert!(!answer.response.contains(offer), "{}", answer.response);
    }
    let again = shop.send(say(unknown)).await.unwrap();
    assert!(again.sources.is_empty() && !again.response.contains(offer), "{}", again.response);
    // A "yes" that replies to nothing hands nothing over.
    assert_eq!(shop.send(say("Yes please")).await.unwrap().mode.as_str(), "ai");
    // A decline keeps the chatbot in charge.
    let other = shop.send(json!({ "message": unknown })).await.unwrap();
    let declined = json!({ "message": "No thanks", "conversation_id": other.conversation_id });
    let declined = shop.send(declined).await.unwrap();
    assert_eq!((declined.mode.as_str(), declined.usage.credits_used), ("ai", 0));
}

/// The conversation that an unpaid message was stored in.
fn not_answered(outcome: Result<Answer, Failure<SendMessageError>>) -> Uuid {
    match outcome {
        Err(Failure::Declared(SendMessageError::PaymentRequired(unpaid))) => {
            unpaid.body.conversation_id.expect("the conversation is named").uuid()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn without_credits_the_message_and_its_contact_are_stored() {
    let shop = Shop::with_credits(0).await;
    let question = json!({ "message": "What does delivery cost?", "contact": { "name": "Jo" } });
    let conversation_id = not_answered(shop.send(question).await);
    let stored = shop.conversation(conversation_id).await;
    assert_eq!(stored.mode, ConversationMode::Ai);
    let contacts = shop.contacts().await;
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    assert_eq!(contacts[0].name.as_deref(), Some("Jo"));
    assert_eq!(stored.contact_id, Some(contacts[0].contact_id));

    let again = json!({ "message": "And sharpening?", "conversation_id": conversation_id });
    assert_eq!(not_answered(shop.send(again).await), conversation_id);
    let messages = shop.messages(conversation_id).await;
    let stored: Vec<_> = messages.iter().map(|message| (message.role, message.body.as_str())).collect();
    assert_eq!(
        stored,
        [(MessageRole::Visitor, "What does delivery cost?"), (MessageRole::Visitor, "And sharpening?")]
    );
    assert_eq!(shop.used().await, 0);
}

#[tokio::test]
async fn without_credits_a_request_for_a_person_still_hands_over() {
    let shop = Shop::with_credits(0).await;
    let request = json!({ "message": "I want to talk to a human, please." });
    let conversation_id = not_answered(shop.send(request).await);
    assert_eq!(shop.conversation(conversation_id).await.mode, ConversationMode::HumanRequested);
    // From now on a person answers, which needs no credits.
    let next = json!({ "message": "Are you there?", "conversation_id": conversation_id });
    let answer = shop.send(next).await.unwrap();
    assert_eq!((answer.response.as_str(), answer.mode.as_str()), ("", "human_requested"));
    assert_eq!(shop.messages(conversation_id).await.len(), 2);
}

#[tokio::test]
async fn an_invalid_message_without_credits_stores_nothing() {
    let shop = Shop::with_credits(0).await;
    let invalid = json!({ "message": "Hi", "contact": { "name": "Jo" }, "source_tags": ["no such"] });
    assert_eq!(refused(shop.send(invalid).await), named(&["source_tags.0"]));
    assert!(shop.contacts().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_credits_are_spent_once() {
    let shop = Arc::new(Shop::with_credits(5).await);
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move { shop.send(json!({ "message": "What does delivery cost?" })).await })
        })
        .collect();
    let mut answered = 0;
    for call in calls {
        match call.await.unwrap() {
            Ok(_) => answered += 1,
            Err(Failure::Declared(SendMessageError::PaymentRequired(_))) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((answered, shop.used().await), (5, 5));
}

#[tokio::test]
async fn tags_narrow_the_search_and_unknown_ones_are_refused() {
    let shop = Shop::open().await;
    let page =
        shop.read("https://shop.example/b2b", "Trade", "Traders pay by invoice within thirty days.").await;
    let (store, now) = (&shop.service.store, shop.service.now());
    let tag = store
        .tags()
        .create(&shop.scope(), shop.chatbot.chatbot_id, "Trade", None, now)
        .await
        .unwrap()
        .unwrap();
    assert!(store.tags().tag_webpage(&shop.scope(), page, tag.tag_id).await.unwrap());

    let invoice = json!({ "message": "Do traders pay by invoice?", "source_tags": ["trade"] });
    assert!(shop.send(invoice).await.unwrap().response.contains("invoice"));
    let delivery = json!({ "message": "What does delivery cost?", "source_tags": ["Trade"] });
    let answer = shop.send(delivery).await.unwrap();
    assert!(!answer.response.contains("4.90"), "{}", answer.response);

    let unknown =
        json!({ "message": "Hello", "source_tags": ["Trade", "no such", "neither"], "domain_id": 99 });
    assert_eq!(refused(shop.send(unknown).await), named(&["domain_id", "source_tags.1", "source_tags.2"]));
}

#[tokio::test]
async fn chatbots_of_other_tenants_do_not_exist() {
    let shop = Shop::open().await;
    let other = Shop::untrained(&shop.service, None).await;
    let scope = Some(&shop.caller.scope);
    for chatbot_id in [other.chatbot.chatbot_id, Uuid::new_v4()] {
        let mut incoming = head(&messages::SEND_MESSAGE, chatbot_id);
        let resolved = api::resolvers().resolve(&shop.service, scope, &mut incoming).await;
        assert!(matches!(resolved, Err(Unresolved::NotFound("Chatbot not found."))), "{resolved:?}");
        assert!(incoming.extensions().get::<Chatbot>().is_none());
    }
}

#[tokio::test]
async fn nothing_of_another_tenant_is_ever_quoted() {
    let shop = Shop::open().await;
    let other = Shop::untrained(&shop.service, None).await;
    other.read("https://other.example/", "Canary", "The canary of the other tenant is called Zebulon.").await;
    let answer =
        shop.send(json!({ "message": "What is the canary of the other tenant called?" })).await.unwrap();
    assert!(!answer.response.contains("Zebulon") && answer.sources.is_empty(), "{answer:?}");
    let answer = other.send(json!({ "message": "What is the canary called?" })).await.unwrap();
    assert!(answer.response.contains("Zebulon"), "{answer:?}");
}
