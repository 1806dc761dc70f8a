//! Why a request gave no response.

use std::time::Duration;

use frontdesk_outbound::OutboundError;
use url::Url;

use super::reason::Reason;

/// A request without a usable response.
#[derive(Debug)]
pub(super) enum NoResponse {
    /// The host may only be requested after this time. The request is still to be made.
    Later(Duration),
    /// The request failed.
    Failed(Failure),
}

/// A failed request.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) reason: Reason,
    /// The details, for the log.
    pub(super) detail: String,
    /// The last address that responded.
    pub(super) url: Option<Url>,
    pub(super) http_status: Option<u16>,
}

impl Failure {
    pub(super) fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into(), url: None, http_status: None }
    }
}

impl From<OutboundError> for Failure {
    fn from(error: OutboundError) -> Self {
        Self::new(reason_of(&error), error.to_string())
    }
}

impl From<Failure> for NoResponse {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Returns the reason for a failed request, as the crawl report names it.
pub(super) fn reason_of(error: &OutboundError) -> Reason {
    match error.code() {
        "blocked_address" | "blocked_port" | "bad_url" => Reason::BlockedAddress,
        "dns" => Reason::DnsError,
        "connect" => Reason::ConnectionFailed,
        "tls" => Reason::TlsError,
        "timeout" => Reason::Timeout,
        "too_large" => Reason::TooLarge,
        "too_many_redirects" | "redirect_loop" => Reason::RedirectLoop,
        _ => Reason::HttpError,
    }
}
