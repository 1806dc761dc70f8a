//! Pairs of documents for the finer rules of the comparison, each written from its rule.

use frontdesk_contract::compat::{Comparison, Finding, Level, Policy, Verdict, compare, report};
use frontdesk_document::{Document, MemoryLoader};

fn read(text: &str) -> Document {
    let (document, problems) = Document::read("api.yaml", &MemoryLoader::new().with("api.yaml", text));
    document.unwrap_or_else(|| panic!("{}\n{text}", problems.render(problems.sources(), false)))
}

fn between(base: &str, revision: &str) -> Comparison {
    compare(&read(base), &read(revision), &Policy::plain("2026-11-21".parse().expect("a date")))
}

/// Returns a document with the given members of its root, after the head.
fn api(root: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: Parcels, version: '1'}}\n{root}\n")
}

/// Returns a document whose only operation takes or returns values of a schema.
fn body(schema: &str, request: bool) -> String {
    content(&format!("application/json: {{schema: {schema}}}"), request)
}

/// Returns a document whose only operation has a request or a response with this content.
fn content(content: &str, request: bool) -> String {
    let content = format!("{{description: A parcel, content: {{{content}}}}}");
    let (request, response) = if request {
        (format!("requestBody: {content}, "), "{description: Accepted}")
    } else {
        (String::new(), &*content)
    };
    api(&format!("paths: {{/parcels: {{post: {{{request}responses: {{'200': {response}}}}}}}}}"))
}

/// Returns a document with a parameter in a query.
fn parameter(rest: &str) -> String {
    api(&format!(
        "paths: {{/parcels: {{get: {{parameters: [{{name: state, in: query, {rest}}}], responses: {{'200': {{description: Parcels}}}}}}}}}}"
    ))
}

fn rules(comparison: &Comparison) -> Vec<(&'static str, Level)> {
    comparison.findings.iter().map(|finding| (finding.rule.id, finding.level)).collect()
}

/// Returns the only finding of two documents.
fn only(base: &str, revision: &str) -> Finding {
    let comparison = between(base, revision);
    let [finding] = comparison.findings.as_slice() else { panic!("{:#?}", comparison.findings) };
    finding.clone()
}

fn nothing(base: &str, revision: &str) {
    let comparison = between(base, revision);
    assert!(comparison.findings.is_empty(), "{base}{revision}{:#?}", comparison.findings);
}

#[test]
fn a_default_does_not_make_a_required_member_optional() {
    let parcel =
        |rest: &str| format!("{{type: object, {rest}properties: {{weight: {{type: integer, default: 1}}}}}}");
    let (free, bound) = (parcel(""), parcel("required: [weight], "));
    let finding = only(&body(&free, true), &body(&bound, true));
    assert_eq!((finding.rule.id, finding.level), ("property-became-required", Level::Breaking));
    assert!(finding.verdicts.contains(&Verdict::Wire) && finding.witness.is_some(), "{finding:#?}");
    let finding = only(&body("{type: object}", true), &body(&bound, true));
    assert_eq!((finding.rule.id, finding.level), ("required-property-added", Level::Breaking));
    assert!(!between(&body(&free, false), &body(&bound, false)).is_breaking());
}

#[test]
fn another_parameter_makes_another_media_type() {
    let schema = "{schema: {type: string}}";
    let with = |media_type: &str, request| content(&format!("'{media_type}': {schema}"), request);
    for (old, new) in [
        ("application/json; version=1", "application/json; version=2"),
        ("application/json; profile=Full", "application/json; profile=full"),
        ("text/plain; charset=utf-8", "text/plain; charset=utf-16"),
        ("application/json", "application/json; version=1"),
    ] {
        for request in [true, false] {
            let comparison = between(&with(old, request), &with(new, request));
            assert!(comparison.is_breaking(), "{old} to {new}");
            assert_eq!(
                rules(&comparison),
                [("media-type-removed", Level::Breaking), ("media-type-added", Level::Safe)]
            );
        }
    }
    for (old, new) in [
        ("application/json; Charset=UTF-8", "Application/JSON"),
        ("text/csv; header=present; x=\"1\"", "text/csv;x=1;Header=present"),
    ] {
        for request in [true, false] {
            nothing(&with(old, request), &with(new, request));
            nothing(&with(new, request), &with(old, request));
        }
    }
    // Whoever accepts a type accepts it with every parameter; whoever asks for a parameter wants it.
    let (precise, bare) = ("application/json; version=1", "application/json");
    assert!(!between(&with(precise, true), &with(bare, true)).is_breaking());
    assert!(between(&with(precise, false), &with(bare, false)).is_breaking());
}

