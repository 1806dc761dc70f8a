//! Header fields: ids, addresses, dates.

use std::borrow::Cow;

use jiff::Timestamp;
use mail_parser::{Address, HeaderValue, Message};

use crate::{mailbox::Mailbox, plain, raw_part::raw_part};

/// Most ids or addresses of one field.
const MAX_ENTRIES: usize = 100;

/// Longest id or address in bytes, as it is written. RFC 5322 has lines of at most 998 bytes.
const MAX_ENTRY_BYTES: usize = 998;

/// Longest address in bytes of its normal form, in which servers pass it on (RFC 5321).
const MAX_ADDRESS_BYTES: usize = 254;

/// The header fields of a message or of a nested one, as they were sent.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    fields: Vec<(&'a str, &'a [u8])>,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(message: &'a Message<'_>) -> Self {
        let headers = message.parts.first().map(|part| part.headers.as_slice()).unwrap_or_default();
        let fields = headers
            .iter()
            .map(|header| {
                let raw = raw_part(message, header.offset_start, header.offset_end);
                (header.name.as_str(), raw)
            })
            .collect();
        Self { fields }
    }

    /// Returns the value of the first field with this name, on one line and without space around it.
    pub(crate) fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        self.all(name).next()
    }

    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = Cow<'a, str>> {
        self.fields.iter().filter(move |(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, raw)| {
            let text = String::from_utf8_lossy(raw.trim_ascii());
            if text.contains('\n') {
                Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
            } else {
                text
            }
        })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.count(name) > 0
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.fields.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name)).count()
    }
}

/// Returns the message ids of a field, without angle brackets. Ids that programs have left without brackets
/// are recognized by their `@`.
pub(crate) fn ids(fields: &Fields<'_>, name: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for value in fields.all(name) {
        if value.contains('<') {
            let inner = value.split('<').skip(1).filter_map(|rest| rest.split('>').next());
            ids.extend(inner.map(|id| id.split_whitespace().collect::<String>()));
        } else {
            let words = value.split([' ', ',', ';', '\t']).filter(|word| word.contains('@'));
            ids.extend(words.map(str::to_owned));
        }
    }
    ids.retain(|id| !id.is_empty() && id.len() <= MAX_ENTRY_BYTES && !id.contains(char::is_control));
    // The last ones are the nearest.
    ids.split_off(ids.len().saturating_sub(MAX_ENTRIES))
}

/// Returns who has sent a message.
pub(crate) fn sender(message: &Message<'_>, fields: &Fields<'_>) -> Option<Mailbox> {
    let of = |address: Option<&Address<'_>>| mailboxes(address).into_iter().next();
    let written = |name: &str| {
        let address = fields.get(name).and_then(|value| address(&value))?;
        Some(Mailbox { name: None, address })
    };
    of(message.from())
        // The parser takes a first part in quotes for a name.
        .or_else(|| written("From"))
        .or_else(|| of(message.sender()))
        .or_else(|| of(message.reply_to()))
        .or_else(|| written("Return-Path"))
        // A bounce that names nobody comes from the mail server itself.
        .or_else(|| {
            let from = fields.get("From").unwrap_or_default();
            let is_server = from.to_ascii_lowercase().contains("mailer-daemon");
            is_server.then(|| Mailbox { name: None, address: "mailer-daemon@localhost".to_owned() })
        })
}

/// Returns the addresses of a field. Entries that are no addresses are left out.
pub(crate) fn mailboxes(field: Option<&Address<'_>>) -> Vec<Mailbox> {
    let entries = field.into_iter().flat_map(Address::iter);
    entries
        .filter_map(|entry| {
            let name = entry.name.as_deref().map(plain::clean_line).filter(|name| !name.is_empty());
            let found = entry.address.as_deref().and_then(address);
            // Some programs write the address where the name belongs.
            let address = found.or_else(|| name.as_deref().and_then(address))?;
            let name = name.filter(|name| !name.eq_ignore_ascii_case(&address));
            Some(Mailbox { name: name.map(|name| plain::cut(&name, 200).to_owned()), address })
        })
        .take(MAX_ENTRIES)
        .collect()
}

