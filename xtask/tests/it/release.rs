//! Tests of `cargo xtask release` as a process, in a temporary workspace with a fixed date.

use std::process::Output;

use insta::assert_snapshot;

use crate::Bench;

const SPEC: &str = "openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
servers: [{url: 'https://pets.example'}]
paths:
  /pets:
    get:
      operationId: listPets
      responses: {'200': {description: Pets}}
";

/// A workspace whose contract was never released.
fn workspace() -> Bench {
    let bench = Bench::new()
        .with("xtask/Cargo.toml", "")
        .with("Cargo.toml", "[workspace.package]\nversion = \"1.0.0\"\n")
        .with("CHANGELOG.md", "# Changelog\n\n## 1.0.0 - unreleased\n\n- Pets.\n")
        .with("spec/v1/openapi.yaml", SPEC)
        // The contract that has no release.
        .with("spec/console/v1/openapi.yaml", SPEC);
    assert_eq!(run(&bench, &["codegen"]).status.code(), Some(0));
    bench
}

/// A workspace that released its first version on 21 November 2026.
fn released() -> Bench {
    let bench = workspace();
    let output = run(&bench, &["release", "--today", "2026-11-21"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    bench
}

fn run(bench: &Bench, arguments: &[&str]) -> Output {
    bench.command(arguments).env("CARGO_MANIFEST_DIR", bench.path("xtask")).output().expect("it starts")
}

fn shown(bench: &Bench, arguments: &[&str]) -> String {
    bench.shown(&run(bench, arguments))
}

#[test]
fn a_release_freezes_the_bundle_and_records_the_date() {
    let bench = workspace();
    assert_snapshot!("release_checked", shown(&bench, &["release", "--check"]));
    assert!(!bench.path("spec/v1/released").exists(), "a check writes nothing");
    assert_snapshot!("release_released", shown(&bench, &["release", "--today", "2026-11-21"]));
    assert_eq!(bench.read("spec/v1/released/1.0.0.yaml"), bench.read("generated/openapi.yaml"));
    assert_snapshot!("release_lock", bench.read("spec/v1/released/releases.toml"));
    assert_snapshot!("release_changelog", bench.read("CHANGELOG.md"));
    assert_snapshot!("release_unchanged", shown(&bench, &["release"]));
}

#[test]
fn nothing_is_written_if_there_are_problems() {
    let bench = released();
    let before = bench.read("spec/v1/released/releases.toml");
    bench.write("spec/v1/openapi.yaml", &SPEC.replace("1.0.0", "1.0.1").replace("listPets", "allPets"));
    // The generated crates are out of date too, but that is not the first problem to fix.
    assert_snapshot!("release_in_the_way", shown(&bench, &["release", "--today", "2026-12-01"]));
    assert_eq!(bench.read("spec/v1/released/releases.toml"), before);
    assert!(!bench.path("spec/v1/released/1.0.1.yaml").exists());
}

#[test]
fn outdated_crates_are_not_released() {
    let bench = released();
    bench.write(
        "spec/v1/openapi.yaml",
        &SPEC.replace("1.0.0", "1.0.1").replace("title: Pets", "title: All pets"),
    );
    bench.write("CHANGELOG.md", "## 1.0.1 - unreleased\n\n- A title.\n\n## 1.0.0 - 2026-11-21\n\n- Pets.\n");
    bench.write("Cargo.toml", "[workspace.package]\nversion = \"1.0.1\"\n");
    let output = run(&bench, &["release"]);
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert_eq!(run(&bench, &["codegen"]).status.code(), Some(0));
    let output = run(&bench, &["release"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(bench.read("spec/v1/released/1.0.1.yaml").contains("All pets"));
}

#[test]
fn an_edit_of_a_frozen_file_is_annotated_on_github() {
    let bench = released();
    let text = bench.read("spec/v1/released/1.0.0.yaml");
    bench.write("spec/v1/released/1.0.0.yaml", &text.replace("listPets", "allPets"));
    assert_snapshot!(
        "release_frozen_on_github",
        shown(&bench, &["release", "--check", "--format", "github"])
    );
}

#[test]
fn a_rejected_document_is_not_released() {
    let bench = workspace();
    bench.write("spec/v1/openapi.yaml", "openapi: 2.0\n");
    assert_eq!(run(&bench, &["release", "--check"]).status.code(), Some(2));
}

#[test]
fn invalid_changelogs_and_lock_files_are_explained() {
    let bench = released();
    bench.write("CHANGELOG.md", "## soon\n");
    assert_snapshot!("release_changelog_unreadable", shown(&bench, &["release", "--check"]));
    let bench = released();
    bench.write("spec/v1/released/releases.toml", "[[release]]\nversion = 1\n");
    assert_snapshot!("release_lock_unreadable", shown(&bench, &["release", "--check"]));
}

#[test]
fn every_problem_is_explained() {
    for explanation in frontdesk_contract::release::CODES {
        let output = Bench::new().command(&["explain", explanation.code]).output().expect("it starts");
        assert!(output.status.success(), "{}", explanation.code);
    }
}

/// A document outside of the workspace has its releases and its changelog beside it.
#[test]
fn another_document_is_released_beside_itself() {
    let bench = Bench::new()
        .with("api/pets.yaml", SPEC)
        .with("api/CHANGELOG.md", "# Changelog\n\n## 1.0.0 - unreleased\n\n- Pets.\n");
    let release = |more: &[&str]| {
        let arguments = [&["release", "--spec", "api/pets.yaml", "--today", "2026-11-21"], more].concat();
        bench.command(&arguments).output().expect("it starts")
    };
    let output = release(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(bench.read("api/released/1.0.0.yaml").contains("listPets"));
    assert!(bench.read("api/released/releases.toml").contains("1.0.0"));
    assert!(bench.read("api/CHANGELOG.md").contains("## 1.0.0 - 2026-11-21"));
    // What breaks clients of the release needs another version.
    bench.write("api/pets.yaml", &SPEC.replace("get:", "put:").replace("listPets", "putPets"));
    let refused = release(&["--check"]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let told = String::from_utf8_lossy(&refused.stdout).into_owned();
    assert!(told.contains("error[release-breaking]") && told.contains("api/pets.yaml"), "{told}");
    bench.write("api/pets.yaml", &SPEC.replace("version: 1.0.0", "version: today"));
    let unversioned = release(&["--check"]);
    assert_eq!(unversioned.status.code(), Some(1), "{unversioned:?}");
    let told = String::from_utf8_lossy(&unversioned.stdout).into_owned();
    assert!(told.contains("`info.version` is not a semantic version"), "{told}");
}
