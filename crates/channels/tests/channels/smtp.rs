//! Letters as they are written, and a mail server that takes them.

use std::sync::{Arc, Mutex};

use frontdesk_channels::{
    Secret, SendFailure,
    smtp::{self, Correspondent, File, Letter, LetterError, Security, SmtpServer},
};
use frontdesk_outbound::{Handover, Outbound};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, pki_types::PrivateKeyDer},
};

use crate::{PATIENCE, guarded, local};

async fn send(outbound: &Outbound, server: &SmtpServer, letter: &Letter) -> Result<(), SendFailure> {
    smtp::send(outbound, server, letter, PATIENCE, &Handover::unnoted()).await
}

pub(crate) fn letter() -> Letter {
    let of = |name: &str, address: &str| Correspondent {
        name: Some(name.to_owned()),
        address: address.to_owned(),
    };
    Letter {
        message_id: "m.1@shop.example".to_owned(),
        from: of("Shop", "shop@shop.example"),
        reply_to: None,
        to: vec![of("Ada Lovelace", "ada@acme.example")],
        subject: "Re: Grüße".to_owned(),
        in_reply_to: Some("2@acme.example".to_owned()),
        references: vec!["1@acme.example".to_owned(), "2@acme.example".to_owned()],
        text: "Hello Ada,\n\nTuesday it is. Grüße".to_owned(),
        html: None,
        files: Vec::new(),
        fields: vec![(frontdesk_mail::ORIGIN_HEADER, "channel-1".to_owned())],
        is_automatic: false,
    }
}

fn read_back(letter: &Letter) -> frontdesk_mail::Email {
    frontdesk_mail::read(&letter.write().unwrap().formatted(), &frontdesk_mail::Limits::default()).unwrap()
}

#[test]
fn a_letter_is_read_as_it_was_written() {
    let email = read_back(&letter());
    assert_eq!(email.message_id.as_deref(), Some("m.1@shop.example"));
    assert_eq!(email.in_reply_to, ["2@acme.example"]);
    assert_eq!(email.references, ["1@acme.example", "2@acme.example"]);
    assert_eq!(
        (email.subject.as_str(), email.text.as_str()),
        ("Re: Grüße", "Hello Ada,\n\nTuesday it is. Grüße")
    );
    assert_eq!(
        (email.from.name.as_deref(), email.to[0].address.as_str()),
        (Some("Shop"), "ada@acme.example")
    );
    assert_eq!(email.origin.as_deref(), Some("channel-1"));
    assert!(email.date.is_some());
    // Programs of recipients would hide what is marked as automatic.
    assert_eq!(email.nature, frontdesk_mail::Nature::Person);
    let automatic = Letter { is_automatic: true, ..letter() };
    assert_eq!(read_back(&automatic).nature, frontdesk_mail::Nature::Automatic);
}

#[test]
fn html_and_files_are_parts() {
    let files = vec![File {
        name: "Menü.pdf".to_owned(),
        media_type: "application/pdf".to_owned(),
        bytes: b"%PDF-1.7 x".to_vec(),
    }];
    let email = read_back(&Letter { html: Some("<p>Hello <b>Ada</b></p>".to_owned()), files, ..letter() });
    assert_eq!(email.html.as_deref(), Some("<p>Hello <b>Ada</b></p>"));
    assert_eq!(email.text, "Hello Ada,\n\nTuesday it is. Grüße");
    assert_eq!(
        (email.attachments[0].name.as_str(), email.attachments[0].bytes.as_slice()),
        ("Menü.pdf", &b"%PDF-1.7 x"[..])
    );
}

#[test]
fn nothing_can_begin_another_field() {
    let evil = "x\r\nBcc: all@acme.example";
    let mut evil_letter = letter();
    evil_letter.subject = evil.to_owned();
    evil_letter.from.name = Some(evil.to_owned());
    evil_letter.fields = vec![(frontdesk_mail::ORIGIN_HEADER, evil.to_owned())];
    evil_letter.in_reply_to = Some(evil.to_owned());
    evil_letter.references = vec![evil.to_owned(), "a@b>\r\nBcc: all@acme.example".to_owned()];
    evil_letter.files = vec![File { name: evil.to_owned(), media_type: evil.to_owned(), bytes: Vec::new() }];
    let written = String::from_utf8(evil_letter.write().unwrap().formatted()).unwrap();
    assert!(!written.lines().any(|line| line.to_lowercase().starts_with("bcc:")), "{written}");

    evil_letter = letter();
    evil_letter.to[0].address = "ada@acme.example\r\nBcc: all@acme.example".to_owned();
    assert!(matches!(evil_letter.write(), Err(LetterError::Address(_))));
    evil_letter = letter();
    evil_letter.message_id = "a@b>\r\nBcc: x".to_owned();
    assert!(evil_letter.write().is_err());
}

#[test]
fn long_exchanges_keep_the_first_and_the_newest_ids() {
    let references = (0..100).map(|number| format!("{number}@acme.example")).collect();
    let email = read_back(&Letter { references, in_reply_to: None, ..letter() });
    assert_eq!(email.references.len(), 20);
    assert_eq!(
        (email.references[0].as_str(), email.references[19].as_str()),
        ("0@acme.example", "99@acme.example")
    );
}

