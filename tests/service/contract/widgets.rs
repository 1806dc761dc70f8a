//! Widgets: what a visitor's browser does with the token of its session, and what it can not do.

use std::time::{Duration, Instant};

use frontdesk_client::model::{AnswerMode, NewConversationMessage};
use frontdesk_server::OPERATIONS;
use frontdesk_store::{NewAccount, Plan};
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    database::{Customer, Database, account},
    installation::{Installation, learned},
    on_both_databases, site,
    site::Site,
    wire::{Request, header},
};

on_both_databases!(
    a_visitor_asks_and_comes_back,
    a_repeated_message_is_answered_once,
    an_answer_that_nobody_writes_any_more_is_written_again,
    a_message_without_an_answer_is_answered_when_it_is_repeated,
    a_person_answers_a_visitor,
    a_token_reaches_nothing_but_its_own_conversations,
    a_session_ends_with_its_key_its_time_and_its_visitor,
    websites_that_are_not_allowed_begin_no_session,
    visitors_who_write_too_much_wait,
    visitors_leave_credits_for_others,
    a_website_says_who_its_visitor_is,
);

const QUESTION: &str = "What does delivery cost?";
const V: &str = "/api/v1/public/visitor";

/// A shop whose chatbot is on its website.
struct Shop {
    service: Installation,
    customer: Customer,
    chatbot_id: Uuid,
    widget_key: String,
    site: Site,
}

impl Shop {
    async fn open(service: Installation, name: &str) -> Self {
        Self::of(service, account(name, Plan::Growth)).await
    }

    async fn of(service: Installation, new: NewAccount) -> Self {
        let customer = service.database.customer_of(new).await;
        let site = site::bakery().await;
        let chatbot_id = learned(&service.client(&customer), &site).await;
        let mut shop = Self { service, customer, chatbot_id, widget_key: String::new(), site };
        let widget = shop.keyed("GET", "/widget", Value::Null).await;
        assert_eq!(widget.0, 200, "{widget:?}");
        widget.1["widget_key"].as_str().unwrap().clone_into(&mut shop.widget_key);
        shop
    }

    /// Calls an operation below the chatbot with the key of the account.
    async fn keyed(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let path = format!("/api/v1/chatbots/{}{path}", self.chatbot_id);
        call(&self.service, method, &path, Some(&self.customer.key.text), body).await
    }

    async fn session(&self, body: Value) -> (u16, Value) {
        let path = format!("/api/v1/public/widgets/{}/sessions", self.widget_key);
        call(&self.service, "POST", &path, None, body).await
    }

    async fn visitor(&self) -> Visitor<'_> {
        let (status, session) = self.session(json!({ "language": "en" })).await;
        assert_eq!(status, 201, "{session}");
        assert_eq!(session["identified"], false);
        Visitor { shop: self, token: session["token"].as_str().unwrap().to_owned() }
    }
}

/// The browser of a visitor.
struct Visitor<'s> {
    shop: &'s Shop,
    token: String,
}

impl Visitor<'_> {
    async fn call(&self, method: &str, path: &str, body: Value) -> (u16, Value) {
        call(&self.shop.service, method, &format!("{V}{path}"), Some(&self.token), body).await
    }

    async fn say(&self, text: &str, conversation: Option<&str>) -> (u16, Value) {
        self.repeat(Uuid::new_v4(), text, conversation).await
    }

    async fn repeat(&self, id: Uuid, text: &str, conversation: Option<&str>) -> (u16, Value) {
        let body = json!({ "message": text, "client_message_id": id, "conversation_id": conversation });
        self.call("POST", "/messages", body).await
    }

    /// Asks something, and returns the ids of the conversation and the answer.
    async fn ask(&self) -> (String, String) {
        let (status, answer) = self.say(QUESTION, None).await;
        assert_eq!(status, 200, "{answer}");
        let text = |name: &str| answer[name].as_str().unwrap().to_owned();
        (text("conversation_id"), text("message_id"))
    }
}

