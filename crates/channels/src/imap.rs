//! New e-mails of a mailbox, fetched with IMAP (RFC 9051).
//!
//! A mailbox numbers its messages (UID), and says when it has numbered them anew (UIDVALIDITY). [`Cursor`]
//! keeps both, so every message is fetched once. The mailbox is opened for reading only: people see in their
//! own programs which messages are unread. A message that cannot be fetched is skipped after three attempts,
//! so it never blocks the ones behind it.
//!
//! A [`Visit`] returns one message after the other, so there is never more than one in memory. The server
//! decides what it says, so the whole visit has a time and a number of bytes, and each step of it has its own
//! (`measured`). Which messages are new is found in windows (`search`).

mod measured;
mod search;

use std::{fmt, time::Duration};

use async_imap::{Client, Session, error::Error as ProtocolError, types::Fetch};
use frontdesk_outbound::{ExchangeLimits, Outbound, OutboundError};
use futures_util::TryStreamExt as _;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};

use self::{
    measured::{Excess, Measured},
    search::{Found, search},
};
pub use crate::smtp::Security;
use crate::{secret::Secret, text::one_line};

/// Longest time to connect, and for each short command.
const STEP: Duration = Duration::from_secs(30);

/// Time after which a visit begins no further message, so that other mailboxes get the worker.
const SLICE: Duration = Duration::from_secs(20);

/// Bytes of the responses to a short command.
const LINES: u64 = 64 * 1024;
/// Bytes that are fetched of a message beyond the limit: its text comes before its files.
pub const BEGINNING: u32 = 1024 * 1024;

/// Attempts to fetch a message before it is skipped.
const ATTEMPTS: u8 = 3;

/// A mailbox.
#[derive(Debug, Clone)]
pub struct ImapServer {
    /// Name or address of the mail server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is encrypted. [`Security::None`] is refused unless the server is in a network that
    /// the operator allows.
    pub security: Security,
    /// The user.
    pub user: String,
    /// The password.
    pub password: Secret,
    /// The mailbox, `INBOX` as a rule.
    pub mailbox: String,
}

/// How far a mailbox has been read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cursor {
    /// The numbering that `last_uid` belongs to.
    pub uid_validity: u32,
    /// The last message that was fetched or skipped; 0 before the first.
    pub last_uid: u32,
    /// When the mailbox was last looked at. After another numbering, messages are fetched again from the day
    /// before.
    pub read_at: Timestamp,
    /// A message that could not be fetched, and how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<(u32, u8)>,
    /// Another numbering, the messages of which were not all looked at since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renumbered: Option<Renumbered>,
}

/// What a mailbox had when it was numbered anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renumbered {
    /// The highest number at that time. Messages with higher ones have arrived afterwards.
    pub newest: u32,
    /// When the mailbox was last looked at by the numbering before. Messages from before that day are not
    /// fetched again.
    pub since: Timestamp,
}

/// Upper bounds of one visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Messages that are fetched. Others follow in the next visit.
    pub messages: usize,
    /// Size of one message in bytes. A larger one is listed, and not fetched.
    pub bytes: u32,
    /// The longest time of fetching one message.
    pub patience: Duration,
}

impl Bounds {
    fn step(self) -> Duration {
        STEP.min(self.patience)
    }

    fn slice(self) -> Duration {
        SLICE.min(self.patience)
    }

    /// Returns the limits of the whole visit.
    fn exchange(self) -> ExchangeLimits {
        let messages = u64::try_from(self.messages).unwrap_or(u64::MAX);
        let each = u64::from(self.bytes) + 1024 * 1024;
        ExchangeLimits {
            // Opening the mailbox, the search, and a last message that begins when the time of the others is
            // over.
            total: (self.patience.saturating_add(self.slice())).saturating_mul(2),
            connect: self.step(),
            idle: self.step(),
            // Encryption adds to each record.
            read_bytes: messages.saturating_mul(each).saturating_add(8 * 1024 * 1024),
            written_bytes: 1024 * 1024,
        }
    }
}

