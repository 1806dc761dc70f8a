//! Missing upper bounds in requests.

use frontdesk_document::NodeRef;

use super::directions::Directions;
use super::finding::Drafts;
use super::rules::{UNBOUNDED_ARRAY, UNBOUNDED_STRING};
use super::survey::{Place, Survey, text};
use crate::oracle::kind;

/// Formats whose values have a limited length.
const BOUNDED: &[&str] = &["date", "date-time", "ipv4", "ipv6", "time", "uuid"];

/// Checks the schemas of requests.
pub(super) fn check<'d>(survey: &Survey<'d>, drafts: &mut Drafts<'d>) {
    for schema in survey.schemas.iter().filter(|schema| schema.directions.holds(Directions::REQUEST)) {
        let node = schema.node;
        let name = match node.key().filter(|_| schema.place != Place::Inline) {
            Some(key) => format!(" `{}`", key.text),
            None => String::new(),
        };
        match kind(node) {
            Some("array") if node.get("maxItems").is_none() => {
                let message = format!("the request array{name} has no `maxItems`");
                drafts.report(UNBOUNDED_ARRAY, node, message, "add `maxItems`");
            }
            Some("string") if !is_bounded(node) => {
                let message = format!("the request string{name} has no `maxLength`");
                drafts.report(UNBOUNDED_STRING, node, message, "add `maxLength`");
            }
            _ => {}
        }
    }
}

fn is_bounded(schema: NodeRef<'_>) -> bool {
    ["maxLength", "enum", "const"].iter().any(|key| schema.get(key).is_some())
        || text(schema, "format").is_some_and(|format| BOUNDED.contains(&format))
        || text(schema, "pattern").is_some_and(is_finite)
}

/// Returns whether a pattern matches only whole texts and has no unbounded repetition.
fn is_finite(pattern: &str) -> bool {
    pattern.starts_with('^')
        && pattern.ends_with('$')
        && !pattern.contains(['*', '+', '|'])
        && !pattern.contains(",}")
}

#[cfg(test)]
mod tests {
    use super::is_finite;

    #[test]
    fn a_pattern_bounds_a_text_if_nothing_repeats_without_end() {
        for (pattern, finite) in [
            ("^[a-z]{2}$", true),
            ("^a?b{1,3}$", true),
            ("^a+$", false),
            ("a", false),
            ("^a{2,}$", false),
            ("^a|b$", false),
        ] {
            assert_eq!(is_finite(pattern), finite, "{pattern}");
        }
    }
}
