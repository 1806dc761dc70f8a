//! Tests of completeness: every edit that the object model of OpenAPI 3.0 allows is reported by a rule, or
//! exempt with a reason.
//!
//! The edits are derived from a table of the model: each field of each object can be added, removed and
//! changed. A second table lists the rules for each field, with values to make the edits with. Every edit is
//! made.

mod document;
mod table;

use std::collections::BTreeSet;

use frontdesk_contract::compat::{Policy, RULES, compare};
use serde_json::Value;

use self::document::with;
use self::table::{MODEL, ROWS, Row};

/// Rules that no edit of a single field triggers; other tests cover them.
const ELSEWHERE: &[&str] = &[
    "alternative-removed",
    "enum-closed",
    "enum-opened",
    "limit-reached",
    "notice-too-short",
    "pagination-lost",
    "path-parameter-moved",
    "path-parameter-renamed",
    "property-became-readable",
    "property-became-write-only",
    "property-refused",
    "removed-before-sunset",
    "removed-without-notice",
    "schema-keyword",
    "required-property-added",
    "required-property-removed",
    "rust-interface",
    "typescript-interface",
    "stability-invalid",
    "sunset-invalid",
    "sunset-missing",
    "sunset-moved",
    "sunset-removed",
    "sunset-too-soon",
];

/// Returns the possible edits of a field.
const EDITS: [char; 3] = ['+', '-', '~'];

fn edits(field: &str) -> &'static [char] {
    if field.ends_with('!') { &EDITS[2..] } else { &EDITS }
}

/// Returns the fields of the model, as `Object.field`, with their edits.
fn fields() -> Vec<(String, &'static [char])> {
    MODEL
        .iter()
        .flat_map(|(object, fields)| {
            fields
                .split_whitespace()
                .map(move |field| (format!("{object}.{}", field.trim_end_matches('!')), edits(field)))
        })
        .collect()
}

/// Returns the rules of a row for an edit, each with its alternatives.
fn rules(row: &Row, edit: char) -> Vec<Vec<&'static str>> {
    row.rules
        .split_whitespace()
        .filter_map(|rule| match rule.chars().next() {
            Some(first) if EDITS.contains(&first) => (first == edit).then(|| &rule[1..]),
            _ => Some(rule),
        })
        .map(|rule| rule.split('|').collect())
        .collect()
}

/// Returns the rules of the findings if a field changes from one value to another.
fn found(row: &Row, from: Option<&Value>, to: Option<&Value>) -> Option<BTreeSet<&'static str>> {
    let field = row.field.split_once('.').map_or(row.field, |(_, field)| field);
    let name = match field {
        "<path>" => "/new",
        "<status>" => "418",
        "<expression>" => "{$request.body#/new}",
        "<scheme>" => "plain",
        field => field,
    };
    let (base, revision) = (with(row.place, name, from)?, with(row.place, name, to)?);
    let policy = Policy::plain("2026-11-21".parse().expect("a date"));
    let comparison = compare(&base, &revision, &policy);
    for finding in &comparison.findings {
        assert!(finding.base.is_some() && finding.revision.is_some(), "{}: {finding:?}", row.field);
    }
    Some(comparison.findings.iter().map(|finding| finding.rule.id).collect())
}

/// Returns what is wrong with the coverage of an edit.
fn faults(row: &Row, edit: char) -> Vec<String> {
    let value = |text: &str| (!text.is_empty()).then(|| serde_json::from_str::<Value>(text).expect("JSON"));
    let (Some(first), Some(second)) = (value(row.values.0), value(row.values.1)) else {
        return if row.waived.is_empty() { vec![format!("{}: no values", row.field)] } else { Vec::new() };
    };
    let ways = match edit {
        '+' => vec![(None, Some(&first))],
        '-' => vec![(Some(&first), None)],
        _ => vec![(Some(&first), Some(&second)), (Some(&second), Some(&first))],
    };
    let wanted = rules(row, edit);
    if wanted.is_empty() && row.waived.is_empty() {
        return vec![format!("{} {edit}: neither covered nor waived", row.field)];
    }
    let mut faults = Vec::new();
    for (from, to) in ways {
        let Some(found) = found(row, from, to) else {
            if !wanted.is_empty() {
                faults.push(format!("{} {edit}: no document", row.field));
            }
            continue;
        };
        let missing = wanted.iter().any(|any| !any.iter().any(|rule| found.contains(rule)));
        if missing || (wanted.is_empty() && !found.is_empty()) {
            faults.push(format!("{} {edit}: wanted {wanted:?}, found {found:?}", row.field));
        }
    }
    faults
}

#[test]
fn every_field_of_the_model_has_one_row() {
    let fields: Vec<String> = fields().into_iter().map(|(field, _)| field).collect();
    let rows: Vec<&str> = ROWS.iter().map(|row| row.field).collect();
    for field in &fields {
        assert_eq!(rows.iter().filter(|row| *row == field).count(), 1, "{field}");
    }
    for row in rows {
        assert!(fields.iter().any(|field| field == row), "{row} is no field of the model");
    }
}

#[test]
fn every_edit_is_reported_or_exempt() {
    let mut all = Vec::new();
    for (field, edits) in fields() {
        let Some(row) = ROWS.iter().find(|row| row.field == field) else { continue };
        for edit in edits {
            all.extend(faults(row, *edit));
        }
    }
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn every_rule_is_shown_by_an_edit_or_by_another_test() {
    let shown: BTreeSet<&str> =
        ROWS.iter().flat_map(|row| EDITS.iter().flat_map(|edit| rules(row, *edit))).flatten().collect();
    for rule in RULES {
        assert!(shown.contains(rule.id) != ELSEWHERE.contains(&rule.id), "{}", rule.id);
    }
    for rule in shown.iter().chain(ELSEWHERE) {
        assert!(RULES.iter().any(|known| known.id == *rule), "{rule} is no rule");
    }
}
