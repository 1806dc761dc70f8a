//! Request bodies with a time limit: [`TimedBody`] also records whether the body was read completely.
//!
//! The limit grows with what has arrived, so that a large file may come over a slow line, and a body that trickles may not.

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

/// The slowest line that a body may come over, in bytes per second. A file of 25 MB then has some seven minutes.
const SLOWEST: u64 = 64 * 1024;

/// A request body that must arrive within a time limit.
pub(super) struct TimedBody {
    body: Body,
    limit: Duration,
    /// The bytes that have arrived.
    arrived: u64,
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
#[error("the request body did not arrive within {0:?}, and a second more for each 64 KiB")]
struct TooSlow(Duration);

impl TimedBody {
    /// Wraps a body; the time runs from the first attempt to read that had to wait.
    pub(super) fn new(body: Body, limit: Duration, unread: Unread) -> (Self, Late) {
        let late = Late::default();
        let ended = http_body::Body::is_end_stream(&body);
        (Self { body, limit, arrived: 0, deadline: None, late: late.clone(), unread, ended }, late)
    }

    /// Gives the rest of the body the time that the bytes of a frame may have taken on the slowest line.
    fn note(&mut self, frame: &Frame<Bytes>) {
        let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
        let before = self.arrived;
        self.arrived += bytes;
        let more = Duration::from_millis(1000 * self.arrived / SLOWEST - 1000 * before / SLOWEST);
        if let Some(deadline) = &mut self.deadline {
            let later = deadline.deadline() + more;
            deadline.as_mut().reset(later);
        } else {
            self.limit += more;
        }
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
                if let Some(Ok(frame)) = &frame {
                    this.note(frame);
                }
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

    #[tokio::test(start_paused = true)]
    async fn a_large_body_may_come_over_a_slow_line() {
        // 25 MB at 1 Mbit/s take more than three minutes.
        let (mut writer, reader) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move {
            let second = vec![b'x'; 125_000];
            for _ in 0..200 {
                tokio::time::sleep(Duration::from_secs(1)).await;
                writer.write_all(&second).await.unwrap();
            }
        });
        let (body, late, _) = timed(tokio_stream(reader));
        assert_eq!(body.collect().await.unwrap().to_bytes().len(), 25_000_000);
        assert!(!late.get());
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_stops_is_aborted_when_the_time_of_what_arrived_is_over() {
        let (mut writer, reader) = tokio::io::duplex(64 * 1024);
        let began = tokio::time::Instant::now();
        tokio::spawn(async move {
            writer.write_all(&vec![b'x'; 640 * 1024]).await.unwrap();
            std::future::pending::<()>().await;
        });
        let (body, late, _) = timed(tokio_stream(reader));
        body.collect().await.unwrap_err();
        assert!(late.get());
        assert!((40..42).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
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

    /// Returns a body of the bytes that a reader yields.
    fn tokio_stream(reader: tokio::io::DuplexStream) -> Body {
        struct Reading(tokio::io::DuplexStream);
        impl http_body::Body for Reading {
            type Data = Bytes;
            type Error = std::io::Error;
            fn poll_frame(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
                let mut space = [0; 16 * 1024];
                let mut buffer = tokio::io::ReadBuf::new(&mut space);
                let read = tokio::io::AsyncRead::poll_read(Pin::new(&mut self.0), context, &mut buffer);
                // Nothing is read at the end.
                let data = read.map_ok(|()| Bytes::copy_from_slice(buffer.filled()));
                data.map(|data| Some(data.map(Frame::data)).filter(|_| !buffer.filled().is_empty()))
            }
        }
        Body::new(Reading(reader))
    }
}
