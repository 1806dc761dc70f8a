//! The package for JavaScript as text. `tests/generator/javascript.rs` runs packages and checks their types.

use std::collections::BTreeMap;

use frontdesk_codegen::{JavaScriptOptions, Options};

use crate::fixtures::{document, generated, options};

/// The files of the package of a document, by their paths in it.
fn package(paths: &str, schemas: &str) -> BTreeMap<String, String> {
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: Pets, version: '1'}}\npaths:\n{paths}\ncomponents:\n  schemas:\n{schemas}\n"
    );
    let options =
        Options { javascript: Some(JavaScriptOptions::default()), ..options("pets", "openapi.yaml") };
    let files = generated(&document(&text), &options).files;
    let own =
        files.iter().filter_map(|(path, text)| Some((path.strip_prefix("javascript/")?, text.to_owned())));
    own.map(|(path, text)| (path.to_owned(), text.clone())).collect()
}

/// An operation with these lines at `/pets`, and a schema `Pet`.
fn operation(method: &str, lines: &str) -> BTreeMap<String, String> {
    package(&format!("  /pets:\n    {method}: {{operationId: ask, tags: [pets], {lines}}}"), PET)
}

const PET: &str = "    Pet: {type: object, properties: {name: {type: string}}}";

fn json(schema: &str) -> String {
    format!("content: {{application/json: {{schema: {schema}}}}}")
}

/// Fails unless a file has these texts.
fn assert_has(files: &BTreeMap<String, String>, path: &str, texts: &[&str]) {
    let file = &files[path];
    for text in texts {
        assert!(file.contains(text), "{path} has no `{text}`:\n{file}");
    }
}

#[test]
fn what_is_left_of_the_statuses_overlaps_none_that_is_declared() {
    let response = format!("{{description: x, {}}}", json("{type: string}"));
    for (statuses, types) in [
        (
            vec!["'200'", "'429'", "4XX", "5XX"],
            vec![
                "Failure<runtime.Others<runtime.Status4XX, 200 | 429>, string>",
                "Failure<runtime.OtherStatus<200 | 429 | runtime.Status4XX | runtime.Status5XX>, unknown>",
            ],
        ),
        (vec!["2XX"], vec!["Failure<runtime.OtherStatus<runtime.Status2XX>, unknown>"]),
        (
            vec!["'201'", "4XX", "default"],
            vec!["Failure<runtime.Others<runtime.Status, 201 | runtime.Status4XX>, string>"],
        ),
        (vec!["'200'", "'404'"], vec!["Failure<runtime.OtherStatus<200 | 404>, unknown>"]),
    ] {
        let listed: Vec<String> = statuses.iter().map(|status| format!("{status}: {response}")).collect();
        let files = operation("get", &format!("responses: {{{}}}", listed.join(", ")));
        assert_has(&files, "pets.d.ts", &types);
    }
}

#[test]
fn every_module_with_declarations_names_them() {
    let files = operation("get", "responses: {'204': {description: x}}");
    for (path, text) in &files {
        let Some(module) = path.strip_suffix(".js") else { continue };
        let declarations = format!("{module}.d.ts");
        let name = declarations.rsplit('/').next().unwrap();
        let mark = format!("// @ts-self-types=\"./{name}\"\n");
        assert_eq!(text.starts_with(&mark), files.contains_key(&declarations), "{path}");
    }
    assert!(files.contains_key("types.d.ts") && files.contains_key("runtime/index.d.ts"));
}

