//! What is served beside the interface, and what every answer carries.

use serde_json::Value;

use super::harness::Installation;
use crate::wire::{Request, header, json};

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_carries_an_id_and_protective_headers() {
    let service = Installation::start().await;
    for path in ["/api/v1/chatbots", "/health", "/nowhere", "/openapi.json", "/api/v1/chatbots/x/reply"] {
        let answer = service.send(Request::new("GET", path).header("X-Request-Id", "order-7")).await;
        assert_eq!(header(&answer, "x-request-id"), "order-7", "{path}");
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff", "{path}");
        assert!(header(&answer, "content-security-policy").contains("default-src 'none'"), "{path}");
        let kept = header(&answer, "cache-control");
        assert_eq!(kept == "no-store", path != "/openapi.json", "{path}: {kept}");
        let unnamed = service.send(Request::new("GET", path)).await;
        assert_eq!(header(&unnamed, "x-request-id").len(), 36, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_and_methods_that_do_not_exist_are_answered_in_the_contracts_form() {
    let service = Installation::start().await;
    for (method, path, expected, allow) in [
        ("POST", "/", 405, Some("GET, HEAD")),
        ("GET", "/api/v1/chatbot", 404, None),
        ("GET", "/api/v2/chatbots", 404, None),
        ("PATCH", "/api/v1/chatbots", 405, Some("GET, HEAD, POST")),
        (
            "POST",
            "/api/v1/chatbots/3f2b8c1e-6a4d-4e57-9b0a-2d7c51e8f604",
            405,
            Some("DELETE, GET, HEAD, PUT"),
        ),
        ("POST", "/health", 405, Some("GET, HEAD")),
        ("POST", "/ready", 405, Some("GET, HEAD")),
        ("DELETE", "/openapi.json", 405, Some("GET, HEAD")),
    ] {
        let answer = service.send(Request::new(method, path)).await;
        assert_eq!(answer.status, expected, "{method} {path}");
        assert_eq!(
            answer.headers.get("allow").map(|value| value.to_str().unwrap()),
            allow,
            "{method} {path}"
        );
        assert!(json(&answer)["message"].is_string(), "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_interface_is_described_in_both_forms() {
    let service = Installation::start().await;
    let raw = service.send(Request::new("GET", "/openapi.json")).await;
    assert_eq!((raw.status.as_u16(), header(&raw, "content-type")), (200, "application/json"));
    let document: Value = json(&raw);
    assert!(document["openapi"].as_str().unwrap().starts_with("3.0"));
    let operations =
        document["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
    let ids = operations.filter_map(|operation| operation["operationId"].as_str()).count();
    assert_eq!(ids, frontdesk_server::OPERATIONS.len());

    let yaml = service.send(Request::new("GET", "/openapi.yaml")).await;
    assert_eq!((yaml.status.as_u16(), header(&yaml, "content-type")), (200, "application/yaml"));
    assert!(yaml.text().unwrap().contains("openapi: \"3.0"));
    let head = service.send(Request::new("HEAD", "/openapi.yaml")).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_interface_is_shown_on_a_page() {
    let service = Installation::start().await;
    let page = service.send(Request::new("GET", "/docs")).await;
    assert_eq!((page.status.as_u16(), header(&page, "content-type")), (200, "text/html; charset=utf-8"));
    let policy = header(&page, "content-security-policy");
    for rule in ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"] {
        assert!(policy.split("; ").any(|found| found == rule), "no {rule} in {policy}");
    }
    assert_eq!(header(&page, "x-content-type-options"), "nosniff");
    assert_eq!(header(&page, "referrer-policy"), "no-referrer");
    let html = page.text().unwrap();
    for operation in frontdesk_server::OPERATIONS {
        assert!(html.contains(&format!("\"operationId\":\"{}\"", operation.id)), "{}", operation.id);
    }

    let slash = service.send(Request::new("GET", "/docs/")).await;
    assert_eq!((slash.status.as_u16(), header(&slash, "location")), (308, "../docs"));
    let other = service.send(Request::new("POST", "/docs")).await;
    assert_eq!((other.status.as_u16(), header(&other, "allow")), (405, "GET, HEAD"));

    let loaded: Vec<&str> = html.split('"').filter(|text| text.starts_with("docs/")).collect();
    assert!(loaded.contains(&"docs/scalar.js"), "{loaded:?}");
    for path in [&["docs"], &loaded[..]].concat().iter().map(|path| format!("/{path}")) {
        let file = service.send(Request::new("GET", &path)).await;
        let tag = header(&file, "etag");
        assert_eq!((file.status.as_u16(), file.headers.get("content-encoding")), (200, None), "{path}");
        assert_eq!(header(&file, "cache-control"), "public, max-age=300", "{path}");
        let head = service.send(Request::new("HEAD", &path)).await;
        assert_eq!((head.status.as_u16(), header(&head, "etag"), head.body.len()), (200, tag, 0), "{path}");
        assert_eq!(header(&head, "content-length"), file.body.len().to_string(), "{path}");
        let again = service.send(Request::new("GET", &path).header("If-None-Match", tag)).await;
        assert_eq!(
            (again.status.as_u16(), header(&again, "etag"), again.body.len()),
            (304, tag, 0),
            "{path}"
        );
    }
    let script = Request::new("HEAD", "/docs/scalar.js").header("Accept-Encoding", "gzip, br");
    let script = service.send(script).await;
    assert_eq!(header(&script, "content-type"), "text/javascript; charset=utf-8");
    assert_eq!((header(&script, "content-encoding"), header(&script, "vary")), ("gzip", "Accept-Encoding"));
}

#[tokio::test(flavor = "multi_thread")]
async fn readiness_follows_the_database_and_health_does_not() {
    let service = Installation::start().await;
    let ready = async || service.send(Request::new("GET", "/ready")).await;
    let answer = ready().await;
    assert_eq!((answer.status.as_u16(), &json(&answer)["status"]), (200, &"ready".into()));
    service.running.store.close().await;
    let answer = loop {
        // A result is reused for a second.
        let answer = ready().await;
        if answer.status != 200 {
            break answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    };
    assert_eq!((answer.status.as_u16(), &json(&answer)["status"]), (503, &"unavailable".into()));
    assert_eq!(json(&answer)["message"], "The database cannot be written to.");
    assert_eq!(json(&answer)["problems"], serde_json::json!(["The database cannot be written to."]));
    // The process is alive all the same: a restart would not help the database.
    let answer = service.send(Request::new("GET", "/health")).await;
    assert_eq!((answer.status.as_u16(), &json(&answer)["status"]), (200, &"ok".into()));
    let metrics = service.send(Request::new("GET", "/metrics")).await;
    assert_eq!(metrics.status, 200);
    let metrics = metrics.text().unwrap();
    assert!(metrics.lines().any(|line| line == "frontdesk_database_unreachable 1"), "{metrics}");
    assert!(metrics.contains("frontdesk_requests_total"), "{metrics}");
    // What needs the database says no more than that it failed.
    let account = Request::new("GET", "/api/v1/chatbots").key(&format!("sk_live_{}", "A".repeat(43)));
    let answer = service.send(account).await;
    assert_eq!(answer.status, 500);
    assert!(!answer.text().unwrap().contains("pool"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_not_ready() {
    let service = Installation::start_with(|config| config.ready.min_free_bytes = u64::MAX).await;
    let answer = service.send(Request::new("GET", "/ready")).await;
    assert_eq!(answer.status, 503);
    assert_eq!(json(&answer)["problems"], serde_json::json!(["The disk of the database is almost full."]));
    let folder = service.database.folder().display().to_string();
    assert!(!answer.text().unwrap().contains(&folder), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_count_without_naming_anybody() {
    let service = Installation::start_with(|config| {
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await;
    let account = service.database.account("acme", "growth");
    let secure = |request: Request| request.header("X-Forwarded-Proto", "https");
    service.send(secure(Request::new("GET", "/api/v1/chatbots").key(&account.key))).await;
    service.send(secure(Request::new("GET", "/api/v1/chatbots"))).await;
    service.send(secure(Request::new("GET", "/nowhere"))).await;

    let outsider = secure(Request::new("GET", "/metrics")).header("X-Forwarded-For", "198.51.100.7");
    assert_eq!(service.send(outsider).await.status, 404);
    // A collector on this machine does not go through the proxy.
    assert_eq!(service.send(Request::new("GET", "/metrics")).await.status, 200);
    let answer = service.send(secure(Request::new("GET", "/metrics"))).await;
    assert!(header(&answer, "content-type").starts_with("application/openmetrics-text"));
    let metrics = answer.text().unwrap();
    for line in [
        r#"frontdesk_requests_total{operation="listChatbots",status="200"} 1"#,
        r#"frontdesk_requests_total{operation="listChatbots",status="401"} 1"#,
        r#"frontdesk_requests_total{operation="other",status="404"} 1"#,
        r#"frontdesk_requests_total{operation="metrics",status="404"} 1"#,
    ] {
        assert!(metrics.lines().any(|found| found == line), "no {line} in\n{metrics}");
    }
    for secret in [&account.key, &account.id, &account.owner] {
        assert!(!metrics.contains(secret));
    }
}
