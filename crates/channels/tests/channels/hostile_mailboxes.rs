//! Mail servers that say more than they were asked for, or take their time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use frontdesk_channels::{
    Secret,
    imap::{Bounds, Content, Cursor, ImapServer, Security, Visit},
};
use futures_util::future::join_all;
use jiff::Timestamp;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use crate::local;

/// What a server does instead of a response.
#[derive(Clone, Copy, Debug)]
enum Misdeed {
    /// Repeats a text for ever.
    Repeats(&'static str),
    /// Says something, and then repeats a text for ever.
    Begins(&'static str, &'static str),
    /// Repeats a byte for ever, with pauses.
    Drips,
    /// Says nothing.
    Hangs,
}

/// A mailbox with three messages of ten bytes, whose server does this where it has to respond to a command,
/// or to greet (`""`).
struct Hostile {
    port: u16,
    /// Bytes that it could send.
    sent: Arc<AtomicUsize>,
}

impl Hostile {
    async fn start(command: &'static str, misdeed: Misdeed) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let sent = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&sent);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(converse(stream, command, misdeed, Arc::clone(&count)));
            }
        });
        Self { port, sent }
    }

    fn server(&self) -> ImapServer {
        ImapServer {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            security: Security::None,
            user: "shop".to_owned(),
            password: Secret::new("secret"),
            mailbox: "INBOX".to_owned(),
        }
    }
}

async fn converse(stream: TcpStream, at: &str, misdeed: Misdeed, sent: Arc<AtomicUsize>) {
    let mut stream = BufReader::new(stream);
    if at.is_empty() {
        return misbehave(stream, misdeed, &sent).await;
    }
    let _ = stream.get_mut().write_all(b"* OK ready\r\n").await;
    let mut line = String::new();
    while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
        let (tag, command) = line.trim_end().split_once(' ').unwrap();
        if command.contains(at) {
            return misbehave(stream, misdeed, &sent).await;
        }
        let untagged = match command {
            text if text.starts_with("EXAMINE") => "* 3 EXISTS\r\n* OK [UIDVALIDITY 9] x\r\n".to_owned(),
            text if text.starts_with("UID SEARCH") => "* SEARCH 1 2 3\r\n".to_owned(),
            text if text.starts_with("UID FETCH") => {
                let uid = text.split(' ').nth(2).unwrap();
                if text.contains("BODY") {
                    format!("* {uid} FETCH (UID {uid} BODY[] {{10}}\r\n0123456789)\r\n")
                } else {
                    format!("* {uid} FETCH (UID {uid} RFC822.SIZE 10)\r\n")
                }
            }
            _ => String::new(),
        };
        let response = format!("{untagged}{tag} OK done\r\n");
        if stream.get_mut().write_all(response.as_bytes()).await.is_err() {
            return;
        }
        line.clear();
    }
}

