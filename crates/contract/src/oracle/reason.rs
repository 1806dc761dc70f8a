//! What is wrong with a value, in words: without the value itself, and without how schemas are translated.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// The number of allowed values that are listed.
const LISTED: usize = 6;

/// Returns the reason as a predicate, such as "is longer than 20 characters", and the pointer of the value.
pub(super) fn reason(error: &ValidationError<'_>) -> (String, String) {
    match beside_null(error).and_then(<[_]>::first) {
        Some(first) => reason(first),
        None => (in_words(error.kind()), error.instance_path().to_string()),
    }
}

/// Returns the errors of the alternative to `null`: `nullable` is translated to a choice between `null` and
/// the rest, of which only the rest is meant.
pub(super) fn beside_null<'e>(error: &'e ValidationError<'_>) -> Option<&'e [ValidationError<'static>]> {
    match error.kind() {
        ValidationErrorKind::AnyOf { context } => match context.as_slice() {
            [null, rest] if null.iter().any(only_null) => Some(rest),
            _ => None,
        },
        _ => None,
    }
}

fn only_null(error: &ValidationError<'_>) -> bool {
    matches!(error.kind(), ValidationErrorKind::Enum { options } if is_only_null(options))
}

fn is_only_null(options: &Value) -> bool {
    options.as_array().is_some_and(|options| matches!(options.as_slice(), [Value::Null]))
}

fn in_words(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Kind;
    let count =
        |count: &u64, one: &str, many: &str| format!("{count} {}", if *count == 1 { one } else { many });
    match kind {
        Kind::AdditionalProperties { unexpected } => {
            let names: Vec<String> = unexpected.iter().map(|name| format!("`{name}`")).collect();
            format!("has {}, which is not allowed", names.join(", "))
        }
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "matches none of the alternatives".to_owned(),
        Kind::OneOfMultipleValid { .. } => "matches several alternatives of `oneOf`".to_owned(),
        Kind::Enum { options } if is_only_null(options) => "is not `null`".to_owned(),
        Kind::Enum { options } => {
            let all: Vec<String> =
                options.as_array().into_iter().flatten().map(|value| format!("`{value}`")).collect();
            let more = if all.len() > LISTED { ", …" } else { "" };
            format!("is none of {}{more}", all[..all.len().min(LISTED)].join(", "))
        }
        Kind::Constant { expected_value } => format!("is not `{expected_value}`"),
        Kind::Maximum { limit } => format!("is greater than {limit}"),
        Kind::Minimum { limit } => format!("is less than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("is not less than {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("is not greater than {limit}"),
        Kind::MultipleOf { multiple_of, .. } => format!("is not a multiple of {multiple_of}"),
        Kind::MaxLength { limit } => format!("is longer than {}", count(limit, "character", "characters")),
        Kind::MinLength { limit } => format!("is shorter than {}", count(limit, "character", "characters")),
        Kind::MaxItems { limit } => format!("has more than {}", count(limit, "item", "items")),
        Kind::MinItems { limit } => format!("has fewer than {}", count(limit, "item", "items")),
        Kind::MaxProperties { limit } => format!("has more than {}", count(limit, "member", "members")),
        Kind::MinProperties { limit } => format!("has fewer than {}", count(limit, "member", "members")),
        Kind::UniqueItems => "has the same item twice".to_owned(),
        Kind::Format { format } => format!("does not have the format `{format}`"),
        Kind::Not { .. } => "is what a `not` excludes".to_owned(),
        Kind::Required { property } => format!("has no `{}`", property.as_str().unwrap_or_default()),
        Kind::Type { kind } => {
            let types: Vec<String> = match kind {
                TypeKind::Single(only) => vec![only.to_string()],
                TypeKind::Multiple(several) => several.iter().map(|kind| kind.to_string()).collect(),
            };
            format!("does not have the type {}", types.join(" or "))
        }
        // Patterns are checked by a keyword of ours.
        Kind::Custom { message, .. } => message.clone(),
        Kind::Pattern { .. } => "does not match the pattern".to_owned(),
        other => format!("violates `{}`", other.keyword()),
    }
}
