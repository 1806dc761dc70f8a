//! Comparison of a document of OpenAPI 3.0 with the same one converted to 3.1 by hand: nothing differs,
//! neither in messages nor in generated code, and a change beside the conversion is found all the same.

use frontdesk_codegen::Options;
use frontdesk_codegen::interface::{Interface, differences};
use frontdesk_contract::compat::{Level, Policy, compare};
use frontdesk_document::{Document, MemoryLoader, Version};

const EARLIER: &str = include_str!("../../fixtures/versions/earlier.yaml");
const LATER: &str = include_str!("../../fixtures/versions/later.yaml");

fn read(text: &str) -> Document {
    let (document, problems) =
        Document::read_strictly("api.yaml", &MemoryLoader::new().with("api.yaml", text));
    document.unwrap_or_else(|| panic!("{}", problems.render(problems.sources(), false)))
}

fn policy() -> Policy {
    Policy::plain("2026-11-21".parse().expect("a date"))
}

fn interface(document: &Document) -> Interface {
    let options = Options::of_workspace("pets", "api.yaml");
    Interface::of(document, &options).expect("crates come of it")
}

#[test]
fn a_document_converted_by_hand_has_no_findings() {
    let (earlier, later) = (read(EARLIER), read(LATER));
    assert_eq!((earlier.version(), later.version()), (Version::V3_0, Version::V3_1));
    for (base, revision) in [(&earlier, &later), (&later, &earlier)] {
        let comparison = compare(base, revision, &policy());
        assert!(comparison.findings.is_empty(), "{:#?}", comparison.findings);
        let code = differences(&interface(base), &interface(revision));
        assert!(code.is_empty(), "{code:#?}");
    }
}

#[test]
fn a_change_beside_the_conversion_is_found() {
    for (from, to, rule) in [
        (
            "type: [string, 'null']\n          maxLength: 40",
            "type: string\n          maxLength: 40",
            "nullable",
        ),
        ("exclusiveMinimum: 0", "exclusiveMinimum: 1", "minimum"),
        ("const: pet", "const: animal", "enum-value-removed"),
    ] {
        let revision = LATER.replace(from, to);
        assert_ne!(revision, LATER, "{from}");
        let comparison = compare(&read(EARLIER), &read(&revision), &policy());
        let breaking: Vec<&str> = comparison
            .findings
            .iter()
            .filter(|finding| finding.level == Level::Breaking)
            .map(|finding| finding.rule.id)
            .collect();
        assert!(breaking.contains(&rule), "{from}: {breaking:?}");
        for finding in comparison.findings.iter().filter(|finding| finding.level == Level::Breaking) {
            assert!(finding.witness.is_some(), "{from}: {finding:#?}");
        }
    }
}

/// `const` is not a keyword of OpenAPI 3.0, but documents of it have it, and generated code reads it.
#[test]
fn a_constant_is_compared_in_documents_of_both_versions() {
    let between = |version: &str, base: &str, revision: &str| {
        let document = |schema: &str| {
            let text = format!(
                "openapi: {version}\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    post:\n      requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}\n      responses: {{'204': {{description: Done}}}}\n"
            );
            let loader = MemoryLoader::new().with("api.yaml", text);
            Document::read("api.yaml", &loader).0.expect("the document is valid")
        };
        let policy = Policy::plain("2026-11-21".parse().expect("a date"));
        compare(&document(base), &document(revision), &policy)
    };
    for version in ["3.0.3", "3.1.0"] {
        for (base, revision, breaks) in [
            ("{type: string, const: a}", "{type: string, const: b}", true),
            ("{type: string}", "{type: string, const: a}", true),
            ("{type: string, const: a}", "{type: string}", false),
            ("{type: string, enum: [a, b]}", "{type: string, const: a}", true),
            ("{type: string, const: a}", "{type: string, enum: [a, b]}", false),
            ("{type: string, const: a}", "{type: string, enum: [a]}", false),
        ] {
            let comparison = between(version, base, revision);
            assert_eq!(
                comparison.is_breaking(),
                breaks,
                "{version}: {base} to {revision}: {:#?}",
                comparison.findings
            );
        }
    }
}