/// Returns an address in its normal form, or `None` if the text is not one. Strangers' addresses need not
/// keep all rules to be answered, but no mail server accepts one that is too long, or whose host has no ASCII
/// form.
pub(crate) fn address(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(address) = quoted_address(text) {
        return Some(address);
    }
    let text = text.trim_start_matches(['<', '\'', '"']).trim_end_matches(['>', '\'', '"', '.', ';']);
    let text = text.strip_prefix("mailto:").unwrap_or(text);
    let (local, domain) = text.rsplit_once('@')?;
    let is_address =
        is_sound(local) && is_sound(domain) && !local.contains('@') && text.len() <= MAX_ENTRY_BYTES;
    is_address.then(|| normal(text))?
}

fn is_sound(part: &str) -> bool {
    !part.is_empty()
        && !part.contains(|c: char| c.is_control() || c.is_whitespace() || "<>(),;:\\".contains(c))
}

/// Returns an address whose first part is in quotes, such as `"jo doe"@acme.example`. The quotes stay only if
/// the part needs them.
fn quoted_address(text: &str) -> Option<String> {
    let text = text.trim_start_matches('<').trim_end_matches(['>', '.', ';']);
    let (local, domain) = text.strip_prefix('"')?.rsplit_once("\"@")?;
    let is_plain = is_sound(local) && !local.contains(['@', '"', '[', ']']);
    let is_spelled =
        !local.trim().is_empty() && !local.contains(|c: char| c.is_control() || "\"\\".contains(c));
    if !is_spelled || !is_sound(domain) || text.len() > MAX_ENTRY_BYTES {
        return None;
    }
    normal(&if is_plain { format!("{local}@{domain}") } else { format!("\"{local}\"@{domain}") })
}

fn normal(address: &str) -> Option<String> {
    let key = frontdesk_address::email_key(address);
    let has_host = key.rsplit_once('@').is_some_and(|(_, domain)| domain.is_ascii());
    (has_host && key.len() <= MAX_ADDRESS_BYTES).then_some(key)
}

/// Returns the date of a message. Dates that do not exist, and those before 1990, which clocks without a
/// battery have, are left out.
pub(crate) fn date(message: &Message<'_>) -> Option<Timestamp> {
    let date = match message.header(mail_parser::HeaderName::Date)? {
        HeaderValue::DateTime(date) if date.is_valid() => date,
        _ => return None,
    };
    let timestamp = Timestamp::from_second(date.to_timestamp()).ok()?;
    let earliest = Timestamp::from_second(631_152_000).ok()?;
    (timestamp >= earliest).then_some(timestamp)
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_length_of_an_address_is_that_of_its_ascii_form() {
        // 40 equal characters of three bytes are 44 in ASCII.
        let long = format!("a@{0}.{0}.example", "\u{3042}".repeat(45));
        assert!(long.len() > 254);
        assert!(address(&long).is_some_and(|ascii| ascii.is_ascii() && ascii.len() < 254));
        // A character of two bytes is eight in a label of its own.
        let short = format!("a@{}example", "\u{e9}.".repeat(40));
        assert!(short.len() < 254);
        assert_eq!(address(&short), None);
        let limit = format!("{}@{}example", "a".repeat(64), "b.".repeat(91));
        assert_eq!((limit.len(), address(&limit).as_deref()), (254, Some(&*limit)));
        assert_eq!(address(&format!("a{limit}")), None);
        // A host name against the rules is one that somebody may answer to.
        assert_eq!(address("A@b_c.example").as_deref(), Some("a@b_c.example"));
    }

    #[test]
    fn the_first_part_may_be_in_quotes() {
        for (text, expected) in [
            ("\"jo doe\"@acme.example", Some("\"jo doe\"@acme.example")),
            ("<\"Jo@Home\"@Acme.example>", Some("\"jo@home\"@acme.example")),
            ("\"jo.doe\"@acme.example", Some("jo.doe@acme.example")),
            ("\"jo doe\"", None),
            ("\" \"@acme.example", None),
            ("\"jo\r\ndoe\"@acme.example", None),
            ("'jo@acme.example'", Some("jo@acme.example")),
            ("\"jo@acme.example\"", Some("jo@acme.example")),
        ] {
            assert_eq!(address(text).as_deref(), expected, "{text}");
        }
    }
}
