//! What is known of a person who is erased, by which texts and rows about the person are found.

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use uuid::Uuid;

use crate::contacts::Contact;
use crate::contacts::account::AccountContacts;
use crate::contacts::key::ContactKey;
use crate::lifecycle::erasure::numbers;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::row::{Columns, email_spellings};

/// What takes the place of a person's data in texts of deals.
const ERASED: &str = "[erased]";
/// Shorter texts are too common to be somebody's.
const SHORTEST: usize = 3;
/// The first character of the scripts that are written without spaces.
const FIRST_WITHOUT_SPACES: char = '\u{2e80}';
/// The shortest name by which a person is recognized in texts that have nothing to do with it otherwise.
const SHORTEST_FULL_NAME: usize = 6;

/// What is known of a person, now and from before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Person {
    pub(super) contact_id: Uuid,
    pub(super) account_id: Uuid,
    /// The id of the contact, and those of contacts that were merged into it.
    pub(super) ids: Vec<String>,
    pub(super) emails: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) phones: Vec<String>,
    pub(super) external_ids: Vec<String>,
}

impl Person {
    fn of(contact: &Contact) -> Self {
        let list = |value: &Option<String>| value.iter().cloned().collect();
        Self {
            contact_id: contact.contact_id,
            account_id: contact.account_id,
            ids: vec![contact.contact_id.to_string()],
            emails: list(&contact.email),
            names: list(&contact.name),
            phones: list(&contact.phone),
            external_ids: list(&contact.external_id),
        }
    }

    pub(super) fn stored(text: &str) -> Result<Self, StoreError> {
        serde_json::from_str(text).map_err(|error| StoreError::invalid("person", error.to_string()))
    }

    pub(super) fn to_stored(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Returns the same contact without anything that is known of it.
    pub(super) fn forgotten(&self) -> Self {
        Self {
            contact_id: self.contact_id,
            account_id: self.account_id,
            ids: Vec::new(),
            emails: Vec::new(),
            names: Vec::new(),
            phones: Vec::new(),
            external_ids: Vec::new(),
        }
    }

    pub(super) fn is_forgotten(&self) -> bool {
        // Any other has its own id at least.
        self.ids.is_empty()
    }

    /// Returns a text of something that is about the person without what is known of it, in upper or lower
    /// case. Of its names, each word counts.
    pub(super) fn taken_from(&self, text: &str) -> String {
        let mut left = self.clearly_taken_from(text);
        for whole in self.names.iter().chain(&self.external_ids) {
            left = replaced(&left, whole);
        }
        for name in self.names.iter().flat_map(|name| name.split(|c: char| !c.is_alphanumeric())) {
            left = replaced(&left, name);
        }
        left
    }

    /// Returns any text without what is certainly this person's: addresses, full names, and numbers however
    /// they are written.
    pub(super) fn clearly_taken_from(&self, text: &str) -> String {
        let mut left = text.to_owned();
        for known in self.clear() {
            left = replaced(&left, known);
        }
        for phone in &self.phones {
            left = numbers::replaced(&left, phone, ERASED);
        }
        left
    }

    /// What nobody else is likely to have.
    fn clear(&self) -> impl Iterator<Item = &String> {
        let is_full = |name: &&String| {
            name.split_whitespace().count() > 1 && name.chars().count() >= SHORTEST_FULL_NAME
        };
        let names = self.names.iter().filter(is_full);
        let mut known: Vec<&String> = self.emails.iter().chain(&self.phones).chain(names).collect();
        // A longer one may contain a shorter one.
        known.sort_by_key(|known| std::cmp::Reverse(known.len()));
        known.into_iter()
    }

    /// Returns patterns of `LIKE` that all texts match from which something would be
    /// [clearly taken](Self::clearly_taken_from), and few others.
    pub(super) fn patterns(&self) -> Vec<String> {
        let pattern = |known: &String| {
            let mut pattern = "%".to_owned();
            for character in known.chars() {
                // Databases compare only letters of ASCII in either case.
                let one = if character.is_ascii_alphanumeric() { character } else { '%' };
                if one != '%' || !pattern.ends_with('%') {
                    pattern.push(one);
                }
            }
            if !pattern.ends_with('%') {
                pattern.push('%');
            }
            pattern
        };
        let numbers = self.phones.iter().filter_map(|phone| numbers::pattern(phone));
        self.clear().map(pattern).chain(numbers).collect()
    }
}

impl AccountContacts<'_> {
    /// Returns what is known of a contact, which no conversation can be linked to until the transaction ends.
    /// What another contact has now is left out of what this one had before.
    pub(super) async fn person(&mut self, contact_id: Uuid) -> Result<Option<Person>, StoreError> {
        let Some(contact) = self.get(contact_id).await? else { return Ok(None) };
        let mut person = Person::of(&contact);
        let traces =
            sqlx::query("SELECT kind, value FROM contact_traces WHERE contact_id = $1 ORDER BY kind, value")
                .bind(contact_id.to_string())
                .fetch_all(&mut *self.connection)
                .await?;
        for trace in traces {
            let (kind, value) = (trace.text("kind")?, trace.text("value")?);
            let key = match kind.as_str() {
                "email" => Some(ContactKey::Email),
                "external_id" => Some(ContactKey::ExternalId),
                _ => None,
            };
            if let Some(key) = key
                && let Some(normal) = key.normal(&value)
                && self.holder(key, &normal, contact_id).await?.is_some()
            {
                continue;
            }
            let known = match kind.as_str() {
                "contact_id" => &mut person.ids,
                "email" => &mut person.emails,
                "name" => &mut person.names,
                "phone" => &mut person.phones,
                _ => &mut person.external_ids,
            };
            if !known.contains(&value) {
                known.push(value);
            }
        }
        // A letter with a mark may be written in one character or in two.
        let names: Vec<String> =
            person.names.iter().flat_map(|name| [name.nfc().collect(), name.nfd().collect()]).collect();
        for name in names {
            if !person.names.contains(&name) {
                person.names.push(name);
            }
        }
        // What is stored or written about a person may have either spelling of an address.
        let spellings: Vec<String> = person.emails.iter().flat_map(|email| email_spellings(email)).collect();
        for spelling in spellings {
            if !person.emails.contains(&spelling) {
                person.emails.push(spelling);
            }
        }
        Ok(Some(person))
    }

