//! Threads of the inbox: what arrives, what people do, lists, search, deliveries, and chats that are handed
//! over.

use frontdesk_store::{
    ChannelKind, ConversationMode, DealFilter, DealOrder, DealUpdate, DeliveryOutcome, DeliveryState,
    EventType, MessageDirection, MessagesFrom, NewDeal, NewInboxChannel, NewThreadReply, PageRequest,
    ReplyKind, ThreadError, ThreadFilter, ThreadStatus, ThreadUpdate,
};
use jiff::SignedDuration;
use serde_json::json;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, at, attachment, escalation, inbound, job, reply, turn};

on_both_databases!(
    messages_arrive_once_and_open_their_thread,
    channels_take_messages_of_their_account_only,
    spam_makes_no_contact,
    lists_filter_and_page,
    words_find_threads_of_one_account,
    snoozed_threads_come_back,
    a_message_is_sent_at_most_once,
    attachments_belong_to_one_message,
    chats_and_their_threads_keep_in_step,
    others_cannot_reach_threads,
    deals_and_threads_name_each_other,
);

async fn messages_arrive_once_and_open_their_thread(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, thread_id) = (world.scope(), world.received.thread.thread_id);
    let threads = store.threads();
    assert_eq!(world.received.thread.contact_id, Some(world.contact.contact_id), "found by its address");
    assert_eq!(world.received.thread.subject.as_deref(), Some("Order 4711\u{fffd}"));
    let repeated =
        threads.receive(&scope, &inbound(&world.channel, "order", "one"), at(10)).await.unwrap().unwrap();
    assert!(!repeated.is_new);
    assert_eq!(repeated.message, world.received.message);

    let resolve = ThreadUpdate { status: Some((ThreadStatus::Resolved, None)), ..ThreadUpdate::default() };
    let resolved = threads.update(&scope, thread_id, &resolve, at(11)).await.unwrap().unwrap();
    assert_eq!((resolved.resolved_at, resolved.waiting_since), (Some(at(11)), None));
    assert_eq!(resolved.first_reply_at, Some(at(4)), "the world has replied");
    let again =
        threads.receive(&scope, &inbound(&world.channel, "order", "two"), at(12)).await.unwrap().unwrap();
    assert_eq!(again.thread.thread_id, thread_id);
    assert_eq!((again.thread.status, again.thread.resolved_at), (ThreadStatus::Open, None));
    assert_eq!((again.thread.unread_count, again.thread.message_count), (1, 3));
    assert_eq!((again.thread.waiting_since, again.thread.last_message_at), (Some(at(12)), at(12)));
    assert_eq!(again.thread.last_message_preview, "Where is my parcel two?\u{fffd}");

    let written = NewThreadReply { client_message_id: Some("c".into()), ..reply(&world.user, "Soon.") };
    let first = threads.reply(&scope, thread_id, &written, at(13)).await.unwrap().unwrap();
    let second = threads.reply(&scope, thread_id, &written, at(14)).await.unwrap().unwrap();
    assert_eq!((first.is_new, second.is_new), (true, false));
    assert_eq!(first.message, second.message);
    assert_eq!(threads.written_before(&scope, thread_id, "c").await.unwrap(), Some(second.message.clone()));
    assert_eq!(threads.written_before(&scope, thread_id, "d").await.unwrap(), None);
    assert_eq!((second.thread.unread_count, second.thread.waiting_since), (0, None));
    let note = NewThreadReply { kind: ReplyKind::Note, ..reply(&world.user, "Hm.") };
    let note = threads.reply(&scope, thread_id, &note, at(15)).await.unwrap().unwrap();
    assert_eq!(note.message.direction, MessageDirection::Internal);
    assert_eq!(note.thread.last_message_preview, "Soon.", "notes are no last messages");

    let (all, more) = threads.messages(&scope, thread_id, MessagesFrom::Newest, 10).await.unwrap();
    assert_eq!((all.len(), more), (5, false));
    let positions = async |from, limit| {
        let (found, more) = threads.messages(&scope, thread_id, from, limit).await.unwrap();
        (found.iter().map(|message| message.position).collect::<Vec<_>>(), more)
    };
    assert_eq!(positions(MessagesFrom::Newest, 2).await, (vec![4, 5], true));
    assert_eq!(positions(MessagesFrom::Before(4), 2).await, (vec![2, 3], true));
    assert_eq!(positions(MessagesFrom::Before(2), 2).await, (vec![1], false));
    assert_eq!(positions(MessagesFrom::After(1), 2).await, (vec![2, 3], true));
    let types = [EventType::ThreadStatusChanged];
    let events = store.events().page(&scope, None, &types, 10).await.unwrap().unwrap().items;
    assert_eq!(events.len(), 2, "resolved, and opened again");
}

