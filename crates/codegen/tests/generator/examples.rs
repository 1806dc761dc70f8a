//! Examples of the document: which ones the generator keeps, and what it makes of them.

use frontdesk_codegen::ir::{Api, Operation, ResponseExample};
use frontdesk_codegen::lower;
use serde_json::json;

use crate::fixtures::{document, generated, options};

const COMPONENTS: &str = r"
components:
  securitySchemes: {key: {type: http, scheme: bearer}}
  schemas:
    Color: {type: string, enum: [red, green]}
    NewPet:
      type: object
      required: [name, age]
      properties:
        age: {type: integer}
        name: {type: string}
        color: {$ref: '#/components/schemas/Color'}
        tags: {type: array, items: {type: string}}
        born: {type: string, format: date}
        weight: {type: number, maximum: 100}
    Pet:
      type: object
      required: [id, name]
      properties: {id: {type: string, format: uuid}, name: {type: string}}
";

/// A document with one operation that has these examples of its request and of its response.
fn text(request: &str, response: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\nsecurity: [{{key: []}}]\npaths:\n  /pets:\n    post:\n      \
         operationId: createPet\n      tags: [pets]\n      requestBody:\n        required: true\n        content:\n          \
         application/json: {{schema: {{$ref: '#/components/schemas/NewPet'}}, {request}}}\n      responses:\n        \
         '201':\n          description: Done.\n          content:\n            \
         application/json: {{schema: {{$ref: '#/components/schemas/Pet'}}, {response}}}\n        \
         '422':\n          description: Refused.\n          content: {{application/json: {{schema: {{type: string}}}}}}\n{COMPONENTS}"
    )
}

fn operation(request: &str, response: &str) -> Operation {
    let api: Api = lower(&document(&text(request, response)), &options("t", "openapi.yaml"))
        .unwrap_or_else(|error| panic!("{error:?}"));
    api.groups[0].operations[0].clone()
}

const ID: &str = "d3a81f6e-4b27-4c95-8e10-7f2c9d5b6a34";

#[test]
fn the_first_example_that_the_type_reads_is_used() {
    let request = "examples: {one: {value: {name: Rex, age: 3}}, two: {value: {name: Tom, age: 4}}}";
    let read = operation(request, &format!("example: {{id: {ID}, name: Rex}}"));
    assert_eq!(read.request_example, Some(json!({"name": "Rex", "age": 3})));
    let body = Some(json!({"id": ID, "name": "Rex"}));
    assert_eq!(read.response_example, Some(ResponseExample { status: 201, body }));
    // The first one lacks a member.
    let read = operation(&request.replace("name: Rex, age: 3", "name: Rex"), "example: {}");
    assert_eq!(read.request_example, Some(json!({"name": "Tom", "age": 4})));
    // Not a UUID, a member is missing, a day that does not exist, a number beyond its maximum.
    for (request, response) in [
        ("example: {name: Rex}", "example: {id: pet_1, name: Rex}"),
        ("example: {name: Rex, age: 3, born: '2026-02-30'}", "example: {name: Rex}"),
        ("example: {name: Rex, age: 3, weight: 101}", "example: {name: Rex}"),
        ("example: {name: Rex, age: three}", "examples: {far: {externalValue: 'https://x.example/'}}"),
    ] {
        let read = operation(request, response);
        assert_eq!((read.request_example, read.response_example), (None, None), "{request} {response}");
    }
}

#[test]
fn responses_with_a_body_and_operations_with_one_id_keep_their_examples_apart() {
    let text = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /first:
    get:
      operationId: send
      responses:
        '200':
          description: Done.
          content:
            text/event-stream: {schema: {type: string}}
            application/json: {schema: {type: integer}, example: 7}
        '204': {description: Nothing.}
  /second:
    get:
      operationId: send
      responses:
        '200': {description: Done., content: {application/json: {schema: {type: integer}}}}
        '204': {description: Nothing.}
  /third:
    get:
      operationId: send
      responses:
        '200': {description: Done., content: {application/json: {schema: {type: integer}, example: 8}}}
";
    let api =
        lower(&document(text), &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"));
    let examples: Vec<_> = api.operations().map(|operation| operation.response_example.clone()).collect();
    let of = |body: i32| Some(ResponseExample { status: 200, body: Some(json!(body)) });
    assert_eq!(examples, [of(7), None, of(8)]);
}

#[test]
fn an_example_becomes_the_call_in_the_docs() {
    let of = |request: &str| {
        let files = generated(&document(&text(request, "example: {}")), &options("t", "openapi.yaml")).files;
        let file = |path: &str| files.get(path).unwrap_or_else(|| panic!("no {path}")).to_owned();
        (file("client/src/pets.rs"), file("client/src/lib.rs"))
    };
    let (module, root) = of("example: {name: Rex, age: 3, color: green}");
    let call = "client.pets().create(NewPet::new(3, \"Rex\").color(Color::Green))";
    assert!(
        module.contains(&format!("/// let pet = {call}.await?;\n    /// println!(\"{{}}\", pet.id);")),
        "{module}"
    );
    // The crate's page opens with it.
    assert!(root.contains("match client.pets().create(body).await {"), "{root}");
    assert!(root.contains("Some(CreatePetError::UnprocessableEntity(refused)) =>"), "{root}");
    // Without an example, the body is given.
    let (module, root) = of("example: {name: Rex}");
    assert!(module.contains("/// let pet = client.pets().create(body).await?;"), "{module}");
    assert!(!root.contains("match client.pets()"), "{root}");
}
