//! Values, references and their targets.

use frontdesk_document::{Document, Kind, NodeRef};

use crate::{document, problems, root};

fn at<'d>(document: &'d Document, keys: &[&str]) -> NodeRef<'d> {
    keys.iter().fold(document.root(), |node, key| {
        node.get(key).unwrap_or_else(|| panic!("{} has no `{key}`", node.pointer()))
    })
}

#[test]
fn yaml_scalars_have_their_kinds_and_exact_numbers() {
    let text = root(
        "paths: {}\nx-data:\n  null: ~\n  yes: yes\n  no: true\n  200: 0x10\n  float: .5\n  big: 18446744073709551616\n  \
         quoted: \"200\"\n  empty:\n  date: 2024-01-31\n  tagged: !!str 12\n  folded: >-\n    a\n    b\n  whole: 1e3\n",
    );
    let document = document(&[("a.yaml", &text)]);
    let data = at(&document, &["x-data"]);
    let kinds: Vec<(&str, Kind)> = data.entries().map(|(key, value)| (key.text, value.kind())).collect();
    assert_eq!(
        kinds,
        [
            ("null", Kind::Null),
            ("yes", Kind::String),
            ("no", Kind::Bool),
            ("200", Kind::Integer),
            ("float", Kind::Number),
            ("big", Kind::Integer),
            ("quoted", Kind::String),
            ("empty", Kind::Null),
            ("date", Kind::String),
            ("tagged", Kind::String),
            ("folded", Kind::String),
            ("whole", Kind::Number),
        ]
    );
    let value = |key| at(&document, &["x-data", key]);
    assert_eq!(value("200").as_number(), Some("16"));
    assert_eq!(value("float").as_number(), Some("0.5"));
    assert_eq!(value("big").as_i128(), Some(18_446_744_073_709_551_616));
    assert_eq!(value("whole").as_i128(), Some(1000));
    assert_eq!(value("float").as_i128(), None);
    assert_eq!(value("tagged").as_str(), Some("12"));
    assert_eq!(value("folded").as_str(), Some("a b"));
    assert_eq!(value("no").as_bool(), Some(true));
    assert_eq!(serde_json::to_string(&value("big")).unwrap(), "18446744073709551616");
    assert_eq!(value("big").to_json(), serde_json::json!(18_446_744_073_709_551_616.0));
}

#[test]
fn json_and_yaml_give_the_same_values() {
    let json = r#"{"openapi": "3.0.3", "info": {"title": "T\u00e9\ud83d\ude00\n", "version": "1"}, "paths": {},
        "x": [1, -2.50, 1e2, true, null, "", {"b": [], "a": {}}]}"#;
    let yaml = "openapi: 3.0.3\ninfo: {title: \"T\\u00e9\\U0001F600\\n\", version: '1'}\npaths: {}\n\
        x: [1, -2.50, 1e2, true, ~, '', {b: [], a: {}}]\n";
    let (json, yaml) = (document(&[("a.json", json)]), document(&[("a.yaml", yaml)]));
    assert_eq!(json.root().to_json(), yaml.root().to_json());
    assert_eq!(serde_json::to_string(&json.root()).unwrap(), serde_json::to_string(&yaml.root()).unwrap());
    assert_eq!(at(&json, &["x"]).items().nth(1).and_then(NodeRef::as_number), Some("-2.50"));
}

#[test]
fn a_yaml_file_may_begin_with_a_brace() {
    let document = document(&[("a.yaml", "{openapi: 3.0.3, info: {title: T, version: '1'}, paths: {}}")]);
    assert_eq!(at(&document, &["info", "title"]).as_str(), Some("T"));
}

#[test]
fn large_objects_are_found_by_key_and_kept_in_order() {
    let names: Vec<String> = (0..500).map(|number| format!("s{:03}", (number * 7919) % 1000)).collect();
    let entries: Vec<String> = names.iter().map(|name| format!("    {name}: {{type: string}}\n")).collect();
    let entries = entries.concat();
    let document =
        document(&[("a.yaml", &root(&format!("paths: {{}}\ncomponents:\n  schemas:\n{entries}")))]);
    let schemas = at(&document, &["components", "schemas"]);
    assert_eq!(schemas.len(), 500);
    assert!(
        names
            .iter()
            .all(|name| schemas.get(name).and_then(NodeRef::key).is_some_and(|key| key.text == *name))
    );
    assert!(schemas.get("s0000").is_none());
    assert_eq!(schemas.entries().map(|(key, _)| key.text.to_owned()).collect::<Vec<_>>(), names);
}