#[test]
fn a_body_that_fetch_does_not_send_is_left_out() {
    let lines = |required: bool| {
        format!(
            "parameters: [{{name: id, in: query, schema: {{type: string}}}}], \
             requestBody: {{required: {required}, {}}}, responses: {{'204': {{description: x}}}}",
            json("{$ref: '#/components/schemas/Pet'}")
        )
    };
    for (method, required) in [("get", false), ("get", true), ("head", true)] {
        let files = operation(method, &lines(required));
        assert_has(&files, "pets.d.ts", &["  id?: string;", "request?: AskRequest"]);
        let declared = &files["pets.d.ts"];
        assert!(!declared.contains("  body"), "{declared}");
        assert_eq!(declared.contains("cannot make this call"), required, "{declared}");
        assert!(!files["pets.js"].contains("body: ") && !files["pets.js"].contains("sendJson"));
    }
    let files = operation("delete", &lines(true));
    assert_has(&files, "pets.d.ts", &["  body: Pet;"]);
    assert_has(&files, "pets.js", &["body: sendJson", "sendJson }"]);
}

#[test]
fn one_value_identifies_an_object_wherever_it_is_returned() {
    let of = |values: &str, further: &str| {
        let pet = format!(
            "    Pet: {{type: object, required: [kind], properties: {{kind: {{type: string, enum: [{values}]{further}}}}}}}"
        );
        let response = format!("{{description: x, {}}}", json("{$ref: '#/components/schemas/Pet'}"));
        package(
            &format!(
                "  /pets:\n    get: {{operationId: ask, tags: [pets], responses: {{'200': {response}, default: {response}}}}}"
            ),
            &pet,
        )
    };
    assert_has(&of("cat", ""), "pets.d.ts", &["export type PetKind = 'cat';"]);
    assert_has(&of("cat, dog", ""), "pets.d.ts", &["export type PetKind = 'cat' | 'dog' | (string & {});"]);
    // A document that says that there will be more values means it.
    let files = of("cat", ", x-extensible-enum: true");
    assert_has(&files, "pets.d.ts", &["export type PetKind = 'cat' | (string & {});"]);
}

#[test]
fn no_schema_has_the_name_of_a_class_of_the_runtime() {
    let classes = ["ApiError", "BodyError", "ConnectionError", "EventStream", "WebhookError"];
    let schemas: Vec<String> = classes
        .iter()
        .map(|name| format!("    {name}: {{type: object, properties: {{a: {{type: string}}}}}}"))
        .collect();
    let properties: Vec<String> =
        classes.iter().map(|name| format!("{name}: {{$ref: '#/components/schemas/{name}'}}")).collect();
    let response = json(&format!("{{type: object, properties: {{{}}}}}", properties.join(", ")));
    let files = package(
        &format!(
            "  /pets:\n    get: {{operationId: ask, tags: [pets], responses: {{'200': {{description: x, {response}}}}}}}"
        ),
        &schemas.join("\n"),
    );
    let exported = format!("export {{\n  {},\n}} from './runtime/index.js';", classes.join(",\n  "));
    for index in ["index.js", "index.d.ts"] {
        assert_has(&files, index, &[&exported]);
    }
    for name in classes {
        assert_has(&files, "pets.d.ts", &[&format!("export interface {name}Model {{")]);
    }
}

#[test]
fn long_unions_and_lists_have_a_line_for_each_entry() {
    let values: Vec<String> = (0..40).map(|index| format!("value_{index}")).collect();
    let (values, numbers) =
        (values.join(", "), (1000..1040).map(|number| number.to_string()).collect::<Vec<_>>().join(", "));
    let schemas = format!(
        "    Kind: {{type: string, enum: [{values}]}}\n    Pet: {{type: object, properties: {{kind: {{$ref: '#/components/schemas/Kind'}}, \
         size: {{type: integer, enum: [{numbers}]}}, sizes: {{type: array, nullable: true, items: {{type: integer, enum: [{numbers}]}}}}}}}}"
    );
    let parameters: Vec<String> = (0..20)
        .map(|index| format!("{{name: parameter_{index}, in: query, schema: {{type: string}}}}"))
        .collect();
    let body = json("{$ref: '#/components/schemas/Pet'}");
    let files = package(
        &format!(
            "  /pets:\n    post: {{operationId: ask, tags: [pets], parameters: [{}], requestBody: {{{body}}}, \
             responses: {{'200': {{description: x, {body}}}}}}}",
            parameters.join(", ")
        ),
        &schemas,
    );
    assert_has(&files, "pets.d.ts", &["export type Kind =\n  | 'value_0'\n  | 'value_1'\n"]);
    assert_has(
        &files,
        "pets.d.ts",
        &["  size?:\n    | 1000\n", "  sizes?:\n    | (\n      | 1000\n", "    )[]\n    | null;\n"],
    );
    assert_has(&files, "pets.js", &["    query: [\n      'parameter_0',\n"]);
    for path in ["pets.js", "pets.d.ts"] {
        let longest = files[path].lines().map(str::len).max();
        assert!(longest < Some(101), "{path}: {longest:?}");
    }
}

