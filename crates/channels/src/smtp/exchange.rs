//! The conversation with a mail server (RFC 5321), over a guarded connection.
//!
//! `lettre` speaks the protocol, one command at a time: only so is it known how far a message has come. Its
//! own transport opens its own connections, and has a time limit for each step only.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering},
    task::{Context, Poll},
    time::Duration,
};

use frontdesk_outbound::{ExchangeLimits, Handover, Outbound, OutboundError};
use lettre::{
    Message,
    address::Envelope,
    transport::smtp::{
        Error,
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, AsyncTokioStream, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::{ClientId, Extension, MailBodyParameter, MailParameter},
    },
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Security, SmtpServer};
use crate::{failure::SendFailure, text::one_line};

/// Longest time to connect, and longest time without progress. Mail servers make strangers wait for
/// their greeting.
const STEP: Duration = Duration::from_mins(1);

/// Time for the farewell, which nobody needs.
const FAREWELL: Duration = Duration::from_secs(2);

/// Bytes that a mail server may say in one exchange, certificates included. Replies are a few lines, and the
/// library reads a reply again from its beginning with each line, so the work grows with the square of this.
const REPLIES: u64 = 32 * 1024;

/// Bytes that are written besides a message: commands and handshakes.
const COMMANDS: u64 = 64 * 1024;

/// Bytes of a message for which an exchange has another second.
const BYTES_PER_SECOND: usize = 64 * 1024;

/// Bytes of a message that are written at a time.
const PIECE: usize = 64 * 1024;

/// How a message is handed to a mail server.
#[derive(Debug, Clone)]
pub struct Relay {
    /// The mail server.
    pub server: SmtpServer,
    /// The name by which the client introduces itself.
    pub hello_name: String,
    /// Encrypts the connection if the server offers it. For [`Security::None`].
    pub is_opportunistic: bool,
    /// The server is that of the operator: if it refuses the connection or the login, that is not the fault
    /// of the message, which is tried again.
    pub is_operators: bool,
    /// The longest time of the exchange with a small message. Large ones have a second more for each 64 KiB.
    pub patience: Duration,
}

impl Relay {
    /// Hands a message to the mail server. `handover` notes that it may have arrived just before its text is
    /// written.
    pub async fn hand_over(
        &self,
        outbound: &Outbound,
        message: &Message,
        handover: &Handover,
    ) -> Result<(), SendFailure> {
        let bytes = message.formatted();
        let mut connection = self.open(outbound, bytes.len()).await.map_err(|failure| match failure {
            SendFailure::Refused(reason) if self.is_operators => SendFailure::not_sent(reason),
            failure => failure,
        })?;
        let sent = submit(&mut connection, message.envelope(), &bytes, handover).await;
        // Whatever the server says to that, the message has its fate.
        let _ = tokio::time::timeout(FAREWELL, connection.quit()).await;
        sent
    }

    /// Opens a connection on which a message can be sent. What fails here has not handed anything over.
    async fn open(&self, outbound: &Outbound, bytes: usize) -> Result<AsyncSmtpConnection, SendFailure> {
        let SmtpServer { host, port, security, login } = &self.server;
        let stream = outbound.connect(host, *port, self.limits(bytes)).await;
        let stream = stream.map_err(|error| SendFailure::before_handover(&error))?;
        let wire = match security {
            Security::Tls => {
                let encrypted = outbound.encrypt(stream, host).await;
                Wire::new(encrypted.map_err(|error| SendFailure::before_handover(&error))?)
            }
            Security::StartTls | Security::None => Wire::new(stream),
        };
        let name = ClientId::Domain(self.hello_name.clone());
        let mut connection = AsyncSmtpConnection::connect_with_transport(Box::new(wire), &name)
            .await
            .map_err(|error| before(&error))?;
        let starts_tls = *security == Security::StartTls
            || (*security == Security::None && self.is_opportunistic && connection.can_starttls());
        if starts_tls {
            let tls = TlsParameters::new(host.clone()).map_err(|error| before(&error))?;
            connection.starttls(tls, &name).await.map_err(|error| before(&error))?;
        }
        if let Some((user, password)) = login {
            let credentials = Credentials::new(user.clone(), password.expose().to_owned());
            connection.auth(DEFAULT_MECHANISMS, &credentials).await.map_err(|error| before(&error))?;
        }
        Ok(connection)
    }