async fn call(
    service: &Installation,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Value,
) -> (u16, Value) {
    let mut request = Request::new(method, path);
    if let Some(token) = token {
        request = request.key(token);
    }
    if !body.is_null() {
        request = request.json(body.to_string());
    }
    let raw = request.send(service.address()).await;
    let told = if raw.body.is_empty() { Value::Null } else { raw.json().unwrap() };
    (raw.status.as_u16(), told)
}

async fn a_visitor_asks_and_comes_back(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let update = json!({ "color": "#ff8800", "notice": "No card numbers.", "allowed_origins": ["https://Shop.example/"] });
    let (status, widget) = shop.keyed("PUT", "/widget", update).await;
    assert_eq!((status, &widget["allowed_origins"]), (200, &json!(["https://shop.example"])));
    assert!(!widget["suggested_origins"].as_array().unwrap().is_empty(), "{widget}");
    let path = format!("/api/v1/public/widgets/{}", shop.widget_key);
    let (status, public) = call(&shop.service, "GET", &path, None, Value::Null).await;
    assert_eq!(
        (status, &public["color"], &public["notice"]),
        (200, &json!("#ff8800"), &json!("No card numbers."))
    );
    assert_eq!(public["opening_text"], "Hello! Ask me anything about Helper.");
    assert!(public.get("allowed_origins").is_none());

    let visitor = shop.visitor().await;
    let (_, nothing) = visitor.call("GET", "", Value::Null).await;
    assert_eq!((&nothing["conversations"], &nothing["has_contact"]), (&json!([]), &json!(false)));
    let (status, answer) = visitor.say(QUESTION, None).await;
    assert_eq!(status, 200, "{answer}");
    assert!(answer["response"].as_str().unwrap().contains("4.90 pounds"), "{answer}");
    assert!(answer.get("usage").is_none() && !answer["sources"].as_array().unwrap().is_empty(), "{answer}");
    let conversation = answer["conversation_id"].as_str().unwrap();

    let (_, back) = visitor.call("GET", "", Value::Null).await;
    assert_eq!(back["conversations"][0]["conversation_id"], conversation);
    let path = format!("/conversations/{conversation}/messages");
    let (_, read) = visitor.call("GET", &path, Value::Null).await;
    let roles: Vec<&str> = read["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["visitor", "assistant"]);
    assert_eq!(read["last_message_id"], answer["message_id"]);
    let liked = format!(
        "/conversations/{conversation}/messages/{}/feedback",
        read["last_message_id"].as_str().unwrap()
    );
    assert_eq!(visitor.call("POST", &liked, json!({ "rating": "up" })).await.1["rating"], "up");
    let own = read["messages"][0]["message_id"].as_str().unwrap();
    let own = format!("/conversations/{conversation}/messages/{own}/feedback");
    assert_eq!(visitor.call("POST", &own, json!({ "rating": "up" })).await.0, 409);

    // People see where it takes place, and settings hide sources.
    let client = shop.service.client(&shop.customer);
    let seen =
        client.conversations().get(shop.chatbot_id.into(), conversation.parse().unwrap()).await.unwrap();
    assert_eq!(seen.source.as_str(), "widget");
    assert_eq!(shop.keyed("PUT", "", json!({ "show_sources": false })).await.0, 200);
    let (_, next) = visitor.say(QUESTION, Some(conversation)).await;
    assert_eq!((&next["sources"], next["conversation_id"].as_str()), (&json!([]), Some(conversation)));

    let stream = Request::new("POST", &format!("{V}/messages")).key(&visitor.token);
    let stream = stream.header("Accept", "text/event-stream").header("Origin", "null");
    let body =
        json!({ "message": "When is the shop open on Saturday?", "client_message_id": Uuid::new_v4() });
    let raw = stream.json(body.to_string()).send(shop.service.address()).await;
    assert_eq!((raw.status.as_u16(), header(&raw, "content-type")), (200, "text/event-stream"));
    assert_eq!(header(&raw, "access-control-allow-origin"), "*");
    let text = String::from_utf8(raw.body.to_vec()).unwrap();
    assert!(text.contains("event: text") && text.contains("8 am to 2 pm"), "{text}");
    assert!(text.contains("event: answer") && !text.contains("usage"), "{text}");

    let closed = format!("/conversations/{conversation}/close");
    assert_eq!(visitor.call("POST", &closed, Value::Null).await.1["mode"], "closed");
    assert_eq!(
        visitor.call("POST", &format!("/conversations/{conversation}/escalate"), json!({})).await.0,
        409
    );
    shop.service.stop().await;
}

async fn a_repeated_message_is_answered_once(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let visitor = shop.visitor().await;
    let id = Uuid::new_v4();
    let (first, second) =
        tokio::join!(visitor.repeat(id, QUESTION, None), visitor.repeat(id, QUESTION, None));
    let statuses = [first.0, second.0];
    assert!(
        statuses.contains(&200) && statuses.iter().all(|status| [200, 409].contains(status)),
        "{statuses:?}"
    );
    let answer = if first.0 == 200 { first.1 } else { second.1 };
    let (status, again) = visitor.repeat(id, QUESTION, None).await;
    assert_eq!((status, again), (200, answer.clone()));
    let streamed = Request::new("POST", &format!("{V}/messages")).key(&visitor.token);
    let streamed = streamed.header("Accept", "text/event-stream");
    let body = json!({ "message": QUESTION, "client_message_id": id });
    let raw = streamed.json(body.to_string()).send(shop.service.address()).await;
    assert!(String::from_utf8_lossy(&raw.body).contains(answer["message_id"].as_str().unwrap()));
    let (status, other) = visitor.repeat(id, "Something else", None).await;
    assert_eq!((status, other["errors"].get("client_message_id").is_some()), (422, true), "{other}");
    assert_eq!(visitor.call("GET", "", Value::Null).await.1["conversations"].as_array().unwrap().len(), 1);
    let path = format!("/conversations/{}/messages", answer["conversation_id"].as_str().unwrap());
    assert_eq!(visitor.call("GET", &path, Value::Null).await.1["messages"].as_array().unwrap().len(), 2);
    shop.service.stop().await;
}

async fn an_answer_that_nobody_writes_any_more_is_written_again(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let visitor = shop.visitor().await;
    let id = Uuid::new_v4();
    let (_, first) = visitor.repeat(id, QUESTION, None).await;
    // The process has died before it stored the answer.
    let database = &shop.service.database;
    database.run("DELETE FROM messages WHERE role = 'assistant'").await;
    database.run("UPDATE visitor_messages SET answer_id = NULL").await;
    let (status, refused) = visitor.repeat(id, QUESTION, None).await;
    assert_eq!((status, &refused["error"]), (409, &json!("in_progress")));
    database.run("UPDATE visitor_messages SET claimed_at = claimed_at - 300000000").await;
    let (status, answer) = visitor.repeat(id, QUESTION, None).await;
    assert_eq!((status, &answer["response"]), (200, &first["response"]), "{answer}");
    let path = format!("/conversations/{}/messages", answer["conversation_id"].as_str().unwrap());
    assert_eq!(visitor.call("GET", &path, Value::Null).await.1["messages"].as_array().unwrap().len(), 2);
    assert_eq!(visitor.repeat(id, QUESTION, None).await.1, answer);
    shop.service.stop().await;
}

async fn a_message_without_an_answer_is_answered_when_it_is_repeated(database: Database) {
    let new = NewAccount { monthly_credits: Some(0), ..account("acme", Plan::Growth) };
    let shop = Shop::of(Installation::start(database).await, new).await;
    let visitor = shop.visitor().await;
    let id = Uuid::new_v4();
    for _ in 0..2 {
        let (status, refused) = visitor.repeat(id, QUESTION, None).await;
        assert_eq!((status, &refused["error"]), (402, &json!("credits_exhausted")), "{refused}");
    }
    // The owner has bought more.
    shop.service.database.run("UPDATE accounts SET monthly_credits = 1000").await;
    let (status, answer) = visitor.repeat(id, QUESTION, None).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(visitor.repeat(id, QUESTION, None).await, (200, answer.clone()));
    let path = format!("/conversations/{}/messages", answer["conversation_id"].as_str().unwrap());
    assert_eq!(visitor.call("GET", &path, Value::Null).await.1["messages"].as_array().unwrap().len(), 2);
    shop.service.stop().await;
}

async fn a_person_answers_a_visitor(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let visitor = shop.visitor().await;
    let (conversation, last) = visitor.ask().await;
    let path = |rest: &str| format!("/conversations/{conversation}{rest}");
    let note = json!({ "note": "I have a question about a wedding cake." });
    let (status, asked) = visitor.call("POST", &path("/escalate"), note).await;
    assert_eq!((status, &asked["mode"]), (200, &json!("human_requested")));
    let (_, silent) = visitor.say("Hello?", Some(&conversation)).await;
    assert_eq!((&silent["response"], &silent["mode"]), (&json!(""), &json!("human_requested")));

    let client = shop.service.client(&shop.customer);
    let id: Uuid = conversation.parse().unwrap();
    let wait = path(&format!("/messages?after={}&wait=20", silent["message_id"].as_str().unwrap()));
    let begun = Instant::now();
    let reply = async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let reply = NewConversationMessage::new("This is Ann. How many guests?");
        client.conversations().create_message(shop.chatbot_id.into(), id.into(), reply).await.unwrap();
    };
    let (waited, ()) = tokio::join!(visitor.call("GET", &wait, Value::Null), reply);
    assert_eq!(waited.1["messages"][0]["text"], "This is Ann. How many guests?", "{waited:?}");
    assert_eq!(waited.1["mode"], "human");
    assert!(begun.elapsed() < Duration::from_secs(10), "the reply arrives at once");
    let since = path(&format!("/messages?after={last}"));
    let (_, all) = visitor.call("GET", &since, Value::Null).await;
    assert!(all["messages"].as_array().unwrap().iter().all(|message| message["role"] != "visitor"), "{all}");
    assert_eq!(visitor.call("POST", &path("/escalate"), json!({})).await.0, 409);
    let unknown = path(&format!("/messages?after={}", Uuid::new_v4()));
    assert_eq!(visitor.call("GET", &unknown, Value::Null).await.0, 422);

    let contact = json!({ "email": "jo@customer.example", "name": "Jo Miller", "consent": true });
    assert_eq!(visitor.call("PUT", "/contact", contact).await.0, 204);
    assert_eq!(visitor.call("PUT", "/contact", json!({ "email": "jo" })).await.0, 422);
    assert_eq!(visitor.call("GET", "", Value::Null).await.1["has_contact"], true);
    let seen = client.conversations().get(shop.chatbot_id.into(), id.into()).await.unwrap();
    let known = client.contacts().get(seen.contact_id.unwrap()).await.unwrap();
    assert_eq!(
        (known.email.as_deref(), known.name.as_deref()),
        (Some("jo@customer.example"), Some("Jo Miller"))
    );
    assert_eq!(
        (seen.mode.clone(), known.consent.as_ref().map(|consent| consent.marketing)),
        (AnswerMode::Human, Some(true))
    );
    // Whoever leaves details stays known in the next conversation.
    let (next, _) = visitor.ask().await;
    let next = client.conversations().get(shop.chatbot_id.into(), next.parse().unwrap()).await.unwrap();
    assert_eq!(next.contact_id, seen.contact_id);
    shop.service.stop().await;
}