#[test]
fn stability_counts_as_it_is_in_effect() {
    let operation = |item: &str, own: &str, member: &str| {
        api(&format!(
            "paths: {{/parcels: {{{item}post: {{{own}responses: {{'200': {{description: A parcel, content: {{application/json: {{schema: {{type: object, properties: {{weight: {{type: integer{member}}}}}}}}}}}}}}}}}}}}}"
        ))
    };
    let (stable, beta) = ("x-stability-level: stable, ", "x-stability-level: beta, ");
    let (member_stable, member_beta) = (", x-stability-level: stable", ", x-stability-level: beta");
    for (base, revision, expected) in [
        (("", "", ""), ("", beta, ""), Some("stability-decreased")),
        (("", stable, ""), ("", beta, ""), Some("stability-decreased")),
        (("", "", ""), (beta, "", ""), Some("stability-decreased")),
        (("", beta, ""), ("", "", ""), Some("stability-increased")),
        (("", beta, ""), (beta, "", ""), None),
        (("", "", ""), ("", stable, ""), None),
        (("", "", ""), ("", "", member_beta), Some("stability-decreased")),
        (("", "", member_beta), ("", "", ""), Some("stability-increased")),
        (("", beta, ""), ("", beta, member_beta), None),
        (("", beta, member_stable), ("", beta, ""), None),
        (("", beta, member_beta), ("", beta, member_stable), None),
    ] {
        let of = |(item, own, member)| operation(item, own, member);
        let comparison = between(&of(base), &of(revision));
        let found = rules(&comparison);
        let level = if expected == Some("stability-decreased") { Level::Breaking } else { Level::Safe };
        let wanted: Vec<_> = expected.map(|id| (id, level)).into_iter().collect();
        assert_eq!(found, wanted, "{base:?} to {revision:?}: {:#?}", comparison.findings);
    }
}

#[test]
fn branches_without_values_of_their_own_are_still_named_by_code() {
    let small = "{type: object, required: [size], properties: {size: {type: string, enum: [small]}}}";
    let any = "{type: object, required: [size], properties: {size: {type: string, enum: [small, large]}}}";
    let code = |base: &str, revision: &str, rule: &str| {
        for request in [true, false] {
            let comparison = between(&body(base, request), &body(revision, request));
            let found: Vec<_> = comparison.findings.iter().filter(|found| found.rule.id == rule).collect();
            let [finding] = found.as_slice() else {
                panic!("{base} to {revision}: {:#?}", comparison.findings)
            };
            assert_eq!(finding.level, Level::Safe, "{finding:#?}");
            assert!(finding.verdicts.contains(&Verdict::Source), "{finding:#?}");
            assert!(!finding.verdicts.contains(&Verdict::Wire), "{finding:#?}");
        }
    };
    // One of two branches accepts what the other one accepts.
    code(
        &format!("{{anyOf: [{small}, {any}, {{type: boolean}}]}}"),
        &format!("{{anyOf: [{any}, {{type: boolean}}]}}"),
        "alternative-removed",
    );
    // Branches are merged into one schema, or one schema is divided.
    let (left, right) = ("{type: string, enum: [left]}", "{type: string}");
    code(&format!("{{anyOf: [{left}, {right}]}}"), right, "union");
    code(right, &format!("{{anyOf: [{left}, {right}]}}"), "union");
    // A choice between something and `null` is another way to say `nullable`.
    nothing(
        &body("{type: string, nullable: true}", false),
        &body("{oneOf: [{type: string}, {nullable: true}]}", false),
    );
}

