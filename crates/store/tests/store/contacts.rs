//! Claims never reach proven contacts.

use frontdesk_store::{
    Contact, ContactFields, ContactInput, ContactUpdate, Identity, Scope, Store, VisitorSubject,
};
use serde_json::json;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{account, at, claim};

on_both_databases!(
    claims_about_one_address_are_one_contact,
    claims_go_on_about_the_contact_of_the_conversation,
    a_claim_never_reaches_a_proven_contact,
    signed_fields_win,
    an_address_stays_with_the_proven_contact_that_has_it,
    nothing_said_is_no_contact,
    a_visitor_met_many_times_at_once_is_one_contact,
    a_phone_number_identifies_one_contact,
    a_subject_known_to_the_account_becomes_proven,
    claims_fill_but_never_change_what_the_account_has_written,
);

fn signed(subject: &str, email: Option<&str>) -> ContactInput {
    let fields = ContactFields {
        email: email.map(str::to_owned),
        name: Some(format!("Signed {subject}")),
        ..ContactFields::default()
    };
    ContactInput {
        verified: Some(Identity { subject: VisitorSubject::new(subject).unwrap(), fields }),
        ..ContactInput::default()
    }
}

fn phone_claim(phone: &str) -> ContactInput {
    let claimed = ContactFields { phone: Some(phone.into()), ..ContactFields::default() };
    ContactInput { claimed, ..ContactInput::default() }
}

async fn upsert(store: &Store, scope: &Scope, input: &ContactInput, second: i64) -> Contact {
    store.contacts().upsert(scope, input, at(second)).await.unwrap().unwrap()
}

async fn claims_about_one_address_are_one_contact(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let first = upsert(store, &scope, &claim(" Ann@Example.com "), 1).await;
    assert_eq!((first.email.as_deref(), first.is_verified), (Some("ann@example.com"), false));
    let mut more = claim("ANN@example.com");
    more.claimed.name = Some(" Ann ".into());
    more.claimed.phone = Some("   ".into());
    more.claimed.custom = Some(json!(["size 40", null]));
    let second = upsert(store, &scope, &more, 2).await;
    assert_eq!((second.contact_id, second.name.as_deref()), (first.contact_id, Some("Ann")));
    assert_eq!((second.phone.as_deref(), second.custom), (None, Some(json!(["size 40", null]))));
    assert_eq!((second.first_seen_at, second.last_seen_at), (at(1), at(2)));
    let third = upsert(store, &scope, &claim("ann@example.com"), 3).await;
    assert_eq!((third.name.as_deref(), third.last_seen_at), (Some("Ann"), at(3)));
    let other = upsert(store, &account(store, "Two").await.scope(), &claim("ann@example.com"), 4).await;
    assert_ne!(other.contact_id, first.contact_id);
    assert_eq!(other.name, None);
}

async fn claims_go_on_about_the_contact_of_the_conversation(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let named = ContactInput {
        claimed: ContactFields { name: Some("Ann".into()), ..ContactFields::default() },
        ..ContactInput::default()
    };
    let nameless = upsert(store, &scope, &named, 1).await;
    assert_ne!(
        upsert(store, &scope, &named, 1).await.contact_id,
        nameless.contact_id,
        "a name is no identifier"
    );
    let in_conversation =
        |email: &str| ContactInput { conversation_contact: Some(nameless.contact_id), ..claim(email) };
    let with_email = upsert(store, &scope, &in_conversation("ann@example.com"), 2).await;
    assert_eq!((with_email.contact_id, with_email.name.as_deref()), (nameless.contact_id, Some("Ann")));
    let someone_else = upsert(store, &scope, &in_conversation("bob@example.com"), 3).await;
    assert_ne!(someone_else.contact_id, nameless.contact_id);
    assert_eq!((someone_else.email.as_deref(), someone_else.name), (Some("bob@example.com"), None));
    let ann = store.contacts().find(&scope, nameless.contact_id).await.unwrap().unwrap();
    assert_eq!(ann.email.as_deref(), Some("ann@example.com"));
    let silent = ContactInput { conversation_contact: Some(ann.contact_id), ..ContactInput::default() };
    assert_eq!(store.contacts().upsert(&scope, &silent, at(4)).await.unwrap(), Some(ann));
}

