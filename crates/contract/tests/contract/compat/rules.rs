//! Tests of the comparison on small documents: the effect of each kind of change on requests and on
//! responses.

use frontdesk_contract::changelog::Changelog;
use frontdesk_contract::compat::{Comparison, Level, Policy, Witness, compare};
use frontdesk_document::{Document, MemoryLoader};

fn read(text: &str) -> Document {
    let (document, problems) = Document::read("api.yaml", &MemoryLoader::new().with("api.yaml", text));
    document.unwrap_or_else(|| panic!("{}\n{text}", problems.render(problems.sources(), false)))
}

fn law() -> Policy {
    Policy::plain("2026-11-21".parse().expect("a date"))
}

fn between(base: &str, revision: &str) -> Comparison {
    compare(&read(base), &read(revision), &law())
}

/// Returns a document whose only operation has a request or a response with values of a schema.
fn document(schema: &str, components: &str, request: bool) -> String {
    let content = format!("{{content: {{application/json: {{schema: {schema}}}}}, description: A body}}");
    let (body, answer) = if request {
        (format!("requestBody: {content}, "), "{description: Done}")
    } else {
        (String::new(), &*content)
    };
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things:\n    post: {{{body}responses: {{'200': {answer}}}}}\ncomponents: {{schemas: {{{components}}}}}\n"
    )
}

/// Returns the highest level for requests and for responses, and checks the rules.
fn levels(base: &str, revision: &str, components: &str) -> (Level, Level) {
    let level = |request| {
        let comparison =
            between(&document(base, components, request), &document(revision, components, request));
        for finding in &comparison.findings {
            let proven = finding.level != Level::Breaking || finding.witness.is_some();
            assert!(proven, "no witness: {base} to {revision}: {finding:#?}");
        }
        comparison.findings.iter().map(|finding| finding.level).min().unwrap_or(Level::Safe)
    };
    (level(true), level(false))
}

/// Narrowing changes break requests and are safe in responses; the reverse holds for widening changes.
#[test]
fn narrowing_breaks_requests_and_widening_breaks_responses() {
    for (wide, narrow) in [
        ("{type: string}", "{type: string, maxLength: 5}"),
        ("{type: string, minLength: 1}", "{type: string, minLength: 2}"),
        ("{type: string}", "{type: string, pattern: '^a'}"),
        ("{type: string}", "{type: string, format: uuid}"),
        ("{type: string, nullable: true}", "{type: string}"),
        ("{type: string}", "{type: string, enum: [a, b]}"),
        ("{type: string, enum: [a, b]}", "{type: string, enum: [a]}"),
        ("{type: number}", "{type: integer}"),
        ("{}", "{type: integer}"),
        ("{type: integer, format: int64}", "{type: integer, format: int32}"),
        ("{type: integer, maximum: 10}", "{type: integer, maximum: 10, exclusiveMaximum: true}"),
        ("{type: integer, multipleOf: 2}", "{type: integer, multipleOf: 4}"),
        ("{type: array, items: {type: string}}", "{type: array, items: {type: string}, uniqueItems: true}"),
        ("{type: array, items: {type: string}}", "{type: array, items: {type: string, maxLength: 3}}"),
        ("{type: array}", "{type: array, items: {type: integer}, minItems: 2}"),
        (
            "{type: object, properties: {a: {type: string}}}",
            "{type: object, properties: {a: {type: string}}, required: [a]}",
        ),
        ("{type: object}", "{type: object, additionalProperties: false}"),
        (
            "{type: object, additionalProperties: {type: string}}",
            "{type: object, additionalProperties: {type: string, maxLength: 2}}",
        ),
        (
            "{type: object, additionalProperties: false, properties: {a: {}, b: {}}}",
            "{type: object, additionalProperties: false, properties: {a: {}}}",
        ),
        ("{oneOf: [{type: string}, {type: integer}]}", "{oneOf: [{type: string}]}"),
        (
            "{anyOf: [{type: string}, {type: integer}, {type: boolean}]}",
            "{anyOf: [{type: string}, {type: integer}]}",
        ),
        (
            "{oneOf: [{type: string}, {type: boolean}]}",
            "{oneOf: [{type: string, maxLength: 2}, {type: boolean}]}",
        ),
        ("{type: string}", "{allOf: [{type: string}, {maxLength: 3}]}"),
        ("{type: integer}", "{type: integer, not: {enum: [3]}}"),
        ("{type: string, not: {maxLength: 1}}", "{type: string, not: {maxLength: 2}}"),
        ("{type: string, enum: [a], x-extensible-enum: true}", "{type: string, enum: [a]}"),
    ] {
        assert_eq!(levels(wide, narrow, "").0, Level::Breaking, "{wide} to {narrow} in requests");
        assert_ne!(levels(wide, narrow, "").1, Level::Breaking, "{wide} to {narrow} in answers");
        assert_ne!(levels(narrow, wide, "").0, Level::Breaking, "{narrow} to {wide} in requests");
        assert_eq!(levels(narrow, wide, "").1, Level::Breaking, "{narrow} to {wide} in answers");
    }
}

