//! CSV files as spreadsheets and address books write them, and what becomes of each line.

use frontdesk_store::Plan;
use serde_json::{Value, json};

use crate::{
    database::{Customer, Database},
    installation::Installation,
    on_both_databases,
    wire::{Request, json as body_of},
};

on_both_databases!(
    files_of_spreadsheets_and_address_books_are_imported,
    a_line_with_too_many_fields_is_rejected_with_its_number,
    an_export_is_imported_again_unchanged,
    questions_of_a_spreadsheet_are_imported,
);

const IMPORT: &str = "/api/v1/contacts/import";

async fn import(service: &Installation, customer: &Customer, media_type: &str, file: &[u8]) -> (u16, Value) {
    let request = Request::new("POST", IMPORT).key(&customer.key.text).body_of(media_type, file);
    let raw = request.send(service.address()).await;
    (raw.status.as_u16(), body_of(&raw))
}

/// Returns the contact with an email address.
async fn contact(service: &Installation, customer: &Customer, email: &str) -> Value {
    let path = format!("/api/v1/contacts/lookup?email={email}");
    let raw = Request::new("GET", &path).key(&customer.key.text).send(service.address()).await;
    assert_eq!(raw.status, 200, "{email}: {raw:?}");
    body_of(&raw)
}

/// Bytes of UTF-16 with a byte order mark, as Excel writes "Unicode text".
fn unicode_text(text: &str) -> Vec<u8> {
    let words = std::iter::once(0xfeff).chain(text.encode_utf16());
    words.flat_map(u16::to_le_bytes).collect()
}

async fn files_of_spreadsheets_and_address_books_are_imported(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let latin1 = b"email;name\r\nlatin@x.example;J\xfcrgen Gro\xdf \x96 5 \x80\r\n".to_vec();
    for (file, media_type, email, name, ignored) in [
        (b"email\tname\ntab@x.example\tTab Ann\n".to_vec(), "text/csv", "tab@x.example", "Tab Ann", vec![]),
        (
            b"sep=;\r\nemail;name\r\nsep@x.example;Sep, Ann\r\n".to_vec(),
            "text/csv",
            "sep@x.example",
            "Sep, Ann",
            vec![],
        ),
        (latin1.clone(), "text/csv", "latin@x.example", "J\u{fc}rgen Gro\u{df} \u{2013} 5 \u{20ac}", vec![]),
        (
            latin1,
            "text/csv; charset=iso-8859-1",
            "latin@x.example",
            "J\u{fc}rgen Gro\u{df} \u{2013} 5 \u{20ac}",
            vec![],
        ),
        (
            unicode_text("email\tname\tColour\r\nunicode@x.example\tJürgen Größe\tred\r\n"),
            "text/csv",
            "unicode@x.example",
            "Jürgen Größe",
            vec!["Colour"],
        ),
        (
            "\u{feff}email;name\r\nmark@x.example;Änne\r\n".into(),
            "text/csv; charset=utf-8",
            "mark@x.example",
            "Änne",
            vec![],
        ),
        (
            b"E-mail Address,First Name,Last Name,Mobile Phone\na9@x.example,Ann,Lee,+441134960019\n".to_vec(),
            "text/csv",
            "a9@x.example",
            "Ann Lee",
            vec![],
        ),
        (
            b"Email Address,First Name,Last Name,MEMBER_RATING,TAGS\nm@x.example,Mia,Chimp,2,\"\"\"VIP\"\"\"\n".to_vec(),
            "text/csv",
            "m@x.example",
            "Mia Chimp",
            vec!["MEMBER_RATING"],
        ),
        (
            b"First Name,Last Name,Organization Name,E-mail 1 - Label,E-mail 1 - Value\nGus,Book,Acme,Home,g@x.example\n"
                .to_vec(),
            "text/csv",
            "g@x.example",
            "Gus Book",
            vec!["E-mail 1 - Label"],
        ),
    ] {
        let (status, outcome) = import(&service, &acme, media_type, &file).await;
        assert_eq!(status, 200, "{email}: {outcome}");
        assert_eq!(outcome["rejected"], 0, "{email}: {outcome}");
        assert_eq!(outcome["ignored_columns"], json!(ignored), "{email}");
        assert_eq!(contact(&service, &acme, email).await["name"], name, "{email}");
    }
    assert_eq!(contact(&service, &acme, "a9@x.example").await["phone"], "+441134960019");
    assert_eq!(contact(&service, &acme, "g@x.example").await["company"], "Acme");
    assert_eq!(contact(&service, &acme, "m@x.example").await["tags"], json!(["VIP"]));
    // What cannot be read says what to do, and nothing is written.
    for (file, media_type, expected, words) in [
        (&b"name,company\nAnn,Acme\n"[..], "text/csv", 422, "There is no column `email`"),
        (b"", "text/csv", 422, "The file is empty."),
        (b"email,E-Mail\na@x.example,b@x.example\n", "text/csv", 422, "There are several columns `email`"),
        (b"sep=;\n", "text/csv", 422, "The file is empty."),
    ] {
        let (status, outcome) = import(&service, &acme, media_type, file).await;
        assert_eq!(status, expected, "{outcome}");
        assert!(outcome.to_string().contains(words), "{outcome}");
    }
    let (status, outcome) = import(&service, &acme, "text/csv", b"email,name").await;
    assert_eq!((status, &outcome["lines"]), (200, &json!([])));
    service.stop().await;
}

