//! Percent-encoding (RFC 3986, section 2.1) of parameters.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::borrow::Cow;

/// All characters except the unreserved ones (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The characters that are encoded even with `allowReserved`, because they would end the value or change its
/// meaning.
const STRUCTURE: &AsciiSet = &RESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';')
    .remove(b'=');

/// Encodes all characters that have a meaning in a URL; with `reserved`, except those that are harmless in a
/// query.
pub(in crate::codec) fn percent_encode(text: &str, reserved: bool) -> String {
    utf8_percent_encode(text, if reserved { STRUCTURE } else { RESERVED }).to_string()
}

/// Decodes percent-encoded text. With `plus`, `+` is a space, as in a query.
pub(in crate::codec) fn percent_decode(text: &str, plus: bool) -> Result<String, String> {
    let text =
        if plus && text.contains('+') { Cow::Owned(text.replace('+', " ")) } else { Cow::Borrowed(text) };
    let decoded = percent_decode_str(&text).decode_utf8();
    decoded.map(Cow::into_owned).map_err(|_| "must be text in UTF-8, percent-encoded".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{percent_decode, percent_encode};

    #[test]
    fn only_unreserved_characters_stay() {
        assert_eq!(percent_encode("aZ0-._~ +&=,/?#%ü", false), "aZ0-._~%20%2B%26%3D%2C%2F%3F%23%25%C3%BC");
        assert_eq!(percent_encode(":/?#[]@!$&'()*+,;=%", true), ":/?%23%5B%5D@!$%26'()*%2B,;=%25");
    }

    #[test]
    fn plus_is_a_space_only_where_it_is_said() {
        assert_eq!(percent_decode("a+b%2Bc", true).unwrap(), "a b+c");
        assert_eq!(percent_decode("a+b%2Bc", false).unwrap(), "a+b+c");
        assert!(percent_decode("%FF", true).is_err());
    }
}
