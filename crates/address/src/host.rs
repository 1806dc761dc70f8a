//! Host names.

use idna::AsciiDenyList;

/// Longest host name in characters of its ASCII form.
const MAX_HOST: usize = 253;

/// Longest label of a host name in characters of its ASCII form.
const MAX_LABEL: usize = 63;

/// Returns a host name in its normal form: lower case, ASCII, without a final dot. Returns `None` if the text
/// is not a host name.
///
/// ```
/// assert_eq!(frontdesk_address::host("Bäcker.example.").as_deref(), Some("xn--bcker-gra.example"));
/// assert_eq!(frontdesk_address::host("a..b"), None);
/// ```
pub fn host(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_suffix(['.', '。']).unwrap_or(text);
    let ascii = idna::domain_to_ascii_cow(text.as_bytes(), AsciiDenyList::STD3).ok()?;
    let is_label = |label: &str| {
        (1..=MAX_LABEL).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
    };
    (ascii.len() <= MAX_HOST && ascii.split('.').all(is_label)).then(|| ascii.into_owned())
}

/// Returns a host name as people write it: labels in their own script where they have one.
///
/// ```
/// assert_eq!(frontdesk_address::host_as_written("xn--bcker-gra.example"), "bäcker.example");
/// ```
pub fn host_as_written(host: &str) -> String {
    let (written, outcome) = idna::domain_to_unicode(host);
    if outcome.is_ok() { written } else { host.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{host, host_as_written};

    #[test]
    fn host_names_have_one_form() {
        for text in [
            "xn--bcker-gra.example",
            "XN--BCKER-GRA.Example",
            "bäcker.example",
            "BÄCKER.EXAMPLE.",
            "ba\u{308}cker.example",
            "bäcker。example",
            " bäcker.example ",
        ] {
            assert_eq!(host(text).as_deref(), Some("xn--bcker-gra.example"), "{text}");
        }
        assert_eq!(host("straße.example").as_deref(), Some("xn--strae-oqa.example"));
        assert_eq!(host("例え.テスト").as_deref(), Some("xn--r8jz45g.xn--zckzah"));
        assert_eq!(host("localhost").as_deref(), Some("localhost"));
        assert_eq!(host_as_written("xn--r8jz45g.xn--zckzah"), "例え.テスト");
    }

    #[test]
    fn other_texts_are_not_host_names() {
        let long = format!("{}.example", "a".repeat(64));
        let longer = vec!["a".repeat(60); 5].join(".");
        for text in [
            "",
            ".",
            "a..b",
            "-a",
            "a-",
            "a b",
            "a_b",
            "a/b",
            "a@b",
            "a:80",
            "xn--",
            "xn--\u{e4}",
            &*long,
            &*longer,
        ] {
            assert_eq!(host(text), None, "{text}");
        }
        // A label that claims to be encoded and is not stays as it is where it is only shown.
        assert_eq!(host_as_written("xn--a.example"), "xn--a.example");
    }
}