#[test]
fn incomparable_changes_break_both() {
    for (one, other) in [
        ("{type: string}", "{type: integer}"),
        ("{type: string, enum: [a]}", "{type: string, enum: [b]}"),
        ("{type: string, format: date}", "{type: string, format: uuid}"),
        ("{type: string, pattern: '^a+$'}", "{type: string, pattern: '^b+$'}"),
        ("{type: integer, minimum: 1, maximum: 5}", "{type: integer, minimum: 3, maximum: 8}"),
        ("{type: integer, multipleOf: 2}", "{type: integer, multipleOf: 3}"),
        ("{oneOf: [{type: string}, {type: integer}]}", "{oneOf: [{type: string}, {type: boolean}]}"),
    ] {
        for (base, revision) in [(one, other), (other, one)] {
            assert_eq!(
                levels(base, revision, ""),
                (Level::Breaking, Level::Breaking),
                "{base} to {revision}"
            );
        }
    }
}

#[test]
fn equivalent_schemas_have_no_change() {
    let components = "A: {type: object, required: [a], properties: {a: {type: string}}}, \
         Moved: {type: object, required: [a], properties: {a: {type: string}}}, \
         Tree: {type: object, properties: {next: {$ref: '#/components/schemas/Tree'}}}, \
         Wood: {type: object, properties: {next: {$ref: '#/components/schemas/Wood'}}}";
    for (one, other) in [
        ("{$ref: '#/components/schemas/A'}", "{$ref: '#/components/schemas/Moved'}"),
        (
            "{$ref: '#/components/schemas/A'}",
            "{type: object, required: [a], properties: {a: {type: string}}}",
        ),
        ("{$ref: '#/components/schemas/A'}", "{allOf: [{$ref: '#/components/schemas/A'}]}"),
        ("{$ref: '#/components/schemas/A'}", "{oneOf: [{$ref: '#/components/schemas/A'}]}"),
        (
            "{$ref: '#/components/schemas/A'}",
            "{allOf: [{type: object, properties: {a: {type: string}}}, {required: [a]}]}",
        ),
        ("{$ref: '#/components/schemas/Tree'}", "{$ref: '#/components/schemas/Wood'}"),
        ("{type: integer, minimum: 5}", "{type: integer, minimum: 4, exclusiveMinimum: true}"),
        ("{type: string, minLength: 0}", "{type: string}"),
        ("{type: integer, multipleOf: 1}", "{type: integer}"),
        ("{type: boolean}", "{type: boolean, enum: [true, false]}"),
        ("{type: string, enum: [a, b]}", "{type: string, enum: [b, a]}"),
        ("{oneOf: [{type: string}, {type: integer}]}", "{oneOf: [{type: integer}, {type: string}]}"),
        ("{oneOf: [{type: string}, {type: integer}]}", "{anyOf: [{type: integer}, {type: string}]}"),
        ("{type: object}", "{type: object, additionalProperties: true}"),
        ("{type: string, maxLength: 5}", "{allOf: [{type: string, maxLength: 9}, {maxLength: 5}]}"),
        ("{type: string, description: A, example: b}", "{type: string, title: T}"),
        ("{type: string, enum: [null, a], nullable: true}", "{type: string, enum: [a], nullable: true}"),
    ] {
        for request in [true, false] {
            for (base, revision) in [(one, other), (other, one)] {
                let found =
                    between(&document(base, components, request), &document(revision, components, request))
                        .findings;
                assert!(found.is_empty(), "{base} to {revision}: {found:#?}");
            }
        }
    }
}

#[test]
fn unknown_effects_are_undecided() {
    // Every text matches both patterns, but the comparison cannot prove it.
    let (narrow, wide) = ("{type: string, pattern: '^a{1,3}$'}", "{type: string, pattern: '^a{1,4}$'}");
    assert_eq!(levels(narrow, wide, "").0, Level::Undecided);
    assert_eq!(levels(wide, narrow, "").1, Level::Undecided);
    assert_eq!(levels(wide, narrow, "").0, Level::Breaking, "a text of four is found");
}