async fn channels_take_messages_of_their_account_only(database: &Database) {
    let store = &database.store;
    let [one, other] = [World::new(store, "one", 1).await, World::new(store, "two", 2).await];
    let stranger = inbound(&one.channel, "order", "three");
    assert_eq!(store.threads().receive(&other.scope(), &stranger, at(9)).await.unwrap(), None);
    let same = inbound(&other.channel, "order", "one");
    let same = store.threads().receive(&other.scope(), &same, at(9)).await.unwrap().unwrap();
    assert!(
        !same.is_new && same.thread.thread_id == other.received.thread.thread_id,
        "keys are of a channel"
    );
    let off = frontdesk_store::InboxChannelUpdate { enabled: Some(false), ..Default::default() };
    store.inbox_channels().update(&one.scope(), one.channel.channel_id, &off, at(9)).await.unwrap().unwrap();
    let late = inbound(&one.channel, "order", "four");
    assert_eq!(store.threads().receive(&one.scope(), &late, at(9)).await.unwrap(), None);
    let thread_id = one.received.thread.thread_id;
    let refused = store.threads().reply(&one.scope(), thread_id, &reply(&one.user, "No."), at(9)).await;
    assert!(matches!(refused, Err(ThreadError::ChannelClosed)));
    assert!(store.inbox_channels().delete(&one.scope(), one.channel.channel_id).await.unwrap());
    let kept = store.threads().find(&one.scope(), thread_id).await.unwrap().unwrap();
    assert_eq!((kept.channel_id, kept.message_count), (None, 2));
}

async fn spam_makes_no_contact(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let before = database.count("events").await;
    let mut spam = inbound(&world.channel, "spam", "spam");
    spam.contact.email = Some("spammer@example.com".into());
    spam.is_spam = true;
    let received = store.threads().receive(&scope, &spam, at(9)).await.unwrap().unwrap();
    assert_eq!((received.thread.status, received.thread.contact_id), (ThreadStatus::Spam, None));
    assert_eq!(store.contacts().list(&scope, None, 10).await.unwrap().len(), 1);
    assert_eq!(database.count("events").await, before);
}

