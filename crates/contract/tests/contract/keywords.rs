//! Every keyword of OpenAPI 3.0 and 3.1: generated code and the oracle make of it what the table of keywords
//! says, and a keyword that generated code does not check is a located warning.

use frontdesk_codegen::problems;
use frontdesk_contract::{Direction, Oracle};
use frontdesk_document::{Document, Fate, KEYWORDS, MemoryLoader, Version};
use serde_json::{Value, json};

/// A schema with the keyword, a value that it allows, and one that only the keyword refuses. Keywords that
/// refuse nothing have `null` there.
fn sample(keyword: &str) -> Option<(&'static str, Value, Value)> {
    Some(match keyword {
        "type" => ("{type: string}", json!("a"), json!(1)),
        "enum" => ("{type: string, enum: [a]}", json!("a"), json!("b")),
        "nullable" => ("{type: string, nullable: true}", Value::Null, json!(1)),
        "format" => ("{type: string, format: date}", json!("2026-01-31"), json!("today")),
        "minLength" => ("{type: string, minLength: 2}", json!("ab"), json!("a")),
        "maxLength" => ("{type: string, maxLength: 1}", json!("a"), json!("ab")),
        "pattern" => ("{type: string, pattern: '^a'}", json!("ab"), json!("ba")),
        "minimum" => ("{type: integer, minimum: 2}", json!(2), json!(1)),
        "maximum" => ("{type: integer, maximum: 2}", json!(2), json!(3)),
        "exclusiveMinimum" => ("{type: integer, minimum: 2, exclusiveMinimum: true}", json!(3), json!(2)),
        "exclusiveMaximum" => ("{type: integer, maximum: 2, exclusiveMaximum: true}", json!(1), json!(2)),
        "multipleOf" => ("{type: integer, multipleOf: 2}", json!(4), json!(3)),
        "items" => ("{type: array, items: {type: string}}", json!(["a"]), json!([1])),
        "minItems" => ("{type: array, items: {}, minItems: 1}", json!([1]), json!([])),
        "maxItems" => ("{type: array, items: {}, maxItems: 1}", json!([1]), json!([1, 2])),
        "uniqueItems" => ("{type: array, items: {}, uniqueItems: true}", json!([1, 2]), json!([1, 1])),
        "properties" => {
            ("{type: object, properties: {a: {type: string}}}", json!({"a": ""}), json!({"a": 1}))
        }
        "required" => {
            ("{type: object, properties: {a: {type: string}}, required: [a]}", json!({"a": ""}), json!({}))
        }
        "additionalProperties" => (
            "{type: object, properties: {a: {type: string}}, additionalProperties: false}",
            json!({"a": ""}),
            json!({"b": 1}),
        ),
        "minProperties" => ("{type: object, minProperties: 1}", json!({"a": 1}), json!({})),
        "maxProperties" => ("{type: object, maxProperties: 1}", json!({"a": 1}), json!({"a": 1, "b": 2})),
        "allOf" => ("{allOf: [{type: string}, {maxLength: 1}]}", json!("a"), json!("ab")),
        "anyOf" => ("{anyOf: [{type: string}, {type: boolean}]}", json!("a"), json!(1)),
        "oneOf" => ("{oneOf: [{type: string}, {type: boolean}]}", json!("a"), json!(1)),
        "discriminator" => (
            "{oneOf: [{$ref: '#/components/schemas/One'}, {$ref: '#/components/schemas/Two'}], discriminator: {propertyName: kind}}",
            json!({"kind": "One"}),
            json!({"kind": "Three"}),
        ),
        "not" => ("{type: string, not: {enum: [a]}}", json!("b"), json!("a")),
        "readOnly" | "writeOnly" => {
            ("{type: object, properties: {a: {type: string, readOnly: true}}}", json!({}), Value::Null)
        }
        "title" | "description" | "$comment" | "$schema" | "$id" | "$anchor" | "$dynamicAnchor"
        | "$recursiveAnchor" | "$vocabulary" | "default" | "example" | "examples" | "deprecated"
        | "externalDocs" | "xml" | "$defs" => ("{type: string}", json!("a"), Value::Null),
        "const" => ("{const: a}", json!("a"), json!("b")),
        "$dynamicRef" => (
            "{type: object, properties: {a: {$dynamicRef: '#text'}}, $defs: {t: {$dynamicAnchor: text, type: string}}}",
            json!({"a": ""}),
            json!({"a": 1}),
        ),
        "$recursiveRef" => {
            ("{type: object, properties: {a: {$recursiveRef: '#'}}}", json!({"a": {}}), json!({"a": 1}))
        }
        "prefixItems" => ("{type: array, prefixItems: [{type: string}]}", json!(["a"]), json!([1])),
        "additionalItems" => ("{type: array, items: {}, additionalItems: false}", json!([]), json!([1])),
        "unevaluatedItems" => {
            ("{type: array, items: {}, unevaluatedItems: {type: string}}", json!([]), json!([1]))
        }
        "contains" => ("{type: array, items: {}, contains: {const: 7}}", json!([7]), json!([1])),
        "minContains" => {
            ("{type: array, items: {}, contains: {const: 7}, minContains: 1}", json!([7]), json!([1]))
        }
        "maxContains" => {
            ("{type: array, items: {}, contains: {const: 7}, maxContains: 1}", json!([7]), json!([7, 7]))
        }
        "patternProperties" => (
            "{type: object, patternProperties: {'^x': {type: string}}, additionalProperties: false}",
            json!({"x": ""}),
            json!({"x": 1}),
        ),
        "propertyNames" => {
            ("{type: object, propertyNames: {maxLength: 1}}", json!({"a": 1}), json!({"ab": 1}))
        }
        "unevaluatedProperties" => (
            "{type: object, properties: {a: {}}, unevaluatedProperties: false}",
            json!({"a": 1}),
            json!({"b": 1}),
        ),
        "dependencies" => ("{type: object, dependencies: {a: [b]}}", json!({}), json!({"a": 1})),
        "dependentRequired" => ("{type: object, dependentRequired: {a: [b]}}", json!({}), json!({"a": 1})),
        "dependentSchemas" => {
            ("{type: object, dependentSchemas: {a: {required: [b]}}}", json!({}), json!({"a": 1}))
        }
        "if" | "then" | "else" => (
            "{type: object, if: {required: [a]}, then: {required: [b]}, else: {required: [c]}}",
            json!({"a": 1, "b": 1}),
            json!({"a": 1}),
        ),
        "contentEncoding" => ("{type: string, contentEncoding: base64}", json!("aGk="), json!("a!")),
        "contentMediaType" => ("{type: string, contentMediaType: text/plain}", json!("a"), Value::Null),
        "contentSchema" => ("{type: string, contentSchema: {type: integer}}", json!("1"), json!("a")),
        _ => return None,
    })
}

