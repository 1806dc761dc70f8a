//! Tests of bodies that the mock cannot produce: they are never labeled as what they are not, and a warning
//! says what is missing.

use crate::socket::{Raw, exchange, mock_of_text, start};

const MEDIA: &str = "
openapi: 3.1.0
info: {title: Media, version: '1'}
paths:
  /mixed:
    get:
      responses:
        '200':
          description: A thing
          content:
            application/json: {schema: {$ref: '#/components/schemas/Thing'}}
            application/xml: {schema: {$ref: '#/components/schemas/Thing'}}
            text/csv: {schema: {type: array, items: {$ref: '#/components/schemas/Thing'}}}
            text/plain: {schema: {$ref: '#/components/schemas/Thing'}}
            application/pdf: {schema: {type: string, format: binary}}
            application/msgpack: {schema: {$ref: '#/components/schemas/Thing'}}
            application/x-ndjson: {schema: {$ref: '#/components/schemas/Thing'}}
            application/octet-stream: {schema: {type: string, format: binary}}
            application/x-www-form-urlencoded: {schema: {type: array, items: {type: string}}}
            image/*: {}
  /shown:
    get:
      responses:
        '200':
          description: A thing
          content:
            application/atom+xml: {example: '<a>1</a>', schema: {$ref: '#/components/schemas/Thing'}}
            application/xml: {example: {a: 1}, schema: {$ref: '#/components/schemas/Thing'}}
            image/svg: {example: a drawing, schema: {type: string}}
  /refused:
    get:
      parameters: [{name: n, in: query, schema: {type: integer}}]
      responses:
        '200': {description: Fine}
        '422': {description: Refused, content: {application/xml: {schema: {$ref: '#/components/schemas/Thing'}}}}
  /keywords:
    get: {responses: {'200': {description: Fine, content: {application/json: {schema: {type: object, properties: {list: {$ref: '#/components/schemas/List'}}}}}}}}
    put: {responses: {'200': {description: Fine, content: {application/json: {example: {list: [1]}, schema: {type: object, properties: {list: {$ref: '#/components/schemas/List'}}}}}}}}
components:
  schemas:
    Thing: {type: object, required: [a], properties: {a: {type: integer}}}
    List: {type: array, items: {type: integer}, contains: {const: 7}}
";

async fn get(path: &str, accept: &str) -> Raw {
    let media = start(mock_of_text(MEDIA)).await;
    exchange(media, &format!("GET {path}"), &[&format!("Accept: {accept}")], "").await
}

#[tokio::test]
async fn no_body_is_labeled_as_what_it_is_not() {
    for (accept, warning, is_empty) in [
        ("application/json", None, false),
        (
            "application/xml",
            Some("the response has no body, because the mock cannot write application/xml"),
            true,
        ),
        (
            "text/csv",
            Some("the response has no body, because the mock cannot write objects and lists as text/csv"),
            true,
        ),
        (
            "text/plain",
            Some("the mock writes objects and lists in text/plain as the text of their JSON"),
            false,
        ),
        ("application/pdf", Some("the mock cannot produce application/pdf"), false),
        ("application/msgpack", Some("the mock cannot write application/msgpack"), true),
        ("application/x-ndjson", None, false),
        ("application/octet-stream", None, false),
        (
            "application/x-www-form-urlencoded",
            Some("application/x-www-form-urlencoded needs an object"),
            true,
        ),
    ] {
        let response = get("/mixed", accept).await;
        assert_eq!((response.status, response.header("content-type")), (200, Some(accept)));
        let said = response.header("x-mock-warning");
        assert_eq!(said.is_some(), warning.is_some(), "{accept}: {said:?}");
        assert!(said.unwrap_or_default().contains(warning.unwrap_or_default()), "{accept}: {said:?}");
        assert_eq!(response.body.is_empty(), is_empty, "{accept}: {}", response.body);
    }
    let range = get("/mixed", "image/png").await;
    assert_eq!(range.header("content-type"), Some("application/octet-stream"));
    assert!(range.header("x-mock-warning").is_some_and(|said| said.contains("for image/*")), "{range:?}");
}

#[tokio::test]
async fn examples_that_are_text_are_sent() {
    let atom = get("/shown", "application/atom+xml").await;
    assert_eq!((atom.body.as_str(), atom.header("x-mock-warning")), ("<a>1</a>", None));
    let drawing = get("/shown", "image/svg").await;
    assert_eq!((drawing.body.as_str(), drawing.header("x-mock-warning")), ("a drawing", None));
    let xml = get("/shown", "application/xml").await;
    assert!(xml.body.is_empty() && xml.header("x-mock-warning").is_some(), "{xml:?}");
}

#[tokio::test]
async fn errors_are_no_exception() {
    let refused = get("/refused?n=a", "*/*").await;
    assert_eq!((refused.status, refused.body.as_str()), (422, ""));
    assert_eq!(refused.header("content-type"), Some("application/xml"));
    assert!(refused.header("x-mock-warning").is_some_and(|said| said.contains("application/xml")));
}

#[tokio::test]
async fn keywords_that_are_not_checked_are_named() {
    let keywords = get("/keywords", "*/*").await;
    let warning = "the generated body may violate `contains`, which the mock does not check";
    assert_eq!(keywords.header("x-mock-warning"), Some(warning));
    let media = start(mock_of_text(MEDIA)).await;
    let example = exchange(media, "PUT /keywords", &[], "").await;
    assert_eq!(example.header("x-mock-warning"), None, "the example is the document's");
}
