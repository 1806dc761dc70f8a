//! Operations: which there are, and the parts that they consist of.

use frontdesk_document::{Document, Listing, Operation, PathItem};

use crate::document;

const DOCUMENT: &str = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  x-note: {get: {}}
  /a/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: X-Key, in: header, schema: {type: string}}
      - {name: limit, in: query, schema: {type: string}}
    post:
      operationId: postA
      parameters:
        - {name: x-key, in: header, description: Own., schema: {type: string}}
        - {$ref: '#/components/parameters/Limit'}
        - {name: limit, in: cookie, schema: {type: string}}
        - {name: limit, in: query, description: Again., schema: {type: string}}
      requestBody: {$ref: '#/components/requestBodies/A'}
      responses: {'200': {description: It.}, x-note: {}, default: {description: Other.}}
      callbacks:
        done:
          x-note: {}
          '{$request.body#/url}': {put: {operationId: putDone, responses: {'200': {description: It.}}}}
    get: {operationId: getA, responses: {'200': {description: It.}}}
  /b: {$ref: '#/paths/~1a~1%7Bid%7D'}
x-webhooks:
  seen: {post: {operationId: seen, responses: {'200': {description: It.}}}}
components:
  parameters:
    Limit: {name: limit, in: query, schema: {type: integer}}
  requestBodies:
    A: {content: {application/json: {schema: {type: string}}}}
";

fn names<'d>(operations: impl Iterator<Item = Operation<'d>>) -> Vec<String> {
    operations.map(|operation| operation.name()).collect()
}

fn post(document: &Document) -> Operation<'_> {
    document.operations().find(|operation| operation.method == "post").expect("it is there")
}

#[test]
fn operations_are_listed_for_each_path() {
    let document = document(&[("openapi.yaml", DOCUMENT)]);
    assert_eq!(names(document.operations()), ["GET /a/{id}", "POST /a/{id}", "GET /b", "POST /b"]);
    assert_eq!(names(document.webhooks().flat_map(PathItem::operations)), ["POST seen"]);
    let callbacks: Vec<_> = post(&document).callbacks().collect();
    assert_eq!(callbacks.iter().map(|callback| callback.name).collect::<Vec<_>>(), ["done"]);
    let calls = callbacks[0].path_items().flat_map(PathItem::operations);
    assert_eq!(names(calls), ["PUT {$request.body#/url}"]);
}

#[test]
fn an_operation_overrides_parameters_of_its_path() {
    let document = document(&[("openapi.yaml", DOCUMENT)]);
    let parameters = post(&document).parameters();
    let shown: Vec<_> = parameters
        .iter()
        .map(|parameter| {
            let text = |key| {
                parameter.node.get(key).and_then(frontdesk_document::NodeRef::as_str).unwrap_or_default()
            };
            (text("name"), text("in"), parameter.listing)
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("x-key", "header", Listing::Operation),
            ("limit", "query", Listing::Operation),
            ("limit", "cookie", Listing::Operation),
            ("limit", "query", Listing::Repeated),
            ("id", "path", Listing::Path),
        ]
    );
    assert_eq!(parameters[1].listed.reference(), Some("#/components/parameters/Limit"));
    assert_eq!(post(&document).distinct_parameters().count(), 4);
}

#[test]
fn parts_of_an_operation_are_without_extensions_and_references() {
    let document = document(&[("openapi.yaml", DOCUMENT)]);
    let operation = post(&document);
    let statuses: Vec<&str> = operation.responses().map(|(status, _)| status.text).collect();
    assert_eq!(statuses, ["200", "default"]);
    assert!(operation.body().is_some_and(|body| body.get("content").is_some()));
}
