//! New e-mails of a mailbox, fetched with IMAP (RFC 9051).
//!
//! A mailbox numbers its messages (UID), and says when it has numbered them anew (UIDVALIDITY). [`Cursor`] keeps both, so every message is
//! fetched once. The mailbox is opened for reading only: people see in their own programs which messages are unread. A message that cannot be
//! fetched is skipped after three attempts, so it never blocks the ones behind it.

use std::{fmt, time::Duration};

use async_imap::{Client, Session, error::Error as ProtocolError};
use frontdesk_outbound::{Outbound, OutboundError};
use futures_util::TryStreamExt as _;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::Instant,
};

use crate::secret::Secret;
pub use crate::smtp::Security;

/// Time to connect, and for each short command.
const STEP: Duration = Duration::from_secs(30);

/// Time to fetch one message.
const MESSAGE: Duration = Duration::from_mins(2);

/// Time after which a visit begins no further message, so that other mailboxes get the worker.
const SLICE: Duration = Duration::from_secs(20);

/// Attempts to fetch a message before it is skipped.
const ATTEMPTS: u8 = 3;

/// A mailbox.
#[derive(Debug, Clone)]
pub struct ImapServer {
    /// Name or address of the mail server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// How the connection is encrypted. [`Security::None`] is refused unless the server is in a network that the operator allows.
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
    /// When the mailbox was last looked at. After another numbering, messages are fetched again from the day before.
    pub read_at: Timestamp,
    /// A message that could not be fetched, and how often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing: Option<(u32, u8)>,
}

/// Upper bounds of one visit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Messages that are fetched. Others follow in the next visit.
    pub messages: usize,
    /// Size of one message in bytes. A larger one is listed, and not fetched.
    pub bytes: u32,
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
            Self::TooLarge { bytes } => write!(formatter, "TooLarge({bytes})"),
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

/// What a visit has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// How far the mailbox has been read now. Store it with the messages.
    pub cursor: Cursor,
    /// New messages, oldest first.
    pub messages: Vec<Fetched>,
    /// There are further ones.
    pub has_more: bool,
}

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
    #[error("The mail server has refused the login: {0}")]
    Login(String),
    /// The mailbox cannot be opened.
    #[error("The mailbox {mailbox} cannot be opened: {reason}")]
    Mailbox {
        /// Its name.
        mailbox: String,
        /// What the server said.
        reason: String,
    },
    /// The server said something that is no IMAP, or hung up.
    #[error("The conversation with the mail server has failed: {0}")]
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

/// Fetches new messages of a mailbox. The first visit, without a cursor, fetches none: a channel begins with what arrives after it was set
/// up. `allow_unencrypted` is for servers in networks of the operator.
pub async fn visit(
    outbound: &Outbound,
    server: &ImapServer,
    cursor: Option<&Cursor>,
    bounds: Bounds,
    allow_unencrypted: bool,
    now: Timestamp,
) -> Result<Visit, ImapError> {
    if server.security == Security::None && !allow_unencrypted {
        return Err(ImapError::Unencrypted);
    }
    let mut session = log_in(outbound, server).await?;
    let found = read(&mut session, server, cursor, bounds, now).await;
    // Whatever the server says to that, the messages are there.
    let _ = tokio::time::timeout(Duration::from_secs(5), session.logout()).await;
    found
}

async fn log_in(outbound: &Outbound, server: &ImapServer) -> Result<Session<Box<dyn Stream>>, ImapError> {
    let host = server.host.as_str();
    let plain = outbound.connect(host, server.port, STEP).await?;
    let client = match server.security {
        Security::Tls => greet(Box::new(outbound.encrypt(plain, host, STEP).await?)).await?,
        Security::None => greet(Box::new(plain)).await?,
        Security::StartTls => {
            let mut client = Client::new(plain);
            timed(STEP, async { client.read_response().await.map_err(ProtocolError::from) })
                .await?
                .ok_or(ImapError::Protocol("the server hung up".to_owned()))?;
            timed(STEP, client.run_command_and_check_ok("STARTTLS", None)).await?;
            // What the server sent before encryption is dropped with the client.
            let encrypted = outbound.encrypt(client.into_inner(), host, STEP).await?;
            Client::new(Box::new(encrypted) as Box<dyn Stream>)
        }
    };
    let login = tokio::time::timeout(STEP, client.login(&server.user, server.password.expose())).await;
    match login {
        Ok(Ok(session)) => Ok(session),
        Ok(Err((ProtocolError::No(reason) | ProtocolError::Bad(reason), _))) => {
            Err(ImapError::Login(one_line(&reason)))
        }
        Ok(Err((ProtocolError::Validate(_), _))) => {
            Err(ImapError::Login("user name or password contains a line break".to_owned()))
        }
        Ok(Err((error, _))) => Err(protocol(&error)),
        Err(_) => Err(ImapError::Timeout(STEP)),
    }
}