async fn lists_filter_and_page(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = World::new(store, "two", 2).await;
    let scope = world.scope();
    let threads = store.threads();
    world.chat(store).await;
    for number in 0..5 {
        let new = inbound(&world.channel, &format!("t{number}"), &format!("m{number}"));
        threads.receive(&scope, &new, at(20 + number / 2)).await.unwrap().unwrap();
    }
    let page = async |filter: &ThreadFilter, request: &PageRequest| {
        threads.page(&scope, filter, request).await.unwrap()
    };
    let all = page(&ThreadFilter::default(), &PageRequest::first(100)).await;
    assert_eq!(all.items.len(), 7);
    let mut paged = Vec::new();
    let mut request = PageRequest::first(2);
    loop {
        let found = page(&ThreadFilter::default(), &request).await;
        paged.extend(found.items);
        let Some(next) = found.next else { break };
        request.after = Some(next);
    }
    assert_eq!(paged, all.items, "pages are the list");
    let key = |thread: &frontdesk_store::Thread| (thread.last_message_at, thread.thread_id);
    assert!(all.items.iter().rev().is_sorted_by_key(key));

    let mine = all.items[0].thread_id;
    let assign = ThreadUpdate {
        assignee_id: Some(Some(world.user.user_id)),
        status: Some((ThreadStatus::Pending, None)),
        tags: Some(json!(["vip"])),
        read: Some(true),
        ..ThreadUpdate::default()
    };
    threads.update(&scope, mine, &assign, at(30)).await.unwrap().unwrap();
    let count = async |filter: ThreadFilter| page(&filter, &PageRequest::first(100)).await.items.len();
    let any = ThreadFilter::default;
    for (filter, expected) in [
        (ThreadFilter { status: Some(ThreadStatus::Pending), ..any() }, 1),
        (ThreadFilter { status: Some(ThreadStatus::Resolved), ..any() }, 0),
        (ThreadFilter { channel: Some(frontdesk_store::ThreadChannel::Chatbot), ..any() }, 1),
        (ThreadFilter { channel_id: Some(world.channel.channel_id), ..any() }, 6),
        (ThreadFilter { channel_id: Some(other.channel.channel_id), ..any() }, 0),
        (ThreadFilter { assignee_id: Some(world.user.user_id), ..any() }, 1),
        (ThreadFilter { unassigned: Some(true), ..any() }, 6),
        (ThreadFilter { unassigned: Some(true), status: Some(ThreadStatus::Open), ..any() }, 6),
        (ThreadFilter { unassigned: Some(false), ..any() }, 1),
        (ThreadFilter { contact_id: Some(world.contact.contact_id), ..any() }, 7),
        (ThreadFilter { chatbot_id: Some(world.chatbot.chatbot_id), ..any() }, 1),
        (ThreadFilter { unread: Some(true), ..any() }, 5),
        (ThreadFilter { unread: Some(false), ..any() }, 2),
        (ThreadFilter { updated_since: Some(at(30)), ..any() }, 1),
    ] {
        assert_eq!(count(filter.clone()).await, expected, "{filter:?}");
    }
    // PostgreSQL chooses by statistics, which the benchmark has.
    if database.is_postgres() {
        return;
    }
    for (filter, index) in [
        (any(), "threads_list"),
        (ThreadFilter { updated_since: Some(at(30)), ..any() }, "threads_updated"),
        (ThreadFilter { text: Some("parcel".into()), ..any() }, "sqlite_autoindex_threads_1"),
    ] {
        let plan =
            threads.explain_page(world.account.account_id, &filter, &PageRequest::first(25)).await.unwrap();
        let ids = plan.split("LIST SUBQUERY").nth(1).unwrap();
        assert!(ids.contains(&format!("SEARCH threads USING INDEX {index} ")), "{filter:?}\n{plan}");
    }
}

async fn words_find_threads_of_one_account(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    World::new(store, "two", 2).await;
    let scope = world.scope();
    let threads = store.threads();
    let mut new = inbound(&world.channel, "search", "search");
    new.body = "A Hedge-Trimmer (4711'8) & \"quotes\" * : -- 東京".into();
    let found = threads.receive(&scope, &new, at(20)).await.unwrap().unwrap().thread.thread_id;
    let search = async |text: &str| {
        let filter = ThreadFilter { text: Some(text.into()), ..ThreadFilter::default() };
        let page = threads.page(&scope, &filter, &PageRequest::first(10)).await.unwrap();
        page.items.iter().map(|thread| thread.thread_id).collect::<Vec<_>>()
    };
    for text in ["hedge", "TRIM", "trimmer hedge", "4711'8", "\"quotes\" *", "東", "京 hed"] {
        assert_eq!(search(text).await, [found], "{text}");
    }
    for text in ["hedg trimmer", "banana", "*", "'", "trimmer OR banana"] {
        assert!(search(text).await.is_empty(), "{text}");
    }
    assert_eq!(search("parcel").await, [world.received.thread.thread_id], "not that of the other account");
    assert_eq!(search("order").await.len(), 2, "subjects of first messages count");
}