#[test]
fn a_comment_repeats_neither_the_type_nor_the_default() {
    let lines = "description: '<p>Calls pets</p>', parameters: [{name: limit, in: query, schema: {type: integer, maximum: 100, default: 20}}, \
                 {name: full, in: query, schema: {type: boolean, enum: [true]}}], responses: {'204': {description: x}}";
    let files = operation("get", lines);
    let declared = &files["pets.d.ts"];
    assert_has(
        &files,
        "pets.d.ts",
        &["   * At most 100.\n   *\n   * @defaultValue `20`\n", "  full?: true;", " * Calls pets.\n"],
    );
    for text in ["Absence means", "One of", "Always", "* .\n"] {
        assert!(!declared.contains(text), "`{text}`:\n{declared}");
    }
}

/// The modules of the runtime that a module imports.
fn imported(text: &str) -> Vec<&str> {
    let path = |line: &'_ str| -> Option<(usize, usize)> {
        let end = line.strip_suffix(".js';")?.len();
        Some((line[..end].rfind('/')? + 1, end))
    };
    text.lines().filter_map(|line| path(line).map(|(start, end)| &line[start..end])).collect()
}

#[test]
fn a_page_loads_nothing_that_its_document_does_not_need() {
    let plain = "parameters: [{name: kind, in: query, schema: {$ref: '#/components/schemas/Kind'}}, \
                 {name: tags, in: query, schema: {type: array, items: {type: string}}}], responses: {'204': {description: x}}";
    let kind = format!("{PET}\n    Kind: {{type: string, enum: [cat, dog]}}");
    let of = |lines: &str| {
        package(
            &format!(
                "  /pets/{{kind}}:\n    parameters: [{{name: kind, in: path, required: true, schema: {{$ref: '#/components/schemas/Kind'}}}}]\n    post: {{operationId: ask, tags: [pets], {lines}}}"
            ),
            &kind,
        )
    };
    let files = of(plain);
    assert_eq!(imported(&files["client.js"]), ["call"]);
    assert_eq!(imported(&files["pets.js"]), ["call"]);
    let mut always = imported(&files["runtime/call.js"]);
    always.sort_unstable();
    assert_eq!(always, ["address", "bodies", "errors", "limit", "retries"]);
    // Each of these has something of its own to import.
    let object = "{type: object, properties: {a: {type: string}}}";
    for (lines, modules) in [
        (format!("parameters: [{{name: filter, in: query, schema: {object}}}], responses: {{'204': {{description: x}}}}"), vec!["address", "call"]),
        ("parameters: [{name: Idempotency-Key, in: header, schema: {type: string}}], responses: {'204': {description: x}}".to_owned(), vec!["call", "keys"]),
        ("parameters: [{name: session, in: cookie, schema: {type: string}}], responses: {'204': {description: x}}".to_owned(), vec!["call", "styles"]),
        ("servers: [{url: /v2}], responses: {'204': {description: x}}".to_owned(), vec!["call", "servers"]),
    ] {
        assert_eq!(imported(&of(&lines)["pets.js"]), modules, "{lines}");
    }
}
