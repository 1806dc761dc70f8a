//! Tests of values that match no branch of a union: the violations are those of the closest branch, in the
//! words of generated servers.

use crate::socket::{exchange, mock_of_text, start};

const PETS: &str = "
openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /plain: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Plain'}}}}, responses: {'204': {description: Done}}}}
  /near: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Near'}}}}, responses: {'204': {description: Done}}}}
  /tagged: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Tagged'}}}}, responses: {'204': {description: Done}}}}
  /inside: {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {pet: {$ref: '#/components/schemas/Plain'}}}}}}, responses: {'204': {description: Done}}}}
components:
  schemas:
    Cat: {type: object, required: [name, lives], properties: {name: {type: string}, lives: {type: integer}}}
    Dog: {type: object, required: [name, tricks], properties: {name: {type: string}, tricks: {type: array, items: {type: string}}, age: {type: integer}}}
    Plain: {oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]}
    Tagged: {oneOf: [{$ref: '#/components/schemas/Red'}, {$ref: '#/components/schemas/Blue'}], discriminator: {propertyName: color, mapping: {red: '#/components/schemas/Red', blue: '#/components/schemas/Blue'}}}
    Near: {oneOf: [{$ref: '#/components/schemas/Red'}, {$ref: '#/components/schemas/Green'}], discriminator: {propertyName: color, mapping: {red: '#/components/schemas/Red', green: '#/components/schemas/Green'}}}
    Green: {type: object, required: [color], properties: {color: {type: string, enum: [green]}}}
    Red: {type: object, required: [color, heat], properties: {color: {type: string}, heat: {type: integer}}}
    Blue: {type: object, required: [color], properties: {color: {type: string}, depth: {type: integer}}}
";

async fn violations(path: &str, body: &str) -> Vec<String> {
    let pets = start(mock_of_text(PETS)).await;
    let response = exchange(pets, &format!("POST {path}"), &["Content-Type: application/json"], body).await;
    assert_eq!(response.status, 422, "{response:?}");
    response.lines("x-mock-violation").into_iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn the_closest_branch_and_what_it_lacks_are_named() {
    for (path, body, told) in [
        (
            "/plain",
            r#"{"name": "Rex", "age": 3}"#,
            "body /tricks: is required (as `Dog`, the closest of: Cat, Dog)",
        ),
        (
            "/inside",
            r#"{"pet": {"name": "Tom", "lives": "nine"}}"#,
            "body /pet/lives: does not have the type integer (as `Cat`, the closest of: Cat, Dog)",
        ),
        ("/tagged", r#"{"color": "red"}"#, "body /heat: is required (as `Red`, the closest of: Red, Blue)"),
        (
            "/tagged",
            r#"{"color": "green"}"#,
            "body: must have a `color` out of: red, blue, and the form that it names",
        ),
        // A value that names no branch is of none, however much else it has of one of them.
        (
            "/tagged",
            r#"{"color": "green", "heat": 3}"#,
            "body: must have a `color` out of: red, blue, and the form that it names",
        ),
        // Only of a branch that lists the values itself it is said that they are wrong.
        (
            "/near",
            r#"{"color": "blue", "heat": 3}"#,
            "body /color: \"blue\" is not one of \"green\" (as `Green`, the closest of: Red, Green)",
        ),
        ("/plain", "7", "body: must have the form of one of: Cat, Dog"),
        ("/plain", r#"{"name": "Kim"}"#, "body: must have the form of one of: Cat, Dog"),
    ] {
        assert_eq!(violations(path, body).await, [told], "{body}");
    }
}
