//! Requirements, paths and parameters that a document writes in an odd way: none of them opens an operation,
//! or is generated twice.

use frontdesk_codegen::ir::{Api, Credential};
use frontdesk_codegen::{lower, survey};

use crate::fixtures::{document, options};

const DONE: &str = "responses: {'204': {description: Done.}}";

/// The IR of a document that goes on like this, and the codes of its warnings.
fn read(rest: &str) -> (Api, Vec<&'static str>) {
    let document = document(&format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\n{rest}"));
    let options = options("t", "openapi.yaml");
    let api = lower(&document, &options).unwrap_or_else(|error| panic!("{error:?}"));
    let (_, warnings) = survey(&document, &options).unwrap_or_else(|error| panic!("{error:?}"));
    (api, warnings.iter().map(|warning| warning.code).collect())
}

#[test]
fn a_requirement_that_cannot_be_read_opens_nothing() {
    for (security, alternatives, codes) in [
        ("[{key: []}, {}]", &[&["key"][..], &[]][..], &[][..]),
        ("{key: []}", &[&["key"]], &["invalid-security"]),
        ("[key]", &[&["key"]], &["invalid-security"]),
        ("key", &[&["key"]], &["invalid-security"]),
        ("[{key: []}, null]", &[&["key"]], &["invalid-security"]),
        ("[null]", &[&["unknown"]], &["undefined-scheme", "invalid-security"]),
        ("7", &[&["unknown"]], &["undefined-scheme", "invalid-security"]),
        // Nothing is said, so the requirement of the document holds.
        ("null", &[&["key"]], &[]),
        ("[]", &[], &[]),
    ] {
        let (api, mut told) = read(&format!(
            "security: [{{key: []}}]\npaths:\n  /a:\n    get: {{{DONE}, security: {security}}}\n\
             components: {{securitySchemes: {{key: {{type: http, scheme: bearer}}}}}}\n"
        ));
        let operation = api.operations().next().unwrap();
        let named = |required: &frontdesk_codegen::ir::SchemeUse| api.schemes[required.scheme].wire.as_str();
        let found: Vec<Vec<&str>> =
            operation.security.iter().map(|schemes| schemes.iter().map(named).collect()).collect();
        assert_eq!(found, alternatives, "{security}");
        told.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(told, codes, "{security}");
    }
}

#[test]
fn a_scheme_of_the_connection_stays_a_requirement() {
    let (api, codes) = read(&format!(
        "security: [{{certificate: []}}]\npaths:\n  /a:\n    get: {{{DONE}}}\n\
         components: {{securitySchemes: {{certificate: {{type: mutualTLS}}}}}}\n"
    ));
    assert_eq!(api.schemes[0].credential, Credential::Connection);
    assert_eq!(api.operations().next().unwrap().security[0].len(), 1);
    assert_eq!(codes, ["mutual-tls"]);
}

#[test]
fn a_parameter_that_is_listed_twice_is_generated_once() {
    let (api, codes) = read(&format!(
        "paths:\n  /a:\n    get:\n      {DONE}\n      parameters:\n\
         \x20       - {{name: dup, in: query, schema: {{type: string}}}}\n\
         \x20       - {{name: dup, in: query, schema: {{type: integer}}}}\n\
         \x20       - {{name: X-Dup, in: header, schema: {{type: string}}}}\n\
         \x20       - {{name: x-dup, in: header, schema: {{type: string}}}}\n"
    ));
    let wires: Vec<&str> =
        api.operations().next().unwrap().parameters.iter().map(|parameter| parameter.wire.as_str()).collect();
    assert_eq!(wires, ["dup", "X-Dup"]);
    assert_eq!(codes, ["duplicate-parameter", "duplicate-parameter"]);
}

#[test]
fn media_types_of_members_that_are_not_checked_are_told() {
    let schema =
        "schema: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}";
    for (media_type, member, warned) in [
        ("application/x-www-form-urlencoded", "a: {contentType: application/xml}", true),
        ("application/x-www-form-urlencoded", "a: {contentType: application/json}", false),
        ("application/x-www-form-urlencoded", "a: {contentType: text/plain}", false),
        ("multipart/form-data", "a: {contentType: application/xml}", false),
        ("multipart/form-data", "b: {contentType: application/xml}", true),
    ] {
        let (_, codes) = read(&format!(
            "paths:\n  /a:\n    post:\n      {DONE}\n      requestBody: {{content: {{{media_type}: {{{schema}, encoding: {{{member}}}}}}}}}\n"
        ));
        assert_eq!(codes.contains(&"part-ignored"), warned, "{media_type} {member}: {codes:?}");
    }
}