#[test]
fn directions_decide_which_members_count() {
    let object = |member: &str| {
        format!("{{type: object, required: [a], properties: {{a: {{type: string, {member}}}}}}}")
    };
    let (plain, read, write) = (object("maxLength: 9"), object("readOnly: true"), object("writeOnly: true"));
    // `readOnly` properties are not part of requests, so a property may neither become `readOnly` nor be
    // required again.
    assert_eq!(levels(&plain, &read, "").0, Level::Breaking);
    assert_eq!(levels(&read, &plain, "").0, Level::Breaking);
    assert_eq!(levels(&plain, &write, "").1, Level::Breaking);
    assert_eq!(levels(&write, &plain, "").1, Level::Safe);
    let (short, long) = (object("readOnly: true, maxLength: 3"), object("readOnly: true, maxLength: 5"));
    assert_eq!(levels(&long, &short, ""), (Level::Notice, Level::Safe));
}

#[test]
fn members_may_be_added_and_required_ones_may_not() {
    let one = "{type: object, properties: {a: {type: string}}}";
    let optional = "{type: object, properties: {a: {type: string}, b: {type: string}}}";
    let required = "{type: object, required: [b], properties: {a: {type: string}, b: {type: string}}}";
    let filled =
        "{type: object, required: [b], properties: {a: {type: string}, b: {type: string, default: x}}}";
    let closed = "{type: object, additionalProperties: false, properties: {a: {type: string}}}";
    let wider =
        "{type: object, additionalProperties: false, properties: {a: {type: string}, b: {type: string}}}";
    assert_eq!(levels(one, optional, ""), (Level::Safe, Level::Safe));
    assert_eq!(levels(one, required, ""), (Level::Breaking, Level::Safe));
    assert_eq!(levels(one, filled, "").0, Level::Breaking);
    assert_eq!(levels(optional, one, ""), (Level::Notice, Level::Notice));
    assert_eq!(levels(required, one, ""), (Level::Notice, Level::Breaking));
    assert_eq!(levels(closed, wider, ""), (Level::Safe, Level::Breaking));
}

#[test]
fn unions_are_compared_as_a_whole() {
    let components = "Cat: {type: object, required: [kind], properties: {kind: {type: string}, purrs: {type: boolean}}}, \
         Dog: {type: object, required: [kind], properties: {kind: {type: string}, barks: {type: boolean}}}";
    let cat = "{$ref: '#/components/schemas/Cat'}";
    let both = "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]}";
    let named = "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind}}";
    let mapped = "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind, mapping: {cat: Cat, dog: Dog}}}";
    let level = |base: &str, revision: &str, request| {
        let comparison =
            between(&document(base, components, request), &document(revision, components, request));
        comparison.findings.iter().map(|finding| finding.level).min().unwrap_or(Level::Safe)
    };
    assert_eq!(level(cat, both, true), Level::Safe);
    assert_eq!(level(cat, both, false), Level::Breaking);
    assert_eq!(level(both, cat, true), Level::Breaking);
    assert_eq!(level(both, cat, false), Level::Safe);
    assert_eq!(level(both, named, true), Level::Breaking);
    assert_eq!(level(named, mapped, true), Level::Breaking);
    assert_eq!(level(named, mapped, false), Level::Breaking);
}

#[test]
fn witnesses_are_whole_bodies_that_one_document_accepts() {
    let list = |most: u32| {
        format!(
            "{{type: object, required: [items], properties: {{items: {{type: array, minItems: 1, items: {{type: object, required: [name], properties: {{name: {{type: string, maxLength: {most}}}}}}}}}}}}}"
        )
    };
    let comparison = between(&document(&list(9), "", true), &document(&list(3), "", true));
    let [finding] = comparison.findings.as_slice() else { panic!("{:#?}", comparison.findings) };
    assert_eq!(finding.uses[0].place, "request body application/json › .items[].name");
    let Some(Witness::Value { place, value, .. }) = &finding.witness else { panic!("{finding:#?}") };
    assert_eq!(place, "request body application/json");
    let name = value["items"].as_array().and_then(|items| {
        items.iter().filter_map(|item| item["name"].as_str()).map(|name| name.chars().count()).max()
    });
    assert!(name.is_some_and(|length| (4..=9).contains(&length)), "{value}");
}