    /// Locks a contact so that nothing can be linked to it until the transaction ends. Returns whether it is
    /// there.
    pub(super) async fn lock_for_deletion(
        &mut self,
        dialect: Dialect,
        contact_id: Uuid,
    ) -> Result<bool, StoreError> {
        macro_rules! select {
            ($lock:literal) => {
                concat!("SELECT 1 FROM contacts WHERE account_id = $1 AND contact_id = $2", $lock)
            };
        }
        let found = sqlx::query(dialect.pick(select!(""), select!(" FOR UPDATE")))
            .bind(self.account_id.to_string())
            .bind(contact_id.to_string());
        Ok(found.fetch_optional(&mut *self.connection).await?.is_some())
    }
}

/// Returns a text in which a value is replaced, in upper or lower case, where it is not part of a longer
/// word. In scripts without spaces, it is replaced anywhere, and may be shorter.
fn replaced(text: &str, known: &str) -> String {
    let known: Vec<char> = known.chars().flat_map(char::to_lowercase).collect();
    let whole = known.iter().all(|character| *character < FIRST_WITHOUT_SPACES);
    if known.len() < SHORTEST - usize::from(!whole) {
        return text.to_owned();
    }
    let mut written = String::with_capacity(text.len());
    let (mut rest, mut before) = (text, None);
    while let Some(first) = rest.chars().next() {
        let found = without_prefix(rest, &known).filter(|after| {
            let begins = before.is_none_or(|before: char| !before.is_alphanumeric());
            let ends = after.chars().next().is_none_or(|next| !next.is_alphanumeric());
            !whole || begins && ends
        });
        if let Some(after) = found {
            written.push_str(ERASED);
            rest = after;
            before = Some(']');
        } else {
            written.push(first);
            rest = &rest[first.len_utf8()..];
            before = Some(first);
        }
    }
    written
}

/// Returns what follows a prefix that is given in lower case.
fn without_prefix<'t>(text: &'t str, prefix: &[char]) -> Option<&'t str> {
    let mut left = prefix;
    for (start, character) in text.char_indices() {
        if left.is_empty() {
            return Some(&text[start..]);
        }
        for lower in character.to_lowercase() {
            left = left.split_first().filter(|(expected, _)| **expected == lower)?.1;
        }
    }
    left.is_empty().then_some("")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(names: &[&str]) -> Person {
        Person {
            contact_id: Uuid::nil(),
            account_id: Uuid::nil(),
            ids: Vec::new(),
            emails: vec!["ann@customer.example".to_owned()],
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            phones: vec!["+491701234567".to_owned()],
            external_ids: Vec::new(),
        }
    }

    #[test]
    fn texts_lose_what_is_known_of_a_person() {
        for (text, known, left) in [
            ("Ann Baker: lawn mower", "ann baker", "[erased]: lawn mower"),
            ("Mower for ANN BAKER", "Ann Baker", "Mower for [erased]"),
            ("Zoë, zoë and Zoe", "ZOË", "[erased], [erased] and Zoe"),
            ("Mower", "Ann", "Mower"),
            ("Planning with İan", "İan", "Planning with [erased]"),
            ("田中太郎様の注文", "田中太郎", "[erased]様の注文"),
        ] {
            assert_eq!(replaced(text, known), left);
        }
        let ann = person(&["Ann Baker"]);
        for (text, left) in [
            ("Mrs. Baker wants a mower", "Mrs. [erased] wants a mower"),
            ("Bakery of Ann", "Bakery of [erased]"),
            ("Call +491701234567 or ann@customer.example", "Call [erased] or [erased]"),
            ("Call 0170 / 123 45 67 or 0049 (0)170 1234567", "Call [erased] or [erased]"),
        ] {
            assert_eq!(ann.taken_from(text), left);
        }
    }

    #[test]
    fn other_texts_lose_only_what_is_clear() {
        let ann = person(&["Ann Baker"]);
        assert_eq!(ann.clearly_taken_from("Ann Baker, Ann and Mrs. Baker"), "[erased], Ann and Mrs. Baker");
        assert_eq!(ann.clearly_taken_from("Joann Baker"), "Joann Baker");
        assert!(ann.patterns().contains(&"%Ann%Baker%".to_owned()));
    }
}
