//! Every id of one account, in every place of every operation, in the hands of another.
//!
//! The places are read from the document, so that an operation or a field that is added later fails here until it is
//! said what is to become of a foreign id in it.

use std::collections::BTreeSet;

use frontdesk_client::{
    Client, model::ChatbotUpdate, model::NewMessage, model::NewReply, model::ThreadMessage,
};
use frontdesk_runtime::{Operation, StatusCode};
use frontdesk_server::OPERATIONS;
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

on_both_databases!(foreign_ids_are_worth_nothing, nothing_of_another_account_is_ever_told);

const BUNDLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../generated/openapi.json"));
const CANARY: &str = "Zebulon-7741";

/// The places of an operation where an id can stand: parameters of its path, and fields of its body by their path.
fn places(document: &Value, operation: &Operation) -> BTreeSet<String> {
    let described = &document["paths"][operation.path][operation.method.as_str().to_lowercase()];
    let mut found: BTreeSet<String> = operation
        .path
        .split(['{', '}'])
        .skip(1)
        .step_by(2)
        .map(|parameter| format!("path {parameter}"))
        .collect();
    for parameter in described["parameters"].as_array().into_iter().flatten() {
        let parameter = resolved(document, parameter);
        if parameter["in"] != "path" {
            found.insert(format!("{} {}", parameter["in"], parameter["name"]));
        }
    }
    let schema = &described["requestBody"]["content"]["application/json"]["schema"];
    fields(document, schema, "", &mut found);
    found
}

fn resolved<'d>(document: &'d Value, node: &'d Value) -> &'d Value {
    match node["$ref"].as_str() {
        Some(reference) => resolved(document, document.pointer(reference.trim_start_matches('#')).unwrap()),
        None => node,
    }
}

/// The fields that hold ids, or names by which something is looked up.
fn fields(document: &Value, schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    let schema = resolved(document, schema);
    for part in ["allOf", "oneOf", "anyOf"] {
        for part in schema[part].as_array().into_iter().flatten() {
            fields(document, part, path, found);
        }
    }
    if schema["items"].is_object() {
        fields(document, &schema["items"], path, found);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let inner = format!("{path}{name}");
        let property = resolved(document, property);
        let is_id = property["format"] == "uuid" || property["items"]["format"] == "uuid";
        if is_id || ["_id", "_ids", "_tags", "cursor", "jwt"].iter().any(|end| name.ends_with(end)) {
            found.insert(inner.clone());
        }
        fields(document, property, &format!("{inner}."), found);
    }
}

