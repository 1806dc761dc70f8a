//! Operations that scripts of other websites may call from a browser (CORS, in the Fetch standard): `origins`
//! of `x-policy`.
//!
//! They need no API key and take no cookies, so every origin may read their responses. All other paths answer
//! no preflight request, so browsers do not send the request.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use frontdesk_runtime::{HeaderValue, Method, Operation, StatusCode, server::reply};
use http::header;

use super::endpoints::EndpointName;

/// The headers that a script may send beside those that browsers always allow.
const SENT: HeaderValue = HeaderValue::from_static("Content-Type, X-Request-Id");

/// These headers at paths of operations that take a token.
const SENT_WITH_TOKEN: HeaderValue = HeaderValue::from_static("Authorization, Content-Type, X-Request-Id");

/// The headers of responses that a script may read beside those that it always may.
const READ: HeaderValue = HeaderValue::from_static("Retry-After, X-Request-Id");

/// Seconds for which a browser remembers the response to a preflight request: the most that Chromium allows.
const REMEMBERED: HeaderValue = HeaderValue::from_static("7200");

const EVERYBODY: HeaderValue = HeaderValue::from_static("*");

/// The operations that every website may call.
#[derive(Clone, Debug)]
pub(super) struct SharedOperations(Arc<[&'static Operation]>);

impl SharedOperations {
    pub(super) fn new(operations: impl IntoIterator<Item = &'static Operation>) -> Self {
        Self(operations.into_iter().collect())
    }

    /// Returns the methods of the operations at a path, or `None` if there are none.
    fn methods(&self, path: &str) -> Option<String> {
        let methods: Vec<&str> = self.at(path).map(|operation| operation.method.as_str()).collect();
        (!methods.is_empty()).then(|| methods.join(", "))
    }

    /// Returns the headers that a script may send to the operations at a path.
    fn headers(&self, path: &str) -> HeaderValue {
        let takes_token = self.at(path).any(|operation| !operation.allows_anonymous());
        if takes_token { SENT_WITH_TOKEN } else { SENT }
    }

    fn at(&self, path: &str) -> impl Iterator<Item = &'static Operation> {
        self.0.iter().copied().filter(move |operation| matches(operation.path, path))
    }
}

/// Answers preflight requests to the operations that every website may call, and lets scripts read their
/// responses, errors included.
pub(super) async fn share(State(shared): State<SharedOperations>, request: Request, next: Next) -> Response {
    let Some(methods) = shared.methods(request.uri().path()) else { return next.run(request).await };
    if request.method() == Method::OPTIONS {
        return preflight(&methods, shared.headers(request.uri().path()));
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERYBODY);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, READ);
    response
}

fn preflight(methods: &str, sent: HeaderValue) -> Response {
    let mut response = reply::empty(StatusCode::NO_CONTENT);
    response.extensions_mut().insert(EndpointName("preflight"));
    let headers = response.headers_mut();
    let listed = |text: &str| HeaderValue::try_from(text).unwrap_or(EVERYBODY);
    headers.insert(header::ALLOW, listed(&format!("{methods}, OPTIONS")));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, EVERYBODY);
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, listed(methods));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, sent);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    response
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
    fn only_the_methods_of_shared_operations_are_named() {
        let operations = frontdesk_server::OPERATIONS;
        let is_form = |operation: &&'static Operation| operation.path.starts_with("/api/v1/public/forms/");
        let shared = SharedOperations::new(operations.iter().copied().filter(is_form));
        assert_eq!(shared.methods("/api/v1/public/forms/7/token").as_deref(), Some("POST"));
        assert_eq!(shared.methods("/api/v1/chatbots"), None);
        assert_eq!(shared.methods("/health"), None);
        assert_eq!(SharedOperations::new([]).methods("/api/v1/public/forms/7/token"), None);
    }
}