    fn limits(&self, bytes: usize) -> ExchangeLimits {
        let seconds = u64::try_from(bytes / BYTES_PER_SECOND).unwrap_or(u64::MAX);
        ExchangeLimits {
            total: self.patience.saturating_add(Duration::from_secs(seconds)),
            connect: STEP.min(self.patience),
            idle: STEP.min(self.patience),
            read_bytes: REPLIES,
            // Dots are doubled, and encryption adds to each record.
            written_bytes: 2 * bytes as u64 + COMMANDS,
        }
    }
}

/// Sends a message over a connection.
async fn submit(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope,
    bytes: &[u8],
    handover: &Handover,
) -> Result<(), SendFailure> {
    let has_other_letters =
        envelope.to().iter().chain(envelope.from()).any(|address| !AsRef::<str>::as_ref(address).is_ascii());
    let mut parameters = Vec::new();
    for (is_needed, extension, parameter, name) in [
        (
            has_other_letters,
            Extension::SmtpUtfEight,
            MailParameter::SmtpUtfEight,
            "addresses with other letters than those of ASCII (SMTPUTF8)",
        ),
        (
            !bytes.is_ascii(),
            Extension::EightBitMime,
            MailParameter::Body(MailBodyParameter::EightBitMime),
            "messages with other bytes than those of ASCII (8BITMIME)",
        ),
    ] {
        if is_needed && !connection.server_info().supports_feature(extension) {
            return Err(SendFailure::Refused(format!("The mail server does not support {name}.")));
        }
        if is_needed {
            parameters.push(parameter);
        }
    }
    let sender = Mail::new(envelope.from().cloned(), parameters);
    connection.command(sender).await.map_err(|error| before(&error))?;
    for recipient in envelope.to() {
        let recipient = Rcpt::new(recipient.clone(), Vec::new());
        connection.command(recipient).await.map_err(|error| before(&error))?;
    }
    connection.command(Data).await.map_err(|error| before(&error))?;
    handover.begin().await.map_err(|error| SendFailure::not_sent(chain(&*error)))?;
    // The dot that ends the message is written after the last piece was taken. Without it, no server accepts
    // anything.
    let has_ended = AtomicBool::new(false);
    let pieces = bytes.chunks(PIECE).map(Some).chain([None]).map_while(|piece| {
        has_ended.store(piece.is_none(), Ordering::Relaxed);
        piece
    });
    match connection.message_iter(pieces).await {
        Ok(_) => Ok(()),
        Err(error) if error.is_permanent() => Err(SendFailure::Refused(chain(&error))),
        Err(error) if error.is_transient() => Err(SendFailure::not_sent(chain(&error))),
        Err(error) if has_ended.load(Ordering::Relaxed) => Err(SendFailure::Unknown(explained(&error))),
        Err(error) => Err(SendFailure::not_sent(explained(&error))),
    }
}

/// Converts an error before the text of the message was written.
fn before(error: &Error) -> SendFailure {
    if error.is_permanent() {
        SendFailure::Refused(chain(error))
    } else {
        SendFailure::not_sent(explained(error))
    }
}

/// Explains an error. The limits of the exchange have words of their own.
fn explained(error: &Error) -> String {
    OutboundError::within(error).map_or_else(|| chain(error), ToString::to_string)
}

/// Returns an error and its causes on one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    one_line(&causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}

/// A connection, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + std::fmt::Debug + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + std::fmt::Debug + Send + Sync + Unpin> Stream for T {}

/// A connection as the library wants it.
#[derive(Debug)]
struct Wire(Box<dyn Stream>);

impl Wire {
    fn new(stream: impl Stream + 'static) -> Self {
        Self(Box::new(stream))
    }
}

impl AsyncTokioStream for Wire {
    /// Nobody asks: the address was checked when the connection was opened.
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
