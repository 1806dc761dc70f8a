//! What accounts do with their contacts.

use frontdesk_store::{
    Contact, ContactError, ContactFields, ContactFilter, ContactKey, ContactKind, ContactUpdate, Identity,
    ImportedContact, MergeError, NewTurn, PageRequest, Payment, Scope, Store, VisitorSubject,
};
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, account, at, chatbot, claim, turn};

on_both_databases!(
    identifying_values_belong_to_one_contact,
    a_contact_created_many_times_at_once_exists_once,
    a_contact_is_written_by_its_key,
    customers_are_marked_and_unmarked,
    merged_contacts_are_one,
    proven_contacts_do_not_disappear,
    an_import_changes_what_it_knows,
    lists_are_filtered,
);

fn email(address: &str) -> ContactUpdate {
    ContactUpdate { email: Some(Some(address.into())), ..ContactUpdate::default() }
}

fn phone(number: &str) -> ContactUpdate {
    ContactUpdate { phone: Some(Some(number.into())), ..ContactUpdate::default() }
}

fn external_id(id: &str) -> ContactUpdate {
    ContactUpdate { external_id: Some(Some(id.into())), ..ContactUpdate::default() }
}

async fn create(store: &Store, scope: &Scope, new: &ContactUpdate, second: i64) -> Contact {
    store.contacts().create(scope, new, at(second)).await.unwrap().unwrap()
}

async fn proven(store: &Store, scope: &Scope, subject: &str, second: i64) -> Contact {
    let mut input = claim("unused@example.com");
    let subject = VisitorSubject::new(subject).unwrap();
    input.verified = Some(Identity { subject, fields: ContactFields::default() });
    store.contacts().upsert(scope, &input, at(second)).await.unwrap().unwrap()
}

fn holder(refused: Result<impl std::fmt::Debug, ContactError>) -> (Uuid, ContactKey) {
    match refused {
        Err(ContactError::AlreadyExists { contact_id, key }) => (contact_id, key),
        other => panic!("{other:?}"),
    }
}

async fn identifying_values_belong_to_one_contact(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let contacts = store.contacts();
    let every = ContactUpdate {
        phone: Some(Some("+44 20 7946 0018".into())),
        external_id: Some(Some(" c1 ".into())),
        custom: Some(json!(["a", null])),
        kind: Some(ContactKind::Subscriber),
        ..email(" Ann@Example.com ")
    };
    let ann = create(store, &scope, &every, 1).await;
    assert_eq!(
        (ann.email.as_deref(), ann.phone.as_deref(), ann.external_id.as_deref()),
        (Some("ann@example.com"), Some("+442079460018"), Some("c1"))
    );
    assert_eq!((ann.kind, ann.custom.clone()), (ContactKind::Subscriber, Some(json!(["a", null]))));
    let bob = create(store, &scope, &email("bob@example.com"), 2).await;
    for (taken, key) in [
        (email("ANN@example.com"), ContactKey::Email),
        (phone("0044 2079460018"), ContactKey::Phone),
        (external_id("c1"), ContactKey::ExternalId),
    ] {
        assert_eq!(holder(contacts.create(&scope, &taken, at(3)).await), (ann.contact_id, key));
        assert_eq!(
            holder(contacts.update(&scope, bob.contact_id, &taken, at(3)).await),
            (ann.contact_id, key)
        );
        let own = contacts.update(&scope, ann.contact_id, &taken, at(3)).await.unwrap().unwrap();
        assert_eq!((own.email, own.phone), (ann.email.clone(), ann.phone.clone()));
        // Other accounts are not concerned.
        let other = account(store, "Two").await.scope();
        assert!(contacts.create(&other, &taken, at(3)).await.unwrap().is_some());
    }
    assert_eq!(contacts.find(&scope, bob.contact_id).await.unwrap(), Some(bob));
    // What was cleared is free.
    let cleared =
        ContactUpdate { email: Some(Some(" ".into())), phone: Some(None), ..ContactUpdate::default() };
    let left = contacts.update(&scope, ann.contact_id, &cleared, at(4)).await.unwrap().unwrap();
    assert_eq!((left.email, left.phone, left.updated_at), (None, None, at(4)));
    create(store, &scope, &ContactUpdate { ..email("ann@example.com") }, 5).await;
    create(store, &scope, &phone("+442079460018"), 5).await;
}

