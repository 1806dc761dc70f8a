//! A file of 50,000 contacts, as a business brings it along when it moves.

use frontdesk_client::model::{ImportOutcome, NewMessage};
use frontdesk_store::Plan;
use sqlx::AnyPool;

use crate::{
    database::Database,
    installation::{Installation, learned, status},
    on_both_databases,
    site::{Page, Site},
    wire::Request,
};

on_both_databases!(
    fifty_thousand_contacts_are_imported_while_visitors_are_answered,
    a_file_of_too_many_rows_imports_nothing,
);

const CONTACTS: i64 = 50_000;

/// A row as other programs export it.
fn row(number: i64) -> String {
    format!(
        "person.{number}@customer{}.example,Person Number {number},+4420{number:08},\"Company {number}, Ltd\",crm-{number},\"vip; list {}\",\"{{\"\"City\"\":\"\"Town {}\"\"}}\",yes\r\n",
        number % 997,
        number % 12,
        number % 300
    )
}

async fn fifty_thousand_contacts_are_imported_while_visitors_are_answered(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let site =
        Site::of([("/", Page::html("Nursery", "<p>The nursery is closed on every Monday.</p>"))]).await;
    let bot = learned(&client, &site).await;
    let mut csv =
        String::from("email,name,phone,company,external_id,tags,custom_fields,marketing_consent\r\n");
    csv.extend((1..=CONTACTS).map(row));
    assert!(csv.len() > 6 << 20, "larger than the general limit of bodies: {}", csv.len());
    let importing = tokio::spawn({
        let (client, csv) = (client.clone(), csv);
        async move {
            let import = client.contacts().import(csv).timeout(std::time::Duration::from_mins(5));
            import.await.unwrap().into_inner()
        }
    });
    // Each message of a visitor is written between two steps of the import: some contacts are there after it,
    // and others are not yet.
    let pool = AnyPool::connect(&service.database.url).await.unwrap();
    let mut is_between = false;
    while !importing.is_finished() {
        let asked = client.messages().send(bot.into(), NewMessage::new("When is the nursery closed?"));
        let answer = asked.await.unwrap().into_inner();
        assert!(answer.response.contains("Monday"), "{answer:?}");
        let imported: i64 =
            sqlx::query_scalar("SELECT COUNT(*) FROM contacts").fetch_one(&pool).await.unwrap();
        is_between |= (1..CONTACTS).contains(&imported);
    }
    pool.close().await;
    assert!(is_between, "no visitor was answered before the import had ended");
    let report = importing.await.unwrap();
    assert_eq!((report.created, report.updated, report.rejected), (CONTACTS, 0, 0));
    let last = report.lines.last().unwrap();
    assert_eq!((last.line, &last.outcome), (CONTACTS + 1, &ImportOutcome::Created));

    let found =
        client.contacts().lookup().email("person.50000@customer150.example").await.unwrap().into_inner();
    assert_eq!(Some(found.contact_id), last.contact_id);
    assert_eq!(
        (found.name.as_deref(), found.phone.as_deref()),
        (Some("Person Number 50000"), Some("+442000050000"))
    );
    assert_eq!(found.company.as_deref(), Some("Company 50000, Ltd"));
    assert_eq!(
        (found.tags.clone(), found.custom_fields.get("City").map(String::as_str)),
        (vec!["list 8".to_owned(), "vip".to_owned()], Some("Town 200"))
    );
    service.stop().await;
}

async fn a_file_of_too_many_rows_imports_nothing(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let mut csv = String::from("email\n");
    csv.extend((0..=100_000).map(|number| format!("p{number}@c.example\n")));
    let refused = client.contacts().import(csv).await;
    assert_eq!(status(&refused), 422, "{refused:?}");
    let text = format!("{refused:?}");
    assert!(text.contains("has 100001 rows, and may have up to 100,000"), "{text}");
    assert!(client.contacts().list().await.unwrap().contacts.is_empty());
    // A body of more than 32 MB is not read.
    let large = Request::new("POST", "/api/v1/contacts/import").key(&acme.key.text);
    let large = large.body_of("text/csv", vec![b'x'; (32 << 20) + 1]).send(service.address()).await;
    assert_eq!(large.status, 413);
    service.stop().await;
}
