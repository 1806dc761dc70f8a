//! Escaping of texts in GitHub workflow commands.

/// Escapes the message of a command.
pub(crate) fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a command.
pub(crate) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_ends_the_command() {
        assert_eq!(property("GET /a:b, c\n100%"), "GET /a%3Ab%2C c%0A100%25");
        assert_eq!(data("a: b\r\n"), "a: b%0D%0A");
    }
}
