//! Operations that scripts of other websites may call from a browser (CORS, in the Fetch standard): `origins` of `x-policy`.
//!
//! They need no key and take no cookies, so every origin may read their responses. All other paths answer no preflight request, so browsers
//! do not send the request.

use std::sync::LazyLock;

use axum::{extract::Request, middleware::Next, response::Response};
use frontdesk_runtime::{HeaderValue, Method, Operation, StatusCode, server::reply};
use frontdesk_server::OPERATIONS;
use http::header;

use super::endpoints::EndpointName;
use crate::authorization::allows_any_origin;

/// The headers that a script may send beside those that browsers always allow.
const SENT: HeaderValue = HeaderValue::from_static("Content-Type, X-Request-Id");

/// The headers of responses that a script may read beside those that it always may.
const READ: HeaderValue = HeaderValue::from_static("Retry-After, X-Request-Id");

/// Seconds for which a browser remembers the response to a preflight request: the most that Chromium allows.
const REMEMBERED: HeaderValue = HeaderValue::from_static("7200");

const EVERYBODY: HeaderValue = HeaderValue::from_static("*");

static OPEN: LazyLock<Vec<&'static Operation>> =
    LazyLock::new(|| OPERATIONS.iter().copied().filter(|operation| allows_any_origin(operation)).collect());

/// Answers preflight requests to the operations that every website may call, and lets scripts read their responses, errors included.
pub(super) async fn share(request: Request, next: Next) -> Response {
    let Some(methods) = shared_methods(request.uri().path()) else { return next.run(request).await };
    if request.method() == Method::OPTIONS {
        return preflight(&methods);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERYBODY);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    response
}

fn preflight(methods: &str) -> Response {
    let mut response = reply::empty(StatusCode::NO_CONTENT);
    response.extensions_mut().insert(EndpointName("preflight"));
    let headers = response.headers_mut();
    let listed = |text: &str| HeaderValue::try_from(text).unwrap_or(EVERYBODY);
    headers.insert(header::ALLOW, listed(&format!("{methods}, OPTIONS")));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERYBODY);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, listed(methods));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, SENT);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    response
}

/// Returns the methods of the operations at a path that every website may call, or `None` if there are none.
fn shared_methods(path: &str) -> Option<String> {
    let methods: Vec<&str> = OPEN
        .iter()
        .filter(|operation| matches(operation.path, path))
        .map(|operation| operation.method.as_str())
        .collect();
    (!methods.is_empty()).then(|| methods.join(", "))
}

/// Returns whether a path has the form of a template.
fn matches(template: &str, path: &str) -> bool {
    let (mut expected, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (expected.next(), given.next()) {
            (None, None) => return true,
            (Some(expected), Some(given)) if expected.starts_with('{') && !given.is_empty() => {}
            (Some(expected), Some(given)) if expected == given => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_with_templates() {
        const TEMPLATE: &str = "/forms/{form_key}/token";
        assert!(matches(TEMPLATE, "/forms/7/token"));
        for other in
            ["/forms//token", "/forms/7", "/forms/7/token/", "/forms/7/8/token", "/forms/7/tokens", ""]
        {
            assert!(!matches(TEMPLATE, other), "{other}");
        }
    }

    #[test]
    fn only_what_the_contract_says_is_shared() {
        assert!(!OPEN.is_empty());
        assert!(OPEN.iter().all(|operation| operation.allows_anonymous()));
        assert_eq!(shared_methods("/api/v1/chatbots"), None);
        assert_eq!(shared_methods("/health"), None);
    }
}
