//! What users of the crates notice of a change of the document, and of what they notice nothing.

use frontdesk_codegen::interface::{Difference, Interface, Weight, differences};
use frontdesk_document::MemoryLoader;

use crate::fixtures::{self, folders, options, read, root};

/// A document whose only operation takes and answers with these schemas.
fn document(request: &str, response: &str, components: &str) -> Interface {
    let text = format!(
        "openapi: 3.0.3
info: {{title: Pets, version: '1'}}
paths:
  /pets/{{id}}:
    put:
      operationId: putPet
      tags: [pets]
      parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}]
      requestBody: {{required: true, content: {{application/json: {{schema: {request}}}}}}}
      responses: {{'200': {{description: A pet, content: {{application/json: {{schema: {response}}}}}}}}}
components: {{schemas: {{{components}}}}}
"
    );
    let loader = MemoryLoader::new().with("pets.yaml", text);
    Interface::of(&read("pets.yaml", &loader), &options("pets", "pets.yaml")).unwrap()
}

fn schema(name: &str) -> String {
    format!("{{$ref: '#/components/schemas/{name}'}}")
}

/// The differences between two sets of components, whose `In` is sent and whose `Out` is answered.
fn between(base: &str, revision: &str) -> Vec<Difference> {
    let of = |components: &str| document(&schema("In"), &schema("Out"), components);
    differences(&of(base), &of(revision))
}

fn told(differences: &[Difference]) -> Vec<String> {
    let sees = |difference: &Difference| match (difference.is_of_server(), difference.is_of_client()) {
        (true, true) => "both",
        (true, false) => "servers",
        _ => "clients",
    };
    let line = |difference: &Difference| {
        let weight = if difference.weight == Weight::Breaking { "breaking" } else { "added" };
        format!("{weight}, {}: {}", sees(difference), difference.text)
    };
    differences.iter().map(line).collect()
}

const IN: &str = "In: {type: object, required: [name], properties: {name: {type: string}}}";
const OUT: &str = "Out: {type: object, required: [name], properties: {name: {type: string, maxLength: 5}}}";

#[test]
fn every_construct_has_an_interface_that_equals_itself() {
    for name in folders(&root().join("ok")) {
        let document = read("openapi.yaml", &fixtures::loader(&root().join("ok").join(&name)));
        let of = || Interface::of(&document, &options(&name, "openapi.yaml")).unwrap();
        let (one, other) = (of(), of());
        assert!(one.len() > 20, "{name}: {}", one.len());
        assert_eq!(differences(&one, &other), []);
    }
}

#[test]
fn nothing_is_noticed_of_limits_and_prose() {
    let base = format!("{IN}, {OUT}");
    let revision = base.replace("{type: string}", "{type: string, description: A name, minLength: 1}");
    assert_eq!(told(&between(&base, &revision)), [""; 0]);
}

#[test]
fn members_of_requests_may_be_added_and_those_of_answers_break_only_servers() {
    let base = format!("{IN}, {OUT}");
    let member = "name: {type: string}, age: {type: integer}";
    let sent = base.replace("name: {type: string}}", &format!("{member}}}"));
    assert_eq!(
        told(&between(&base, &sent)),
        [
            "added, both: model: `In::age`, `Option<i64>`, was added",
            "added, both: model: `In::age()`, `fn(value: i64) -> Self`, was added",
        ]
    );
    let answered = base.replace("maxLength: 5}}", "maxLength: 5}, age: {type: integer}}");
    assert_eq!(
        told(&between(&base, &answered)),
        [
            "breaking, servers: model: `Out::age`, `Option<i64>`, was added, in a struct that servers may make and take apart by its fields",
            "added, both: model: `Out::age`, `Option<i64>`, was added",
            "added, servers: model: `Out::age()`, `fn(value: i64) -> Self`, was added",
        ]
    );
}

#[test]
fn a_type_with_another_name_is_one_difference() {
    let base = format!(
        "{IN}, Out: {{type: object, properties: {{kind: {}}}}}, Kind: {{type: string, enum: [a, b]}}",
        schema("Kind")
    );
    let revision = base.replace("Kind", "Sort");
    assert_eq!(told(&between(&base, &revision)), ["breaking, both: model: `Kind` is called `Sort`"]);
}

#[test]
fn arguments_are_told_one_by_one_and_their_names_are_nothing() {
    let of = |path: &str, body: &str| {
        let text = format!(
            "openapi: 3.0.3
info: {{title: Pets, version: '1'}}
paths:
  /pets/{{{path}}}:
    post:
      operationId: touch
      tags: [pets]
      parameters: [{{name: {path}, in: path, required: true, schema: {{type: string}}}}]
      {body}
      responses: {{'204': {{description: Touched}}}}
"
        );
        let loader = MemoryLoader::new().with("pets.yaml", text);
        Interface::of(&read("pets.yaml", &loader), &options("pets", "pets.yaml")).unwrap()
    };
    let clients = |base: &Interface, revision: &Interface| {
        let all = differences(base, revision);
        told(&all).into_iter().filter(|line| line.contains(" client: ")).collect::<Vec<_>>()
    };
    assert_eq!(clients(&of("id", ""), &of("name", "")), [""; 0]);
    let body = "requestBody: {required: true, content: {text/plain: {schema: {type: string}}}}";
    let [line] = clients(&of("id", ""), &of("id", body)).try_into().unwrap();
    assert!(line.starts_with("breaking, clients: client: `Pets::touch()` also takes `body: "), "{line}");
}

#[test]
fn origins_lead_to_schemas_members_and_parts_of_operations() {
    let base = format!("{IN}, {OUT}");
    let found = between(&base, &base.replace("maxLength: 5", "format: uuid"));
    let origin = found[0].base.as_ref().unwrap();
    assert_eq!(origin.schema.as_ref().unwrap().1, "#/components/schemas/Out");
    assert_eq!(origin.member.as_deref(), Some("name"));
    let of = |response: &str| document(&schema("In"), response, &base);
    let found = differences(&of(&schema("Out")), &of("{type: string}"));
    let method = found.iter().find(|difference| difference.subject == "Pets").unwrap();
    let origin = method.base.as_ref().unwrap();
    assert_eq!(
        (origin.operations.as_slice(), origin.part.as_deref()),
        (&["PUT /pets/{id}".to_owned()][..], Some("response"))
    );
}
