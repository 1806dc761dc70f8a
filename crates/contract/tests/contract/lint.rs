//! Tests of every lint rule with two documents: one that passes, and one that violates only this rule.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frontdesk_codegen::problems;
use frontdesk_contract::lint::{EARLIER, Findings, Level, RULES, Rule, Scope, Settings, lint, report, rule};
use frontdesk_document::{Document, Loader, MemoryLoader};

use crate::folder::Folder;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lint")
}

fn judged(path: &str, loader: &dyn Loader, settings: &Settings) -> Findings {
    let (document, read) = Document::read(path, loader);
    let document = document.unwrap_or_else(|| panic!("{}", read.render(read.sources(), false)));
    lint(&document, &[&read, &problems(&document, "")], settings)
}

fn settings(rule: &Rule) -> Settings {
    match rule.scope {
        Scope::Project => Settings::project(),
        Scope::Common => Settings::common(),
        Scope::Asked => Settings::common().with(rule.id, Some(rule.level)).expect("it is a rule"),
    }
}

fn names(folder: &Path) -> BTreeSet<String> {
    fs_err::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_rule_has_its_fixtures_and_no_fixture_is_of_another() {
    let folders = names(&fixtures());
    for rule in RULES {
        assert!(folders.contains(rule.id), "tests/fixtures/lint/{} is missing", rule.id);
    }
    for folder in &folders {
        assert!(rule(folder).is_some(), "tests/fixtures/lint/{folder} is of no rule");
        let files = names(&fixtures().join(folder));
        assert!(files.contains("ok.yaml") && files.contains("err.yaml"), "{folder}: {files:?}");
    }
}

#[test]
fn each_pair_of_fixtures_passes_and_violates_only_its_rule() {
    let mut told = String::new();
    for id in names(&fixtures()) {
        let rule = rule(&id).unwrap();
        let folder = Folder(fixtures().join(&id));
        let ok = judged("ok.yaml", &folder, &settings(rule));
        assert!(!ok.fails(true), "{id}/ok.yaml\n{}", report::text(&ok, true));
        let err = judged("err.yaml", &folder, &settings(rule));
        let text = report::text(&err, true);
        assert!(!err.list.is_empty(), "{id}/err.yaml breaks nothing");
        assert!(err.list.iter().all(|finding| finding.rule == rule), "{id}/err.yaml\n{text}");
        assert_eq!(err.fails(false), rule.level == Level::Error, "{id}");
        assert!(err.list.iter().all(|finding| !finding.hint.is_empty()), "{id}/err.yaml\n{text}");
        told.push_str(&text);
        told.push('\n');
    }
    insta::assert_snapshot!("rules", told);
}

#[test]
fn problems_of_the_generator_are_reported_as_rules() {
    let generator = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/err");
    let own = names(&fixtures());
    for rule in EARLIER.iter().filter(|rule| !own.contains(rule.id)) {
        let folder = Folder(generator.join(rule.id));
        let findings = judged("openapi.yaml", &folder, &Settings::common());
        let found = findings.list.iter().find(|finding| finding.rule == *rule);
        let found = found.unwrap_or_else(|| panic!("{}\n{}", rule.id, report::text(&findings, true)));
        assert!(found.location.line > 0 && found.location.pointer.starts_with('#'), "{found:?}");
    }
}

/// Unusual documents, and the seeds of the fuzzer.
#[test]
fn unusual_documents_do_not_panic() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut judged = 0;
    for parent in ["tests/fixtures/ok", "tests/fixtures/err", "crates/codegen/fuzz"] {
        for name in names(&workspace.join(parent)) {
            let folder = workspace.join(parent).join(name);
            if !folder.is_dir() {
                continue;
            }
            for file in names(&folder) {
                let (document, read) = Document::read(&file, &Folder(folder.clone()));
                let Some(document) = document else { continue };
                let findings = lint(&document, &[&read, &problems(&document, "")], &Settings::project());
                assert!(!report::text(&findings, true).is_empty());
                judged += 1;
            }
        }
    }
    assert!(judged > 80, "{judged}");
}

fn pets(text: &str) -> MemoryLoader {
    let head = "openapi: 3.0.3\ninfo: {title: Pets, version: '1', description: Keeps pets.}\n";
    MemoryLoader::new().with("pets.yaml", format!("{head}{text}"))
}

/// `nullable` beside a `$ref` is reported once, in terms of what is written; what the hint says is clean.
#[test]
fn nullable_beside_a_reference_is_reported_once() {
    let pet = "Pet: {type: object, description: A pet.}";
    let reference = "$ref: '#/components/schemas/Pet'";
    for (schema, rules) in [
        (format!("{reference}, nullable: true"), vec!["reference-siblings"]),
        (format!("allOf: [{{{reference}}}], nullable: true"), vec!["nullable-composed"]),
        (format!("anyOf: [{{{reference}}}, {{type: object, nullable: true, enum: [null]}}]"), Vec::new()),
    ] {
        let owner =
            format!("Owner: {{type: object, description: Its owner., properties: {{pet: {{{schema}}}}}}}");
        let text = format!("paths: {{}}\ncomponents: {{schemas: {{{pet}, {owner}}}}}");
        let findings = judged("pets.yaml", &pets(&text), &Settings::common());
        let found: Vec<&str> = findings.list.iter().map(|finding| finding.rule.id).collect();
        assert_eq!(found, rules, "{schema}\n{}", report::text(&findings, true));
    }
}

