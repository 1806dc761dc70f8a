//! Endpoints beside the interface: its OpenAPI document, health, readiness and metrics. The page that shows
//! the document is in `reference`, and the one that leads there in `root`.

use std::time::Duration;

use axum::{
    Extension, Router,
    body::Body,
    extract::State,
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use frontdesk_runtime::{HeaderValue, StatusCode};
use http::header;
use serde::Serialize;
use tokio::time::timeout;

use super::{
    console_page,
    openapi_document::{OPENAPI_JSON, OPENAPI_YAML},
    origin::{ClientAddress, contains},
    probes::{HEALTH, METRICS, READY},
    reference,
    root::root,
    web, widgets,
};
use crate::edge::{Edge, responses};

/// How long the database may take to count jobs for the metrics.
const COUNTING: Duration = Duration::from_millis(1500);

/// The name under which an endpoint is counted and logged.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndpointName(pub(super) &'static str);

/// Adds the endpoints to the router of the interface.
pub(super) fn beside(interface: Router, service: &Edge) -> Router {
    let mut router = interface;
    let endpoints: [(&str, &'static str, MethodRouter<Edge>); 6] = [
        ("/", "root", get(root)),
        (HEALTH, "health", get(health)),
        (READY, "ready", get(ready)),
        (METRICS, "metrics", get(metrics)),
        ("/openapi.json", "openapi", get(openapi_json)),
        ("/openapi.yaml", "openapi", get(openapi_yaml)),
    ];
    let endpoints = endpoints.into_iter().map(|(path, name, methods)| (path.to_owned(), name, methods));
    let docs = reference::routes().into_iter().map(|(path, methods)| (path, "docs", methods));
    let pages = web::routes().into_iter().map(|(path, methods)| (path.to_owned(), "web", methods));
    let console = console_page::routes().map(|(path, methods)| (path.to_owned(), "console", methods));
    let widgets = widgets::routes().into_iter().map(|(path, methods)| (path.to_owned(), "widget", methods));
    for (path, name, methods) in endpoints.chain(docs).chain(pages).chain(console).chain(widgets) {
        router = router.route(&path, endpoint(name, "GET, HEAD", methods).with_state(service.clone()));
    }
    router
}

/// Returns an endpoint beside the interface that supports the `allowed` methods and refuses all others.
pub(crate) fn endpoint<S: Clone + Send + Sync + 'static>(
    name: &'static str,
    allowed: &'static str,
    methods: MethodRouter<S>,
) -> MethodRouter<S> {
    let named = move |mut response: Response| async move {
        response.extensions_mut().insert(EndpointName(name));
        response
    };
    let methods = methods.fallback(move || async move { unsupported_method(allowed) });
    methods.layer(map_response(named))
}

/// Returns the response to a method that a path does not support.
fn unsupported_method(allowed: &'static str) -> Response {
    let listed = allowed.rsplit_once(", ").map(|(first, last)| format!("{first} and {last}"));
    let text = format!("This path supports only {}.", listed.as_deref().unwrap_or(allowed));
    let mut response = responses::message(StatusCode::METHOD_NOT_ALLOWED, &text);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
}

/// Responds as long as the process can respond at all: a supervisor restarts a process that does not, and a
/// restart does not repair a database.
async fn health() -> Response {
    let health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };
    frontdesk_runtime::server::json(StatusCode::OK, &health)
}

#[derive(Serialize)]
struct NotReady {
    status: &'static str,
    message: String,
    problems: Vec<String>,
}

/// Responds with 503 while the process cannot do its work, so that a load balancer sends requests elsewhere.
async fn ready(State(service): State<Edge>) -> Response {
    let problems: Vec<String> = service
        .readiness
        .check(&service.store, &service.config, service.now())
        .await
        .iter()
        .map(ToString::to_string)
        .collect();
    if problems.is_empty() {
        let ready = Health { status: "ready", version: env!("CARGO_PKG_VERSION") };
        return frontdesk_runtime::server::json(StatusCode::OK, &ready);
    }
    let not_ready = NotReady { status: "unavailable", message: problems.join(" "), problems };
    frontdesk_runtime::server::json(StatusCode::SERVICE_UNAVAILABLE, &not_ready)
}

/// Responds to the networks that the operator has allowed; for all others the path does not exist.
async fn metrics(State(service): State<Edge>, client: Option<Extension<ClientAddress>>) -> Response {
    let allowed =
        |client: Extension<ClientAddress>| contains(&service.config.http.metrics_networks, client.0.0);
    if !client.is_some_and(allowed) {
        return responses::message(StatusCode::NOT_FOUND, "There is nothing at this path.");
    }
    let now = service.now();
    let jobs = service.store.jobs();
    // What is in memory is wanted most while the database is down.
    let counted = timeout(COUNTING, async { tokio::try_join!(jobs.counts(), jobs.oldest_due(now)) });
    let (counts, oldest_due, is_unreachable) = match counted.await {
        Ok(Ok((counts, oldest_due))) => (counts, oldest_due, false),
        Ok(Err(error)) => {
            tracing::error!(%error, "the jobs could not be counted");
            (Vec::new(), Vec::new(), true)
        }
        Err(_) => {
            tracing::error!("the jobs could not be counted in time");
            (Vec::new(), Vec::new(), true)
        }
    };
    service.metrics.database_unreachable(is_unreachable);
    service.metrics.oldest_due_jobs(&oldest_due, now);
    text("application/openmetrics-text; version=1.0.0; charset=utf-8", service.metrics.render(&counts))
}

async fn openapi_json() -> Response {
    openapi("application/json", OPENAPI_JSON)
}

async fn openapi_yaml() -> Response {
    openapi("application/yaml", OPENAPI_YAML)
}

/// Returns a response with the OpenAPI document. It changes only with a new release, and any page may read
/// it.
fn openapi(media_type: &'static str, document: &'static str) -> Response {
    let mut response = text(media_type, document);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=300"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

fn text(media_type: &'static str, text: impl Into<Body>) -> Response {
    let mut response = text.into().into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}
