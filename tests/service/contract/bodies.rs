//! Bodies of requests before they are decoded: when they are read, how they are encoded, and how repeated
//! ones are recognized.

use data_encoding::HEXLOWER;
use frontdesk_store::Plan;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    database::{Customer, Database},
    installation::Installation,
    on_both_databases,
    wire::{Request, early_answer, json},
};

on_both_databases!(
    a_form_that_is_repeated_with_another_boundary_is_the_same_request,
    a_key_is_claimed_only_by_a_request_that_may_run,
    a_response_that_cannot_be_decrypted_is_told_as_lost,
);

const ATTACHMENTS: &str = "/api/v1/inbox/attachments";
const DEALS: &str = "/api/v1/deals";
const KEY: &str = "Idempotency-Key";
/// The size of the largest attachment, in bytes.
const LARGEST: usize = 10 << 20;

async fn start(database: Database) -> (Installation, Customer) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    (service, customer)
}

/// Creates a deal with this title.
fn deal(customer: &Customer, title: &str) -> Request {
    Request::new("POST", DEALS).key(&customer.key.text).json(format!(r#"{{"title":"{title}"}}"#))
}

/// Uploads an attachment in a form with this boundary.
fn upload(customer: &Customer, key: &str, boundary: &str, name: &str, content: &[u8]) -> Request {
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: text/plain\r\n\r\n"
    );
    let body = [head.as_bytes(), content, format!("\r\n--{boundary}--\r\n").as_bytes()].concat();
    Request::new("POST", ATTACHMENTS)
        .key(&customer.key.text)
        .header(KEY, key)
        .body_of(&format!("multipart/form-data; boundary={boundary}"), body)
}

async fn a_form_that_is_repeated_with_another_boundary_is_the_same_request(database: Database) {
    let (service, customer) = start(database).await;
    let content = vec![b'a'; LARGEST];
    let first = upload(&customer, "k-1", "one", "notes.txt", &content).send(service.address()).await;
    assert_eq!(first.status, 201, "{first:?}");
    assert_eq!(json(&first)["size_bytes"], LARGEST);
    let again = upload(&customer, "k-1", "two", "notes.txt", &content).send(service.address()).await;
    assert_eq!((again.status.as_u16(), json(&again)), (201, json(&first)));
    assert_eq!(again.headers["idempotent-replayed"], "true");
    for (name, content) in [("other.txt", &content[..]), ("notes.txt", &content[1..])] {
        let other = upload(&customer, "k-1", "two", name, content).send(service.address()).await;
        assert_eq!(json(&other)["error"], "idempotency_key_reused", "{name}");
    }
    let longer = [&content[..], b"a"].concat();
    let longer = upload(&customer, "k-2", "two", "notes.txt", &longer).send(service.address()).await;
    assert_eq!(longer.status, 413, "{longer:?}");
    service.stop().await;
}

async fn a_key_is_claimed_only_by_a_request_that_may_run(database: Database) {
    let (service, customer) = start(database).await;
    let too_large = format!(r#"{{"title":"Order 1"}}{}"#, " ".repeat(1 << 20));
    let too_large = Request::new("POST", DEALS).key(&customer.key.text).header(KEY, "k-1").json(too_large);
    assert_eq!(too_large.send(service.address()).await.status, 413);
    // A request that is refused by its rate limit claims nothing, whatever it says.
    let hasty = service.database.key(&customer.owner, Some(1)).await;
    let by_hasty = |title: &str| {
        let body = format!(r#"{{"title":"{title}"}}"#);
        Request::new("POST", DEALS).key(&hasty.text).header(KEY, "k-1").json(body)
    };
    let made = by_hasty("Order 2").send(service.address()).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert_eq!(by_hasty("Order 3").send(service.address()).await.status, 429);
    let made = deal(&customer, "Order 4").header(KEY, "k-1").send(service.address()).await;
    assert_eq!(made.status, 201, "{made:?}");
    service.stop().await;
}

async fn a_response_that_cannot_be_decrypted_is_told_as_lost(database: Database) {
    let (service, customer) = start(database).await;
    let request = deal(&customer, "Order 1").header(KEY, "k-1");
    assert_eq!(request.send(service.address()).await.status, 201);
    let stored = "x2.former.bm8gbm9uY2UgYW5kIG5vIGNpcGhlcnRleHQgdGhhdCBhbnlib2R5IGtub3dz";
    let bytes = HEXLOWER.encode(stored.as_bytes());
    let bytes = if service.database.is_postgres() { format!("'\\x{bytes}'") } else { format!("X'{bytes}'") };
    service.database.run(&format!("UPDATE idempotency_keys SET body = {bytes}")).await;
    let again = request.send(service.address()).await;
    assert_eq!((again.status.as_u16(), &json(&again)["error"]), (409, &"response_lost".into()), "{again:?}");
    assert!(!String::from_utf8_lossy(&again.body).contains("x2."), "{again:?}");
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_body_is_read_from_somebody_who_is_not_known() {
    let (service, customer) = start(Database::sqlite().await).await;
    for key in [None, Some("sk_live_nothing")] {
        for path in [DEALS, ATTACHMENTS] {
            let request = Request::new("POST", path).header(KEY, "k-1").header("Content-Length", "10485760");
            let request = request.header("Content-Type", "multipart/form-data; boundary=a");
            let request = key.iter().fold(request, |request, key| request.key(key));
            let mut stream = TcpStream::connect(service.address()).await.unwrap();
            // The body never comes, so the response can only come before it.
            stream.write_all(&request.head()).await.unwrap();
            assert_eq!(early_answer(stream).await.status, 401, "{request:?}");
        }
    }

    // A client that asks first sends no body in vain.
    let asking = |key: &str| {
        Request::new("POST", DEALS)
            .key(key)
            .header(KEY, "k-2")
            .header("Expect", "100-continue")
            .json("{\"title\":\"A\"}")
    };
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    stream.write_all(&asking("sk_live_nothing").head()).await.unwrap();
    assert_eq!(early_answer(stream).await.status, 401);
    let request = asking(&customer.key.text);
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    stream.write_all(&request.head()).await.unwrap();
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).await.unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(request.body()).await.unwrap();
    assert_eq!(early_answer(stream).await.status, 201);
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_is_plain_utf8_or_told_by_what_it_is() {
    let (service, customer) = start(Database::sqlite().await).await;
    let body = "{\"title\":\"Lieferung nach Köln\"}";
    for (header, value, media_type, status, told) in [
        ("Content-Encoding", "identity", "application/json", 201, ""),
        ("Content-Encoding", "gzip", "application/json", 415, "gzip"),
        ("Content-Encoding", "identity, br", "application/json", 415, "br"),
        ("X-Other", "none", "application/json; charset=UTF-8", 201, ""),
        ("X-Other", "none", "application/json; charset=iso-8859-1", 415, "iso-8859-1"),
        ("X-Other", "none", "application/json; charset=\"utf-16\"", 415, "utf-16"),
    ] {
        for key in [None, Some("k")] {
            let request = Request::new("POST", DEALS).key(&customer.key.text).header(header, value);
            let key = key.map(|key| format!("{key} {value} {media_type}"));
            let request = key.iter().fold(request, |request, key| request.header(KEY, &key.replace('"', "")));
            let raw = request.body_of(media_type, body).send(service.address()).await;
            assert_eq!(raw.status, status, "{header}: {value}, {media_type}: {raw:?}");
            let message = json(&raw)["message"].as_str().unwrap_or_default().to_owned();
            assert!(message.contains(told), "{message}");
        }
    }
    // One chunk, of which the client says that it was compressed before.
    let chunked = |coding: &str| {
        let head = Request::new("POST", DEALS).key(&customer.key.text).header("Transfer-Encoding", coding);
        let head = head.header("Content-Type", "application/json").head();
        [head, format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len()).into_bytes()].concat()
    };
    for (coding, status, told) in [("chunked", 201, ""), ("gzip, chunked", 415, "gzip")] {
        let mut stream = TcpStream::connect(service.address()).await.unwrap();
        stream.write_all(&chunked(coding)).await.unwrap();
        let raw = early_answer(stream).await;
        assert_eq!(raw.status, status, "{coding}: {raw:?}");
        assert!(json(&raw).to_string().contains(told), "{raw:?}");
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_value_is_told_in_words() {
    let (service, customer) = start(Database::sqlite().await).await;
    for (method, path, body, field, told) in [
        (
            "POST",
            DEALS,
            r#"{"title":"A","expected_close_date":"2026-02-30"}"#,
            "expected_close_date",
            "must be a date such as 2026-01-31: February 2026 has 28 days, not 30",
        ),
        (
            "POST",
            DEALS,
            r#"{"title":"A","value":"1,5","currency":"EUR"}"#,
            "value",
            "must be a decimal number such as 1250.00, with at most 12 digits before the point and 4 after it, without leading zeros",
        ),
        (
            "POST",
            "/api/v1/chatbots",
            r#"{"name":"A","training_urls":["ftp://acme.example/"]}"#,
            "training_urls.0",
            "must be a web address that begins with http:// or https://",
        ),
        (
            "GET",
            "/api/v1/deals?expected_close_before=2026-13-01",
            "",
            "expected_close_before",
            "must be a date such as 2026-01-31: there is no month 13",
        ),
    ] {
        let request = Request::new(method, path).key(&customer.key.text);
        let request = if body.is_empty() { request } else { request.json(body) };
        let raw = request.send(service.address()).await;
        assert_eq!(raw.status, 422, "{path}: {raw:?}");
        assert_eq!(json(&raw)["errors"][field], serde_json::json!([told]), "{raw:?}");
    }
    service.stop().await;
}