async fn a_token_reaches_nothing_but_its_own_conversations(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let other = shop.service.database.customer("other", Plan::Growth).await;
    let other_bot = learned(&shop.service.client(&other), &shop.site).await;
    let (ann, bob) = (shop.visitor().await, shop.visitor().await);
    let (of_ann, answer) = ann.ask().await;
    let path = format!("/api/v1/chatbots/{other_bot}/widget");
    let (_, widget) = call(&shop.service, "GET", &path, Some(&other.key.text), Value::Null).await;
    let path = format!("/api/v1/public/widgets/{}/sessions", widget["widget_key"].as_str().unwrap());
    let (_, session) = call(&shop.service, "POST", &path, None, json!({})).await;
    let stranger = Visitor { shop: &shop, token: session["token"].as_str().unwrap().to_owned() };

    let each = [
        ("GET", format!("/conversations/{of_ann}/messages"), Value::Null),
        ("GET", format!("/conversations/{of_ann}/messages?after={answer}"), Value::Null),
        ("POST", format!("/conversations/{of_ann}/escalate"), json!({})),
        ("POST", format!("/conversations/{of_ann}/close"), Value::Null),
        ("POST", format!("/conversations/{of_ann}/messages/{answer}/feedback"), json!({ "rating": "up" })),
        (
            "POST",
            "/messages".to_owned(),
            json!({ "message": "Hello?", "client_message_id": Uuid::new_v4(), "conversation_id": of_ann }),
        ),
    ];
    for (method, path, body) in &each {
        for visitor in [&bob, &stranger] {
            let met = visitor.call(method, path, body.clone()).await;
            let unknown = Uuid::new_v4().to_string();
            let body = body.to_string().replace(&of_ann, &unknown).parse().unwrap();
            let missing = visitor.call(method, &path.replace(&of_ann, &unknown), body).await;
            assert_eq!((met.0, &met), (404, &missing), "{method} {path}");
        }
    }
    for visitor in [&bob, &stranger] {
        assert_eq!(visitor.call("GET", "", Value::Null).await.1["conversations"], json!([]));
    }

    // An API key is nobody here, and a token is nobody elsewhere.
    let keys = [Some(shop.customer.key.text.as_str()), Some("vis_short"), Some("nonsense"), None];
    for operation in OPERATIONS {
        let policy: Value = serde_json::from_str(operation.extension("x-policy").unwrap()).unwrap();
        let unknown = Uuid::new_v4().to_string();
        let parts = operation.path.split(['{', '}']).enumerate();
        let path: String = parts.map(|(at, part)| if at % 2 == 1 { &*unknown } else { part }).collect();
        let method = operation.method.as_str();
        match policy["caller"].as_str().unwrap() {
            "visitor" => {
                for key in keys {
                    let (status, told) = call(&shop.service, method, &path, key, Value::Null).await;
                    let expected = if key.is_some() { "invalid_visitor_token" } else { "unauthorized" };
                    assert_eq!((status, &told["error"]), (401, &json!(expected)), "{}", operation.id);
                }
            }
            "key" => {
                let (status, told) = call(&shop.service, method, &path, Some(&ann.token), Value::Null).await;
                assert_eq!((status, &told["error"]), (401, &json!("invalid_api_key")), "{}", operation.id);
            }
            _ => {}
        }
    }
    shop.service.stop().await;
}

