//! Several files as one.

use frontdesk_document::{Bundle, Document};

use crate::{document, root};

/// A document of several files that uses every kind of reference.
fn service() -> Document {
    let root = root(
        "security: [{token: []}]\npaths:\n  /chatbots: {$ref: 'chatbots.yaml#/paths/~1chatbots'}\n  /again: {$ref: 'chatbots.yaml#/paths/~1chatbots'}\n  \
         /health:\n    get:\n      operationId: health\n      responses:\n        '200': {$ref: 'common.yaml#/components/responses/200'}\n        \
         default: {$ref: 'common.yaml#/components/responses/Problem'}\ncomponents:\n  securitySchemes:\n    token: {type: http, scheme: bearer}\n  \
         schemas:\n    Chatbot: {$ref: 'chatbots.yaml#/components/schemas/Chatbot'}\n    Bot: {$ref: 'chatbots.yaml#/components/schemas/Chatbot'}\n    \
         Error: {type: string, description: The root has another one}\n    Local: {$ref: '#/components/schemas/Error'}\n",
    );
    let chatbots = "paths:\n  /chatbots:\n    parameters:\n      - $ref: 'common.yaml#/components/parameters/Page'\n    post:\n      operationId: createChatbot\n      \
         requestBody: {$ref: '#/components/requestBodies/Create'}\n      responses:\n        '201':\n          description: created\n          headers:\n            \
         Location: {$ref: 'common.yaml#/components/headers/Location'}\n          content:\n            application/json:\n              \
         schema: {$ref: '#/components/schemas/Chatbot'}\n              examples: {one: {$ref: 'examples/one.yaml'}}\n          links:\n            \
         self: {operationRef: '#/paths/~1chatbots/post'}\n      callbacks:\n        done: {$ref: '#/components/callbacks/Done'}\n\
         components:\n  schemas:\n    Chatbot:\n      type: object\n      properties:\n        next: {$ref: '#/components/schemas/Chatbot'}\n        \
         error: {$ref: 'common.yaml#/components/schemas/Error'}\n        kind: {$ref: 'schemas/kind.schema.json'}\n        \
         root: {$ref: 'openapi.yaml#/components/schemas/Local'}\n        deep: {$ref: '#/components/schemas/Chatbot/properties/kind'}\n    \
         Source:\n      oneOf: [{$ref: '#/components/schemas/Page'}, {$ref: '#/components/schemas/Text'}]\n      discriminator:\n        propertyName: type\n        \
         mapping: {page: Page, text: '#/components/schemas/Text', never: Rare}\n    Page: {type: object}\n    Text: {$ref: '#/components/schemas/Page'}\n    \
         Rare: {type: object}\n    Unused: {type: object}\n  requestBodies:\n    Create:\n      content:\n        application/json:\n          \
         schema: {$ref: '#/components/schemas/Source'}\n  callbacks:\n    Done:\n      '{$request.body#/url}':\n        post:\n          responses: {'204': {description: ok}}\n";
    let common = "components:\n  parameters:\n    Page: {name: page, in: query, schema: {type: integer}}\n  headers:\n    Location: {schema: {type: string}}\n  \
         responses:\n    '200': {description: fine}\n    Problem:\n      description: |\n        Something is wrong.\n\n        Try again.\n      content:\n        application/problem+json:\n          \
         schema: {$ref: '#/components/schemas/Error'}\n  schemas:\n    Error:\n      type: object\n      properties: {code: {type: string, enum: [\"200\", \"on\", \"1.0\", \"2024-01-31\", plain]}}\n";
    document(&[
        ("openapi.yaml", &root),
        ("chatbots.yaml", chatbots),
        ("common.yaml", common),
        ("examples/one.yaml", "value: {$ref: is data here}\n"),
        ("schemas/kind.schema.json", r#"{"type": "string", "minLength": 1, "example": 1.50}"#),
    ])
}

fn reread(text: &str) -> Document {
    let document = document(&[("bundle", text)]);
    assert_eq!(document.files().count(), 1);
    document
}

#[test]
fn files_become_one() {
    let bundle = service().bundle();
    insta::assert_snapshot!("bundle_yaml", bundle.to_yaml());
    insta::assert_snapshot!("bundle_json", bundle.to_json());
    insta::assert_snapshot!("bundle_warnings", bundle.diagnostics().render(service().sources(), false));
    bundle.conforms().unwrap();
}

#[test]
fn a_bundle_is_its_own_bundle() {
    let bundle = service().bundle();
    for text in [bundle.to_yaml(), bundle.to_json()] {
        let again = reread(&text).bundle();
        assert_eq!(again.to_yaml(), bundle.to_yaml());
        assert_eq!(again.to_json(), bundle.to_json());
        assert!(again.diagnostics().is_empty());
    }
}

#[test]
fn a_single_file_keeps_every_text() {
    let text = root(
        "paths:\n  /a/{id}:\n    get:\n      responses:\n        200: {description: ok}\n  /b: {$ref: '#/paths/~1a~1%7Bid%7D'}\n\
         components:\n  schemas:\n    A: {$ref: './a.yaml#/components/schemas/B'}\n    B: {maximum: 1.50, minimum: 0x10}\n",
    );
    let bundle = document(&[("a.yaml", &text)]).bundle().to_yaml();
    insta::assert_snapshot!(bundle);
}

/// Every text as a value and as a key survives both formats, in our reader and in an independent one.
#[test]
fn awkward_texts_survive() {
    let texts = [
        "",
        " ",
        "  leading",
        "trailing ",
        "\ttab",
        "tab\t",
        "200",
        "1.0",
        "-1",
        "+1",
        "0x1F",
        "0o7",
        "1e3",
        ".5",
        ".inf",
        "1_000",
        "12:30:45",
        "2024-01-31",
        "2024-01-31T10:00:00Z",
        "on",
        "Off",
        "yes",
        "NO",
        "y",
        "n",
        "true",
        "False",
        "null",
        "Null",
        "~",
        "=",
        "<<",
        "-",
        "- a",
        "?",
        "? a",
        ":",
        ": a",
        "a: b",
        "a:b",
        "a #b",
        "a#b",
        "#a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "%a",
        "@a",
        "`a`",
        "'",
        "\"",
        "'a'",
        "\"a\"",
        "a'b",
        "{a}",
        "[a]",
        "a, b",
        "\\",
        "\\n",
        "---",
        "...",
        "--- a",
        "a\nb",
        "a\nb\n",
        "a\n\nb\n\n\n",
        "\na",
        "\n",
        "\n\n",
        "a\n",
        " a\nb",
        "a\n  b\n c",
        "a \nb",
        "a\t\nb",
        "a\r\nb",
        "a\rb",
        "a\n---\nb",
        "# a\nb",
        "é",
        "😀",
        "\u{85}",
        "a\u{85}b",
        "\u{2028}",
        "a\nb\u{2028}c",
        "\u{FEFF}",
        "a\u{FEFF}b",
        "\u{0}",
        "\u{1B}[31m",
        "\u{7F}",
        "\u{A0}",
        "\u{FFFE}",
        "a\nb: c\n- d",
        "key: |\n  text",
        "a\n\tb",
        "x".repeat(900).as_str(),
    ]
    .map(str::to_owned);
    let values = serde_json::json!({
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "x-values": texts[..],
        "x-keys": texts.iter().map(|text| (text.clone(), serde_json::json!([text]))).collect::<serde_json::Map<_, _>>(),
        "x-numbers": [0, -1, 1.5, 1e300, 9_007_199_254_740_993_u64, i64::MIN],
    });
    let bundle = document(&[("a.json", &values.to_string())]).bundle();
    assert_eq!(bundle.to_value(), values);
    let yaml = bundle.to_yaml();
    assert_eq!(reread(&yaml).root().to_json(), values, "{yaml}");
    assert_eq!(reread(&bundle.to_json()).root().to_json(), values);
    assert_eq!(serde_yaml::from_str::<serde_json::Value>(&yaml).unwrap(), values, "{yaml}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&bundle.to_json()).unwrap(), values);
    insta::assert_snapshot!(yaml);
}

/// YAML ends a key of more than 1024 characters, unless it is marked as a key.
#[test]
fn long_keys_survive_wherever_they_stand() {
    let key = |first: &str| format!("{first}{}", "\"x: ".repeat(300));
    let inner = serde_json::json!({"a": [{key("b"): {"c": 1}, key("d"): [key("e")]}, [{key("f"): {}}]]});
    let values = serde_json::json!({
        "openapi": "3.0.3",
        "info": {"title": "T", "version": "1"},
        "paths": {},
        "x-plain": {"x".repeat(1001): "x".repeat(1001), "x".repeat(999): 1},
        key("x-a"): {key("a\n"): "lines\nof text\n", "z": null},
        key("x-b"): inner,
    });
    let yaml = document(&[("a.json", &values.to_string())]).bundle().to_yaml();
    assert_eq!(reread(&yaml).root().to_json(), values, "{yaml}");
    assert_eq!(serde_yaml::from_str::<serde_json::Value>(&yaml).unwrap(), values, "{yaml}");
}

fn codes(bundle: &Bundle) -> Vec<&'static str> {
    bundle.diagnostics().iter().map(|problem| problem.code).collect()
}

#[test]
fn clashing_names_are_numbered() {
    let root = root(
        "paths: {}\ncomponents:\n  schemas:\n    A:\n      allOf:\n        - $ref: 'x/pets.yaml#/Pet'\n        - $ref: 'y/pets.yaml#/Pet'\n        \
         - $ref: 'z/pets.yaml#/Pet'\n        - $ref: 'x/pets.yaml#/Pet'\n",
    );
    let pet = |name: &str| format!("Pet: {{title: {name}}}\n");
    let bundle = document(&[
        ("a.yaml", &root),
        ("x/pets.yaml", &pet("x")),
        ("y/pets.yaml", &pet("y")),
        ("z/pets.yaml", &pet("z")),
    ])
    .bundle();
    assert_eq!(codes(&bundle), ["component-name-clash", "component-name-clash"]);
    let value = bundle.to_value();
    let references: Vec<&str> = value["components"]["schemas"]["A"]["allOf"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["$ref"].as_str().unwrap().trim_start_matches("#/components/schemas/"))
        .collect();
    assert_eq!(references, ["Pet", "Pet_pets", "Pet_pets_2", "Pet"]);
    let titles: Vec<&str> = references
        .iter()
        .map(|name| value["components"]["schemas"][name]["title"].as_str().unwrap())
        .collect();
    assert_eq!(titles, ["x", "y", "z", "x"]);
}

#[test]
fn what_conforms_to_no_type_is_located_in_its_own_file() {
    let root = root("paths: {/a: {$ref: 'a.yaml#/p'}}\n");
    let document = document(&[
        ("openapi.yaml", &root),
        (
            "a.yaml",
            "p:\n  get:\n    parameters:\n      - {name: a, in: body}\n    responses: {'204': {description: ok}}\n",
        ),
    ]);
    let problem = document.bundle().conforms().unwrap_err();
    insta::assert_snapshot!(problem.render(document.sources(), false));
}
