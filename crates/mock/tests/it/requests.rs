//! Tests of rejected requests: credentials, and error bodies that describe the violation.

use crate::socket::{exchange, mock_of_text, start};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A document with one operation that takes `{age}`, and has a 422 response with this schema and example.
fn document(schema: &Value, example: &Value) -> String {
    let error = json!({ "schema": schema, "example": example });
    let body = json!({"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}});
    json!({
        "openapi": "3.0.3",
        "info": {"title": "Ages", "version": "1"},
        "paths": {"/ages": {"post": {
            "requestBody": {"required": true, "content": {"application/json": {"schema": body}}},
            "responses": {
                "204": {"description": "Noted"},
                "422": {"description": "Refused", "content": {"application/json": error}},
            },
        }}},
    })
    .to_string()
}

async fn refused(schema: Value, example: Value) -> Value {
    let address = start(mock_of_text(&document(&schema, &example))).await;
    let response =
        exchange(address, "POST /ages", &["Content-Type: application/json"], "{\"age\": \"old\"}").await;
    assert_eq!(response.status, 422, "{response:?}");
    assert_eq!(response.lines("x-mock-violation"), ["body /age: does not have the type integer"]);
    response.json()
}

#[tokio::test]
async fn errors_describe_the_violation_if_their_schema_allows() {
    const RULE: &str = "does not have the type integer";
    let summary = format!("body /age: {RULE}");
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let fields = json!({"type": "object", "required": ["message"], "properties": {
        "message": {"type": "string"}, "errors": {"type": "object", "additionalProperties": texts}}});
    let reported = refused(fields, json!({"message": "No.", "errors": {"x": ["y"]}})).await;
    assert_eq!(reported, json!({"message": summary, "errors": {"age": [RULE]}}));
    let list = json!({"type": "object", "properties": {
        "status": {"type": "integer"}, "title": {"type": "string"},
        "issues": {"type": "array", "items": {"type": "object", "required": ["path", "message"],
            "additionalProperties": false, "properties": {"path": {"type": "string"}, "message": {"type": "string"}}}}}});
    let reported = refused(list, json!({"title": "Invalid", "status": 400})).await;
    let issues = json!([{"path": "age", "message": RULE}]);
    assert_eq!(reported, json!({"title": "Invalid", "status": 422, "issues": issues}));
    // Members that the schema does not allow keep the document's value.
    let closed = json!({"type": "object", "properties": {"message": {"type": "string", "enum": ["no"]}}});
    assert_eq!(refused(closed, json!({"message": "no"})).await, json!({"message": "no"}));
    assert_eq!(refused(json!({"type": "string"}), json!("no")).await, json!("no"));
}

#[tokio::test]
async fn any_credential_of_the_right_kind_is_accepted() {
    let address = start(mock_of_text(
        "
openapi: 3.0.3
info: {title: Doors, version: '1'}
security: [{bearer: []}]
components:
  securitySchemes:
    bearer: {type: oauth2, flows: {}}
    basic: {type: http, scheme: Basic}
    digest: {type: http, scheme: digest}
    header: {type: apiKey, in: header, name: X-Key}
    query: {type: apiKey, in: query, name: key}
    cookie: {type: apiKey, in: cookie, name: session}
    magic: {type: magic}
    certificate: {type: mutualTLS}
paths:
  /bearer: {get: {responses: {'204': {description: In}, '401': {description: Out, content: {application/json: {example: {message: Out}}}}}}}
  /open: {get: {security: [], responses: {'204': {description: In}}}}
  /maybe: {get: {security: [{}, {bearer: []}], responses: {'204': {description: In}}}}
  /either: {get: {security: [{basic: []}, {query: []}, {digest: []}], responses: {'204': {description: In}}}}
  /both: {get: {security: [{header: [], cookie: []}], responses: {'204': {description: In}}}}
  /lost: {get: {security: [{nowhere: []}], responses: {'204': {description: In}}}}
  /lost-basic: {get: {security: [{nowhere_basic: []}], responses: {'204': {description: In}}}}
  /magic: {get: {security: [{magic: []}], responses: {'204': {description: In}}}}
  /certificate: {get: {security: [{certificate: []}], responses: {'204': {description: In}}}}
  /no-list: {get: {security: {bearer: []}, responses: {'204': {description: In}}}}
  /name-alone: {get: {security: [bearer], responses: {'204': {description: In}}}}
  /nothing: {get: {security: [null], responses: {'204': {description: In}}}}
",
    ))
    .await;
    for (target, headers, status) in [
        ("/bearer", &[] as &[&str], 401),
        ("/bearer", &["Authorization: Bearer any"], 204),
        ("/bearer", &["Authorization: Basic any"], 401),
        ("/open", &[], 204),
        ("/maybe", &[], 204),
        ("/either", &[], 401),
        ("/either", &["Authorization: Basic YTpi"], 204),
        ("/either?key=any", &[], 204),
        ("/either", &["Authorization: digest any"], 204),
        ("/both", &["X-Key: any"], 401),
        ("/both", &["X-Key: any", "Cookie: session=any"], 204),
        // A scheme that is not defined, and one of an unknown type, are read as generated servers read them.
        ("/lost", &[], 401),
        ("/lost", &["Authorization: Bearer any"], 204),
        ("/lost-basic", &["Authorization: Basic YTpi"], 204),
        ("/magic", &[], 401),
        ("/magic", &["Authorization: Bearer any"], 204),
        ("/certificate", &[], 204),
        // A requirement that is not written as OpenAPI asks for does not open the operation.
        ("/no-list", &[], 401),
        ("/no-list", &["Authorization: Bearer any"], 204),
        ("/name-alone", &[], 401),
        ("/nothing", &[], 401),
    ] {
        let response = exchange(address, &format!("GET {target}"), headers, "").await;
        assert_eq!(response.status, status, "{target} {headers:?}: {response:?}");
        assert_eq!(response.header("www-authenticate").is_some(), status == 401, "{response:?}");
    }
    let response = exchange(address, "GET /bearer", &[], "").await;
    assert_eq!(response.body, "{\"message\":\"Out\"}");
    let response = exchange(address, "GET /both", &[], "").await;
    let violation =
        "security: send the header `X-Key` (header) and the cookie `session` (cookie); any value is accepted";
    assert_eq!(response.lines("x-mock-violation"), [violation]);
}

#[tokio::test]
async fn heads_and_bodies_are_bounded() {
    let body = json!({"type": "object"});
    let address = start(mock_of_text(&document(&body, &body))).await;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET /ages HTTP/1.1\r\nX-Long: {}\r\n\r\n", "a".repeat(400_000));
    // The connection may break off while the rest is sent.
    let _ = stream.write_all(head.as_bytes()).await;
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response).await;
    assert!(
        response.is_empty() || response.starts_with(b"HTTP/1.1 431"),
        "{}",
        String::from_utf8_lossy(&response)
    );
    let large = format!("{{\"age\": \"{}\"}}", "a".repeat(crate::socket::LIMIT));
    let response = exchange(address, "POST /ages", &["Content-Type: application/json"], &large).await;
    assert_eq!((response.status, response.header("content-type")), (413, Some("application/json")));
    // The document states another limit than the settings of the mock.
    let stated = crate::socket::LIMIT + 20_000;
    let policy = format!("\"post\":{{\"x-policy\":{{\"body_bytes\":{stated}}},");
    let text = document(&body, &body).replace("\"post\":{", &policy);
    let larger = start(mock_of_text(&text)).await;
    for (length, status) in [(stated, 204), (stated + 1, 413)] {
        let padded = format!("{{\"age\": 7}}{}", " ".repeat(length - 10));
        let response = exchange(larger, "POST /ages", &["Content-Type: application/json"], &padded).await;
        assert_eq!(response.status, status, "{length}: {response:?}");
    }
    // JSON parsers limit the nesting depth.
    let deep = "[".repeat(50_000);
    let response = exchange(address, "POST /ages", &["Content-Type: application/json"], &deep).await;
    assert_eq!(response.status, 422, "{response:?}");
}
