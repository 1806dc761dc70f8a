//! E-mails: the threads that they continue, those that were skipped, and secrets of channels that are
//! encrypted again.

use frontdesk_store::{
    NewInbound, NewSkippedMail, PageRequest, Redacted, ReencryptedSecret, SecretOwner, ThreadStatus,
    ThreadUpdate,
};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, at, inbound, reply};

on_both_databases!(
    emails_continue_threads_of_their_account,
    programs_do_not_open_threads,
    skipped_mails_are_listed_once_and_erased_with_their_sender,
    secrets_of_channels_are_replaced_if_unchanged,
);

async fn emails_continue_threads_of_their_account(database: &Database) {
    let store = &database.store;
    let [one, other] = [World::new(store, "one", 1).await, World::new(store, "two", 2).await];
    let threads = store.threads();
    let (scope, channel_id) = (one.scope(), one.channel.channel_id);
    let thread_id = one.received.thread.thread_id;
    let written = threads.reply(&scope, thread_id, &reply(&one.user, "Soon."), at(8)).await.unwrap().unwrap();
    let own = format!("{}@acme.example", written.message.message_id);
    let find = async |ids: &[&str]| {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        threads.find_by_message_ids(&scope, channel_id, &ids).await.unwrap()
    };
    assert_eq!(find(&["unknown@acme.example", "one"]).await, Some(thread_id));
    assert_eq!(find(&[&own]).await, Some(thread_id), "what was sent from here");
    assert_eq!(find(&["unknown@acme.example", &Uuid::nil().to_string()]).await, None);
    for ids in [vec!["one".to_owned()], vec![own.clone()]] {
        let foreign = threads.find_by_message_ids(&other.scope(), channel_id, &ids).await.unwrap();
        assert_eq!(foreign, None, "{ids:?}");
    }
    let recent = async |email: &str, since| {
        let found = threads.recent_with(&scope, channel_id, email, at(since), 10).await.unwrap();
        found.iter().map(|thread| thread.thread_id).collect::<Vec<_>>()
    };
    assert_eq!(recent("Visitor@Example.com", 8).await, [thread_id]);
    assert!(recent("visitor@example.com", 9).await.is_empty());
    assert!(recent("nobody@example.com", 0).await.is_empty());
    assert_eq!(
        threads.recent_with(&other.scope(), channel_id, "visitor@example.com", at(0), 10).await.unwrap(),
        []
    );
    let keys = threads.message_keys(&scope, thread_id, 10).await.unwrap();
    assert_eq!(keys.iter().map(|key| &*key.external_id).collect::<Vec<_>>(), ["one"]);
    assert_eq!(threads.message_keys(&other.scope(), thread_id, 10).await.unwrap(), []);

    // A thread that the service has found counts more than its key; that of another account counts nothing.
    let named = |thread_id| NewInbound { thread_id: Some(thread_id), ..inbound(&one.channel, "new", "two") };
    let joined = threads.receive(&scope, &named(thread_id), at(9)).await.unwrap().unwrap();
    assert_eq!(joined.thread.thread_id, thread_id);
    assert!(threads.has_mail(&scope, &named(thread_id)).await.unwrap());
    assert!(!threads.has_mail(&other.scope(), &named(thread_id)).await.unwrap());
    let foreign = NewInbound { message_key: "three".into(), ..named(other.received.thread.thread_id) };
    let begun = threads.receive(&scope, &foreign, at(9)).await.unwrap().unwrap();
    assert_eq!((begun.thread.message_count, begun.thread.account_id), (1, one.account.account_id));
}

async fn programs_do_not_open_threads(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, thread_id) = (world.scope(), world.received.thread.thread_id);
    let resolve = ThreadUpdate { status: Some((ThreadStatus::Resolved, None)), ..ThreadUpdate::default() };
    store.threads().update(&scope, thread_id, &resolve, at(8)).await.unwrap().unwrap();
    let notice = NewInbound { is_automatic: true, ..inbound(&world.channel, "order", "away") };
    let received = store.threads().receive(&scope, &notice, at(9)).await.unwrap().unwrap();
    assert_eq!((received.thread.status, received.thread.waiting_since), (ThreadStatus::Resolved, None));
    assert_eq!(received.thread.unread_count, 1, "people can still see it");
    let first = NewInbound { is_automatic: true, ..inbound(&world.channel, "alarm", "alarm") };
    let first = store.threads().receive(&scope, &first, at(10)).await.unwrap().unwrap();
    assert_eq!(first.thread.status, ThreadStatus::Open);
}