async fn a_contact_created_many_times_at_once_exists_once(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    for new in [email("ann@example.com"), phone("+442079460018"), external_id("c1")] {
        let creating: Vec<_> = (0..30)
            .map(|_| {
                let (store, new) = (store.clone(), new.clone());
                tokio::spawn(async move { store.contacts().create(&scope, &new, at(1)).await })
            })
            .collect();
        let (mut made, mut holders) = (Vec::new(), Vec::new());
        for task in creating {
            match task.await.unwrap() {
                Ok(contact) => made.push(contact.unwrap().contact_id),
                refused => holders.push(holder(refused).0),
            }
        }
        assert_eq!((made.len(), holders.len()), (1, 29), "{new:?}");
        assert!(holders.iter().all(|holder| *holder == made[0]));
    }
}

async fn a_contact_is_written_by_its_key(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let contacts = store.contacts();
    let put = async |key, update: &ContactUpdate, second| {
        contacts.upsert_by_key(&scope, key, update, at(second)).await.map(Option::unwrap)
    };
    let (ann, is_new) = put(ContactKey::Email, &email("ann@example.com"), 1).await.unwrap();
    assert!(is_new);
    contacts.archive(&scope, ann.contact_id, at(2)).await.unwrap().unwrap();
    let named = ContactUpdate { name: Some(Some("Ann".into())), ..email("Ann@example.com") };
    let (again, is_new) = put(ContactKey::Email, &named, 3).await.unwrap();
    assert_eq!((again.contact_id, is_new, again.archived_at), (ann.contact_id, false, None));
    assert_eq!(again.name.as_deref(), Some("Ann"));
    let (bob, _) = put(ContactKey::ExternalId, &external_id("c2"), 4).await.unwrap();
    let both = ContactUpdate { external_id: Some(Some("c2".into())), ..email("ann@example.com") };
    assert_eq!(holder(put(ContactKey::Email, &both, 5).await).0, bob.contact_id);
    assert_eq!(contacts.find(&scope, ann.contact_id).await.unwrap(), Some(again));
    for (key, update) in [
        (ContactKey::Phone, email("ann@example.com")),
        (ContactKey::Phone, phone("020 7946 0018")),
        (ContactKey::Email, email(" ")),
    ] {
        assert!(matches!(put(key, &update, 6).await, Err(ContactError::NoKey(_))), "{update:?}");
    }
}

async fn customers_are_marked_and_unmarked(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let ann = create(store, &scope, &email("ann@example.com"), 1).await;
    let contacts = store.contacts();
    let payment = Payment {
        paid_at: Some(at(2)),
        amount: Some("10.50".into()),
        currency: Some("GBP".into()),
        reference: None,
    };
    let mark = async |payment: &Payment, second| {
        contacts.mark_as_customer(&scope, ann.contact_id, payment, at(second)).await.unwrap().unwrap()
    };
    let customer = mark(&payment, 3).await;
    assert_eq!((customer.became_customer_at, customer.paid_at), (Some(at(2)), Some(at(2))));
    let again = mark(&Payment { reference: Some("i2".into()), ..Payment::default() }, 4).await;
    assert_eq!((again.became_customer_at, again.payment_amount.as_deref()), (Some(at(2)), Some("10.50")));
    assert_eq!(again.payment_reference.as_deref(), Some("i2"));
    for second in 5..7 {
        let lead = contacts.unmark_as_customer(&scope, ann.contact_id, at(second)).await.unwrap().unwrap();
        assert_eq!(lead, Contact { is_managed: true, updated_at: at(second), ..ann.clone() });
    }
}

