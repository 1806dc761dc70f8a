//! [`Violation`]: a rule of the document that a request breaks, and its representations in responses.

use frontdesk_contract::oracle::Fault;
use http::HeaderValue;
use serde_json::{Map, Value, json};
use std::fmt;

/// The largest number of violations that a response lists; the rest are only counted.
const MAX_LISTED: usize = 20;

/// The longest message in characters; messages contain values, which may be long.
const MAX_MESSAGE: usize = 240;

/// The part of a request that a violation is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
    Cookie,
    Body,
    /// The credentials.
    Security,
    /// The `Accept` header.
    Accept,
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Body => "body",
            Self::Security => "security",
            Self::Accept => "accept",
        })
    }
}

/// A broken rule.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    location: Location,
    /// The name of the parameter; empty for the body.
    name: String,
    /// The JSON pointer of the value within the parameter or the body.
    pointer: String,
    message: String,
}

impl Violation {
    pub(crate) fn new(
        location: Location,
        name: &str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { location, name: name.to_owned(), pointer: pointer.into(), message: shortened(message.into()) }
    }

    /// Converts the faults that the oracle reports.
    pub(crate) fn of_faults(location: Location, name: &str, faults: Vec<Fault>) -> Vec<Self> {
        let violations = faults.into_iter().flat_map(|fault| {
            let branch = fault.branch.map_or_else(String::new, |branch| format!(" ({branch})"));
            let of_member = |member: &str, rule: &str| {
                let step = member.replace('~', "~0").replace('/', "~1");
                Self::new(location, name, format!("{}/{step}", fault.pointer), format!("{rule}{branch}"))
            };
            match &fault.missing {
                Some(member) => vec![of_member(member, "is required")],
                // As in generated servers, what is wrong is each member, not the object that has it.
                None if !fault.unexpected.is_empty() => {
                    fault.unexpected.iter().map(|member| of_member(member, "is not known")).collect()
                }
                None => {
                    vec![Self::new(location, name, fault.pointer.clone(), shortened(fault.message) + &branch)]
                }
            }
        });
        violations.collect()
    }

    /// Returns the member of the body that is wrong, or has something wrong in it, as a pointer.
    pub(crate) fn member(&self) -> &str {
        let end = self.pointer.char_indices().skip(1).find(|(_, character)| *character == '/');
        &self.pointer[..end.map_or(self.pointer.len(), |(end, _)| end)]
    }

    /// Returns the location as a dotted path, a common form in API errors: `contact.custom.2`, or `body` for
    /// the body itself.
    fn field(&self) -> String {
        if self.name.is_empty() && self.pointer.is_empty() {
            return "body".to_owned();
        }
        let steps = self.pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        let name = Some(self.name.clone()).filter(|name| !name.is_empty());
        name.into_iter().chain(steps).collect::<Vec<_>>().join(".")
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("in".to_owned(), self.location.to_string().into());
        if !self.name.is_empty() {
            object.insert("name".to_owned(), self.name.clone().into());
        }
        object.insert("pointer".to_owned(), format!("#{}", self.pointer).into());
        object.insert("detail".to_owned(), self.message.clone().into());
        Value::Object(object)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { location, name, pointer, message } = self;
        write!(formatter, "{location}")?;
        for part in [name, pointer].into_iter().filter(|part| !part.is_empty()) {
            write!(formatter, " {part}")?;
        }
        write!(formatter, ": {message}")
    }
}

/// All violations of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Violations(pub(crate) Vec<Violation>);

impl Violations {
    /// Summarizes the violations in one sentence.
    pub(crate) fn summary(&self) -> String {
        match self.0.as_slice() {
            [] => String::new(),
            [only] => only.to_string(),
            [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
        }
    }

    /// Returns one line for each violation, up to a limit.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.0.iter().take(MAX_LISTED).map(ToString::to_string).collect();
        if self.0.len() > MAX_LISTED {
            lines.push(format!("and {} more", self.0.len() - MAX_LISTED));
        }
        lines
    }

