//! Tests of lists that come in pages: whoever follows the pages comes to an end.

use crate::socket::{Raw, exchange, mock_of_text, start};
use serde_json::Value;
use std::net::SocketAddr;

const LISTS: &str = "
openapi: 3.0.3
info: {title: Lists, version: '1'}
paths:
  /declared:
    get:
      x-pagination: {style: cursor, parameter: from_there, next: page.go_on, items: list}
      parameters: [{name: from_there, in: query, schema: {type: string}}]
      responses: {'200': {description: A page, content: {application/json: {schema: {type: object, required: [list, page], properties: {
        list: {type: array, items: {type: string}}, page: {type: object, required: [go_on], properties: {go_on: {type: string, nullable: true, minLength: 1, example: abc}}}}}}}}}
  /cursor:
    get:
      parameters: [{name: page_token, in: query, schema: {type: string}}]
      responses: {'200': {description: A page, content: {application/json: {
        example: {items: [{a: 1}], next_page_token: bcd},
        schema: {type: object, properties: {items: {type: array, items: {type: object}}, next_page_token: {type: string}}}}}}}
  /after:
    get:
      parameters: [{name: starting_after, in: query, schema: {type: string}}]
      responses: {'200': {description: A page, content: {application/json: {
        example: {data: [{id: x}], has_more: true},
        schema: {type: object, properties: {data: {type: array, items: {type: object}}, has_more: {type: boolean}}}}}}}
  /number:
    get:
      parameters: [{name: page, in: query, schema: {type: integer, default: 1}}]
      responses: {'200': {description: A page, content: {application/json: {example: [1, 2], schema: {type: array, items: {type: integer}}}}}}
  /offset:
    get:
      parameters: [{name: startAt, in: query, schema: {type: integer, format: int64}}]
      responses: {'200': {description: A page, content: {application/json: {
        example: {values: [{a: 1}, {a: 2}], isLast: false},
        schema: {type: object, properties: {values: {type: array, items: {type: object}}, isLast: {type: boolean}}}}}}}
  /skip:
    get:
      parameters: [{name: skip, in: query, schema: {type: integer, format: int64}}]
      responses: {'200': {description: A page, content: {application/json: {
        example: {values: [{a: 1}, {a: 2}, {a: 3}], next: 3, nextLink: 'https://lists.example/skip?skip=3'},
        schema: {type: object, properties: {values: {type: array, items: {type: object}}, next: {type: integer, nullable: true}, nextLink: {type: string, nullable: true}}}}}}}
  /zero:
    get:
      parameters: [{name: page, in: query, schema: {type: integer, format: uint64, minimum: 0}}]
      responses: {'200': {description: A page, content: {application/json: {
        example: {values: [{a: 1}], next: 1},
        schema: {type: object, properties: {values: {type: array, items: {type: object}}, next: {type: integer, nullable: true}}}}}}}
  /address:
    get:
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses: {'200': {description: A page, content: {application/json: {
        example: {data: [{a: 1}], links: {next: 'https://lists.example/address?cursor=1'}},
        schema: {type: object, properties: {data: {type: array, items: {type: object}}, links: {type: object, properties: {next: {type: string, format: uri}}}}}}}}}
  /link:
    get:
      parameters: [{name: page, in: query, schema: {type: integer}}]
      responses: {'200': {description: A page, headers: {Link: {example: '<https://lists.example/link?page=2>; rel=\"next\"', schema: {type: string}}},
        content: {application/json: {example: [1], schema: {type: array, items: {type: integer}}}}}}
  /sync:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {cursor: {type: string}}}}}}
      responses: {'200': {description: A page, content: {application/json: {
        example: {added: [{a: 1}], next_cursor: abc, has_more: true},
        schema: {type: object, required: [next_cursor], properties: {added: {type: array, items: {type: object}}, next_cursor: {type: string}, has_more: {type: boolean}}}}}}}
  /whole:
    get:
      parameters: [{name: page_token, in: query, schema: {type: string}}]
      responses: {'200': {description: A page, content: {application/json: {
        examples: {last: {value: {items: [{b: 1, a: 1}], next_page_token: ''}}, first: {value: {items: [{a: 1}], next_page_token: more}}},
        schema: {type: object, properties: {items: {type: array, items: {type: object}}, next_page_token: {type: string}}}}}}}
";

async fn lists() -> SocketAddr {
    start(mock_of_text(LISTS)).await
}