async fn snoozed_threads_come_back(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, thread_id) = (world.scope(), world.received.thread.thread_id);
    let threads = store.threads();
    let snooze =
        |until| ThreadUpdate { status: Some((ThreadStatus::Snoozed, until)), ..ThreadUpdate::default() };
    threads.update(&scope, thread_id, &snooze(Some(at(100))), at(10)).await.unwrap().unwrap();
    assert_eq!(threads.wake(at(99), 10).await.unwrap(), 0);
    assert_eq!(threads.wake(at(100), 10).await.unwrap(), 1);
    let woken = threads.find(&scope, thread_id).await.unwrap().unwrap();
    assert_eq!((woken.status, woken.snoozed_until), (ThreadStatus::Open, None));
    threads.update(&scope, thread_id, &snooze(None), at(110)).await.unwrap().unwrap();
    assert_eq!(threads.wake(at(1_000), 10).await.unwrap(), 0, "without a time it waits for a message");
    threads.update(&scope, thread_id, &snooze(Some(at(2_000))), at(110)).await.unwrap().unwrap();
    let new = inbound(&world.channel, "order", "two");
    let opened = threads.receive(&scope, &new, at(120)).await.unwrap().unwrap().thread;
    assert_eq!((opened.status, opened.snoozed_until), (ThreadStatus::Open, None));
}

async fn a_message_is_sent_at_most_once(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = World::new(store, "two", 2).await;
    let (scope, thread_id) = (world.scope(), world.received.thread.thread_id);
    let threads = store.threads();
    let write = async |second: i64| {
        let new = NewThreadReply { delivery: Some(job("deliver_message")), ..reply(&world.user, "Now.") };
        let written = threads.reply(&scope, thread_id, &new, at(second)).await.unwrap().unwrap();
        assert_eq!(written.message.delivery_status, Some(DeliveryState::Queued));
        written.message.message_id
    };
    let status = async |message_id: Uuid| {
        let message = threads.find_message(&scope, thread_id, message_id).await.unwrap().unwrap();
        (message.delivery_status.unwrap(), message.delivery_error)
    };
    let sent = write(10).await;
    assert_eq!(threads.take_outgoing(&other.scope(), sent).await.unwrap(), None);
    let taken = threads.take_outgoing(&scope, sent).await.unwrap().unwrap();
    assert_eq!((taken.attempts, taken.message.message_id), (1, sent));
    threads.finish_sending(&scope, sent, 1, &DeliveryOutcome::NotSent).await.unwrap();
    assert_eq!(threads.take_outgoing(&scope, sent).await.unwrap().unwrap().attempts, 2);
    // The first attempt is over, whoever makes it.
    assert!(!threads.begin_sending(&scope, sent, 1).await.unwrap());
    assert!(!threads.begin_sending(&other.scope(), sent, 2).await.unwrap());
    let refused = DeliveryOutcome::Failed { error: "Refused.".into() };
    threads.finish_sending(&scope, sent, 1, &refused).await.unwrap();
    assert_eq!(status(sent).await.0, DeliveryState::Queued);
    let outcome = DeliveryOutcome::Sent { external_id: Some("x1".into()) };
    // A message may go in several parts.
    assert!(threads.begin_sending(&scope, sent, 2).await.unwrap());
    assert!(threads.begin_sending(&scope, sent, 2).await.unwrap());
    threads.finish_sending(&scope, sent, 2, &outcome).await.unwrap();
    assert!(!threads.begin_sending(&scope, sent, 2).await.unwrap());
    assert_eq!(threads.take_outgoing(&scope, sent).await.unwrap(), None);
    assert_eq!(status(sent).await.0, DeliveryState::Sent);
    let channel_id = world.channel.channel_id;
    let note = async |state| threads.note_delivery(&scope, channel_id, "x1", state, None).await.unwrap();
    assert!(note(DeliveryState::Read).await);
    assert!(note(DeliveryState::Delivered).await);
    assert_eq!(status(sent).await.0, DeliveryState::Read, "reports may come late");
    assert!(!threads.note_delivery(&scope, channel_id, "x2", DeliveryState::Read, None).await.unwrap());

    // Whoever was only connecting has sent nothing, however often.
    let lost = write(11).await;
    for attempt in 1..=3 {
        assert_eq!(threads.take_outgoing(&scope, lost).await.unwrap().unwrap().attempts, attempt);
    }
    assert_eq!(status(lost).await, (DeliveryState::Queued, None));
    // Somebody was handing it over and has not come back.
    assert!(threads.begin_sending(&scope, lost, 3).await.unwrap());
    assert_eq!(threads.take_outgoing(&scope, lost).await.unwrap(), None);
    let (state, error) = status(lost).await;
    assert_eq!(state, DeliveryState::Failed);
    assert!(error.unwrap().contains("may have been sent"));
    let given_up = write(12).await;
    threads.give_up_outgoing(&scope, given_up, "No time.").await.unwrap();
    assert_eq!(status(given_up).await, (DeliveryState::Failed, Some("No time.".into())));
    assert_eq!(threads.take_outgoing(&scope, given_up).await.unwrap(), None);
    let interrupted = write(13).await;
    threads.take_outgoing(&scope, interrupted).await.unwrap().unwrap();
    assert!(threads.begin_sending(&scope, interrupted, 1).await.unwrap());
    threads.give_up_outgoing(&scope, interrupted, "No time.").await.unwrap();
    assert!(status(interrupted).await.1.unwrap().contains("may have been sent"));
}