/// What became of one message.
#[derive(Clone, PartialEq, Eq)]
pub enum Content {
    /// It was fetched.
    Bytes(Vec<u8>),
    /// It is larger than the limit.
    TooLarge {
        /// Its size in bytes.
        bytes: u32,
        /// Its first bytes, at most [`BEGINNING`]; none if the server did not return them.
        beginning: Vec<u8>,
    },
    /// The server did not return it in three visits.
    Unavailable {
        /// Why, for people.
        reason: String,
    },
}

impl fmt::Debug for Content {
    /// Omits the content.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(formatter, "Bytes({})", bytes.len()),
            Self::TooLarge { bytes, .. } => write!(formatter, "TooLarge({bytes})"),
            Self::Unavailable { reason } => write!(formatter, "Unavailable({reason})"),
        }
    }
}

/// A message of a mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its number.
    pub uid: u32,
    /// Its content.
    pub content: Content,
}

/// A visit of a mailbox: an open connection, and the messages that it is about.
#[derive(Debug)]
pub struct Visit {
    session: Session<Wire>,
    bounds: Bounds,
    opened: Instant,
    /// The numbers of the messages that follow.
    uids: std::vec::IntoIter<u32>,
    cursor: Cursor,
    has_more: bool,
    /// A message could not be fetched, so the connection may be in any state.
    is_broken: bool,
}

/// A connection, encrypted or not, of which no more is read than the present step needs.
type Wire = Measured<Box<dyn Stream>>;

/// Why a mailbox cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ImapError {
    /// There is no connection.
    #[error(transparent)]
    Connection(OutboundError),
    /// The host or its port may not be connected to.
    #[error("The host may not be contacted: only public addresses and the usual ports are allowed.")]
    Blocked,
    /// The connection would not be encrypted.
    #[error("A password is not sent over a connection without encryption: use TLS or STARTTLS.")]
    Unencrypted,
    /// The server refuses user name or password.
    #[error("The mail server refused the login: {0}")]
    Login(String),
    /// The mailbox cannot be opened.
    #[error("The mailbox {mailbox} cannot be opened: {reason}")]
    Mailbox {
        /// Its name.
        mailbox: String,
        /// What the server said.
        reason: String,
    },
    /// The server broke the protocol or closed the connection.
    #[error("Communication with the mail server failed: {0}")]
    Protocol(String),
    /// The server took too long.
    #[error("The mail server did not respond within {} seconds.", .0.as_secs())]
    Timeout(Duration),
}

impl From<OutboundError> for ImapError {
    fn from(error: OutboundError) -> Self {
        match error {
            // The text names an internal address, which customers must not learn.
            OutboundError::BlockedAddress { .. } | OutboundError::BlockedPort { .. } => Self::Blocked,
            error => Self::Connection(error),
        }
    }
}

/// A connection, encrypted or not.
trait Stream: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + fmt::Debug> Stream for T {}

impl Visit {
    /// Opens a mailbox, and looks which messages are new. The first visit, without a cursor, finds none: a
    /// channel begins with what arrives after it was set up. `allow_unencrypted` is for servers in networks
    /// of the operator.
    pub async fn begin(
        outbound: &Outbound,
        server: &ImapServer,
        cursor: Option<&Cursor>,
        bounds: Bounds,
        allow_unencrypted: bool,
        now: Timestamp,
    ) -> Result<Self, ImapError> {
        if server.security == Security::None && !allow_unencrypted {
            return Err(ImapError::Unencrypted);
        }
        let mut session = log_in(outbound, server, bounds).await?;
        let found = search(&mut session, server, cursor, bounds, now).await;
        let Found { cursor, mut uids, has_more } = match found {
            Ok(found) => found,
            Err(error) => {
                // On a connection in any other state, nobody would be understood.
                if matches!(error, ImapError::Mailbox { .. }) {
                    log_out(session, bounds).await;
                }
                return Err(error);
            }
        };
        let has_more = has_more || uids.len() > bounds.messages;
        uids.truncate(bounds.messages);
        Ok(Self {
            session,
            bounds,
            opened: Instant::now(),
            uids: uids.into_iter(),
            cursor,
            has_more,
            is_broken: false,
        })
    }

