//! Owns the answers to requests that are not taken: the document's own where it describes one, a problem (RFC 9457) elsewhere.

use crate::{
    answer,
    media::Content,
    operation::Served,
    prefer::Preferences,
    request::Refused,
    value::{self, Shown},
    violation::{Violations, header_text},
    write,
};
use axum::response::Response;
use frontdesk_contract::Oracle;
use frontdesk_runtime::server::reply;
use http::{HeaderName, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What is wrong with the request, a line each.
pub(crate) const VIOLATION: HeaderName = HeaderName::from_static("x-mock-violation");

/// The answer to a request that is not taken.
pub(crate) fn refuse(served: &Served, refused: &Refused, oracle: &Oracle, seed: u64) -> Response {
    let Refused { statuses, violations } = refused;
    let Some((described, status)) = served.of_refusal(statuses) else {
        let status = statuses.first().copied().unwrap_or(StatusCode::BAD_REQUEST);
        let details = [("errors", violations.to_json())];
        return told(problem(status, &violations.summary(), details), violations);
    };
    let mut response = match described.first() {
        None => reply::empty(status),
        Some(content) => match value::choose(content, &Preferences::default(), oracle, seed) {
            Ok(Some(value)) => {
                let value = filled(content, value.into_json(), status, violations, oracle);
                write::response(status, content, Shown::Made(value))
            }
            Ok(None) => write::blank(status, content),
            Err(_) => reply::empty(status),
        },
    };
    answer::add_headers(&mut response, described, oracle, seed);
    told(response, violations)
}

/// A problem, in the order in which people read it.
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

/// A problem of the mock's own.
pub(crate) fn problem<'m>(
    status: StatusCode,
    detail: &str,
    members: impl IntoIterator<Item = (&'m str, Value)>,
) -> Response {
    let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    let body = Problem {
        kind: "about:blank",
        title: status.canonical_reason().unwrap_or("Refused"),
        status: status.as_u16(),
        detail,
        members: members.collect(),
    };
    reply::json_as(status, "application/problem+json", &body)
}

fn told(mut response: Response, violations: &Violations) -> Response {
    for line in violations.lines() {
        response.headers_mut().append(VIOLATION, header_text(&line));
    }
    response
}

/// The document's body with what was wrong in the members that commonly hold it, as far as its schema lets them.
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
    // The first that there is: a second text would say the same again.
    let _ = TEXTS.iter().any(|name| set(name, std::slice::from_ref(&summary)));
    let _ = LISTS.iter().any(|name| set(name, &violations.common_forms()));
    Value::Object(body)
}
