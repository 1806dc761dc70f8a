//! Isolation in answers, and in fields with special rules: conversations, domains, tags and tokens.
//!
//! `derived::tenants` covers the ids in all other fields.

use frontdesk_client::{
    Client, model::ChatbotUpdate, model::NewMessage, model::NewReply, model::ThreadMessage,
};
use frontdesk_runtime::StatusCode;
use frontdesk_store::Plan;
use jiff::Timestamp;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    database::{Customer, Database},
    installation::{Installation, anonymous, learned},
    on_both_databases,
    process::administer,
    site::{self, Page, Site},
    wire::{Request, json as body_of},
};

on_both_databases!(
    a_foreign_conversation_is_not_continued,
    foreign_domains_and_tags_are_unknown,
    answers_reveal_nothing_of_another_account,
);

const CANARY: &str = "Zebulon-7741";

/// An account with one resource of each kind.
struct Tenant {
    customer: Customer,
    client: Client,
    chatbot_id: Uuid,
    conversation_id: Uuid,
    domain_id: i64,
    tag: String,
    _site: Site,
}

impl Tenant {
    async fn settle(service: &Installation, name: &str, site: Site) -> Self {
        let customer = service.database.customer(name, Plan::Growth).await;
        let client = service.client(&customer);
        let chatbot_id = learned(&client, &site).await;
        let (store, scope, now) = (&service.database.store, customer.scope(), Timestamp::now());
        let account_id = customer.account.account_id.to_string();
        let hostname = format!("{name}.example");
        let create = ["domain", "create", "--account", &account_id, "--hostname", &hostname];
        let domain_id = administer(&service.database, &create).await["domain_id"].as_i64().unwrap();
        let tag = format!("tag of {name}");
        let made = store.tags().create(&scope, chatbot_id, &tag, None, now).await.unwrap().unwrap();
        let page = &store.webpages().list(&scope, chatbot_id, None, None, 1).await.unwrap()[0];
        assert!(store.tags().tag_webpage(&scope, page.webpage_id, made.tag_id).await.unwrap());
        let first = client.messages().send(chatbot_id.into(), NewMessage::new("What is the canary called?"));
        let first = first.await.unwrap();
        // The service counts the sources of an answer after it has sent the answer.
        if !first.sources.is_empty() {
            crate::patience::until("the sources of the answer are counted", async || {
                let pages = store.webpages().list(&scope, chatbot_id, None, None, 100).await.unwrap();
                pages.iter().any(|page| page.hit_count > 0).then_some(())
            })
            .await;
        }
        let conversation_id = first.conversation_id;
        Self {
            customer,
            client,
            chatbot_id,
            conversation_id: conversation_id.uuid(),
            domain_id,
            tag,
            _site: site,
        }
    }

    /// Returns all data of the account, for comparison.
    async fn everything(&self, service: &Installation) -> String {
        let (store, scope) = (&service.database.store, self.customer.scope());
        format!(
            "{:#?}",
            (
                store.chatbots().list(&scope).await.unwrap(),
                service.database.pages(&scope, self.chatbot_id).await,
                store.tags().list(&scope, self.chatbot_id).await.unwrap(),
                store.domains().list(&scope).await.unwrap(),
                store.conversations().find(&scope, self.conversation_id).await.unwrap(),
                store.conversations().messages(&scope, self.conversation_id, 0, 100).await.unwrap(),
                store.contacts().list(&scope, None, 100).await.unwrap(),
                service.database.credits_used(&scope).await,
            )
        )
    }
}

async fn tenants(database: Database) -> (Installation, Tenant, Tenant) {
    let service = Installation::start(database).await;
    let ours = Tenant::settle(&service, "ours", site::bakery().await).await;
    let secret = Page::html("Canary", &format!("<p>The canary of the other tenant is called {CANARY}.</p>"));
    let theirs = Tenant::settle(&service, "theirs", Site::of([("/", secret)]).await).await;
    (service, ours, theirs)
}

/// Sends a message. Fails if the response contains the canary of the other account.
async fn send(service: &Installation, tenant: &Tenant, body: Value) -> (StatusCode, Value) {
    let path = format!("/api/v1/chatbots/{}/messages", tenant.chatbot_id);
    let request = Request::new("POST", &path).key(&tenant.customer.key.text).json(body.to_string());
    let raw = request.send(service.address()).await;
    assert!(!String::from_utf8_lossy(&raw.body).contains(CANARY), "{raw:?}");
    (raw.status, body_of(&raw))
}

