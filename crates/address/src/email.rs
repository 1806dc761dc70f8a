//! E-mail addresses.

use unicode_normalization::UnicodeNormalization;

use crate::host::{host, host_as_written};

/// Longest address in bytes of its normal form (RFC 5321).
const MAX_ADDRESS: usize = 254;

/// Longest part before the `@` in bytes (RFC 5321).
const MAX_LOCAL: usize = 64;

/// Returns an e-mail address in its normal form, or `None` if it is not an address, such as
/// `mailto:a@b.example`, `a,b@b.example` and `.a@b.example`.
///
/// Before the `@` are words with dots between them (RFC 5322, `dot-atom`), which may have characters beyond
/// ASCII (RFC 6531). Quoted words (`"a b"@c.example`), which RFC 5321 advises against, are none. Behind it is
/// a host name, or an IP address in brackets.
///
/// ```
/// assert_eq!(frontdesk_address::email("Jürgen@X.example").as_deref(), Some("jürgen@x.example"));
/// assert_eq!(frontdesk_address::email("a b@c.example"), None);
/// ```
pub fn email(text: &str) -> Option<String> {
    let (local, domain) = text.trim().rsplit_once('@')?;
    let local: String = local.nfc().collect::<String>().to_lowercase();
    let is_local = !local.is_empty() && local.len() <= MAX_LOCAL && local.split('.').all(is_word);
    let domain = literal(domain).or_else(|| host(domain)).filter(|_| is_local)?;
    let address = format!("{local}@{domain}");
    (address.len() <= MAX_ADDRESS).then_some(address)
}

/// Returns the form in which an e-mail address is stored and compared: its normal form. A text that is not an
/// address, as in e-mails of strangers, is only trimmed and in lower case, with its host in the normal form
/// if it has one.
pub fn email_key(text: &str) -> String {
    if let Some(address) = email(text) {
        return address;
    }
    let lower = text.trim().to_lowercase();
    match lower.rsplit_once('@').and_then(|(local, domain)| Some((local, host(domain)?))) {
        Some((local, domain)) => format!("{local}@{domain}"),
        None => lower,
    }
}

/// Returns the normal form of an address, and how rows that are older than it may have it: with the host as
/// people write it. The second one is the first one again if there is no difference.
pub fn spellings(text: &str) -> [String; 2] {
    let key = email_key(text);
    let written = match key.rsplit_once('@') {
        Some((local, domain)) => format!("{local}@{}", host_as_written(domain)),
        None => key.clone(),
    };
    [key, written]
}

/// Returns whether a text is a word of the part before the `@`. The runtime of generated code, which knows no
/// crate of this service, has the same rule for the format `email`; a test in `tests/contract` compares them.
fn is_word(word: &str) -> bool {
    let is_part = |character: char| match character {
        character if character.is_ascii() => {
            character.is_ascii_alphanumeric() || "!#$%&'*+/=?^_`{|}~-".contains(character)
        }
        character => !character.is_whitespace() && !character.is_control() && !is_invisible(character),
    };
    !word.is_empty() && word.chars().all(is_part)
}

/// Returns whether a character cannot be seen, so that two addresses would look the same.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fffd}')
}

/// Returns an IP address in brackets, in lower case.
fn literal(domain: &str) -> Option<String> {
    let inner = domain.strip_prefix('[')?.strip_suffix(']')?;
    let is_address = match inner.get(..5) {
        Some(tag) if tag.eq_ignore_ascii_case("ipv6:") => inner[5..].parse::<std::net::Ipv6Addr>().is_ok(),
        _ => inner.parse::<std::net::Ipv4Addr>().is_ok(),
    };
    is_address.then(|| domain.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{email, email_key, spellings};

    #[test]
    fn addresses_have_one_form() {
        for text in [
            "info@xn--bcker-gra.example",
            "INFO@XN--BCKER-GRA.EXAMPLE",
            "info@bäcker.example",
            " Info@BÄCKER.example. ",
            "info@ba\u{308}cker.example",
        ] {
            assert_eq!(email(text).as_deref(), Some("info@xn--bcker-gra.example"), "{text}");
            assert_eq!(email_key(text), "info@xn--bcker-gra.example", "{text}");
        }
        for (text, expected) in [
            ("Jürgen@X.example", "jürgen@x.example"),
            ("ju\u{308}rgen@x.example", "jürgen@x.example"),
            ("a+b_c.d@e.example", "a+b_c.d@e.example"),
            ("o'brien@e.example", "o'brien@e.example"),
            ("a@localhost", "a@localhost"),
            ("a@[192.0.2.1]", "a@[192.0.2.1]"),
            ("a@[IPv6:2001:db8::1]", "a@[ipv6:2001:db8::1]"),
        ] {
            assert_eq!(email(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(spellings("A@Bäcker.example"), ["a@xn--bcker-gra.example", "a@bäcker.example"]);
        assert_eq!(spellings("a@b.example"), ["a@b.example", "a@b.example"]);
    }

    #[test]
    fn other_texts_are_not_addresses() {
        let long = format!("{}@b.example", "a".repeat(65));
        for text in [
            "",
            "a",
            "a@",
            "@b.example",
            "mailto:a@b.example",
            "a,b@b.example",
            "a;b@b.example",
            ".a@b.example",
            "a.@b.example",
            "a..b@b.example",
            "a b@b.example",
            "a@b@c.example",
            "<a@b.example>",
            "Ann <a@b.example>",
            "\"a b\"@c.example",
            "a@b..example",
            "a@-b.example",
            "a@b_c.example",
            "a@[300.0.0.1]",
            "a\u{200b}@b.example",
            "a@b.example, c@d.example",
            &*long,
        ] {
            assert_eq!(email(text), None, "{text}");
        }
        assert_eq!(email_key(" Not An Address "), "not an address");
        assert_eq!(email_key("A..B@Bäcker.example"), "a..b@xn--bcker-gra.example");
    }
}