    /// Returns the next new message, oldest first. `None` after the last one, or when the visit has lasted
    /// for a while: other mailboxes need the worker, and the next visit goes on there.
    pub async fn next(&mut self) -> Option<Fetched> {
        loop {
            if self.opened.elapsed() >= self.bounds.slice() && !self.uids.as_slice().is_empty() {
                self.end_early(true);
            }
            let uid = self.uids.next()?;
            let fetched = match fetch(&mut self.session, uid, self.bounds).await {
                Ok(Some(content)) => Some(Fetched { uid, content }),
                // It was deleted meanwhile.
                Ok(None) => None,
                Err(error) => {
                    // The next visit goes on here.
                    let before = self.cursor.failing.filter(|(failing, _)| *failing == uid);
                    let before = before.map_or(0, |(_, count)| count);
                    let is_given_up = before + 1 >= ATTEMPTS;
                    self.is_broken = true;
                    self.end_early(is_given_up);
                    if !is_given_up {
                        self.cursor.failing = Some((uid, before + 1));
                        tracing::debug!(uid, %error, "a message of a mailbox could not be fetched");
                        return None;
                    }
                    Some(Fetched { uid, content: Content::Unavailable { reason: error.to_string() } })
                }
            };
            self.cursor.last_uid = uid;
            self.cursor.failing = None;
            if fetched.is_some() {
                return fetched;
            }
        }
    }

    /// Fetches no other messages in this visit.
    fn end_early(&mut self, has_more: bool) {
        self.uids = Vec::new().into_iter();
        self.has_more = has_more;
    }

    /// Returns how far the mailbox has been read, up to the message that [`next`](Self::next) has returned
    /// last. Store it once that message is.
    pub fn cursor(&self) -> &Cursor {
        &self.cursor
    }

    /// Returns whether there are messages that this visit does not return.
    pub fn has_more(&self) -> bool {
        self.has_more
    }

    /// Ends the visit.
    pub async fn end(self) {
        if !self.is_broken {
            log_out(self.session, self.bounds).await;
        }
    }
}

async fn log_out(mut session: Session<Wire>, bounds: Bounds) {
    session.as_mut().allow(LINES, 0);
    // Whatever the server says to that, the messages are there.
    let _ = tokio::time::timeout(bounds.step().min(Duration::from_secs(5)), session.logout()).await;
}

async fn log_in(
    outbound: &Outbound,
    server: &ImapServer,
    bounds: Bounds,
) -> Result<Session<Wire>, ImapError> {
    let (host, step) = (server.host.as_str(), bounds.step());
    let plain = outbound.connect(host, server.port, bounds.exchange()).await?;
    let client = match server.security {
        Security::Tls => greet(Box::new(outbound.encrypt(plain, host).await?), step).await?,
        Security::None => greet(Box::new(plain), step).await?,
        Security::StartTls => {
            let mut client = Client::new(Measured::new(plain, LINES));
            timed(step, async { client.read_response().await.map_err(ProtocolError::from) })
                .await?
                .ok_or(ImapError::Protocol("the server hung up".to_owned()))?;
            timed(step, client.run_command_and_check_ok("STARTTLS", None)).await?;
            // What the server sent before encryption is dropped with the client.
            let encrypted = outbound.encrypt(client.into_inner().into_inner(), host).await?;
            Client::new(Measured::new(Box::new(encrypted) as Box<dyn Stream>, LINES))
        }
    };
    let login = tokio::time::timeout(step, client.login(&server.user, server.password.expose())).await;
    match login {
        Ok(Ok(session)) => Ok(session),
        Ok(Err((ProtocolError::No(reason) | ProtocolError::Bad(reason), _))) => {
            Err(ImapError::Login(shortened(&reason)))
        }
        Ok(Err((ProtocolError::Validate(_), _))) => {
            Err(ImapError::Login("user name or password contains a line break".to_owned()))
        }
        Ok(Err((error, _))) => Err(protocol(&error)),
        Err(_) => Err(ImapError::Timeout(step)),
    }
}

