//! [`Deadline`]: the time that a call has; limits of streams, and pauses.

use crate::codec::{ByteStream, StreamError};
use futures_util::future::{Either, select};
use std::{pin::pin, time::Duration};
#[cfg(not(target_arch = "wasm32"))]
use tokio::time::Instant;

/// The time that a call has, from its beginning.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    limit: Option<Duration>,
    #[cfg(not(target_arch = "wasm32"))]
    began: Instant,
}

impl Deadline {
    /// Starts the time; `None` is without a limit.
    pub(super) fn after(limit: Option<Duration>) -> Self {
        Self {
            limit,
            #[cfg(not(target_arch = "wasm32"))]
            began: Instant::now(),
        }
    }

    /// Whether a pause ends within the time. On `wasm32`, which has no clock, the time that has passed does
    /// not count.
    pub(super) fn allows(&self, pause: Duration) -> bool {
        #[cfg(not(target_arch = "wasm32"))]
        let passed = self.began.elapsed();
        #[cfg(target_arch = "wasm32")]
        let passed = Duration::ZERO;
        self.limit.is_none_or(|limit| pause < limit.saturating_sub(passed))
    }

    /// Returns the result of the work; `None` if the time is over before. The work has the time of the whole
    /// limit, so it has to begin with it.
    pub(super) async fn limit<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let Some(limit) = self.limit else { return Some(work.await) };
        match select(pin!(work), pin!(sleep(limit))).await {
            Either::Left((result, _)) => Some(result),
            Either::Right(_) => None,
        }
    }
}

/// Limits the time between two pieces of a stream, which ends with an error after it.
pub(super) fn limited_in_time(stream: ByteStream, limit: Duration) -> ByteStream {
    ByteStream::unfold(stream, move |mut stream| async move {
        match Deadline::after(Some(limit)).limit(stream.next()).await {
            Some(piece) => Some((piece?, stream)),
            None => Some((Err(StreamError::idle(limit)), ByteStream::empty())),
        }
    })
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) async fn sleep(pause: Duration) {
    tokio::time::sleep(pause).await;
}

#[cfg(target_arch = "wasm32")]
pub(super) async fn sleep(pause: Duration) {
    gloo_timers::future::sleep(pause).await;
}