/// Follows the pages of a list, and returns how many have entries.
async fn follow(
    call: &str,
    body: impl Fn(Option<&Value>) -> String,
    next: impl Fn(&Raw, u64) -> Option<Value>,
) -> usize {
    let lists = lists().await;
    let (method, path) = call.split_once(' ').expect("a method and a path");
    let mut position: Option<Value> = None;
    for page in 0..10 {
        let text = position.as_ref().map(|it| it.as_str().map_or(it.to_string(), str::to_owned));
        let target = match &text {
            Some(address) if address.starts_with("http") => {
                address.splitn(4, '/').nth(3).map(|rest| format!("/{rest}")).expect("a path")
            }
            Some(text) if path.ends_with('=') => format!("{path}{text}"),
            _ => path.split('?').next().expect("a path").to_owned(),
        };
        let headers = ["Content-Type: application/json"];
        let headers = if method == "POST" { &headers[..] } else { &[] };
        let response =
            exchange(lists, &format!("{method} {target}"), headers, &body(position.as_ref())).await;
        assert_eq!(response.status, 200, "{target}: {response:?}");
        assert_eq!(response.header("x-mock-warning"), None, "{target}");
        position = next(&response, page);
        if position.is_none() {
            return usize::try_from(page).unwrap() + 1;
        }
    }
    panic!("{call} never ends");
}

fn none(_: Option<&Value>) -> String {
    String::new()
}

fn text(value: &Value) -> Option<Value> {
    value.as_str().filter(|text| !text.is_empty()).map(Value::from)
}

#[tokio::test]
async fn cursors_end() {
    let declared = follow("GET /declared?from_there=", none, |page, _| text(&page.json()["page"]["go_on"]));
    assert_eq!(declared.await, 3);
    let cursor = follow("GET /cursor?page_token=", none, |page, _| text(&page.json()["next_page_token"]));
    assert_eq!(cursor.await, 3);
    // The position is one of the entries, so only the first page is known as such.
    let after = follow("GET /after?starting_after=", none, |page, _| {
        let page = page.json();
        page["has_more"].as_bool().filter(|more| *more).map(|_| page["data"][0]["id"].clone())
    });
    assert_eq!(after.await, 2);
    let sync = follow(
        "POST /sync",
        |cursor| cursor.map_or("{}".to_owned(), |cursor| serde_json::json!({ "cursor": cursor }).to_string()),
        |page, _| {
            let page = page.json();
            page["has_more"].as_bool().filter(|more| *more).map(|_| page["next_cursor"].clone())
        },
    );
    assert_eq!(sync.await, 3);
}

#[tokio::test]
async fn counted_pages_end() {
    let entries = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
    let number = follow("GET /number?page=", none, |page, at| entries(&page.json()).then(|| (at + 2).into()));
    assert_eq!(number.await, 4, "the last one is empty");
    let offset = follow("GET /offset?startAt=", none, |page, at| {
        entries(&page.json()["values"]).then(|| ((at + 1) * 2).into())
    });
    assert_eq!(offset.await, 4);
    let offset = follow("GET /offset?startAt=", none, |page, at| {
        (page.json()["isLast"] == false).then(|| ((at + 1) * 2).into())
    });
    assert_eq!(offset.await, 3);
}

/// The position that a page gives is that of the entries behind its own.
#[tokio::test]
async fn given_positions_end() {
    let number = |page: &Raw| Some(page.json()["next"].clone()).filter(Value::is_number);
    assert_eq!(follow("GET /skip?skip=", none, |page, _| number(page)).await, 3);
    assert_eq!(follow("GET /skip", none, |page, _| text(&page.json()["nextLink"])).await, 3);
    assert_eq!(follow("GET /zero?page=", none, |page, _| number(page)).await, 3);
}

/// No position is too far behind the last page.
#[tokio::test]
async fn the_largest_positions_are_behind_the_end() {
    let lists = lists().await;
    for target in ["/skip?skip=9223372036854775807", "/zero?page=18446744073709551615"] {
        let page = exchange(lists, &format!("GET {target}"), &[], "").await;
        assert_eq!(
            (page.status, &page.json()["values"]),
            (200, &serde_json::json!([])),
            "{target}: {page:?}"
        );
        assert!(page.json()["next"].is_null(), "{target}: {page:?}");
    }
}

#[tokio::test]
async fn addresses_lead_to_the_mock_and_end() {
    let address = follow("GET /address", none, |page, _| text(&page.json()["links"]["next"]));
    assert_eq!(address.await, 3);
    let link = follow("GET /link", none, |page, _| {
        let link = page.header("link")?.strip_suffix(">; rel=\"next\"")?;
        Some(link.trim_start_matches('<').into())
    });
    assert_eq!(link.await, 3);
}

#[tokio::test]
async fn examples_that_end_by_themselves_are_unchanged() {
    let lists = lists().await;
    let last = exchange(lists, "GET /whole", &[], "").await;
    assert_eq!(last.body, "{\"items\":[{\"b\":1,\"a\":1}],\"next_page_token\":\"\"}");
    let first = exchange(lists, "GET /whole?page_token=page-3", &["Prefer: example=first"], "").await;
    assert_eq!(first.json()["next_page_token"], "more", "the caller has named it");
}