async fn merged_contacts_are_one(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let contacts = store.contacts();
    let new = ContactUpdate { name: Some(Some("Ann".into())), ..phone("+442079460018") };
    let target = create(store, &scope, &new, 10).await;
    let source = world.contact.contact_id;
    contacts.mark_as_customer(&scope, source, &Payment::default(), at(11)).await.unwrap().unwrap();
    let merged = contacts.merge(&scope, target.contact_id, source, at(12)).await.unwrap().unwrap();
    assert_eq!(
        (merged.email.as_deref(), merged.name.as_deref(), merged.phone.as_deref()),
        (Some("visitor@example.com"), Some("Ann"), Some("+442079460018"))
    );
    assert_eq!((merged.first_seen_at, merged.became_customer_at), (at(3), Some(at(11))));
    assert_eq!(contacts.find(&scope, source).await.unwrap(), None);
    let first = PageRequest::first(10);
    let conversations = contacts.conversations(&scope, target.contact_id, &first).await.unwrap().items;
    assert_eq!(conversations.len(), 1);
    assert_eq!(conversations[0].conversation_id, world.conversation_id());
    let again = contacts.merge(&scope, target.contact_id, source, at(13)).await;
    assert!(matches!(again, Err(MergeError::NoSource)), "{again:?}");
    let itself = contacts.merge(&scope, target.contact_id, target.contact_id, at(13)).await;
    assert!(matches!(itself, Err(MergeError::SameContact)), "{itself:?}");
    assert_eq!(contacts.find(&scope, target.contact_id).await.unwrap(), Some(merged));
}

async fn proven_contacts_do_not_disappear(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let contacts = store.contacts();
    let ann = proven(store, &scope, "u1", 1).await;
    let claimed = ContactUpdate {
        phone: Some(Some("+442079460018".into())),
        company: Some(Some("Blue Door".into())),
        ..email("mallory@example.com")
    };
    let claimed = create(store, &scope, &claimed, 2).await;
    let refused = contacts.merge(&scope, claimed.contact_id, ann.contact_id, at(3)).await;
    assert!(matches!(refused, Err(MergeError::SourceProven)), "{refused:?}");
    let other = proven(store, &scope, "u2", 3).await;
    let refused = contacts.merge(&scope, ann.contact_id, other.contact_id, at(3)).await;
    assert!(matches!(refused, Err(MergeError::SourceProven)), "{refused:?}");
    let merged = contacts.merge(&scope, ann.contact_id, claimed.contact_id, at(4)).await.unwrap().unwrap();
    assert_eq!((merged.email, merged.phone, merged.company.as_deref()), (None, None, Some("Blue Door")));
    assert_eq!((merged.external_id.as_deref(), merged.is_verified), (Some("u1"), true));
    let renamed = contacts.update(&scope, ann.contact_id, &external_id("u9"), at(5)).await;
    assert!(matches!(renamed, Err(ContactError::ProvenIdentity)), "{renamed:?}");
}

async fn an_import_changes_what_it_knows(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let ann = create(store, &scope, &email("ann@example.com"), 1).await;
    let bob = create(store, &scope, &external_id("c2"), 1).await;
    let row = |update| ImportedContact { update, is_customer: false };
    let known = ContactUpdate { name: Some(Some("Ann".into())), ..email("ann@example.com") };
    let rows = [
        row(known),
        row(ContactUpdate { external_id: Some(Some("c2".into())), ..email("ann@example.com") }),
        ImportedContact { update: email("cleo@example.com"), is_customer: true },
        row(ContactUpdate { name: Some(Some("Nobody".into())), ..ContactUpdate::default() }),
    ];
    let outcomes = store.contacts().import(&scope, &rows, at(2)).await.unwrap().unwrap();
    assert!(matches!(outcomes[0], Ok((id, false)) if id == ann.contact_id), "{outcomes:?}");
    assert!(
        matches!(outcomes[1], Err(ContactError::AlreadyExists { contact_id, .. }) if contact_id == ann.contact_id)
    );
    assert!(matches!(outcomes[2], Ok((_, true))), "{outcomes:?}");
    assert!(matches!(outcomes[3], Err(ContactError::NoKey(_))), "{outcomes:?}");
    assert_eq!(store.contacts().find(&scope, bob.contact_id).await.unwrap(), Some(bob));
    // A number without its country code identifies nobody, but is not lost, and not there twice.
    let dora = row(ContactUpdate { name: Some(Some("Dora".into())), ..phone("020 7946 0018") });
    for (time, expected) in [(3, [true, false]), (4, [false, false])] {
        let outcomes =
            store.contacts().import(&scope, &[dora.clone(), dora.clone()], at(time)).await.unwrap().unwrap();
        let is_new: Vec<bool> = outcomes.into_iter().map(|outcome| outcome.unwrap().1).collect();
        assert_eq!(is_new, expected);
    }
    let customers = ContactFilter { is_customer: Some(true), ..ContactFilter::default() };
    let listed = store.contacts().page(&scope, &customers, &PageRequest::first(10)).await.unwrap().items;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].email.as_deref(), Some("cleo@example.com"));
}