async fn a_line_with_too_many_fields_is_rejected_with_its_number(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let file = "email,name,company\n\ns1@x.example,Short\n,,\ns2@x.example,\"Two\nlines\",Co,extra\ns3@x.example,Long,Co,,\n";
    let (status, outcome) = import(&service, &acme, "text/csv", file.as_bytes()).await;
    assert_eq!(status, 200);
    let lines = outcome["lines"].as_array().unwrap();
    let told: Vec<(u64, &str)> = lines
        .iter()
        .map(|line| (line["line"].as_u64().unwrap(), line["outcome"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [(3, "created"), (5, "rejected"), (7, "created")]);
    let message = lines[1]["message"].as_str().unwrap();
    assert!(
        message.contains("4 fields") && message.contains("3 columns") && message.contains("quotes"),
        "{message}"
    );
    service.stop().await;
}

async fn an_export_is_imported_again_unchanged(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    for (number, name) in [
        "=cmd|' /C calc'!A0",
        "+44",
        "-1",
        "@SUM(A1)",
        "'quoted",
        "a,b;c\td",
        "say \"no\"",
        "two\nlines",
        "＝1",
        "Größe",
    ]
    .into_iter()
    .enumerate()
    {
        let body = json!({
            "email": format!("{number}@x.example"), "name": name, "company": name, "phone": "+44 20 7946 0018".replace("18", &format!("{:02}", number + 20)),
            "external_id": format!("={number}"), "tags": ["=vip", "a;b"], "custom": ["=x", null, "a\"b"], "custom_fields": { "Size": "=L" },
            "consent": { "marketing": number % 2 == 0 },
        });
        let created = Request::new("POST", "/api/v1/contacts").key(&acme.key.text).json(body.to_string());
        let created = created.send(service.address()).await;
        assert_eq!(created.status, 201, "{name}: {created:?}");
    }
    let export = async || {
        let raw =
            Request::new("GET", "/api/v1/contacts/export").key(&acme.key.text).send(service.address()).await;
        assert_eq!(raw.status, 200);
        raw.body.to_vec()
    };
    let before = export().await;
    let (status, outcome) = import(&service, &acme, "text/csv", &before).await;
    assert_eq!(
        (status, &outcome["updated"], &outcome["created"], &outcome["rejected"]),
        (200, &json!(10), &json!(0), &json!(0)),
        "{outcome}"
    );
    assert_eq!(without_last_seen(&export().await), without_last_seen(&before));
    // In an account that has none of them they are created as they were.
    let other = service.database.customer("other", Plan::Growth).await;
    let (status, outcome) = import(&service, &other, "text/csv", &before).await;
    assert_eq!((status, &outcome["created"]), (200, &json!(10)), "{outcome}");
    for email in ["0@x.example", "7@x.example"] {
        let (ours, theirs) = (contact(&service, &acme, email).await, contact(&service, &other, email).await);
        for field in ["name", "company", "phone", "external_id", "tags", "custom", "custom_fields"] {
            assert_eq!(theirs[field], ours[field], "{email} {field}");
        }
    }
    service.stop().await;
}

/// Returns the rows of an export without their last column, the time of the last change.
fn without_last_seen(file: &[u8]) -> Vec<String> {
    let text = std::str::from_utf8(file).unwrap();
    let rows = text.split_terminator("\r\n").map(|row| row.rsplit_once(',').unwrap());
    let (kept, times): (Vec<String>, Vec<&str>) = rows.map(|(kept, time)| (kept.to_owned(), time)).unzip();
    assert_eq!(times[0], "last_seen_at");
    assert!(times[1..].iter().all(|time| time.parse::<jiff::Timestamp>().is_ok()), "{times:?}");
    kept
}

async fn questions_of_a_spreadsheet_are_imported(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let faq =
        Request::new("POST", "/api/v1/faqs").key(&acme.key.text).json(json!({ "name": "Shop" }).to_string());
    let faq = body_of(&faq.send(service.address()).await)["faq_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/faqs/{faq}/import");
    let import = async |file: Vec<u8>| {
        let raw = Request::new("POST", &path)
            .key(&acme.key.text)
            .body_of("text/csv", file)
            .send(service.address())
            .await;
        assert_eq!(raw.status, 200, "{raw:?}");
        body_of(&raw)
    };
    let outcome = import(b"question,answer\nDo you deliver?,Yes, to every country\n".to_vec()).await;
    assert_eq!((&outcome["created"], &outcome["rejected"][0]["line"]), (&json!(0), &json!(2)), "{outcome}");
    let outcome = import(unicode_text("Question\tAnswer\tTopic\r\nWo?\tIn Köln, am Dom.\tOrt\r\n")).await;
    assert_eq!(
        (&outcome["created"], &outcome["ignored_columns"]),
        (&json!(1), &json!(["Topic"])),
        "{outcome}"
    );
    let outcome = import(b"sep=;\nquestion;answer\nWann?;T\xe4glich, au\xdfer sonntags.\n".to_vec()).await;
    assert_eq!(outcome["created"], 1, "{outcome}");
    let items = Request::new("GET", &format!("/api/v1/faqs/{faq}/items"))
        .key(&acme.key.text)
        .send(service.address())
        .await;
    let items = body_of(&items).to_string();
    assert!(items.contains("In Köln, am Dom.") && items.contains("Täglich, außer sonntags."), "{items}");
    service.stop().await;
}
