//! Widgets and their visitors: whose session reaches what, messages that are stored once, and what ends a
//! session.

use std::time::Duration;

use frontdesk_store::{
    ContactFields, ContactInput, ConversationError, Day, NewAnswer, SentBy, Store, Turn, VisitorSession,
    VisitorSubject, WidgetButtonStyle, WidgetPosition, WidgetUpdate,
};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, answer, at, claim, session, turn};

on_both_databases!(
    a_widget_comes_to_be_once_and_keeps_what_is_not_changed,
    a_session_ends_by_time_by_its_visitor_and_by_another_key,
    a_session_reaches_only_conversations_in_which_it_has_written,
    a_message_is_stored_once_and_has_one_answer,
    visitors_use_a_part_of_the_credits_of_a_day,
    a_visitor_becomes_a_contact_and_takes_the_session_along,
    a_forgotten_visitor_leaves_no_word,
);

/// The present of the tests, long after the sessions of worlds have begun.
fn after(days: i64) -> Timestamp {
    at(3).checked_add(SignedDuration::from_hours(24 * days)).unwrap()
}

async fn begin(store: &Store, world: &World, number: u8) -> VisitorSession {
    let new = session(1, number);
    store.visitors().begin_session(&world.widget, &new, at(3)).await.unwrap().unwrap()
}

async fn say(store: &Store, world: &World, session: &VisitorSession, id: u128, text: &str) -> Turn {
    let sent_by = SentBy { session_id: session.session_id, client_message_id: Uuid::from_u128(id) };
    let new = frontdesk_store::NewTurn { sent_by: Some(sent_by), ..turn(&world.chatbot, None, text) };
    store.conversations().begin_turn(&world.scope(), &new, at(5)).await.unwrap().unwrap()
}

async fn a_widget_comes_to_be_once_and_keeps_what_is_not_changed(database: &Database) {
    let store = &database.store;
    let (one, two) = (World::new(store, "one", 1).await, World::new(store, "two", 2).await);
    let (scope, chatbot_id) = (one.scope(), one.chatbot.chatbot_id);
    let again = store.widgets().of_chatbot(&one.chatbot, at(9)).await.unwrap().unwrap();
    assert_eq!(again, one.widget);
    assert!(one.widget.enabled && one.widget.origins().is_empty());
    let update = WidgetUpdate {
        color: Some("#ff8800".into()),
        notice: Some(Some("No card\0 numbers.".into())),
        allowed_origins: Some(vec!["https://one.example".into()]),
        ..WidgetUpdate::default()
    };
    let changed = store.widgets().update(&scope, chatbot_id, &update, at(9)).await.unwrap().unwrap();
    assert_eq!((changed.color.as_str(), changed.origins()), ("#ff8800", vec!["https://one.example"]));
    assert_eq!(changed.notice.as_deref(), Some("No card\u{fffd} numbers."));
    let update = WidgetUpdate {
        enabled: Some(false),
        position: Some(WidgetPosition::Start),
        button_style: Some(WidgetButtonStyle::Text),
        ..WidgetUpdate::default()
    };
    let switched_off = store.widgets().update(&scope, chatbot_id, &update, at(10)).await.unwrap().unwrap();
    assert_eq!((switched_off.notice, switched_off.color), (changed.notice, changed.color));
    assert_eq!(switched_off.allowed_origins, changed.allowed_origins);
    let public = store.widgets().find_public(one.widget.widget_key).await.unwrap().unwrap();
    assert!(!public.enabled && public.position == WidgetPosition::Start);
    let emptied = WidgetUpdate { notice: Some(None), ..WidgetUpdate::default() };
    let emptied = store.widgets().update(&scope, chatbot_id, &emptied, at(11)).await.unwrap().unwrap();
    assert_eq!(emptied.notice, None);

    let places = store.widgets().known_places(&scope, chatbot_id).await.unwrap();
    assert!(places.contains(&"https://one.example/shop/".to_owned()), "{places:?}");
    assert!(places.contains(&"shop.example".to_owned()), "{places:?}");
    assert!(store.widgets().known_places(&two.scope(), chatbot_id).await.unwrap().is_empty());
    assert_eq!(store.widgets().find(&two.scope(), chatbot_id).await.unwrap(), None);
    let update = WidgetUpdate { enabled: Some(true), ..WidgetUpdate::default() };
    assert_eq!(store.widgets().update(&two.scope(), chatbot_id, &update, at(12)).await.unwrap(), None);
    assert_eq!(store.widgets().rotate_key(&two.scope(), chatbot_id, at(12)).await.unwrap(), None);
    assert_eq!(store.widgets().find(&scope, chatbot_id).await.unwrap(), Some(emptied));
}

