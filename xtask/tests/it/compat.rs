//! Tests of `cargo xtask compat` as a process: exit codes, formats, and sources of documents.

use std::process::Command;

use insta::assert_snapshot;

use crate::Bench;

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

fn pets() -> Bench {
    Bench::new()
        .with(A, BASE)
        .with("a/parts.yaml", &parts(100))
        .with(B, BASE)
        .with("b/parts.yaml", &parts(50))
        .with("broken.yaml", "openapi: 2.0\n")
}

const A: &str = "a/openapi.yaml";
const B: &str = "b/openapi.yaml";

#[test]
fn exit_codes_distinguish_compatible_breaking_and_rejected() {
    let bench = pets();
    for (base, revision, code) in [
        (A, A, 0),
        (B, A, 0),
        (A, B, 1),
        (A, "broken.yaml", 2),
        ("broken.yaml", A, 2),
        (A, "none.yaml", 2),
        ("no such revision", A, 2),
    ] {
        let output =
            bench.command(&["compat", "--base", base, "--revision", revision]).output().expect("it starts");
        assert_eq!(output.status.code(), Some(code), "{base} to {revision}: {output:?}");
        assert_eq!(output.stdout.is_empty(), code == 2, "{base} to {revision}: {output:?}");
    }
}

#[test]
fn every_format_names_the_file_that_contains_the_finding() {
    let bench = pets();
    for format in ["text", "json", "markdown", "github"] {
        let output = bench
            .command(&["compat", "--base", A, "--revision", B, "--format", format])
            .output()
            .expect("it starts");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert_snapshot!(format!("compat_{format}"), text);
    }
}

#[test]
fn code_is_compared_on_request_and_estimated_otherwise() {
    let bench = pets().with(B, &BASE.replace("Pets}", "All pets}"));
    let bench = bench.with("b/parts.yaml", "limit: {name: limit, in: query, schema: {type: string}}\n");
    let report = |more: &[&str]| {
        let arguments = [&["compat", "--base", A, "--revision", B, "--format", "json"], more].concat();
        let output = bench.command(&arguments).output().expect("it starts");
        serde_json::from_slice::<serde_json::Value>(&output.stdout)
            .unwrap_or_else(|error| panic!("{error}: {output:?}"))
    };
    let estimate = report(&[]);
    assert_eq!(
        (&estimate["crates"], &estimate["findings"][0]["code"]),
        (&"estimate".into(), &serde_json::json!([]))
    );
    let looked_at = report(&["--rust"]);
    assert_eq!(looked_at["crates"], "interface");
    let code = looked_at["findings"][0]["code"].to_string();
    assert!(code.contains("server: `GetPets::limit` was `Option<i64>`, is `Option<String>`"), "{code}");
}

#[test]
fn a_git_revision_is_a_base() {
    let known = Command::new("git")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["rev-parse", "HEAD:spec/v1/openapi.yaml"])
        .output();
    if !known.is_ok_and(|output| output.status.success()) {
        println!("skipped: this is no checkout of the repository");
        return;
    }
    let output =
        Bench::new().command(&["compat", "--base", "HEAD", "--format", "json"]).output().expect("it starts");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(report["findings"].is_array(), "{output:?}");
    assert_eq!(output.status.code(), Some(i32::from(report["breaking"] == true)));
}

/// A revision is one of the repository that has the compared document, not of this one.
#[test]
fn a_git_revision_is_that_of_the_compared_document() {
    let bench = pets();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@pets.example", "-c", "commit.gpgsign=false"];
        let mut command = Command::new("git");
        command.current_dir(bench.path("")).args(identity).args(arguments);
        command.output().is_ok_and(|output| output.status.success())
    };
    if !(git(&["init", "--quiet"]) && git(&["add", "."]) && git(&["commit", "--quiet", "--message", "A"])) {
        println!("skipped: there is no git");
        return;
    }
    let compared = || {
        let arguments = ["compat", "--base", "HEAD", "--revision", A, "--format", "json"];
        let output = bench.command(&arguments).output().expect("it starts");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        report["findings"].as_array().map(Vec::len).expect("findings")
    };
    assert_eq!(compared(), 0, "nothing changed");
    // Also in a file that the document refers to.
    bench.write("a/parts.yaml", &parts(50));
    assert_eq!(compared(), 1, "the limit became smaller");
    let elsewhere = pets();
    let arguments = ["compat", "--base", "HEAD", "--revision", A];
    let output = elsewhere.command(&arguments).output().expect("it starts");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("neither a file nor a git revision of the document's repository"), "{told}");
}

#[test]
fn every_rule_is_explained() {
    let bench = Bench::new();
    for rule in frontdesk_contract::compat::RULES {
        let output = bench.command(&["explain", rule.id]).output().expect("it starts");
        assert!(output.status.success(), "{}", rule.id);
    }
}
