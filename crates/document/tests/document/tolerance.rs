//! Defects with one sensible interpretation: what the document looks like where they were.

use frontdesk_document::{Document, NodeRef};
use serde_json::json;

use crate::{document, problems, root, strict_problems};

const DONE: &str = "responses: {'204': {description: Done}}";

fn at<'d>(document: &'d Document, pointer: &str) -> Option<NodeRef<'d>> {
    pointer.split('/').filter(|token| !token.is_empty()).try_fold(document.root(), |node, token| {
        let token = token.replace("~1", "/");
        node.get(&token).or_else(|| node.items().nth(token.parse().ok()?))
    })
}

#[test]
fn what_a_reference_without_a_target_stands_for_depends_on_its_place() {
    let text = root(
        "paths:\n  /a:\n    post:\n      parameters: [{$ref: '#/no'}, {name: a, in: query, schema: {$ref: '#/no'}}]\n      \
         requestBody: {$ref: '#/no'}\n      responses:\n        '200': {$ref: '#/components/responses/Ok'}\n        \
         '400': {$ref: '#/no'}\n      callbacks: {done: {$ref: '#/no'}}\n  /b: {$ref: '#/no'}\n\
         components:\n  parameters:\n    P: {$ref: '#/components/parameters/Q'}\n    Q: {$ref: '#/no'}\n  responses:\n    \
         Ok:\n      description: Fine\n      headers: {X: {$ref: '#/no'}}\n      links: {next: {$ref: '#/no'}}\n      \
         content: {application/json: {examples: {e: {$ref: '#/no'}}, schema: {$ref: '#/components/schemas/S'}}}\n  \
         schemas:\n    S: {$ref: '#/components/parameters/R', type: string}\n    T:\n      oneOf: [{$ref: '#/components/schemas/S'}]\n      \
         discriminator: {propertyName: k, mapping: {s: Missing, t: S}}\n",
    );
    let document = document(&[("a.yaml", &text)]);
    let value = |pointer: &str| at(&document, pointer).map(NodeRef::to_json);
    assert_eq!(value("paths/~1a/post/parameters"), Some(json!([{"name": "a", "in": "query", "schema": {}}])));
    assert_eq!(
        value("paths/~1a/post/requestBody"),
        Some(json!({"content": {"application/json": {"schema": {}}}}))
    );
    assert_eq!(value("paths/~1a/post/responses/400"), Some(json!({"description": ""})));
    assert_eq!(value("paths/~1a/post/callbacks"), Some(json!({})));
    assert_eq!(value("paths/~1b"), None);
    assert_eq!(value("components/parameters"), Some(json!({})));
    assert_eq!(value("components/responses/Ok/headers"), Some(json!({"X": {"schema": {"type": "string"}}})));
    assert_eq!(value("components/responses/Ok/links"), Some(json!({})));
    assert_eq!(value("components/responses/Ok/content/application~1json/examples"), Some(json!({})));
    assert_eq!(value("components/schemas/S"), Some(json!({})));
    assert_eq!(value("components/schemas/T/discriminator/mapping"), Some(json!({"t": "S"})));
    // The bundle has no reference without a target either.
    let bundle = document.bundle();
    assert!(!bundle.to_json().contains("#/no"));
    assert!(strict_problems(&[("bundle.json", &bundle.to_json())]).is_empty());
    let lost: Vec<&str> =
        document.defects().filter(|defect| defect.leaves_out_operations).map(|defect| defect.place).collect();
    assert_eq!(lost, ["#/paths/~1b"]);
    for defect in document.defects() {
        let span = defect.span;
        let told = problems(&[("a.yaml", &text)]);
        let line = |span: frontdesk_document::Span| span.start.line;
        assert!(
            told.iter().any(|problem| line(problem.primary.span) == line(span))
                || defect.place.ends_with("/P"),
            "{} is not told",
            defect.place
        );
    }
}

#[test]
fn a_reference_in_place_of_an_operation_or_a_map_is_followed() {
    let files = [
        (
            "a.yaml",
            root(&format!(
                "paths: {{$ref: paths.yaml}}\nx-get: {{operationId: getB, {DONE}}}\ncomponents:\n  schemas:\n    A:\n      properties: {{$ref: 'parts.yaml#/properties'}}\n"
            )),
        ),
        (
            "paths.yaml",
            "/b:\n  get: {$ref: 'a.yaml#/x-get'}\n  put: {$ref: '#/nothing'}\n  parameters: {$ref: 'parts.yaml#/list'}\n".to_owned(),
        ),
        (
            "parts.yaml",
            "properties:\n  a: {$ref: '#/text'}\ntext: {type: string}\nlist: [{name: p, in: query, schema: {$ref: '#/text'}}]\n".to_owned(),
        ),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let document = document(&files);
    let get = at(&document, "paths/~1b/get").unwrap();
    assert_eq!(get.get("operationId").and_then(NodeRef::as_str), Some("getB"));
    // It has the key of its place, and the position of what is read.
    assert_eq!(get.key().map(|key| key.text), Some("get"));
    assert_eq!((get.file(), get.pointer().as_str()), ("a.yaml", "#/x-get"));
    assert_eq!(get.parent().and_then(NodeRef::key).map(|key| key.text), Some("/b"));
    let keys: Vec<&str> = at(&document, "paths/~1b").unwrap().entries().map(|(key, _)| key.text).collect();
    assert_eq!(keys, ["get", "put", "parameters"]);
    assert!(at(&document, "paths/~1b/put").is_some_and(NodeRef::is_empty));
    let property = at(&document, "components/schemas/A/properties/a").unwrap();
    assert_eq!(property.resolve().unwrap().to_json(), json!({"type": "string"}));
    let parameter = at(&document, "paths/~1b/parameters/0/schema").unwrap();
    assert_eq!(parameter.resolve().unwrap().to_json(), json!({"type": "string"}));
    let codes: Vec<&str> = problems(&files).iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["misplaced-reference"; 5]);
    let bundle = document.bundle().to_value();
    assert_eq!(bundle["paths"]["/b"]["get"]["operationId"], "getB");
    assert_eq!(bundle["paths"]["/b"]["parameters"][0]["name"], "p");
    assert_eq!(bundle["components"]["schemas"]["A"]["properties"]["a"]["$ref"], "#/components/schemas/text");
}