async fn a_session_ends_with_its_key_its_time_and_its_visitor(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let (ann, bob) = (shop.visitor().await, shop.visitor().await);
    let (of_ann, _) = ann.ask().await;
    bob.ask().await;
    assert_eq!(ann.call("DELETE", "", Value::Null).await.0, 204);
    assert_eq!(ann.call("GET", "", Value::Null).await.1["error"], "invalid_visitor_token");
    let client = shop.service.client(&shop.customer);
    let erased = client.conversations().get(shop.chatbot_id.into(), of_ann.parse().unwrap()).await.unwrap();
    assert!(erased.messages.as_ref().unwrap().iter().all(|message| message.text.is_empty()), "{erased:?}");

    let widget = |body: Value| shop.keyed("PUT", "/widget", body);
    assert_eq!(widget(json!({ "enabled": false })).await.0, 200);
    assert_eq!(bob.call("GET", "", Value::Null).await.0, 404);
    assert_eq!(shop.session(json!({})).await.0, 404);
    assert_eq!(widget(json!({ "enabled": true })).await.0, 200);
    assert_eq!(bob.call("GET", "", Value::Null).await.0, 200);

    let (status, rotated) = shop.keyed("POST", "/widget/rotate-key", Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!(bob.call("GET", "", Value::Null).await.0, 401);
    assert_eq!(shop.session(json!({})).await.0, 404);
    let path = format!("/api/v1/public/widgets/{}/sessions", rotated["widget_key"].as_str().unwrap());
    let (_, session) = call(&shop.service, "POST", &path, None, json!({})).await;
    let carl = Visitor { shop: &shop, token: session["token"].as_str().unwrap().to_owned() };
    assert_eq!(carl.call("GET", "", Value::Null).await.0, 200);
    shop.service.database.run("UPDATE visitor_sessions SET expires_at = 1").await;
    assert_eq!(carl.call("GET", "", Value::Null).await.0, 401);
    shop.service.stop().await;
}

async fn websites_that_are_not_allowed_begin_no_session(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let path = format!("/api/v1/public/widgets/{}/sessions", shop.widget_key);
    let begin = async |origin: Option<&str>| {
        let mut request = Request::new("POST", &path);
        if let Some(origin) = origin {
            request = request.header("Origin", origin);
        }
        request.json("{}").send(shop.service.address()).await.status.as_u16()
    };
    assert_eq!(begin(Some("https://anywhere.example")).await, 201);
    let update = json!({ "allowed_origins": ["https://www.acme.example", "https://*.shop.example", "http://localhost:3000"] });
    assert_eq!(shop.keyed("PUT", "/widget", update).await.0, 200);
    for (origin, expected) in [
        (None, 201),
        (Some("null"), 201),
        (Some("https://www.acme.example"), 201),
        (Some("http://localhost:3000"), 201),
        (Some("https://garden.shop.example"), 201),
        // The service itself, whose pages show a preview.
        (Some("https://frontdesk.example"), 201),
        (Some("https://anywhere.example"), 404),
        (Some("https://shop.example"), 404),
        (Some("http://www.acme.example"), 404),
        (Some("https://www.acme.example.evil.example"), 404),
        (Some("http://localhost:3001"), 404),
        (Some("nonsense"), 404),
    ] {
        assert_eq!(begin(origin).await, expected, "{origin:?}");
    }
    for wrong in [
        "https://acme.example/path",
        "acme.example",
        "ftp://acme.example",
        "https://a@acme.example",
        "https://www.*.example",
    ] {
        let (status, told) = shop.keyed("PUT", "/widget", json!({ "allowed_origins": [wrong] })).await;
        assert_eq!(
            (status, told["errors"].get("allowed_origins.0").is_some()),
            (422, true),
            "{wrong}: {told}"
        );
    }
    shop.service.stop().await;
}

async fn visitors_who_write_too_much_wait(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.limits.messages_per_visitor = 3;
        config.limits.messages_per_client = 5;
        config.limits.messages_per_visitor_and_hour = 4;
        config.limits.sessions_per_client = 4;
    })
    .await;
    let shop = Shop::open(service, "acme").await;
    let (ann, bob, carl) = (shop.visitor().await, shop.visitor().await, shop.visitor().await);
    let id = Uuid::new_v4();
    assert_eq!(ann.repeat(id, QUESTION, None).await.0, 200);
    for _ in 0..2 {
        assert_eq!(ann.say(QUESTION, None).await.0, 200);
    }
    let (status, refused) = ann.say(QUESTION, None).await;
    assert_eq!((status, &refused["error"]), (429, &json!("rate_limited")));
    // A repeat does not count.
    assert_eq!(ann.repeat(id, QUESTION, None).await.0, 200);
    for _ in 0..2 {
        assert_eq!(bob.say(QUESTION, None).await.0, 200);
    }
    assert_eq!(carl.say(QUESTION, None).await.0, 429, "all share an address");
    // The fifth session: what is refused is not counted.
    shop.visitor().await;
    assert_eq!(shop.session(json!({})).await.0, 429);
    shop.service.stop().await;
}

