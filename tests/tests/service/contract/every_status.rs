//! Every status that the document declares of every operation is given by the service, in the declared form, and the
//! generated client reads it. No other status is given.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Debug,
};

use frontdesk_client::{
    Answer, Call, Client, Error, Raw,
    chatbots::{CreateChatbot, UpdateChatbot},
    messages::{DraftReply, SendMessage},
    model::{
        ChatbotStatus, ChatbotUpdate, ContactInfo, DraftReplyError, Instruction, NewChatbot, NewMessage,
        NewReply, SendMessageError, ThreadMessage,
    },
};
use frontdesk_runtime::{
    HeaderName, HeaderValue,
    client::{Endpoint, Reading},
};
use frontdesk_server::OPERATIONS;
use frontdesk_store::{NewAccount, Plan, Role};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    database::{Database, account},
    installation::{Installation, anonymous, chatbot_for, client, learned, trained},
    on_both_databases,
    patience::until,
    site,
    wire::Request,
};

/// Answered from the bakery's pages.
const QUESTION: &str = "What does delivery cost?";
/// Keyless replies a minute; more than this test asks of any chatbot that is not meant to reach the limit.
const REPLIES: u32 = 20;
/// More than the service reads of a body.
const TOO_MUCH: usize = 2 << 20;

on_both_databases!(every_declared_status_is_met);

