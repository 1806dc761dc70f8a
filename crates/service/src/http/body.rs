//! Request bodies with a time limit: [`TimedBody`] also records whether the body was read completely.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, Bytes};
use http_body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use super::linger::Unread;

/// A request body that must arrive within a time limit.
pub(super) struct TimedBody {
    body: Body,
    limit: Duration,
    deadline: Option<Pin<Box<Sleep>>>,
    late: Late,
    unread: Unread,
    ended: bool,
}

/// Whether reading a body was aborted because it arrived too slowly.
#[derive(Clone, Debug, Default)]
pub(super) struct Late(Arc<AtomicBool>);

impl Late {
    /// Returns whether it was aborted.
    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A body did not arrive within the time limit.
#[derive(Debug, thiserror::Error)]
#[error("the request body did not arrive within {0:?}")]
struct TooSlow(Duration);

impl TimedBody {
    /// Wraps a body; the time runs from the first attempt to read.
    pub(super) fn new(body: Body, limit: Duration, unread: Unread) -> (Self, Late) {
        let late = Late::default();
        let ended = http_body::Body::is_end_stream(&body);
        (Self { body, limit, deadline: None, late: late.clone(), unread, ended }, late)
    }
}

impl http_body::Body for TimedBody {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let this = &mut *self;
        match Pin::new(&mut this.body).poll_frame(context) {
            Poll::Ready(frame) => {
                this.ended = frame.is_none() || http_body::Body::is_end_stream(&this.body);
                return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
            }
            Poll::Pending => {}
        }
        let limit = this.limit;
        let deadline = this.deadline.get_or_insert_with(|| Box::pin(sleep(limit)));
        match deadline.as_mut().poll(context) {
            Poll::Ready(()) => {
                this.late.0.store(true, Ordering::Relaxed);
                Poll::Ready(Some(Err(TooSlow(limit).into())))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for TimedBody {
    fn drop(&mut self) {
        if !self.ended {
            self.unread.set();
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use tokio::io::AsyncWriteExt;

    use super::*;

    fn timed(body: Body) -> (TimedBody, Late, Unread) {
        let unread = Unread::default();
        let (body, late) = TimedBody::new(body, Duration::from_secs(30), unread.clone());
        (body, late, unread)
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_trickles_is_aborted_although_it_never_stops() {
        let (mut writer, reader) = tokio::io::duplex(64);
        tokio::spawn(async move {
            while writer.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let stream = tokio_stream(reader);
        let (body, late, unread) = timed(stream);
        let error = body.collect().await.unwrap_err();
        assert!(error.to_string().contains("30s"), "{error}");
        assert!(late.get());
        assert!(unread.get());
    }

    #[tokio::test]
    async fn a_body_that_was_read_completely_leaves_nothing_unread() {
        let (body, late, unread) = timed(Body::from("hello"));
        assert_eq!(body.collect().await.unwrap().to_bytes(), "hello");
        assert!(!late.get() && !unread.get());
        let (body, _, unread) = timed(Body::empty());
        drop(body);
        assert!(!unread.get());
        let (body, _, unread) = timed(Body::from("hello"));
        drop(body);
        assert!(unread.get());
    }

    /// Returns a body of the bytes that a reader yields, one by one.
    fn tokio_stream(reader: tokio::io::DuplexStream) -> Body {
        struct Reading(tokio::io::DuplexStream);
        impl http_body::Body for Reading {
            type Data = Bytes;
            type Error = std::io::Error;
            fn poll_frame(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
                let mut space = [0; 1];
                let mut buffer = tokio::io::ReadBuf::new(&mut space);
                let read = tokio::io::AsyncRead::poll_read(Pin::new(&mut self.0), context, &mut buffer);
                read.map_ok(|()| Frame::data(Bytes::copy_from_slice(buffer.filled()))).map(Some)
            }
        }
        Body::new(Reading(reader))
    }
}