#[test]
fn shared_schemas_make_one_finding_with_all_its_uses() {
    let text = |most: u32| {
        format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a: {{put: {{requestBody: {{$ref: '#/components/requestBodies/R'}}, responses: {{}}}}}}\n  /b: {{put: {{requestBody: {{$ref: '#/components/requestBodies/R'}}, responses: {{}}}}}}\ncomponents: {{requestBodies: {{R: {{content: {{application/json: {{schema: {{type: string, maxLength: {most}}}}}}}}}}}}}\n"
        )
    };
    let comparison = between(&text(5), &text(4));
    let [finding] = comparison.findings.as_slice() else { panic!("{:#?}", comparison.findings) };
    let operations: Vec<&str> = finding.uses.iter().map(|used| used.operation.as_str()).collect();
    assert_eq!(operations, ["PUT /a", "PUT /b"]);
    assert_eq!(finding.revision.as_ref().map(|location| location.line), Some(6));
    let shifted = between(&format!("# one line more\n{}", text(5)), &text(4));
    assert_eq!(shifted.findings[0].id, finding.id, "lines do not count");
}

fn changelog(text: &str) -> Changelog {
    Changelog::parse(text).expect("it is well formed")
}

/// Returns a document with one operation and the given members of its path item.
fn path(item: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /things/{{id}}: {{{item}}}\n")
}

/// Returns the rules of breaking findings, and whether the comparison is breaking.
fn broken(base: &str, revision: &str, policy: &Policy) -> (Vec<&'static str>, bool) {
    let comparison = compare(&read(base), &read(revision), policy);
    let breaking = comparison.findings.iter().filter(|finding| finding.breaks());
    (breaking.map(|finding| finding.rule.id).collect(), comparison.is_breaking())
}

#[test]
fn deprecated_parts_may_be_removed_after_their_sunset() {
    let operation = |words: &str| path(&format!("get: {{operationId: getThing, {words} responses: {{}}}}"));
    let gone = path("");
    let law = law();
    let project = |text: &str| Policy::project(law.today, changelog(text));
    let past = operation("deprecated: true, x-sunset: '2026-11-20',");
    let future = operation("deprecated: true, x-sunset: '2026-11-22',");
    assert_eq!(broken(&operation(""), &gone, &law).0, ["operation-removed"]);
    assert_eq!(broken(&operation("deprecated: true,"), &gone, &law).0, [""; 0]);
    assert_eq!(
        broken(&operation("deprecated: true,"), &gone, &project("getThing is removed")).0,
        ["operation-removed"]
    );
    assert_eq!(broken(&past, &gone, &law), (vec![], false));
    assert_eq!(broken(&past, &gone, &project("getThing is removed")), (vec![], false));
    assert_eq!(broken(&past, &gone, &project("")).0, ["removed-without-notice", "operation-removed"]);
    assert_eq!(broken(&future, &gone, &law).0, ["removed-before-sunset", "operation-removed"]);
    assert_eq!(broken(&operation("deprecated: true, x-sunset: soon,"), &gone, &law).0[0], "sunset-invalid");
}

#[test]
fn a_deprecation_leaves_the_notice_that_was_promised() {
    let operation = |words: &str| path(&format!("get: {{{words} responses: {{}}}}"));
    let project = Policy::project(law().today, changelog(""));
    let plain = operation("");
    let dated = |date: &str| operation(&format!("deprecated: true, x-sunset: '{date}',"));
    assert_eq!(broken(&plain, &operation("deprecated: true,"), &project).0, ["sunset-missing"]);
    assert_eq!(broken(&plain, &operation("deprecated: true,"), &law()).0, [""; 0]);
    assert_eq!(broken(&plain, &dated("2027-11-20"), &project).0, ["sunset-too-soon"]);
    assert_eq!(broken(&plain, &dated("2027-11-21"), &project).0, [""; 0]);
    assert_eq!(broken(&dated("2029-01-01"), &dated("2027-01-01"), &project).0, ["sunset-moved"]);
    assert_eq!(broken(&dated("2029-01-01"), &dated("2030-01-01"), &project).0, [""; 0]);
    assert_eq!(broken(&dated("2029-01-01"), &operation("deprecated: true,"), &law()).0, ["sunset-removed"]);
    let optional = path("get: {parameters: [{name: q, in: query, schema: {}}], responses: {}}");
    assert_eq!(broken(&optional, &plain, &project).0, ["removed-without-notice"]);
    assert_eq!(broken(&optional, &plain, &law()).0, [""; 0]);
}

