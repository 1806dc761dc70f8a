//! Telephone numbers and email addresses in the targets of links.

use percent_encoding::percent_decode_str;

use super::clean::clean_text;
use super::dom::{self, NodeRef};

/// Longest target that is shown, in bytes.
const LONGEST_TARGET: usize = 200;

/// Digits at the end of two telephone numbers by which they are the same: the beginning depends on the
/// country code.
const SIGNIFICANT_DIGITS: usize = 7;

/// Returns the telephone number or email address that a `tel:` or `mailto:` link leads to, or `None` for
/// another link.
pub(super) fn target(href: &str) -> Option<String> {
    let href = href.trim();
    let (scheme, rest) = href.split_once(':')?;
    if rest.len() > LONGEST_TARGET {
        return None;
    }
    let rest = rest.split(['?', ';']).next().unwrap_or_default();
    let decoded = clean_text(&percent_decode_str(rest.trim_start_matches('/')).decode_utf8_lossy());
    let is_number =
        || decoded.bytes().filter(u8::is_ascii_digit).count() >= 3 && !decoded.contains(['<', '@']);
    let is_address =
        || decoded.split_once('@').is_some_and(|(local, host)| !local.is_empty() && host.contains('.'));
    match scheme.to_ascii_lowercase().as_str() {
        "tel" | "callto" if is_number() => Some(decoded),
        "mailto" if is_address() && !decoded.contains(char::is_whitespace) => Some(decoded),
        _ => None,
    }
}

/// Returns whether the text of a link shows its target.
pub(super) fn says(text: &str, target: &str) -> bool {
    if target.contains('@') {
        return text.to_lowercase().contains(&target.to_lowercase());
    }
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    let (shown, dialled) = (digits(text), digits(target));
    let end = dialled.len().saturating_sub(SIGNIFICANT_DIGITS);
    shown.ends_with(&dialled[end..]) || (shown.len() >= SIGNIFICANT_DIGITS && shown.contains(&dialled[end..]))
}

/// Returns the address that a content delivery network hides from robots and shows to visitors.
pub(super) fn protected_address(node: &NodeRef<'_>) -> Option<String> {
    let code = dom::attribute(node, "data-cfemail")?.trim();
    if code.len() > LONGEST_TARGET || !code.is_ascii() {
        return None;
    }
    let bytes: Vec<u8> = (0..code.len())
        .step_by(2)
        .map(|start| u8::from_str_radix(code.get(start..start + 2)?, 16).ok())
        .collect::<Option<_>>()?;
    let (key, hidden) = bytes.split_first()?;
    let address = String::from_utf8(hidden.iter().map(|byte| byte ^ key).collect()).ok()?;
    (address.contains('@') && !address.contains(char::is_whitespace)).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_of_links() {
        for (href, expected) in [
            ("tel:+441134960127", Some("+441134960127")),
            (" TEL:0113%20496 0127", Some("0113 496 0127")),
            ("mailto:hello@acme.example?subject=Hi", Some("hello@acme.example")),
            ("mailto:?subject=Hi", None),
            ("tel:", None),
            ("https://acme.example/", None),
            ("mailto:a%0Ab@c.example", None),
            ("tel:%", None),
        ] {
            assert_eq!(target(href).as_deref(), expected, "{href}");
        }
    }

    #[test]
    fn shown_targets_are_known() {
        assert!(
            says("(0113) 496 01 27", "+441134960127") && says("Hello@Acme.example", "hello@acme.example")
        );
        assert!(!says("Call us", "+441134960127") && !says("Write", "a@b.example"));
    }
}
