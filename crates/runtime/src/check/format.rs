//! [`Format`]: the string formats without a Rust type of their own.

/// A `format` of a string that is validated and kept as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An absolute URI (RFC 3986, section 3), or an IRI (RFC 3987): people copy
    /// `https://münchen.example/größe` from their browser.
    Uri,
    /// An e-mail address: `local@domain`, as RFC 5321 limits it, without comments or quoting. Both parts may
    /// have characters beyond ASCII (RFC 6531), as in `jo@münchen.example`.
    Email,
    /// A host name (RFC 1123, section 2.1).
    Hostname,
    /// A time of day with an offset (RFC 3339, `full-time`).
    Time,
}

impl Format {
    /// Returns the rule as the end of a sentence.
    pub const fn rule(self) -> &'static str {
        match self {
            Self::Uri => "must be an absolute URI such as https://www.example.com/page",
            Self::Email => "must be an e-mail address such as jo@example.com",
            Self::Hostname => "must be a host name such as www.example.com",
            Self::Time => "must be a time such as 09:30:00Z",
        }
    }

    /// Whether the text has the format.
    pub fn matches(self, text: &str) -> bool {
        match self {
            Self::Uri => is_uri(text),
            Self::Email => is_email(text),
            Self::Hostname => is_hostname(text),
            // A full time is the part of a timestamp after its date.
            Self::Time => format!("2026-01-01T{text}").parse::<crate::Timestamp>().is_ok(),
        }
    }
}

fn is_uri(text: &str) -> bool {
    fluent_uri::Iri::parse(text).is_ok()
}

/// Whether a text is words with dots between them (RFC 5322, `dot-atom`) before a domain, or before an
/// address in brackets.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_literal = domain.starts_with('[') && domain.ends_with(']');
    local.len() <= 64 && local.split('.').all(is_word) && (is_literal || is_domain(domain))
}

/// Whether a text is a word of the part before the `@`.
fn is_word(word: &str) -> bool {
    let is_part = |character: char| match character {
        character if character.is_ascii() => {
            character.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(character)
        }
        character => is_letter_beyond_ascii(character) && !is_invisible(character),
    };
    !word.is_empty() && word.chars().all(is_part)
}

/// Whether a character cannot be seen, or is a semicolon to Unicode (U+037E), so that two addresses would
/// look the same.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{37e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fffd}')
}

/// Whether a text is a host name whose labels may have characters beyond ASCII. How they are encoded is for
/// whoever looks the name up.
fn is_domain(text: &str) -> bool {
    let ascii: String = text
        .chars()
        .map(|character| if is_letter_beyond_ascii(character) { 'x' } else { character })
        .collect();
    is_hostname(&ascii)
}

fn is_letter_beyond_ascii(character: char) -> bool {
    !character.is_ascii() && !character.is_whitespace() && !character.is_control()
}

fn is_hostname(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 253
        && text.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        })
}

#[cfg(test)]
mod tests {
    use super::Format;

    #[test]
    fn formats_tell_good_from_bad() {
        for (format, good, bad) in [
            (
                Format::Uri,
                &[
                    "https://www.example.com/a?b=c#d",
                    "http://[::1]:8080/",
                    "mailto:jo@example.com",
                    "https://a/%20",
                    "https://münchen.example/größe?q=ä#ö",
                ][..],
                &["", "www.example.com", "https://exa mple.com", "https://a/%2", "/a", "münchen.example"][..],
            ),
            (
                Format::Email,
                &[
                    "jo@example.com",
                    "a+b@c.d",
                    "o'neil@c.d",
                    "jo@münchen.example",
                    "jürgen@xn--mnchen-3ya.example",
                    "a@[192.0.2.1]",
                ],
                &[
                    "",
                    "jo",
                    "jo@",
                    "@a",
                    "a b@c.d",
                    "a@-b",
                    "mailto:jo@example.com",
                    "a,b@c.d",
                    ".a@c.d",
                    "a.@c.d",
                    "a..b@c.d",
                    "<a@c.d>",
                    "a@b@c.d",
                    "a@mün chen.example",
                    "a\u{200b}@c.d",
                    "a\u{37e}b@c.d",
                ],
            ),
            (Format::Hostname, &["a", "www.example.com"], &["", "-a", "a..b", "a_b"]),
        ] {
            for text in good {
                assert!(format.matches(text), "{format:?} {text}");
            }
            for text in bad {
                assert!(!format.matches(text), "{format:?} {text}");
            }
        }
    }
}