async fn a_session_ends_by_time_by_its_visitor_and_by_another_key(database: &Database) {
    let store = &database.store;
    let (one, two) = (World::new(store, "one", 1).await, World::new(store, "two", 2).await);
    let visitors = store.visitors();
    let hash = session(1, 0).hash;
    let found = visitors.authenticate(&hash, after(29)).await.unwrap().unwrap();
    assert_eq!(found, one.session);
    assert_eq!(visitors.authenticate(&session(3, 0).hash, at(4)).await.unwrap(), None);
    assert_eq!(visitors.authenticate(&hash, after(30)).await.unwrap(), None);
    // Not written for some minutes, and then for days.
    visitors.extend(&found, at(3 + 60)).await.unwrap();
    assert_eq!(visitors.authenticate(&hash, after(30)).await.unwrap(), None);
    visitors.extend(&found, after(10)).await.unwrap();
    let extended = visitors.authenticate(&hash, after(39)).await.unwrap().unwrap();
    assert_eq!(extended.expires_at, after(40));
    assert_eq!(visitors.prune(after(39), 100).await.unwrap(), 1, "the session of the other world");
    assert!(visitors.authenticate(&hash, after(39)).await.unwrap().is_some());

    assert!(!visitors.end_session(&two.scope(), extended.session_id).await.unwrap());
    let ended = begin(store, &one, 1).await;
    assert!(visitors.end_session(&one.scope(), ended.session_id).await.unwrap());
    assert!(!visitors.end_session(&one.scope(), ended.session_id).await.unwrap());

    let (scope, chatbot_id) = (one.scope(), one.chatbot.chatbot_id);
    let rotated = store.widgets().rotate_key(&scope, chatbot_id, at(9)).await.unwrap().unwrap();
    assert_ne!(rotated.widget_key, one.widget.widget_key);
    assert_eq!(visitors.authenticate(&hash, at(9)).await.unwrap(), None);
    assert_eq!(store.widgets().find_public(one.widget.widget_key).await.unwrap(), None);
    assert_eq!(visitors.begin_session(&one.widget, &session(1, 2), at(9)).await.unwrap(), None);
    let off = WidgetUpdate { enabled: Some(false), ..WidgetUpdate::default() };
    store.widgets().update(&scope, chatbot_id, &off, at(9)).await.unwrap().unwrap();
    let begun = visitors.begin_session(&rotated, &session(1, 3), at(9)).await.unwrap().unwrap();
    assert!(!begun.is_enabled);
}

