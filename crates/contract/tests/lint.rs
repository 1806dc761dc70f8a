//! Every rule of lint on two documents of its own: one that keeps it, one that breaks it and nothing else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

#[path = "documents/folder.rs"]
mod folder;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use frontdesk_codegen::problems;
use frontdesk_contract::lint::{EARLIER, Findings, Level, RULES, Rule, Scope, Settings, lint, report, rule};
use frontdesk_document::{Document, Loader, MemoryLoader};

use folder::Folder;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/lint")
}

fn judged(path: &str, loader: &dyn Loader, settings: &Settings) -> Findings {
    let (document, read) = Document::read(path, loader);
    let document = document.unwrap_or_else(|| panic!("{}", read.render(read.sources(), false)));
    lint(&document, &[&read, &problems(&document, "")], settings)
}

fn settings(rule: &Rule) -> Settings {
    if rule.scope == Scope::House { Settings::house() } else { Settings::common() }
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
fn a_document_that_keeps_a_rule_is_clean_and_one_that_breaks_it_breaks_nothing_else() {
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
fn what_the_generator_finds_wrong_is_told_as_a_rule() {
    let generator = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/err");
    let own = names(&fixtures());
    for rule in EARLIER.iter().filter(|rule| !own.contains(rule.id)) {
        let folder = Folder(generator.join(rule.id));
        let findings = judged("openapi.yaml", &folder, &Settings::common());
        let found = findings.list.iter().find(|finding| finding.rule == *rule);
        let found = found.unwrap_or_else(|| panic!("{}\n{}", rule.id, report::text(&findings, true)));
        assert!(found.spot.line > 0 && found.spot.pointer.starts_with('#'), "{found:?}");
    }
}

/// Odd documents, and whatever the fuzzer is seeded with.
#[test]
fn no_document_is_too_odd() {
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
                let findings = lint(&document, &[&read, &problems(&document, "")], &Settings::house());
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

#[test]
fn an_allowance_holds_where_it_stands_and_below() {
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
        // Below `schemas` stand names, not objects with keys of their own.
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
fn an_allowance_of_a_rule_that_nobody_asks_for_is_not_unused() {
    let text = "paths: {}\nx-lint-allow: {any-of: Old., array-without-items: Old.}";
    let settings = Settings::common().with("array-without-items", None).unwrap();
    assert!(judged("pets.yaml", &pets(text), &settings).list.is_empty());
    assert_eq!(
        judged("pets.yaml", &pets(text), &Settings::house().with("info-contact", None).unwrap()).list.len(),
        2
    );
}

#[test]
fn a_finding_stands_in_the_file_that_holds_it_and_is_told_once() {
    let loader = pets("paths: {}\ncomponents:\n  schemas:\n    One: {$ref: 'parts.yaml#/components/schemas/Part'}\n    Two: {properties: {part: {$ref: 'parts.yaml#/components/schemas/Part'}}}\n")
        .with("parts.yaml", "components:\n  schemas:\n    Part: {type: string, example: 7}\n");
    let findings = judged("pets.yaml", &loader, &Settings::common());
    let [only] = findings.list.as_slice() else { panic!("{}", report::text(&findings, true)) };
    let spot = &only.spot;
    assert_eq!((spot.file.as_str(), spot.line, spot.column), ("parts.yaml", 3, 26));
    assert_eq!(spot.pointer, "#/components/schemas/Part/example");
}

#[test]
fn generator_and_comparison_pass_over_allowances() {
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
fn a_parameter_that_cannot_be_the_word_leaves_no_doubt() {
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
    // One is the more specific, or has other words.
    assert!(!doubtful("/pets/{pet}/toys", "/toys/lost/{toy}", "{type: string}"));
    assert!(!doubtful("/pets/{pet}", "/pets/lost/{toy}", "{type: string}"));
}
