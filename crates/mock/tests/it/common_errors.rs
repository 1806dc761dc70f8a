//! Tests of documents whose errors all have one body: undeclared refusals have it too.

use crate::socket::{exchange, mock_of_text, start};

const PETS: &str = "
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    post:
      requestBody: {required: true, content: {application/json: {schema: {type: integer}}}}
      responses: {'204': {description: Done}, '400': {$ref: '#/components/responses/Bad'}, '409': {$ref: '#/components/responses/Bad'}}
  /bare:
    get:
      parameters: [{name: n, in: query, schema: {type: integer}}]
      responses: {'204': {description: Done}}
components:
  responses:
    Bad: {description: Refused, content: {application/problem+json: {schema: {$ref: '#/components/schemas/Problem'}}}}
  schemas:
    Problem: {type: object, required: [title, code], properties: {title: {type: string}, status: {type: integer}, code: {type: string, enum: [refused]}}}
";

#[tokio::test]
async fn undeclared_refusals_have_the_common_body() {
    let pets = start(mock_of_text(PETS)).await;
    for (call, headers, body, status) in [
        ("POST /pets", &["Content-Type: text/plain"] as &[_], "1", 415),
        ("GET /bare?n=a", &[], "", 422),
        ("GET /pets", &[], "", 405),
        ("GET /nothing", &[], "", 404),
    ] {
        let response = exchange(pets, call, headers, body).await;
        assert_eq!(
            (response.status, response.header("content-type")),
            (status, Some("application/problem+json")),
            "{call}"
        );
        let problem = response.json();
        assert_eq!(
            (problem["code"].as_str(), problem["status"].as_u64()),
            (Some("refused"), Some(status.into())),
            "{call}"
        );
        assert!(response.header("x-mock-violation").is_some(), "{call}");
    }
    let allowed = exchange(pets, "GET /pets", &[], "").await;
    assert_eq!(allowed.header("allow"), Some("POST"));
}

#[tokio::test]
async fn different_bodies_are_not_common() {
    let text = PETS.replace(
        "'409': {$ref: '#/components/responses/Bad'}",
        "'409': {description: Taken, content: {application/json: {schema: {type: object}}}}",
    );
    let pets = start(mock_of_text(&text)).await;
    let response = exchange(pets, "POST /pets", &["Content-Type: text/plain"], "1").await;
    assert_eq!(response.status, 415);
    assert!(response.json()["code"].is_null(), "{response:?}");
}
