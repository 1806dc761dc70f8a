//! Owns what is served beside the interface: its description, the state of the service and its metrics; the page that
//! shows the description is made in `reference`.

use std::time::Duration;

use axum::{
    Extension, Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse, Response},
    routing::{MethodRouter, get},
};
use frontdesk_runtime::{HeaderValue, StatusCode};
use http::header;
use serde::Serialize;

use super::{
    origin::{ClientAddress, contains},
    reference,
};
use crate::{answers, service::Service};

/// Whether the service can work; also answered over plain HTTP.
pub(super) const HEALTH: &str = "/health";

/// The description of the interface, as one document in two forms.
pub(super) const OPENAPI_JSON: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../generated/openapi.json"));
const OPENAPI_YAML: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../generated/openapi.yaml"));

/// How long the database may take to answer before the service counts as unwell.
const DATABASE_PATIENCE: Duration = Duration::from_secs(5);

/// The name under which an endpoint is counted and logged.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndpointName(pub(super) &'static str);

/// Adds the endpoints to a router that has the interface's.
pub(super) fn beside(interface: Router, service: &Service) -> Router {
    let mut router = interface;
    let endpoints: [(&str, &'static str, MethodRouter<Service>); 4] = [
        (HEALTH, "health", get(health)),
        ("/metrics", "metrics", get(metrics)),
        ("/openapi.json", "openapi", get(openapi_json)),
        ("/openapi.yaml", "openapi", get(openapi_yaml)),
    ];
    let endpoints = endpoints.into_iter().map(|(path, name, methods)| (path.to_owned(), name, methods));
    let docs = reference::routes().into_iter().map(|(path, methods)| (path, "docs", methods));
    for (path, name, methods) in endpoints.chain(docs) {
        let named = move |mut response: Response| async move {
            response.extensions_mut().insert(EndpointName(name));
            response
        };
        let methods = methods.fallback(other_method).layer(axum::middleware::map_response(named));
        router = router.route(&path, methods.with_state(service.clone()));
    }
    router
}

async fn other_method(_: Request) -> Response {
    let mut response = answers::message(StatusCode::METHOD_NOT_ALLOWED, "This path takes only: GET, HEAD.");
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    response
}

#[derive(Serialize)]
struct Health {
    status: &'static str,
    version: &'static str,
}

async fn health(State(service): State<Service>) -> Response {
    let problem = match tokio::time::timeout(DATABASE_PATIENCE, service.store.health()).await {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(_) => Some("it did not answer in time".to_owned()),
    };
    let (status, word) = match problem {
        None => (StatusCode::OK, "ok"),
        Some(problem) => {
            tracing::error!(problem, "the database is not well");
            (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
        }
    };
    frontdesk_runtime::server::json(status, &Health { status: word, version: env!("CARGO_PKG_VERSION") })
}

/// Only for those whom the operator lets; to all others it does not exist.
async fn metrics(State(service): State<Service>, client: Option<Extension<ClientAddress>>) -> Response {
    let allowed =
        |client: Extension<ClientAddress>| contains(&service.config.http.metrics_networks, client.0.0);
    if !client.is_some_and(allowed) {
        return answers::message(StatusCode::NOT_FOUND, "There is nothing at this path.");
    }
    match service.store.job_counts().await {
        Ok(jobs) => {
            text("application/openmetrics-text; version=1.0.0; charset=utf-8", service.metrics.render(&jobs))
        }
        Err(error) => {
            tracing::error!(%error, "the queue could not be counted");
            answers::message(StatusCode::SERVICE_UNAVAILABLE, answers::FAULT)
        }
    }
}

async fn openapi_json() -> Response {
    described("application/json", OPENAPI_JSON)
}

async fn openapi_yaml() -> Response {
    described("application/yaml", OPENAPI_YAML)
}

/// The description changes only with a new release, and any page may read it.
fn described(media_type: &'static str, document: &'static str) -> Response {
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
