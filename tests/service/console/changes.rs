//! Changes of others, as an open page follows them.

use std::collections::BTreeSet;
use std::time::Duration;

use frontdesk_client::model::{NewContact, NewTextSnippet};
use frontdesk_store::{AccountKind, ChangeTopic, NewAccount, Plan};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::{Browser, PASSWORD, signed_in};
use crate::{
    database::{Database, account},
    installation::{Installation, chatbot_for},
    on_both_databases,
    patience::until,
    process::Process,
};

on_both_databases!(
    changes_are_seen_at_once,
    an_agency_and_its_accounts_see_each_other,
    changes_of_other_processes_are_seen,
    a_stream_ends_with_its_session,
    streams_are_limited,
    a_further_stream_of_a_session_ends_one_of_its_eight,
);

/// Within this time, what happens is seen. It is generous: tests run beside each other.
const SEEN: Duration = Duration::from_secs(20);
/// Within this time, what is not for a stream does not come.
const SILENT: Duration = Duration::from_millis(1_500);

/// A page that follows changes.
struct Follower {
    stream: TcpStream,
    received: String,
    head: String,
}

impl Follower {
    async fn of(browser: &Browser) -> Self {
        let mut stream = TcpStream::connect(browser.address).await.unwrap();
        let cookie = browser.cookie.clone().unwrap();
        let request = format!(
            "GET /console/v1/changes HTTP/1.1\r\nHost: frontdesk\r\nCookie: {cookie}\r\nAccept: text/event-stream\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut follower = Self { stream, received: String::new(), head: String::new() };
        follower.head = follower.until("\r\n\r\n").await.expect("there is a response");
        follower
    }

    /// A page whose stream has begun.
    async fn begun(browser: &Browser) -> Self {
        let mut follower = Self::of(browser).await;
        assert!(follower.head.contains("text/event-stream"), "{}", follower.head);
        let all: BTreeSet<String> = ChangeTopic::ALL.iter().map(|topic| topic.as_str().to_owned()).collect();
        assert_eq!(follower.next().await, Some(all), "what has changed before is not known");
        follower
    }

    /// What came until some text; `None` once the stream has ended.
    async fn until(&mut self, end: &str) -> Option<String> {
        loop {
            if let Some(place) = self.received.find(end) {
                let rest = self.received.split_off(place + end.len());
                return Some(std::mem::replace(&mut self.received, rest));
            }
            let mut piece = [0; 4096];
            let length = self.stream.read(&mut piece).await.unwrap();
            if length == 0 || self.received.ends_with("\r\n0\r\n\r\n") {
                return None;
            }
            self.received.push_str(str::from_utf8(&piece[..length]).unwrap());
            if self.received.ends_with("\r\n0\r\n\r\n") && !self.received.contains(end) {
                return None;
            }
        }
    }

    /// The topics of the next event; `None` once the stream has ended.
    async fn next(&mut self) -> Option<BTreeSet<String>> {
        loop {
            let event = timeout(SEEN, self.until("\n\n")).await.expect("an event comes, or the end")?;
            let Some((_, data)) = event.split_once("data: ") else { continue };
            let change: Value = serde_json::from_str(data.trim()).unwrap();
            assert_eq!(change["type"], "change");
            let topics = change["topics"].as_array().unwrap().iter();
            return Some(topics.map(|topic| topic.as_str().unwrap().to_owned()).collect());
        }
    }

    /// Waits until a topic is named.
    async fn sees(&mut self, topic: &str) {
        while !self.next().await.expect("the stream is open").contains(topic) {}
    }

    async fn sees_nothing(&mut self) {
        let seen = timeout(SILENT, self.next()).await;
        assert!(seen.is_err(), "{seen:?}");
    }
}

async fn changes_are_seen_at_once(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut page = Follower::begun(&browser).await;
    let mut of_other = Follower::begun(&signed_in(&service, &other.owner).await).await;

    let client = service.client(&customer);
    client.contacts().create(NewContact::new().email("sam@customer.example")).await.unwrap();
    page.sees("contacts").await;
    let chatbot = client
        .chatbots()
        .create(chatbot_for("Helper", &["https://acme.example".to_owned()]))
        .await
        .unwrap()
        .chatbot_id;
    page.sees("chatbots").await;
    client
        .text_snippets()
        .create(chatbot, NewTextSnippet::new("Hours", "We are open on Mondays."))
        .await
        .unwrap();
    page.sees("content").await;
    let message = json!({ "message": "When are you open?" });
    let request = crate::wire::Request::new("POST", &format!("/api/v1/chatbots/{chatbot}/messages"));
    let sent = request.key(&customer.key.text).json(message.to_string()).send(service.address()).await;
    assert_eq!(sent.status, 200);
    page.sees("conversations").await;
    assert_eq!(browser.call("POST", "/keys", json!({ "name": "Website" })).await.0, 201);
    page.sees("account").await;

    // What is refused has changed nothing.
    let refused = client.contacts().create(NewContact::new().email("sam@customer.example")).await;
    assert!(refused.is_err());
    page.sees_nothing().await;
    of_other.sees_nothing().await;
    service.stop().await;
}

async fn an_agency_and_its_accounts_see_each_other(database: Database) {
    let service = Installation::start(database).await;
    let new = NewAccount { kind: AccountKind::Agency, ..account("agency", Plan::Scale) };
    let agency = service.database.customer_of(new).await;
    let below = NewAccount { parent_id: Some(agency.account.account_id), ..account("sub", Plan::Growth) };
    let sub = service.database.customer_of(below).await;
    let stranger = service.database.customer("stranger", Plan::Growth).await;
    let mut of_agency = Follower::begun(&signed_in(&service, &agency.owner).await).await;
    let mut of_sub = Follower::begun(&signed_in(&service, &sub.owner).await).await;
    let mut of_stranger = Follower::begun(&signed_in(&service, &stranger.owner).await).await;
    service.client(&sub).contacts().create(NewContact::new().email("sam@customer.example")).await.unwrap();
    of_agency.sees("contacts").await;
    of_sub.sees("contacts").await;
    service.client(&agency).contacts().create(NewContact::new().email("kim@customer.example")).await.unwrap();
    of_agency.sees("contacts").await;
    of_sub.sees("contacts").await;
    of_stranger.sees_nothing().await;
    service.stop().await;
}

async fn changes_of_other_processes_are_seen(database: Database) {
    if !database.is_postgres() {
        // A SQLite file is served by one process.
        return database.store.close().await;
    }
    let service = Installation::start(database).await;
    let other = Process::start(&service.database, &[]);
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    browser.address = other.address;
    let mut page = Follower::begun(&browser).await;
    let client = service.client(&customer);
    // The other process may need a moment until it listens.
    let mut count = 0;
    until("the page sees a change", async || {
        count += 1;
        client.contacts().create(NewContact::new().email(format!("sam{count}@acme.example"))).await.unwrap();
        let seen = timeout(Duration::from_secs(1), page.next()).await;
        seen.is_ok_and(|topics| topics.is_some_and(|topics| topics.contains("contacts"))).then_some(())
    })
    .await;
    other.kill();
    service.stop().await;
}

async fn a_stream_ends_with_its_session(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut browser = signed_in(&service, &customer.owner).await;
    let mut page = Follower::begun(&browser).await;
    assert_eq!(browser.call("DELETE", "/session", Value::Null).await.0, 204);
    assert_eq!(page.next().await, None);
    assert_eq!(browser.sign_in(&customer.owner.email, PASSWORD).await.0, 201);
    let mut page = Follower::begun(&browser).await;
    service.running.shutdown().await;
    assert_eq!(page.next().await, None, "it does not keep the service from stopping");
}

async fn streams_are_limited(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.limits.waiting_requests = 4;
        config.limits.waiting_requests_per_account = Some(2);
    })
    .await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let browser = signed_in(&service, &customer.owner).await;
    let first = Follower::begun(&browser).await;
    let _second = Follower::begun(&browser).await;
    let refused = Follower::of(&browser).await;
    assert!(refused.head.starts_with("HTTP/1.1 429"), "{}", refused.head);
    assert!(refused.head.to_lowercase().contains("retry-after: 30"), "{}", refused.head);
    Follower::begun(&signed_in(&service, &other.owner).await).await;
    drop(first);
    until("a place is free", async || {
        Follower::of(&browser).await.head.starts_with("HTTP/1.1 200").then_some(())
    })
    .await;
    service.stop().await;
}

async fn a_further_stream_of_a_session_ends_one_of_its_eight(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let browser = signed_in(&service, &customer.owner).await;
    let mut pages = Vec::new();
    for _ in 0..8 {
        pages.push(Follower::begun(&browser).await);
    }
    for page in &mut pages {
        page.sees_nothing().await;
    }
    let mut further = Follower::begun(&browser).await;
    let mut ended = 0;
    for page in &mut pages {
        if let Ok(next) = timeout(SILENT, page.next()).await {
            assert_eq!(next, None);
            ended += 1;
        }
    }
    assert_eq!(ended, 1);
    further.sees_nothing().await;
    service.stop().await;
}
