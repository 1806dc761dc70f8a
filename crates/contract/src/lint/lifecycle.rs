//! Extension keys about provenance, stability and deprecation.

use frontdesk_document::NodeRef;
use jiff::civil::Date;

use super::finding::Drafts;
use super::rules::{
    DEPRECATED_WITHOUT_SUNSET, DESIGNED_BOUNDS, EXTENSION_UNKNOWN, MALFORMED_PROVENANCE, MALFORMED_STABILITY,
    MALFORMED_SUNSET, MISSING_PROVENANCE, MISSING_STABILITY,
};
use super::survey::{Place, Survey, flag, text};

const PROVENANCE: &str = "x-provenance";
const STABILITY: &str = "x-stability-level";

/// The supported extension keys, in the order of the table in `spec/README.md`.
const KNOWN: &[&str] = &[
    PROVENANCE,
    "x-designed-bounds",
    "x-designed-values",
    STABILITY,
    "x-extensible-enum",
    "x-sunset",
    "x-rust-name",
    "x-rust-type",
    "x-pattern-rule",
    "x-pagination",
    "x-webhooks",
    "x-idempotent",
    "x-server-only",
    "x-policy",
    "x-operation-constants",
    "x-lint-allow",
];

/// Checks the extension keys.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for object in &survey.objects {
        provenance(*object, drafts);
        sunset(*object, drafts);
        designed_bounds(*object, drafts);
        for (key, value) in object.members().filter(|(key, _)| key.starts_with("x-") && !KNOWN.contains(key))
        {
            let hint = "correct the key, or add it to the table in `spec/README.md`";
            drafts.report(EXTENSION_UNKNOWN, value, format!("`{key}` is not a known extension key"), hint);
        }
    }
    for operation in &survey.operations {
        if operation.node.get(PROVENANCE).is_none() {
            let message = format!("{} has no `{PROVENANCE}`", operation.name());
            drafts.report(MISSING_PROVENANCE, operation.node, message, "write `given`, or `designed`");
        }
        // A missing stability of something `designed` is reported elsewhere.
        if operation.node.get(STABILITY).is_none() && text(operation.node, PROVENANCE) != Some("designed") {
            let message = format!("{} has no `{STABILITY}`", operation.name());
            drafts.report(MISSING_STABILITY, operation.node, message, "write `stable` or `beta`");
        }
    }
    for schema in survey.schemas.iter().filter(|schema| schema.place == Place::Component) {
        if schema.node.get(PROVENANCE).is_none() {
            let name = schema.node.key().map_or("", |key| key.text);
            let message = format!("the schema `{name}` has no `{PROVENANCE}`");
            drafts.report(MISSING_PROVENANCE, schema.node, message, "write `given`, or `designed`");
        }
    }
}

fn provenance<'d>(object: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let origin = object.get(PROVENANCE);
    if let Some(origin) = origin.filter(|origin| !matches!(origin.as_str(), Some("given" | "designed"))) {
        let message = format!("`{PROVENANCE}` is neither `given` nor `designed`");
        drafts.report(MALFORMED_PROVENANCE, origin, message, "write one of the two");
    }
    let level = object.get(STABILITY);
    if let Some(level) = level.filter(|level| !matches!(level.as_str(), Some("stable" | "beta"))) {
        let message = format!("`{STABILITY}` is neither `stable` nor `beta`");
        drafts.report(MALFORMED_STABILITY, level, message, "write one of the two");
    }
    if level.is_none() && origin.and_then(NodeRef::as_str) == Some("designed") {
        let message = format!("a `designed` part has no `{STABILITY}`");
        drafts.report(
            MISSING_STABILITY,
            object,
            message,
            "write `beta`; a decision in the changelog makes it `stable`",
        );
    }
}

fn sunset<'d>(object: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    let deprecated = flag(object, "deprecated");
    match object.get("x-sunset") {
        None if deprecated => {
            let hint = "add `x-sunset` with the earliest date of removal, such as `2027-01-31`";
            drafts.report(DEPRECATED_WITHOUT_SUNSET, object, "a deprecated part has no `x-sunset`", hint);
        }
        Some(sunset) if sunset.as_str().is_none_or(|date| date.parse::<Date>().is_err()) => {
            drafts.report(
                MALFORMED_SUNSET,
                sunset,
                "`x-sunset` is not a date",
                "write it as `2027-01-31`, in quotes",
            );
        }
        Some(sunset) if !deprecated => {
            let hint = "add `deprecated: true`, or remove the date";
            drafts.report(
                MALFORMED_SUNSET,
                sunset,
                "`x-sunset` is set on a part that is not deprecated",
                hint,
            );
        }
        _ => {}
    }
}

fn designed_bounds<'d>(object: NodeRef<'d>, drafts: &mut Drafts<'d>) {
    for keyword in object.get("x-designed-bounds").into_iter().flat_map(NodeRef::items) {
        let name = keyword.as_str().unwrap_or_default();
        let schema = object.get("schema").unwrap_or(object);
        if schema.get(name).is_none() {
            let message = format!("`x-designed-bounds` lists `{name}`, which the schema does not have");
            drafts.report(DESIGNED_BOUNDS, keyword, message, "remove it from the list, or add the keyword");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KNOWN;

    #[test]
    fn the_keys_are_those_that_are_documented() {
        let documented = include_str!("../../../../spec/README.md");
        let rows = documented.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
        let keys: Vec<&str> = rows.filter(|key| key.starts_with("x-")).collect();
        assert_eq!(keys, KNOWN);
    }
}
