//! Completions of the model, and how they are parsed.
//!
//! Some endpoints enforce the schema, some ignore it, and some wrap the JSON in a code fence or in chatter.
//! Every completion that contains one JSON object of the right shape is accepted.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::draft::Action;

/// A completion that answers a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Reply {
    /// Text for the visitor.
    #[serde(default)]
    pub(super) answer: String,
    /// Ids of the passages that the answer is based on.
    #[serde(default)]
    citations: Vec<Value>,
    /// What the answer does.
    pub(super) action: Action,
}

impl Reply {
    /// Parses a reply from the content of a completion.
    pub(super) fn parse(content: &str) -> Result<Self, &'static str> {
        let reply: Self = object(content)?;
        let has_text = matches!(reply.action, Action::Answer | Action::Clarify);
        if has_text && reply.answer.trim().is_empty() {
            return Err("the answer is empty");
        }
        Ok(reply)
    }

    /// Returns the numbers in the list of citations alone.
    pub(super) fn listed(&self) -> Vec<usize> {
        unique(listed(&self.citations))
    }

    /// Returns the numbers of the cited passages, counted from 1, in the order of their first mention,
    /// including markers such as `[S2]` in the text. The caller checks whether such passages exist.
    pub(super) fn citations(&self) -> Vec<usize> {
        unique(listed(&self.citations).chain(markers(&self.answer).map(|(_, _, number)| number)))
    }
}

/// Parses the list of citations alone, and returns the numbers of the cited passages.
pub(super) fn citations(json: &str) -> Option<Vec<usize>> {
    let ids: Vec<Value> = serde_json::from_str(json).ok()?;
    Some(unique(listed(&ids)))
}

/// Parses the action alone.
pub(super) fn action(json: &str) -> Option<Action> {
    serde_json::from_str(json).ok()
}

fn listed(ids: &[Value]) -> impl Iterator<Item = usize> {
    ids.iter().filter_map(|id| match id {
        Value::Number(number) => number.as_u64().and_then(|number| usize::try_from(number).ok()),
        Value::String(text) => number_of(text),
        _ => None,
    })
}

fn unique(found: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers = Vec::new();
    for number in found {
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers
}

/// Finds citation markers in a text, as start, end and number: `[S1]`, `[1]`, and the first number of
/// `[S1, S2]`.
pub(super) fn markers(text: &str) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    text.match_indices('[').filter_map(|(start, _)| {
        let end = start + text[start..].find(']')? + 1;
        let inside = &text[start + 1..end - 1];
        // `[1](https://…)` is a link with a short text, not a marker.
        let link = text[end..].starts_with('(');
        let mut ids = inside.split(',').map(number_of);
        let first = ids.next().flatten().filter(|_| ids.all(|id| id.is_some()))?;
        (!link).then_some((start, end, first))
    })
}

/// Returns the number in an id such as `S3`, `3` or `[S3]`.
fn number_of(id: &str) -> Option<usize> {
    let id = id.trim().trim_matches(['[', ']']).trim_start_matches(['S', 's']);
    if id.is_empty() || id.len() > 3 { None } else { id.parse().ok() }
}

/// Parses a completion that lists the numbers of the supported sentences, counted from 1.
pub(super) fn verdict(content: &str) -> Result<Vec<usize>, &'static str> {
    #[derive(Deserialize)]
    struct Verdict {
        supported: Vec<usize>,
    }
    object::<Verdict>(content).map(|verdict| verdict.supported)
}

/// Parses a completion that consists of a rewritten question.
pub(super) fn rewritten(content: &str) -> Result<String, &'static str> {
    #[derive(Deserialize)]
    struct Rewritten {
        question: String,
    }
    object::<Rewritten>(content).map(|rewritten| rewritten.question)
}

/// Finds and parses one JSON object in a text.
fn object<T: DeserializeOwned>(content: &str) -> Result<T, &'static str> {
    let trimmed = content.trim();
    if let Ok(found) = serde_json::from_str(trimmed) {
        return Ok(found);
    }
    let (Some(start), Some(end)) = (trimmed.find('{'), trimmed.rfind('}')) else {
        return Err("it has no JSON object");
    };
    let inside = trimmed.get(start..=end).ok_or("it has no JSON object")?;
    serde_json::from_str(inside).map_err(|_| "its JSON does not have the requested shape")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn replies_are_found_in_what_endpoints_send() {
        let bare = r#"{"answer":"At nine.","citations":["S1"],"action":"answer","reason":"stated"}"#;
        for content in [
            bare.to_owned(),
            format!("```json\n{bare}\n```"),
            format!("Here is the answer:\n{bare}\nHope that helps!"),
            format!("<think>hm</think>{bare}"),
        ] {
            let reply = Reply::parse(&content).unwrap();
            assert_eq!((reply.answer.as_str(), reply.action), ("At nine.", Action::Answer), "{content}");
        }
        assert_eq!(Reply::parse(r#"{"action":"refuse"}"#).unwrap().action, Action::Refuse);
    }

    #[test]
    fn everything_else_is_malformed() {
        for content in [
            "",
            "At nine.",
            "{}",
            "}{",
            r#"{"answer":"x","action":"sell"}"#,
            r#"{"answer":" ","action":"answer"}"#,
            r#"{"answer":{"text":"x"},"action":"answer"}"#,
            r#"{"answer":"cut o"#,
        ] {
            assert!(Reply::parse(content).is_err(), "{content}");
        }
    }

    #[test]
    fn citations_are_read_in_every_spelling() {
        let reply = |citations: Value, answer: &str| -> Reply {
            serde_json::from_value(json!({ "answer": answer, "citations": citations, "action": "answer" }))
                .unwrap()
        };
        assert_eq!(reply(json!(["S2", "[S1]", 3, "s2", "x", null, -1]), "").citations(), [2, 1, 3]);
        assert_eq!(
            reply(json!([]), "At nine [S4]. Or so [2, S1] [see here] [5](https://x.example)").citations(),
            [4, 2]
        );
    }

    #[test]
    fn verdicts_list_sentences() {
        assert_eq!(verdict(r#"{"supported":[1,3]}"#), Ok(vec![1, 3]));
        assert!(verdict("all of them").is_err());
    }
}