async fn a_claim_never_reaches_a_proven_contact(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let proven = upsert(store, &scope, &signed("u1", Some("ann@example.com")), 1).await;
    assert!(proven.is_verified);
    let mut forged = claim("ann@example.com");
    forged.claimed.name = Some("Mallory".into());
    forged.claimed.phone = Some("+1".into());
    forged.conversation_contact = Some(proven.contact_id);
    let claimed = upsert(store, &scope, &forged, 2).await;
    assert_ne!(claimed.contact_id, proven.contact_id);
    assert!(!claimed.is_verified);
    assert_eq!(store.contacts().find(&scope, proven.contact_id).await.unwrap(), Some(proven.clone()));
    assert_eq!(upsert(store, &scope, &forged, 3).await.contact_id, claimed.contact_id);
    let silent = ContactInput { conversation_contact: Some(proven.contact_id), ..ContactInput::default() };
    assert_eq!(store.contacts().upsert(&scope, &silent, at(4)).await.unwrap(), None);
    let mut alongside = signed("u1", None);
    alongside.claimed = forged.claimed.clone();
    let after = upsert(store, &scope, &alongside, 5).await;
    assert_eq!((after.name.as_deref(), after.phone), (Some("Signed u1"), None));
    assert_eq!(after.email.as_deref(), Some("ann@example.com"));
}

async fn signed_fields_win(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let claimed = upsert(store, &scope, &claim("ann@example.com"), 1).await;
    let mut first = signed("u1", Some("Ann@example.com"));
    first.claimed = ContactFields {
        email: Some("evil@example.com".into()),
        name: Some("Ignored".into()),
        phone: Some("+1".into()),
        company: Some("Blue Door".into()),
        custom: None,
    };
    let proven = upsert(store, &scope, &first, 2).await;
    assert_ne!(proven.contact_id, claimed.contact_id, "what was claimed before is not proven now");
    assert_eq!(
        (proven.external_id.as_deref(), proven.email.as_deref()),
        (Some("u1"), Some("ann@example.com"))
    );
    assert_eq!((proven.name.as_deref(), proven.company.as_deref()), (Some("Signed u1"), Some("Blue Door")));
    assert_eq!(proven.phone, None);
    let moved = upsert(store, &scope, &signed("u1", Some("ann@new.example")), 3).await;
    assert_eq!((moved.contact_id, moved.email.as_deref()), (proven.contact_id, Some("ann@new.example")));
    assert_eq!(moved.company.as_deref(), Some("Blue Door"));
    let same = upsert(store, &scope, &signed(" u1\u{a0}", None), 4).await;
    assert_eq!(same.contact_id, proven.contact_id);
}

async fn an_address_stays_with_the_proven_contact_that_has_it(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let first = upsert(store, &scope, &signed("u1", Some("ann@example.com")), 1).await;
    let second = upsert(store, &scope, &signed("u2", Some("ann@example.com")), 2).await;
    assert_ne!(second.contact_id, first.contact_id);
    assert_eq!((second.email, second.name.as_deref()), (None, Some("Signed u2")));
    assert_eq!(store.contacts().find(&scope, first.contact_id).await.unwrap(), Some(first));
    let again = upsert(store, &scope, &signed("u1", Some("ann@example.com")), 3).await;
    assert_eq!(again.email.as_deref(), Some("ann@example.com"));
}

async fn nothing_said_is_no_contact(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let mut blank = claim("  ");
    blank.claimed.custom = Some(json!(null));
    assert_eq!(store.contacts().upsert(&scope, &blank, at(1)).await.unwrap(), None);
    let nobody = Scope::of_account(uuid::Uuid::nil());
    assert_eq!(store.contacts().upsert(&nobody, &claim("ann@example.com"), at(1)).await.unwrap(), None);
    assert!(store.contacts().list(&scope, None, 10).await.unwrap().is_empty());
}

async fn a_visitor_met_many_times_at_once_is_one_contact(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let by_phone = phone_claim("+44 20 7946 0018");
    for input in [claim("ann@example.com"), signed("u1", Some("ann@example.com")), by_phone] {
        let meeting: Vec<_> = (0..100)
            .map(|second| {
                let (store, input) = (store.clone(), input.clone());
                tokio::spawn(async move { upsert(&store, &scope, &input, second).await.contact_id })
            })
            .collect();
        let mut ids = std::collections::BTreeSet::new();
        for task in meeting {
            ids.insert(task.await.unwrap());
        }
        assert_eq!(ids.len(), 1, "{input:?}");
    }
    let contacts = store.contacts().list(&scope, None, 10).await.unwrap();
    assert_eq!(contacts.len(), 3);
    let rest = store.contacts().list(&scope, Some(contacts[0].contact_id), 10).await.unwrap();
    assert_eq!(rest, contacts[1..]);
}