#[test]
fn anchors_aliases_and_merge_keys_are_expanded() {
    let text = root(
        "paths: {}\nx-base: &base {a: 1, b: 2}\nx-more: &more {b: 3, c: &see [x]}\n\
         x-one: {b: 9, <<: *base}\nx-two:\n  <<: [*base, *more]\n  d: *see\nx-quoted: {\"<<\": 1}\nx-key: {&k name: *k}\n",
    );
    let document = document(&[("a.yaml", &text)]);
    let json = |key| serde_json::to_string(&at(&document, &[key])).unwrap();
    assert_eq!(json("x-one"), r#"{"b":9,"a":1}"#);
    assert_eq!(json("x-two"), r#"{"a":1,"b":2,"c":["x"],"d":["x"]}"#);
    assert_eq!(json("x-quoted"), r#"{"<<":1}"#);
    assert_eq!(json("x-key"), r#"{"name":"name"}"#);
    assert_eq!(at(&document, &["x-two", "d"]).pointer(), "#/x-two/d");
    assert_eq!(
        at(&document, &["x-two", "c"]).items().next().map(NodeRef::pointer).as_deref(),
        Some("#/x-two/c/0")
    );
}

#[test]
fn references_are_followed_across_files_and_through_each_other() {
    let files = [
        (
            "v1/openapi.yaml",
            root(
                "paths:\n  /a b/{id}: {$ref: 'parts/paths.yaml#/~1a%20b~1%7Bid%7D'}\ncomponents:\n  schemas:\n    \
                 Local: {$ref: '#/components/schemas/Alias'}\n    Alias: {$ref: '../shared.json#/definitions/Far'}\n    \
                 Whole: {$ref: ./parts/whole.yaml}\n    Through: {$ref: '#/components/schemas/Local/properties/next'}\n",
            ),
        ),
        (
            "v1/parts/paths.yaml",
            "/a b/{id}:\n  get:\n    responses:\n      '200':\n        description: ok\n        content:\n          \
             application/json: {schema: {$ref: '../openapi.yaml#/components/schemas/Local'}}\n"
                .to_owned(),
        ),
        (
            "shared.json",
            r##"{"definitions": {"Far": {"type": "object", "properties": {"next": {"$ref": "#/definitions/Far"}}}}}"##
                .to_owned(),
        ),
        ("v1/parts/whole.yaml", "type: string\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let document = document(&files);
    let loaded: Vec<&str> = document.files().map(frontdesk_document::SourceFile::path).collect();
    assert_eq!(loaded, ["v1/openapi.yaml", "v1/parts/paths.yaml", "shared.json", "v1/parts/whole.yaml"]);

    let target = |keys: &[&str]| {
        let target = at(&document, keys).resolve().unwrap();
        format!("{}{}", target.file(), target.pointer())
    };
    assert_eq!(target(&["paths", "/a b/{id}"]), "v1/parts/paths.yaml#/~1a b~1{id}");
    assert_eq!(target(&["components", "schemas", "Local"]), "shared.json#/definitions/Far");
    assert_eq!(target(&["components", "schemas", "Whole"]), "v1/parts/whole.yaml#");
    assert_eq!(target(&["components", "schemas", "Through"]), "shared.json#/definitions/Far");
    assert_eq!(target(&["info"]), "v1/openapi.yaml#/info");

    let far = at(&document, &["components", "schemas", "Local"]).resolve().unwrap();
    let next = far.get("properties").and_then(|properties| properties.get("next")).unwrap();
    assert_eq!(next.reference(), Some("#/definitions/Far"));
    assert_eq!(next.resolve().unwrap().id(), far.id());
}

#[test]
fn a_ref_in_data_is_data() {
    let text = root(
        "paths:\n  /a:\n    get:\n      x-note: {$ref: '#/nowhere'}\n      responses:\n        '200':\n          description: ok\n          \
         content:\n            application/json:\n              example: {$ref: '#/nowhere'}\n              examples:\n                \
         one: {value: {$ref: '#/nowhere'}}\n              schema:\n                default: {$ref: 'https://example.com'}\n                \
         enum: [{$ref: '#/nowhere'}]\n                example: {$ref: 1}\n                properties:\n                  \
         $ref: {type: string}\n                  example: {$ref: '#/components/schemas/Real'}\n        x-more: {$ref: '#/nowhere'}\n\
         components: {schemas: {Real: {type: string}}}\n",
    );
    let document = document(&[("a.yaml", &text)]);
    let schema = at(
        &document,
        &["paths", "/a", "get", "responses", "200", "content", "application/json", "schema", "properties"],
    );
    assert_eq!(
        schema.get("$ref").and_then(|property| property.get("type")).and_then(NodeRef::as_str),
        Some("string")
    );
    assert_eq!(schema.get("example").unwrap().resolve().unwrap().pointer(), "#/components/schemas/Real");
    assert!(at(&document, &["paths", "/a", "get", "x-note"]).resolve().is_err());
}

#[test]
fn mappings_and_operation_references_have_targets() {
    let files = [
        (
            "a.yaml",
            root(
                "paths:\n  /a:\n    get:\n      responses:\n        '204':\n          description: ok\n          links:\n            \
                 next: {operationRef: '#/paths/~1a/get'}\n            \
                 far: {operationRef: 'https://example.com/#/paths/~1x/get'}\ncomponents:\n  schemas:\n    \
                 Pet:\n      oneOf: [{$ref: '#/components/schemas/Cat'}]\n      discriminator:\n        propertyName: kind\n        \
                 mapping: {cat: Cat, dog: 'b.yaml#/Dog', snake: '#/components/schemas/Alias'}\n    Cat: {type: object}\n    \
                 Alias: {$ref: '#/components/schemas/Cat'}\n",
            ),
        ),
        ("b.yaml", "Dog: {type: object}\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let document = document(&files);
    let mapping = at(&document, &["components", "schemas", "Pet", "discriminator", "mapping"]);
    let targets: Vec<String> = mapping
        .entries()
        .map(|(_, value)| {
            value.referred().map(|target| format!("{}{}", target.file(), target.pointer())).unwrap()
        })
        .collect();
    assert_eq!(targets, ["a.yaml#/components/schemas/Cat", "b.yaml#/Dog", "a.yaml#/components/schemas/Cat"]);
    let links = at(&document, &["paths", "/a", "get", "responses", "204", "links"]);
    let of =
        |link: &str| links.get(link).and_then(|link| link.get("operationRef")).and_then(NodeRef::referred);
    assert_eq!(of("next").map(NodeRef::pointer).as_deref(), Some("#/paths/~1a/get"));
    assert!(of("far").is_none());
}

#[test]
fn typed_reads_the_types_of_other_crates_and_locates_what_is_wrong() {
    let text = root(
        "paths: {}\nservers:\n  - url: /v1\n    variables:\n      port:\n        default: 80\n\
         tags:\n  - name: pets\n    externalDocs: {url: https://example.com}\n",
    );
    let document = document(&[("a.yaml", &text)]);
    let tag: openapiv3::Tag = at(&document, &["tags"]).items().next().unwrap().typed().unwrap();
    assert_eq!(tag.external_docs.map(|docs| docs.url).as_deref(), Some("https://example.com"));
    let info: openapiv3::Info = at(&document, &["info"]).typed().unwrap();
    assert_eq!(info.title, "Test");
    let server = at(&document, &["servers"]).items().next().unwrap();
    let error = server.typed::<openapiv3::Server>().unwrap_err();
    assert_eq!((error.code, error.primary.span.start.to_string().as_str()), ("invalid-value", "8:18"));
    assert_eq!(error.message, "invalid type: integer `80`, expected a string");
}

#[test]
fn a_document_exists_exactly_without_errors() {
    let warned = root("");
    let diagnostics = problems(&[("a.yaml", &warned)]);
    assert_eq!((diagnostics.counts().errors, diagnostics.counts().warnings), (0, 1));
    assert_eq!(document(&[("a.yaml", &warned)]).root().len(), 2);
    let broken = root("paths: {/a: {$ref: '#/b'}}");
    let (none, diagnostics) = Document::read_strictly("a.yaml", &crate::loader(&[("a.yaml", &broken)]));
    assert!(none.is_none() && diagnostics.has_errors());
    assert!(document(&[("a.yaml", &broken)]).root().get("paths").is_some_and(NodeRef::is_empty));
}

#[test]
fn a_field_of_another_kind_is_a_warning_in_every_version() {
    const SLIPS: &str = "servers: https://a.example
tags: users
paths:
  /a:
    parameters: {name: b, in: query}
    get:
      operationId: 12
      deprecated: 'true'
      description:
      parameters: [{name: c, in: query, required: 'yes', schema: {type: string, readOnly: 1}}]
      responses:
        '200': {description: 5, headers: [x], links: {next: b}}
        '404': Not found
";
    for version in ["3.0.3", "3.1.0"] {
        let text = format!("openapi: {version}\ninfo: {{title: T, version: '1'}}\n{SLIPS}");
        let (document, found) = Document::read("a.yaml", &crate::loader(&[("a.yaml", &text)]));
        assert!(document.is_some());
        let messages: Vec<&str> = found
            .iter()
            .filter(|problem| problem.code == "invalid-value")
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            messages,
            [
                "`servers` must be an array, and is a string",
                "`tags` must be an array, and is a string",
                "`parameters` must be an array, and is an object",
                "`operationId` must be a string, and is an integer",
                "`deprecated` must be `true` or `false`, and is a string",
                "`required` must be `true` or `false`, and is a string",
                "`readOnly` must be `true` or `false`, and is an integer",
                "`description` must be a string, and is an integer",
                "`headers` must be an object, and is an array",
                "a link must be an object, and is a string",
                "a response must be an object, and is a string",
            ],
            "{version}"
        );
        // What was meant counts, and the rest is gone, so that every reader can read the bundle.
        let document = document.expect("it is a document");
        let get = at(&document, &["paths", "/a", "get"]);
        assert_eq!(get.get("operationId").and_then(NodeRef::as_str), Some("12"));
        assert_eq!(get.get("deprecated").and_then(NodeRef::as_bool), Some(true));
        assert!(document.root().get("servers").is_none());
        assert_eq!(get.get("responses").map(NodeRef::len), Some(1));
        assert!(document.bundle().conforms().is_ok(), "{version}");
    }
}
