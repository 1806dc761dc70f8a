//! Lingering close: [`Lingering`] closes a connection without destroying the last response.
//!
//! When a request is refused before its body was read, the body is still in transit. Closing the connection
//! at this point makes the operating system send a reset, which can destroy the response before the client
//! has read it. Therefore the server first closes its own direction, then reads and discards incoming data
//! for a while.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// How long incoming data is discarded at most.
const LINGER: Duration = Duration::from_secs(5);

/// How long no data may arrive before the client is considered to have read the response.
const SILENCE: Duration = Duration::from_secs(1);

/// Whether a connection still holds parts of a request body that nobody will read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unread(Arc<AtomicBool>);

impl Unread {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A connection that is closed without destroying the last response.
#[derive(Debug)]
pub(super) struct Lingering<S> {
    stream: S,
    unread: Unread,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Open,
    Discarding { silence: Pin<Box<Sleep>>, until: Instant },
    Closed,
}

impl<S> Lingering<S> {
    pub(super) fn new(stream: S, unread: Unread) -> Self {
        Self { stream, unread, phase: Phase::Open }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, data)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, data)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            match &mut this.phase {
                Phase::Open => {
                    ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
                    this.phase = if this.unread.get() {
                        Phase::Discarding {
                            silence: Box::pin(sleep(SILENCE)),
                            until: Instant::now() + LINGER,
                        }
                    } else {
                        Phase::Closed
                    };
                }
                Phase::Discarding { silence, until } => {
                    let mut space = [0; 16 * 1024];
                    let mut buffer = ReadBuf::new(&mut space);
                    let over = match Pin::new(&mut this.stream).poll_read(context, &mut buffer) {
                        Poll::Ready(Ok(())) => {
                            silence.as_mut().reset((Instant::now() + SILENCE).min(*until));
                            buffer.filled().is_empty() || Instant::now() >= *until
                        }
                        Poll::Ready(Err(_)) => true,
                        Poll::Pending => {
                            ready!(silence.as_mut().poll(context));
                            true
                        }
                    };
                    if over {
                        this.phase = Phase::Closed;
                    }
                }
                Phase::Closed => return Poll::Ready(Ok(())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn incoming_data_is_discarded_after_the_end() {
        let (mut client, server) = tokio::io::duplex(1024);
        let unread = Unread::default();
        unread.set();
        let mut server = Lingering::new(server, unread);
        let sending = tokio::spawn(async move {
            // Far more than the connection buffers: this ends only if the other side keeps reading.
            let sent = client.write_all(&vec![0; 100_000]).await;
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            (sent.is_ok(), answer)
        });
        server.write_all(b"no").await.unwrap();
        server.shutdown().await.unwrap();
        assert_eq!(sending.await.unwrap(), (true, "no".to_owned()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_stops_sending_is_disconnected() {
        let (mut client, server) = tokio::io::duplex(1024);
        let unread = Unread::default();
        unread.set();
        let mut server = Lingering::new(server, unread);
        let sending = tokio::spawn(async move {
            while client.write_all(b"x").await.is_ok() {
                sleep(Duration::from_millis(100)).await;
            }
        });
        let start = Instant::now();
        server.shutdown().await.unwrap();
        assert!(start.elapsed() >= LINGER && start.elapsed() < LINGER + SILENCE);
        drop(server);
        sending.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_unread_data_closes_at_once() {
        let (_client, server) = tokio::io::duplex(1024);
        let start = Instant::now();
        Lingering::new(server, Unread::default()).shutdown().await.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