#[test]
fn an_allowance_applies_to_its_object_and_everything_inside() {
    let schema = "Pets: {type: array}";
    for (text, allowed) in [
        (
            format!(
                "paths: {{}}\nx-lint-allow: {{array-without-items: Old.}}\ncomponents: {{schemas: {{{schema}}}}}"
            ),
            1,
        ),
        (
            format!(
                "paths: {{}}\ncomponents: {{x-lint-allow: {{array-without-items: Old.}}, schemas: {{{schema}}}}}"
            ),
            1,
        ),
        (
            format!(
                "paths: {{x-lint-allow: {{array-without-items: Old.}}}}\ncomponents: {{schemas: {{{schema}}}}}"
            ),
            0,
        ),
        // The members of `schemas` are names, so an extension key there would be a schema.
        (
            format!(
                "paths: {{}}\ncomponents: {{schemas: {{{schema}, Toy: {{x-lint-allow: {{array-without-items: Old.}}}}}}}}"
            ),
            0,
        ),
    ] {
        let findings = judged("pets.yaml", &pets(&text), &Settings::common());
        assert_eq!(findings.allowed(), allowed, "{text}\n{}", report::text(&findings, true));
        let unused = findings.list.iter().any(|finding| finding.rule.id == "allowance-unused");
        assert_eq!((unused, findings.fails(false)), (allowed == 0, allowed == 0), "{text}");
    }
}

#[test]
fn an_allowance_of_an_inactive_rule_is_not_unused() {
    let text = "paths: {}\nx-lint-allow: {any-of: Old., array-without-items: Old.}";
    let settings = Settings::common().with("array-without-items", None).unwrap();
    assert!(judged("pets.yaml", &pets(text), &settings).list.is_empty());
    assert_eq!(
        judged("pets.yaml", &pets(text), &Settings::project().with("info-contact", None).unwrap()).list.len(),
        2
    );
}

#[test]
fn a_finding_names_its_file_and_is_reported_once() {
    let loader = pets("paths: {}\ncomponents:\n  schemas:\n    One: {$ref: 'parts.yaml#/components/schemas/Part'}\n    Two: {properties: {part: {$ref: 'parts.yaml#/components/schemas/Part'}}}\n")
        .with("parts.yaml", "components:\n  schemas:\n    Part: {type: string, example: 7}\n");
    let findings = judged("pets.yaml", &loader, &Settings::common());
    let [only] = findings.list.as_slice() else { panic!("{}", report::text(&findings, true)) };
    let location = &only.location;
    assert_eq!((location.file.as_str(), location.line, location.column), ("parts.yaml", 3, 26));
    assert_eq!(location.pointer, "#/components/schemas/Part/example");
}

#[test]
fn generator_and_comparison_ignore_allowances() {
    let with = |allowance: &str, inline: &str| {
        let text = format!(
            "paths:\n  /pets:\n    {allowance}get:\n      operationId: readPets\n      responses: {{'200': {{description: Pets}}}}\ncomponents:\n  schemas:\n    Pet: {{{inline}type: string}}\n"
        );
        Document::read("pets.yaml", &pets(&text)).0.unwrap()
    };
    let bare = with("", "");
    let allowing = with("x-lint-allow: {any-of: Old.}\n    ", "x-lint-allow: {any-of: Old.}, ");
    assert!(problems(&allowing, "").iter().all(|problem| !problem.message.contains("x-lint-allow")));
    assert_eq!(problems(&allowing, "").len(), problems(&bare, "").len());
    let today = "2026-11-21".parse().unwrap();
    let policy = frontdesk_contract::compat::Policy::plain(today);
    for (base, revision) in [(&bare, &allowing), (&allowing, &bare)] {
        let comparison = frontdesk_contract::compat::compare(base, revision, &policy);
        assert!(comparison.findings.is_empty(), "{:?}", comparison.findings);
    }
}

#[test]
fn a_parameter_that_excludes_the_literal_is_unambiguous() {
    let doubtful = |first: &str, second: &str, schema: &str| {
        let text = format!(
            "servers: [{{url: https://pets.example}}]
security: []
paths:
  {first}:
    get:
      operationId: readFirst
      summary: Read
      parameters: [{{name: pet, in: path, required: true, schema: {schema}}}]
      responses: {{'200': {{description: Found.}}, default: {{description: Not found.}}}}
  {second}:
    get:
      operationId: readSecond
      summary: Read
      parameters: [{{name: toy, in: path, required: true, schema: {{type: string}}}}]
      responses: {{'200': {{description: Found.}}, default: {{description: Not found.}}}}
"
        );
        let findings = judged("pets.yaml", &pets(&text), &Settings::common());
        assert!(findings.list.iter().all(|it| it.rule.id == "ambiguous-paths"), "{findings:?}");
        findings.fails(true)
    };
    for (schema, doubt) in [
        ("{type: string}", true),
        ("{type: integer}", false),
        ("{type: string, enum: [found]}", false),
        ("{type: string, enum: [lost]}", true),
        ("{type: string, format: uuid}", false),
        ("{type: string, pattern: '^[0-9]'}", false),
        ("{type: string, maxLength: 3}", false),
    ] {
        assert_eq!(doubtful("/pets/{pet}/toys", "/pets/lost/{toy}", schema), doubt, "{schema}");
    }
    // One path is more specific, or the literals differ.
    assert!(!doubtful("/pets/{pet}/toys", "/toys/lost/{toy}", "{type: string}"));
    assert!(!doubtful("/pets/{pet}", "/pets/lost/{toy}", "{type: string}"));
}