async fn visitors_leave_credits_for_others(database: Database) {
    let new = NewAccount { monthly_credits: Some(20), ..account("acme", Plan::Growth) };
    let shop = Shop::of(
        Installation::start_with(database, |config| config.limits.visitor_percent_per_day = 10).await,
        new,
    )
    .await;
    let visitor = shop.visitor().await;
    // A tenth a day.
    for _ in 0..2 {
        visitor.ask().await;
    }
    let (status, refused) = visitor.say(QUESTION, None).await;
    assert_eq!((status, &refused["error"]), (402, &json!("credits_exhausted")), "{refused}");
    let conversation = refused["conversation_id"].as_str().unwrap();
    let path = format!("/conversations/{conversation}/messages");
    assert_eq!(visitor.call("GET", &path, Value::Null).await.1["messages"][0]["text"], QUESTION);
    let (status, _) = visitor.say("I want to talk to a person.", Some(conversation)).await;
    assert_eq!(status, 402);
    assert_eq!(visitor.call("GET", &path, Value::Null).await.1["mode"], "human_requested");
    // Whoever has a key may go on.
    let (status, answer) = shop.keyed("POST", "/messages", json!({ "message": QUESTION })).await;
    assert_eq!((status, &answer["usage"]["credits_used"]), (200, &json!(1)), "{answer}");
    shop.service.stop().await;
}