#[test]
fn overlapping_branches_are_tried() {
    let road = "{type: object, required: [road], properties: {road: {type: string}}}";
    let box_ = "{type: object, required: [box], properties: {box: {type: integer}}}";
    let (any, one) = (format!("{{anyOf: [{road}, {box_}]}}"), format!("{{oneOf: [{road}, {box_}]}}"));
    // A value with both members fits both branches.
    let finding = only(&body(&any, true), &body(&one, true));
    assert_eq!((finding.rule.id, finding.level), ("union", Level::Breaking));
    let finding = only(&body(&one, false), &body(&any, false));
    assert_eq!((finding.rule.id, finding.level), ("union", Level::Breaking));
    // These can have no value in common.
    let kind = |name: &str| {
        format!("{{type: object, required: [kind], properties: {{kind: {{type: string, enum: [{name}]}}}}}}")
    };
    let list = |keyword: &str| format!("{{{keyword}: [{}, {}]}}", kind("road"), kind("box"));
    nothing(&body(&list("anyOf"), true), &body(&list("oneOf"), true));
    nothing(&body(&list("oneOf"), false), &body(&list("anyOf"), false));
}

#[test]
fn parameters_are_the_same_by_name_and_then_by_position() {
    let path = |template: &str, parameters: &[(&str, &str)]| {
        let each: Vec<String> = parameters
            .iter()
            .map(|(name, kind)| {
                format!("{{name: {name}, in: path, required: true, schema: {{type: {kind}}}}}")
            })
            .collect();
        api(&format!(
            "paths: {{'{template}': {{get: {{parameters: [{}], responses: {{'200': {{description: A parcel}}}}}}}}}}",
            each.join(", ")
        ))
    };
    let depot = [("depot", "integer"), ("parcel", "string")];
    // A new name at the same position is a renamed parameter.
    let finding = only(
        &path("/depots/{depot}/parcels/{parcel}", &depot),
        &path("/depots/{id}/parcels/{parcel}", &[("parcel", "string"), ("id", "integer")]),
    );
    assert_eq!((finding.rule.id, finding.level), ("path-parameter-renamed", Level::Safe));
    // The same names at other positions are the same parameters, which are sent elsewhere.
    let comparison = between(
        &path("/depots/{depot}/parcels/{parcel}", &depot),
        &path("/depots/{parcel}/parcels/{depot}", &depot),
    );
    let moved = ("path-parameter-moved", Level::Breaking);
    assert_eq!(rules(&comparison), [moved, moved]);
}

#[test]
fn a_scalar_is_not_exploded_however_it_is_written() {
    for schema in [
        "{type: string}",
        "{allOf: [{type: string}, {maxLength: 9}]}",
        "{enum: [new, sent]}",
        "{oneOf: [{type: integer}, {type: string}]}",
        "{allOf: [{enum: [1, 2]}], nullable: true}",
    ] {
        let with = |explode: bool| parameter(&format!("explode: {explode}, schema: {schema}"));
        nothing(&with(true), &with(false));
        let header = |explode: bool| {
            api(&format!(
                "paths: {{/parcels: {{get: {{responses: {{'200': {{description: Parcels, headers: {{State: {{explode: {explode}, schema: {schema}}}}}}}}}}}}}}}"
            ))
        };
        nothing(&header(true), &header(false));
    }
    for schema in ["{type: array, items: {type: string}}", "{allOf: [{type: array}]}", "{}"] {
        let with = |explode: bool| parameter(&format!("explode: {explode}, schema: {schema}"));
        assert_eq!(only(&with(true), &with(false)).rule.id, "parameter-explode", "{schema}");
    }
}

