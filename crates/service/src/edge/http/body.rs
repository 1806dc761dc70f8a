//! Request bodies with a time limit: [`TimedBody`] also records whether the body was read completely.
//!
//! Every body may take the time of a small one, and each received byte extends the limit. A file of 25 MB
//! gets through on a slow line, while a body that trickles in byte by byte gains nothing.

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
use tokio::time::{Instant, Sleep, sleep};

use super::linger::Unread;

/// The bytes that earn a second more: 64 KiB, about half a megabit a second.
const BYTES_PER_SECOND: u64 = 64 << 10;

/// A request body that must arrive within a time limit.
pub(super) struct TimedBody {
    body: Body,
    limit: Duration,
    /// When reading began, and when it is aborted unless more arrives.
    clock: Option<(Instant, Pin<Box<Sleep>>)>,
    arrived: u64,
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
#[error("the request body did not arrive within {0:?} and the time that its size allows")]
struct TooSlow(Duration);

impl TimedBody {
    /// Wraps a body; the time runs from the first attempt to read.
    pub(super) fn new(body: Body, limit: Duration, unread: Unread) -> (Self, Late) {
        let late = Late::default();
        let ended = http_body::Body::is_end_stream(&body);
        (Self { body, limit, clock: None, arrived: 0, late: late.clone(), unread, ended }, late)
    }

    /// Returns the time in which what has arrived so far, and the next piece, must be there.
    fn allowed(&self) -> Duration {
        self.limit + Duration::from_secs(self.arrived / BYTES_PER_SECOND)
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
                let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
                this.arrived += data.map_or(0, |data| data.len() as u64);
                return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
            }
            Poll::Pending => {}
        }
        let (limit, allowed) = (this.limit, this.allowed());
        let (began, deadline) = this.clock.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(allowed))));
        let until = *began + allowed;
        if deadline.deadline() != until {
            deadline.as_mut().reset(until);
        }
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

    /// Returns a body of pieces of 16 KiB, sent at this rate.
    fn sent_at(bytes_per_second: u32, total: usize) -> Body {
        const PIECE: u32 = 16 << 10;
        let pieces = futures_util::stream::unfold(0, move |sent| async move {
            if sent >= total {
                return None;
            }
            tokio::time::sleep(Duration::from_secs(1) * PIECE / bytes_per_second).await;
            let piece = Bytes::from(" ".repeat(16 << 10));
            let sent = sent + piece.len();
            Some((Ok::<_, std::io::Error>(piece), sent))
        });
        Body::from_stream(pieces)
    }

    #[tokio::test(start_paused = true)]
    async fn a_large_body_has_the_time_that_a_slow_line_needs() {
        // 25 MB at two megabits a second take nearly two minutes.
        let (body, late, _) = timed(sent_at(250_000, 25 << 20));
        assert_eq!(body.collect().await.unwrap().to_bytes().len(), 25 << 20);
        assert!(!late.get());
        // At the speed of an old modem, it would take an hour and a half.
        let started = Instant::now();
        let (body, late, _) = timed(sent_at(5_000, 25 << 20));
        body.collect().await.unwrap_err();
        assert!(late.get());
        assert!(started.elapsed() < Duration::from_secs(40), "{:?}", started.elapsed());
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
