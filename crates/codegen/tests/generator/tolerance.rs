//! Documents with defects: what becomes of the places where they are, and what the report says of their
//! operations.

use frontdesk_codegen::ir::{Api, Credential, Type};
use frontdesk_codegen::{lower, survey};

use crate::fixtures::{document, options};

const DONE: &str = "responses: {'204': {description: Done.}}";

fn api(version: &str, rest: &str) -> Api {
    let document = document(&format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\n{rest}"));
    lower(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}"))
}

fn report(version: &str, rest: &str) -> String {
    let document = document(&format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\n{rest}"));
    survey(&document, &options("t", "openapi.yaml")).unwrap_or_else(|error| panic!("{error:?}")).0.to_string()
}

#[test]
fn an_undefined_scheme_is_a_credential_of_its_name() {
    let api = api(
        "3.0.3",
        &format!(
            "security: [{{key: []}}]\npaths:\n  /a: {{get: {{operationId: a, {DONE}}}}}\n  /b: {{get: {{operationId: b, security: [{{basicLogin: []}}, {{key: [x]}}], {DONE}}}}}\n"
        ),
    );
    let schemes: Vec<(&str, &Credential)> =
        api.schemes.iter().map(|scheme| (scheme.wire.as_str(), &scheme.credential)).collect();
    assert_eq!(schemes, [("key", &Credential::Bearer), ("basicLogin", &Credential::Basic)]);
    let uses: Vec<Vec<Vec<usize>>> = api
        .operations()
        .map(|operation| {
            let requirements = operation.security.iter();
            requirements.map(|uses| uses.iter().map(|scheme| scheme.scheme).collect()).collect()
        })
        .collect();
    // No requirement is lost: that would leave the operation open.
    assert_eq!(uses, [vec![vec![0]], vec![vec![1], vec![0]]]);
}

#[test]
fn the_report_lists_every_operation_that_is_degraded_or_left_out() {
    let rest = format!(
        "paths:\n  /a/{{x: {{get: {{{DONE}}}, put: {{{DONE}}}}}\n  /b: {{$ref: '#/nowhere'}}\n  /c:\n    parameters: [{{$ref: '#/no'}}]\n    \
         get: {{operationId: c, {DONE}}}\n  /d:\n    get:\n      operationId: d\n      security: [{{key: []}}]\n      responses: {{'200': {{$ref: '#/components/responses/D'}}}}\n  \
         /e: {{get: {{operationId: e, {DONE}}}}}\ncomponents:\n  responses:\n    D: {{description: D, content: {{application/json: {{schema: {{$ref: '#/components/schemas/D'}}}}}}}}\n  \
         schemas:\n    D: {{type: object, properties: {{d: {{$ref: '#/components/schemas/Lost'}}}}}}\n    Unused: {{$ref: '#/gone'}}\n"
    );
    insta::assert_snapshot!(report("3.0.3", &rest));
}

#[test]
fn data_that_looks_like_a_reference_brings_no_type() {
    let api = api(
        "3.0.3",
        "paths: {}\nx-example: {$ref: '#/components/schemas/Pet/properties/inner'}\ncomponents:\n  schemas:\n    Pet:\n      type: object\n      \
         example: {$ref: 'other.yaml#/components/schemas/B'}\n      properties:\n        inner: {type: object, default: {$ref: '#/components/schemas/Pet'}, properties: {x: {type: string}}}\n",
    );
    let names: Vec<&str> = api.types.iter().map(|def| def.name.as_str()).collect();
    assert_eq!(names, ["Pet", "PetInner"]);
}

#[test]
fn entries_with_schemas_by_position_are_raw_json() {
    let rest = "paths:\n  /a:\n    get:\n      operationId: a\n      responses:\n        '200':\n          description: A\n          \
                content: {application/json: {schema: {type: array, prefixItems: [{type: string}, {type: integer}], items: false}}}\n";
    let api = api("3.1.0", rest);
    let payload =
        api.operations().next().and_then(|operation| operation.successes[0].content.payload(&api.responses));
    let Some(Type::List(entry)) = payload.and_then(|payload| payload.json()).map(|element| &element.ty)
    else {
        panic!("the success is a list")
    };
    assert!(matches!(entry.ty, Type::Raw(_)));
    assert!(report("3.1.0", rest).starts_with("0 of 1 operation fully typed\n"));
}

#[test]
fn a_branch_that_an_enumeration_beside_it_rules_out_is_none() {
    let document = document(
        "openapi: 3.1.0\ninfo: {title: T, version: '1'}\ncomponents:\n  schemas:\n    Kind: {type: integer, oneOf: [{const: 1}, {const: 2}]}\n    \
         First: {type: object, required: [kind], properties: {kind: {type: integer, enum: [1], allOf: [{$ref: '#/components/schemas/Kind'}]}}}\n",
    );
    let (_, warnings) = survey(&document, &options("t", "openapi.yaml")).unwrap();
    assert!(warnings.is_empty(), "{}", warnings.render(warnings.sources(), false));
}

#[test]
fn an_operation_without_responses_is_right_in_the_later_version() {
    let codes = |version: &str| {
        let text =
            format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\npaths: {{/a: {{get: {{}}}}}}\n");
        let (_, warnings) = survey(&document(&text), &options("t", "openapi.yaml")).unwrap();
        warnings.iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    assert_eq!((codes("3.0.3"), codes("3.1.0")), (vec!["missing-responses"], vec!["missing-success"]));
}
