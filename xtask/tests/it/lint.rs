//! `cargo xtask lint` as the shell sees it: exit codes, formats, levels.

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
fn every_format_tells_the_place_in_the_file_that_holds_it() {
    let bench = pets();
    for format in ["text", "json", "github"] {
        let told = bench.run(&["lint", "pets.yaml", "--format", format]);
        assert_snapshot!(format!("lint_{format}"), told);
    }
    assert_snapshot!("lint_all", bench.run(&["lint", "pets.yaml", "--all"]));
}

#[test]
fn exit_codes_tell_clean_broken_and_refused_apart() {
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
fn the_rules_of_the_house_are_for_our_own_contract_unless_asked_for() {
    let bench = pets();
    assert!(!bench.run(&["lint", "pets.yaml"]).contains("missing-provenance"));
    assert!(bench.run(&["lint", "pets.yaml", "--rules", "house"]).contains("error[missing-provenance]"));
    assert!(bench.run(&["lint", "pets.yaml", "--warn", "tag-missing"]).contains("warning[tag-missing]"));
}

/// What `cargo xtask ci` asks.
#[test]
fn our_own_contract_keeps_every_rule() {
    let told = Bench::new().run(&["lint", "--strict"]);
    assert!(told.starts_with("exit: 0\n--- stdout\nclean"), "{told}");
}

#[test]
fn every_rule_is_explained() {
    let bench = Bench::new();
    for rule in frontdesk_contract::lint::RULES.iter().chain(frontdesk_contract::lint::EARLIER) {
        let told = bench.run(&["explain", rule.id]);
        assert!(told.starts_with("exit: 0\n") && told.contains("For `cargo xtask lint`"), "{told}");
    }
}