async fn a_session_reaches_only_conversations_in_which_it_has_written(database: &Database) {
    let store = &database.store;
    let (one, two) = (World::new(store, "one", 1).await, World::new(store, "two", 2).await);
    let (visitors, scope) = (store.visitors(), one.scope());
    let (ann, bob) = (begin(store, &one, 1).await, begin(store, &one, 2).await);
    let said = say(store, &one, &ann, 1, "Hello?").await;
    let later = say(store, &one, &ann, 2, "Hello again?").await;
    let (conversation_id, own) = (said.conversation.conversation_id, one.conversation_id());
    for (scope, session, id, is_own) in [
        (&scope, &ann, conversation_id, true),
        (&scope, &bob, conversation_id, false),
        (&scope, &ann, own, false),
        (&scope, &one.session, own, true),
        (&two.scope(), &ann, conversation_id, false),
        (&two.scope(), &two.session, own, false),
    ] {
        let found = visitors.find_conversation(scope, session.session_id, id).await.unwrap();
        assert_eq!(found.is_some(), is_own, "{session:?} {id}");
    }
    let listed = visitors.conversations(&scope, ann.session_id, 20).await.unwrap();
    let listed: Vec<Uuid> = listed.into_iter().map(|conversation| conversation.conversation_id).collect();
    assert_eq!(listed, [later.conversation.conversation_id, conversation_id]);
    assert_eq!(visitors.conversations(&scope, ann.session_id, 1).await.unwrap().len(), 1);
    assert!(visitors.conversations(&scope, bob.session_id, 20).await.unwrap().is_empty());
    assert!(visitors.conversations(&two.scope(), ann.session_id, 20).await.unwrap().is_empty());
    assert_eq!(visitors.sent_at(&scope, ann.session_id, 2).await.unwrap(), Some(at(5)));
    assert_eq!(visitors.sent_at(&scope, ann.session_id, 3).await.unwrap(), None);
    assert_eq!(visitors.sent_at(&two.scope(), ann.session_id, 1).await.unwrap(), None);

    // The server of the website says whose conversation it is.
    let subject = VisitorSubject::new("customer-7").unwrap();
    let proven = frontdesk_store::NewTurn {
        verified_subject: Some(subject),
        ..turn(&one.chatbot, Some(conversation_id), "It is me.")
    };
    let continued = store.conversations().begin_turn(&scope, &proven, at(6)).await.unwrap().unwrap();
    assert_eq!(continued.conversation.conversation_id, conversation_id);
    assert_eq!(visitors.find_conversation(&scope, ann.session_id, conversation_id).await.unwrap(), None);
    let listed = visitors.conversations(&scope, ann.session_id, 20).await.unwrap();
    let listed: Vec<Uuid> = listed.into_iter().map(|conversation| conversation.conversation_id).collect();
    assert_eq!(listed, [later.conversation.conversation_id]);
}

async fn a_message_is_stored_once_and_has_one_answer(database: &Database) {
    let store = &database.store;
    let (one, two) = (World::new(store, "one", 1).await, World::new(store, "two", 2).await);
    let (visitors, scope, ann) = (store.visitors(), one.scope(), begin(store, &one, 1).await);
    let said = say(store, &one, &ann, 7, "Hello?").await;
    let sent_by = SentBy { session_id: ann.session_id, client_message_id: Uuid::from_u128(7) };
    let again = frontdesk_store::NewTurn { sent_by: Some(sent_by), ..turn(&one.chatbot, None, "Hello?") };
    let before = database.count("messages").await;
    let error = store.conversations().begin_turn(&scope, &again, at(6)).await.unwrap_err();
    assert!(error.is_repeated(), "{error}");
    assert_eq!(database.count("messages").await, before);
    // Another session may choose the same id.
    let bob = begin(store, &one, 2).await;
    say(store, &one, &bob, 7, "Hello?").await;

    let find = async || {
        let found = visitors.find_message(&scope, ann.session_id, Uuid::from_u128(7)).await;
        found.unwrap().unwrap()
    };
    let sent = find().await;
    assert_eq!((sent.message_id, sent.answer_id), (said.message.message_id, None));
    let client_message_id = Uuid::from_u128(7);
    let foreign = visitors.find_message(&two.scope(), ann.session_id, client_message_id).await.unwrap();
    assert_eq!(foreign, None);
    assert!(!visitors.claim(&two.scope(), &sent, at(8)).await.unwrap());
    assert!(visitors.claim(&scope, &sent, at(8)).await.unwrap());
    assert!(!visitors.claim(&scope, &sent, at(8)).await.unwrap(), "somebody else writes it");
    visitors.release(&two.scope(), sent.message_id).await.unwrap();
    assert_eq!(find().await.claimed_at, Some(at(8)), "that of another account stays");
    visitors.release(&scope, sent.message_id).await.unwrap();
    let released = find().await;
    assert_eq!(released.claimed_at, None);
    assert!(visitors.claim(&scope, &released, at(8)).await.unwrap(), "nobody writes it");
    assert!(!visitors.claim(&scope, &released, at(8)).await.unwrap(), "somebody else writes it");
    visitors.renew(&two.scope(), sent.message_id, at(9)).await.unwrap();
    assert_eq!(find().await.claimed_at, Some(at(8)), "that of another account stays");
    visitors.renew(&scope, sent.message_id, at(9)).await.unwrap();
    assert_eq!(find().await.claimed_at, Some(at(9)));
    let answered = NewAnswer { question_id: Some(said.message.message_id), ..answer("Good day!") };
    let id = said.conversation.conversation_id;
    let recorded = store.conversations().record_answer(&scope, id, &answered, None, at(9)).await;
    assert_eq!(find().await.answer_id, Some(recorded.unwrap().unwrap().message.message_id));
    assert!(!visitors.claim(&scope, &find().await, at(10)).await.unwrap(), "it is written");
    let before = database.count("messages").await;
    let late = store.conversations().record_answer(&scope, id, &answered, None, at(10)).await.unwrap_err();
    assert!(matches!(late, ConversationError::AnsweredBefore), "{late}");
    assert_eq!(database.count("messages").await, before, "one answer to each message");

    // Nothing is stored for a session that has ended.
    let before = database.count("messages").await;
    assert!(visitors.end_session(&scope, ann.session_id).await.unwrap());
    let sent_by = SentBy { session_id: ann.session_id, client_message_id: Uuid::from_u128(8) };
    let late = frontdesk_store::NewTurn { sent_by: Some(sent_by), ..turn(&one.chatbot, None, "Hello?") };
    let error = store.conversations().begin_turn(&scope, &late, at(11)).await.unwrap_err();
    assert!(error.is_orphaned() && !error.is_repeated(), "{error}");
    assert_eq!(database.count("messages").await, before);
}

