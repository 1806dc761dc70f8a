//! What the body of an error says, by the members that such bodies usually have.
//!
//! Documents give errors many shapes: `{ "message" }`, an object or a text in `error`, problem details
//! (RFC 9457), errors of OAuth (RFC 6749, section 5.2), and lists of problems. The functions look for the
//! members of all of them, so that they need no type.

use super::Raw;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The longest text that is a message rather than a page, in bytes.
const LONGEST: usize = 2_000;

/// Members with a message for people, the best first.
const MESSAGES: [&str; 9] = [
    "message",
    "error_message",
    "errorMessage",
    "detail",
    "error_description",
    "description",
    "reason",
    "msg",
    "title",
];

/// Members with a code for programs, the best first.
const CODES: [&str; 5] = ["code", "error_code", "errorCode", "error", "type"];

/// Members with the problems of single fields.
const PROBLEMS: [&str; 7] =
    ["errors", "fields", "violations", "invalid_params", "invalid-params", "details", "detail"];

/// Members of a problem that name its field.
const FIELDS: [&str; 8] = ["field", "path", "pointer", "param", "loc", "location", "source", "name"];

/// Headers that identify a request.
const REQUEST_IDS: [&str; 7] = [
    "x-request-id",
    "request-id",
    "x-requestid",
    "x-correlation-id",
    "x-amzn-requestid",
    "x-ms-request-id",
    "x-trace-id",
];

/// The body of an error, parsed.
pub(super) struct Explanation(Value);

impl Explanation {
    pub(super) fn of(raw: &Raw) -> Self {
        Self(serde_json::from_slice(&raw.body).unwrap_or_else(|_| text(raw)))
    }

    /// Returns the message for people.
    pub(super) fn message(&self) -> Option<String> {
        message(&self.0)
    }

    /// Returns the code for programs.
    pub(super) fn code(&self) -> Option<String> {
        let object = first(&self.0)?;
        let inner = object.get("error").or_else(|| object.get("errors")).and_then(first);
        [Some(object), inner].into_iter().flatten().find_map(|object| {
            let texts = CODES.iter().filter_map(|member| Some((*member, object.get(*member)?)));
            texts.filter(|(member, _)| *member != "error" || !is_sentence(object)).find_map(|(_, value)| {
                match value {
                    // Problem details whose type says nothing (RFC 9457, section 4.2.1).
                    Value::String(text) if text == "about:blank" => None,
                    Value::String(text) => told(text),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                }
            })
        })
    }

    /// Returns the problems of single fields.
    pub(super) fn fields(&self) -> BTreeMap<String, Vec<String>> {
        let mut fields = BTreeMap::new();
        let Some(object) = first(&self.0) else { return fields };
        let inner = object.get("error").and_then(first);
        for object in [Some(object), inner].into_iter().flatten() {
            for problems in PROBLEMS.iter().filter_map(|member| object.get(*member)) {
                add_problems(problems, &mut fields);
            }
            if fields.is_empty() {
                // One error that names its only field.
                add_problem(object, &["param", "field"], &mut fields);
            }
        }
        fields
    }

    /// Returns the id of the request, as the body states it.
    fn request_id(&self) -> Option<String> {
        let object = first(&self.0)?;
        let inner = object.get("error").and_then(first);
        let objects = [Some(object), inner].into_iter().flatten();
        let names = ["request_id", "requestId", "RequestId", "trace_id", "traceId"];
        objects
            .flat_map(|object| names.map(|name| object.get(name)))
            .find_map(|value| value?.as_str().and_then(told))
    }
}

/// Returns the id of the request that a response belongs to.
pub(super) fn request_id(raw: &Raw) -> Option<String> {
    let header = REQUEST_IDS.iter().find_map(|name| raw.headers.get(*name)?.to_str().ok());
    header.and_then(told).or_else(|| Explanation::of(raw).request_id())
}

/// A body that is not JSON, if it is a message and not a page.
fn text(raw: &Raw) -> Value {
    let is_text = raw.media_type().is_none_or(|media_type| media_type == "text/plain");
    match str::from_utf8(&raw.body) {
        Ok(text) if is_text && text.len() <= LONGEST && !text.trim_start().starts_with('<') => text.into(),
        _ => Value::Null,
    }
}

/// The object that a body is, or the first of a list.
fn first(value: &Value) -> Option<&Map<String, Value>> {
    match value {
        Value::Object(object) => Some(object),
        Value::Array(list) => list.first().and_then(first),
        _ => None,
    }
}

/// A text, unless it is blank.
fn told(text: &str) -> Option<String> {
    Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// Whether the member `error` is the message rather than a code: nothing else is one, and it has words.
fn is_sentence(object: &Map<String, Value>) -> bool {
    let text = object.get("error").and_then(Value::as_str).unwrap_or_default();
    text.trim().contains(char::is_whitespace)
}

fn message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => told(text),
        Value::Array(list) => list.iter().find_map(message),
        Value::Object(object) => {
            let text = |member: &&str| object.get(*member).and_then(Value::as_str).and_then(told);
            let (title, own) = MESSAGES.split_last()?;
            own.iter()
                .find_map(text)
                .or_else(|| ["error", "errors"].iter().find_map(|member| message(object.get(*member)?)))
                .or_else(|| text(title))
        }
        _ => None,
    }
}

/// Adds problems: a map from fields to messages, or a list of problems that name their fields.
fn add_problems(problems: &Value, fields: &mut BTreeMap<String, Vec<String>>) {
    match problems {
        Value::Array(list) => {
            for problem in list.iter().filter_map(Value::as_object) {
                add_problem(problem, &FIELDS, fields);
            }
        }
        Value::Object(map) => {
            for (field, said) in map {
                let messages: Vec<String> = match said {
                    Value::Array(list) => list.iter().filter_map(message).collect(),
                    one => message(one).into_iter().collect(),
                };
                if !messages.is_empty() {
                    fields.entry(field.clone()).or_default().extend(messages);
                }
            }
        }
        _ => {}
    }
}

