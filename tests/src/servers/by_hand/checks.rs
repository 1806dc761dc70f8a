//! Handwritten checks: every rule of the document, with all failing fields in one response.
//!
//! Formats and the pattern are the runtime's, as a library for them would be: what a format costs is not in
//! question.

use super::wire::{NewWidget, Part};
use frontdesk_runtime::check::{Format, pattern};
use std::collections::BTreeMap;

type Errors = BTreeMap<String, Vec<String>>;

/// Every rule that a widget breaks, by field.
pub(super) fn of_widget(widget: &NewWidget) -> Errors {
    let mut errors = Errors::new();
    let mut fail = |field: &str, rule: &str| {
        errors.entry(field.to_owned()).or_default().push(rule.to_owned());
    };
    if widget.name.is_empty() {
        fail("name", "must have at least 1 character");
    }
    if widget.name.chars().count() > 12 {
        fail("name", "must have at most 12 characters");
    }
    if let Some(code) = &widget.code
        && !pattern!("^[A-Z]{2}-\\d+$").is_match(code)
    {
        fail("code", "must match the pattern ^[A-Z]{2}-\\d+$");
    }
    if let Some(weight) = widget.weight {
        if weight <= 0.0 {
            fail("weight", "must be more than 0");
        }
        if weight >= 1000.0 {
            fail("weight", "must be less than 1000");
        }
        let steps = weight / 0.01;
        if (steps - steps.round()).abs() > 1e-9 * steps.abs().max(1.0) {
            fail("weight", "must be a multiple of 0.01");
        }
    }
    if let Some(count) = widget.count {
        if count < -5 {
            fail("count", "must be at least -5");
        }
        if count > 5 {
            fail("count", "must be at most 5");
        }
        if count % 5 != 0 {
            fail("count", "must be a multiple of 5");
        }
    }
    if let Some(tags) = &widget.tags {
        if tags.is_empty() {
            fail("tags", "must have at least 1 entry");
        }
        if tags.len() > 3 {
            fail("tags", "must have at most 3 entries");
        }
        for (second, tag) in tags.iter().enumerate() {
            if let Some(first) = tags[..second].iter().position(|earlier| earlier == tag) {
                let rule =
                    format!("must not hold the same entry twice, as at positions {first} and {second}");
                fail("tags", &rule);
                break;
            }
        }
        for (index, tag) in tags.iter().enumerate() {
            if tag.chars().count() > 5 {
                fail(&format!("tags.{index}"), "must have at most 5 characters");
            }
        }
    }
    for (field, value, format) in [
        ("contact", &widget.contact, Format::Email),
        ("homepage", &widget.homepage, Format::Uri),
        ("host", &widget.host, Format::Hostname),
    ] {
        if value.as_ref().is_some_and(|text| !format.matches(text)) {
            fail(field, format.rule());
        }
    }
    if widget.secret.as_ref().is_some_and(|secret| secret.chars().count() < 8) {
        fail("secret", "must have at least 8 characters");
    }
    for (index, part) in widget.parts.iter().enumerate() {
        of_part(part, &format_args!("parts.{index}"), &mut fail);
    }
    errors
}

fn of_part(part: &Part, at: &dyn std::fmt::Display, fail: &mut dyn FnMut(&str, &str)) {
    if part.name.is_empty() {
        fail(&format!("{at}.name"), "must have at least 1 character");
    }
    if let Some(inside) = &part.inside {
        of_part(inside, &format_args!("{at}.inside"), fail);
    }
    for (index, part) in part.parts.iter().flatten().enumerate() {
        of_part(part, &format_args!("{at}.parts.{index}"), fail);
    }
}

/// Every rule that the length of a page breaks.
pub(super) fn of_limit(limit: i32) -> Errors {
    let mut errors = Errors::new();
    if limit < 1 {
        errors.entry("limit".to_owned()).or_default().push("must be at least 1".to_owned());
    }
    if limit > 100 {
        errors.entry("limit".to_owned()).or_default().push("must be at most 100".to_owned());
    }
    errors
}
