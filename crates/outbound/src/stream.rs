//! Connections for other protocols than HTTP, such as those of mail servers, with the same checks.
//!
//! A [`GuardedStream`] carries the limits of its exchange with it: whatever protocol is spoken over it, by
//! whichever library, every read and every write ends when the time is over or the bytes are used up. A
//! caller cannot forget a limit, and a server cannot get around one by sending a byte now and then.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use reqwest::dns::Resolve;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use url::Host;

use crate::client::{Outbound, log_refusal};
use crate::error::{OutboundError, Stage};
use crate::policy::ExchangeLimits;

/// A connection that ends with the limits of its exchange.
#[derive(Debug)]
pub struct GuardedStream {
    stream: TcpStream,
    host: String,
    limits: ExchangeLimits,
    deadline: Instant,
    /// Since when nothing has moved while somebody waited for it.
    waiting_since: Option<Instant>,
    timer: Pin<Box<Sleep>>,
    read: u64,
    written: u64,
    /// The limit that has ended the exchange. A library that says goodbye then must not wait for another
    /// response.
    ended: Option<OutboundError>,
}

impl GuardedStream {
    fn new(stream: TcpStream, host: String, limits: ExchangeLimits, deadline: Instant) -> Self {
        let timer = Box::pin(tokio::time::sleep_until(deadline));
        Self { stream, host, limits, deadline, waiting_since: None, timer, read: 0, written: 0, ended: None }
    }

    /// Returns an error once a limit has ended the exchange. A server that always has something to say never
    /// lets a read wait, so this is asked before each.
    fn goes_on(&mut self) -> io::Result<()> {
        match &self.ended {
            Some(limit) => Err(io::Error::other(limit.clone())),
            None if Instant::now() < self.deadline => Ok(()),
            None => Err(self.late(self.limits.total)),
        }
    }

    fn late(&mut self, limit: Duration) -> io::Error {
        self.end(OutboundError::Timeout { host: self.host.clone(), stage: Stage::Respond, limit })
    }

    fn end(&mut self, limit: OutboundError) -> io::Error {
        self.ended = Some(limit.clone());
        let is_late = matches!(limit, OutboundError::Timeout { .. });
        io::Error::new(if is_late { io::ErrorKind::TimedOut } else { io::ErrorKind::Other }, limit)
    }

    /// Waits for the end of the time, beside an operation that waits for the other side.
    fn wait<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        let idle_end = since + self.limits.idle.min(DAY);
        let end = self.deadline.min(idle_end);
        if self.timer.deadline() != end {
            self.timer.as_mut().reset(end);
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(Err(self.late(if idle_end < self.deadline {
            self.limits.idle
        } else {
            self.limits.total
        })))
    }
}

impl AsyncRead for GuardedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.goes_on()?;
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                this.waiting_since = None;
                this.read += (buffer.filled().len() - before) as u64;
                if this.read > this.limits.read_bytes {
                    let (host, limit) = (this.host.clone(), this.limits.read_bytes);
                    return Poll::Ready(Err(this.end(OutboundError::TooLarge { host, limit })));
                }
                Poll::Ready(Ok(()))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => this.wait(context),
        }
    }
}

