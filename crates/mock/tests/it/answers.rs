//! What is answered: responses, examples, media types and headers, as the document and the caller want them.

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
async fn examples_come_first_as_they_are_written() {
    let pets = pets().await;
    let answer = exchange(pets, "GET /pets", &[], "").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
    assert_eq!(answer.body, "[{\"name\":\"Tom\",\"age\":3},{\"name\":\"Kim\",\"age\":4}]");
    assert_eq!(answer.header("preference-applied"), None);
    let answer = exchange(pets, "GET /pets", &["Prefer: example=none"], "").await;
    assert_eq!((answer.body.as_str(), answer.header("preference-applied")), ("[]", Some("example=none")));
    // An example that does not fit is not made to fit.
    assert_eq!(exchange(pets, "GET /bad-example", &[], "").await.body, "{\"z\":1,\"name\":5}");
}

#[tokio::test]
async fn values_are_made_where_there_is_no_example() {
    let pets = pets().await;
    let first = exchange(pets, "GET /pets/Tom", &[], "").await;
    let pet = first.json();
    assert!(pet["name"].as_str().is_some_and(|name| name.len() >= 2) && pet["age"].is_u64(), "{pet}");
    assert!(pet.get("owner").is_none(), "what is only written is never answered: {pet}");
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
    let answer = exchange(pets, "GET /pets", &["Accept: text/*"], "").await;
    assert_eq!((answer.header("content-type"), answer.body.as_str()), (Some("text/csv"), "name;age"));
    let answer = exchange(pets, "GET /pets", &["Accept: image/png"], "").await;
    assert_eq!(answer.status, 406);
    assert_eq!(
        answer.lines("x-mock-violation"),
        ["accept: the answer is only given as application/json or text/csv"]
    );
    // Who asks for an error gets it, whatever they take.
    let answer = exchange(pets, "GET /pets", &["Accept: image/png", "Prefer: code=500"], "").await;
    assert_eq!((answer.status, answer.body.as_str()), (500, "oh"));
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
        let answer = exchange(pets, "GET /pets", &[&format!("Prefer: {wish}")], "").await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (status, media_type),
            "{wish}: {answer:?}"
        );
        assert_eq!(answer.header("preference-applied"), Some(wish));
    }
    let answer = exchange(pets, "GET /pets/Tom", &["Prefer: code=404"], "").await;
    assert_eq!((answer.status, answer.json()["codes"].clone()), (400, json!(["200"])), "{answer:?}");
    let answer = exchange(pets, "GET /pets", &["Prefer: example=three"], "").await;
    assert_eq!((answer.status, answer.json()["examples"].clone()), (400, json!({"200": ["two", "none"]})));
    for wish in ["code=", "code=ok", "code=101", "code=99999"] {
        let answer = exchange(pets, "GET /pets", &[&format!("Prefer: {wish}")], "").await;
        assert_eq!(answer.status, if wish == "code=" { 200 } else { 400 }, "{wish}: {answer:?}");
    }
}

#[tokio::test]
async fn headers_that_must_be_there_have_values() {
    let pets = pets().await;
    let answer = exchange(pets, "GET /pets", &[], "").await;
    assert_eq!((answer.header("x-total"), answer.header("x-page")), (Some("7"), Some("3")));
    assert_eq!(answer.header("x-secret"), None);
    let answer = exchange(pets, "GET /moved", &[], "").await;
    assert_eq!(answer.status, 302);
    assert!(answer.header("location").is_some_and(|to| to.starts_with("https://")), "{answer:?}");
}

#[tokio::test]
async fn odd_responses_have_an_answer() {
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
async fn refusals_are_those_of_the_document() {
    let pets = pets().await;
    // A path parameter that breaks a rule names nothing; this operation describes no error at all.
    let answer = exchange(pets, "GET /pets/Tommy-Lee", &[], "").await;
    assert_eq!((answer.status, answer.header("content-type")), (404, Some("application/problem+json")));
    let told = "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\
        \"detail\":\"path name: \\\"Tommy-Lee\\\" is longer than 5 characters\",\
        \"errors\":[{\"detail\":\"\\\"Tommy-Lee\\\" is longer than 5 characters\",\"in\":\"path\",\"name\":\"name\",\"pointer\":\"#\"}]}";
    assert_eq!(answer.body, told);
    let answer = exchange(pets, "GET /v2/pets", &[], "").await;
    assert_eq!(
        (answer.status, answer.json()["operations"][0].as_str()),
        (404, Some("GET /pets")),
        "{answer:?}"
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
    let answer = exchange(pets, "PUT /v1/pets", &[], "").await;
    assert_eq!((answer.status, answer.header("allow")), (405, Some("DELETE, GET, HEAD, OPTIONS")));
}

#[tokio::test]
async fn pages_of_other_origins_may_call() {
    let pets = pets().await;
    let asks = ["Origin: http://app.example", "Access-Control-Request-Method: DELETE"];
    let answer = exchange(pets, "OPTIONS /pets", &asks, "").await;
    assert_eq!(answer.header("access-control-allow-origin"), Some("http://app.example"));
    assert_eq!(answer.header("access-control-allow-methods"), Some("DELETE"));
    let answer = exchange(pets, "GET /pets", &asks[..1], "").await;
    let exposed = answer.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("x-total") && exposed.contains("x-mock-violation"), "{exposed}");
    assert_eq!(exchange(pets, "GET /pets", &[], "").await.header("access-control-allow-origin"), None);
}

#[test]
fn what_the_author_should_know_is_told_once() {
    let mock = mock_of_text(PETS);
    insta::assert_snapshot!(mock.warnings().render(mock.warnings().sources(), false), @r#"
    warning[mock-external-example]: the example `elsewhere` is kept elsewhere; the mock does not know it
      --> openapi.yaml:23:44
       |
    23 |                 elsewhere: {externalValue: 'https://pets.example/pets.json'}
       |                                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    hint: write the example under `value`; nothing is ever fetched

    warning[mock-invalid-example]: the example does not fit its schema; the mock serves it as it is written
      --> openapi.yaml:33:87
       |
    33 |     get: {responses: {'200': {description: Bad, content: {application/json: {example: {z: 1, name: 5}, schema: {$ref: '#/components/...
       |                                                                                       ^^^^^^^^^^^^^^^
       |
       = note: /name 5 is not of type "string"

    hint: correct the example, or the schema
    "#);
}
