//! Tests of changes of generated code: the finding that explains each, unexplained changes, and their
//! rendering.

use frontdesk_contract::compat::code::{Change, Origin};
use frontdesk_contract::compat::{Bump, Comparison, Finding, Policy, Verdict, compare, report};
use frontdesk_document::{Document, MemoryLoader};

const BASE: &str = "openapi: 3.0.3
info: {title: T, version: '1'}
paths:
  /a: {get: {responses: {'200': {description: A, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}
components: {schemas: {A: {type: object, required: [b, c], properties: {b: {type: string}, c: {type: string}}}}}
";

/// Compares a document with one in which `b` may be longer and `c` is optional.
fn comparison() -> Comparison {
    let revision = BASE
        .replace("required: [b, c]", "required: [b]")
        .replace("b: {type: string}", "b: {type: string, maxLength: 5}");
    let read = |text: &str| -> Document {
        Document::read("api.yaml", &MemoryLoader::new().with("api.yaml", text)).0.expect("it is a document")
    };
    compare(&read(BASE), &read(&revision), &Policy::plain("2026-11-21".parse().expect("a date")))
}

fn change(text: &str, subject: &str, member: Option<&str>) -> Change {
    let origin = member.map(|member| Origin {
        schema: Some(("api.yaml".to_owned(), "#/components/schemas/A".to_owned())),
        member: Some(member.to_owned()),
        ..Origin::default()
    });
    Change {
        text: text.to_owned(),
        subject: subject.to_owned(),
        mentions: Vec::new(),
        server: Bump::Major,
        client: Bump::Minor,
        javascript: Bump::None,
        base: origin.clone(),
        revision: origin,
    }
}

fn source(comparison: &Comparison) -> Vec<&str> {
    let breaking = comparison.findings.iter().filter(|finding| finding.verdicts.contains(&Verdict::Source));
    breaking.map(|finding| finding.rule.id).collect()
}

#[test]
fn without_code_the_rules_estimate() {
    let comparison = comparison();
    assert_eq!((source(&comparison), comparison.code), (vec!["property-became-optional"], None));
    assert!(report::text(&comparison, false).ends_with("(crates by estimate)\n"));
    assert_eq!(report::json(&comparison)["crates"], "estimate");
}

#[test]
fn unchanged_code_compiles() {
    let comparison = comparison().with_code(&[]);
    assert_eq!(source(&comparison), [""; 0]);
    let bumps = comparison.bumps();
    assert_eq!((bumps.spec, bumps.server, bumps.client), (Bump::Major, Bump::Patch, Bump::Patch));
}

#[test]
fn a_change_is_assigned_to_the_finding_of_its_property() {
    let comparison = comparison().with_code(&[change("model: `A::b` is another", "A", Some("b"))]);
    assert_eq!(source(&comparison), ["max-length"]);
    let finding =
        comparison.findings.iter().find(|finding| finding.rule.id == "max-length").expect("it is told");
    assert_eq!(finding.code, ["model: `A::b` is another"]);
    assert_eq!((finding.bumps.server, finding.bumps.client), (Bump::Major, Bump::Minor));
    for told in [
        report::text(&comparison, false),
        report::markdown(&comparison),
        report::annotations(&comparison),
        report::json(&comparison).to_string(),
    ] {
        assert!(told.contains("`A::b` is another"), "{told}");
    }
}

#[test]
fn a_change_follows_from_those_of_the_types_that_it_mentions() {
    let follows = Change { mentions: vec!["A".to_owned()], ..change("server: `f` gives another", "f", None) };
    let comparison = comparison().with_code(&[change("model: `A::c` is another", "A", Some("c")), follows]);
    assert_eq!(source(&comparison), ["property-became-optional"]);
    let finding = comparison.findings.iter().find(|finding| !finding.code.is_empty()).expect("it is told");
    assert_eq!(finding.code.len(), 2);
}

#[test]
fn an_unexplained_change_is_a_finding_if_it_breaks_code() {
    let added = Change { server: Bump::Minor, ..change("model: `C` was added", "C", None) };
    let comparison = comparison().with_code(&[change("model: `B` is gone", "B", None), added]);
    assert_eq!(source(&comparison), ["rust-interface"]);
    let finding = comparison.findings.last().expect("it is told");
    assert_eq!((finding.uses[0].place.as_str(), finding.code.len()), ("code › B", 1));
    assert_eq!(finding.bumps.server, Bump::Major);
}

#[test]
fn types_of_the_javascript_client_have_a_verdict_and_a_version_of_their_own() {
    let change = |text: &str, subject: &str, member: Option<&str>| Change {
        server: Bump::None,
        client: Bump::None,
        javascript: Bump::Major,
        ..change(text, subject, member)
    };
    let of_member = change("javascript: `A.b` is another", "A", Some("b"));
    let without_place = change("javascript: `B` is no longer exported", "B", None);
    let comparison = comparison().with_code(&[]).with_javascript(&[of_member, without_place]);
    let of_types = |finding: &&Finding| finding.verdicts.contains(&Verdict::Types);
    let found: Vec<&Finding> = comparison.findings.iter().filter(of_types).collect();
    let rules: Vec<&str> = found.iter().map(|finding| finding.rule.id).collect();
    assert_eq!(rules, ["max-length", "typescript-interface"]);
    assert_eq!(found[0].code, ["javascript: `A.b` is another"]);
    assert!(!comparison.findings.iter().any(|finding| finding.verdicts.contains(&Verdict::Source)));
    assert_eq!(comparison.bumps().javascript, Some(Bump::Major));
    assert_eq!(comparison.bumps().client, Bump::Patch);
    assert!(report::text(&comparison, false).contains("JavaScript client major"));
    assert_eq!(report::json(&comparison)["bumps"]["javascript"], "major");
}