async fn attachments_belong_to_one_message(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let other = World::new(store, "two", 2).await;
    let (scope, thread_id) = (world.scope(), world.received.thread.thread_id);
    let threads = store.threads();
    let with = |id| NewThreadReply { attachment_ids: vec![id], ..reply(&world.user, "See the file.") };
    let own = world.attachment.attachment_id;
    let stolen = threads.reply(&scope, thread_id, &with(other.attachment.attachment_id), at(10)).await;
    assert!(matches!(stolen, Err(ThreadError::NoAttachment(_))));
    let sent = threads.reply(&scope, thread_id, &with(own), at(10)).await.unwrap().unwrap();
    let again = threads.reply(&scope, thread_id, &with(own), at(10)).await;
    assert!(matches!(again, Err(ThreadError::NoAttachment(_))));
    let ids = [sent.message.message_id, world.received.message.message_id];
    let found = threads.attachments_of(&scope, &ids).await.unwrap();
    assert_eq!(found[&ids[0]][0].attachment_id, own);
    assert_eq!(found[&ids[1]][0].file_name, "photo.png");
    assert!(threads.attachments_of(&other.scope(), &ids).await.unwrap().is_empty());

    let unused = threads.add_attachment(&scope, &attachment("unused"), at(20)).await.unwrap();
    let objects = store.stored_objects();
    for key in [&unused.object_key, &world.attachment.object_key] {
        objects.register(key, at(0)).await.unwrap();
    }
    assert_eq!(objects.orphans(at(100), 10).await.unwrap(), Vec::<String>::new());
    assert_eq!(threads.prune_attachments(at(30), 10).await.unwrap(), 2, "and that of the other world");
    assert_eq!(objects.orphans(at(100), 10).await.unwrap(), [unused.object_key]);
}

