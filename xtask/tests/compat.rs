//! `cargo xtask compat` as the shell sees it: exit codes, formats, and where documents come from.

use std::path::Path;
use std::process::{Command, Output};

const BASE: &str = "openapi: 3.0.3
info: {title: Pets, version: '1'}
paths:
  /pets:
    get:
      parameters: [{$ref: 'parts.yaml#/limit'}]
      responses: {'200': {description: Pets}}
";

fn parts(most: u32) -> String {
    format!("limit: {{name: limit, in: query, schema: {{type: integer, maximum: {most}}}}}\n")
}

fn write(folder: &Path, name: &str, most: u32) {
    let folder = folder.join(name);
    fs_err::create_dir(&folder).expect("a folder");
    fs_err::write(folder.join("openapi.yaml"), BASE).expect("a document");
    fs_err::write(folder.join("parts.yaml"), parts(most)).expect("a part");
}

fn compat(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask"))
        .current_dir(folder)
        .arg("compat")
        .args(arguments)
        .output()
        .expect("the command runs")
}

fn pets() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "a", 100);
    write(folder.path(), "b", 50);
    fs_err::write(folder.path().join("broken.yaml"), "openapi: 2.0\n").expect("a file");
    folder
}

const A: &str = "a/openapi.yaml";
const B: &str = "b/openapi.yaml";

#[test]
fn exit_codes_tell_compatible_breaking_and_refused_apart() {
    let folder = pets();
    for (base, revision, code) in [
        (A, A, 0),
        (B, A, 0),
        (A, B, 1),
        (A, "broken.yaml", 2),
        ("broken.yaml", A, 2),
        (A, "none.yaml", 2),
        ("no such revision", A, 2),
    ] {
        let output = compat(folder.path(), &["--base", base, "--revision", revision]);
        assert_eq!(output.status.code(), Some(code), "{base} to {revision}: {output:?}");
        assert_eq!(output.stdout.is_empty(), code == 2, "{base} to {revision}: {output:?}");
    }
}

#[test]
fn every_format_tells_the_place_in_the_file_that_holds_it() {
    let folder = pets();
    for format in ["text", "json", "markdown", "github"] {
        let output = compat(folder.path(), &["--base", A, "--revision", B, "--format", format]);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        insta::assert_snapshot!(format!("compat_{format}"), text);
    }
}

#[test]
fn a_git_revision_is_a_base() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known =
        Command::new("git").current_dir(here).args(["rev-parse", "HEAD:spec/v1/openapi.yaml"]).output();
    if !known.is_ok_and(|output| output.status.success()) {
        println!("skipped: this is no checkout of the repository");
        return;
    }
    let output = compat(here, &["--base", "HEAD", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(report["findings"].is_array(), "{output:?}");
    assert_eq!(output.status.code(), Some(i32::from(report["breaking"] == true)));
}

#[test]
fn every_rule_is_explained() {
    for rule in frontdesk_contract::compat::RULES {
        let output =
            Command::new(env!("CARGO_BIN_EXE_xtask")).args(["explain", rule.id]).output().expect("it runs");
        assert!(output.status.success(), "{}", rule.id);
    }
}