async fn greet(stream: Box<dyn Stream>) -> Result<Client<Box<dyn Stream>>, ImapError> {
    let mut client = Client::new(stream);
    let greeting = timed(STEP, async { client.read_response().await.map_err(ProtocolError::from) }).await?;
    greeting.ok_or(ImapError::Protocol("the server hung up".to_owned()))?;
    Ok(client)
}

async fn read(
    session: &mut Session<Box<dyn Stream>>,
    server: &ImapServer,
    cursor: Option<&Cursor>,
    bounds: Bounds,
    now: Timestamp,
) -> Result<Visit, ImapError> {
    let opened = timed(STEP, session.examine(&server.mailbox)).await;
    let mailbox = opened.map_err(|error| match error {
        ImapError::Protocol(reason) => ImapError::Mailbox { mailbox: server.mailbox.clone(), reason },
        other => other,
    })?;
    let uid_validity = mailbox.uid_validity.unwrap_or(0);
    let Some(cursor) = cursor else {
        let last_uid = match mailbox.uid_next {
            Some(next) => next.saturating_sub(1),
            // Old servers do not say which number comes next.
            None => newest(session).await?,
        };
        let cursor = Cursor { uid_validity, last_uid, read_at: now, failing: None };
        return Ok(Visit { cursor, messages: Vec::new(), has_more: false });
    };
    let (query, after, failing) = if cursor.uid_validity == uid_validity {
        let next = cursor.last_uid.saturating_add(1);
        (format!("UID {next}:*"), cursor.last_uid, cursor.failing)
    } else {
        (format!("SINCE {}", day_before(cursor.read_at)), 0, None)
    };
    // The range `n:*` has the newest message even if its number is below n.
    let found = timed(STEP, session.uid_search(&query)).await?;
    let mut uids: Vec<u32> = found.into_iter().filter(|uid| *uid > after).collect();
    uids.sort_unstable();
    let has_more = uids.len() > bounds.messages;
    uids.truncate(bounds.messages);

    let mut visit = Visit {
        cursor: Cursor { uid_validity, last_uid: after, read_at: now, failing },
        messages: Vec::new(),
        has_more,
    };
    let began = Instant::now();
    for uid in uids {
        if began.elapsed() >= SLICE {
            // The next visit goes on here, after those of others that wait.
            visit.has_more = true;
            break;
        }
        match fetch(session, uid, bounds.bytes).await {
            Ok(Some(content)) => visit.messages.push(Fetched { uid, content }),
            // It was deleted meanwhile.
            Ok(None) => {}
            Err(error) => {
                let before =
                    visit.cursor.failing.filter(|(failing, _)| *failing == uid).map_or(0, |(_, count)| count);
                if before + 1 < ATTEMPTS {
                    // The connection may be in any state now. The next visit goes on here.
                    visit.cursor.failing = Some((uid, before + 1));
                    visit.has_more = false;
                    tracing::debug!(uid, %error, "a message of a mailbox could not be fetched");
                    return Ok(visit);
                }
                let reason = error.to_string();
                visit.messages.push(Fetched { uid, content: Content::Unavailable { reason } });
                visit.cursor = Cursor { last_uid: uid, failing: None, ..visit.cursor };
                visit.has_more = true;
                return Ok(visit);
            }
        }
        visit.cursor = Cursor { last_uid: uid, failing: None, ..visit.cursor };
    }
    Ok(visit)
}

/// Returns the highest number in the mailbox.
async fn newest(session: &mut Session<Box<dyn Stream>>) -> Result<u32, ImapError> {
    let all = timed(STEP, session.uid_search("UID *")).await?;
    Ok(all.into_iter().max().unwrap_or(0))
}