fn add_problem(problem: &Map<String, Value>, names: &[&str], fields: &mut BTreeMap<String, Vec<String>>) {
    let field = names.iter().find_map(|name| field(problem.get(*name)?));
    let said = message(&Value::Object(problem.clone()));
    if let (Some(field), Some(said)) = (field, said) {
        fields.entry(field).or_default().push(said);
    }
}

/// The name of a field: a text, a list of the members that lead to it, or an object with one of these.
fn field(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => told(text),
        Value::Array(parts) => {
            let parts: Vec<String> = parts
                .iter()
                .filter_map(|part| {
                    part.as_str().map(str::to_owned).or_else(|| part.as_u64().map(|at| at.to_string()))
                })
                .collect();
            told(&parts.join("."))
        }
        Value::Object(object) => {
            ["pointer", "parameter", "header"].iter().find_map(|name| field(object.get(*name)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Explanation, request_id};
    use crate::client::Raw;
    use http::{HeaderMap, StatusCode, header};

    fn raw(media_type: &str, body: &'static str) -> Raw {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, media_type.parse().unwrap())]);
        Raw { status: StatusCode::CONFLICT, headers, body: body.into() }
    }

    #[test]
    fn codes_and_messages_are_found_in_the_usual_shapes() {
        for (body, code, message) in [
            (
                r#"{"error":"already_exists","message":"It exists."}"#,
                Some("already_exists"),
                Some("It exists."),
            ),
            (r#"{"message":"Not Found","documentation_url":"https://a"}"#, None, Some("Not Found")),
            (
                r#"{"error":{"type":"card_error","code":"declined","message":"No."}}"#,
                Some("declined"),
                Some("No."),
            ),
            (
                r#"{"error":{"message":"No.","type":"invalid_request_error","code":null}}"#,
                Some("invalid_request_error"),
                Some("No."),
            ),
            (
                r#"{"type":"about:blank","title":"Conflict","status":409,"detail":"It is taken."}"#,
                None,
                Some("It is taken."),
            ),
            (r#"{"type":"https://a/taken","title":"Taken"}"#, Some("https://a/taken"), Some("Taken")),
            (
                r#"{"error":"invalid_grant","error_description":"It has expired."}"#,
                Some("invalid_grant"),
                Some("It has expired."),
            ),
            (r#"{"error":"The name is taken."}"#, None, Some("The name is taken.")),
            (
                r#"{"errors":[{"code":"a1","title":"Bad","detail":"The name is bad."}]}"#,
                Some("a1"),
                Some("The name is bad."),
            ),
            (r#"{"errors":["The name is bad."]}"#, None, Some("The name is bad.")),
            (r#"{"code":20404,"message":"Not here."}"#, Some("20404"), Some("Not here.")),
            (r#"[{"errorCode":"LIMIT","message":"Too many."}]"#, Some("LIMIT"), Some("Too many.")),
            (r#""No.""#, None, Some("No.")),
            (r#"{"message":" "}"#, None, None),
            ("{}", None, None),
            ("null", None, None),
            ("", None, None),
        ] {
            let found = Explanation::of(&raw("application/json", body));
            assert_eq!((found.code().as_deref(), found.message().as_deref()), (code, message), "{body}");
        }
    }

    #[test]
    fn only_plain_text_is_a_message() {
        for (media_type, body, message) in [
            ("text/plain; charset=utf-8", "No such pet.\n", Some("No such pet.")),
            ("text/html", "<h1>Bad gateway</h1>", None),
            ("text/plain", "<html>", None),
            ("application/octet-stream", "abc", None),
        ] {
            assert_eq!(Explanation::of(&raw(media_type, body)).message().as_deref(), message, "{body}");
        }
    }

    #[test]
    fn problems_are_found_by_their_fields() {
        for (body, field, said) in [
            (r#"{"errors":{"name":["is required"]}}"#, "name", "is required"),
            (r#"{"fields":{"name":"is required"}}"#, "name", "is required"),
            (r#"{"errors":[{"field":"name","message":"is required"}]}"#, "name", "is required"),
            (r#"{"errors":[{"source":{"pointer":"/name"},"detail":"is required"}]}"#, "/name", "is required"),
            (
                r#"{"detail":[{"loc":["body","items",0],"msg":"is required","type":"missing"}]}"#,
                "body.items.0",
                "is required",
            ),
            (r#"{"invalid-params":[{"name":"name","reason":"is required"}]}"#, "name", "is required"),
            (r#"{"error":{"param":"name","message":"is required"}}"#, "name", "is required"),
            (
                r#"{"error":{"details":[{"field":"name","description":"is required"}]}}"#,
                "name",
                "is required",
            ),
        ] {
            let fields = Explanation::of(&raw("application/json", body)).fields();
            assert_eq!(fields.len(), 1, "{body}");
            assert_eq!(fields[field], [said], "{body}");
        }
        assert!(Explanation::of(&raw("application/json", r#"{"message":"No."}"#)).fields().is_empty());
    }

    #[test]
    fn a_request_is_identified_by_a_header_or_by_the_body() {
        let mut response = raw("application/json", r#"{"request_id":"b"}"#);
        assert_eq!(request_id(&response).as_deref(), Some("b"));
        response.headers.insert("x-request-id", "a".parse().unwrap());
        assert_eq!(request_id(&response).as_deref(), Some("a"));
        assert_eq!(request_id(&raw("application/json", "[]")), None);
    }
}
