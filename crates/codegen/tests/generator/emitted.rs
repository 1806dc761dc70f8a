//! The whole output of each emitter for one construct: what a change of the generator changes is read here,
//! in review.
//!
//! One small document per construct, and one snapshot with what model, server and client have of it. Left out
//! is what is the same for every document: manifests, READMEs, the runtime, headers, builder and call.

use frontdesk_document::MemoryLoader;
use insta::assert_snapshot;

use crate::fixtures::{generated, options, read};

const ROOT: &str = "openapi.yaml";

/// Compares a text with the snapshot of the test, whose header does not repeat the document.
macro_rules! snapshot {
    ($text:expr) => {
        let text = $text;
        assert_snapshot!(text);
    };
}

/// The files that do not depend on the construct.
const SAME: [&str; 7] = [
    "client/src/builder.rs",
    "client/src/call.rs",
    "client/src/lib.rs",
    "model/src/lib.rs",
    "server/src/authenticator.rs",
    "server/src/lib.rs",
    "server/src/refusals.rs",
];

/// Returns the sources that are generated from a document, each after its path.
///
/// `rest` is what follows `info`, and `kept` selects files by the beginning of their paths.
fn sources(rest: &str, kept: &[&str]) -> String {
    let text = format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}");
    let files = generated(&read(ROOT, &MemoryLoader::new().with(ROOT, text)), &options("t", ROOT)).files;
    let mut shown = String::new();
    for (path, text) in files.iter() {
        let is_source = std::path::Path::new(path).extension().is_some_and(|ending| ending == "rs");
        let is_kept = kept.iter().any(|beginning| path.starts_with(beginning));
        if !is_source || !is_kept || SAME.contains(&path) {
            continue;
        }
        // Without the header, which names the document.
        let lines = text.lines().skip_while(|line| line.starts_with("//") || line.is_empty());
        let body = lines.collect::<Vec<_>>().join("\n");
        if !body.trim().is_empty() {
            shown.push_str(&format!("==> {path}\n{body}\n\n"));
        }
    }
    assert!(!shown.is_empty(), "nothing is generated");
    shown
}

/// Returns the model of a document whose one operation has these schemas in its body and in its response.
/// The first one is that of both.
fn model(schemas: &str) -> String {
    let first = schemas.trim_start().split(':').next().unwrap_or_default();
    let json = format!("content: {{application/json: {{schema: {{$ref: '#/components/schemas/{first}'}}}}}}");
    let rest = format!(
        "paths:\n  /t:\n    post:\n      operationId: send\n      tags: [things]\n      requestBody: {{required: true, {json}}}\n      \
         responses: {{'200': {{description: Sent., {json}}}}}\ncomponents:\n  schemas:\n{schemas}"
    );
    sources(&rest, &["model/src/schemas"])
}

/// Returns what server and client have of one operation, whose lines follow its method and path.
fn operation(method: &str, path: &str, lines: &str) -> String {
    let rest =
        format!("paths:\n  {path}:\n    {method}:\n      operationId: send\n      tags: [things]\n{lines}");
    sources(&rest, &["model/src/operations/", "server/src", "client/src"])
}

const DONE: &str = "      responses: {'204': {description: Done.}}\n";

#[test]
fn model_struct() {
    snapshot!(model(
        "    Pet:\n      description: An animal.\n      type: object\n      required: [name]\n      properties:\n        \
         name: {type: string, maxLength: 9}\n        age: {type: integer, nullable: true}\n        id: {type: string, readOnly: true}\n"
    ));
}

#[test]
fn model_id() {
    snapshot!(model(
        "    Pet: {type: object, required: [pet_id], properties: {pet_id: {$ref: '#/components/schemas/PetId'}, owner_id: {type: string, \
         format: uuid}}}\n    PetId: {type: string, format: uuid, description: Identifies a pet.}\n    Uuid: {type: string, format: uuid}\n"
    ));
}

#[test]
fn model_of_required_members() {
    snapshot!(model(
        "    Pet:\n      type: object\n      required: [name, kind, born, chip]\n      properties:\n        name: {type: string}\n        \
         kind: {type: string}\n        born: {type: string, format: date}\n        chip: {type: string, nullable: true}\n        \
         nick: {type: string}\n        note: {type: string, nullable: true}\n      additionalProperties: {type: string}\n"
    ));
}

#[test]
fn model_enum() {
    snapshot!(model("    Size: {type: string, enum: [small, extra-large]}\n"));
}

#[test]
fn model_union_with_discriminator() {
    snapshot!(model(
        "    Pet:\n      oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]\n      \
         discriminator: {propertyName: kind, mapping: {cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog'}}\n    \
         Cat: {type: object, required: [kind], properties: {kind: {type: string}, lives: {type: integer}}}\n    \
         Dog: {type: object, required: [kind], properties: {kind: {type: string}, tricks: {type: integer}}}\n"
    ));
}

#[test]
fn model_union_without_discriminator() {
    snapshot!(model(
        "    Value:\n      oneOf: [{type: string}, {type: integer}, {type: array, items: {type: string}}]\n"
    ));
}

#[test]
fn model_newtype() {
    snapshot!(model("    Tree: {type: array, items: {$ref: '#/components/schemas/Tree'}}\n"));
}