    /// Returns the violations in the form of RFC 9457's example with several problems.
    pub(crate) fn to_json(&self) -> Value {
        self.0.iter().take(MAX_LISTED).map(Violation::to_json).collect()
    }

    /// Returns the violations in the forms that APIs commonly use, the most detailed first.
    pub(crate) fn common_forms(&self) -> Vec<Value> {
        let listed = || self.0.iter().take(MAX_LISTED);
        let mut by_field: Map<String, Value> = Map::new();
        for violation in listed() {
            let texts = by_field.entry(violation.field()).or_insert_with(|| json!([]));
            if let Value::Array(texts) = texts {
                texts.push(violation.message.clone().into());
            }
        }
        let first_by_field: Map<String, Value> =
            by_field.iter().map(|(field, texts)| (field.clone(), texts[0].clone())).collect();
        let objects = |location: &str, text: &str| -> Value {
            listed()
                .map(|violation| json!({ location: violation.field(), text: violation.message }))
                .collect()
        };
        let texts: Value = listed().map(ToString::to_string).collect();
        vec![
            Value::Object(by_field),
            Value::Object(first_by_field),
            self.to_json(),
            objects("field", "message"),
            objects("path", "message"),
            objects("name", "reason"),
            listed().map(|violation| json!({ "message": violation.to_string() })).collect(),
            texts,
        ]
    }
}

/// Converts a location with dots between its names to a JSON pointer.
pub(crate) fn pointer(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("/{}", place.replace('.', "/")) }
}

/// Converts text to a header value. Characters other than printable ASCII are escaped as in Rust and
/// JavaScript (`\u{fc}`).
pub(crate) fn header_text(text: &str) -> HeaderValue {
    let plain = |character: char| character == ' ' || character.is_ascii_graphic();
    let escaped: String =
        text.chars()
            .map(|character| {
                if plain(character) { character.to_string() } else { character.escape_default().to_string() }
            })
            .collect();
    HeaderValue::from_str(&escaped).unwrap_or(HeaderValue::from_static("?"))
}

fn shortened(message: String) -> String {
    if message.chars().count() <= MAX_MESSAGE {
        return message;
    }
    // The value comes first and the rule last, so the middle is cut.
    let characters: Vec<char> = message.chars().collect();
    let (head, tail) = (&characters[..MAX_MESSAGE / 2], &characters[characters.len() - MAX_MESSAGE / 2..]);
    head.iter().chain(&[' ', '…', ' ']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::{Location, Violation, Violations, header_text};
    use serde_json::json;

    #[test]
    fn violations_have_the_common_forms() {
        let violations = Violations(vec![
            Violation::new(Location::Body, "", "/contact/custom/2", "is too long"),
            Violation::new(Location::Query, "limit", "", "must be an integer"),
            Violation::new(Location::Body, "", "", "is required"),
        ]);
        assert_eq!(violations.summary(), "body /contact/custom/2: is too long (and 2 more)");
        assert_eq!(
            violations.common_forms()[0],
            json!({"contact.custom.2": ["is too long"], "limit": ["must be an integer"], "body": ["is required"]})
        );
        assert_eq!(
            violations.to_json()[1],
            json!({"in": "query", "name": "limit", "pointer": "#", "detail": "must be an integer"})
        );
    }

    #[test]
    fn what_a_header_cannot_hold_is_escaped() {
        assert_eq!(
            header_text("größe\n😀 \"a\"").to_str().ok(),
            Some("gr\\u{f6}\\u{df}e\\n\\u{1f600} \"a\"")
        );
    }

    #[test]
    fn long_values_are_cut_in_the_middle() {
        let long = Violation::new(
            Location::Body,
            "",
            "",
            format!("\"{}\" is longer than 3 characters", "ä".repeat(900)),
        );
        assert!(long.message.ends_with("is longer than 3 characters") && long.message.chars().count() < 250);
    }
}
