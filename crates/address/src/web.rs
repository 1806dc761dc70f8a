//! Web addresses.

use url::Url;

/// Returns a web address (`http` or `https`) in its normal form, or `None` if it is not one.
///
/// Hosts are in their ASCII form, paths and queries percent-encoded as browsers do it. A part that is encoded
/// already stays as it is, so the normal form of a normal form is the same.
pub fn web_address(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    let is_web =
        matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| !host.is_empty());
    is_web.then(|| url.into())
}

#[cfg(test)]
mod tests {
    use super::web_address;

    #[test]
    fn web_addresses_have_one_form() {
        let normal = "https://xn--bckerei-5wa.example/%C3%BCber-uns?q=gr%C3%B6%C3%9Fe#%C3%B6ffnung";
        for text in [
            "https://bäckerei.example/über-uns?q=größe#öffnung",
            "HTTPS://Bäckerei.Example:443/über-uns?q=größe#öffnung",
            " https://xn--bckerei-5wa.example/%C3%BCber-uns?q=gr%C3%B6%C3%9Fe#%C3%B6ffnung ",
            normal,
        ] {
            assert_eq!(web_address(text).as_deref(), Some(normal), "{text}");
        }
        assert_eq!(web_address("http://a.example:8080").as_deref(), Some("http://a.example:8080/"));
    }

    #[test]
    fn other_texts_are_not_web_addresses() {
        for text in [
            "",
            "a.example",
            "/a",
            "mailto:a@b.example",
            "ftp://a.example/",
            "javascript:alert(1)",
            "https://",
            "https://a b/",
        ] {
            assert_eq!(web_address(text), None, "{text}");
        }
    }
}