#[test]
fn model_alias() {
    snapshot!(model(
        "    Pet: {type: object, properties: {owner: {$ref: '#/components/schemas/Owner'}}}\n    \
         Owner: {$ref: '#/components/schemas/Person'}\n    Person: {type: object, properties: {name: {type: string}}}\n"
    ));
}

#[test]
fn model_map() {
    snapshot!(model(
        "    Counts: {type: object, properties: {total: {type: integer}}, additionalProperties: {type: integer}}\n"
    ));
}

#[test]
fn model_tuple() {
    snapshot!(model(
        "    Point: {type: object, properties: {at: {type: array, items: {type: number}, minItems: 2, maxItems: 2}}}\n"
    ));
}

#[test]
fn model_all_of() {
    snapshot!(model(
        "    Dog:\n      allOf:\n        - $ref: '#/components/schemas/Pet'\n        - {type: object, required: [tricks], properties: \
         {tricks: {type: array, items: {type: string}}}}\n    Pet: {type: object, required: [name], properties: {name: {type: string}}}\n"
    ));
}

#[test]
fn operation_parameters() {
    let text = "schema: {type: string}";
    let list = "schema: {type: array, items: {type: string}}";
    let object = "schema: {type: object, properties: {a: {type: string}}}";
    snapshot!(operation(
        "get",
        "/t/{simple}/{label}/{matrix}",
        &format!(
            "      parameters:\n        - {{name: simple, in: path, required: true, {text}}}\n        \
             - {{name: label, in: path, required: true, style: label, {list}}}\n        \
             - {{name: matrix, in: path, required: true, style: matrix, explode: true, {list}}}\n        \
             - {{name: form, in: query, {list}}}\n        - {{name: joined, in: query, explode: false, {list}}}\n        \
             - {{name: spaces, in: query, style: spaceDelimited, explode: false, {list}}}\n        \
             - {{name: pipes, in: query, style: pipeDelimited, explode: false, {list}}}\n        \
             - {{name: deep, in: query, style: deepObject, explode: true, {object}}}\n        \
             - {{name: X-Header, in: header, {list}}}\n        - {{name: cookie, in: cookie, {text}}}\n{DONE}"
        )
    ));
}

#[test]
fn operation_multipart() {
    snapshot!(operation(
        "post",
        "/t",
        &format!(
            "      requestBody:\n        required: true\n        content:\n          multipart/form-data:\n            schema:\n              \
             type: object\n              required: [file]\n              properties:\n                file: {{type: string, format: binary}}\n                \
             note: {{type: string}}\n{DONE}"
        )
    ));
}

#[test]
fn operation_stream() {
    snapshot!(operation(
        "get",
        "/t",
        "      responses: {'200': {description: Events., content: {text/event-stream: {schema: {type: string}}}}}\n"
    ));
}

#[test]
fn operation_pagination() {
    snapshot!(operation(
        "get",
        "/t",
        "      x-pagination: {style: cursor, parameter: after, next: next, items: data}\n      \
         parameters: [{name: after, in: query, schema: {type: string}}]\n      responses:\n        '200':\n          description: A page.\n          \
         content: {application/json: {schema: {type: object, properties: {data: {type: array, items: {type: string}}, next: {type: string}}}}}\n"
    ));
}

#[test]
fn operation_errors() {
    snapshot!(operation(
        "delete",
        "/t",
        "      responses:\n        '204': {description: Gone.}\n        '404': {description: There is none.}\n        \
         4XX: {description: Refused., content: {application/json: {schema: {type: string}}}}\n        default: {description: Another.}\n"
    ));
}

#[test]
fn webhooks() {
    let event = "{post: {requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Event'}}}}, responses: {'204': {description: Taken.}}}}";
    snapshot!(sources(
        &format!(
            "paths: {{}}\nx-webhooks: {{petSold: {event}}}\ncomponents: {{schemas: {{Event: {{type: object, required: [type], properties: {{type: {{type: string, enum: [pet.sold]}}}}}}}}}}\n"
        ),
        &["model/src/webhooks", "server/src", "client/src"]
    ));
}

#[test]
fn security() {
    let rest = format!(
        "security: [{{token: []}}, {{key: [], user: []}}]\npaths:\n  /t:\n    get:\n      operationId: send\n      tags: [things]\n{DONE}  \
         /open:\n    get:\n      operationId: look\n      tags: [things]\n      security: []\n{DONE}components:\n  securitySchemes:\n    \
         token: {{type: http, scheme: bearer}}\n    key: {{type: apiKey, in: header, name: X-Key}}\n    user: {{type: http, scheme: basic}}\n"
    );
    let text = format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}");
    let files = generated(&read(ROOT, &MemoryLoader::new().with(ROOT, text)), &options("t", ROOT)).files;
    let mut shown = sources(&rest, &["model/src/operations/", "server/src"]);
    // The credentials are part of what is otherwise the same for every document.
    for path in ["client/src/builder.rs", "server/src/authenticator.rs"] {
        let lines =
            files.get(path).unwrap().lines().skip_while(|line| line.starts_with("//") || line.is_empty());
        shown.push_str(&format!("==> {path}\n{}\n", lines.collect::<Vec<_>>().join("\n")));
    }
    snapshot!(shown);
}
