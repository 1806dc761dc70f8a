//! Turns are stored in order, and conversations continue only for whom they belong to.

use frontdesk_store::{ConversationMode, MessageRole, NewAnswer, NewTurn, VisitorSubject};
use serde_json::json;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, answer, at, chatbot, escalation, turn};

on_both_databases!(
    a_conversation_keeps_its_messages_in_order,
    unknown_and_foreign_ids_begin_a_new_conversation,
    a_proven_conversation_continues_only_for_the_same_subject,
    closing_and_handing_back_end_the_context,
    messages_written_at_once_all_have_a_place,
    an_answer_to_a_deleted_conversation_is_lost_quietly,
    a_person_is_offered_once,
    a_request_does_not_take_the_conversation_from_a_person,
);

async fn a_conversation_keeps_its_messages_in_order(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await;
    let first =
        store.conversations().begin_turn(&scope, &turn(&bot, None, "one\0"), at(1)).await.unwrap().unwrap();
    assert!(first.is_new);
    assert_eq!(first.conversation.mode, ConversationMode::Ai);
    assert_eq!((first.message.body.as_str(), first.message.role), ("one\u{fffd}", MessageRole::Visitor));
    let id = first.conversation.conversation_id;
    let mut reply = answer("two");
    reply.needs_escalation = true;
    let request = escalation(None);
    let recorded = store
        .conversations()
        .record_answer(&scope, id, &reply, Some(&request), at(1))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(recorded.conversation.mode, ConversationMode::HumanRequested);
    let stored = recorded.message;
    assert_eq!((stored.position, stored.credits_used, stored.needs_escalation), (2, 1, true));
    assert_eq!(stored.sources, reply.sources);
    let third = store
        .conversations()
        .begin_turn(&scope, &turn(&bot, Some(id), "three"), at(1))
        .await
        .unwrap()
        .unwrap();
    assert!(!third.is_new);
    assert_eq!(third.conversation.conversation_id, id);
    assert_eq!(third.conversation.mode, ConversationMode::HumanRequested);
    assert_eq!(third.message.sources, json!([]));
    let bodies = |messages: Vec<frontdesk_store::Message>| {
        messages.into_iter().map(|message| message.body).collect::<Vec<_>>()
    };
    assert_eq!(bodies(store.conversations().recent_messages(&scope, id, 2).await.unwrap()), ["two", "three"]);
    assert_eq!(
        bodies(store.conversations().recent_messages(&scope, id, 9).await.unwrap()),
        ["one\u{fffd}", "two", "three"]
    );
    assert_eq!(bodies(store.conversations().messages(&scope, id, 1, 1).await.unwrap()), ["two"]);
    assert_eq!(store.conversations().find(&scope, id).await.unwrap().unwrap().message_count, 3);
}

async fn unknown_and_foreign_ids_begin_a_new_conversation(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let second = chatbot(store, &scope, "second").await;
    let foreign = World::new(store, "two", 2).await;
    let mut fresh = std::collections::BTreeSet::new();
    for id in [Uuid::nil(), Uuid::now_v7(), world.conversation_id(), foreign.conversation_id()] {
        let begun = store
            .conversations()
            .begin_turn(&scope, &turn(&second, Some(id), "hello"), at(5))
            .await
            .unwrap()
            .unwrap();
        assert!(begun.is_new);
        assert_ne!(begun.conversation.conversation_id, id);
        assert_eq!(begun.conversation.chatbot_id, second.chatbot_id);
        fresh.insert(begun.conversation.conversation_id);
    }
    assert_eq!(fresh.len(), 4);
    let untouched =
        store.conversations().messages(&foreign.scope(), foreign.conversation_id(), 0, 10).await.unwrap();
    assert_eq!(untouched.len(), 2);
}

async fn a_proven_conversation_continues_only_for_the_same_subject(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, bot) = (world.scope(), &world.chatbot);
    let say = async |id: Option<Uuid>, subject: Option<&str>| {
        let turn =
            NewTurn { verified_subject: subject.and_then(VisitorSubject::new), ..turn(bot, id, "hello") };
        store.conversations().begin_turn(&scope, &turn, at(5)).await.unwrap().unwrap()
    };
    let proven = say(None, Some("u1")).await.conversation;
    assert_eq!(proven.verified_subject.as_deref(), Some("u1"));
    let id = proven.conversation_id;
    assert!(!say(Some(id), Some("u1")).await.is_new);
    assert!(!say(Some(id), Some(" u1\u{2003}")).await.is_new);
    assert!(say(Some(id), Some("u2")).await.is_new);
    assert!(say(Some(id), None).await.is_new);
    // One without an owner is taken over by the first who proves to be someone.
    let open = world.conversation_id();
    assert!(!say(Some(open), None).await.is_new);
    assert!(!say(Some(open), Some("u3")).await.is_new);
    assert!(say(Some(open), None).await.is_new);
    assert!(!say(Some(open), Some("u3")).await.is_new);
    let kept = store.conversations().find(&scope, open).await.unwrap().unwrap();
    assert_eq!(kept.contact_id, Some(world.contact.contact_id));
}

