//! Tests of the keys that say how long a part lasts, and of the parts by which clients follow the pages of a
//! list.

use frontdesk_contract::changelog::Changelog;
use frontdesk_contract::compat::{Comparison, Finding, Level, Policy, compare};
use frontdesk_document::{Document, MemoryLoader};

fn read(text: &str) -> Document {
    let (document, problems) = Document::read("api.yaml", &MemoryLoader::new().with("api.yaml", text));
    document.unwrap_or_else(|| panic!("{}\n{text}", problems.render(problems.sources(), false)))
}

fn between(base: &str, revision: &str) -> Comparison {
    compare(&read(base), &read(revision), &Policy::plain("2026-11-21".parse().expect("a date")))
}

/// Returns a document with these operations at one path.
fn parcels(operations: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: Parcels, version: '1'}}\npaths:\n  /parcels:\n{operations}\n")
}

fn of_rule(comparison: &Comparison, rule: &str) -> Vec<Finding> {
    comparison.findings.iter().filter(|finding| finding.rule.id == rule).cloned().collect()
}

#[test]
fn an_unknown_stability_level_is_reported_wherever_it_is_new() {
    let get = "    get: {responses: {'200': {description: Parcels}}}";
    for (part, added) in [
        ("operation", format!("{get}\n    put: {{x-stability-level: stabel, responses: {{'204': {{description: Done}}}}}}")),
        ("operation that exists", get.replace("{responses", "{x-stability-level: stabel, responses")),
        (
            "parameter",
            get.replace(
                "{responses",
                "{parameters: [{name: a, in: query, x-stability-level: stabel, schema: {type: string}}], responses",
            ),
        ),
        (
            "header",
            get.replace(
                "{description: Parcels}",
                "{description: Parcels, headers: {X-A: {x-stability-level: stabel, schema: {type: string}}}}",
            ),
        ),
    ] {
        let comparison = between(&parcels(get), &parcels(&added));
        let found = of_rule(&comparison, "stability-invalid");
        let [finding] = found.as_slice() else { panic!("{part}: {:#?}", comparison.findings) };
        assert_eq!(finding.level, Level::Breaking, "{part}");
        assert!(finding.message.contains("`stabel`"), "{part}: {}", finding.message);
        assert!(of_rule(&between(&parcels(&added), &parcels(&added)), "stability-invalid").is_empty(), "{part}");
    }
}

#[test]
fn messages_name_the_sunset() {
    let get =
        |keys: &str| parcels(&format!("    get: {{{keys}responses: {{'200': {{description: Parcels}}}}}}"));
    let sunset = |date: &str| get(&format!("deprecated: true, x-sunset: {date}, "));
    for (base, revision, rule, date) in [
        (get(""), sunset("'2026-12-01'"), "sunset-too-soon", "2026-12-01"),
        (get(""), sunset("soon"), "sunset-invalid", "soon"),
        (sunset("soon"), sunset("'2028-01-31'"), "sunset-invalid", "soon"),
        (sunset("'2028-01-31'"), get("deprecated: true, "), "sunset-removed", "2028-01-31"),
    ] {
        let policy = Policy::project("2026-11-21".parse().expect("a date"), Changelog::default());
        let comparison = compare(&read(&base), &read(&revision), &policy);
        let found = of_rule(&comparison, rule);
        let [finding] = found.as_slice() else { panic!("{rule}: {:#?}", comparison.findings) };
        assert!(finding.message.contains(date), "{}", finding.message);
    }
}

#[test]
fn clients_that_follow_pages_need_what_they_follow() {
    let list = |parameter: &str, next: &str, items: &str| {
        parcels(&format!(
            "    get:\n      x-pagination: {{style: cursor, parameter: {parameter}, next: page.{next}, items: {items}}}\n      parameters: [{{name: {parameter}, in: query, schema: {{type: string}}}}]\n      responses: {{'200': {{description: Parcels, content: {{application/json: {{schema: {{allOf: [{{type: object, properties: {{page: {{type: object, properties: {{{next}: {{type: string}}}}}}}}}}, {{type: object, properties: {{{items}: {{type: array, items: {{type: string}}}}}}}}]}}}}}}}}}}"
        ))
    };
    let base = list("cursor", "next", "data");
    assert!(of_rule(&between(&base, &base), "pagination-lost").is_empty());
    for (revision, name) in [
        (list("cursor", "more", "data"), "`page.next`"),
        (list("cursor", "next", "list"), "`data`"),
        (list("after", "next", "data"), "`cursor`"),
    ] {
        let comparison = between(&base, &revision);
        let found = of_rule(&comparison, "pagination-lost");
        let [finding] = found.as_slice() else { panic!("{name}: {:#?}", comparison.findings) };
        assert_eq!(finding.level, Level::Breaking);
        assert!(finding.message.contains(name) && finding.witness.is_some(), "{finding:#?}");
    }
    // Another member beside the old one breaks nobody.
    let beside = base.replace("{next: {type: string}}", "{next: {type: string}, more: {type: string}}");
    let beside = beside.replace("next: page.next", "next: page.more");
    assert!(of_rule(&between(&base, &beside), "pagination-lost").is_empty());
}
