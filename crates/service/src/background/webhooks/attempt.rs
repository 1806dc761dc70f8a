//! One attempt to deliver an event.

use std::time::{Duration, Instant};

use bytes::Bytes;
use frontdesk_outbound::{Limits, Outbound, OutboundError, Policy};
use frontdesk_runtime::{HeaderValue, webhook::Signer};
use frontdesk_store::{Attempt, AttemptOutcome, Attempted, DueDelivery, NextAttempt};
use http::{HeaderMap, StatusCode, header::CONTENT_TYPE};
use jiff::{SignedDuration, Timestamp};

use super::{payload, schedule};
use crate::{
    background::Background,
    platform::{config::Config, secrets::of_webhooks},
};

/// Returns the limits of an attempt. Of the response, only the head counts.
fn limits(total: Duration) -> Limits {
    Limits { total, connect: CONNECT.min(total), max_bytes: 64 * 1024, max_redirects: 0 }
}

/// Longest time to connect.
const CONNECT: Duration = Duration::from_secs(10);

/// Creates the client for webhook endpoints. It is not that of the crawler, so that networks opened for one
/// stay closed to the other.
pub(crate) fn outbound(config: &Config) -> Result<Outbound, OutboundError> {
    let mut ports = vec![443, 8443];
    if config.webhooks.allow_http {
        ports.push(80);
    }
    let user_agent = concat!("Frontdesk/", env!("CARGO_PKG_VERSION"));
    Outbound::new(Policy { allow: config.webhooks.allow_networks.clone(), ports, ..Policy::new(user_agent) })
}

/// What came of sending an event.
struct Sent {
    outcome: AttemptOutcome,
    status: Option<StatusCode>,
    retry_after: Option<SignedDuration>,
}

impl Sent {
    const fn without_response(outcome: AttemptOutcome) -> Self {
        Self { outcome, status: None, retry_after: None }
    }
}

/// Sends an event, and returns the result with what follows from it.
pub(super) async fn make(service: &Background, due: DueDelivery) -> Attempted {
    let (at, started) = (service.now(), Instant::now());
    let sent = match of_webhooks::signer(&service.cipher, &due.target, at) {
        Some(signer) => send(service, &due, &signer).await,
        None => {
            let endpoint = due.target.webhook_endpoint_id;
            tracing::error!(%endpoint, "the secret of a webhook endpoint cannot be decrypted; was the pepper changed?");
            Sent::without_response(AttemptOutcome::Unreachable)
        }
    };
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    service.metrics.webhook_attempt(sent.outcome);
    let next = match sent.outcome {
        AttemptOutcome::Succeeded => NextAttempt::Delivered,
        _ => schedule::next(&due.delivery, sent.retry_after, service.now())
            .map_or(NextAttempt::GivenUp, NextAttempt::At),
    };
    let http_status = sent.status.map(|status| status.as_u16());
    Attempted {
        webhook_endpoint_id: due.target.webhook_endpoint_id,
        delivery: due.delivery,
        attempt: Attempt { at, duration_ms, outcome: sent.outcome, http_status },
        next,
        is_gone: sent.status == Some(StatusCode::GONE),
    }
}

async fn send(service: &Background, due: &DueDelivery, signer: &Signer) -> Sent {
    let (Ok(url), Some(body)) = (due.target.url.parse::<url::Url>(), payload::body(&due.event)) else {
        return Sent::without_response(AttemptOutcome::Unreachable);
    };
    if url.scheme() != "https" && !service.config.webhooks.allow_http {
        return Sent::without_response(AttemptOutcome::Unreachable);
    }
    // Signed again in each attempt: receivers refuse old times.
    let Ok(signed) = signer.headers(&due.event.event_id.to_string(), &body) else {
        return Sent::without_response(AttemptOutcome::Unreachable);
    };
    let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    headers.extend(signed.iter().map(|(name, value)| (name.clone(), value.clone())));
    let limits = limits(service.config.webhooks.timeout);
    let posted = service.webhook_outbound.post(&url, &headers, Bytes::from(body), &limits).await;
    outcome(posted, service.now())
}

/// Converts what has happened to what accounts may read. Refused addresses look like unreachable ones.
fn outcome(posted: Result<(StatusCode, HeaderMap), OutboundError>, now: Timestamp) -> Sent {
    match posted {
        Ok((status, headers)) => {
            let outcome =
                if status.is_success() { AttemptOutcome::Succeeded } else { AttemptOutcome::HttpError };
            let retry_after = schedule::retry_after(status, &headers, now);
            Sent { outcome, status: Some(status), retry_after }
        }
        Err(OutboundError::Timeout { .. }) => Sent::without_response(AttemptOutcome::Timeout),
        Err(OutboundError::Tls { .. }) => Sent::without_response(AttemptOutcome::TlsError),
        Err(_) => Sent::without_response(AttemptOutcome::Unreachable),
    }
}
