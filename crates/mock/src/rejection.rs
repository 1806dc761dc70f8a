//! Responses to rejected requests: the document's error response if there is one, else problem details (RFC
//! 9457).

use crate::{
    headers,
    media::Content,
    operation::{DescribedResponse, ServedOperation},
    prefer::Preferences,
    request::Rejected,
    value::{self, BodyValue},
    violation::{Violations, header_text},
    write,
};
use axum::response::Response;
use frontdesk_contract::Oracle;
use frontdesk_runtime::server::reply;
use http::{HeaderName, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The header that lists the problems of the request, one line each.
pub(crate) const VIOLATION: HeaderName = HeaderName::from_static("x-mock-violation");

/// Makes the response to a rejected request.
pub(crate) fn reject(served: &ServedOperation, rejected: &Rejected, oracle: &Oracle, seed: u64) -> Response {
    let found = served.error_response(rejected.statuses);
    written(found, rejected, oracle, seed)
}

/// Makes the response to a rejected request that calls no operation.
pub(crate) fn reject_as(
    described: Option<&DescribedResponse>,
    rejected: &Rejected,
    oracle: &Oracle,
    seed: u64,
) -> Response {
    let status = rejected.statuses.first().copied().unwrap_or(StatusCode::BAD_REQUEST);
    written(described.map(|described| (described, status)), rejected, oracle, seed)
}

fn written(
    found: Option<(&DescribedResponse, StatusCode)>,
    rejected: &Rejected,
    oracle: &Oracle,
    seed: u64,
) -> Response {
    let Rejected { statuses, violations } = rejected;
    let Some((described, status)) = found else {
        let status = statuses.first().copied().unwrap_or(StatusCode::BAD_REQUEST);
        let details = [("errors", violations.to_json())];
        return with_violations(problem(status, &violations.summary(), details), violations);
    };
    let mut response = match described.first() {
        None => reply::empty(status),
        Some(content) => match value::choose(content, &Preferences::default(), oracle, seed) {
            Ok(Some(value)) => {
                let value = filled(content, value.into_json(), status, violations, oracle);
                write::response(status, content, BodyValue::Generated(value))
            }
            Ok(None) => write::blank(status, content),
            Err(_) => reply::empty(status),
        },
    };
    headers::add_documented(&mut response, described, oracle, seed);
    with_violations(response, violations)
}

/// Problem details, with the members in reading order.
#[derive(Debug, Serialize)]
struct Problem<'m> {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    status: u16,
    detail: &'m str,
    #[serde(flatten)]
    members: Map<String, Value>,
}

/// Makes a problem details response of the mock itself.
pub(crate) fn problem<'m>(
    status: StatusCode,
    detail: &str,
    members: impl IntoIterator<Item = (&'m str, Value)>,
) -> Response {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    let body = Problem {
        kind: "about:blank",
        title: status.canonical_reason().unwrap_or("Rejected"),
        status: status.as_u16(),
        detail,
        members: members.collect(),
    };
    reply::json_as(status, "application/problem+json", &body)
}

fn with_violations(mut response: Response, violations: &Violations) -> Response {
    for line in violations.lines() {
        response.headers_mut().append(VIOLATION, header_text(&line));
    }
    response
}

/// Writes the violations into the members of the error body that usually hold them, as far as its schema
/// allows.
fn filled(
    content: &Content,
    body: Value,
    status: StatusCode,
    violations: &Violations,
    oracle: &Oracle,
) -> Value {
    const TEXTS: [&str; 5] = ["message", "detail", "error_description", "description", "reason"];
    const LISTS: [&str; 6] = ["errors", "violations", "details", "issues", "invalid_params", "invalidParams"];
    let (Value::Object(mut body), Some(schema)) = (body.clone(), content.schema) else { return body };
    let summary = Value::from(violations.summary());
    let mut set = |name: &str, candidates: &[Value]| {
        if !content.shape.declares(name) && !body.contains_key(name) {
            return false;
        }
        let before = body.get(name).cloned();
        for candidate in candidates {
            body.insert(name.to_owned(), candidate.clone());
            if oracle.is_valid(schema, &Value::Object(body.clone())) {
                return true;
            }
        }
        match before {
            Some(before) => body.insert(name.to_owned(), before),
            None => body.remove(name),
        };
        false
    };
    set("status", &[json!(status.as_u16())]);
    // Only the first matching member is set, to avoid repeating the text.
    let _ = TEXTS.iter().any(|name| set(name, std::slice::from_ref(&summary)));
    let _ = LISTS.iter().any(|name| set(name, &violations.common_forms()));
    Value::Object(body)
}
