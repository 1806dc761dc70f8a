//! Middleware for every request and response: request id, log line, metrics, headers, time limit of the body,
//! completion.

use std::{
    borrow::Cow,
    sync::LazyLock,
    time::{Duration, Instant},
};

use axum::{
    body::Body,
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use frontdesk_runtime::{HeaderName, HeaderValue, Operation, StatusCode};
use frontdesk_server::OPERATIONS;
use http::header;
use tokio::sync::mpsc;
use tracing::Instrument;
use uuid::Uuid;

use super::{
    body::TimedBody,
    endpoints::EndpointName,
    origin::{ClientAddress, Peer},
};
use crate::{edge::responses, platform::metrics::Metrics};

/// The header that carries the id of a request, in requests and responses.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that a client may choose, in bytes.
const MAX_REQUEST_ID: usize = 128;

/// The name under which responses are counted that belong to no operation.
const OTHER: &str = "other";

/// Assigns an id to the request, and counts and logs the response.
pub(super) async fn observe(State(metrics): State<Metrics>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    // Without the query: it is not needed to identify a request, and people put secrets there.
    let path = loggable(request.uri().path()).into_owned();
    let client = request.extensions().get::<Peer>().map(|peer| peer.address.ip());
    request.headers_mut().insert(REQUEST_ID, id.clone());

    let span = tracing::info_span!("request", id = id.to_str().unwrap_or_default(), %method, path);
    async {
        let mut response = next.run(request).await;
        let took = started.elapsed();
        let operation = operation_of(&response);
        let status = response.status().as_u16();
        metrics.request(operation, status, took);
        let client = response.extensions().get::<ClientAddress>().map(|client| client.0).or(client);
        tracing::info!(
            operation,
            status,
            milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            client = client.map(tracing::field::display),
            "responded"
        );
        add_headers(&mut response, id);
        response
    }
    .instrument(span)
    .await
}

/// Returns a path as it is logged: without what follows where the contract has a secret, such as that of a
/// calendar.
fn loggable(path: &str) -> Cow<'_, str> {
    static SECRETS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let paths = OPERATIONS.iter().filter(|operation| operation.path.contains("_token}"));
        paths.filter_map(|operation| operation.path.split('{').next()).collect()
    });
    // People who are signed in reach the same paths through the gate of the console.
    let inner = path.strip_prefix("/console").unwrap_or(path);
    match SECRETS.iter().find(|prefix| inner.starts_with(**prefix)) {
        Some(prefix) => Cow::Owned(format!("{prefix}…")),
        None => Cow::Borrowed(path),
    }
}

fn operation_of(response: &Response) -> &'static str {
    let extensions = response.extensions();
    let operation = extensions.get::<&'static Operation>().map(|operation| operation.id);
    operation.or_else(|| extensions.get::<EndpointName>().map(|name| name.0)).unwrap_or(OTHER)
}

/// Returns the client's id if it is safe to repeat, or else a new one.
fn request_id(request: &Request) -> HeaderValue {
    let is_safe = |value: &&HeaderValue| {
        let bytes = value.as_bytes();
        !bytes.is_empty()
            && bytes.len() <= MAX_REQUEST_ID
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:+/=".contains(byte))
    };
    match request.headers().get(REQUEST_ID).filter(is_safe) {
        Some(id) => id.clone(),
        None => HeaderValue::try_from(Uuid::now_v7().to_string()).expect("a UUID is a header value"),
    }
}

/// Responses are data for programs: browsers must not sniff or frame them, nor cache them unless they say so.
fn add_headers(response: &mut Response, id: HeaderValue) {
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// Limits the time in which the body of a request must arrive, by what has arrived of it, and responds with
/// 408 if it did not.
pub(super) async fn bound_body_time(State(limit): State<Duration>, request: Request, next: Next) -> Response {
    let unread = request.extensions().get::<Peer>().map(|peer| peer.unread.clone()).unwrap_or_default();
    let (parts, body) = request.into_parts();
    let (body, late) = TimedBody::new(body, limit, unread);
    let response = next.run(Request::from_parts(parts, Body::new(body))).await;
    if !late.get() {
        return response;
    }
    let text = format!(
        "The request body arrived too slowly: it has {} seconds, and a second more for each 64 KiB.",
        limit.as_secs()
    );
    let mut timed_out = responses::message(StatusCode::REQUEST_TIMEOUT, &text);
    *timed_out.extensions_mut() = response.extensions().clone();
    timed_out.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    timed_out
}

/// Runs a request to completion even if the client disconnects, so that a reserved credit is always used or
/// refunded. A panic becomes a 500 response.
pub(super) async fn run_to_completion(
    State(running): State<mpsc::Sender<()>>,
    request: Request,
    next: Next,
) -> Response {
    let client = request.extensions().get::<ClientAddress>().copied();
    let work = async move {
        let response = next.run(request).await;
        drop(running);
        response
    };
    let mut response = match tokio::spawn(work.in_current_span()).await {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(%error, "a request handler panicked");
            responses::message(StatusCode::INTERNAL_SERVER_ERROR, responses::FAULT)
        }
    };
    if let Some(client) = client {
        response.extensions_mut().insert(client);
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::{Router, middleware, routing::get};
    use tower::ServiceExt;

    use super::*;

    fn request(id: &[u8]) -> Request {
        let value = HeaderValue::from_bytes(id).unwrap();
        Request::builder().uri("/task").header(REQUEST_ID, value).body(Body::empty()).unwrap()
    }

    #[test]
    fn only_safe_ids_are_repeated() {
        for id in ["7", "b7c9-1", "req_01J:retry.2", &"a".repeat(128)] {
            assert_eq!(request_id(&request(id.as_bytes())), id);
        }
        for id in ["", "a b", "<script>", "\"quoted\"", "caf\u{e9}", &"a".repeat(129)] {
            let given = request_id(&request(id.as_bytes()));
            assert_ne!(given, id);
            assert!(Uuid::parse_str(given.to_str().unwrap()).is_ok());
        }
    }

    #[tokio::test]
    async fn a_panic_becomes_a_response() {
        async fn panicking() -> Response {
            panic!("deliberate")
        }
        let (running, _) = mpsc::channel(1);
        let app = Router::new()
            .route("/task", get(panicking))
            .layer(middleware::from_fn_with_state(running, run_to_completion))
            .layer(middleware::from_fn_with_state(Metrics::new(), observe));
        let response = app.oneshot(request(b"7")).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(response.headers()[REQUEST_ID], "7");
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    }

    #[tokio::test]
    async fn a_request_runs_to_completion_when_the_client_disconnects() {
        let (begun, mut has_begun) = mpsc::channel::<()>(1);
        let (done, mut is_done) = mpsc::channel::<()>(1);
        let (proceed, may_proceed) = tokio::sync::watch::channel(false);
        let (running, mut still_running) = mpsc::channel(1);
        let handler = move || {
            let (begun, done, mut may_proceed) = (begun.clone(), done.clone(), may_proceed.clone());
            async move {
                begun.send(()).await.unwrap();
                may_proceed.wait_for(|proceed| *proceed).await.unwrap();
                done.send(()).await.unwrap();
            }
        };
        let app = Router::new()
            .route("/task", get(handler))
            .layer(middleware::from_fn_with_state(running, run_to_completion));
        let call = tokio::spawn(app.oneshot(request(b"7")));
        has_begun.recv().await.unwrap();
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        proceed.send(true).unwrap();
        is_done.recv().await.unwrap();
        assert_eq!(still_running.recv().await, None, "the count of running requests must end with them");
    }
}