async fn visitors_use_a_part_of_the_credits_of_a_day(database: &Database) {
    let store = &database.store;
    let (one, two) = (World::new(store, "one", 1).await, World::new(store, "two", 2).await);
    let (visitors, scope) = (store.visitors(), one.scope());
    let (today, tomorrow) = (Day::of(after(1)), Day::of(after(2)));
    for (day, taken) in [(&today, true), (&today, true), (&today, false), (&tomorrow, true)] {
        assert_eq!(visitors.take_credits(&scope, day, 1, 2).await.unwrap(), taken, "{day}");
    }
    // Those of yesterday are forgotten.
    visitors.return_credits(&scope, &today, 1).await.unwrap();
    assert!(visitors.take_credits(&scope, &tomorrow, 1, 2).await.unwrap());
    assert!(!visitors.take_credits(&scope, &tomorrow, 1, 2).await.unwrap());
    visitors.return_credits(&scope, &tomorrow, 1).await.unwrap();
    assert!(visitors.take_credits(&scope, &tomorrow, 1, 2).await.unwrap());
    assert!(!visitors.take_credits(&scope, &tomorrow, 3, 2).await.unwrap());
    assert!(visitors.take_credits(&two.scope(), &tomorrow, 2, 2).await.unwrap());
}

async fn a_visitor_becomes_a_contact_and_takes_the_session_along(database: &Database) {
    let store = &database.store;
    let (one, two) = (World::new(store, "one", 1).await, World::new(store, "two", 2).await);
    let (visitors, scope) = (store.visitors(), one.scope());
    let hash = session(1, 1).hash;
    let ann = begin(store, &one, 1).await;
    let said = say(store, &one, &ann, 1, "Hello?").await;
    visitors.set_contact(&scope, ann.session_id, two.contact.contact_id).await.unwrap();
    visitors.set_contact(&two.scope(), ann.session_id, two.contact.contact_id).await.unwrap();
    assert_eq!(visitors.authenticate(&hash, at(6)).await.unwrap().unwrap().contact_id, None);
    let email = claim("ann@example.com");
    let contact = store.contacts().upsert(&scope, &email, at(6)).await.unwrap().unwrap();
    visitors.set_contact(&scope, ann.session_id, contact.contact_id).await.unwrap();
    let conversations = store.conversations();
    let found = conversations.find(&scope, said.conversation.conversation_id).await.unwrap().unwrap();
    assert_eq!(found.contact_id, Some(contact.contact_id));
    // Whoever corrects an address takes the conversation along.
    let mistyped = contact;
    let contact = store.contacts().upsert(&scope, &claim("ann@right.example"), at(6)).await.unwrap().unwrap();
    assert_ne!(contact.contact_id, mistyped.contact_id);
    visitors.set_contact(&scope, ann.session_id, contact.contact_id).await.unwrap();
    let found = conversations.find(&scope, said.conversation.conversation_id).await.unwrap().unwrap();
    assert_eq!(found.contact_id, Some(contact.contact_id));

    for (scope, wants_news) in [(&two.scope(), false), (&scope, true), (&scope, false)] {
        visitors.note_consent(scope, contact.contact_id, wants_news, at(7)).await.unwrap();
    }
    let consent = store.contacts().find(&scope, contact.contact_id).await.unwrap().unwrap().consent.unwrap();
    assert!(consent.marketing, "the first word counts");
    assert_eq!(consent.source.as_deref(), Some("widget"));

    // Merged contacts take their sessions along, and an erased one ends them.
    let (target, source) = (one.contact.contact_id, contact.contact_id);
    store.contacts().merge(&scope, target, source, at(8)).await.unwrap().unwrap();
    let moved = visitors.authenticate(&hash, at(8)).await.unwrap().unwrap();
    assert_eq!(moved.contact_id, Some(target));
    assert!(store.contacts().erase(&scope, target, at(9)).await.unwrap());
    assert_eq!(visitors.authenticate(&hash, at(9)).await.unwrap(), None);
    // That of the world has written in a conversation of the contact.
    assert_eq!(visitors.authenticate(&session(1, 0).hash, at(9)).await.unwrap(), None);
    assert!(visitors.authenticate(&session(2, 0).hash, at(9)).await.unwrap().is_some());

    let subject = VisitorSubject::new("customer-7").unwrap();
    let identity = frontdesk_store::Identity { subject: subject.clone(), fields: ContactFields::default() };
    let input = ContactInput { verified: Some(identity), ..ContactInput::default() };
    let proven = store.contacts().upsert(&scope, &input, at(10)).await.unwrap().unwrap();
    let mut new = session(1, 4);
    new.verified_subject = Some(subject.clone());
    let begun = visitors.begin_session(&one.widget, &new, at(10)).await.unwrap().unwrap();
    assert_eq!(begun.subject(), Some(subject));
    assert!(store.contacts().erase(&scope, proven.contact_id, at(11)).await.unwrap());
    assert_eq!(visitors.authenticate(&new.hash, at(11)).await.unwrap(), None);
}

