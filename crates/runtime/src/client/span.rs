//! The span of a call, with the names of OpenTelemetry's semantic conventions for HTTP clients.

use super::{Received, error::Problem};
use crate::Operation;
use tracing::{Instrument, field::Empty};
use url::Url;

/// Runs a call in a span. The URL is recorded without its query, which may hold personal data.
pub(super) async fn traced(
    operation: &'static Operation,
    url: &Url,
    call: impl Future<Output = Result<Received, Problem>>,
) -> Result<Received, Problem> {
    let span = tracing::info_span!(
        "http.client",
        otel.name = format!("{} {}", operation.method, operation.path),
        otel.kind = "client",
        otel.status_code = Empty,
        "http.request.method" = operation.method.as_str(),
        "http.response.status_code" = Empty,
        "server.address" = url.host_str(),
        "server.port" = url.port_or_known_default(),
        "url.scheme" = url.scheme(),
        "url.path" = url.path(),
        "url.template" = operation.path,
        "error.type" = Empty,
    );
    let result = call.instrument(span.clone()).await;
    let failure = match &result {
        Ok(received) => {
            let status = received.raw.status;
            span.record("http.response.status_code", status.as_u16());
            (status.is_client_error() || status.is_server_error()).then(|| status.as_str().to_owned())
        }
        Err(Problem::Request(_)) => Some("request".to_owned()),
        Err(Problem::Send(error)) if error.is_timeout() => Some("timeout".to_owned()),
        Err(Problem::Send(_)) => Some("connection".to_owned()),
    };
    if let Some(failure) = failure {
        span.record("error.type", failure);
        span.record("otel.status_code", "ERROR");
    }
    result
}