async fn a_website_says_who_its_visitor_is(database: Database) {
    let shop = Shop::open(Installation::start(database).await, "acme").await;
    let key = shop.customer.key.text.as_str();
    let domain = json!({ "hostname": "www.acme.example", "identity_enforcement": "required" });
    let (status, domain) = call(&shop.service, "POST", "/api/v1/domains", Some(key), domain).await;
    assert_eq!(status, 201, "{domain}");
    let (status, refused) = shop.session(json!({})).await;
    assert_eq!((status, &refused["error"]), (422, &json!("invalid_identity")));
    let (status, refused) = shop.session(json!({ "jwt": "a.b.c" })).await;
    assert_eq!((status, &refused["error"]), (422, &json!("invalid_identity")));
    let (status, refused) = shop.session(json!({ "domain_id": 4_711_000 })).await;
    assert_eq!((status, refused["errors"].get("domain_id").is_some()), (422, true), "{refused}");

    let secret = domain["identity_secret"].as_str().unwrap();
    let now = Timestamp::now().as_second();
    let claims = json!({
        "sub": "customer-7", "aud": "www.acme.example", "iat": now, "exp": now + 300, "email": "jo@customer.example"
    });
    let (status, session) = shop.session(json!({ "jwt": signed(&claims, secret) })).await;
    assert_eq!((status, &session["identified"]), (201, &json!(true)), "{session}");
    let visitor = Visitor { shop: &shop, token: session["token"].as_str().unwrap().to_owned() };
    let (conversation, _) = visitor.ask().await;
    let client = shop.service.client(&shop.customer);
    let seen =
        client.conversations().get(shop.chatbot_id.into(), conversation.parse().unwrap()).await.unwrap();
    let known = client.contacts().get(seen.contact_id.unwrap()).await.unwrap();
    assert_eq!(known.external_id.as_deref(), Some("customer-7"));
    // What a visitor claims changes nothing of what is proven.
    assert_eq!(visitor.call("PUT", "/contact", json!({ "email": "eve@customer.example" })).await.0, 204);
    let known = client.contacts().get(seen.contact_id.unwrap()).await.unwrap();
    assert_eq!(known.email.as_deref(), Some("jo@customer.example"));
    assert_eq!(visitor.call("GET", "", Value::Null).await.1["identified"], true);

    // Naming a domain that requires nothing spares nobody the assertion.
    let lenient = json!({ "hostname": "blog.acme.example", "identity_enforcement": "optional" });
    let (status, lenient) = call(&shop.service, "POST", "/api/v1/domains", Some(key), lenient).await;
    assert_eq!(status, 201, "{lenient}");
    let (status, refused) = shop.session(json!({ "domain_id": lenient["domain_id"] })).await;
    assert_eq!((status, &refused["error"]), (422, &json!("invalid_identity")), "{refused}");
    shop.service.stop().await;
}

/// Signs claims as the server of a website does (HS256).
fn signed(claims: &Value, secret: &str) -> String {
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
    use hmac::{Hmac, Mac};

    let encoded = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let content = format!("{}.{}", encoded(&json!({ "alg": "HS256", "typ": "JWT" })), encoded(claims));
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(content.as_bytes());
    format!("{content}.{}", BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}
