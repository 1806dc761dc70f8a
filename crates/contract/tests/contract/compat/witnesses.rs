//! Tests of witnesses of documents with several changes: each proves its own finding alone.

use frontdesk_contract::compat::{Finding, Level, Policy, Witness, compare};
use frontdesk_contract::{Direction, Oracle};
use frontdesk_document::{Document, MemoryLoader, NodeRef};
use serde_json::Value;

fn read(schema: &str) -> Document {
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    post:\n      requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}\n      responses: {{'204': {{description: Done}}}}\n"
    );
    let (document, problems) =
        Document::read("api.yaml", &MemoryLoader::new().with("api.yaml", text.as_str()));
    document.unwrap_or_else(|| panic!("{}\n{text}", problems.render(problems.sources(), false)))
}

fn breaking(base: &str, revision: &str) -> Vec<Finding> {
    let policy = Policy::plain("2026-11-21".parse().expect("a date"));
    let comparison = compare(&read(base), &read(revision), &policy);
    comparison.findings.into_iter().filter(|finding| finding.level == Level::Breaking).collect()
}

fn schema(document: &Document) -> Option<NodeRef<'_>> {
    let body = document.root().get("paths")?.get("/things")?.get("post")?.get("requestBody")?;
    body.get("content")?.get("application/json")?.get("schema")
}

fn allows(text: &str, value: &Value) -> bool {
    let document = read(text);
    let schema = schema(&document).expect("a schema");
    Oracle::new([schema], Direction::Request).expect("a sound schema").is_valid(schema, value)
}

/// Each case is a base, and two revisions of it with one change each that belong together in a third.
#[test]
fn a_witness_is_refused_for_its_own_change_alone() {
    for (base, one, other, both) in [
        (
            "{type: object, required: [a, b], properties: {a: {type: string, maxLength: 10}, b: {type: string, maxLength: 10}}}",
            "{type: object, required: [a, b], properties: {a: {type: string, maxLength: 5}, b: {type: string, maxLength: 10}}}",
            "{type: object, required: [a, b], properties: {a: {type: string, maxLength: 10}, b: {type: string, maxLength: 5}}}",
            "{type: object, required: [a, b], properties: {a: {type: string, maxLength: 5}, b: {type: string, maxLength: 5}}}",
        ),
        (
            "{type: object, properties: {a: {}, b: {}}}",
            "{type: object, required: [a], properties: {a: {}, b: {}}}",
            "{type: object, required: [b], properties: {a: {}, b: {}}}",
            "{type: object, required: [a, b], properties: {a: {}, b: {}}}",
        ),
        (
            "{type: object, required: [a], properties: {a: {type: string}}}",
            "{type: object, required: [a], properties: {a: {type: string, maxLength: 5}}}",
            "{type: object, required: [a], properties: {a: {type: string, pattern: '^x'}}}",
            "{type: object, required: [a], properties: {a: {type: string, maxLength: 5, pattern: '^x'}}}",
        ),
        (
            "{type: object, required: [a], properties: {a: {type: string, enum: [x, y]}, b: {type: integer}}}",
            "{type: object, required: [a], properties: {a: {type: string, enum: [x]}, b: {type: integer}}}",
            "{type: object, required: [a], properties: {a: {type: string, enum: [x, y]}, b: {type: string}}}",
            "{type: object, required: [a], properties: {a: {type: string, enum: [x]}, b: {type: string}}}",
        ),
        (
            "{type: object, required: [list], properties: {list: {type: array, items: {type: string}}}}",
            "{type: object, required: [list], properties: {list: {type: array, maxItems: 3, items: {type: string}}}}",
            "{type: object, required: [list], properties: {list: {type: array, items: {type: string, minLength: 2}}}}",
            "{type: object, required: [list], properties: {list: {type: array, maxItems: 3, items: {type: string, minLength: 2}}}}",
        ),
    ] {
        let ids = |revision: &str| -> Vec<String> {
            breaking(base, revision).into_iter().map(|finding| finding.id).collect()
        };
        let found = breaking(base, both);
        for (own, foreign) in [(one, other), (other, one)] {
            let wanted = ids(own);
            let own_findings = found.iter().filter(|finding| wanted.contains(&finding.id));
            let mut count = 0;
            for finding in own_findings {
                count += 1;
                let Some(Witness::Value { value, .. }) = &finding.witness else { panic!("{finding:#?}") };
                assert!(allows(base, value), "{value} in {base}");
                assert!(!allows(own, value), "{value} in {own}");
                assert!(allows(foreign, value), "{value} in {foreign}: {finding:#?}");
            }
            assert!(count > 0, "{wanted:?} in {found:#?}");
        }
    }
}