async fn greet(stream: Box<dyn Stream>, step: Duration) -> Result<Client<Wire>, ImapError> {
    let mut client = Client::new(Measured::new(stream, LINES));
    let greeting = timed(step, async { client.read_response().await.map_err(ProtocolError::from) }).await?;
    greeting.ok_or(ImapError::Protocol("the server hung up".to_owned()))?;
    Ok(client)
}

async fn fetch(session: &mut Session<Wire>, uid: u32, bounds: Bounds) -> Result<Option<Content>, ImapError> {
    // What the server has said without being asked.
    while session.unsolicited_responses.try_recv().is_ok() {}
    let Some(found) = fetch_one(session, uid, "(UID RFC822.SIZE)", 0, bounds.step()).await? else {
        // The library ends the list of results as well when the connection is lost. Only a server that still
        // responds has said that the message is gone.
        session.as_mut().allow(LINES, 0);
        timed(bounds.step(), session.noop()).await?;
        return Ok(None);
    };
    let size = found.size.unwrap_or(0);
    if size > bounds.bytes {
        let what = format!("(UID BODY.PEEK[]<0.{BEGINNING}>)");
        let found = fetch_one(session, uid, &what, u64::from(BEGINNING) + LINES, bounds.patience).await?;
        let beginning = found.as_ref().and_then(Fetch::body).unwrap_or_default().to_vec();
        return Ok(Some(Content::TooLarge { bytes: size, beginning }));
    }
    // Some servers state sizes that are not exact.
    let literal = (2 * u64::from(size)).saturating_add(LINES).min(u64::from(bounds.bytes) + LINES);
    let found = fetch_one(session, uid, "(UID BODY.PEEK[])", literal, bounds.patience).await?;
    match found.as_ref().and_then(Fetch::body) {
        Some(body) => Ok(Some(Content::Bytes(body.to_vec()))),
        None => Err(ImapError::Protocol("the server did not return the message".to_owned())),
    }
}

/// Fetches something of one message, whose literals have at most so many bytes. What the server says about
/// others is dropped at once.
async fn fetch_one(
    session: &mut Session<Wire>,
    uid: u32,
    what: &str,
    literals: u64,
    limit: Duration,
) -> Result<Option<Fetch>, ImapError> {
    session.as_mut().allow(LINES, literals);
    timed(limit, async {
        let mut results = session.uid_fetch(uid.to_string(), what).await?;
        let mut found = None;
        while let Some(result) = results.try_next().await? {
            if result.uid == Some(uid) {
                found = Some(result);
            }
        }
        Ok(found)
    })
    .await
}

async fn timed<T>(
    limit: Duration,
    step: impl Future<Output = Result<T, ProtocolError>>,
) -> Result<T, ImapError> {
    match tokio::time::timeout(limit, step).await {
        Ok(done) => done.map_err(|error| protocol(&error)),
        Err(_) => Err(ImapError::Timeout(limit)),
    }
}

/// Converts an error of the library. Errors of its parser contain the content of messages, which must not
/// reach a log.
fn protocol(error: &ProtocolError) -> ImapError {
    if let Some(limit) = OutboundError::within(error) {
        return limit.clone().into();
    }
    let excess =
        |error: &std::io::Error| error.get_ref().and_then(|error| error.downcast_ref::<Excess>().copied());
    ImapError::Protocol(match error {
        ProtocolError::No(reason) | ProtocolError::Bad(reason) => shortened(reason),
        ProtocolError::Io(error) if let Some(excess) = excess(error) => excess.to_string(),
        ProtocolError::Io(error) => error.kind().to_string(),
        ProtocolError::ConnectionLost => "the connection was lost".to_owned(),
        _ => "the server sent a response that cannot be read".to_owned(),
    })
}

/// Returns the beginning of what a server says.
fn shortened(text: &str) -> String {
    one_line(&text.chars().take(300).collect::<String>())
}