/// A mail server that says what it is told at `RCPT` and at the end of `DATA`, and keeps what it got.
async fn mail_server(recipient: &'static str, end: &'static str) -> (u16, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let kept = Arc::new(Mutex::new(Vec::new()));
    let mails = Arc::clone(&kept);
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let mails = Arc::clone(&mails);
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                let (mut data, mut is_data) = (String::new(), false);
                stream.get_mut().write_all(b"220 mail.example ESMTP\r\n").await.unwrap();
                let mut line = String::new();
                while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
                    let response = match line.trim_end() {
                        "." if is_data => {
                            is_data = false;
                            mails.lock().unwrap().push(std::mem::take(&mut data));
                            Some(end)
                        }
                        text if is_data => {
                            data.push_str(text);
                            data.push('\n');
                            None
                        }
                        "DATA" => {
                            is_data = true;
                            Some("354 Go on")
                        }
                        "QUIT" => Some("221 Bye"),
                        text if text.starts_with("RCPT") => Some(recipient),
                        text if text.starts_with("EHLO") => Some("250 mail.example"),
                        _ => Some("250 OK"),
                    };
                    if response == Some("") {
                        return;
                    }
                    if let Some(response) = response {
                        stream.get_mut().write_all(format!("{response}\r\n").as_bytes()).await.unwrap();
                    }
                    line.clear();
                }
            });
        }
    });
    (port, kept)
}

pub(crate) fn server(port: u16) -> SmtpServer {
    SmtpServer { host: "127.0.0.1".to_owned(), port, security: Security::None, login: None }
}

#[tokio::test]
async fn letters_are_handed_to_the_mail_server() {
    let (port, kept) = mail_server("250 OK", "250 Accepted").await;
    send(&local(), &server(port), &letter()).await.unwrap();
    let kept = kept.lock().unwrap();
    assert_eq!(kept.len(), 1);
    assert!(
        kept[0].contains("Message-ID: <m.1@shop.example>") && !kept[0].contains("Auto-Submitted"),
        "{}",
        kept[0]
    );
}

#[tokio::test]
async fn failures_say_whether_the_letter_may_have_been_accepted() {
    for (recipient, end, expected) in [
        ("550 5.1.1 No such user", "250 OK", "refused"),
        ("451 4.7.1 Greylisted", "250 OK", "not sent"),
        ("250 OK", "554 5.7.1 Spam", "refused"),
        ("250 OK", "452 4.2.2 Mailbox full", "not sent"),
        ("250 OK", "", "unknown"),
    ] {
        let (port, _) = mail_server(recipient, end).await;
        let failure = send(&local(), &server(port), &letter()).await.unwrap_err();
        let found = match &failure {
            SendFailure::Refused(_) => "refused",
            SendFailure::NotSent { .. } => "not sent",
            SendFailure::Unknown(_) => "unknown",
        };
        assert_eq!(found, expected, "{recipient} {end}: {failure:?}");
    }
    assert!(matches!(send(&local(), &server(1), &letter()).await, Err(SendFailure::NotSent { .. })));
}

#[tokio::test]
async fn passwords_and_private_networks_are_protected() {
    let (port, kept) = mail_server("250 OK", "250 OK").await;
    let with_password =
        SmtpServer { login: Some(("shop".to_owned(), Secret::new("hunter2"))), ..server(port) };
    let failure = send(&local(), &with_password, &letter()).await.unwrap_err();
    assert!(
        matches!(&failure, SendFailure::Refused(text) if text.contains("encryption") && !text.contains("hunter2"))
    );
    for host in [
        "127.0.0.1",
        "localhost",
        "10.0.0.5",
        "169.254.169.254",
        "[::1]",
        "::ffff:127.0.0.1",
        "0x7f.1",
        "2130706433",
    ] {
        let failure =
            send(&guarded(), &SmtpServer { host: host.to_owned(), port: 25, ..server(25) }, &letter())
                .await
                .unwrap_err();
        assert!(!matches!(&failure, SendFailure::Unknown(_)), "{host}: {failure:?}");
        assert!(
            !failure.to_string().contains("private") && !failure.to_string().contains("loopback"),
            "{host}: {failure}"
        );
    }
    let other_port = SmtpServer { host: "192.0.43.8".to_owned(), ..server(22) };
    assert!(matches!(send(&guarded(), &other_port, &letter()).await, Err(SendFailure::Refused(_))));
    assert!(kept.lock().unwrap().is_empty());
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_whose_certificate_is_not_trusted() {
    let generated = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let key = PrivateKeyDer::try_from(generated.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![generated.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let handshakes = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&handshakes);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let is_done = acceptor.accept(stream).await.is_ok();
            seen.lock().unwrap().push(is_done);
        }
    });
    let login = Some(("shop".to_owned(), Secret::new("hunter2")));
    let encrypted = SmtpServer { security: Security::Tls, login, ..server(port) };
    let failure = send(&local(), &encrypted, &letter()).await.unwrap_err();
    assert!(matches!(&failure, SendFailure::NotSent { .. }), "{failure:?}");
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    assert_eq!(*handshakes.lock().unwrap(), [false]);
    // A server that does not offer STARTTLS gets no password either.
    let (port, kept) = mail_server("250 OK", "250 OK").await;
    let failure =
        send(&local(), &SmtpServer { security: Security::StartTls, port, ..encrypted }, &letter()).await;
    assert!(failure.is_err() && kept.lock().unwrap().is_empty(), "{failure:?}");
}