async fn every_declared_status_is_met(database: Database) {
    let broke = NewAccount { monthly_credits: Some(0), ..account("broke", Plan::Growth) };
    let broke = database.customer_of(broke).await;
    let acme = database.customer("acme", Plan::Growth).await;
    let trial = database.customer("trial", Plan::Trial).await;
    let collaborator = database.user(&acme.account, "helper", Role::Admin).await;
    let collaborating = database.key(&collaborator, &[]);
    let hasty = database.key(&acme.owner, &["--rate-per-minute", "1"]);
    let demoted = Role::Collaborator;
    database.store.set_user_role(&acme.scope(), collaborator.user_id, demoted).await.unwrap();

    let service =
        Installation::start_with(database, |config| config.limits.replies_per_client = REPLIES).await;
    let site = site::bakery().await;
    let good = service.client(&acme);
    let ready = learned(&good, &site).await;
    let empty = untrainable(&good).await;
    let of_broke = learned(&service.client(&broke), &site).await;
    let mut book = Book::default();

    // Success, each with the body that is declared of it.
    let created = book.success(good.chatbots().create(chatbot_for("Shop", &[site.origin()]))).await;
    assert_eq!(created.status, ChatbotStatus::Training);
    let listed = book.success(good.chatbots().list()).await;
    assert!(listed.chatbots.iter().any(|listed| listed.chatbot_id == created.chatbot_id));
    assert_eq!(book.success(good.chatbots().get(ready)).await.chatbot_id, ready);
    let update = ChatbotUpdate::new().name("Renamed");
    assert_eq!(book.success(good.chatbots().update(ready, update)).await.name, "Renamed");
    book.success(good.chatbots().delete(created.chatbot_id)).await;
    let answer = book.success(good.messages().send(ready, NewMessage::new(QUESTION))).await;
    assert!(answer.response.contains("4.90 pounds"), "{answer:?}");
    let nobody = anonymous(service.address());
    let reply = book.success(nobody.messages().draft_reply(ready, thread(QUESTION))).await;
    assert!(reply.reply.contains("4.90 pounds"), "{reply:?}");

    // Who calls: 401 and 403.
    book.keyed("no key", &nobody, ready, 401).await;
    let unknown = format!("sk_live_{}", "A".repeat(43));
    book.keyed("unknown key", &client(service.address(), &unknown), ready, 401).await;
    book.keyed("plan without the interface", &service.client(&trial), ready, 403).await;
    book.writing("role without the right", &client(service.address(), &collaborating.text), ready).await;

    // How often: 429.
    let hasty = client(service.address(), &hasty.text);
    hasty.chatbots().list().await.unwrap();
    book.keyed("limit of the key", &hasty, ready, 429).await;
    for _ in 0..REPLIES {
        nobody.messages().draft_reply(empty, thread(QUESTION)).await.unwrap_err();
    }
    let limited =
        book.failure("limit of the client", nobody.messages().draft_reply(empty, thread("?")), 429).await;
    match limited.declared() {
        Some(DraftReplyError::TooManyRequests(limited)) => {
            assert!((1..=60).contains(&limited.retry_after), "{limited:?}");
        }
        other => panic!("{other:?}"),
    }

    // What is meant: 404.
    let nowhere = Uuid::new_v4();
    book.failure("unknown chatbot", good.chatbots().get(nowhere), 404).await;
    book.failure("unknown chatbot", good.chatbots().update(nowhere, None), 404).await;
    book.failure("unknown chatbot", good.chatbots().delete(nowhere), 404).await;
    book.failure("unknown chatbot", good.messages().send(nowhere, NewMessage::new(QUESTION)), 404).await;
    book.failure("unknown chatbot", nobody.messages().draft_reply(nowhere, thread(QUESTION)), 404).await;

    // What is sent: 400, 413, 415, 422.
    let path = |end: &str| format!("/api/v1/chatbots/{ready}{end}");
    let raw = async |method: &str, path: &str| {
        Request::new(method, path).key(&acme.key.text).json("{\"name\": ").send(service.address()).await
    };
    book.raw::<CreateChatbot>("not JSON", &raw("POST", "/api/v1/chatbots").await, 400);
    book.raw::<UpdateChatbot>("not JSON", &raw("PUT", &path("")).await, 400);
    book.raw::<SendMessage>("not JSON", &raw("POST", &path("/messages")).await, 400);
    book.raw::<DraftReply>("not JSON", &raw("POST", &path("/reply")).await, 400);
    book.large(&good, &nobody, ready).await;
    book.mistyped(&good, &nobody, ready).await;
    book.invalid(&good, &nobody, ready).await;
    // Another one, because nobody may ask for replies of the first any more.
    let untrained = nobody.messages().draft_reply(untrainable(&good).await, thread(QUESTION));
    book.failure("nothing learned", untrained, 422).await;
    let unproven = ContactInfo::new().jwt(frontdesk_runtime::Secret::from("not a token"));
    let unproven = NewMessage::new(QUESTION).contact(unproven);
    book.failure("identity not trusted", good.messages().send(ready, unproven), 422).await;

    // What it costs: 402.
    let penniless = service.client(&broke);
    book.failure("no credits", penniless.messages().send(of_broke, NewMessage::new(QUESTION)), 402).await;
    book.failure("no credits", nobody.messages().draft_reply(of_broke, thread(QUESTION)), 402).await;

    // What fails: 500. Nobody pays for it, and it passes.
    let used = service.database.credits_used(&acme.scope()).await;
    service.database.run("ALTER TABLE conversations RENAME TO conversations_away").await;
    book.failure("fault", good.messages().send(ready, NewMessage::new(QUESTION)), 500).await;
    service.database.run("ALTER TABLE conversations_away RENAME TO conversations").await;
    good.messages().send(ready, NewMessage::new("Who won the chess championship?")).await.unwrap();
    service.database.run("ALTER TABLE chatbots RENAME TO chatbots_away").await;
    book.failure("fault", good.chatbots().list(), 500).await;
    book.failure("fault", good.chatbots().create(chatbot_for("Shop", &[site.origin()])), 500).await;
    book.failure("fault", good.chatbots().get(ready), 500).await;
    book.failure("fault", good.chatbots().update(ready, None), 500).await;
    book.failure("fault", good.chatbots().delete(ready), 500).await;
    book.failure("fault", nobody.messages().draft_reply(ready, thread(QUESTION)), 500).await;
    service.database.run("ALTER TABLE chatbots_away RENAME TO chatbots").await;
    assert_eq!(good.chatbots().get(ready).await.unwrap().chatbot_id, ready);
    until("the credit of the failed message is back", async || {
        (service.database.credits_used(&acme.scope()).await == used).then_some(())
    })
    .await;

    book.check();
    service.stop().await;
}

