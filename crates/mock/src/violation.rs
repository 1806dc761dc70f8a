//! Owns [`Violation`]: a rule of the document that a request breaks, and how it is told.

use frontdesk_contract::oracle::Fault;
use http::HeaderValue;
use serde_json::{Map, Value, json};
use std::fmt;

/// Violations that one answer tells; what is left is only counted.
const MOST: usize = 20;

/// Characters of one message; values are part of it, and may be long.
const LONGEST: usize = 240;

/// The part of a request in which something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    Query,
    Header,
    Cookie,
    Body,
    /// The credentials.
    Security,
    /// What the request asks of the answer.
    Accept,
}

impl fmt::Display for Place {
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

/// One rule that is broken.
#[derive(Clone, Debug)]
pub(crate) struct Violation {
    place: Place,
    /// The parameter; nothing for the body.
    name: String,
    /// JSON pointer of the value within the parameter or the body.
    pointer: String,
    message: String,
}

impl Violation {
    pub(crate) fn new(
        place: Place,
        name: &str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { place, name: name.to_owned(), pointer: pointer.into(), message: shortened(message.into()) }
    }

    /// What the oracle finds.
    pub(crate) fn of_faults(place: Place, name: &str, faults: Vec<Fault>) -> Vec<Self> {
        let violations = faults.into_iter().map(|fault| match fault.missing {
            Some(member) => {
                let step = member.replace('~', "~0").replace('/', "~1");
                Self::new(place, name, format!("{}/{step}", fault.pointer), "is required")
            }
            None => Self::new(place, name, fault.pointer, fault.message),
        });
        violations.collect()
    }

    /// The place as a dotted path, as errors of APIs often have it: `contact.custom.2`, `body` for the body itself.
    fn field(&self) -> String {
        let steps = self.pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        let name = Some(self.name.clone()).filter(|name| !name.is_empty());
        let path = name.into_iter().chain(steps).collect::<Vec<_>>().join(".");
        if path.is_empty() { "body".to_owned() } else { path }
    }

    fn to_json(&self) -> Value {
        let mut object = Map::new();
        object.insert("in".to_owned(), self.place.to_string().into());
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
        let Self { place, name, pointer, message } = self;
        write!(formatter, "{place}")?;
        for part in [name, pointer].into_iter().filter(|part| !part.is_empty()) {
            write!(formatter, " {part}")?;
        }
        write!(formatter, ": {message}")
    }
}

/// Everything that is wrong with a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Violations(pub(crate) Vec<Violation>);

impl Violations {
    /// One sentence for people.
    pub(crate) fn summary(&self) -> String {
        match self.0.as_slice() {
            [] => String::new(),
            [only] => only.to_string(),
            [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
        }
    }

    /// One text a violation, no more than an answer can bear.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.0.iter().take(MOST).map(ToString::to_string).collect();
        if self.0.len() > MOST {
            lines.push(format!("and {} more", self.0.len() - MOST));
        }
        lines
    }

    /// As RFC 9457 shows it in its example of several problems.
    pub(crate) fn to_json(&self) -> Value {
        self.0.iter().take(MOST).map(Violation::to_json).collect()
    }

    /// The forms in which APIs commonly list what is wrong, the most telling first.
    pub(crate) fn common_forms(&self) -> Vec<Value> {
        let told = || self.0.iter().take(MOST);
        let mut by_field: Map<String, Value> = Map::new();
        for violation in told() {
            let texts = by_field.entry(violation.field()).or_insert_with(|| json!([]));
            if let Value::Array(texts) = texts {
                texts.push(violation.message.clone().into());
            }
        }
        let first_by_field: Map<String, Value> =
            by_field.iter().map(|(field, texts)| (field.clone(), texts[0].clone())).collect();
        let objects = |place: &str, text: &str| -> Value {
            told().map(|violation| json!({ place: violation.field(), text: violation.message })).collect()
        };
        let texts: Value = told().map(ToString::to_string).collect();
        vec![
            Value::Object(by_field),
            Value::Object(first_by_field),
            self.to_json(),
            objects("field", "message"),
            objects("path", "message"),
            objects("name", "reason"),
            told().map(|violation| json!({ "message": violation.to_string() })).collect(),
            texts,
        ]
    }
}

/// Text as a header can hold it: other characters than printable ASCII are escaped as in Rust and JavaScript (`\u{fc}`).
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
    if message.chars().count() <= LONGEST {
        return message;
    }
    // The value stands first, the rule last.
    let characters: Vec<char> = message.chars().collect();
    let (head, tail) = (&characters[..LONGEST / 2], &characters[characters.len() - LONGEST / 2..]);
    head.iter().chain(&[' ', '…', ' ']).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::{Place, Violation, Violations, header_text};
    use serde_json::json;

    #[test]
    fn violations_are_told_in_the_forms_that_apis_use() {
        let violations = Violations(vec![
            Violation::new(Place::Body, "", "/contact/custom/2", "is too long"),
            Violation::new(Place::Query, "limit", "", "must be an integer"),
            Violation::new(Place::Body, "", "", "is required"),
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
            Place::Body,
            "",
            "",
            format!("\"{}\" is longer than 3 characters", "ä".repeat(900)),
        );
        assert!(long.message.ends_with("is longer than 3 characters") && long.message.chars().count() < 250);
    }
}
