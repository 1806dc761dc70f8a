//! Tests of `cargo xtask lint` as a process: exit codes, formats and levels.

use insta::assert_snapshot;

use crate::Bench;

const PETS: &str = "openapi: 3.0.3
info: {title: Pets, version: '1', description: Keeps pets.}
servers: [{url: https://pets.example}]
security: []
paths:
  /pets:
    get:
      operationId: listPets
      x-lint-allow: {unpaged-list: There are three of them.}
      responses:
        '200': {$ref: 'parts.yaml#/pets'}
        default: {description: What went wrong.}
";

const PARTS: &str = "pets:
  description: The pets.
  content:
    application/json:
      schema: {type: array, items: {type: string}}
      example: [Fido, 7]
";

fn pets() -> Bench {
    Bench::new().with("pets.yaml", PETS).with("parts.yaml", PARTS)
}

#[test]
fn every_format_names_the_file_that_contains_the_finding() {
    let bench = pets();
    for format in ["text", "json", "github"] {
        let shown = bench.run(&["lint", "pets.yaml", "--format", format]);
        assert_snapshot!(format!("lint_{format}"), shown);
    }
    assert_snapshot!("lint_all", bench.run(&["lint", "pets.yaml", "--all"]));
}

#[test]
fn exit_codes_distinguish_clean_violations_and_rejected() {
    let bench = pets().with("broken.yaml", "openapi: 2.0\n");
    for (arguments, code) in [
        (&["pets.yaml"][..], 1),
        (&["pets.yaml", "--allow", "example-invalid"], 0),
        (&["pets.yaml", "--allow", "example-invalid", "--strict"], 1),
        (&["pets.yaml", "--warn", "example-invalid", "--allow", "operation-description"], 0),
        (&["pets.yaml", "--allow", "example-invalid", "--allow", "operation-description", "--strict"], 0),
        (&["pets.yaml", "--allow", "example-invalid", "--deny", "operation-description"], 1),
        (&["broken.yaml"], 2),
        (&["none.yaml"], 2),
        (&["pets.yaml", "--deny", "no-such-rule"], 1),
    ] {
        let output = bench.command(&[&["lint"], arguments].concat()).output().expect("it starts");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    }
}

#[test]
fn project_rules_apply_to_our_contract_unless_requested() {
    let bench = pets();
    assert!(!bench.run(&["lint", "pets.yaml"]).contains("missing-provenance"));
    assert!(bench.run(&["lint", "pets.yaml", "--rules", "project"]).contains("error[missing-provenance]"));
    assert!(bench.run(&["lint", "pets.yaml", "--warn", "tag-missing"]).contains("warning[tag-missing]"));
}

/// The arguments that `cargo xtask ci` uses.
#[test]
fn our_contract_passes_every_rule() {
    let shown = Bench::new().run(&["lint", "--strict"]);
    assert!(shown.starts_with("exit: 0\n--- stdout\nclean"), "{shown}");
}

#[test]
fn every_rule_is_explained() {
    let bench = Bench::new();
    for rule in frontdesk_contract::lint::RULES.iter().chain(frontdesk_contract::lint::EARLIER) {
        let shown = bench.run(&["explain", rule.id]);
        assert!(shown.starts_with("exit: 0\n") && shown.contains("A rule of `cargo xtask lint`"), "{shown}");
    }
}