async fn closing_and_handing_back_end_the_context(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let context = async || store.conversations().recent_messages(&scope, id, 10).await.unwrap().len();
    assert_eq!(context().await, 2);
    let conversations = store.conversations();
    conversations.return_to_ai(&scope, id, at(300)).await.unwrap().unwrap();
    assert_eq!(context().await, 2);
    conversations.escalate(&scope, id, &escalation(None), at(5)).await.unwrap().unwrap();
    assert_eq!(context().await, 2);
    conversations.reply(&scope, id, world.user.user_id, "Hello.", at(5)).await.unwrap().unwrap();
    assert_eq!(context().await, 3);
    conversations.return_to_ai(&scope, id, at(300)).await.unwrap().unwrap();
    assert_eq!(context().await, 0);
    store
        .conversations()
        .begin_turn(&scope, &turn(&world.chatbot, Some(id), "again"), at(6))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(context().await, 1);
    conversations.close(&scope, id, at(300)).await.unwrap().unwrap();
    assert_eq!(context().await, 0);
    let reopened = store
        .conversations()
        .begin_turn(&scope, &turn(&world.chatbot, Some(id), "hi"), at(7))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((reopened.is_new, reopened.conversation.mode), (false, ConversationMode::Ai));
    assert_eq!(context().await, 1);
    assert_eq!(store.conversations().messages(&scope, id, 0, 10).await.unwrap().len(), 5);
}

async fn messages_written_at_once_all_have_a_place(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let talking: Vec<_> = (0..20)
        .map(|number| {
            let (store, new) = (store.clone(), turn(&world.chatbot, Some(id), &number.to_string()));
            tokio::spawn(async move {
                if number % 2 == 0 {
                    store.conversations().begin_turn(&scope, &new, at(5)).await.unwrap().unwrap().message
                } else {
                    store
                        .conversations()
                        .record_answer(&scope, id, &answer("so"), None, at(5))
                        .await
                        .unwrap()
                        .unwrap()
                        .message
                }
            })
        })
        .collect();
    for task in talking {
        task.await.unwrap();
    }
    let positions: Vec<_> = store
        .conversations()
        .messages(&scope, id, 0, 100)
        .await
        .unwrap()
        .iter()
        .map(|message| message.position)
        .collect();
    assert_eq!(positions, (1..=22).collect::<Vec<_>>());
}

async fn an_answer_to_a_deleted_conversation_is_lost_quietly(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    assert!(store.conversations().set_contact(&scope, id, world.contact.contact_id).await.unwrap());
    assert!(store.chatbots().delete(&scope, world.chatbot.chatbot_id).await.unwrap());
    assert_eq!(
        store.conversations().record_answer(&scope, id, &answer("late"), None, at(9)).await.unwrap(),
        None
    );
    assert!(
        store
            .conversations()
            .begin_turn(&scope, &turn(&world.chatbot, Some(id), "late"), at(9))
            .await
            .unwrap()
            .is_none()
    );
}

async fn a_person_is_offered_once(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let found = store.conversations().find(&scope, id).await.unwrap().unwrap();
    assert_eq!(found.offer_position, None);
    let offering: Vec<_> = (0..6)
        .map(|_| {
            let store = store.clone();
            let offering = NewAnswer { offer: Some("Shall I?".into()), ..answer("No idea.") };
            tokio::spawn(async move {
                store
                    .conversations()
                    .record_answer(&scope, id, &offering, None, at(5))
                    .await
                    .unwrap()
                    .unwrap()
            })
        })
        .collect();
    let mut offers = Vec::new();
    for task in offering {
        let recorded = task.await.unwrap();
        match recorded.message.body.as_str() {
            "No idea.\n\nShall I?" => offers.push(recorded.message.position),
            body => assert_eq!(body, "No idea."),
        }
    }
    assert_eq!(offers.len(), 1);
    // The offer is remembered however many messages follow, and after the conversation was handed back.
    store.conversations().reply(&scope, id, world.user.user_id, "Hello.", at(6)).await.unwrap().unwrap();
    store.conversations().return_to_ai(&scope, id, at(300)).await.unwrap().unwrap();
    store.conversations().close(&scope, id, at(300)).await.unwrap().unwrap();
    let continued = turn(&world.chatbot, Some(id), "hm");
    let continued = store.conversations().begin_turn(&scope, &continued, at(6)).await.unwrap().unwrap();
    assert_eq!(continued.conversation.offer_position, Some(offers[0]));
}

async fn a_request_does_not_take_the_conversation_from_a_person(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let request = async || {
        let request = escalation(None);
        let recorded =
            store.conversations().record_answer(&scope, id, &answer("Yes."), Some(&request), at(5)).await;
        recorded.unwrap().unwrap().conversation.mode
    };
    assert_eq!(request().await, ConversationMode::HumanRequested);
    store.conversations().reply(&scope, id, world.user.user_id, "Hello.", at(5)).await.unwrap().unwrap();
    assert_eq!(request().await, ConversationMode::Human);
}
