//! Media types as `content` maps name them: which are the same, and which ranges contain others.

use super::schema::Medium;

/// Media types that stand for a range in examples of requests, by frequency.
const EXAMPLES: [&str; 14] = [
    "application/json",
    "application/xml",
    "application/pdf",
    "text/plain",
    "text/csv",
    "text/html",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "audio/mpeg",
    "audio/ogg",
    "video/mp4",
    "video/webm",
];

/// Returns the medium of values of a media type.
pub(super) fn medium_of(media_type: &str) -> Medium {
    let essence = essence(media_type);
    if essence.ends_with("/xml") || essence.ends_with("+xml") {
        Medium::Xml
    } else if essence.starts_with("text/")
        || matches!(essence.as_str(), "application/x-www-form-urlencoded" | "multipart/form-data")
    {
        Medium::Text
    } else {
        Medium::Json
    }
}

/// Returns a media type without its parameters.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns the parameters of a media type in normalized spelling. Names are case-insensitive and values are
/// not, except for that of `charset`. UTF-8 is the default charset, so it is left out.
fn parameters(media_type: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = separated(media_type)
        .skip(1)
        .filter_map(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or((&parameter, ""));
            let name = name.trim().to_ascii_lowercase();
            let value = unquoted(value.trim());
            let value = if name == "charset" { value.to_ascii_lowercase() } else { value };
            let ignored = name.is_empty() || name == "charset" && value == "utf-8";
            (!ignored).then_some((name, value))
        })
        .collect();
    found.sort_unstable();
    found
}

/// Splits a media type at its semicolons, except for those in quoted values.
fn separated(media_type: &str) -> impl Iterator<Item = String> {
    let mut parts = vec![String::new()];
    let (mut quoted, mut escaped) = (false, false);
    for character in media_type.chars() {
        match character {
            ';' if !quoted => {
                parts.push(String::new());
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && character == '\\' && !escaped;
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts.into_iter()
}

/// Returns the value of a parameter, which may be a quoted string.
fn unquoted(value: &str) -> String {
    let Some(inner) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return value.to_owned();
    };
    let mut text = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        text.extend(if character == '\\' { characters.next() } else { Some(character) });
    }
    text
}

/// Returns whether two spellings name the same media type.
pub(super) fn same(one: &str, other: &str) -> bool {
    essence(one) == essence(other) && parameters(one) == parameters(other)
}

/// Returns whether a range such as `image/*` contains a media type.
pub(super) fn contains(range: &str, media_type: &str) -> bool {
    let (range, media_type) = (essence(range), essence(media_type));
    range == "*/*"
        || range
            .strip_suffix("/*")
            .is_some_and(|kind| media_type.split('/').next() == Some(kind) && !kind.is_empty())
}

/// Returns whether a receiver of the first media type accepts the second one: it is a range that contains it,
/// or it is the same type without parameters.
pub(super) fn accepts(declared: &str, sent: &str) -> bool {
    contains(declared, sent) || essence(declared) == essence(sent) && parameters(declared).is_empty()
}

/// Returns a media type that a range contains and none of the other ones accepts; the range itself if it is a
/// media type or no such type is known.
pub(super) fn example<'t>(range: &'t str, others: &[&str]) -> &'t str {
    if !range.contains('*') {
        return range;
    }
    let fits = |candidate: &&&str| {
        contains(range, candidate) && !others.iter().any(|other| accepts(other, candidate))
    };
    EXAMPLES.iter().find(fits).copied().unwrap_or(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_types_are_the_same_in_every_spelling() {
        assert!(same("Application/JSON; charset=UTF-8", "application/json"));
        assert!(same("text/csv;Header=present; x=\"a\"", "text/csv; x=a; header=present"));
        assert!(!same("application/json; version=1", "application/json"));
        assert!(!same("application/json; profile=A", "application/json; profile=a"));
        assert!(!same("text/plain; charset=utf-8", "text/plain; charset=iso-8859-1"));
        assert!(same("a/b; title=\"one; two\"", "a/b;title=\"one; two\""));
        assert!(!same("a/b; title=\"one; two\"", "a/b;title=\"one; 2\""));
    }

    #[test]
    fn ranges_contain_media_types() {
        assert!(contains("image/*", "image/png") && contains("*/*", "a/b"));
        assert!(!contains("image/*", "text/plain") && !contains("image/png", "image/png2"));
        assert!(accepts("application/json", "application/json; version=1"));
        assert!(!accepts("application/json; version=1", "application/json"));
    }

    #[test]
    fn an_example_of_a_range_is_not_among_the_others() {
        assert_eq!(example("image/*", &["image/png"]), "image/jpeg");
        assert_eq!(example("application/pdf", &["application/pdf"]), "application/pdf");
        assert_eq!(example("model/*", &[]), "model/*");
    }
}