#[test]
fn servers_and_paths_are_one_address() {
    let called = |servers: &str, path: &str| {
        api(&format!(
            "servers: [{servers}]\npaths: {{'{path}': {{get: {{parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}], responses: {{'200': {{description: A parcel}}}}}}}}}}"
        ))
    };
    let host = "https://parcels.example";
    let long = called(&format!("{{url: '{host}/v1/'}}"), "/parcels/{id}");
    nothing(&long, &called(&format!("{{url: '{host}'}}"), "/v1/parcels/{id}"));
    nothing(&called(&format!("{{url: '{host}'}}"), "/v1/parcels/{id}"), &long);
    nothing(&called("{url: /v1}", "/parcels/{id}"), &called("{url: /}", "/v1/parcels/{id}"));
    // Another address for the same path is a change of the server alone.
    let comparison = between(&long, &called(&format!("{{url: '{host}/v2'}}"), "/parcels/{id}"));
    assert_eq!(rules(&comparison), [("server-removed", Level::Notice), ("server-added", Level::Safe)]);
    // The path moved, and the server did not make up for it.
    let comparison = between(&long, &called(&format!("{{url: '{host}/v1'}}"), "/v1/parcels/{id}"));
    assert!(comparison.is_breaking(), "{:#?}", comparison.findings);
    assert_eq!(comparison.findings[0].rule.id, "operation-removed");
    // Which of two operations is meant depends on the whole address.
    let two = |server: &str, old: &str, new: &str| {
        let item = |id: &str, kind: &str| {
            format!(
                "{{get: {{operationId: {id}, responses: {{'200': {{description: A text, content: {{text/plain: {{schema: {{type: string, maxLength: {kind}}}}}}}}}}}}}}}"
            )
        };
        api(&format!(
            "servers: [{{url: '{server}'}}]\npaths: {{'{old}': {}, '{new}': {}}}",
            item("first", "4"),
            item("second", "7")
        ))
    };
    nothing(&two(&format!("{host}/a"), "/x", "/a/x"), &two(host, "/a/x", "/a/a/x"));
}

#[test]
fn members_and_items_of_other_types_count_as_meant() {
    for (wide, narrow) in [
        ("{type: string, items: {maxLength: 9}}", "{type: string, items: {maxLength: 5}}"),
        (
            "{type: string, properties: {a: {maxLength: 9}}}",
            "{type: string, properties: {a: {maxLength: 5}}}",
        ),
        ("{type: array, items: {}}", "{type: array, items: {}, required: [a]}"),
        (
            "{type: array, items: {}, properties: {a: {type: string}}}",
            "{type: array, items: {}, properties: {a: {type: string}}, required: [a]}",
        ),
        ("{type: integer}", "{type: integer, additionalProperties: false}"),
    ] {
        for request in [true, false] {
            let (base, revision) = if request { (wide, narrow) } else { (narrow, wide) };
            let comparison = between(&body(base, request), &body(revision, request));
            let breaking: Vec<_> = comparison.findings.iter().filter(|finding| finding.breaks()).collect();
            let [finding] = breaking.as_slice() else { panic!("{base}: {:#?}", comparison.findings) };
            assert_eq!(finding.verdicts, [Verdict::Behavior], "{finding:#?}");
            assert_eq!(finding.message.matches("is compared as if it did").count(), 1, "{finding:#?}");
            assert!(!between(&body(revision, request), &body(base, request)).is_breaking());
        }
    }
}

#[test]
fn ids_name_what_changes() {
    let closed = "{type: object, additionalProperties: false, properties: {a: {}, b: {}}}";
    let finding = only(&body(closed, true), &body(&closed.replace(", b: {}", ""), true));
    assert_eq!((finding.rule.id, finding.level), ("property-refused", Level::Breaking));
    assert_eq!(finding.verdicts[0], Verdict::Wire);
    let read = "{type: object, required: [a], properties: {a: {type: string, readOnly: true}}}";
    let finding = only(&body(read, true), &body(&read.replace(", readOnly: true", ""), true));
    assert_eq!((finding.rule.id, finding.level), ("property-became-writable", Level::Breaking));
    let server = |most: &str| {
        api(&format!(
            "servers: [{{url: 'https://{{depot}}.example', variables: {{depot: {{default: {most}}}}}}}]\npaths: {{/parcels: {{get: {{responses: {{'200': {{description: Parcels}}}}}}}}}}"
        ))
    };
    assert_eq!(only(&server("north"), &server("south")).rule.id, "server-variables");
    let answer = "{'200': {description: Done}}";
    let silent = api(&format!("paths: {{/parcels: {{post: {{responses: {answer}}}}}}}"));
    assert_eq!(only(&silent, &body("{type: string}", false)).rule.id, "response-body-added");
}

