//! A document that contains every object of OpenAPI 3.0 once, and names for their locations.

use frontdesk_document::{Document, MemoryLoader};
use serde_json::{Map, Value};

/// The document, in which fields are added and removed.
const TEXT: &str = r"
openapi: 3.0.3
info: {title: Things, version: '1', contact: {name: A}, license: {name: MIT}}
servers:
  - {url: 'https://{region}.example', variables: {region: {default: eu, enum: [eu, us]}}}
tags: [{name: things}]
paths:
  /things/{id}:
    post:
      operationId: makeThing
      tags: [things]
      security: [{key: []}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: q, in: query, schema: {type: string}}
        - {name: several, in: query, schema: {type: array, items: {type: string}}}
        - {name: packed, in: query, content: {application/json: {schema: {type: string}}}}
      requestBody:
        content:
          application/json:
            schema:
              type: object
              properties:
                text: {type: string}
                number: {type: number}
                list: {type: array, items: {type: string}}
                object: {type: object, properties: {a: {type: string}}}
                choice:
                  oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}]
                  discriminator: {propertyName: kind}
                any: {}
          application/xml: {schema: {type: object, properties: {text: {type: string, xml: {name: t}}}}}
          multipart/form-data:
            schema: {type: object, properties: {file: {type: array, items: {type: string}}}}
            encoding: {file: {}}
      responses:
        '200':
          description: A thing
          headers: {X-Rate: {schema: {type: string}}, X-Rates: {schema: {type: array, items: {type: string}}}}
          content: {application/json: {schema: {type: object, properties: {text: {type: string}}}}}
          links: {again: {operationId: makeThing}}
      callbacks:
        done: {'{$request.body#/text}': {post: {responses: {'204': {description: Taken}}}}}
components:
  schemas:
    A: {type: object, required: [kind], properties: {kind: {type: string}, a: {type: string}}}
    B: {type: object, required: [kind], properties: {kind: {type: string}, b: {type: integer}}}
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    plain: {type: http, scheme: bearer}
    oidc: {type: openIdConnect, openIdConnectUrl: 'https://a.example'}
    oauth:
      type: oauth2
      flows:
        authorizationCode: {authorizationUrl: 'https://a.example', tokenUrl: 'https://b.example', scopes: {read: Read}}
";

const OPERATION: &str = "/paths/~1things~1{id}/post";
const BODY: &str = "/paths/~1things~1{id}/post/requestBody/content/application~1json/schema/properties";

/// Returns the JSON pointer of a location by its name.
pub(crate) fn pointer(place: &str) -> String {
    let operation = |rest: &str| format!("{OPERATION}{rest}");
    let content = "/requestBody/content";
    match place {
        "document" => String::new(),
        "info" | "components" | "paths" => format!("/{place}"),
        "contact" | "license" => format!("/info/{place}"),
        "server" => "/servers/0".to_owned(),
        "server variable" => "/servers/0/variables/region".to_owned(),
        "tag" => "/tags/0".to_owned(),
        "path item" => "/paths/~1things~1{id}".to_owned(),
        "operation" => operation(""),
        "parameter" => operation("/parameters/1"),
        "list parameter" => operation("/parameters/2"),
        "packed parameter" => operation("/parameters/3"),
        "request body" => operation("/requestBody"),
        "media type" => operation(&format!("{content}/application~1json")),
        "form" => operation(&format!("{content}/multipart~1form-data")),
        "encoding" => operation(&format!("{content}/multipart~1form-data/encoding/file")),
        "responses" => operation("/responses"),
        "response" => operation("/responses/200"),
        "header" => operation("/responses/200/headers/X-Rate"),
        "list header" => operation("/responses/200/headers/X-Rates"),
        "link" => operation("/responses/200/links/again"),
        "callback" => operation("/callbacks/done"),
        "requirement" => operation("/security/0"),
        "xml" => operation(&format!("{content}/application~1xml/schema/properties/text/xml")),
        "xml schema" => operation(&format!("{content}/application~1xml/schema/properties/text")),
        "answer" => operation("/responses/200/content/application~1json/schema"),
        "discriminator" => format!("{BODY}/choice/discriminator"),
        "text" | "number" | "list" | "object" | "choice" | "any" => format!("{BODY}/{place}"),
        "key" | "plain" | "oidc" | "oauth" => format!("/components/securitySchemes/{place}"),
        "flows" => "/components/securitySchemes/oauth/flows".to_owned(),
        "flow" => "/components/securitySchemes/oauth/flows/authorizationCode".to_owned(),
        other => panic!("there is no place `{other}`"),
    }
}

/// Returns the document as a JSON value.
pub(crate) fn whole() -> Value {
    let loader = MemoryLoader::new().with("whole.yaml", TEXT);
    let (document, problems) = Document::read("whole.yaml", &loader);
    let document = document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)));
    document.root().to_json()
}

/// Returns the document after setting or removing a field; `None` if the result is not a valid document.
pub(crate) fn with(place: &str, field: &str, value: Option<&Value>) -> Option<Document> {
    let mut whole = whole();
    let holder = whole.pointer_mut(&pointer(place)).unwrap_or_else(|| panic!("`{place}` is there"));
    let members: &mut Map<String, Value> = holder.as_object_mut().expect("an object");
    match value {
        Some(value) => {
            members.insert(field.to_owned(), value.clone());
        }
        None => {
            members.remove(field);
        }
    }
    let loader = MemoryLoader::new().with("edited.json", whole.to_string());
    Document::read("edited.json", &loader).0
}