fn thread(body: &str) -> NewReply {
    NewReply::new("A question", [ThreadMessage::new("jo@customer.example", body)])
}

/// A chatbot that has learned nothing, because its only address is closed to the crawler.
async fn untrainable(client: &Client) -> Uuid {
    let created =
        client.chatbots().create(chatbot_for("Empty", &["http://127.0.0.2/".into()])).await.unwrap();
    let failed = trained(client, created.chatbot_id).await;
    assert_eq!(failed.status, ChatbotStatus::Failed);
    failed.chatbot_id
}

/// What the operations have been seen to answer.
#[derive(Default)]
struct Book {
    pairs: BTreeSet<(&'static str, u16)>,
    /// Errors by status, case and body, with the operations that gave exactly this one.
    errors: BTreeMap<(u16, String, String), BTreeSet<&'static str>>,
}

impl Book {
    async fn success<E: Endpoint>(&mut self, call: Call<E>) -> E::Success
    where
        E::Success: Debug,
        E::Failure: Debug,
    {
        let answer: Answer<E::Success> = call.await.unwrap();
        self.pairs.insert((E::OPERATION.id, answer.status().as_u16()));
        answer.into_inner()
    }

    /// Makes a call that must fail with an error that the document declares.
    async fn failure<E: Endpoint>(&mut self, case: &str, call: Call<E>, status: u16) -> Error<E::Failure>
    where
        E::Success: Debug,
        E::Failure: Debug,
    {
        let error = call.await.unwrap_err();
        assert!(error.declared().is_some(), "{} {case}: {error:?}", E::OPERATION.id);
        self.note::<E>(case, error.raw().unwrap(), status);
        error
    }

    /// An answer that the client did not ask for itself, but must be able to read.
    fn raw<E: Endpoint>(&mut self, case: &str, raw: &Raw, status: u16) {
        let reading =
            E::read(&mut raw.clone().into()).unwrap_or_else(|error| panic!("{case}: {error}: {raw:?}"));
        assert!(matches!(reading, Reading::Failure(_)), "{} {case}: {raw:?}", E::OPERATION.id);
        self.note::<E>(case, raw, status);
    }

    fn note<E: Endpoint>(&mut self, case: &str, raw: &Raw, status: u16) {
        let operation = E::OPERATION.id;
        assert_eq!(raw.status.as_u16(), status, "{operation} {case}: {raw:?}");
        let body: Value = raw.json().unwrap();
        let body = serde_json::to_string_pretty(&body).unwrap();
        self.pairs.insert((operation, status));
        self.errors.entry((status, case.to_owned(), body)).or_default().insert(operation);
    }

    /// Every operation that takes a key, called well except for the key.
    async fn keyed(&mut self, case: &str, client: &Client, chatbot_id: Uuid, status: u16) {
        self.failure(case, client.chatbots().list(), status).await;
        self.failure(
            case,
            client.chatbots().create(chatbot_for("Shop", &["http://x.example/".into()])),
            status,
        )
        .await;
        self.failure(case, client.chatbots().get(chatbot_id), status).await;
        self.failure(case, client.chatbots().update(chatbot_id, None), status).await;
        self.failure(case, client.chatbots().delete(chatbot_id), status).await;
        self.failure(case, client.messages().send(chatbot_id, NewMessage::new(QUESTION)), status).await;
    }

    /// Every operation that only owners and admins may call.
    async fn writing(&mut self, case: &str, client: &Client, chatbot_id: Uuid) {
        let new = chatbot_for("Shop", &["http://x.example/".into()]);
        self.failure(case, client.chatbots().create(new), 403).await;
        self.failure(case, client.chatbots().update(chatbot_id, None), 403).await;
        self.failure(case, client.chatbots().delete(chatbot_id), 403).await;
    }

