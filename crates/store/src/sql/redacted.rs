//! Values that must not reach a log, and texts from outside without the addresses in them.

use std::borrow::Cow;
use std::fmt;

use crate::sql::nul::replace_nul;

/// A secret value. `Debug` prints a placeholder, so a record that holds one can be logged; reading the value
/// takes the explicit [`Redacted::expose`].
#[derive(Clone, PartialEq, Eq)]
pub struct Redacted<T>(T);

impl<T> Redacted<T> {
    /// Wraps a secret.
    pub const fn new(value: T) -> Self {
        Self(value)
    }

    /// The secret itself.
    pub const fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Redacted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

/// What takes the place of an address.
const HIDDEN: &str = "[address]";
/// Digits of the shortest phone number.
const SHORTEST_NUMBER: usize = 7;
/// The sign in the middle of an address: itself, and escaped in URLs.
const AT: [&str; 2] = ["@", "%40"];

/// Returns a text without the e-mail addresses and international phone numbers in it.
///
/// Messages of other systems are logged and stored with jobs only in this form: a mail server, for example,
/// repeats the recipient's address when it refuses a message. An address is removed up to the next white
/// space, bracket, quote or separator, which is too much rather than too little. JSON stays valid.
pub fn without_addresses(text: &str) -> Cow<'_, str> {
    let has_address = AT.iter().any(|at| text.contains(at));
    if !has_address && !text.contains('+') {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = without_number(rest, written.chars().next_back()) {
            written.push_str(HIDDEN);
            rest = after;
            continue;
        }
        if let Some(escape) = escape(rest) {
            written.push_str(escape);
            rest = &rest[escape.len()..];
            continue;
        }
        let word = rest.split(is_separator).next().unwrap_or_default();
        if word.is_empty() {
            let mut characters = rest.chars();
            written.extend(characters.next());
            rest = characters.as_str();
            continue;
        }
        let number = word
            .char_indices()
            .skip(1)
            .find(|(start, _)| without_number(&rest[*start..], rest[..*start].chars().next_back()).is_some());
        if word.starts_with('@') && is_address(&format!("x{word}")) && written.ends_with('"') {
            // The local part is quoted, and may have any character.
            let start = written[..written.len() - 1].rfind('"').unwrap_or(written.len() - 1);
            written.truncate(start);
            written.push_str(HIDDEN);
            rest = &rest[word.len()..];
        } else if is_address(word) {
            written.push_str(HIDDEN);
            rest = &rest[word.len()..];
        } else {
            let end = number.map_or(word.len(), |(start, _)| start);
            written.push_str(&rest[..end]);
            rest = &rest[end..];
        }
    }
    Cow::Owned(written)
}

/// Returns a text from outside as it is stored where operators read it.
pub(crate) fn guarded(text: &str) -> String {
    replace_nul(without_addresses(text))
}

/// Whether a character ends an e-mail address in running text.
fn is_separator(character: char) -> bool {
    character.is_whitespace() || character.is_control() || "<>()[]{}\"\\,;:|".contains(character)
}

/// Whether a word without separators has an address in it.
fn is_address(word: &str) -> bool {
    AT.iter().any(|at| {
        word.split_once(at).is_some_and(|(local, domain)| {
            !local.is_empty() && domain.chars().next().is_some_and(char::is_alphanumeric)
        })
    })
}

/// Returns the escape at the beginning of a text in JSON, which must stay whole.
fn escape(text: &str) -> Option<&str> {
    let kind = text.strip_prefix('\\')?.chars().next()?;
    let length = if kind == 'u' { 6 } else { 1 + kind.len_utf8() };
    text.get(..length)
}

/// Returns what follows an international phone number at the beginning of a text, such as `+49 170 1234567`.
fn without_number(text: &str, before: Option<char>) -> Option<&str> {
    let digits = text.strip_prefix('+').filter(|_| before.is_none_or(|before| !before.is_alphanumeric()))?;
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, ' ' | '-' | '.' | '/' | '(' | ')');
    let end = digits.find(|c| !is_part(c)).unwrap_or(digits.len());
    let number = digits[..end].trim_end_matches(|c: char| !c.is_ascii_digit());
    let count = number.chars().filter(char::is_ascii_digit).count();
    (digits.starts_with(|c: char| c.is_ascii_digit()) && count >= SHORTEST_NUMBER)
        .then(|| &digits[number.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_out_of_texts() {
        for (text, left) in [
            ("550 5.1.1 <ann.baker@customer.example>: user unknown", "550 5.1.1 <[address]>: user unknown"),
            ("RCPT TO:<ann+x@kunde.example> refused", "RCPT TO:<[address]> refused"),
            ("to \"ann b\"@customer.example.", "to [address]"),
            ("mailto:ann@customer.example, b@x.example; c", "mailto:[address], [address]; c"),
            ("info@b\u{e4}cker.example is full", "[address] is full"),
            ("http://x.example/?to=ann%40customer.example", "http:[address]"),
            (
                r#"{"error":"\nann@customer.example\"\u0007b@x.example"}"#,
                r#"{"error":"\n[address]\"\u0007[address]"}"#,
            ),
            ("the number +49 170 1234567 is not valid", "the number [address] is not valid"),
            ("to=+491701234567!", "to=[address]!"),
            ("2026-11-27T15:00:00+00:00 and 1+1 and a@", "2026-11-27T15:00:00+00:00 and 1+1 and a@"),
            ("nothing to hide", "nothing to hide"),
        ] {
            assert_eq!(without_addresses(text), left, "{text}");
        }
    }

    #[test]
    fn debug_hides_the_value() {
        assert_eq!(format!("{:?}", Some(Redacted::new("hunter2"))), "Some([redacted])");
    }
}