pub(crate) fn skipped(channel_id: Uuid, mail_key: &str, from: &str) -> NewSkippedMail {
    NewSkippedMail {
        skipped_mail_id: Uuid::now_v7(),
        channel_id,
        mail_key: mail_key.into(),
        reason: "no_sender".into(),
        detail: "Nobody\0".into(),
        from_address: Some(from.into()),
        subject: None,
        size_bytes: Some(3),
        object_key: Some(format!("mail/{channel_id}/{mail_key}")),
        addresses: Vec::new(),
    }
}

async fn skipped_mails_are_listed_once_and_erased_with_their_sender(database: &Database) {
    let store = &database.store;
    let [one, other] = [World::new(store, "one", 1).await, World::new(store, "two", 2).await];
    let (scope, channel_id) = (one.scope(), one.channel.channel_id);
    let mails = store.skipped_mails();
    for (key, from) in [("a", "Visitor@Example.com"), ("b", "x@example.com")] {
        let new = skipped(channel_id, key, from);
        store.stored_objects().register(new.object_key.as_ref().unwrap(), at(1)).await.unwrap();
        assert!(mails.add(&scope, &new, at(5)).await.unwrap());
    }
    assert!(!mails.add(&scope, &skipped(channel_id, "a", "x@example.com"), at(6)).await.unwrap());
    assert!(!mails.add(&other.scope(), &skipped(channel_id, "c", "x@example.com"), at(6)).await.unwrap());
    assert!(mails.has(&scope, channel_id, "a").await.unwrap());
    assert!(!mails.has(&other.scope(), channel_id, "a").await.unwrap());
    let page = mails.page(&scope, channel_id, &PageRequest::first(1)).await.unwrap();
    assert_eq!((page.items.len(), page.next.is_some()), (1, true));
    let id = page.items[0].skipped_mail_id;
    assert!(mails.find(&scope, id).await.unwrap().is_some());
    assert_eq!(mails.find(&other.scope(), id).await.unwrap(), None);
    assert_eq!(mails.page(&other.scope(), channel_id, &PageRequest::first(9)).await.unwrap().items, []);
    let orphans = store.stored_objects().orphans(at(50), 100).await.unwrap();
    assert!(!orphans.iter().any(|key| key.starts_with("mail/")), "{orphans:?}");

    assert!(store.contacts().erase(&scope, one.contact.contact_id, at(30)).await.unwrap());
    let left = mails.page(&scope, channel_id, &PageRequest::first(9)).await.unwrap().items;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].from_address.as_deref(), Some("x@example.com"));
    let orphans = store.stored_objects().orphans(at(50), 100).await.unwrap();
    assert!(orphans.iter().any(|key| key.ends_with("/a")), "{orphans:?}");

    // They go one by one, once they are old, and once they take too much space.
    assert!(!mails.delete(&other.scope(), left[0].skipped_mail_id).await.unwrap());
    assert_eq!(mails.prune(at(5), 3, 10).await.unwrap(), 0);
    assert_eq!(mails.prune(at(6), 3, 10).await.unwrap(), 1);
    for key in ["d", "e", "f"] {
        assert!(mails.add(&scope, &skipped(channel_id, key, "x@example.com"), at(7)).await.unwrap());
    }
    assert_eq!((mails.prune(at(6), 6, 10).await.unwrap(), mails.prune(at(6), 5, 0).await.unwrap()), (1, 0));
    let left = mails.page(&scope, channel_id, &PageRequest::first(9)).await.unwrap().items;
    assert_eq!(left.len(), 2);
    assert!(mails.delete(&scope, left[0].skipped_mail_id).await.unwrap());
    assert!(store.inbox_channels().delete(&scope, channel_id).await.unwrap());
    assert_eq!(mails.page(&scope, channel_id, &PageRequest::first(9)).await.unwrap().items, []);
}

async fn secrets_of_channels_are_replaced_if_unchanged(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, channel_id) = (world.scope(), world.channel.channel_id);
    let channels = store.inbox_channels();
    assert_eq!(channels.with_secrets().await.unwrap(), []);
    let secret = |text: &str| Some(Redacted::new(text.to_owned()));
    let update = frontdesk_store::InboxChannelUpdate { secrets: secret("old"), ..Default::default() };
    channels.update(&scope, channel_id, &update, at(5)).await.unwrap().unwrap();
    assert_eq!(channels.with_secrets().await.unwrap().len(), 1);
    for (before, after) in [("old", "new"), ("old", "late")] {
        let again = ReencryptedSecret {
            owner: SecretOwner::InboxChannel(channel_id),
            before: Redacted::new(before.to_owned()),
            after: Redacted::new(after.to_owned()),
        };
        store.secrets().rotate("current", b"x", &[again]).await.unwrap();
    }
    assert_eq!(channels.find(&scope, channel_id).await.unwrap().unwrap().secrets, secret("new"));
}