async fn a_phone_number_identifies_one_contact(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let first = upsert(store, &scope, &phone_claim("+44 (0)20 7946-0018"), 1).await;
    assert_eq!(first.phone.as_deref(), Some("+442079460018"));
    let again = upsert(store, &scope, &phone_claim("0044 20 7946 0018"), 2).await;
    assert_eq!(again.contact_id, first.contact_id);
    let mut with_email = phone_claim("+442079460018");
    with_email.claimed.email = Some("ann@example.com".into());
    let named = upsert(store, &scope, &with_email, 3).await;
    assert_eq!((named.contact_id, named.email.as_deref()), (first.contact_id, Some("ann@example.com")));
    // Another person on the same line keeps the number, but is not identified by it.
    with_email.claimed.email = Some("bob@example.com".into());
    let colleague = upsert(store, &scope, &with_email, 4).await;
    assert_ne!(colleague.contact_id, first.contact_id);
    assert_eq!(colleague.phone.as_deref(), Some("+442079460018"));
    assert_eq!(upsert(store, &scope, &phone_claim("+442079460018"), 5).await.contact_id, first.contact_id);
    // A number without its country code identifies nobody.
    let national = upsert(store, &scope, &phone_claim("020 7946 0018"), 6).await;
    assert_eq!(national.phone.as_deref(), Some("020 7946 0018"));
    assert_ne!(upsert(store, &scope, &phone_claim("020 7946 0018"), 7).await.contact_id, national.contact_id);
    // A proven contact cannot lose its number to somebody who has claimed it first, and is out of reach of
    // claims by number.
    let mut identity = signed("u1", None);
    identity.verified.as_mut().unwrap().fields.phone = Some("+44 20 7946 0018".into());
    let proven = upsert(store, &scope, &identity, 8).await;
    let key = frontdesk_store::ContactKey::Phone;
    let found = store.contacts().lookup(&scope, key, "+442079460018").await.unwrap().unwrap();
    assert_eq!(found.contact_id, proven.contact_id);
    assert_eq!(upsert(store, &scope, &phone_claim("+442079460018"), 9).await.contact_id, first.contact_id);
    assert_eq!(store.contacts().find(&scope, proven.contact_id).await.unwrap(), Some(proven));
}

async fn a_subject_known_to_the_account_becomes_proven(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let new = ContactUpdate {
        external_id: Some(Some("u1".into())),
        email: Some(Some("ann@example.com".into())),
        company: Some(Some("Blue Door".into())),
        ..ContactUpdate::default()
    };
    let made = store.contacts().create(&scope, &new, at(1)).await.unwrap().unwrap();
    assert!(!made.is_verified);
    let proven = upsert(store, &scope, &signed("u1", None), 2).await;
    assert_eq!((proven.contact_id, proven.is_verified), (made.contact_id, true));
    assert_eq!(
        (proven.email.as_deref(), proven.company.as_deref(), proven.name.as_deref()),
        (Some("ann@example.com"), Some("Blue Door"), Some("Signed u1"))
    );
    // An address that another proven contact has does not become proven a second time.
    let other = upsert(store, &scope, &signed("u2", Some("cleo@example.com")), 3).await;
    let taken = ContactInput { conversation_contact: None, ..claim("cleo@example.com") };
    let claimed = upsert(store, &scope, &taken, 4).await;
    let update = ContactUpdate { external_id: Some(Some("u3".into())), ..ContactUpdate::default() };
    store.contacts().update(&scope, claimed.contact_id, &update, at(5)).await.unwrap().unwrap();
    let third = upsert(store, &scope, &signed("u3", None), 6).await;
    assert_eq!((third.contact_id, third.is_verified, third.email), (claimed.contact_id, true, None));
    assert_eq!(store.contacts().find(&scope, other.contact_id).await.unwrap(), Some(other));
}

async fn claims_fill_but_never_change_what_the_account_has_written(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let new = ContactUpdate {
        email: Some(Some("ann@example.com".into())),
        name: Some(Some("Ann Baker".into())),
        ..ContactUpdate::default()
    };
    let made = store.contacts().create(&scope, &new, at(1)).await.unwrap().unwrap();
    let mut forged = claim("ann@example.com");
    forged.claimed.name = Some("Mallory".into());
    forged.claimed.company = Some("Blue Door".into());
    let met = upsert(store, &scope, &forged, 2).await;
    assert_eq!((met.contact_id, met.name.as_deref()), (made.contact_id, Some("Ann Baker")));
    assert_eq!((met.company.as_deref(), met.last_seen_at), (Some("Blue Door"), at(2)));
}
