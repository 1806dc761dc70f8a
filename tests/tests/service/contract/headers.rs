//! What is said in headers, and what is said of paths and methods that the document does not have.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_server::OPERATIONS;
use frontdesk_store::Plan;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::Installation,
    wire::{Request, header, json},
};

#[tokio::test(flavor = "multi_thread")]
async fn other_methods_are_told_which_ones_there_are() {
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mut methods: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for operation in OPERATIONS {
        methods.entry(operation.path).or_default().insert(operation.method.as_str());
    }
    for (template, expected) in methods {
        let path = template.replace("{chatbot_id}", &Uuid::new_v4().to_string());
        assert!(!path.contains('{'), "{template} has a parameter that this test does not know");
        for method in ["PATCH", "TRACE", "BREW"] {
            let raw = Request::new(method, &path).key(&acme.key.text).send(service.address()).await;
            assert_eq!(raw.status, 405, "{method} {template}");
            let allowed: BTreeSet<&str> = header(&raw, "allow").split(", ").collect();
            let mut expected = expected.clone();
            if expected.contains("GET") {
                expected.insert("HEAD");
            }
            assert_eq!(allowed, expected, "{method} {template}");
            assert!(json(&raw)["message"].is_string());
        }
    }
    for path in ["/", "/api/v1", "/api/v1/chatbots/", "/api/v2/chatbots", "/api/v1/chatbots/x/messages/y"] {
        let raw = Request::new("GET", path).key(&acme.key.text).send(service.address()).await;
        assert_eq!(raw.status, 404, "{path}");
        assert!(json(&raw)["message"].is_string(), "{path}");
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_not_known_is_told_how_to_become_so() {
    let service = Installation::start(Database::sqlite().await).await;
    for operation in OPERATIONS.iter().filter(|operation| !operation.allows_anonymous()) {
        let path = operation.path.replace("{chatbot_id}", &Uuid::new_v4().to_string());
        for (request, expected, challenge) in [
            (Request::new(operation.method.as_str(), &path), "unauthorized", "Bearer"),
            (
                Request::new(operation.method.as_str(), &path).header("Authorization", "Basic YTpi"),
                "unauthorized",
                "Bearer",
            ),
            (
                Request::new(operation.method.as_str(), &path).key("sk_live_nothing"),
                "invalid_api_key",
                "Bearer error=\"invalid_token\"",
            ),
        ] {
            let raw = request.send(service.address()).await;
            assert_eq!(raw.status, 401, "{request:?}");
            assert_eq!(json(&raw)["error"], expected, "{request:?}");
            assert_eq!(header(&raw, "www-authenticate"), challenge, "{request:?}");
        }
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_for_their_reader_only_and_can_be_found_in_the_log() {
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let list = Request::new("GET", "/api/v1/chatbots").key(&acme.key.text);
    for request in [list.clone(), Request::new("GET", "/api/v1/chatbots"), Request::new("GET", "/nowhere")] {
        let raw = request.send(service.address()).await;
        assert_eq!(header(&raw, "cache-control"), "no-store", "{request:?}");
        assert_eq!(header(&raw, "x-content-type-options"), "nosniff", "{request:?}");
        assert!(header(&raw, "content-type").starts_with("application/json"), "{request:?}");
        assert!(!header(&raw, "x-request-id").is_empty(), "{request:?}");
    }
    let raw = list.header("X-Request-Id", "order-66").send(service.address()).await;
    assert_eq!(header(&raw, "x-request-id"), "order-66");
    service.stop().await;
}
