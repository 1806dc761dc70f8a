//! Changes of keywords of JSON Schema 2020-12, which generated code does not check: never compatible in
//! silence.

use frontdesk_contract::compat::{Comparison, Level, Policy, Witness, compare};
use frontdesk_document::{Document, MemoryLoader};

fn read(text: &str) -> Document {
    let (document, problems) = Document::read("api.yaml", &MemoryLoader::new().with("api.yaml", text));
    document.unwrap_or_else(|| panic!("{}\n{text}", problems.render(problems.sources(), false)))
}

fn between(base: &str, revision: &str) -> Comparison {
    compare(&read(base), &read(revision), &Policy::plain("2026-11-21".parse().expect("a date")))
}

/// Returns a document whose only operation has a request or a response with values of a schema.
fn document(schema: &str, is_request: bool) -> String {
    let content = format!("{{content: {{application/json: {{schema: {schema}}}}}, description: A body}}");
    let (body, answer) = if is_request {
        (format!("requestBody: {content}, "), "{description: Done}".to_owned())
    } else {
        (String::new(), content)
    };
    format!(
        "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    post: {{{body}responses: {{'200': {answer}}}}}\n"
    )
}

fn level(base: &str, revision: &str, is_request: bool) -> Level {
    let comparison = between(&document(base, is_request), &document(revision, is_request));
    for finding in &comparison.findings {
        let is_proven =
            finding.level != Level::Breaking || matches!(finding.witness, Some(Witness::Value { .. }));
        assert!(is_proven, "no witness: {base} to {revision}: {finding:#?}");
    }
    comparison.findings.iter().map(|finding| finding.level).min().unwrap_or(Level::Safe)
}

/// Where a value decides, requests that allow less and responses that allow more are breaking.
#[test]
fn what_a_value_decides_is_breaking() {
    for (wide, narrow) in [
        ("{type: array}", "{type: array, prefixItems: [{type: string}]}"),
        (
            "{type: array, items: {type: integer}}",
            "{type: array, items: {type: integer}, contains: {const: 7}}",
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: string}}}",
            "{type: object, properties: {a: {type: string}, b: {type: string}}, dependentRequired: {a: [b]}}",
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: string}}}",
            "{type: object, properties: {a: {type: string}, b: {type: string}}, dependentSchemas: {a: {required: [b]}}}",
        ),
        (
            "{type: object, properties: {a: {type: string}, b: {type: string}}}",
            "{type: object, properties: {a: {type: string}, b: {type: string}}, if: {required: [a]}, then: {required: [b]}}",
        ),
    ] {
        assert_eq!(level(wide, narrow, true), Level::Breaking, "{narrow}");
        assert_eq!(level(narrow, wide, true), Level::Safe, "{narrow}");
        assert_eq!(level(narrow, wide, false), Level::Breaking, "{narrow}");
        assert_eq!(level(wide, narrow, false), Level::Safe, "{narrow}");
        assert_eq!(level(narrow, narrow, true), Level::Safe, "{narrow}");
    }
}

/// A keyword that was changed is breaking in the direction in which a value decides, and undecided in the
/// other.
#[test]
fn a_changed_keyword_is_never_safe() {
    let wide = "{type: array, prefixItems: [{type: string}]}";
    let narrow = "{type: array, prefixItems: [{type: string, maxLength: 2}]}";
    assert_eq!(level(wide, narrow, true), Level::Breaking);
    assert_eq!(level(narrow, wide, true), Level::Undecided);
}

/// What no value decides is undecided.
#[test]
fn what_no_value_decides_is_undecided() {
    for (wide, narrow) in [
        ("{type: object}", "{type: object, propertyNames: {pattern: '^[a-z]+$'}}"),
        (
            "{type: object, allOf: [{properties: {a: {}}}]}",
            "{type: object, allOf: [{properties: {a: {}}}], unevaluatedProperties: false}",
        ),
        ("{type: array}", "{type: array, contains: {const: 1}, minContains: 0, maxContains: 2}"),
        (
            "{type: string}",
            "{type: string, contentMediaType: application/json, contentSchema: {type: object}}",
        ),
    ] {
        assert_eq!(level(wide, narrow, true), Level::Undecided, "{narrow}");
        assert_eq!(level(narrow, wide, true), Level::Safe, "{narrow}");
        assert_eq!(level(narrow, wide, false), Level::Undecided, "{narrow}");
        assert_eq!(level(wide, narrow, false), Level::Safe, "{narrow}");
    }
}

/// A document of 3.0 keeps keywords of later versions, which the reader of a document of 3.1 replaces.
#[test]
fn keywords_of_later_versions_count_in_earlier_documents() {
    let earlier = |schema: &str| document(schema, true).replace("openapi: 3.1.0", "openapi: 3.0.3");
    for (base, revision) in [
        ("{type: string, const: a}", "{type: string, const: b}"),
        ("{type: object, properties: {a: {}}}", "{type: object, properties: {a: {$recursiveRef: '#'}}}"),
    ] {
        let findings = between(&earlier(base), &earlier(revision)).findings;
        assert!(findings.iter().any(|finding| finding.level != Level::Safe), "{revision}: {findings:#?}");
    }
}

/// A parameter that may be repeated takes the single value of earlier clients.
#[test]
fn a_scalar_of_a_query_may_become_a_repeated_parameter() {
    let document = |schema: &str, more: &str| {
        format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    get:\n      parameters: [{{name: q, in: query, schema: {schema}{more}}}]\n      responses: {{'204': {{description: Done}}}}\n"
        )
    };
    let worst = |base: &str, revision: &str| {
        let findings = between(base, revision).findings;
        findings.iter().map(|finding| finding.level).min().unwrap_or(Level::Safe)
    };
    let scalar = document("{type: string}", "");
    let list = "{type: array, items: {type: string}}";
    assert_eq!(worst(&scalar, &document(list, "")), Level::Safe);
    assert_eq!(worst(&scalar, &document(list, ", style: form, explode: true")), Level::Safe);
    for (schema, more) in [
        (list, ", explode: false"),
        ("{type: array, items: {type: integer}}", ""),
        ("{type: array, items: {type: string}, minItems: 2}", ""),
    ] {
        assert_eq!(worst(&scalar, &document(schema, more)), Level::Breaking, "{schema}{more}");
    }
    assert_eq!(worst(&document(list, ""), &scalar), Level::Breaking);
}
