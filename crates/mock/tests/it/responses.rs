//! Tests of responses: examples, media types and headers, by the document and by preference.

use crate::socket::{exchange, mock_of_text, start};
use serde_json::json;
use std::net::SocketAddr;

const PETS: &str = "
openapi: 3.0.3
info: {title: Pets, version: '1'}
servers: [{url: 'https://pets.example/v1/'}]
paths:
  /pets:
    get:
      responses:
        '201': {description: Not the lowest}
        '200':
          description: Pets
          headers:
            X-Total: {required: true, schema: {type: integer, minimum: 7, maximum: 7}}
            X-Page: {example: 3, schema: {type: integer}}
            X-Secret: {schema: {type: string}}
          content:
            text/csv: {example: 'name;age', schema: {type: string}}
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}
              examples:
                two: {value: [{name: Tom, age: 3}, {name: Kim, age: 4}]}
                none: {$ref: '#/components/examples/None'}
                elsewhere: {externalValue: 'https://pets.example/pets.json'}
        4XX: {description: Refused, content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}
        default: {description: Failed, content: {text/plain: {schema: {type: string, example: oh}}}}
    delete: {responses: {'204': {description: Gone}}}
    options: {responses: {'200': {description: Own, content: {text/plain: {example: own}}}}}
  /pets/{name}:
    get:
      parameters: [{name: name, in: path, required: true, schema: {type: string, maxLength: 5}}]
      responses: {'200': {description: A pet, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
  /bad-example:
    get: {responses: {'200': {description: Bad, content: {application/json: {example: {z: 1, name: 5}, schema: {$ref: '#/components/schemas/Pet'}}}}}}
  /written-example:
    get: {responses: {'200': {description: Written, content: {application/json: {example: '{\"name\": \"Tom\", \"age\": 3}', schema: {$ref: '#/components/schemas/Pet'}}}}}}
  /text-example:
    get: {responses: {'200': {description: Text, content: {application/json: {example: '{\"name\": \"Tom\"}', schema: {type: string}}}}}}
  /endless:
    get: {responses: {'200': {description: Endless, content: {application/json: {schema: {$ref: '#/components/schemas/Endless'}}}}}}
  /tree:
    get: {responses: {'200': {description: A tree, content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}}}
  /unsaid:
    get: {responses: {'200': {description: Unsaid, content: {application/json: {}}}}}
  /nothing:
    get: {responses: {}}
  /upgrade:
    get: {responses: {'101': {description: Upgraded}}}
  /moved:
    get: {responses: {'302': {description: Moved, headers: {Location: {required: true, schema: {type: string, format: uri}}}}}}
  /range:
    get: {responses: {2XX: {description: Fine, content: {'*/*': {schema: {type: object, properties: {a: {type: integer}}}}}}}}
  /bytes:
    get: {responses: {'200': {description: Bytes, content: {image/png: {schema: {type: string, format: binary}}}}}}
  /form:
    get: {responses: {'200': {description: A form, content: {application/x-www-form-urlencoded: {example: {a: b c}, schema: {type: object}}}}}}
  /picky:
    get:
      responses:
        '200': {description: Pets, content: {text/csv: {example: 'name;age', schema: {type: string}}, application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}}
        '406': {description: Nothing of this type}
  /anyhow:
    get: {responses: {default: {description: A pet or not, content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}}
components:
  examples:
    None: {value: []}
  schemas:
    Pet:
      type: object
      required: [name]
      properties: {name: {type: string, minLength: 2}, age: {type: integer, minimum: 0}, owner: {type: string, writeOnly: true}}
    Error:
      type: object
      required: [code, detail]
      properties:
        code: {type: integer}
        detail: {type: string}
        violations: {type: array, items: {type: object, required: [field, message], additionalProperties: false, properties: {field: {type: string}, message: {type: string}}}}
    Endless: {type: object, required: [next], properties: {next: {$ref: '#/components/schemas/Endless'}}}
    Tree: {type: object, properties: {leaf: {type: string}, children: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}
";

async fn pets() -> SocketAddr {
    start(mock_of_text(PETS)).await
}

#[tokio::test]
async fn examples_take_precedence_and_are_sent_unchanged() {
    let pets = pets().await;
    let response = exchange(pets, "GET /pets", &[], "").await;
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")));
    assert_eq!(response.body, "[{\"name\":\"Tom\",\"age\":3},{\"name\":\"Kim\",\"age\":4}]");
    assert_eq!(response.header("preference-applied"), None);
    let response = exchange(pets, "GET /pets", &["Prefer: example=none"], "").await;
    assert_eq!((response.body.as_str(), response.header("preference-applied")), ("[]", Some("example=none")));
    // An example that violates its schema is sent unchanged.
    let bad = exchange(pets, "GET /bad-example", &[], "").await;
    assert_eq!(bad.body, "{\"z\":1,\"name\":5}");
    let warning = bad.header("x-mock-warning").expect("the example is wrong");
    assert_eq!(
        warning,
        "the example of the document does not match its schema: at /name it does not have the type string"
    );
    let fine = exchange(pets, "GET /pets", &[], "").await;
    assert_eq!(fine.header("x-mock-warning"), None);
}

/// Many documents write examples as JSON text in a string.
#[tokio::test]
async fn examples_that_are_json_text_are_sent_as_what_they_mean() {
    let pets = pets().await;
    let written = exchange(pets, "GET /written-example", &[], "").await;
    assert_eq!(
        (written.body.as_str(), written.header("x-mock-warning")),
        ("{\"name\": \"Tom\", \"age\": 3}", None)
    );
    let text = exchange(pets, "GET /text-example", &[], "").await;
    assert_eq!(text.json(), "{\"name\": \"Tom\"}", "the schema wants a text");
}

const GUARDED: &str = "
openapi: 3.0.3
info: {title: Guarded, version: '1'}
paths:
  /doors:
    get: {responses: {'404': {description: None}, '500': {description: Broken}}}
    post:
      requestBody: {content: {application/json: {schema: {type: string, pattern: '^(a+)+$'}}}}
      responses: {'204': {description: Open}, '422': {description: Closed}}
";

#[tokio::test]
async fn an_error_without_a_fault_says_why() {
    let doors = start(mock_of_text(GUARDED)).await;
    let response = exchange(doors, "GET /doors", &[], "").await;
    let warning = response.header("x-mock-warning").expect("a caller has to know why");
    assert_eq!(response.status, 404);
    assert!(
        warning.contains("declares only errors for this operation") && warning.contains("404"),
        "{warning}"
    );
    let wanted = exchange(doors, "GET /doors", &["Prefer: code=500"], "").await;
    assert_eq!((wanted.status, wanted.header("x-mock-warning")), (500, None));
}

/// An engine that backtracks would need years for the second text.
#[tokio::test]
async fn patterns_are_matched_by_the_engine_of_generated_servers() {
    let doors = start(mock_of_text(GUARDED)).await;
    let headers = ["Content-Type: application/json"];
    let long = "a".repeat(60);
    assert_eq!(exchange(doors, "POST /doors", &headers, &format!("\"{long}\"")).await.status, 204);
    assert_eq!(exchange(doors, "POST /doors", &headers, &format!("\"{long}b\"")).await.status, 422);
}

#[tokio::test]
async fn values_are_generated_without_an_example() {
    let pets = pets().await;
    let first = exchange(pets, "GET /pets/Tom", &[], "").await;
    let pet = first.json();
    assert!(pet["name"].as_str().is_some_and(|name| name.len() >= 2) && pet["age"].is_u64(), "{pet}");
    assert!(pet.get("owner").is_none(), "write-only members are never sent: {pet}");
    assert_eq!(exchange(pets, "GET /pets/Tom", &[], "").await.body, first.body, "the same request");
    let seeded = exchange(pets, "GET /pets/Tom", &["Prefer: seed=9"], "").await;
    assert_ne!(seeded.body, first.body, "another seed");
    let dynamic = exchange(pets, "GET /pets", &["Prefer: dynamic=true"], "").await;
    assert_eq!(dynamic.header("preference-applied"), Some("dynamic=true"));
    assert!(!dynamic.body.contains("Tom") && dynamic.json().is_array(), "{dynamic:?}");
}

#[tokio::test]
async fn the_caller_chooses_the_media_type() {
    let pets = pets().await;
    let response = exchange(pets, "GET /pets", &["Accept: text/*"], "").await;
    assert_eq!((response.header("content-type"), response.body.as_str()), (Some("text/csv"), "name;age"));
    let response = exchange(pets, "GET /picky", &["Accept: image/png"], "").await;
    assert_eq!(response.status, 406);
    assert_eq!(
        response.lines("x-mock-violation"),
        ["accept: the response is only available as application/json or text/csv"]
    );
    // What describes every response declares 406 as well.
    let response = exchange(pets, "GET /anyhow", &["Accept: image/png"], "").await;
    assert_eq!(response.status, 406);
    // An operation that does not declare 406, or may succeed without a body, disregards the header, as
    // generated servers do.
    for (path, media_type) in [("/bytes", "image/png"), ("/pets", "application/json")] {
        let response = exchange(pets, &format!("GET {path}"), &["Accept: audio/ogg"], "").await;
        assert_eq!((response.status, response.header("content-type")), (200, Some(media_type)));
    }
    // Errors ignore the `Accept` header.
    let response = exchange(pets, "GET /pets", &["Accept: image/png", "Prefer: code=500"], "").await;
    assert_eq!((response.status, response.body.as_str()), (500, "oh"));
}

#[tokio::test]
async fn the_caller_chooses_the_response() {
    let pets = pets().await;
    for (wish, status, media_type) in [
        ("code=201", 201, None),
        ("code=404", 404, Some("application/json")),
        ("code=4xx", 400, Some("application/json")),
        ("code=503", 503, Some("text/plain")),
        ("code=default", 500, Some("text/plain")),
    ] {
        let response = exchange(pets, "GET /pets", &[&format!("Prefer: {wish}")], "").await;
        assert_eq!(
            (response.status, response.header("content-type")),
            (status, media_type),
            "{wish}: {response:?}"
        );
        assert_eq!(response.header("preference-applied"), Some(wish));
    }
    let response = exchange(pets, "GET /pets/Tom", &["Prefer: code=404"], "").await;
    assert_eq!((response.status, response.json()["codes"].clone()), (400, json!(["200"])), "{response:?}");
    let response = exchange(pets, "GET /pets", &["Prefer: example=three"], "").await;
    assert_eq!(
        (response.status, response.json()["examples"].clone()),
        (400, json!({"200": ["two", "none"]}))
    );
    for wish in ["code=", "code=ok", "code=101", "code=99999"] {
        let response = exchange(pets, "GET /pets", &[&format!("Prefer: {wish}")], "").await;
        assert_eq!(response.status, if wish == "code=" { 200 } else { 400 }, "{wish}: {response:?}");
    }
}

#[tokio::test]
async fn required_headers_have_values() {
    let pets = pets().await;
    let response = exchange(pets, "GET /pets", &[], "").await;
    assert_eq!((response.header("x-total"), response.header("x-page")), (Some("7"), Some("3")));
    assert_eq!(response.header("x-secret"), None);
    let response = exchange(pets, "GET /moved", &[], "").await;
    assert_eq!(response.status, 302);
    assert!(response.header("location").is_some_and(|to| to.starts_with("https://")), "{response:?}");
}

#[tokio::test]
async fn unusual_responses_are_served() {
    let pets = pets().await;
    let get = async |path: &str| exchange(pets, &format!("GET {path}"), &[], "").await;
    let gone = exchange(pets, "DELETE /pets", &[], "").await;
    assert_eq!((gone.status, gone.body.as_str(), gone.header("content-type")), (204, "", None));
    let head = exchange(pets, "HEAD /pets", &[], "").await;
    assert_eq!((head.status, head.body.as_str(), head.header("x-total")), (200, "", Some("7")));
    assert_eq!(exchange(pets, "OPTIONS /pets", &[], "").await.body, "own");
    let endless = get("/endless").await;
    assert_eq!((endless.status, endless.body.as_str()), (200, ""));
    assert!(endless.header("x-mock-warning").is_some_and(|it| it.contains("contains itself")), "{endless:?}");
    assert!(get("/tree").await.json()["children"].is_array());
    assert_eq!(get("/unsaid").await.body, "{}");
    assert_eq!(get("/nothing").await.status, 501);
    assert_eq!(get("/upgrade").await.status, 501);
    let range = get("/range").await;
    assert_eq!((range.status, range.header("content-type")), (200, Some("application/json")));
    assert!(range.json()["a"].is_i64());
    assert_eq!(get("/bytes").await.header("content-type"), Some("image/png"));
    assert_eq!(get("/form").await.body, "a=b%20c");
}

#[tokio::test]
async fn error_responses_are_those_of_the_document() {
    let pets = pets().await;
    // A request with an invalid path parameter matches no resource; this operation declares no error
    // response.
    let response = exchange(pets, "GET /pets/Tommy-Lee", &[], "").await;
    assert_eq!((response.status, response.header("content-type")), (404, Some("application/problem+json")));
    let reported = "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\
        \"detail\":\"path name: \\\"Tommy-Lee\\\" is longer than 5 characters\",\
        \"errors\":[{\"detail\":\"\\\"Tommy-Lee\\\" is longer than 5 characters\",\"in\":\"path\",\"name\":\"name\",\"pointer\":\"#\"}]}";
    assert_eq!(response.body, reported);
    let response = exchange(pets, "GET /v2/pets", &[], "").await;
    assert_eq!(
        (response.status, response.json()["operations"][0].as_str()),
        (404, Some("GET /pets")),
        "{response:?}"
    );
}

#[tokio::test]
async fn base_paths_of_servers_are_served_too() {
    let pets = pets().await;
    assert_eq!(
        exchange(pets, "GET /v1/pets", &[], "").await.body,
        exchange(pets, "GET /pets", &[], "").await.body
    );
    assert_eq!(exchange(pets, "GET /v1/pets/Tommy-Lee", &[], "").await.status, 404);
    let response = exchange(pets, "PUT /v1/pets", &[], "").await;
    assert_eq!((response.status, response.header("allow")), (405, Some("DELETE, GET, HEAD, OPTIONS")));
}

#[tokio::test]
async fn pages_of_other_origins_may_call() {
    let pets = pets().await;
    let asks = ["Origin: http://app.example", "Access-Control-Request-Method: DELETE"];
    let response = exchange(pets, "OPTIONS /pets", &asks, "").await;
    assert_eq!(response.header("access-control-allow-origin"), Some("http://app.example"));
    assert_eq!(response.header("access-control-allow-methods"), Some("DELETE"));
    let response = exchange(pets, "GET /pets", &asks[..1], "").await;
    let exposed = response.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("x-total") && exposed.contains("x-mock-violation"), "{exposed}");
    assert_eq!(exchange(pets, "GET /pets", &[], "").await.header("access-control-allow-origin"), None);
}

#[test]
fn what_the_author_should_know_is_told_once() {
    let mock = mock_of_text(PETS);
    insta::assert_snapshot!(mock.warnings().render(mock.warnings().sources(), false), @r#"
    warning[mock-external-example]: the example `elsewhere` has an `externalValue`, which the mock does not fetch
      --> openapi.yaml:23:44
       |
    23 |                 elsewhere: {externalValue: 'https://pets.example/pets.json'}
       |                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    hint: write the example under `value`

    warning[mock-invalid-example]: the example does not match its schema; the mock sends it unchanged
      --> openapi.yaml:33:87
       |
    33 |     get: {responses: {'200': {description: Bad, content: {application/json: {example: {z: 1, name: 5}, schema: {$ref: '#/components/...
       |                                                                                       ^^^^^^^^^^^^^^^
       |
       = note: /name 5 is not of type "string"

    hint: correct the example or the schema
    "#);
}