/// What an account has.
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
        let domain_id = administer(&service.database, &create)["domain_id"].as_i64().unwrap();
        let tag = format!("tag of {name}");
        let made = store.create_tag(&scope, chatbot_id, &tag, now).await.unwrap().unwrap();
        let page = &store.webpages(&scope, chatbot_id, None, None, 1).await.unwrap()[0];
        assert!(store.tag_webpage(&scope, page.webpage_id, made.tag_id).await.unwrap());
        let first = client.messages().send(chatbot_id, NewMessage::new("What is the canary called?"));
        let conversation_id = first.await.unwrap().conversation_id;
        Self { customer, client, chatbot_id, conversation_id, domain_id, tag, _site: site }
    }

    /// All that the account can see of itself, to be compared.
    async fn everything(&self, service: &Installation) -> String {
        let (store, scope) = (&service.database.store, self.customer.scope());
        format!(
            "{:#?}",
            (
                store.chatbots(&scope).await.unwrap(),
                service.database.pages(&scope, self.chatbot_id).await,
                store.tags(&scope, self.chatbot_id).await.unwrap(),
                store.domains(&scope).await.unwrap(),
                store.conversation(&scope, self.conversation_id).await.unwrap(),
                store.messages(&scope, self.conversation_id, 0, 100).await.unwrap(),
                store.contacts(&scope, None, 100).await.unwrap(),
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

/// A body that an operation takes.
fn body(operation: &str) -> Option<Value> {
    match operation {
        "createChatbot" => {
            Some(json!({ "name": "New", "business_name": "New", "training_urls": ["http://127.0.0.2/"] }))
        }
        "updateChatbot" => Some(json!({ "name": "Captured" })),
        "sendMessage" => Some(json!({ "message": "What is the canary called?" })),
        "draftReply" => {
            Some(json!({ "subject": "Q", "messages": [{ "from": "x", "body": "What is the canary?" }] }))
        }
        _ => None,
    }
}

async fn call(
    service: &Installation,
    key: &str,
    operation: &Operation,
    id: &str,
    body: Option<Value>,
) -> (StatusCode, Value) {
    let path = operation.path.replace("{chatbot_id}", id);
    let mut request = Request::new(operation.method.as_str(), &path).key(key);
    if let Some(body) = body {
        request = request.json(body.to_string());
    }
    let raw = request.send(service.address()).await;
    assert!(!String::from_utf8_lossy(&raw.body).contains(CANARY), "{} tells: {raw:?}", operation.id);
    (raw.status, if raw.body.is_empty() { Value::Null } else { body_of(&raw) })
}

async fn foreign_ids_are_worth_nothing(database: Database) {
    let (service, ours, theirs) = tenants(database).await;
    let document: Value = serde_json::from_str(BUNDLE).unwrap();
    let key = &ours.customer.key.text;
    let before = theirs.everything(&service).await;
    let nowhere = Uuid::new_v4().to_string();
    let mut tried = 0;
    for operation in OPERATIONS {
        for place in places(&document, operation) {
            tried += 1;
            let named = format!("{} {place}", operation.id);
            match place.as_str() {
                // Whoever knows the id of a chatbot may ask it for replies; that is what the operation is for.
                "path chatbot_id" if operation.allows_anonymous() => {}
                "path chatbot_id" => {
                    let foreign = theirs.chatbot_id.to_string();
                    let met = call(&service, key, operation, &foreign, body(operation.id)).await;
                    let missing = call(&service, key, operation, &nowhere, body(operation.id)).await;
                    assert_eq!(met.0, 404, "{named}");
                    assert_eq!(met, missing, "{named} tells that there is such a chatbot");
                    // Nor does a body that is wrong bring it to light, nor anything that is no id at all.
                    let broken = body(operation.id).map(|_| json!({ "name": 7 }));
                    assert_eq!(call(&service, key, operation, &foreign, broken).await, missing, "{named}");
                    let upper = foreign.to_uppercase();
                    for id in ["x", "%00", "..%2f", &upper, &format!("{foreign}%20")] {
                        assert_eq!(
                            call(&service, key, operation, id, body(operation.id)).await,
                            missing,
                            "{named} {id}"
                        );
                    }
                }
                "conversation_id" => {
                    let id = theirs.conversation_id;
                    let with = |id: Uuid| json!({ "message": "What is it called?", "conversation_id": id });
                    let own = ours.chatbot_id.to_string();
                    let (status, met) = call(&service, key, operation, &own, Some(with(id))).await;
                    let unknown = Uuid::new_v4();
                    let (_, missing) = call(&service, key, operation, &own, Some(with(unknown))).await;
                    assert_eq!(status, 200, "{named}");
                    assert_ne!(met["conversation_id"], id.to_string(), "{named} goes on with it");
                    for field in ["response", "sources", "mode", "needs_escalation"] {
                        assert_eq!(
                            met[field], missing[field],
                            "{named} tells that there is one by its {field}"
                        );
                    }
                }
                "domain_id" => {
                    let own = ours.chatbot_id.to_string();
                    let with =
                        |id: i64| json!({ "message": "Hi", "domain_id": id, "contact": { "jwt": "x" } });
                    let met = call(&service, key, operation, &own, Some(with(theirs.domain_id))).await;
                    let missing = call(&service, key, operation, &own, Some(with(1 << 40))).await;
                    assert_eq!(met.0, 422, "{named}");
                    assert_eq!(met, missing, "{named} tells that there is such a domain");
                    assert!(met.1["errors"]["domain_id"].is_array(), "{named}: {met:?}");
                }
                "source_tags" => {
                    let own = ours.chatbot_id.to_string();
                    let with = |tag: &str| json!({ "message": "Hi", "source_tags": [ours.tag, tag] });
                    let met = call(&service, key, operation, &own, Some(with(&theirs.tag))).await;
                    let missing = call(&service, key, operation, &own, Some(with("no such tag"))).await;
                    assert_eq!(met.0, 422, "{named}");
                    assert_eq!(met, missing, "{named} tells that there is such a tag");
                    assert!(met.1["errors"]["source_tags.1"].is_array(), "{named}: {met:?}");
                }
                // It names nobody: it is checked with the secret of a domain of the caller's own.
                "contact.jwt" => {
                    let own = ours.chatbot_id.to_string();
                    let body = json!({ "message": "Hi", "contact": { "jwt": "a.b.c" } });
                    let met = call(&service, key, operation, &own, Some(body)).await;
                    assert_eq!(
                        (met.0, &met.1["error"]),
                        (StatusCode::UNPROCESSABLE_ENTITY, &json!("invalid_identity"))
                    );
                }
                _ => panic!("{named}: say here what is to become of a foreign id in this place"),
            }
        }
    }
    assert_eq!(
        tried, 9,
        "the places are looked for in a way that misses some, or there are more of them now"
    );
    assert_eq!(theirs.everything(&service).await, before, "something of the other account has changed");
    service.stop().await;
}

async fn nothing_of_another_account_is_ever_told(database: Database) {
    let (service, ours, theirs) = tenants(database).await;
    let ask = async |tenant: &Tenant, chatbot_id: Uuid, question: &str| {
        let sent = tenant.client.messages().send(chatbot_id, NewMessage::new(question)).await;
        sent.map(frontdesk_client::Answer::into_inner)
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
        let draft = nobody.messages().draft_reply(ours.chatbot_id, draft).await.unwrap();
        let ours_told = ask(&ours, ours.chatbot_id, question).await.unwrap();
        for (text, sources) in [(&ours_told.response, &ours_told.sources), (&draft.reply, &draft.sources)] {
            // Its own question may be said back to a visitor, and nothing else.
            assert!(!text.contains(CANARY) || question.contains(CANARY), "{question}: {text}");
            assert!(sources.iter().all(|source| !source.title.contains("Canary")), "{question}: {sources:?}");
        }
        if question.starts_with("What") {
            assert!(told.response.contains(CANARY), "the other account itself is not told: {told:?}");
        }
    }
    let listed = ours.client.chatbots().list().await.unwrap();
    assert!(listed.chatbots.iter().all(|chatbot| chatbot.chatbot_id != theirs.chatbot_id));

    // A chatbot that is given another's name and is deleted takes nothing of the other with it.
    let before = theirs.everything(&service).await;
    ours.client.chatbots().update(ours.chatbot_id, ChatbotUpdate::new().name("Helper")).await.unwrap();
    ours.client.chatbots().delete(ours.chatbot_id).await.unwrap();
    assert_eq!(theirs.everything(&service).await, before);
    assert!(ask(&ours, ours.chatbot_id, "canary").await.is_err());
    service.stop().await;
}