/// Returns the witness of the only finding as a report shows it.
fn witness(base: &str, revision: &str) -> Vec<String> {
    let comparison = between(base, revision);
    let text = report::text(&comparison, false);
    let lines = text.lines().skip_while(|line| !line.trim_start().starts_with("witness"));
    let lines = lines.take_while(|line| !line.trim_start().starts_with("needs"));
    lines.map(|line| line.trim_start().trim_start_matches("witness").trim_start().to_owned()).collect()
}

#[test]
fn witnesses_contain_only_what_matters_and_say_who_refuses_them() {
    let label = |most: u32| {
        format!(
            "{{type: object, required: [kind], properties: {{kind: {{type: string, minLength: 2}}, note: {{type: string}}, labels: {{type: array, items: {{type: object, required: [text], additionalProperties: {{type: integer}}, properties: {{text: {{type: string, maxLength: {most}}}}}}}}}}}}}"
        )
    };
    assert_eq!(
        witness(&body(&label(60), true), &body(&label(20), true)),
        [
            r#"request body application/json: {"kind":"aa","labels":[{"text":"aaaa…"}]}"#,
            "the revision refuses it: `labels[0].text` is longer than 20 characters",
        ]
    );
    assert_eq!(
        witness(&body(&label(20), false), &body(&label(60), false)),
        [
            r#"response 200 application/json: {"kind":"aa","labels":[{"text":"aaaa…"}]}"#,
            "the base refuses it: `labels[0].text` is longer than 20 characters",
        ]
    );
    let closed = "{type: object, additionalProperties: false, properties: {a: {type: string}}}";
    assert_eq!(
        witness(&body("{type: object, properties: {a: {type: string}}}", true), &body(closed, true)),
        [
            r#"request body application/json: {"extra":null}"#,
            "the revision refuses it: the value has `extra`, which is not allowed",
        ]
    );
    // What `nullable` is translated to is nobody's concern.
    let nullable = |most: u32| {
        format!(
            "{{type: object, properties: {{a: {{nullable: true, allOf: [{{type: integer, maximum: {most}}}]}}}}}}"
        )
    };
    assert_eq!(
        witness(&body(&nullable(9), true), &body(&nullable(5), true)),
        [r#"request body application/json: {"a":6}"#, "the revision refuses it: `a` is greater than 5",]
    );
}

#[test]
fn a_witness_of_a_media_range_is_a_media_type() {
    let with = |media_type: &str| content(&format!("'{media_type}': {{schema: {{type: string}}}}"), true);
    assert_eq!(
        witness(&with("image/*"), &with("image/png")),
        ["`POST /parcels` with `Content-Type: image/jpeg` succeeded, and is rejected"]
    );
}

#[test]
fn reports_contain_nothing_that_controls_or_hides() {
    let name = "\\u001b[31m\\u202ered";
    let with = |kind: &str| {
        body(
            &format!(
                "{{type: object, required: [\"{name}\"], properties: {{\"{name}\": {{type: {kind}}}}}}}"
            ),
            true,
        )
    };
    let comparison = between(&with("integer"), &with("string"));
    let (text, markdown) = (report::text(&comparison, true), report::markdown(&comparison));
    assert!(text.contains("u{202e}") && markdown.contains("u{202e}"), "{text}{markdown}");
    for text in [text, markdown, report::annotations(&comparison)] {
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