#[test]
fn misplaced_references_that_lead_to_themselves_end() {
    let text = root(
        "paths:\n  /a: {get: {$ref: '#/paths/~1a/get'}}\n  /b: {get: {$ref: '#/paths/~1c/get'}}\n  /c: {get: {$ref: '#/paths/~1b/get'}}\n\
         components:\n  schemas:\n    A:\n      properties:\n        b: {properties: {$ref: '#/components/schemas/B/properties'}}\n        \
         c: {properties: {$ref: '#/components/schemas/A/properties'}}\n    \
         B:\n      properties:\n        a: {properties: {$ref: '#/components/schemas/A/properties'}}\n",
    );
    let document = document(&[("a.yaml", &text)]);
    assert!(document.bundle().to_json().len() < 100_000);
}

#[test]
fn values_are_data() {
    let data = "{$ref: '#/nowhere'}";
    let text = root(&format!(
        "paths:\n  /a:\n    x-note: {data}\n    get:\n      {DONE}\n      x-other: [{data}]\n      parameters:\n        \
         - name: p\n          in: query\n          example: {data}\n          schema: {{default: {data}, example: {data}, enum: [{data}], x-a: {data}}}\n\
         components:\n  examples:\n    E: {{value: {data}}}\n"
    ));
    assert!(problems(&[("a.yaml", &text)]).is_empty());
    let schema =
        at(&document(&[("a.yaml", &text)]), "paths/~1a/get/parameters/0/schema").map(NodeRef::to_json);
    assert_eq!(schema.unwrap()["default"], json!({"$ref": "#/nowhere"}));
    let later = format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\ncomponents:\n  schemas:\n    A: {{const: {data}, examples: [{data}], default: {data}}}\n"
    );
    assert!(problems(&[("a.yaml", &later)]).is_empty());
    let read = document(&[("a.yaml", &later)]);
    let example = at(&read, "components/schemas/A/example").unwrap();
    assert_eq!((example.to_json(), example.target()), (json!({"$ref": "#/nowhere"}), None));
}

#[test]
fn of_a_repeated_key_the_last_counts() {
    for (path, text) in [
        (
            "a.json",
            r#"{"openapi": "3.0.3", "info": {"title": "A", "version": "1", "title": "B"}, "paths": {}}"#
                .to_owned(),
        ),
        ("a.yaml", "openapi: 3.0.3\ninfo: {title: A, version: '1', title: B}\npaths: {}\n".to_owned()),
    ] {
        let document = document(&[(path, &text)]);
        let info = document.root().get("info").unwrap();
        assert_eq!(info.to_json(), json!({"title": "B", "version": "1"}));
        assert_eq!(info.len(), 2);
        let counts = problems(&[(path, &text)]).counts();
        assert_eq!((counts.errors, counts.warnings), (0, 1));
    }
}

#[test]
fn numbers_in_place_of_texts_are_texts() {
    let text = "openapi: 3.0.3\ninfo: {title: 7, version: 1.10}\npaths: {}\n";
    let document = document(&[("a.yaml", text)]);
    assert_eq!(at(&document, "info").unwrap().to_json(), json!({"title": "7", "version": "1.10"}));
    assert!(strict_problems(&[("a.yaml", text)]).has_errors());
}

#[test]
fn shallow_lines_of_flow_collections_are_read_where_they_stand() {
    let text = "openapi: 3.0.3\r\ninfo:\r\n  title: T\r\n  version: {\r\n    a: 1,\r\n    b: [é,\r\n 2\r\n],\r\n }\r\n  x: y\r\npaths: {}\r\n";
    let document = document(&[("a.yaml", text)]);
    let info = at(&document, "info").unwrap();
    assert_eq!(info.get("version").unwrap().to_json(), json!({"a": 1, "b": ["é", 2]}));
    assert_eq!(info.get("x").unwrap().span().start.to_string(), "10:6");
    assert_eq!(problems(&[("a.yaml", text)]).counts().warnings, 4);
    assert!(strict_problems(&[("a.yaml", text)]).has_errors());
}
