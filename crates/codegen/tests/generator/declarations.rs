//! What users of the JavaScript client notice of a change of the document, by the rules of TypeScript.

use frontdesk_codegen::interface::declarations::difference::differences;
use frontdesk_codegen::interface::{Declarations, Weight};
use frontdesk_document::MemoryLoader;

use crate::fixtures::{self, folders, options, read, root};

/// The client of a document whose only operation takes `In` and returns `Out`.
fn client(tag: &str, parameters: &str, statuses: &str, components: &str) -> Declarations {
    let text = format!(
        "openapi: 3.0.3
info: {{title: Pets, version: '1'}}
paths:
  /pets:
    put:
      operationId: putPet
      tags: [{tag}]
      parameters: [{parameters}]
      requestBody: {{required: true, content: {{application/json: {{schema: {{$ref: '#/components/schemas/In'}}}}}}}}
      responses:
        '200': {{description: A pet, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Out'}}}}}}}}
        {statuses}
components: {{schemas: {{{components}}}}}
"
    );
    let loader = MemoryLoader::new().with("pets.yaml", text);
    Declarations::of(&read("pets.yaml", &loader), &options("pets", "pets.yaml")).unwrap()
}

/// The differences between two clients, a line each.
fn told(base: &Declarations, revision: &Declarations) -> Vec<String> {
    let line = |weight: Weight, text: &str| {
        let weight = if weight == Weight::Breaking { "breaking" } else { "added" };
        format!("{weight}: {}", text.strip_prefix("javascript: ").unwrap())
    };
    differences(base, revision).iter().map(|found| line(found.weight, &found.text)).collect()
}

/// The differences between clients whose `In`, or whose `Out`, has these properties.
fn sent_and_read(base: &str, revision: &str) -> (Vec<String>, Vec<String>) {
    let object = |name: &str, schema: &str| format!("{name}: {{type: object, {schema}}}");
    let fixed = |name: &str| object(name, "properties: {name: {type: string}}");
    let sent = |schema: &str| client("pets", "", "", &[object("In", schema), fixed("Out")].join(", "));
    let read = |schema: &str| client("pets", "", "", &[fixed("In"), object("Out", schema)].join(", "));
    (told(&sent(base), &sent(revision)), told(&read(base), &read(revision)))
}

#[test]
fn every_construct_is_read_again_and_equals_itself() {
    for name in folders(&root().join("ok")) {
        let document = read("openapi.yaml", &fixtures::loader(&root().join("ok").join(&name)));
        let of = || Declarations::of(&document, &options(&name, "openapi.yaml")).unwrap();
        let one = of();
        assert!(one.len() >= 3, "{name}: {}", one.len());
        assert_eq!(differences(&one, &of()), [], "{name}");
    }
}

#[test]
fn members_that_become_required_concern_who_sends_and_optional_ones_who_reads() {
    let base = "properties: {age: {type: integer}}";
    let revision = "required: [age], properties: {age: {type: integer}}";
    let (sent, received) = sent_and_read(base, revision);
    assert_eq!(sent, ["breaking: `In.age` is required"]);
    assert_eq!(received, ["added: `Out.age` is always there"]);
    let (sent, received) = sent_and_read(revision, base);
    assert_eq!(sent, ["added: `In.age` may be absent"]);
    assert_eq!(received, ["breaking: `Out.age` may be absent"]);
}

#[test]
fn removed_members_break_everybody_and_added_ones_nobody_who_need_not_send_them() {
    let (none, one) =
        ("properties: {a: {type: string}}", "properties: {a: {type: string}, b: {type: boolean}}");
    let (sent, received) = sent_and_read(one, none);
    assert_eq!(sent, ["breaking: `In.b`, `boolean`, is gone"]);
    assert_eq!(received, ["breaking: `Out.b`, `boolean`, is gone"]);
    let (sent, received) = sent_and_read(none, one);
    assert_eq!(sent, ["added: `In.b`, `boolean`, was added"]);
    assert_eq!(received, ["added: `Out.b`, `boolean`, was added"]);
    let required = "required: [b], properties: {a: {type: string}, b: {type: boolean}}";
    let (sent, received) = sent_and_read(none, required);
    assert_eq!(sent, ["breaking: `In.b`, `boolean`, was added and is required"]);
    assert_eq!(received, ["added: `Out.b`, `boolean`, was added"]);
}

#[test]
fn what_may_be_sent_can_grow_and_what_is_read_can_shrink() {
    let (text, nullable) =
        ("properties: {a: {type: string}}", "properties: {a: {type: string, nullable: true}}");
    let (sent, received) = sent_and_read(text, nullable);
    assert_eq!(sent, ["added: `In.a` was `string`, is `string | null`"]);
    assert_eq!(received, ["breaking: `Out.a` was `string`, is `string | null`"]);
    let (sent, received) = sent_and_read(nullable, text);
    assert_eq!(sent, ["breaking: `In.a` was `string | null`, is `string`"]);
    assert_eq!(received, ["added: `Out.a` was `string | null`, is `string`"]);
    let number = "properties: {a: {type: integer}}";
    let (sent, received) = sent_and_read(text, number);
    assert_eq!(sent, ["breaking: `In.a` was `string`, is `number`"]);
    assert_eq!(received, ["breaking: `Out.a` was `string`, is `number`"]);
}

#[test]
fn values_of_enumerations_break_who_compares_with_them() {
    let schema = |values: &str, open: bool| {
        format!("properties: {{a: {{type: string, enum: [{values}], x-extensible-enum: {open}}}}}")
    };
    let (sent, received) = sent_and_read(&schema("x, y", false), &schema("x, y, z", false));
    assert_eq!(sent, ["added: `InA` was `'x' | 'y'`, is `'x' | 'y' | 'z'`"]);
    assert!(received.iter().all(|line| line.starts_with("breaking: `OutA` was `'x' | 'y'")), "{received:?}");
    // An open enumeration had to be expected to grow.
    let (_, received) = sent_and_read(&schema("x, y", true), &schema("x, y, z", true));
    assert_eq!(received, [""; 0]);
    let (sent, _) = sent_and_read(&schema("x, y", false), &schema("x", false));
    assert_eq!(sent, ["breaking: `InA` was `'x' | 'y'`, is `'x'`"]);
}

#[test]
fn a_type_of_another_name_is_the_same_to_who_does_not_name_it() {
    let components = |inner: &str| {
        format!(
            "In: {{type: string}}, Out: {{type: object, properties: {{a: {{$ref: '#/components/schemas/{inner}'}}}}}}, \
             {inner}: {{type: object, properties: {{b: {{type: string}}}}}}"
        )
    };
    let of = |inner: &str| client("pets", "", "", &components(inner));
    assert_eq!(
        told(&of("Inner"), &of("Other")),
        ["breaking: `Inner` is no longer exported", "added: `Other` is exported"]
    );
}

#[test]
fn functions_keep_their_modules_parameters_and_statuses() {
    let components = "In: {type: string}, Out: {type: string}, Problem: {type: object, properties: {code: {type: string}}}";
    let base = client("pets", "", "", components);
    assert_eq!(
        told(&base, &client("animals", "", "", components)),
        ["breaking: `putPet` moved from the module `pets` to `animals`"]
    );
    let parameter = |required: bool| {
        let parameter =
            format!("{{name: limit, in: query, required: {required}, schema: {{type: integer}}}}");
        client("pets", &parameter, "", components)
    };
    assert_eq!(told(&base, &parameter(false)), ["added: `PutPetRequest.limit`, `number`, was added"]);
    assert_eq!(
        told(&base, &parameter(true)),
        ["breaking: `PutPetRequest.limit`, `number`, was added and is required"]
    );
    let problem = "'404': {description: None, content: {application/json: {schema: {$ref: '#/components/schemas/Problem'}}}}";
    let with_problem = client("pets", "", problem, components);
    assert_eq!(told(&base, &with_problem), ["added: `PutPetResult` has the status of error 404, `Problem`"]);
    assert_eq!(
        told(&with_problem, &base),
        ["breaking: `PutPetResult` no longer has the status of error 404, `Problem`"]
    );
}
