//! Host names in their normal form, which is compared with the audience of identity assertions.

use url::Host;

/// Returns a host name in lower case and ASCII (IDNA), or `None` if the text is anything else, such as an
/// address with a path.
pub(crate) fn parse(text: &str) -> Option<String> {
    match Host::parse(text.trim()) {
        Ok(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            Some(frontdesk_address::host(name).unwrap_or_else(|| name.to_owned()))
                .filter(|name| !name.is_empty())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn host_names_are_normalized_and_nothing_else_is_taken() {
        for (text, expected) in [
            ("www.Example.COM", "www.example.com"),
            (" shop.example ", "shop.example"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("www.example.com.", "www.example.com"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(expected));
        }
        for text in ["", "https://example.com", "example.com/shop", "example.com:443", "127.0.0.1", "a b"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
