//! Headers of responses, and paths that the document does not have.

use frontdesk_runtime::Operation;
use frontdesk_server::OPERATIONS;
use frontdesk_store::Plan;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::Installation,
    wire::{Request, header, json},
};

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_are_not_found() {
    let service = Installation::start(Database::sqlite().await).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    for path in ["/api/v1", "/api/v1/chatbots/", "/api/v2/chatbots", "/api/v1/chatbots/x/messages/y"] {
        let raw = Request::new("GET", path).key(&acme.key.text).send(service.address()).await;
        assert_eq!(raw.status, 404, "{path}");
        assert!(json(&raw)["message"].is_string(), "{path}");
    }
    service.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_401_has_a_challenge() {
    let service = Installation::start(Database::sqlite().await).await;
    for operation in OPERATIONS.iter().filter(|operation| !operation.allows_anonymous()) {
        let path = path_of(operation);
        let unknown = match operation.security[0].schemes[0].name {
            "apiKey" => "invalid_api_key",
            "visitorToken" => "invalid_visitor_token",
            scheme => panic!("{scheme} is new; say here what is the error for an unknown credential"),
        };
        for (request, expected, challenge) in [
            (Request::new(operation.method.as_str(), &path), "unauthorized", "Bearer"),
            (
                Request::new(operation.method.as_str(), &path).header("Authorization", "Basic YTpi"),
                "unauthorized",
                "Bearer",
            ),
            (
                Request::new(operation.method.as_str(), &path).key("sk_live_nothing"),
                unknown,
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
async fn responses_are_not_cached_and_can_be_found_in_the_log() {
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

/// Returns the path of an operation with unknown ids.
fn path_of(operation: &Operation) -> String {
    let unknown = Uuid::new_v4().to_string();
    let parts = operation.path.split(['{', '}']).enumerate();
    parts.map(|(index, part)| if index % 2 == 1 { &*unknown } else { part }).collect()
}
