//! Names: what an operation is called within its group, and what inline types of components are called.

use frontdesk_codegen::ir::{Api, Content, Group};
use frontdesk_codegen::{Options, RuntimeDependency, lower};

use crate::fixtures::{document, generated, options};

/// The IR of a document that goes on like this.
fn api(rest: &str) -> Api {
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    lower(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"))
}

/// A document with an operation for each of these, in one group.
fn group(tag: &str, operations: &[&str]) -> Group {
    let paths: String = operations
        .iter()
        .enumerate()
        .map(|(index, operation)| {
            format!(
                "  /p{index}: {{get: {{tags: [{tag}], {operation}, responses: {{'204': {{description: Done.}}}}}}}}\n"
            )
        })
        .collect();
    api(&format!("paths:\n{paths}")).groups.remove(0)
}

/// The names of the client's methods, and those of handlers, which are also those of modules.
fn named(tag: &str, operations: &[&str]) -> (Vec<String>, Vec<String>) {
    let ids: Vec<String> = operations.iter().map(|id| format!("operationId: {id}")).collect();
    let group = group(tag, &ids.iter().map(String::as_str).collect::<Vec<_>>());
    let names = |of: fn(&frontdesk_codegen::ir::Operation) -> &String| {
        group.operations.iter().map(|operation| of(operation).clone()).collect()
    };
    (names(|operation| &operation.short), names(|operation| &operation.handler))
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn names_do_not_say_their_group_again() {
    assert_eq!(named("v1", &["v1_list", "v1Get"]), (words("list get"), words("list get")));
    // One type implements the traits of all groups, so a handler keeps what is not the name of its group.
    assert_eq!(
        named("users", &["users_list_users", "user_get", "deleteUser"]),
        (words("list get delete"), words("list_users get delete_user"))
    );
    assert_eq!(
        named("workspace", &["listWorkspaces", "workspaces/create"]),
        (words("list create"), words("list_workspaces create"))
    );
    // What nothing is left of stays, and so does a name that would end in the midst of a sentence.
    assert_eq!(
        named("health", &["health", "health_new", "health_type", "health_listFactsForHealth"]),
        (
            words("health health_new health_type list_facts_for_health"),
            words("health health_new health_type list_facts_for_health")
        )
    );
}

#[test]
fn a_name_that_is_taken_stays_long() {
    let before = named("v1", &["list", "v1_list"]);
    assert_eq!(before, (words("list v1_list"), words("list v1_list")));
    // The first has the short name, so that what is added later renames nothing.
    let after = named("v1", &["v1_list", "list", "v1_list_error", "v1_clone"]);
    assert_eq!(after.0, words("list list_operation list_error clone"));
    // A handler is called through an `Arc`, which has a `clone` of its own, and has a function for its
    // errors.
    assert_eq!(after.1, words("list list_operation v1_list_error v1_clone"));
}

#[test]
fn no_method_is_a_raw_identifier() {
    // A usual verb has a form of its own, and every other keyword keeps its noun.
    assert_eq!(
        named("orders", &["moveOrder", "matchOrder", "tryOrder", "returnOrders"]),
        (
            words("move_to match_order try_out return_orders"),
            words("move_order match_order try_order return_orders")
        )
    );
    // Where the document has no noun, the tag is one.
    assert_eq!(named("call", &["loop"]).0, words("loop_call"));
    assert_eq!(
        named("orders", &["move", "loop", "mod"]),
        (words("move_to loop_order mod_order"), words("move_to loop_order mod_order"))
    );
    // A name stays unique, and the first has it.
    assert_eq!(named("orders", &["moveOrderTo", "moveOrder"]).0, words("move_to move_order"));
    assert_eq!(named("orders", &["moveTo", "move"]).0, words("move_to move_to_operation"));
}

#[test]
fn a_tag_has_no_name_of_a_function_that_every_client_has() {
    for tag in ["at", "builder", "new"] {
        assert_eq!(group(tag, &["operationId: list"]).module, format!("{tag}_group"));
    }
}

#[test]
fn a_handler_that_the_document_names_keeps_its_name() {
    let group = group("v1", &["operationId: a, x-rust-name: v1_list", "operationId: v1_get"]);
    let handlers: Vec<&str> = group.operations.iter().map(|operation| operation.handler.as_str()).collect();
    assert_eq!(handlers, ["v1_list", "get"]);
}

#[test]
fn inline_types_of_components_are_named_after_them() {
    let object = |member: &str| {
        format!(
            "{{application/json: {{schema: {{type: object, properties: {{{member}: {{type: string}}}}}}}}}}"
        )
    };
    let operation = |id: &str| {
        format!(
            "{{operationId: {id}, requestBody: {{$ref: '#/components/requestBodies/NewPet'}}, responses: {{'200': {{$ref: '#/components/responses/Pet'}}, '404': {{$ref: '#/components/responses/NotFound'}}}}}}"
        )
    };
    let components = format!(
        "components:\n  requestBodies:\n    NewPet: {{content: {}}}\n  responses:\n    Pet: {{description: A, headers: {{X-Kind: {{$ref: '#/components/headers/Kind'}}}}, content: {}}}\n    NotFound: {{description: B, content: {}}}\n  headers:\n    Kind: {{schema: {{type: string, enum: [a, b]}}}}\n",
        object("name"),
        object("id"),
        object("reason")
    );
    let plain = components.replace("headers: {X-Kind: {$ref: '#/components/headers/Kind'}}, ", "");
    let types = |components: &str| -> Vec<String> {
        let (first, second) = (operation("first"), operation("second"));
        let api = api(&format!("paths:\n  /a: {{post: {first}}}\n  /b: {{post: {second}}}\n{components}"));
        // One type, whichever operation comes first, and no alias of it.
        assert!(api.types.iter().all(|def| def.duplicate_of.is_none()));
        api.types.iter().map(|def| def.name.clone()).collect()
    };
    assert_eq!(types(&plain), ["NewPetBody", "PetBody", "NotFoundBody"]);
    assert_eq!(types(&components), ["NewPetBody", "PetBody", "KindHeader", "NotFoundBody"]);
}

#[test]
fn a_component_that_is_a_success_and_an_error_has_one_body() {
    let responses = |success: &str, error: &str| {
        format!(
            "responses: {{'{success}': {{$ref: '#/components/responses/State'}}, '{error}': {{description: Other.}}}}"
        )
    };
    let component = "components: {responses: {State: {description: A, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}}}\n";
    for (first, second) in [(("200", "400"), ("500", "204")), (("500", "204"), ("200", "400"))] {
        let api = api(&format!(
            "paths:\n  /a: {{get: {{{}}}}}\n  /b: {{get: {{{}}}}}\n{component}",
            responses(first.0, first.1),
            responses(second.0, second.1)
        ));
        let names: Vec<&str> = api.types.iter().map(|def| def.name.as_str()).collect();
        assert_eq!(names, ["StateBody"]);
        let shared = api.responses.iter().find(|response| response.group.is_none()).unwrap();
        assert_eq!(shared.name, "State");
        let bodies = api
            .operations()
            .flat_map(|operation| &operation.successes)
            .filter(|answer| matches!(answer.content, Content::Body(_)));
        assert_eq!(bodies.count(), 1);
    }
}

#[test]
fn names_and_texts_of_a_document_are_not_those_of_the_runtime() {
    let text = "openapi: 3.0.3
info: {title: T, version: '1', description: Made with frontdesk_runtime::Client.}
paths:
  /frontdesk_runtime:
    get:
      operationId: frontdesk_runtime
      tags: [things]
      description: Calls `frontdesk_runtime::Client`.
      parameters: [{name: frontdesk_runtime, in: query, schema: {type: string, enum: [frontdesk_runtime, other]}}]
      responses: {'200': {description: It., content: {application/json: {schema: {$ref: '#/components/schemas/Kept'}}}}}
  /other: {get: {operationId: getOther, tags: [frontdesk_runtime], responses: {'204': {description: Done.}}}}
components:
  schemas:
    Kept:
      type: object
      properties: {frontdesk_runtime: {type: string, minLength: 1, default: 'frontdesk_runtime::A', description: A frontdesk_runtime::A.}}
";
    let runtime =
        RuntimeDependency::Path { path: "../runtime".to_owned(), package: "other-library".to_owned() };
    let options = Options::stand_alone("shop", "openapi.yaml", runtime);
    let rust = |text: &str| -> String {
        let files = generated(&document(text), &options).files;
        files.iter().filter(|(path, _)| path.rsplit('.').next() == Some("rs")).map(|(_, text)| text).collect()
    };
    let made = rust(text);
    assert!(
        made.contains("pub frontdesk_runtime: Option<String>") && made.contains("other_library::"),
        "{made}"
    );
    assert!(!made.contains("use frontdesk_runtime"), "{made}");
    // As often as any other word in its place.
    let other = rust(&text.replace("frontdesk_runtime", "frontdesk_running"));
    assert_eq!(made.matches("frontdesk_runtime").count(), other.matches("frontdesk_running").count());
}