    /// Every operation that takes a body, with one that is too long.
    async fn large(&mut self, good: &Client, nobody: &Client, chatbot_id: Uuid) {
        let text = "x".repeat(TOO_MUCH);
        let case = "body too large";
        let new = chatbot_for("Shop", &["http://x.example/".into()]).custom_instructions(text.clone());
        self.failure(case, good.chatbots().create(new), 413).await;
        let update = ChatbotUpdate::new().custom_instructions(text.clone());
        self.failure(case, good.chatbots().update(chatbot_id, update), 413).await;
        self.failure(case, good.messages().send(chatbot_id, NewMessage::new(text.clone())), 413).await;
        self.failure(case, nobody.messages().draft_reply(chatbot_id, thread(&text)), 413).await;
    }

    /// Every operation that takes a body, with one that is said not to be JSON.
    async fn mistyped(&mut self, good: &Client, nobody: &Client, chatbot_id: Uuid) {
        let case = "not declared as JSON";
        let (name, value) = (HeaderName::from_static("content-type"), HeaderValue::from_static("text/plain"));
        let new = chatbot_for("Shop", &["http://x.example/".into()]);
        self.failure(case, good.chatbots().create(new).header(name.clone(), value.clone()), 415).await;
        let update = good.chatbots().update(chatbot_id, ChatbotUpdate::new());
        self.failure(case, update.header(name.clone(), value.clone()), 415).await;
        let send = good.messages().send(chatbot_id, NewMessage::new(QUESTION));
        self.failure(case, send.header(name.clone(), value.clone()), 415).await;
        let draft = nobody.messages().draft_reply(chatbot_id, thread(QUESTION));
        self.failure(case, draft.header(name, value), 415).await;
    }

    /// Every operation that takes a body, with one that breaks several rules at once.
    async fn invalid(&mut self, good: &Client, nobody: &Client, chatbot_id: Uuid) {
        let case = "rules broken";
        let new = NewChatbot::new("", "x".repeat(256), ["ftp://x.example/", "http://user@x.example/"]);
        self.failure(case, good.chatbots().create(new), 422).await;
        let rule = |text: &str| Instruction { text: text.into(), is_critical: None };
        let update = ChatbotUpdate::new()
            .tone_of_voice("x".repeat(401))
            .specific_instructions([rule("Be kind."), rule("")])
            .custom_blocked_topics((0..21).map(|number| number.to_string()));
        self.failure(case, good.chatbots().update(chatbot_id, update), 422).await;
        let contact = ContactInfo::new().custom(vec![None, Some("x".repeat(501))]);
        let message = NewMessage::new("x".repeat(251)).contact(contact);
        self.failure(case, good.messages().send(chatbot_id, message), 422).await;
        let message = NewMessage::new(QUESTION).source_tags(["unknown"]).domain_id(7);
        let error =
            self.failure("rules of the data broken", good.messages().send(chatbot_id, message), 422).await;
        assert!(matches!(error.declared(), Some(SendMessageError::UnprocessableEntity(_))));
        let reply = NewReply::new("x".repeat(999), []);
        self.failure(case, nobody.messages().draft_reply(chatbot_id, reply), 422).await;
    }

    /// Compares what was seen with what the document declares, and the errors with those that were reviewed.
    fn check(&self) {
        let declared: BTreeSet<(&str, u16)> = OPERATIONS
            .iter()
            .flat_map(|operation| operation.statuses.iter().map(|status| (operation.id, *status)))
            .collect();
        let missing: Vec<_> = declared.difference(&self.pairs).collect();
        let undeclared: Vec<_> = self.pairs.difference(&declared).collect();
        assert!(missing.is_empty(), "declared, but never met: {missing:?}");
        assert!(undeclared.is_empty(), "met, but not declared: {undeclared:?}");

        let errors: Vec<Value> = self
            .errors
            .iter()
            .map(|((status, case, body), operations)| {
                let body: Value = serde_json::from_str(body).unwrap();
                json!({ "status": status, "case": case, "operations": operations, "body": body })
            })
            .collect();
        insta::with_settings!({ filters => [(r"in \d+ seconds?\.", "in [seconds].")] }, {
            insta::assert_snapshot!("errors", serde_json::to_string_pretty(&errors).unwrap());
        });
    }
}
