//! [`report_duplicates`]: duplicate members in the objects of a JSON text.
//!
//! JSON does not define which duplicate counts, so validation and processing could use different values.
//! Structs detect duplicate members when they are read; maps and unions keep only the last one.

use super::{Path, Report};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::{borrow::Cow, collections::BTreeSet, fmt};

/// Reports every duplicate member. Invalid JSON is reported elsewhere.
pub(super) fn report_duplicates(body: &[u8], at: &Path<'_>, report: &mut Report) {
    let mut reader = serde_json::Deserializer::from_slice(body);
    // Invalid JSON ends the traversal early.
    let _ = Scan { at, report }.deserialize(&mut reader);
}

/// One value of the traversal.
struct Scan<'p, 'r> {
    at: &'p Path<'p>,
    report: &'r mut Report,
}

impl<'de> DeserializeSeed<'de> for Scan<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scan<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut index = 0;
        while entries.next_element_seed(Scan { at: &self.at.index(index), report: self.report })?.is_some() {
            index += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut seen = BTreeSet::new();
        while let Some(name) = members.next_key_seed(Name)? {
            let at = self.at.name(&name);
            if seen.contains(&name) {
                self.report.push(&at, "must not occur twice");
            }
            members.next_value_seed(Scan { at: &at, report: self.report })?;
            seen.insert(name);
        }
        Ok(())
    }
}

/// The name of a member, copied only if the text contains escape sequences.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a member")
    }

    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Path, Report, report_duplicates};

    #[test]
    fn doubled_members_are_found_wherever_they_are() {
        for (body, expected) in [
            (r#"{"a": 1, "b": {"a": 2}, "c": [{"a": null}, {"a": -1.5}]}"#, &[][..]),
            (r#"{"a": 1, "a": 2, "a": 3}"#, &["a", "a"]),
            (r#"{"a": {"b": true, "c": "", "b": false}}"#, &["a.b"]),
            (r#"[{}, {"x y": 1, "x\u0020y": 1}]"#, &["1.x y"]),
            (r#"{"a": 1, "b": [{"a": 2}, "#, &[]),
            ("7", &[]),
        ] {
            let mut report = Report::default();
            report_duplicates(body.as_bytes(), &Path::ROOT, &mut report);
            let places: Vec<String> =
                report.into_failures().into_iter().map(|failure| failure.path).collect();
            assert_eq!(places, expected, "{body}");
        }
    }
}
