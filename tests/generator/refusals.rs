//! What the router answers in place of a handler.

use serde_json::{Value, json};

use crate::service::{FAULTY, KNOWN, start};
use crate::socket::{exchange, pretty, send_json};

const JSON: &str = "Content-Type: application/json";

#[tokio::test]
async fn paths_and_methods() {
    let address = start().await;
    for (line, status, allow) in [
        ("GET /nowhere", 404, None),
        ("GET /widgets/", 404, None),
        ("GET //widgets", 404, None),
        ("GET /WIDGETS", 404, None),
        ("GET /", 404, None),
        ("PUT /widgets", 405, Some("GET, HEAD, POST")),
        ("POST /widgets/00000000-0000-0000-0000-000000000007", 405, Some("DELETE, GET, HEAD, PATCH")),
        // Whether the resource exists is not told to a method that is not there.
        ("PUT /widgets/nothing", 405, Some("DELETE, GET, HEAD, PATCH")),
        // A literal path is meant before one with a parameter in its place.
        ("POST /echo/maps", 405, Some("PUT")),
        ("GET /widgets/nothing", 404, None),
        ("GET /widgets/00000000-0000-0000-0000-000000000007/drawings/a.gif?sizes=1", 404, None),
        ("GET /widgets/00000000-0000-0000-0000-000000000007/drawings/a?sizes=1", 404, None),
        ("PUT /widgets/00000000-0000-0000-0000-000000000007/labels/", 404, None),
        (
            "PUT /widgets/00000000-0000-0000-0000-000000000007/labels/12345678901234567890123456789012345678901",
            404,
            None,
        ),
    ] {
        let answer = exchange(address, line, &[], "").await;
        assert_eq!(answer.status, status, "{line}: {answer:?}");
        assert_eq!(answer.headers.get("allow").map(String::as_str), allow, "{line}: {answer:?}");
        assert!(answer.json()["message"].is_string(), "{line}: {answer:?}");
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let address = start().await;
    let line = format!("HEAD /widgets/{KNOWN}");
    let answer = exchange(address, &line, &[], "").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
}

#[tokio::test]
async fn each_operation_has_its_own_body_limit() {
    let address = start().await;
    for (line, length, status) in [
        ("POST /echo/200", 64, 422),
        ("POST /echo/200", 65, 413),
        ("PUT /echo/maps", 65, 422),
        ("PUT /echo/maps", 4096, 422),
        ("PUT /echo/maps", 4097, 413),
    ] {
        let body = format!("{:>length$}", "7");
        let answer = exchange(address, line, &[JSON], &body).await;
        assert_eq!(answer.status, status, "{line} {length}: {answer:?}");
    }
}

#[test]
fn listed_extension_keys_are_constants() {
    let found = |id: &str, name: &str| {
        let operation = widgets_server::OPERATIONS.iter().find(|operation| operation.id == id).unwrap();
        operation.extension(name)
    };
    let audience = r###"{"who":"all \"#of\"## them","from":["web","app"],"most":2.50,"until":null}"###;
    assert_eq!(found("listWidgets", "x-audience"), Some(audience));
    assert_eq!(found("listWidgets", "x-quota"), Some("12"));
    assert_eq!(found("listWidgets", "x-unlisted"), None);
    assert_eq!(found("getWidget", "x-audience"), None);
}

#[tokio::test]
async fn bodies_that_cannot_be_read() {
    let address = start().await;
    let long = format!(r#"{{"name": "{}"}}"#, "a".repeat(5000));
    for (headers, body, status) in [
        (&[JSON][..], "{", 400),
        (&[JSON], r#"{"name": "a", "parts": []} trailing"#, 400),
        (&[JSON], "{'name': 1}", 400),
        (&["Content-Type: application/vnd.widget+json; charset=UTF-8"], "[]", 422),
        (&["Content-Type: text/plain"], "{}", 415),
        (&["Content-Type: application/json; charset=latin1"], "{}", 415),
        (&[], "{}", 415),
        (&[JSON], &long, 413),
        // A body without a length is counted as it comes.
        (&[JSON, "Transfer-Encoding: chunked"], "", 422),
    ] {
        // A chunked body that is empty ends at once.
        let answer = if headers.len() == 2 {
            exchange(address, "POST /widgets", &[JSON, "Content-Length: 0"], body).await
        } else {
            exchange(address, "POST /widgets", headers, body).await
        };
        assert_eq!(answer.status, status, "{headers:?} {body:.40}: {answer:?}");
        assert!(answer.json()["message"].is_string(), "{answer:?}");
    }
}

/// The failures of a body sent to create a widget.
async fn failures(body: Value) -> Value {
    let answer = send_json(start().await, "POST /widgets", &body.to_string()).await;
    assert_eq!(answer.status, 422, "{answer:?}");
    answer.json()["errors"].clone()
}

#[tokio::test]
async fn every_broken_rule_is_told_at_once_with_its_path() {
    let told = failures(json!({
        "name": "thirteen chars",
        "code": "ab-1",
        "weight": 1000,
        "count": 6,
        "tags": ["toolong", "a", "a", "b"],
        "contact": "jo",
        "homepage": "/relative",
        "host": "a_b",
        "finish": "rusty",
        "secret": "short",
        "parts": [{ "name": "" }, { "name": "a", "inside": { "name": "", "parts": [{ "name": "" }] } }],
    }))
    .await;
    insta::assert_snapshot!(pretty(&told));
}

#[tokio::test]
async fn missing_fields_and_wrong_types_are_told_with_the_rest() {
    let told = failures(json!({
        "code": "ab-1",
        "weight": "heavy",
        "count": 1.5,
        "serial": 9_223_372_036_854_775_808_u64,
        "mass": -1,
        "tags": ["a", 1, "toolong"],
        "finish": 7,
        "secret": null,
        "note": { "text": "a", "language": "fr" },
        "parts": [{ "name": 1 }, "text", { "inside": [] }],
    }))
    .await;
    insta::assert_snapshot!(pretty(&told));
}

#[tokio::test]
async fn a_body_of_another_kind_is_told_as_a_whole() {
    for (body, expected) in [
        (json!([]), "must be an object, not an array"),
        (json!(null), "must be an object, not null"),
        (json!("a"), "must be an object, not a string"),
    ] {
        assert_eq!(failures(body).await, json!({ "body": [expected] }));
    }
    let answer = exchange(start().await, "POST /widgets", &[], "").await;
    assert_eq!((answer.status, &answer.json()["errors"]), (422, &json!({ "body": ["is required"] })));
}

#[tokio::test]
async fn limits_hold_at_their_edges() {
    let address = start().await;
    for (body, taken) in [
        (json!({ "name": "twelve chars", "parts": [] }), true),
        // Lengths are counted in characters, not in bytes.
        (json!({ "name": "ßßßßßßßßßßßß", "parts": [] }), true),
        (json!({ "name": "", "parts": [] }), false),
        (json!({ "name": "a", "parts": [], "weight": 0.01 }), true),
        (json!({ "name": "a", "parts": [], "weight": 0.07 }), true),
        (json!({ "name": "a", "parts": [], "weight": 0 }), false),
        (json!({ "name": "a", "parts": [], "weight": 999.99 }), true),
        (json!({ "name": "a", "parts": [], "weight": 0.015 }), false),
        (json!({ "name": "a", "parts": [], "count": -5 }), true),
        (json!({ "name": "a", "parts": [], "count": 1 }), false),
        (json!({ "name": "a", "parts": [], "serial": i64::MIN }), true),
        (json!({ "name": "a", "parts": [], "mass": u64::MAX }), true),
        (json!({ "name": "a", "parts": [], "tags": [] }), false),
        (json!({ "name": "a", "parts": [], "tags": ["a", "b", "c"] }), true),
        (json!({ "name": "a", "parts": [], "finish": null }), true),
        (json!({ "name": "a", "parts": [], "code": null }), false),
        (json!({ "name": "a", "parts": [], "later": "unknown members are for later versions" }), true),
    ] {
        let answer = send_json(address, "POST /widgets", &body.to_string()).await;
        assert_eq!(answer.status, if taken { 201 } else { 422 }, "{body}: {answer:?}");
    }
}

#[tokio::test]
async fn failing_parameters_are_told_together() {
    let line = "GET /widgets?tags=&tags=a&tags=toolongtag&tags=b&ids=1,x&state=gone&finishes=dull&limit=101\
                &offset=-1&page=x&ratio=0.3&since=today&owner=me&verbose=yes";
    let answer = exchange(start().await, line, &["X-Depth: -1"], "").await;
    assert_eq!(answer.status, 422, "{answer:?}");
    insta::assert_snapshot!(pretty(&answer.json()["errors"]));
}

#[tokio::test]
async fn parameters_and_body_are_told_together_and_a_resource_comes_first() {
    let address = start().await;
    let line = "GET /widgets/00000000-0000-0000-0000-000000000007/drawings/a.svg";
    let answer = exchange(address, line, &[], "").await;
    assert_eq!((answer.status, &answer.json()["errors"]), (422, &json!({ "sizes": ["is required"] })));
    let answer = send_json(address, "PATCH /widgets/nothing", "{}").await;
    assert_eq!(answer.status, 404, "{answer:?}");
}

#[tokio::test]
async fn a_status_is_refused_as_the_operation_declares_it() {
    let address = start().await;
    let refused = async |line: &str| exchange(address, line, &["X-Full: 1"], "").await;
    // 429 with a header and without a body, whose type has no default.
    let answer = refused(&format!("GET /widgets/{KNOWN}")).await;
    assert_eq!((answer.status, answer.body.as_str()), (429, ""), "{answer:?}");
    assert_eq!(answer.headers.get("retry-after").map(String::as_str), Some("7"));
    // 4XX with a body.
    let answer = refused("GET /widgets").await;
    assert_eq!((answer.status, answer.json()), (429, json!({ "message": "no room for nobody" })));
    // Not declared, so the authenticator responds as it likes.
    let answer = refused("GET /access/open").await;
    assert_eq!((answer.status, answer.json()), (429, json!({ "message": "no room for nobody" })));
    assert_eq!(answer.headers.get("retry-after"), None);
}

#[tokio::test]
async fn a_fault_says_nothing_of_what_is_inside() {
    let answer = exchange(start().await, &format!("GET /widgets/{FAULTY}"), &[], "").await;
    assert_eq!(
        (answer.status, answer.json()),
        (500, json!({ "message": "Something went wrong on our side." }))
    );
}