async fn misbehave(mut stream: BufReader<TcpStream>, misdeed: Misdeed, sent: &AtomicUsize) {
    let stream = stream.get_mut();
    let (text, pause) = match misdeed {
        Misdeed::Hangs => return std::future::pending().await,
        Misdeed::Drips => ("x".to_owned(), Duration::from_millis(20)),
        Misdeed::Repeats(text) => (text.repeat(1000), Duration::ZERO),
        Misdeed::Begins(beginning, text) => {
            let _ = stream.write_all(beginning.as_bytes()).await;
            (text.repeat(1000), Duration::ZERO)
        }
    };
    while stream.write_all(text.as_bytes()).await.is_ok() {
        sent.fetch_add(text.len(), Ordering::SeqCst);
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
}

/// Visits a server until nothing more is expected of it. Returns what it said of each message, or of the
/// visit.
async fn outcomes(hostile: &Hostile, patience: Duration) -> Vec<String> {
    let bounds = Bounds { messages: 10, bytes: 1 << 20, patience };
    let mut cursor =
        Cursor { uid_validity: 9, last_uid: 0, read_at: Timestamp::now(), failing: None, renumbered: None };
    let mut found = Vec::new();
    for _ in 0..3 {
        match Visit::begin(&local(), &hostile.server(), Some(&cursor), bounds, true, Timestamp::now()).await {
            Err(error) => found.push(error.to_string()),
            Ok(mut visit) => {
                while let Some(message) = visit.next().await {
                    found.push(match message.content {
                        Content::Unavailable { reason } => reason,
                        content => format!("{content:?}"),
                    });
                }
                cursor = visit.cursor().clone();
                visit.end().await;
            }
        }
    }
    found
}

#[tokio::test]
async fn no_server_sends_more_than_a_step_needs() {
    let long = Duration::from_mins(1);
    let cases = [
        ("", Misdeed::Repeats("x"), "more than was asked for"),
        ("", Misdeed::Repeats("* OK x\r\n"), "more than was asked for"),
        ("LOGIN", Misdeed::Repeats("* OK x\r\n"), "more than was asked for"),
        ("EXAMINE", Misdeed::Repeats("* 3 EXISTS\r\n"), "more than was asked for"),
        ("UID SEARCH", Misdeed::Begins("* SEARCH", " 4000000000"), "more than was asked for"),
        ("UID SEARCH", Misdeed::Repeats("* SEARCH 1 2 3\r\n"), "more than was asked for"),
        ("RFC822.SIZE", Misdeed::Repeats("* 7 FETCH (UID 7 FLAGS ())\r\n"), "more than was asked for"),
        ("BODY", Misdeed::Begins("* 1 FETCH (UID 1 BODY[] {1000000}\r\n", "x"), "announced 1000000 bytes"),
        (
            "BODY",
            Misdeed::Begins("* 1 FETCH (UID 1 BODY[] {500000000}\r\n", "x"),
            "announced 500000000 bytes",
        ),
        ("BODY", Misdeed::Begins("* OK {500000000}\r\n", "x"), "cannot be read"),
        ("BODY", Misdeed::Begins("* 1 FETCH (UID 1 BODY[] \"", "x"), "more than was asked for"),
        ("BODY", Misdeed::Repeats("* 7 FETCH (UID 7 BODY[] {10}\r\n0123456789)\r\n"), "than was asked for"),
    ];
    let visits = cases.map(async |(command, misdeed, reason)| {
        let hostile = Hostile::start(command, misdeed).await;
        let found = outcomes(&hostile, long).await;
        assert!(
            !found.is_empty() && found.iter().all(|text| text.contains(reason)),
            "{command} {misdeed:?}: {found:?}"
        );
        // What was on its way in the buffers of the system was not read.
        let sent = hostile.sent.load(Ordering::SeqCst);
        assert!(sent < 64 << 20, "{command} {misdeed:?}: {sent}");
    });
    join_all(visits).await;
}

#[tokio::test]
async fn no_server_takes_longer_than_a_visit_may() {
    let patience = Duration::from_millis(300);
    let commands = ["", "LOGIN", "EXAMINE", "UID SEARCH", "RFC822.SIZE", "BODY"];
    let cases =
        commands.into_iter().flat_map(|command| [(command, Misdeed::Hangs), (command, Misdeed::Drips)]);
    let visits = cases.map(async |(command, misdeed)| {
        let hostile = Hostile::start(command, misdeed).await;
        let found = outcomes(&hostile, patience).await;
        assert!(
            !found.is_empty() && found.iter().all(|text| text.contains("did not")),
            "{command} {misdeed:?}: {found:?}"
        );
    });
    join_all(visits).await;
}

#[tokio::test]
async fn a_slow_mailbox_gives_its_place_back_after_a_while() {
    // The server itself is fine, and it is the caller who takes long.
    let hostile = Hostile::start("nothing", Misdeed::Hangs).await;
    let patience = Duration::from_secs(3);
    let bounds = Bounds { messages: 10, bytes: 1 << 20, patience };
    let cursor =
        Cursor { uid_validity: 9, last_uid: 0, read_at: Timestamp::now(), failing: None, renumbered: None };
    let mut visit = Visit::begin(&local(), &hostile.server(), Some(&cursor), bounds, true, Timestamp::now())
        .await
        .unwrap();
    assert_eq!(visit.next().await.unwrap().uid, 1);
    tokio::time::sleep(patience).await;
    assert!(visit.next().await.is_none() && visit.has_more());
    assert_eq!((visit.cursor().last_uid, visit.cursor().failing), (1, None));
}