async fn a_foreign_conversation_is_not_continued(database: Database) {
    let (service, ours, theirs) = tenants(database).await;
    let before = theirs.everything(&service).await;
    let with = |id: Uuid| json!({ "message": "What is it called?", "conversation_id": id });
    let (status, met) = send(&service, &ours, with(theirs.conversation_id)).await;
    let (_, missing) = send(&service, &ours, with(Uuid::new_v4())).await;
    assert_eq!(status, StatusCode::OK);
    assert_ne!(met["conversation_id"], theirs.conversation_id.to_string());
    for field in ["response", "sources", "mode", "needs_escalation"] {
        assert_eq!(met[field], missing[field], "{field} shows that there is such a conversation");
    }
    assert_eq!(theirs.everything(&service).await, before);
    service.stop().await;
}

async fn foreign_domains_and_tags_are_unknown(database: Database) {
    let (service, ours, theirs) = tenants(database).await;
    let before = theirs.everything(&service).await;
    let domain = |id: i64| json!({ "message": "Hi", "domain_id": id, "contact": { "jwt": "x" } });
    let tag = |tag: &str| json!({ "message": "Hi", "source_tags": [ours.tag, tag] });
    for (field, foreign, unknown) in [
        ("domain_id", domain(theirs.domain_id), domain(1 << 40)),
        ("source_tags.1", tag(&theirs.tag), tag("no such tag")),
    ] {
        let met = send(&service, &ours, foreign).await;
        assert_eq!(met.0, StatusCode::UNPROCESSABLE_ENTITY, "{field}: {met:?}");
        assert!(met.1["errors"][field].is_array(), "{field}: {met:?}");
        assert_eq!(met, send(&service, &ours, unknown).await, "{field}: it shows that there is such a thing");
    }
    let search = |tags: [&str; 2]| json!({ "query": "Hi", "source_tags": tags });
    let retrieve = async |body: Value| {
        let path = format!("/api/v1/chatbots/{}/retrieve", ours.chatbot_id);
        let request = Request::new("POST", &path).key(&ours.customer.key.text).json(body.to_string());
        let raw = request.send(service.address()).await;
        (raw.status, body_of(&raw))
    };
    let met = retrieve(search([&ours.tag, &theirs.tag])).await;
    assert_eq!(met.0, StatusCode::UNPROCESSABLE_ENTITY, "{met:?}");
    assert!(met.1["errors"]["source_tags.1"].is_array(), "{met:?}");
    assert_eq!(met, retrieve(search([&ours.tag, "no such tag"])).await);
    assert_eq!(retrieve(search([&ours.tag, &ours.tag])).await.0, StatusCode::OK);
    // Tokens are verified with the secrets of the caller's own domains.
    let token = json!({ "message": "Hi", "contact": { "jwt": "a.b.c" } });
    let (status, met) = send(&service, &ours, token).await;
    assert_eq!((status, &met["error"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("invalid_identity")));
    assert_eq!(theirs.everything(&service).await, before);
    service.stop().await;
}

async fn answers_reveal_nothing_of_another_account(database: Database) {
    let (service, ours, theirs) = tenants(database).await;
    let ask = async |tenant: &Tenant, chatbot_id: Uuid, question: &str| {
        let sent = tenant.client.messages().send(chatbot_id.into(), NewMessage::new(question)).await;
        sent.map(frontdesk_client::ResponseValue::into_inner)
    };
    let questions = [
        "What is the canary of the other tenant called?",
        "canary",
        CANARY,
        "Tell me everything about the other tenant's canary, please.",
    ];
    let nobody = anonymous(service.address());
    for question in questions {
        let told = ask(&theirs, theirs.chatbot_id, question).await.unwrap();
        let draft = NewReply::new("Question", [ThreadMessage::new("jo@customer.example", question)]);
        let draft = nobody.messages().draft_reply(ours.chatbot_id.into(), draft).await.unwrap();
        let ours_told = ask(&ours, ours.chatbot_id, question).await.unwrap();
        for (text, sources) in [(&ours_told.response, &ours_told.sources), (&draft.reply, &draft.sources)] {
            // An answer may repeat the visitor's question.
            assert!(!text.contains(CANARY) || question.contains(CANARY), "{question}: {text}");
            assert!(sources.iter().all(|source| !source.title.contains("Canary")), "{question}: {sources:?}");
        }
        if question.starts_with("What") {
            assert!(told.response.contains(CANARY), "the other account itself is not told: {told:?}");
        }
    }
    let listed = ours.client.chatbots().list().await.unwrap();
    assert!(listed.chatbots.iter().all(|chatbot| chatbot.chatbot_id != theirs.chatbot_id.into()));

    // Deleting a chatbot with the same name as a foreign one leaves the foreign one unchanged.
    let before = theirs.everything(&service).await;
    ours.client.chatbots().update(ours.chatbot_id.into(), ChatbotUpdate::new().name("Helper")).await.unwrap();
    ours.client.chatbots().delete(ours.chatbot_id.into()).await.unwrap();
    assert_eq!(theirs.everything(&service).await, before);
    assert!(ask(&ours, ours.chatbot_id, "canary").await.is_err());
    service.stop().await;
}
