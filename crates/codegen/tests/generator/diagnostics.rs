//! The documents of `err/`: one for every code, with what a person sees who generates from it.

use std::collections::BTreeSet;

use frontdesk_codegen::{CODES, GenerateError, Nature, Options, generate, nature};
use frontdesk_document::{CODES as DOCUMENT_CODES, Diagnostics, Document, MemoryLoader, Severity};

use crate::fixtures::{self, BLESS, blessing, folders, options, root, workspace};

const EXPECTED: &str = "expected.txt";

fn codes() -> BTreeSet<String> {
    CODES.iter().map(|explanation| explanation.code.to_owned()).collect()
}

/// What generating from a document says, warnings of a document that is taken included.
fn told(code: &str) -> Diagnostics {
    let loader = fixtures::loader(&root().join("err").join(code));
    let (document, mut diagnostics) = Document::read("openapi.yaml", &loader);
    let document =
        document.unwrap_or_else(|| panic!("{code}: {}", diagnostics.render(diagnostics.sources(), false)));
    diagnostics.append(match generate(&document, &options("fixture", "openapi.yaml")) {
        Ok(generated) => generated.warnings,
        Err(GenerateError::Refused(problems)) => problems,
        Err(error) => panic!("{code}: {error}"),
    });
    diagnostics
}

#[test]
fn every_code_has_a_fixture_and_every_fixture_a_code() {
    let fixtures: BTreeSet<String> = folders(&root().join("err")).into_iter().collect();
    assert_eq!(fixtures, codes());
}

#[test]
fn every_code_of_the_reader_has_a_snapshot_in_its_own_tests() {
    let folder = workspace().join("crates/document/tests/document/snapshots");
    let shown: String = fixtures::files(&folder).into_iter().map(|(_, text)| text).collect();
    for explanation in DOCUMENT_CODES {
        let code = format!("[{}]", explanation.code);
        assert!(shown.contains(&code), "no snapshot of the document crate shows {code}");
    }
}

#[test]
fn every_fixture_causes_its_code_and_nothing_else() {
    for code in folders(&root().join("err")) {
        let diagnostics = told(&code);
        let caused: BTreeSet<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(caused.into_iter().collect::<Vec<_>>(), [code.as_str()]);
        for diagnostic in &diagnostics {
            assert!(diagnostic.hint.is_some(), "{code}: says no way out");
            let message = &diagnostic.message;
            assert!(!message.ends_with('.'), "{code}: `{message}` is a fragment");
            assert!(!message.starts_with(char::is_uppercase), "{code}: `{message}` is a fragment");
        }
    }
}

/// What is read in another way than it is written, or is not checked, is told: in a document with these
/// schemas, and this member of its only operation, these codes.
#[test]
fn nothing_is_changed_in_silence() {
    let cases = [
        ("A: {type: object, required: [1], properties: {1: {type: string}}}", "", &["invalid-value"][..]),
        ("A: {$ref: '#'}", "", &["wrong-reference-target"]),
        ("A: {$ref: '#/info'}", "", &["wrong-reference-target"]),
        ("A: {$ref: '#/components/schemas'}", "", &["wrong-reference-target"]),
        ("A: {type: []}", "", &["unknown-type"]),
        ("A: {minLength: 3, minimum: 2}", "", &["bound-ignored", "implied-type"]),
        ("A: {type: integer, multipleOf: 1.5}", "", &[]),
        ("A: {type: integer, minimum: 18446744073709551616}", "", &["bound-ignored"]),
        ("", "tags: [2024]", &["invalid-value"]),
        ("", "parameters: [{name: X Y, in: header, schema: {type: string}}]", &["invalid-parameter"]),
        (
            "",
            "parameters: [{name: a, in: query, schema: {type: string, format: date, default: today}}]",
            &["default-mismatch"],
        ),
        (
            "",
            "parameters: [{name: a, in: query, schema: {type: string, format: date, default: '2024-02-29'}}]",
            &[],
        ),
        ("", "requestBody: {content: {'*/*': {schema: {type: string, minLength: 3}}}}", &["text-unchecked"]),
        (
            "",
            "requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: object, \
             properties: {b: {type: string}}}}}, encoding: {a: {contentType: application/xml}}}}}",
            &["part-ignored"],
        ),
        (
            "",
            "requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: array, \
             items: {type: string}}}}, encoding: {a: {style: pipeDelimited}}}}}",
            &["part-ignored"],
        ),
    ];
    for (schema, member, expected) in cases {
        let text = format!(
            "openapi: 3.1.0\ninfo: {{title: T, version: '1'}}\npaths:\n  /a:\n    post:\n      operationId: a\n      \
             {member}\n      responses: {{'204': {{description: Done.}}}}\ncomponents:\n  schemas:\n    {schema}\n"
        );
        let loader = MemoryLoader::new().with("openapi.yaml", &*text);
        let (document, mut told) = Document::read("openapi.yaml", &loader);
        let generated = generate(&document.unwrap(), &options("fixture", "openapi.yaml")).unwrap();
        told.append(generated.warnings);
        let codes: BTreeSet<&str> = told.iter().map(|problem| problem.code).collect();
        assert_eq!(Vec::from_iter(codes), expected, "{text}");
    }
}

#[test]
fn strictness_refuses_every_defect_and_nothing_else() {
    for code in folders(&root().join("err")) {
        let loader = fixtures::loader(&root().join("err").join(&code));
        let (document, _) = Document::read_strictly("openapi.yaml", &loader);
        let strict = Options { strict: true, ..options("fixture", "openapi.yaml") };
        let refused = generate(&document.unwrap(), &strict).is_err();
        let warned = told(&code).iter().any(|problem| problem.severity == Severity::Warning);
        assert_eq!(refused, warned && nature(&code) == Some(Nature::Defect), "{code}");
    }
}

#[test]
fn no_document_is_refused_that_useful_crates_can_come_of() {
    for code in folders(&root().join("err")) {
        assert!(!told(&code).has_errors(), "{code}");
    }
}

#[test]
fn diagnostics_read_as_expected() {
    let mut differing = String::new();
    for code in folders(&root().join("err")) {
        let diagnostics = told(&code);
        let text = diagnostics.render(diagnostics.sources(), false);
        assert!(text.contains("openapi.yaml:") && text.contains('^'), "{code} shows no place:\n{text}");
        let place = root().join("err").join(&code).join(EXPECTED);
        if blessing() {
            fs_err::write(place, text).unwrap();
            continue;
        }
        let expected = fs_err::read_to_string(&place).unwrap_or_default();
        if expected != text {
            let diff = similar::TextDiff::from_lines(&expected, &text);
            let shown = format!("tests/fixtures/err/{code}/{EXPECTED}");
            differing.push_str(&diff.unified_diff().header(&shown, "told now").to_string());
        }
    }
    assert!(differing.is_empty(), "\n{differing}\nhint: read it, then run `{BLESS}`");
}

#[test]
fn explanations_are_sentences_of_their_own() {
    let mut seen = BTreeSet::new();
    for explanation in CODES.iter().chain(DOCUMENT_CODES) {
        let (code, text) = (explanation.code, explanation.text);
        assert!(seen.insert(code), "{code} is explained twice");
        assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{code}");
        assert!(text.ends_with(['.', ')']) && text.len() > 40, "{code}: {text}");
    }
}