async fn fetch(
    session: &mut Session<Box<dyn Stream>>,
    uid: u32,
    limit: u32,
) -> Result<Option<Content>, ImapError> {
    let sizes = timed(STEP, async {
        session.uid_fetch(uid.to_string(), "(UID RFC822.SIZE)").await?.try_collect::<Vec<_>>().await
    })
    .await?;
    let Some(size) = sizes.iter().find(|found| found.uid == Some(uid)).map(|found| found.size.unwrap_or(0))
    else {
        // The library ends the list of results as well when the connection is lost. Only a server that still responds has said that the
        // message is gone.
        timed(STEP, session.noop()).await?;
        return Ok(None);
    };
    if size > limit {
        return Ok(Some(Content::TooLarge { bytes: size }));
    }
    let bodies = timed(MESSAGE, async {
        session.uid_fetch(uid.to_string(), "(UID BODY.PEEK[])").await?.try_collect::<Vec<_>>().await
    })
    .await?;
    let body = bodies.iter().find(|found| found.uid == Some(uid)).and_then(|found| found.body());
    match body {
        Some(body) => Ok(Some(Content::Bytes(body.to_vec()))),
        None => Err(ImapError::Protocol("the server did not return the message".to_owned())),
    }
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

/// Converts an error of the library. Errors of its parser contain the content of messages, which must not reach a log.
fn protocol(error: &ProtocolError) -> ImapError {
    ImapError::Protocol(match error {
        ProtocolError::No(reason) | ProtocolError::Bad(reason) => one_line(reason),
        ProtocolError::Io(error) => one_line(&error.kind().to_string()),
        ProtocolError::ConnectionLost => "the connection was lost".to_owned(),
        _ => "the server sent a response that cannot be read".to_owned(),
    })
}

fn one_line(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(300).collect();
    text.trim().to_owned()
}

/// Returns the day before a time in the form of IMAP, such as `02-May-2026`.
fn day_before(time: Timestamp) -> String {
    let before = time.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(time);
    before.to_zoned(TimeZone::UTC).strftime("%d-%b-%Y").to_string()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

    use super::*;

    /// A mailbox of five messages, each of which arrives after a while.
    async fn slow_server(stream: DuplexStream, each: Duration) {
        let (reading, mut writing) = tokio::io::split(stream);
        let mut lines = BufReader::new(reading).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let (tag, command) = line.split_once(' ').unwrap();
            let uid = command.split(' ').nth(2).unwrap_or_default();
            let data = match command {
                "EXAMINE INBOX" => "* 5 EXISTS\r\n* OK [UIDVALIDITY 1] numbers\r\n".to_owned(),
                _ if command.starts_with("UID SEARCH") => "* SEARCH 1 2 3 4 5\r\n".to_owned(),
                _ if command.contains("RFC822.SIZE") => {
                    format!("* {uid} FETCH (UID {uid} RFC822.SIZE 5)\r\n")
                }
                _ if command.contains("BODY.PEEK") => {
                    tokio::time::sleep(each).await;
                    format!("* {uid} FETCH (UID {uid} BODY[] {{5}}\r\nHello)\r\n")
                }
                _ => String::new(),
            };
            writing.write_all(format!("{data}{tag} OK done\r\n").as_bytes()).await.unwrap();
        }
    }

    async fn read_from(each: Duration) -> Visit {
        let (client, server) = tokio::io::duplex(1 << 16);
        tokio::spawn(slow_server(server, each));
        let client = Client::new(Box::new(client) as Box<dyn Stream>);
        let mut session = client.login("shop", "secret").await.map_err(|(error, _)| error).unwrap();
        let server = ImapServer {
            host: "mail.example".to_owned(),
            port: 993,
            security: Security::Tls,
            user: "shop".to_owned(),
            password: Secret::new("secret"),
            mailbox: "INBOX".to_owned(),
        };
        let now = Timestamp::UNIX_EPOCH;
        let cursor = Cursor { uid_validity: 1, last_uid: 0, read_at: now, failing: None };
        let bounds = Bounds { messages: 20, bytes: 1_000 };
        read(&mut session, &server, Some(&cursor), bounds, now).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_mailbox_is_left_after_its_time_and_read_on_later() {
        let visit = read_from(SLICE * 2 / 3).await;
        assert_eq!((visit.messages.len(), visit.cursor.last_uid, visit.has_more), (2, 2, true));
        let visit = read_from(SLICE / 10).await;
        assert_eq!((visit.messages.len(), visit.cursor.last_uid, visit.has_more), (5, 5, false));
    }
}
