//! An import writes what the same rows would write one by one, however they refer to each other.

use frontdesk_store::{ContactError, ContactFilter, ContactUpdate, ImportedContact, PageRequest};

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{account, at};

on_both_databases!(rows_of_a_step_see_each_other, rows_find_contacts_of_earlier_versions);

/// A phone number: one of two that identify nobody, or one of three that identify a contact.
fn phone_number(digit: &str) -> String {
    match digit {
        "1" | "2" => format!("0171 555 010{digit}"),
        digit => format!("+44 20 7946 000{digit}0"),
    }
}

async fn rows_of_a_step_see_each_other(database: &Database) {
    let store = &database.store;
    let mut random = fastrand::Rng::with_seed(39);
    for round in 0..8 {
        // Few values, so that rows meet by one key and contradict each other by another.
        let mut value = |name: &str| {
            let value = random.usize(..6);
            (value > 0).then(|| Some(format!("{name}{value}")))
        };
        let rows: Vec<ImportedContact> = (0..40)
            .map(|number| {
                let update = ContactUpdate {
                    email: value("person@a.example"),
                    phone: value("").map(|digit| digit.map(|digit| phone_number(&digit))),
                    external_id: value("crm-"),
                    name: Some(Some(format!("Person {number}"))),
                    ..ContactUpdate::default()
                };
                ImportedContact { update, is_customer: number % 7 == 0 }
            })
            .collect();
        let mut results = Vec::new();
        for step in [rows.len(), 1, 7] {
            let account = account(store, &format!("{round} by {step}")).await;
            let scope = account.scope();
            let mut outcomes = Vec::new();
            for rows in rows.chunks(step) {
                let imported = store.contacts().import(&scope, rows, at(2)).await.unwrap().unwrap();
                outcomes.extend(imported.into_iter().map(|outcome| match outcome {
                    Ok((_, is_new)) => Ok(is_new),
                    Err(ContactError::AlreadyExists { key, .. }) => Err(Some(key)),
                    Err(ContactError::NoKey(_)) => Err(None),
                    Err(error) => panic!("{error:?}"),
                }));
            }
            let page =
                store.contacts().page(&scope, &ContactFilter::default(), &PageRequest::first(100)).await;
            let mut contacts: Vec<_> = page
                .unwrap()
                .items
                .into_iter()
                .map(|contact| {
                    (
                        contact.external_id,
                        contact.email,
                        contact.phone,
                        contact.name,
                        contact.became_customer_at,
                    )
                })
                .collect();
            contacts.sort();
            results.push((outcomes, contacts));
        }
        assert_eq!(results[0], results[1], "{rows:?}");
        assert_eq!(results[0], results[2], "{rows:?}");
    }
}

/// Earlier versions stored addresses as they were written.
async fn rows_find_contacts_of_earlier_versions(database: &Database) {
    const WRITTEN: &str = "info@bäcker.example";
    const NORMAL: &str = "info@xn--bcker-gra.example";
    let store = &database.store;
    let pool = database.raw().await;
    for (round, spellings) in
        [[WRITTEN, NORMAL], [NORMAL, WRITTEN], ["INFO@Bäcker.example", WRITTEN]].iter().enumerate()
    {
        let scope = account(store, &format!("{round}")).await.scope();
        let email = |text: &str| Some(Some(text.to_owned()));
        let known = ContactUpdate { email: email(WRITTEN), ..ContactUpdate::default() };
        let known = store.contacts().create(&scope, &known, at(1)).await.unwrap().unwrap();
        assert_eq!(known.email.as_deref(), Some(NORMAL));
        sqlx::query("UPDATE contacts SET email = $1 WHERE contact_id = $2")
            .bind(WRITTEN)
            .bind(known.contact_id.to_string())
            .execute(&pool)
            .await
            .unwrap();
        let [one, other] = spellings;
        let row = |spelling: &str, name: &str| ImportedContact {
            update: ContactUpdate {
                email: email(spelling),
                name: Some(Some(name.to_owned())),
                ..ContactUpdate::default()
            },
            is_customer: false,
        };
        // Another person wants the address.
        let taking = ContactUpdate {
            external_id: Some(Some("crm-1".into())),
            email: email(one),
            ..ContactUpdate::default()
        };
        let rows =
            [row(one, "First"), row(other, "Second"), ImportedContact { update: taking, is_customer: false }];
        let imported = store.contacts().import(&scope, &rows, at(2)).await.unwrap().unwrap();
        for outcome in &imported[..2] {
            assert!(
                matches!(outcome, Ok((id, false)) if *id == known.contact_id),
                "{spellings:?}: {imported:?}"
            );
        }
        assert!(
            matches!(imported[2], Err(ContactError::AlreadyExists { contact_id, .. }) if contact_id == known.contact_id),
            "{spellings:?}: {imported:?}"
        );
        let page = store.contacts().page(&scope, &ContactFilter::default(), &PageRequest::first(10)).await;
        let contacts = page.unwrap().items;
        assert_eq!(contacts.len(), 1, "{spellings:?}: {contacts:?}");
        assert_eq!(
            (contacts[0].email.as_deref(), contacts[0].name.as_deref()),
            (Some(NORMAL), Some("Second"))
        );
    }
    pool.close().await;
}