async fn chats_and_their_threads_keep_in_step(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let (conversations, threads) = (store.conversations(), store.threads());
    let begun = conversations.begin_turn(&scope, &turn(&world.chatbot, None, "Hi"), at(10)).await;
    let id = begun.unwrap().unwrap().conversation.conversation_id;
    let say = async |text: &str, second| {
        let turn = turn(&world.chatbot, Some(id), text);
        conversations.begin_turn(&scope, &turn, at(second)).await.unwrap().unwrap()
    };
    assert_eq!(conversations.find(&scope, id).await.unwrap().unwrap().thread_id, None);
    let waiting =
        conversations.escalate(&scope, id, &escalation(Some(at(60))), at(11)).await.unwrap().unwrap();
    let thread_id = waiting.thread_id.unwrap();
    let thread = async || threads.find(&scope, thread_id).await.unwrap().unwrap();
    let now = thread().await;
    assert_eq!((now.status, now.unread_count, now.waiting_since), (ThreadStatus::Open, 1, Some(at(11))));
    assert_eq!((now.conversation_id, now.chatbot_id), (Some(id), Some(world.chatbot.chatbot_id)));
    say("Anybody?", 12).await;
    assert_eq!((thread().await.unread_count, thread().await.message_count), (2, 2));

    // Taking it stops the clock of the visitor.
    let take = ThreadUpdate { assignee_id: Some(Some(world.user.user_id)), ..ThreadUpdate::default() };
    threads.update(&scope, thread_id, &take, at(13)).await.unwrap().unwrap();
    assert_eq!(conversations.find(&scope, id).await.unwrap().unwrap().mode, ConversationMode::Human);
    assert!(conversations.unclaimed(at(100), 10).await.unwrap().is_empty());

    let new = NewThreadReply { client_message_id: Some("c".into()), ..reply(&world.user, "Ann here.") };
    let replied = threads.reply(&scope, thread_id, &new, at(14)).await.unwrap().unwrap();
    let repeated = threads.reply(&scope, thread_id, &new, at(15)).await.unwrap().unwrap();
    assert_eq!((replied.is_new, repeated.is_new), (true, false));
    let messages = conversations.messages(&scope, id, 0, 10).await.unwrap();
    let last = messages.last().unwrap();
    assert_eq!((last.message_id, &*last.body), (replied.message.message_id, "Ann here."));
    assert_eq!(last.team_member_id, Some(world.user.user_id));
    assert_eq!((messages.len(), thread().await.message_count), (3, 3));
    assert_eq!((thread().await.unread_count, thread().await.first_reply_at), (0, Some(at(14))));
    let note = NewThreadReply { kind: ReplyKind::Note, ..reply(&world.user, "Odd.") };
    threads.reply(&scope, thread_id, &note, at(16)).await.unwrap().unwrap();
    assert_eq!(conversations.messages(&scope, id, 0, 10).await.unwrap().len(), 3, "notes stay in the inbox");

    conversations.return_to_ai(&scope, id, at(17)).await.unwrap().unwrap();
    assert_eq!(thread().await.status, ThreadStatus::Resolved);
    say("Thanks.", 18).await;
    assert_eq!(thread().await.status, ThreadStatus::Resolved, "the chatbot answers");
    conversations.escalate(&scope, id, &escalation(None), at(19)).await.unwrap().unwrap();
    assert_eq!(thread().await.status, ThreadStatus::Open);
    let resolve =
        NewThreadReply { set_status: Some((ThreadStatus::Resolved, None)), ..reply(&world.user, "Done.") };
    threads.reply(&scope, thread_id, &resolve, at(20)).await.unwrap().unwrap();
    assert_eq!(conversations.find(&scope, id).await.unwrap().unwrap().mode, ConversationMode::Closed);
    let late = threads.reply(&scope, thread_id, &reply(&world.user, "Late."), at(21)).await;
    assert!(matches!(late, Err(ThreadError::ChannelClosed)));
    let count = async |event_type| {
        let events = store.events().page(&scope, None, &[event_type], 100).await.unwrap().unwrap().items;
        events.iter().filter(|event| event.created_at >= at(10)).count()
    };
    assert_eq!(count(EventType::HandoffAccepted).await, 2);
    assert_eq!(count(EventType::ConversationClosed).await, 1);
    assert_eq!(count(EventType::ThreadStatusChanged).await, 3, "resolved, open, resolved");
}

async fn others_cannot_reach_threads(database: &Database) {
    let store = &database.store;
    let [one, other] = [World::new(store, "one", 1).await, World::new(store, "two", 2).await];
    let scope = other.scope();
    let threads = store.threads();
    for thread_id in [one.received.thread.thread_id, one.chat(store).await] {
        assert_eq!(threads.find(&scope, thread_id).await.unwrap(), None);
        let (found, _) = threads.messages(&scope, thread_id, MessagesFrom::Newest, 10).await.unwrap();
        assert!(found.is_empty());
        let update = ThreadUpdate { read: Some(true), ..ThreadUpdate::default() };
        assert_eq!(threads.update(&scope, thread_id, &update, at(9)).await.unwrap(), None);
        assert!(threads.reply(&scope, thread_id, &reply(&other.user, "No."), at(9)).await.unwrap().is_none());
    }
    assert_eq!(threads.find_attachment(&scope, one.attachment.attachment_id).await.unwrap(), None);
    let thread_id = one.received.thread.thread_id;
    let written = NewThreadReply { client_message_id: Some("c".into()), ..reply(&one.user, "Soon.") };
    threads.reply(&one.scope(), thread_id, &written, at(9)).await.unwrap().unwrap();
    assert!(threads.written_before(&one.scope(), thread_id, "c").await.unwrap().is_some());
    assert_eq!(threads.written_before(&scope, thread_id, "c").await.unwrap(), None);
    let channels = store.inbox_channels();
    assert_eq!(channels.find(&scope, one.channel.channel_id).await.unwrap(), None);
    assert!(!channels.delete(&scope, one.channel.channel_id).await.unwrap());
    let new = NewInboxChannel::new(ChannelKind::Api, "One more");
    let refused = channels.create(&scope, &new, 1, at(9) + SignedDuration::from_secs(1)).await;
    assert!(matches!(refused, Err(frontdesk_store::InboxChannelError::LimitReached(1))));
}