#[test]
fn open_enumerations_may_grow() {
    let level = |base: &str, revision: &str, request| {
        let comparison = between(&document(base, "", request), &document(revision, "", request));
        comparison.findings.iter().map(|finding| finding.level).min().unwrap_or(Level::Safe)
    };
    for (few, more) in [
        (
            "{type: string, enum: [a], x-extensible-enum: true}",
            "{type: string, enum: [a, b], x-extensible-enum: true}",
        ),
        ("{type: string, x-extensible-enum: [a]}", "{type: string, x-extensible-enum: [a, b]}"),
    ] {
        assert_eq!((level(few, more, true), level(few, more, false)), (Level::Safe, Level::Safe), "{more}");
        assert_eq!(
            (level(more, few, true), level(more, few, false)),
            (Level::Breaking, Level::Safe),
            "{few}"
        );
    }
}

#[test]
fn unstable_parts_may_change() {
    let text = |level: &str, most: u32| {
        path(&format!(
            "get: {{x-stability-level: {level}, parameters: [{{name: q, in: query, schema: {{type: string, maxLength: {most}}}}}], responses: {{}}}}"
        ))
    };
    let project = Policy::project(law().today, changelog(""));
    assert_eq!(broken(&text("stable", 5), &text("stable", 4), &project).0, ["max-length"]);
    assert_eq!(broken(&text("beta", 5), &text("beta", 4), &project).0, [""; 0]);
    assert_eq!(broken(&text("beta", 5), &text("beta", 4), &law()).0, ["max-length"]);
    assert_eq!(broken(&text("alpha", 5), &text("stable", 4), &law()).0, [""; 0]);
    assert_eq!(broken(&text("stable", 5), &text("draft", 5), &law()).0, ["stability-decreased"]);
    assert_eq!(broken(&text("stable", 5), &text("good", 5), &law()).0, ["stability-invalid"]);
}

#[test]
fn parameters_and_headers_have_a_stability_of_their_own() {
    let project = Policy::project(law().today, changelog(""));
    let parameter = |level: &str, most: u32| {
        path(&format!(
            "get: {{parameters: [{{name: q, in: query{level}, schema: {{type: string, maxLength: {most}}}}}], responses: {{}}}}"
        ))
    };
    let header = |level: &str, least: u32| {
        path(&format!(
            "get: {{responses: {{'200': {{description: a, headers: {{X-A: {{required: true{level}, schema: {{type: string, minLength: {least}}}}}}}}}}}}}"
        ))
    };
    let (beta, none) = (", x-stability-level: beta", "");
    assert_eq!(broken(&parameter(none, 5), &parameter(none, 4), &project).0, ["max-length"]);
    assert_eq!(broken(&parameter(beta, 5), &parameter(beta, 4), &project).0, [""; 0]);
    assert_eq!(broken(&parameter(beta, 5), &parameter(beta, 4), &law()).0, ["max-length"]);
    assert_eq!(
        broken(&parameter(none, 5), &parameter(beta, 4), &project).0,
        ["stability-decreased", "max-length"]
    );
    assert_eq!(broken(&header(none, 5), &header(none, 4), &project).0, ["min-length"]);
    assert_eq!(broken(&header(beta, 5), &header(beta, 4), &project).0, [""; 0]);
    // One that may change may also be removed.
    let without = path("get: {responses: {'200': {description: a}}}");
    assert!(!broken(&header(none, 5), &without, &project).0.is_empty());
    assert_eq!(broken(&header(beta, 5), &without, &project).0, [""; 0]);
}

#[test]
fn the_changelog_exempts_a_security_fix_by_its_id() {
    let text = |most: u32| {
        path(&format!(
            "get: {{parameters: [{{name: q, in: query, schema: {{type: string, maxLength: {most}}}}}], responses: {{}}}}"
        ))
    };
    let (base, revision) = (text(9), text(5));
    let id = between(&base, &revision).findings[0].id.clone();
    let project = |text: String| Policy::project(law().today, changelog(&text));
    assert!(broken(&base, &revision, &project(format!("- Security: `{id}`, too long names"))).0.is_empty());
    assert!(broken(&base, &revision, &project(format!("- Changed: `{id}`"))).1);
    assert!(broken(&base, &revision, &project(format!("- Security: `{id}0`"))).1);
}

