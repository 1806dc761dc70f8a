//! Media types in requests: `Content-Type` of bodies and `Accept` for responses.

use crate::codec::media_type::{fit, is_named_json};
use http::{HeaderMap, header};

/// Returns the charset that a media type states, if text in it need not be UTF-8.
pub(super) fn foreign_charset(media_type: &str) -> Option<&str> {
    media_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let charset = value.trim().trim_matches('"');
        let is_utf8 = ["utf-8", "utf8", "us-ascii"].iter().any(|known| charset.eq_ignore_ascii_case(known));
        (name.trim().eq_ignore_ascii_case("charset") && !is_utf8).then_some(charset)
    })
}

/// Whether the type is `application/json` or any `+json`, with UTF-8 as the only charset (RFC 8259, section
/// 8.1).
pub fn is_json(media_type: &str) -> bool {
    is_named_json(media_type) && foreign_charset(media_type).is_none()
}

/// Returns the position of the declared media type that a `Content-Type` matches most closely; the first one
/// of several equal matches.
pub fn choose(forms: &[&str], content_type: &str) -> Option<usize> {
    let fitting =
        forms.iter().enumerate().filter_map(|(index, form)| Some((fit(form, content_type)?, index)));
    fitting.max_by_key(|(fit, index)| (*fit, std::cmp::Reverse(*index))).map(|(_, index)| index)
}

/// Returns the position of the declared media type that the caller prefers (RFC 9110, section 12.5.1): of
/// equal weights the most exactly named one, then the first. `None` if the caller accepts none.
pub fn negotiate(forms: &[&str], headers: &HeaderMap) -> Option<usize> {
    let mut lines = headers.get_all(header::ACCEPT).iter();
    let Some(line) = lines.next() else { return Some(0) };
    if lines.next().is_none()
        && let Some(form) = named_alone(forms, line.as_bytes())
    {
        return Some(form);
    }
    // A header that is not text is ignored.
    let values = || headers.get_all(header::ACCEPT).iter().map(|value| value.to_str().unwrap_or_default());
    let ranges = || values().flat_map(|value| value.split(',')).filter(|range| !range.trim().is_empty());
    if ranges().next().is_none() {
        return Some(0);
    }
    let liked = forms.iter().enumerate().map(|(index, form)| (quality(form, ranges()), index));
    liked
        .filter(|((quality, _), _)| *quality > 0)
        .max_by_key(|(liking, index)| (*liking, std::cmp::Reverse(*index)))
        .map(|(_, index)| index)
}

/// Handles the common case of an `Accept` with a single media type, which needs no weighing.
fn named_alone(forms: &[&str], accept: &[u8]) -> Option<usize> {
    match forms {
        [_] if accept == b"*/*" => Some(0),
        _ => forms.iter().position(|form| form.as_bytes() == accept && !form.contains([';', ','])),
    }
}

/// Returns the weight of a media type, in thousandths, and the exactness of the range that sets it: the most
/// exact matching range counts.
fn quality<'r>(form: &str, ranges: impl Iterator<Item = &'r str>) -> (u16, u8) {
    let best = ranges.filter_map(|range| {
        // For a declared range, the handler chooses the type.
        let fit = fit(range, form).or_else(|| fit(form, range).map(|_| 0))?;
        Some((fit, weight(range)))
    });
    best.max_by_key(|(fit, _)| *fit).map_or((0, 0), |(fit, weight)| (weight, fit))
}

/// Returns the `q` of a range, in thousandths.
fn weight(range: &str) -> u16 {
    for parameter in range.split(';').skip(1) {
        if let Some((name, value)) = parameter.split_once('=')
            && name.trim().eq_ignore_ascii_case("q")
        {
            return thousandths(value.trim());
        }
    }
    1000
}

/// Parses `0.875` as 875; an invalid weight counts as absent.
fn thousandths(text: &str) -> u16 {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole != "0" || fraction.len() > 3 {
        return 1000;
    }
    format!("{fraction:0<3}").parse().unwrap_or(1000)
}

#[cfg(test)]
mod tests {
    use super::{choose, foreign_charset, is_json, negotiate};
    use http::{HeaderMap, HeaderValue, header};

    #[test]
    fn json_media_types_are_told_from_others() {
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/problem+json",
            "application/json;x=y",
        ] {
            assert!(is_json(good), "{good}");
        }
        for bad in
            ["", "text/json", "application/jsonx", "application/json; charset=latin1", "text/plain", "*/*"]
        {
            assert!(!is_json(bad), "{bad}");
        }
        for good in
            ["text/plain", "text/plain; charset=\"utf-8\"", "a/b; CHARSET=UTF8", "a/b; charset=us-ascii"]
        {
            assert_eq!(foreign_charset(good), None, "{good}");
        }
        assert_eq!(foreign_charset("text/plain; a=b; charset=iso-8859-1"), Some("iso-8859-1"));
    }

    #[test]
    fn the_most_exact_form_is_meant() {
        let forms = ["*/*", "image/*", "image/png", "application/json"];
        for (content_type, expected) in [
            ("image/png", Some(2)),
            ("IMAGE/PNG; x=y", Some(2)),
            ("image/gif", Some(1)),
            ("application/merge-patch+json", Some(3)),
            ("text/plain", Some(0)),
        ] {
            assert_eq!(choose(&forms, content_type), expected, "{content_type}");
        }
        assert_eq!(choose(&["text/csv"], "text/plain"), None);
    }

    #[test]
    fn the_caller_chooses_the_answer() {
        let forms = ["application/json", "text/csv"];
        for (accept, expected) in [
            ("", Some(0)),
            ("*/*", Some(0)),
            ("text/csv", Some(1)),
            ("text/*", Some(1)),
            ("application/json;q=0.5, text/csv;q=0.75", Some(1)),
            ("text/csv;q=0, */*;q=0.1", Some(0)),
            ("application/vnd.example+json", Some(0)),
            ("text/html,application/xml;q=0.9,*/*;q=0.8", Some(0)),
            ("text/html", None),
            ("application/json;q=0", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(negotiate(&forms, &headers), expected, "{accept}");
        }
        assert_eq!(negotiate(&forms, &HeaderMap::new()), Some(0));
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static("image/png"));
        assert_eq!(negotiate(&["image/*"], &headers), Some(0));
        // Any JSON type matches another, but a named one takes precedence.
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/vnd.a+json"));
        assert_eq!(negotiate(&["application/json", "application/vnd.a+json"], &headers), Some(1));
    }
}
