//! JSON schemas of completions, with their members in the order in which they are to be written.
//!
//! The order matters: action and citations come before the text, so that each sentence can be verified as
//! soon as it is written. A `serde_json::Value` may sort its members.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use crate::draft::Action;

/// The JSON that a completion must consist of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Format {
    /// An answer from so many sources.
    Answer {
        /// Number of the passages in the prompt.
        sources: usize,
    },
    /// The numbers of supported sentences.
    Verdict,
    /// A question that stands alone.
    Question,
}

/// Maximum number of tokens of a rewritten question with its JSON.
const QUESTION_TOKENS: u32 = 120;

/// A JSON object whose members keep their order.
struct Object(Vec<(&'static str, Member)>);

enum Member {
    Value(Value),
    Object(Object),
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Answer { .. } => "answer",
            Self::Verdict => "verdict",
            Self::Question => "question",
        }
    }

    /// Returns the number of tokens that a completion may have if the configuration allows `configured`.
    pub(super) fn max_tokens(self, configured: u32) -> u32 {
        if matches!(self, Self::Question) { configured.min(QUESTION_TOKENS) } else { configured }
    }

    fn members(self) -> Vec<(&'static str, Value)> {
        match self {
            Self::Answer { sources } => {
                let actions =
                    [Action::Answer, Action::Clarify, Action::Refuse, Action::Escalate].map(Action::as_str);
                let mut id = json!({ "type": "string" });
                // An endpoint that enforces the schema cannot cite what does not exist. An empty list allows
                // nothing.
                if sources > 0 {
                    id["enum"] = (1..=sources).map(|number| format!("S{number}")).collect();
                }
                vec![
                    ("action", json!({ "type": "string", "enum": actions })),
                    ("citations", json!({ "type": "array", "items": id })),
                    ("answer", json!({ "type": "string" })),
                    ("reason", json!({ "type": "string" })),
                ]
            }
            Self::Verdict => {
                vec![("supported", json!({ "type": "array", "items": { "type": "integer" } }))]
            }
            Self::Question => vec![("question", json!({ "type": "string" }))],
        }
    }

    /// Returns the schema of the object.
    fn schema(self) -> Object {
        let members = self.members();
        let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        let properties = members.into_iter().map(|(name, schema)| (name, Member::Value(schema))).collect();
        Object(vec![
            ("type", Member::Value(json!("object"))),
            ("additionalProperties", Member::Value(json!(false))),
            ("required", Member::Value(json!(names))),
            ("properties", Member::Object(Object(properties))),
        ])
    }
}

impl Serialize for Format {
    /// Writes the value of `response_format`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let described = Object(vec![
            ("name", Member::Value(json!(self.name()))),
            ("strict", Member::Value(json!(true))),
            ("schema", Member::Object(self.schema())),
        ]);
        let format = Object(vec![
            ("type", Member::Value(json!("json_schema"))),
            ("json_schema", Member::Object(described)),
        ]);
        format.serialize(serializer)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, member) in &self.0 {
            map.serialize_entry(name, member)?;
        }
        map.end()
    }
}

impl Serialize for Member {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Object(object) => object.serialize(serializer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citations_come_before_the_text_and_exist() {
        let text = serde_json::to_string(&Format::Answer { sources: 2 }).unwrap();
        let at =
            |name: &str| text.find(&format!("\"{name}\":{{")).unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(at("action") < at("citations") && at("citations") < at("answer"), "{text}");
        assert!(text.contains("\"required\":[\"action\",\"citations\",\"answer\",\"reason\"]"), "{text}");
        let value: Value = serde_json::from_str(&text).unwrap();
        let schema = &value["json_schema"]["schema"];
        assert_eq!(schema["properties"]["citations"]["items"]["enum"], json!(["S1", "S2"]));
        assert_eq!((&value["type"], &value["json_schema"]["strict"]), (&json!("json_schema"), &json!(true)));

        let nothing = serde_json::to_string(&Format::Answer { sources: 0 }).unwrap();
        assert!(!nothing.contains("\"enum\":[]"), "{nothing}");
    }
}
