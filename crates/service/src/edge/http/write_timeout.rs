//! Write timeout of a connection: [`WriteTimeout`] fails when the client does not read its response.
//!
//! A client that sends requests and never reads would otherwise occupy its connection forever.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// How long a write may make no progress.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A connection whose writes fail when the client does not read for a while.
#[derive(Debug)]
pub(super) struct WriteTimeout<S> {
    stream: S,
    /// Runs while a write is waiting for the client.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeout<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, stalled: None }
    }

    /// Returns the result of an attempt to write, or an error once the attempts have failed for too long.
    fn after_attempt<T>(
        &mut self,
        context: &mut Context<'_>,
        attempt: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if attempt.is_ready() {
            self.stalled = None;
            return attempt;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(TIMEOUT)));
        stalled.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeout<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[u8],
    ) -> Poll<io::Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write(context, data);
        self.after_attempt(context, attempt)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let attempt = Pin::new(&mut self.stream).poll_write_vectored(context, data);
        self.after_attempt(context, attempt)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_flush(context);
        self.after_attempt(context, attempt)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let attempt = Pin::new(&mut self.stream).poll_shutdown(context);
        self.after_attempt(context, attempt)
    }
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        time::Instant,
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_client_that_never_reads_is_disconnected() {
        let (client, server) = tokio::io::duplex(16);
        let mut server = WriteTimeout::new(server);
        let start = Instant::now();
        let error = server.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(start.elapsed(), TIMEOUT);
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_slowly_is_not_disconnected() {
        let (mut client, server) = tokio::io::duplex(16);
        let mut server = WriteTimeout::new(server);
        let reading = tokio::spawn(async move {
            let mut space = [0; 16];
            let mut taken = 0;
            while taken < 160 {
                sleep(TIMEOUT / 2).await;
                taken += client.read(&mut space).await.unwrap();
            }
        });
        server.write_all(&[0; 160]).await.unwrap();
        reading.await.unwrap();
    }
}