fn read(version: Version, schema: &str) -> Document {
    let text = format!(
        "openapi: {version}.0\ninfo: {{title: T, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n    Subject: {schema}\n    One: {{type: object, required: [kind], properties: {{kind: {{type: string}}}}}}\n    Two: {{type: object, required: [kind], properties: {{kind: {{type: string}}, b: {{}}}}}}\n"
    );
    let (document, problems) = Document::read("t.yaml", &MemoryLoader::new().with("t.yaml", text.as_str()));
    document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)))
}

#[test]
fn no_keyword_is_ignored_in_silence() {
    for keyword in KEYWORDS {
        let name = keyword.name;
        let (schema, good, bad) = sample(name).unwrap_or_else(|| panic!("`{name}` has no sample"));
        let document = read(keyword.since, schema);
        let subject =
            document.root().get("components").unwrap().get("schemas").unwrap().get("Subject").unwrap();
        let oracle = Oracle::new([subject], Direction::Request).unwrap();
        assert!(oracle.is_valid(subject, &good), "`{name}`: {good} is valid");
        let checks = matches!(keyword.oracle, Fate::Checked | Fate::Rewritten | Fate::Approximated);
        if !bad.is_null() {
            assert_eq!(
                oracle.is_valid(subject, &bad),
                !checks,
                "`{name}`: {bad}, which the table calls {:?}",
                keyword.oracle
            );
        }
        let told: Vec<String> = problems(&document, "t.yaml")
            .iter()
            .filter(|problem| problem.message.contains(&format!("`{name}`")))
            .map(|problem| problem.message.clone())
            .collect();
        let is_lost = matches!(keyword.generated, Fate::Ignored | Fate::Approximated);
        assert_eq!(
            !told.is_empty(),
            is_lost,
            "`{name}`, which the table calls {:?}: {told:?}",
            keyword.generated
        );
        assert!(!is_lost || !keyword.instead.is_empty(), "`{name}` says what to write instead");
    }
}
