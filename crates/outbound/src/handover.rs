//! The moment from which a message may have arrived, and the note just before it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::{Stream, StreamExt as _, stream};
use http::header::CONTENT_LENGTH;
use http::{HeaderName, HeaderValue};
use url::Url;

use crate::body::Fetched;
use crate::client::Outbound;
use crate::error::OutboundError;
use crate::policy::Limits;

/// Why a message must not be handed over now.
pub type HandoverError = Box<dyn std::error::Error + Send + Sync>;

/// What is noted just before the last byte of a message is written. Before it, the message certainly has not
/// arrived, and it may be sent again; after it, nobody knows until the other side responds. Clones note the
/// same.
#[derive(Clone)]
pub struct Handover {
    note: Arc<dyn Fn() -> BoxFuture<'static, Result<(), HandoverError>> + Send + Sync>,
}

impl Handover {
    /// Notes by `note`, which is called for each request or e-mail with a part of the message. If it fails,
    /// nothing is handed over.
    pub fn new<F>(note: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<(), HandoverError>> + Send + 'static,
    {
        Self { note: Arc::new(move || Box::pin(note())) }
    }

    /// Notes nothing, for messages that nobody misses, or that may arrive twice.
    pub fn unnoted() -> Self {
        Self::new(|| std::future::ready(Ok(())))
    }

    /// Notes that the message may have arrived from now on.
    pub async fn begin(&self) -> Result<(), HandoverError> {
        (self.note)().await
    }
}

impl fmt::Debug for Handover {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Handover").finish_non_exhaustive()
    }
}

/// How a post has failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct PostError {
    /// What has failed.
    pub error: OutboundError,
    /// Whether the whole body may have been written. Otherwise the other side certainly has no complete
    /// request.
    pub was_handed_over: bool,
}

/// Nothing decided yet: the last byte may be taken.
const OPEN: u8 = 0;
/// The last byte was taken, or is being taken.
const BEGUN: u8 = 1;
/// The last byte is never taken.
const CLOSED: u8 = 2;

impl Outbound {
    /// Posts a body as it is, and returns the response with its body. The last byte of the request is written
    /// after `handover` has noted it. Redirects are returned as well: a body is never sent to a second URL.
    pub async fn post_handing_over(
        &self,
        url: &Url,
        headers: &[(HeaderName, HeaderValue)],
        body: Bytes,
        limits: &Limits,
        handover: &Handover,
    ) -> Result<Fetched, PostError> {
        let attempt = Attempt { state: Arc::new(AtomicU8::new(OPEN)) };
        let mut all = headers.to_vec();
        all.push((CONTENT_LENGTH, HeaderValue::from(body.len() as u64)));
        let parts = parts(body, handover.clone(), Arc::clone(&attempt.state));
        let outcome = async {
            let body = reqwest::Body::wrap_stream(parts);
            self.post_body(url, &all, body, limits).await?.rest().await
        };
        outcome.await.map_err(|error| PostError { error, was_handed_over: attempt.close() })
    }
}

/// A request while somebody waits for its response. The connection is a task of its own, which may ask for
/// the last byte long after that: when the caller has given up, or when the server has responded before it
/// had the whole request. From then on it gets none.
struct Attempt {
    state: Arc<AtomicU8>,
}

impl Attempt {
    /// Sees that the last byte is not taken from now on. Returns whether it was taken before.
    fn close(&self) -> bool {
        self.state.compare_exchange(OPEN, CLOSED, Ordering::AcqRel, Ordering::Acquire) == Err(BEGUN)
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.close();
    }
}

/// Returns a body in two parts: all but the last byte, and, once the handover is noted, the last byte.
fn parts(
    mut body: Bytes,
    handover: Handover,
    state: Arc<AtomicU8>,
) -> impl Stream<Item = Result<Bytes, HandoverError>> + Send + 'static {
    let last = body.split_off(body.len().saturating_sub(1));
    let last = async move {
        if state.compare_exchange(OPEN, BEGUN, Ordering::AcqRel, Ordering::Acquire).is_err() {
            return Err("the request was given up".into());
        }
        match handover.begin().await {
            Ok(()) => Ok(last),
            Err(error) => {
                state.store(CLOSED, Ordering::Release);
                Err(error)
            }
        }
    };
    stream::once(std::future::ready(Ok(body))).chain(stream::once(last))
}