async fn deals_and_threads_name_each_other(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, threads, deals) = (world.scope(), store.threads(), store.deals());
    let first = world.received.thread.thread_id;
    let received = threads.receive(&scope, &inbound(&world.channel, "other", "two"), at(9)).await;
    let second = received.unwrap().unwrap().thread.thread_id;
    let new = NewDeal { title: "Hedge".into(), thread_ids: vec![second, first, first], ..NewDeal::default() };
    let hedge = deals.create(&scope, &new, None, at(10)).await.unwrap();
    let mut both = vec![first, second];
    both.sort_unstable();
    assert_eq!(hedge.thread_ids, both);
    let deal_ids = async |thread_id| threads.find(&scope, thread_id).await.unwrap().unwrap().deal_ids;
    assert_eq!(deal_ids(second).await, [hedge.deal_id]);
    assert_eq!(deal_ids(first).await.len(), 2, "the world has linked another deal");
    let about = async |deal_id| {
        let filter = ThreadFilter { deal_id: Some(deal_id), ..ThreadFilter::default() };
        let found = threads.page(&scope, &filter, &PageRequest::first(10)).await.unwrap().items;
        found.into_iter().map(|thread| thread.thread_id).collect::<Vec<_>>()
    };
    assert_eq!(about(hedge.deal_id).await, [second, first], "the latest message first");
    let of_thread = async |thread_id| {
        let filter = DealFilter { thread_id: Some(thread_id), ..DealFilter::default() };
        let page = deals.page(&scope, &filter, DealOrder::default(), &PageRequest::first(10)).await.unwrap();
        page.items.into_iter().map(|deal| deal.deal_id).collect::<Vec<_>>()
    };
    assert_eq!(of_thread(second).await, [hedge.deal_id]);
    // Each side replaces its own links, and a filter of words goes together with that of a deal.
    let only = ThreadUpdate { deal_ids: Some(vec![world.deal.deal_id]), ..ThreadUpdate::default() };
    let changed = threads.update(&scope, second, &only, at(11)).await.unwrap().unwrap();
    assert_eq!(changed.deal_ids, [world.deal.deal_id]);
    assert_eq!(about(hedge.deal_id).await, [first]);
    let words =
        ThreadFilter { deal_id: Some(hedge.deal_id), text: Some("parcel".into()), ..ThreadFilter::default() };
    let found = threads.page(&scope, &words, &PageRequest::first(10)).await.unwrap().items;
    assert_eq!(found.iter().map(|thread| thread.thread_id).collect::<Vec<_>>(), [first]);
    let none = DealUpdate { thread_ids: Some(Vec::new()), ..DealUpdate::default() };
    let unlinked = deals.update(&scope, hedge.deal_id, &none, at(12)).await.unwrap().unwrap();
    assert!(unlinked.thread_ids.is_empty());
    assert!(about(hedge.deal_id).await.is_empty());
    // A deleted deal is not shown, and comes back with its threads.
    assert!(deals.delete(&scope, world.deal.deal_id, None, at(13)).await.unwrap());
    assert!(deal_ids(second).await.is_empty());
    let none = ThreadUpdate { deal_ids: Some(Vec::new()), ..ThreadUpdate::default() };
    threads.update(&scope, second, &none, at(14)).await.unwrap();
    let restored = deals.restore(&scope, world.deal.deal_id, None, at(15)).await.unwrap().unwrap();
    assert_eq!(restored.thread_ids, both);
    assert_eq!(deal_ids(second).await, [world.deal.deal_id]);
}