#[test]
fn paths_are_matched_without_the_names_of_their_parameters() {
    let base = path(
        "get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {}}",
    );
    let revision = base.replace("{id}", "{thing}").replace("name: id", "name: thing");
    let comparison = between(&base, &revision);
    let rules: Vec<&str> = comparison.findings.iter().map(|finding| finding.rule.id).collect();
    assert_eq!(rules, ["path-parameter-renamed"]);
    assert!(!comparison.is_breaking());
}

#[test]
fn scalars_are_text_in_parameters_and_callbacks_turn_directions_around() {
    let parameter = |schema: &str| {
        path(&format!("get: {{parameters: [{{name: q, in: query, schema: {schema}}}], responses: {{}}}}"))
    };
    assert!(!between(&parameter("{type: integer}"), &parameter("{type: string}")).is_breaking());
    assert!(between(&parameter("{type: string}"), &parameter("{type: integer}")).is_breaking());
    assert!(between(&parameter("{type: integer}"), &parameter("{type: string, format: uuid}")).is_breaking());
    let callback = |most: u32| {
        path(&format!(
            "get: {{responses: {{}}, callbacks: {{done: {{'{{$url}}': {{post: {{requestBody: {{content: {{application/json: {{schema: {{type: string, maxLength: {most}}}}}}}}}, responses: {{}}}}}}}}}}}}"
        ))
    };
    assert!(between(&callback(5), &callback(9)).is_breaking(), "clients get longer texts than they know");
    assert!(!between(&callback(9), &callback(5)).is_breaking());
}

#[test]
fn sufficient_credentials_stay_sufficient() {
    let text = |security: &str| {
        path(&format!("get: {{security: {security}, responses: {{}}}}"))
            + "components: {securitySchemes: {a: {type: http, scheme: basic}, b: {type: http, scheme: bearer}}}\n"
    };
    let is_breaking = |base: &str, revision: &str| between(&text(base), &text(revision)).is_breaking();
    for (loose, tight) in [
        ("[]", "[{a: []}]"),
        ("[{}, {a: []}]", "[{a: []}]"),
        ("[{a: []}, {b: []}]", "[{a: []}]"),
        ("[{a: []}]", "[{a: [], b: []}]"),
        ("[{a: [x]}]", "[{a: [x, y]}]"),
    ] {
        assert!(is_breaking(loose, tight), "{loose} to {tight}");
        assert!(!is_breaking(tight, loose), "{tight} to {loose}");
    }
    assert!(is_breaking("[{a: []}]", "[{b: []}]"));
    assert!(!is_breaking("[{a: [], b: []}]", "[{b: [], a: []}]"));
}

#[test]
fn files_and_components_may_move() {
    let root = |place: &str| {
        format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: '1'}}\npaths:\n  /a: {{get: {{responses: {{'200': {{description: A, content: {{application/json: {{schema: {{$ref: '{place}'}}}}}}}}}}}}}}\n"
        )
    };
    let schema = "{type: object, properties: {next: {$ref: '#/components/schemas/A'}, name: {type: string}}}";
    let several = MemoryLoader::new()
        .with("api.yaml", root("parts/a.yaml#/components/schemas/A"))
        .with("parts/a.yaml", format!("components: {{schemas: {{A: {schema}}}}}\n"));
    let (several, _) = Document::read("api.yaml", &several);
    let one =
        read(&(root("#/components/schemas/A") + &format!("components: {{schemas: {{A: {schema}}}}}\n")));
    let comparison = compare(&several.expect("it is a document"), &one, &law());
    // The bundles, which are published, are equal.
    assert!(comparison.findings.is_empty() && !comparison.differs, "{:#?}", comparison.findings);
}

#[test]
fn recursive_compositions_terminate() {
    let names: Vec<String> = (0..12).map(|number| format!("S{number}")).collect();
    let all: Vec<String> =
        names.iter().map(|name| format!("{{$ref: '#/components/schemas/{name}'}}")).collect();
    let components = |most: u32| {
        let each = names.iter().map(|name| {
            format!(
                "{name}: {{anyOf: [{}], maxLength: {most}, properties: {{next: {{oneOf: [{}]}}}}}}",
                all.join(", "),
                all.join(", ")
            )
        });
        each.collect::<Vec<_>>().join(", ")
    };
    let text = |most| document("{$ref: '#/components/schemas/S0'}", &components(most), true);
    assert!(between(&text(9), &text(9)).findings.is_empty());
    assert!(between(&text(9), &text(8)).is_breaking());
}
