//! Responses, complete or with a body that is read in parts, within the limits of the call.

use std::fmt;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode};
use tokio::time::Instant;
use url::Url;

use crate::error::{OutboundError, Stage, host_of};
use crate::policy::Limits;

/// A complete response of any status.
#[derive(Clone)]
pub struct Fetched {
    /// Status of the last hop.
    pub status: StatusCode,
    /// URL of the response after redirects, without a fragment.
    pub final_url: Url,
    /// Headers of the last hop, without `Content-Encoding` and `Content-Length` if the body was compressed.
    pub headers: HeaderMap,
    /// The body, decompressed.
    pub body: Bytes,
}

impl fmt::Debug for Fetched {
    /// Omits the contents of headers and body, which may be confidential.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Fetched")
            .field("status", &self.status)
            .field("host", &self.final_url.host_str())
            .field("headers", &self.headers.len())
            .field("body_bytes", &self.body.len())
            .finish()
    }
}

/// A response of any status whose headers have arrived. Dropping it closes the connection, which tells the
/// server that nobody reads the rest.
pub struct Streamed {
    response: reqwest::Response,
    url: Url,
    limits: Limits,
    /// The end of the time for the whole call.
    deadline: Instant,
    /// Bytes of the body so far.
    received: u64,
}

impl Streamed {
    /// Wraps a response of a call that began at `started`.
    pub(crate) fn new(
        response: reqwest::Response,
        url: Url,
        limits: Limits,
        started: Instant,
    ) -> Result<Self, OutboundError> {
        if response.content_length().is_some_and(|announced| announced > limits.max_bytes) {
            return Err(OutboundError::TooLarge { host: host_of(&url), limit: limits.max_bytes });
        }
        // A limit that ends after all times that can be expressed, such as `Duration::MAX`, is as good as a
        // day.
        let total = limits.total.min(Duration::from_hours(24));
        Ok(Self { response, url, limits, deadline: started + total, received: 0 })
    }

    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Waits for the next part of the body, decompressed. `None` after the last part.
    ///
    /// The time and the size of the call's [`Limits`] hold for all parts together.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, OutboundError> {
        let host = || host_of(&self.url);
        let read = tokio::time::timeout_at(self.deadline, self.response.chunk()).await;
        let Ok(read) = read else {
            return Err(OutboundError::Timeout {
                host: host(),
                stage: Stage::Respond,
                limit: self.limits.total,
            });
        };
        let connect = self.limits.connect;
        let chunk = read.map_err(|error| OutboundError::from_reqwest(&error, &host(), connect))?;
        self.received += chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
        if self.received > self.limits.max_bytes {
            return Err(OutboundError::TooLarge { host: host(), limit: self.limits.max_bytes });
        }
        Ok(chunk)
    }

    /// As [`chunk`](Self::chunk), and waits no longer than `idle`.
    pub async fn chunk_within(&mut self, idle: Duration) -> Result<Option<Bytes>, OutboundError> {
        let late = OutboundError::Timeout { host: host_of(&self.url), stage: Stage::Respond, limit: idle };
        tokio::time::timeout(idle, self.chunk()).await.unwrap_or(Err(late))
    }

    /// Reads what is left of the body, and returns it as the body of a complete response.
    pub async fn rest(mut self) -> Result<Fetched, OutboundError> {
        let mut body = BytesMut::new();
        while let Some(chunk) = self.chunk().await? {
            body.extend_from_slice(&chunk);
        }
        let (status, headers) = (self.status(), self.headers().clone());
        Ok(Fetched { status, final_url: self.url, headers, body: body.freeze() })
    }
}

impl fmt::Debug for Streamed {
    /// Omits the contents of headers and body, which may be confidential.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Streamed")
            .field("status", &self.status())
            .field("host", &self.url.host_str())
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}
