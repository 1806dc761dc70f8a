//! Every code that this crate reports, as people see it.

use std::collections::BTreeSet;

use frontdesk_document::{CODES, Diagnostic, Diagnostics, Document, LoadError, Loader, Severity, explain};

use crate::{problems, root};

/// One way to get a diagnostic: a name for its snapshot, its code, and the files, root first.
struct Case {
    name: &'static str,
    code: &'static str,
    files: Vec<(&'static str, String)>,
}

fn case(name: &'static str, code: &'static str, text: impl Into<String>) -> Case {
    case_of(name, code, [("api.yaml", text.into())])
}

fn case_of<const N: usize>(
    name: &'static str,
    code: &'static str,
    files: [(&'static str, String); N],
) -> Case {
    Case { name, code, files: files.into() }
}

/// A root with these schemas, indented by four spaces.
fn schemas(entries: &str) -> String {
    root(&format!("paths: {{}}\ncomponents:\n  schemas:\n{entries}"))
}

fn cases() -> Vec<Case> {
    let laughs: Vec<String> =
        (1..40).map(|level| format!("x-{level}: &a{level} [*a{0}, *a{0}]\n", level - 1)).collect();
    let laughs = laughs.concat();
    vec![
        case("alias_expansion", "alias-expansion", root(&format!("paths: {{}}\nx-0: &a0 [1, 2]\n{laughs}"))),
        case_of("component_name_clash", "component-name-clash", [
            (
                "api.yaml",
                schemas("    Error: {type: string}\n    Pet:\n      properties:\n        error: {$ref: 'v1/pets.yaml#/components/schemas/Error'}\n"),
            ),
            ("v1/pets.yaml", "components:\n  schemas:\n    Error: {type: object}\n".to_owned()),
        ]),
        case("duplicate_key", "duplicate-key", schemas("    Pet: {type: string}\n    Dog: {type: string}\n    Pet: {type: object}\n")),
        case_of("duplicate_key_json", "duplicate-key", [(
            "api.json",
            r#"{"openapi": "3.0.3", "info": {"title": "T", "version": "1", "t\u0069tle": "U"}, "paths": {}}"#.to_owned(),
        )]),
        case("empty_document", "empty-document", "# nothing yet\n"),
        case("empty_document_without_text", "empty-document", ""),
        case("file_too_large", "file-too-large", root("paths: {}\n") + &"#".repeat(33 << 20)),
        case("invalid_character", "invalid-character", root("paths: {}\nx-a: b\u{0}c\n")),
        case_of("invalid_json_comma", "invalid-json", [("api.json", "{\n  \"openapi\": \"3.0.3\",\n}\n".to_owned())]),
        case_of("invalid_json_open", "invalid-json", [("api.json", "{\"openapi\": \"3.0.3\", \"paths\": {".to_owned())]),
        case_of("invalid_json_text", "invalid-json", [("api.json", "openapi: 3.0.3\n".to_owned())]),
        case_of("invalid_json_window", "invalid-json", [(
            "api.json",
            format!("{{\"openapi\": \"3.0.3\", \"x-a\": [{}é, {}]}}", "\"é\", ".repeat(9000), "\"b\", ".repeat(300)),
        )]),
        case("invalid_merge_key", "invalid-merge-key", root("paths: {}\nx-a: &a [1]\nx-b: {<<: *a}\nx-c: {<<: text}\n")),
        case("invalid_reference", "invalid-reference", schemas("    A: {$ref: '#Pet'}\n    B: {$ref: 12}\n    C: {$ref: ''}\n    D: {$ref: '#/a~2'}\n    E: {$ref: '#/%2'}\n")),
        case("invalid_value_version", "invalid-value", "openapi: 3.0.3\ninfo: {title: T, version: 1.0}\npaths: []\ncomponents: text\n"),
        case("invalid_value_openapi", "invalid-value", "openapi: 3.0\ninfo: {title: T, version: '1'}\npaths: {}\n"),
        case("invalid_value_root", "invalid-value", "- openapi: 3.0.3\n"),
        case("invalid_yaml_tab", "invalid-yaml", "openapi: 3.0.3\ninfo:\n\ttitle: T\n"),
        case("invalid_yaml_indentation", "invalid-yaml", "openapi: 3.0.3\ninfo:\n    title: T\n  version: 1\n"),
        case("invalid_yaml_colon", "invalid-yaml", "openapi: 3.0.3\ninfo:\n  title: Pets: the API\n"),
        case("invalid_yaml_at", "invalid-yaml", "openapi: 3.0.3\ninfo:\n  title: @pets\n"),
        case("invalid_yaml_anchor", "invalid-yaml", "openapi: 3.0.3\ninfo: *info\n"),
        case("invalid_yaml_quote", "invalid-yaml", "openapi: 3.0.3\ninfo: {title: \"T}\n"),
        case("misplaced_reference", "misplaced-reference", "openapi: 3.0.3\ninfo: {$ref: info.yaml}\npaths: {$ref: paths.yaml}\ncomponents:\n  schemas: {$ref: schemas.yaml}\n  parameters:\n    A: {schema: {properties: {$ref: p.yaml}, allOf: {$ref: l.yaml}}}\n"),
        case("missing_field", "missing-field", "paths: {}\n"),
        case("missing_field_info", "missing-field", "openapi: 3.0.3\npaths: {}\n"),
        case("missing_field_version", "missing-field", "openapi: 3.0.3\ninfo: {title: T}\npaths: {}\n"),
        case("missing_paths", "missing-paths", root("")),
        case_of("path_item_siblings", "path-item-siblings", [
            ("api.yaml", root("paths:\n  /a:\n    $ref: a.yaml\n    parameters: []\n  /b:\n    $ref: a.yaml\n    summary: B\n")),
            ("a.yaml", "get: {responses: {'204': {description: None}}}\n".to_owned()),
        ]),
        case("recursive_alias", "recursive-alias", root("paths: {}\nx-a: &a {b: [*a]}\n")),
        case("reference_cycle", "reference-cycle", schemas("    A: {$ref: '#/components/schemas/B'}\n    B: {$ref: '#/components/schemas/C'}\n    C: {$ref: '#/components/schemas/A'}\n    D: {$ref: '#/components/schemas/D'}\n    E: {$ref: '#/components/schemas/A'}\n")),
        case("reference_cycle_pointer", "reference-cycle", schemas("    A: {$ref: '#/components/schemas/A/properties/b'}\n")),
        case_of("reference_cycle_files", "reference-cycle", [
            ("api.yaml", schemas("    A: {$ref: b.yaml}\n")),
            ("b.yaml", "$ref: 'api.yaml#/components/schemas/A'\n".to_owned()),
        ]),
        case("reference_siblings", "reference-siblings", schemas("    Pet: {type: object}\n    A:\n      $ref: '#/components/schemas/Pet'\n      nullable: true\n      description: Mine\n    B:\n      description: Only described\n      $ref: '#/components/schemas/Pet'\n")),
        case("remote_reference", "remote-reference", schemas("    A: {$ref: 'https://example.com/pets.yaml#/Pet'}\n")),
        case("remote_reference_link", "remote-reference", root("paths: {}\ncomponents:\n  links:\n    A: {operationRef: 'https://example.com/#/paths/~1a/get'}\n")),
        case("several_documents", "several-documents", root("paths: {}\n") + "---\nopenapi: 3.0.3\n"),
        case_of("too_deep", "too-deep", [("api.json", "[".repeat(300))]),
        case_of("unreadable_file", "unreadable-file", [("api.yaml", schemas("    A: {$ref: 'missing.yaml#/A'}\n    B: {$ref: 'missing.yaml#/B'}\n    C: {$ref: '../secret.yaml'}\n"))]),
        case("unknown_dialect", "unknown-dialect", "openapi: 3.1.0\ninfo: {title: T, version: '1'}\njsonSchemaDialect: https://example.com/schema\npaths: {}\n"),
        case("version_mismatch", "version-mismatch", schemas("    A: {type: [string, 'null'], minLength: 1}\n    B: {type: integer, exclusiveMinimum: 3}\n")),
        case("version_mismatch_31", "version-mismatch", "openapi: 3.1.0\ninfo: {title: T, version: '1'}\ncomponents:\n  schemas:\n    A: {type: string, nullable: true}\n    B: {type: integer, minimum: 3, exclusiveMinimum: true}\n"),
        case("invalid_yaml_flow", "invalid-yaml", root("paths: {}\nx-a:\n  b: {\n    c: 1\n }\n  d: [\n 1,\n]\n")),
        case_of("unreadable_file_text", "invalid-yaml", [
            ("api.yaml", schemas("    A: {$ref: 'b.yaml#/A'}\n    B: {$ref: 'b.yaml#/B'}\n")),
            ("b.yaml", "A: {type: string\n".to_owned()),
        ]),
        case("unrepresentable_number", "unrepresentable-number", schemas("    A: {type: number, maximum: .inf}\n")),
        case_of("unrepresentable_number_json", "unrepresentable-number", [("api.json", "{\"openapi\": \"3.0.3\", \"info\": {\"title\": \"T\", \"version\": \"1\"}, \"paths\": {}, \"x-a\": [1e400, -1e999]}".to_owned())]),
        case_of("unresolved_reference", "unresolved-reference", [
            (
                "api.yaml",
                schemas("    Pet: {type: object}\n    A: {$ref: '#/components/schemas/Pett'}\n    B: {$ref: '#/components/schemas/Error'}\n    C: {$ref: 'b.yaml#/Dgo'}\n    D: {$ref: '#/component/schemas/Pet'}\n    E: {$ref: '#/info/title/x'}\n    F:\n      oneOf: []\n      discriminator: {propertyName: a, mapping: {x: Peet}}\n    G: {$ref: '#/components/schemas/F/oneOf/0'}\n")
                    + "  responses:\n    Error: {description: Wrong}\n",
            ),
            ("b.yaml", "Dog: {type: object}\n".to_owned()),
        ]),
        case_of("unresolved_operation", "unresolved-reference", [
            ("api.yaml", root("paths: {}\ncomponents:\n  links:\n    A: {operationRef: 'b.yaml#/paths/~1a/get'}\n")),
            ("b.yaml", "paths: {/a: {get: {responses: {'204': {description: ok}}}}}\n".to_owned()),
        ]),
        case("unsupported_key", "unsupported-key", root("paths: {}\nx-a: {? [1, 2] : b}\n")),
        case("unsupported_key_empty", "unsupported-key", root("paths: {}\nx-a:\n  : b\n")),
        case("unsupported_tag", "unsupported-tag", root("paths: {}\nx-a: !include a.yaml\n")),
        case("unsupported_tag_value", "unsupported-tag", root("paths: {}\nx-a: !!int twelve\n")),
        case("unsupported_version_swagger", "unsupported-version", "swagger: \"2.0\"\ninfo: {title: T, version: '1'}\n"),
        case("unsupported_version_32", "unsupported-version", "openapi: 3.2.0\ninfo: {title: T, version: '1'}\n"),
        case("unsupported_version_short", "unsupported-version", "openapi: '3.1'\ninfo: {title: T, version: '1'}\npaths: {}\n"),
        case("unsupported_version_other", "unsupported-version", "openapi: latest\ninfo: {title: T, version: '1'}\n"),
        case("wrong_reference_target", "wrong-reference-target", schemas("    A: {$ref: '#/components/parameters/P'}\n    B: {$ref: '#/info/title'}\n") + "  parameters:\n    P: {name: p, in: query, schema: {type: string}}\n"),
    ]
}

/// The files of a case, and one folder that documents may not read.
struct Files(Vec<(&'static str, String)>);

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        if path.starts_with("../") {
            return Err(LoadError::Refused("it is outside the folder of the document".to_owned()));
        }
        let found = self.0.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| text.clone()).ok_or(LoadError::NotFound)
    }
}

/// What reading and bundling the files of a case reports.
fn report(case: Case) -> Diagnostics {
    let path = case.files[0].0;
    let (document, mut diagnostics) = Document::read(path, &Files(case.files));
    if let Some(document) = document {
        diagnostics.append(document.bundle().diagnostics().clone());
    }
    diagnostics
}

#[test]
fn every_code_is_shown_and_explained() {
    let mut covered = BTreeSet::new();
    for case in cases() {
        let (name, code) = (case.name, case.code);
        let diagnostics = report(case);
        assert!(diagnostics.iter().any(|problem| problem.code == code), "{name} does not report {code}");
        covered.extend(diagnostics.iter().map(|problem| problem.code));
        insta::assert_snapshot!(name, diagnostics.render(diagnostics.sources(), false));
    }
    let known: BTreeSet<&str> = CODES.iter().map(|explanation| explanation.code).collect();
    assert_eq!(covered, known, "codes without a case, or cases without a code");
    assert!(known.iter().all(|code| explain(code).is_some_and(|text| text.len() > 40)));
    assert_eq!(explain("no-such-code"), None);
}

/// The problems that a document is refused for however tolerantly it is read.
const FATAL: [&str; 18] = [
    "alias-expansion",
    "empty-document",
    "file-too-large",
    "invalid-character",
    "invalid-json",
    "invalid-merge-key",
    "invalid-value",
    "invalid-yaml",
    "missing-field",
    "recursive-alias",
    "several-documents",
    "too-deep",
    "unsupported-key",
    "unsupported-tag",
    "unsupported-version",
    "component-name-clash",
    "unreadable-file",
    "reference-cycle",
];

#[test]
fn strictness_refuses_what_is_tolerated_without_it() {
    let warnings = ["component-name-clash", "missing-paths", "reference-siblings", "unknown-dialect"];
    for case in cases() {
        let (name, path) = (case.name, case.files[0].0);
        let files = Files(case.files);
        let (tolerant, told) = Document::read(path, &files);
        let (strict, refused) = Document::read_strictly(path, &files);
        assert_eq!(tolerant.is_none(), told.has_errors(), "{name}");
        let fatal = told.iter().all(|problem| FATAL.contains(&problem.code));
        assert!(tolerant.is_some() || fatal, "{name}: {}", told.render(told.sources(), false));
        let harmless = told.iter().all(|problem| {
            warnings.contains(&problem.code)
                || name == "remote_reference_link"
                || name == "unresolved_operation"
                || problem.severity == Severity::Note
        });
        assert_eq!(strict.is_some(), harmless, "{name}: {}", refused.render(refused.sources(), false));
        for problem in told.iter().filter(|problem| problem.severity == Severity::Warning && !harmless) {
            assert!(
                warnings.contains(&problem.code) || !problem.notes.is_empty(),
                "{name}: {} does not say how the place is read",
                problem.code
            );
        }
    }
}

#[test]
fn codes_are_unique_and_sorted() {
    let codes: Vec<&str> = CODES.iter().map(|explanation| explanation.code).collect();
    let sorted: BTreeSet<&str> = codes.iter().copied().collect();
    assert_eq!(codes, sorted.into_iter().collect::<Vec<_>>());
}

#[test]
fn places_far_apart_have_excerpts_of_their_own() {
    let padding = "    # nothing\n".repeat(500);
    let text = schemas(&format!("    Pet: {{type: object}}\n{padding}    Pet: {{type: string}}\n"));
    let diagnostics = problems(&[("api.yaml", &text)]);
    insta::assert_snapshot!(diagnostics.render(diagnostics.sources(), false));
}

#[test]
fn color_only_adds_escapes() {
    let diagnostics = problems(&[("api.yaml", &schemas("    A: {$ref: '#/nowhere'}\n"))]);
    let (plain, colored) =
        (diagnostics.render(diagnostics.sources(), false), diagnostics.render(diagnostics.sources(), true));
    assert!(colored.contains('\u{1B}') && !plain.contains('\u{1B}'));
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some((before, after)) = rest.split_once('\u{1B}') {
        stripped.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

#[test]
fn escapes_in_a_document_do_not_reach_the_terminal() {
    let text = schemas("    \"A\\e[31m\": {$ref: \"#/no\\e[31m\\nwhere\"}\n");
    let diagnostics = problems(&[("api.yaml", &text)]);
    assert!(!diagnostics.is_empty());
    assert!(!diagnostics.render(diagnostics.sources(), false).contains('\u{1B}'));
}

#[test]
fn problems_are_sorted_by_place_and_not_repeated() {
    let text = schemas(
        "    B: {$ref: '#/b'}\n    A: {$ref: '#/a'}\n    Base: &base {properties: {x: {$ref: '#/x'}}}\n    Copy: *base\n",
    );
    let diagnostics = problems(&[("api.yaml", &text)]);
    let lines: Vec<u32> = diagnostics.iter().map(|problem| problem.primary.span.start.line).collect();
    assert_eq!(lines, [6, 7, 8]);
}

#[test]
fn a_diagnostic_of_a_later_stage_is_built_and_shown_alike() {
    let document =
        crate::document(&[("api.yaml", &schemas("    Pet: {type: object}\n    Dog: {type: object}\n"))]);
    let schemas = document.root().get("components").and_then(|components| components.get("schemas")).unwrap();
    let (pet, dog) = (schemas.get("Pet").unwrap(), schemas.get("Dog").unwrap());
    let mut diagnostics = document.diagnostics();
    diagnostics.push(
        Diagnostic::warning("late", dog.span(), "something about dogs")
            .label("this one")
            .related(pet.key_span(), "unlike this")
            .note("dogs are pets")
            .hint("write a cat"),
    );
    diagnostics.push(Diagnostic::remark("early", pet.key_span(), "something about pets"));
    assert_eq!(
        diagnostics.iter().map(|problem| problem.severity).collect::<Vec<_>>(),
        [Severity::Warning, Severity::Note]
    );
    insta::assert_snapshot!(diagnostics.render(document.sources(), false));
}
