//! Mail servers that hang, drip, or never come to an end: the letter is not sent unless its last byte was
//! written.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use frontdesk_channels::{
    SendFailure,
    smtp::{File, Letter, Security, SmtpServer, send},
};
use frontdesk_outbound::Handover;
use futures_util::future::join_all;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};

use crate::{
    local,
    smtp::{letter, server},
};

/// What a server does instead of a reply.
#[derive(Clone, Copy, Debug)]
enum Misdeed {
    Hangs,
    HangsUp,
    /// Sends a byte now and then.
    Drips,
    /// Sends a line without an end.
    EndlessLine,
    /// Sends a reply with endless lines.
    EndlessReply,
}

const ALL: [Misdeed; 5] =
    [Misdeed::Hangs, Misdeed::HangsUp, Misdeed::Drips, Misdeed::EndlessLine, Misdeed::EndlessReply];

/// Starts a server that does this where it has to reply to a command, to the text (`.`), or to greet (`""`).
async fn start(at: &'static str, misdeed: Misdeed) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(converse(stream, at, misdeed));
        }
    });
    port
}

async fn converse(stream: TcpStream, at: &str, misdeed: Misdeed) {
    let mut stream = BufReader::new(stream);
    if at.is_empty() {
        return misbehave(stream, misdeed).await;
    }
    let _ = stream.get_mut().write_all(b"220 mail.example ESMTP\r\n").await;
    let (mut line, mut is_data) = (String::new(), false);
    while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
        let text = line.trim_end();
        let reply = match text {
            "." if is_data => "250 OK",
            _ if is_data => "",
            "DATA" => "354 Go on",
            "QUIT" => "221 Bye",
            _ => "250 OK",
        };
        if (!is_data || text == ".") && text.starts_with(at) {
            return misbehave(stream, misdeed).await;
        }
        is_data = (is_data && text != ".") || reply.starts_with("354");
        if !reply.is_empty() && stream.get_mut().write_all(format!("{reply}\r\n").as_bytes()).await.is_err() {
            return;
        }
        line.clear();
    }
}

async fn misbehave(mut stream: BufReader<TcpStream>, misdeed: Misdeed) {
    let stream = stream.get_mut();
    let (text, pause) = match misdeed {
        Misdeed::Hangs => return std::future::pending().await,
        Misdeed::HangsUp => return,
        Misdeed::Drips => ("2".to_owned(), Duration::from_millis(20)),
        Misdeed::EndlessLine => ("2".repeat(1000), Duration::ZERO),
        Misdeed::EndlessReply => (format!("250-{}\r\n", "x".repeat(200)).repeat(20), Duration::ZERO),
    };
    while stream.write_all(text.as_bytes()).await.is_ok() {
        if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
    }
}

/// Sends a letter, with little patience. Returns what became of it, and how often it was noted that it may
/// have arrived.
async fn outcome(server: &SmtpServer, letter: &Letter) -> (&'static str, usize, String) {
    let count = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&count);
    let handover = Handover::new(move || {
        counter.fetch_add(1, Ordering::SeqCst);
        std::future::ready(Ok(()))
    });
    let sent = send(&local(), server, letter, Duration::from_secs(12), &handover).await;
    let (name, text) = match &sent {
        Ok(()) => ("sent", String::new()),
        Err(failure @ SendFailure::NotSent { .. }) => ("not sent", failure.to_string()),
        Err(failure @ SendFailure::Refused(_)) => ("refused", failure.to_string()),
        Err(failure @ SendFailure::Unknown(_)) => ("unknown", failure.to_string()),
    };
    (name, count.load(Ordering::SeqCst), text)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_after_its_last_byte_a_letter_may_have_arrived() {
    let points = ["", "EHLO", "MAIL", "RCPT", "DATA", "."];
    let cases = points.into_iter().flat_map(|at| ALL.map(|misdeed| (at, misdeed)));
    join_all(cases.map(async |(at, misdeed)| {
        let (found, noted, text) = outcome(&server(start(at, misdeed).await), &letter()).await;
        let expected = if at == "." { ("unknown", 1) } else { ("not sent", 0) };
        assert_eq!((found, noted), expected, "{at:?} {misdeed:?}: {text}");
    }))
    .await;
    // What the server says to a farewell does not matter.
    join_all(ALL.map(async |misdeed| {
        let (found, noted, text) = outcome(&server(start("QUIT", misdeed).await), &letter()).await;
        assert_eq!((found, noted), ("sent", 1), "{misdeed:?}: {text}");
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_letter_whose_text_is_not_read_was_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let _ = stream.get_mut().write_all(b"220 mail.example ESMTP\r\n").await;
                let mut line = String::new();
                while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
                    let is_data = line.trim_end() == "DATA";
                    let reply: &[u8] = if is_data { b"354 Go on\r\n" } else { b"250 OK\r\n" };
                    let _ = stream.get_mut().write_all(reply).await;
                    if is_data {
                        std::future::pending::<()>().await;
                    }
                    line.clear();
                }
            });
        }
    });
    // More than the buffers of the system take.
    let files = vec![File {
        name: "offer.bin".to_owned(),
        media_type: "application/octet-stream".to_owned(),
        bytes: vec![7; 32 << 20],
    }];
    let (found, noted, text) = outcome(&server(port), &Letter { files, ..letter() }).await;
    // It is noted before the text is written, and taken back.
    assert_eq!((found, noted), ("not sent", 1), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn handshakes_and_offers_of_encryption_have_an_end() {
    let points = [(Security::Tls, ""), (Security::StartTls, ""), (Security::StartTls, "EHLO")];
    let cases = points.into_iter().flat_map(|(security, at)| ALL.map(|misdeed| (security, at, misdeed)));
    join_all(cases.map(async |(security, at, misdeed)| {
        let encrypted = SmtpServer { security, ..server(start(at, misdeed).await) };
        let (found, noted, text) = outcome(&encrypted, &letter()).await;
        assert_eq!((found, noted), ("not sent", 0), "{security:?} {at:?} {misdeed:?}: {text}");
    }))
    .await;
    // It offers encryption, and then has nothing to say.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"220 mail.example ESMTP\r\n").await;
            let mut stream = BufReader::new(stream);
            let mut line = String::new();
            let _ = stream.read_line(&mut line).await;
            let _ = stream.get_mut().write_all(b"250-mail.example\r\n250 STARTTLS\r\n").await;
            line.clear();
            let _ = stream.read_line(&mut line).await;
            let _ = stream.get_mut().write_all(b"220 Go on\r\n").await;
            tokio::spawn(misbehave(stream, Misdeed::Hangs));
        }
    });
    let encrypted = SmtpServer { security: Security::StartTls, ..server(port) };
    let (found, noted, text) = outcome(&encrypted, &letter()).await;
    assert_eq!((found, noted), ("not sent", 0), "{text}");
    assert!(text.contains("did not"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_cannot_be_noted_is_not_handed_over() {
    let handover = Handover::new(|| std::future::ready(Err("the database is away".into())));
    let port = start("never", Misdeed::Hangs).await;
    let patience = Duration::from_secs(30);
    let failure = send(&local(), &server(port), &letter(), patience, &handover).await.unwrap_err();
    assert!(
        matches!(&failure, SendFailure::NotSent { reason, .. } if reason.contains("database")),
        "{failure:?}"
    );
}