async fn lists_are_filtered(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let contacts = store.contacts();
    let named = ContactUpdate { name: Some(Some("Ann 100%".into())), ..email("ann@example.com") };
    let ann = create(store, &scope, &named, 1).await.contact_id;
    let news = ContactUpdate { kind: Some(ContactKind::Subscriber), ..phone("+44 20 7946 0018") };
    let bob = create(store, &scope, &news, 2).await.contact_id;
    let cleo = proven(store, &scope, "u1", 3).await.contact_id;
    contacts.mark_as_customer(&scope, bob, &Payment::default(), at(9)).await.unwrap().unwrap();
    let gone = create(store, &scope, &email("gone@example.com"), 4).await.contact_id;
    contacts.archive(&scope, gone, at(5)).await.unwrap().unwrap();
    let [asked, other] = [chatbot(store, &scope, "asked").await, chatbot(store, &scope, "other").await];
    let chat = NewTurn { contact_id: Some(ann), ..turn(&asked, None, "Are you open?") };
    store.conversations().begin_turn(&scope, &chat, at(6)).await.unwrap().unwrap();
    let all = ContactFilter::default;
    for (filter, expected) in [
        (all(), vec![cleo, bob, ann]),
        (ContactFilter { archived: true, ..all() }, vec![gone]),
        (ContactFilter { kind: Some("lead".into()), ..all() }, vec![cleo, ann]),
        (ContactFilter { kind: Some("subscriber".into()), ..all() }, vec![]),
        (ContactFilter { kind: Some("customer".into()), ..all() }, vec![bob]),
        (ContactFilter { is_customer: Some(false), ..all() }, vec![cleo, ann]),
        (ContactFilter { is_verified: Some(true), ..all() }, vec![cleo]),
        (ContactFilter { source: Some(frontdesk_store::ContactSource::Api), ..all() }, vec![bob, ann]),
        (ContactFilter { email: Some("ANN@example.com".into()), ..all() }, vec![ann]),
        (ContactFilter { phone: Some("0044 2079460018".into()), ..all() }, vec![bob]),
        (ContactFilter { external_id: Some("u1".into()), ..all() }, vec![cleo]),
        (ContactFilter { text: Some("00%".into()), ..all() }, vec![ann]),
        (ContactFilter { text: Some("2079".into()), ..all() }, vec![bob]),
        (ContactFilter { updated_since: Some(at(9)), ..all() }, vec![bob]),
        (ContactFilter { chatbot_id: Some(asked.chatbot_id), ..all() }, vec![ann]),
        (ContactFilter { chatbot_id: Some(other.chatbot_id), ..all() }, vec![]),
        (ContactFilter { updated_since: Some(Timestamp::MAX), ..all() }, vec![]),
    ] {
        let page = contacts.page(&scope, &filter, &PageRequest::first(10)).await.unwrap();
        let found: Vec<Uuid> = page.items.iter().map(|contact| contact.contact_id).collect();
        assert_eq!(found, expected, "{filter:?}");
    }
    let first = contacts.page(&scope, &all(), &PageRequest::first(2)).await.unwrap();
    let rest = PageRequest { after: first.next, limit: 2 };
    assert_eq!(contacts.page(&scope, &all(), &rest).await.unwrap().items[0].contact_id, ann);
}
