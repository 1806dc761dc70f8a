//! [`Format`]: the string formats without a Rust type of their own.

/// A `format` of a string that is validated and kept as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// An absolute URI (RFC 3986, section 3).
    Uri,
    /// An e-mail address: `local@domain`, as RFC 5321 limits it, without comments or quoting.
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
            Self::Email => text.rsplit_once('@').is_some_and(|(local, domain)| {
                !local.is_empty()
                    && local.len() <= 64
                    && !local.contains(|character: char| {
                        character.is_whitespace() || character.is_control() || character == '@'
                    })
                    && (is_hostname(domain) || domain.starts_with('[') && domain.ends_with(']'))
            }),
            Self::Hostname => is_hostname(text),
            // A full time is the part of a timestamp after its date.
            Self::Time => format!("2026-01-01T{text}").parse::<crate::Timestamp>().is_ok(),
        }
    }
}

fn is_uri(text: &str) -> bool {
    fluent_uri::Uri::parse(text).is_ok()
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
                ][..],
                &[
                    "",
                    "www.example.com",
                    "https://exa mple.com",
                    "https://a/%2",
                    "/a",
                    "https://münchen.example",
                ][..],
            ),
            (Format::Email, &["jo@example.com", "a+b@c.d"], &["", "jo", "jo@", "@a", "a b@c.d", "a@-b"]),
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
