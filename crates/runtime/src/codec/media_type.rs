//! Comparison of media types with declared ones.

/// Returns the media type without its parameters. It is case-insensitive.
fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// Whether the text begins with the prefix, ignoring case.
fn begins(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|part| part.eq_ignore_ascii_case(beginning))
}

/// Whether the text ends with the suffix, ignoring case.
fn ends(text: &str, end: &str) -> bool {
    let part = text.len().checked_sub(end.len()).and_then(|at| text.get(at..));
    part.is_some_and(|part| part.eq_ignore_ascii_case(end))
}

/// Whether the type is `application/json` or any `+json`, whatever its charset.
pub(crate) fn is_named_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence.eq_ignore_ascii_case("application/json")
        || begins(essence, "application/") && ends(essence, "+json")
}

/// Returns how closely a media type matches a declared one, which may be a range such as `image/*`; `None` if
/// it does not.
///
/// A declared JSON type matches every other JSON type, less closely, because `+json` types are JSON too.
pub(crate) fn fit(declared: &str, media_type: &str) -> Option<u8> {
    let (declared, given) = (essence(declared), essence(media_type));
    if declared.eq_ignore_ascii_case(given) {
        return Some(3);
    }
    if is_named_json(declared) && is_named_json(media_type) {
        return Some(2);
    }
    match declared.strip_suffix("/*") {
        Some("*") => Some(0),
        Some(kind) if given.split('/').next().is_some_and(|given| given.eq_ignore_ascii_case(kind)) => {
            Some(1)
        }
        _ => None,
    }
}

/// Whether a media type matches one of a list such as `image/png, image/*`. `application/octet-stream` in the
/// list stands for bytes of any type.
pub(crate) fn is_listed(declared: &str, media_type: &str) -> bool {
    declared.split(',').any(|declared| {
        essence(declared) == "application/octet-stream" || fit(declared, media_type).is_some()
    })
}

#[cfg(test)]
mod tests {
    use super::is_listed;

    #[test]
    fn media_types_of_parts_are_compared_with_a_list() {
        for (declared, media_type, fits) in [
            ("image/png, image/jpeg", "image/jpeg", true),
            ("image/png, image/jpeg", "IMAGE/PNG; q=1", true),
            ("image/png, image/jpeg", "image/gif", false),
            ("image/png, image/jpeg", "application/octet-stream", false),
            ("image/*", "image/gif", true),
            ("image/*", "text/plain", false),
            ("application/json", "application/merge-patch+json", true),
            ("application/json", "text/plain", false),
            ("application/octet-stream", "image/gif", true),
            ("*/*", "image/gif", true),
        ] {
            assert_eq!(is_listed(declared, media_type), fits, "{declared}: {media_type}");
        }
    }
}