impl AsyncWrite for GuardedStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.goes_on()?;
        if this.written.saturating_add(bytes.len() as u64) > this.limits.written_bytes {
            let reason = format!("more than {} bytes would be sent", this.limits.written_bytes);
            let host = this.host.clone();
            return Poll::Ready(Err(this.end(OutboundError::Protocol { host, reason })));
        }
        match Pin::new(&mut this.stream).poll_write(context, bytes) {
            Poll::Ready(Ok(count)) => {
                this.waiting_since = None;
                this.written += count as u64;
                Poll::Ready(Ok(count))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => this.wait(context),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_flush(context) {
            Poll::Pending => this.wait(context),
            done @ Poll::Ready(_) => done,
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        match Pin::new(&mut this.stream).poll_shutdown(context) {
            Poll::Pending => this.wait(context),
            done @ Poll::Ready(_) => done,
        }
    }
}

/// Limits that end after all times that can be expressed, such as `Duration::MAX`, are as good as a day.
const DAY: Duration = Duration::from_hours(24);

impl Outbound {
    /// Resolves a host and returns its addresses, all of which may be connected to. Connect to exactly these,
    /// and not to the name, whose addresses may have changed then.
    pub async fn addresses(
        &self,
        host: &str,
        port: u16,
        limit: Duration,
    ) -> Result<Vec<SocketAddr>, OutboundError> {
        let late = OutboundError::Timeout { host: host.to_owned(), stage: Stage::Connect, limit };
        let found = timeout(limit, self.checked_addresses(host, port)).await;
        found.unwrap_or(Err(late)).inspect_err(log_refusal)
    }

    /// Opens a connection without encryption. The time of the exchange begins with this call.
    pub async fn connect(
        &self,
        host: &str,
        port: u16,
        limits: ExchangeLimits,
    ) -> Result<GuardedStream, OutboundError> {
        let started = Instant::now();
        let deadline = started + limits.total.min(DAY);
        let limit = limits.connect.min(limits.total);
        let until = started + limit.min(DAY);
        let late = || OutboundError::Timeout { host: host.to_owned(), stage: Stage::Connect, limit };
        let found = timeout_at(until, self.checked_addresses(host, port)).await;
        let addresses = found.unwrap_or_else(|_| Err(late())).inspect_err(log_refusal)?;
        let mut failure = late();
        for (index, address) in addresses.iter().enumerate() {
            // An address that does not respond leaves time for the others.
            let others = u32::try_from(addresses.len() - index).unwrap_or(u32::MAX);
            let share = until.saturating_duration_since(Instant::now()) / others;
            match timeout(share, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(GuardedStream::new(stream, host.to_owned(), limits, deadline)),
                Ok(Err(error)) => {
                    failure = OutboundError::Connect { host: host.to_owned(), reason: error.to_string() };
                }
                Err(_) => failure = late(),
            }
        }
        Err(failure)
    }

    /// Encrypts a connection to a host, whose certificate is verified. The handshake has the time of
    /// connecting, within that of the exchange.
    pub async fn encrypt(
        &self,
        stream: GuardedStream,
        host: &str,
    ) -> Result<TlsStream<GuardedStream>, OutboundError> {
        let tls = |reason: String| OutboundError::Tls { host: host.to_owned(), reason };
        let name = ServerName::try_from(host.to_owned()).map_err(|error| tls(error.to_string()))?;
        let connector = TlsConnector::from(Arc::new(self.tls().clone()));
        let limit = stream.limits.connect;
        match timeout(limit, connector.connect(name, stream)).await {
            Ok(Ok(encrypted)) => Ok(encrypted),
            Ok(Err(error)) => {
                Err(OutboundError::within(&error).cloned().unwrap_or_else(|| tls(error.to_string())))
            }
            Err(_) => Err(OutboundError::Timeout { host: host.to_owned(), stage: Stage::Connect, limit }),
        }
    }

    async fn checked_addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, OutboundError> {
        let bad = OutboundError::BadUrl { reason: "the host is neither a name nor an address" };
        let literal: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let parsed = match literal {
            Some(IpAddr::V4(address)) => Host::Ipv4(address),
            Some(IpAddr::V6(address)) => Host::Ipv6(address),
            None => Host::Domain(host),
        };
        let reach = self.admit_host(&parsed, port, host.to_owned())?;
        if let Some(address) = literal {
            return Ok(vec![SocketAddr::new(address, port)]);
        }
        // Some forms of numbers are addresses to the system although they have not the usual form.
        let Ok(Host::Domain(domain)) = Host::parse(host) else { return Err(bad) };
        let name = domain.parse().map_err(|_| bad)?;
        let addresses = self.resolver(reach).resolve(name).await.map_err(|error| {
            error.downcast::<OutboundError>().map_or_else(
                |error| OutboundError::Dns { host: host.to_owned(), reason: error.to_string() },
                |error| *error,
            )
        })?;
        Ok(addresses.map(|address| SocketAddr::new(address.ip(), port)).collect())
    }
}