async fn a_forgotten_visitor_leaves_no_word(database: &Database) {
    let store = &database.store;
    let one = World::new(store, "one", 1).await;
    let (visitors, scope) = (store.visitors(), one.scope());
    let hash = session(1, 1).hash;
    let ann = begin(store, &one, 1).await;
    let said = say(store, &one, &ann, 1, "My name is Kanarienvogel.").await;
    let before = database.count("contacts").await;
    assert!(visitors.forget(&ann, Duration::MAX, at(6)).await.unwrap());
    assert_eq!(database.count("contacts").await, before);
    assert_eq!(visitors.authenticate(&hash, at(6)).await.unwrap(), None);
    let conversations = store.conversations();
    let id = said.conversation.conversation_id;
    let left = conversations.messages(&scope, id, 0, 10).await.unwrap();
    assert!(!left.is_empty() && left.iter().all(|message| message.body.is_empty()), "{left:?}");

    // What the contact has written stays.
    let known = visitors.authenticate(&session(1, 0).hash, at(6)).await.unwrap().unwrap();
    assert!(!visitors.forget(&known, Duration::MAX, at(7)).await.unwrap());
    let kept = conversations.messages(&scope, one.conversation_id(), 0, 10).await.unwrap();
    assert!(kept.iter().any(|message| !message.body.is_empty()));
    assert_eq!(visitors.authenticate(&session(1, 0).hash, at(7)).await.unwrap(), None);
}
