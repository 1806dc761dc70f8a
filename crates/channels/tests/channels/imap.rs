//! Mailboxes of a real mail server: the one at `FRONTDESK_TEST_IMAP_URL` (`imap://USER:PASSWORD@HOST:PORT`),
//! or Dovecot, if it is installed. Servers that misbehave are stand-ins.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use frontdesk_channels::{
    Secret,
    imap::{Bounds, Content, Cursor, Fetched, ImapError, ImapServer, Security, Visit as Connection},
};
use frontdesk_outbound::{Outbound, OutboundError, Policy};
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpListener,
};

use crate::{guarded, local};

const BOUNDS: Bounds = Bounds { messages: 10, bytes: 100_000, patience: Duration::from_mins(1) };

/// What a visit has brought.
#[derive(Debug)]
struct Visit {
    cursor: Cursor,
    messages: Vec<Fetched>,
    has_more: bool,
}

async fn visit(
    outbound: &Outbound,
    server: &ImapServer,
    cursor: Option<&Cursor>,
    bounds: Bounds,
    allow_unencrypted: bool,
    now: Timestamp,
) -> Result<Visit, ImapError> {
    let mut visit = Connection::begin(outbound, server, cursor, bounds, allow_unencrypted, now).await?;
    let mut messages = Vec::new();
    while let Some(message) = visit.next().await {
        assert!(visit.cursor().last_uid >= message.uid);
        messages.push(message);
    }
    let (cursor, has_more) = (visit.cursor().clone(), visit.has_more());
    visit.end().await;
    Ok(Visit { cursor, messages, has_more })
}

fn now() -> Timestamp {
    Timestamp::now()
}

/// Dovecot in a folder of its own, for as long as this exists.
struct Dovecot {
    child: Child,
    folder: TempDir,
    port: u16,
    tls_port: u16,
    certificate: String,
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Dovecot {
    /// Starts it, unless it is not installed.
    fn start() -> Option<Self> {
        let binary = ["/usr/sbin/dovecot", "/usr/local/sbin/dovecot"]
            .into_iter()
            .find(|path| Path::new(path).exists())?;
        let folder = tempfile::tempdir().unwrap();
        let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let (one, other) = (free(), free());
        let (port, tls_port) = (one.local_addr().unwrap().port(), other.local_addr().unwrap().port());
        drop((one, other));
        let generated = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let certificate = generated.cert.pem();
        std::fs::write(folder.path().join("certificate.pem"), &certificate).unwrap();
        std::fs::write(folder.path().join("key.pem"), generated.signing_key.serialize_pem()).unwrap();
        let user = |flag: &str| {
            String::from_utf8(Command::new("id").arg(flag).output().unwrap().stdout)
                .unwrap()
                .trim()
                .to_owned()
        };
        let (name, group) = (user("-un"), user("-gn"));
        // Dovecot reads no mail as root.
        let is_root = name == "root";
        let (reader, readers) = if is_root { ("nobody", "nogroup") } else { (name.as_str(), group.as_str()) };
        let path = folder.path().display();
        let login = if is_root { "dovenull" } else { name.as_str() };
        let config = format!(
            "base_dir = {path}/run\nlog_path = {path}/log\nprotocols = imap\nlisten = 127.0.0.1\nssl = yes\nssl_cert = <{path}/certificate.pem\nssl_key = <{path}/key.pem\ndisable_plaintext_auth = no\n\
             default_internal_user = {name}\ndefault_login_user = {login}\ndefault_internal_group = {group}\nfirst_valid_uid = 1\n\
             last_valid_uid = 0\nfirst_valid_gid = 1\nmail_location = maildir:{path}/mail\n\
             passdb {{\n  driver = static\n  args = password=secret\n}}\nuserdb {{\n  driver = static\n  args = uid={reader} gid={readers} home={path}/home\n}}\n\
             service imap-login {{\n  chroot =\n  inet_listener imap {{\n    port = {port}\n  }}\n  inet_listener imaps {{\n    port = {tls_port}\n    ssl = yes\n  }}\n}}\n\
             service anvil {{\n  chroot =\n}}\nservice imap {{\n  chroot =\n}}\n"
        );
        let file = folder.path().join("dovecot.conf");
        for sub in ["run", "mail", "mail/new", "mail/cur", "mail/tmp", "home"] {
            std::fs::create_dir_all(folder.path().join(sub)).unwrap();
        }
        std::fs::write(&file, config).unwrap();
        if is_root {
            let path = folder.path().to_str().unwrap();
            let run = |program: &str, arguments: &[&str]| {
                assert!(Command::new(program).args(arguments).status().unwrap().success(), "{program}");
            };
            run("chmod", &["755", path]);
            run("chown", &["-R", "nobody:nogroup", &format!("{path}/mail"), &format!("{path}/home")]);
        }
        let child = Command::new(binary)
            .args(["-F", "-c"])
            .arg(&file)
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let dovecot = Self { child, folder, port, tls_port, certificate };
        for _ in 0..100 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(dovecot);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let log = std::fs::read_to_string(dovecot.folder.path().join("log")).unwrap_or_default();
        panic!("Dovecot did not start: {log}");
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

    fn mail(&self) -> PathBuf {
        self.folder.path().join("mail")
    }

    /// Delivers a message.
    fn deliver(&self, number: usize, bytes: &[u8]) {
        std::fs::write(self.mail().join(format!("new/{}.{number}.test", 1_700_000_000 + number)), bytes)
            .unwrap();
    }
}

async fn look(server: &ImapServer, cursor: Option<&Cursor>) -> Result<Visit, ImapError> {
    visit(&local(), server, cursor, BOUNDS, true, now()).await
}

fn bytes(visit: &Visit) -> Vec<String> {
    let text = |content: &Content| match content {
        Content::Bytes(bytes) => String::from_utf8_lossy(bytes).replace("\r\n", "\n"),
        other => format!("{other:?}"),
    };
    visit.messages.iter().map(|message| text(&message.content)).collect()
}

#[tokio::test]
async fn messages_of_a_real_mailbox_are_fetched_once() {
    let Some(dovecot) = Dovecot::start() else {
        skip("Dovecot is not installed (apt-get install dovecot-imapd)");
        return;
    };
    let server = dovecot.server();
    dovecot.deliver(0, b"From: old@acme.example\n\nBefore the channel\n");
    let first = look(&server, None).await.unwrap();
    assert!(first.messages.is_empty(), "a channel begins with what arrives after it was set up");

    // Any bytes are a message to the server, and none of them is in the way of another.
    let damaged: Vec<u8> = (0..=255).collect();
    dovecot.deliver(1, b"From: a@acme.example\n\nOne\n");
    dovecot.deliver(2, &damaged);
    dovecot.deliver(3, &vec![b'x'; 200_000]);
    dovecot.deliver(4, b"");
    dovecot.deliver(5, b"From: a@acme.example\n\nTwo\n");
    let second = look(&server, Some(&first.cursor)).await.unwrap();
    let found = bytes(&second);
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(
        (found[0].as_str(), found[4].as_str()),
        ("From: a@acme.example\n\nOne\n", "From: a@acme.example\n\nTwo\n")
    );
    assert!(found[2].starts_with("TooLarge("), "{}", found[2]);
    assert!(!second.has_more);

    let third = look(&server, Some(&second.cursor)).await.unwrap();
    assert!(third.messages.is_empty());
    // A visit that is not stored finds the same again.
    assert_eq!(bytes(&look(&server, Some(&first.cursor)).await.unwrap()), found);
    // Nothing was marked as read: Maildir names read messages with an S.
    let flagged = std::fs::read_dir(dovecot.mail().join("cur")).unwrap().filter_map(Result::ok);
    assert!(flagged.into_iter().all(|file| !file.file_name().to_string_lossy().ends_with('S')));
}

#[tokio::test]
async fn many_messages_come_in_several_visits() {
    let Some(dovecot) = Dovecot::start() else {
        skip("Dovecot is not installed (apt-get install dovecot-imapd)");
        return;
    };
    let server = dovecot.server();
    let mut cursor = look(&server, None).await.unwrap().cursor;
    for number in 0..25 {
        dovecot.deliver(number, format!("From: a@acme.example\n\n{number}\n").as_bytes());
    }
    let mut found = Vec::new();
    for (count, has_more) in [(10, true), (10, true), (5, false)] {
        let visit = look(&server, Some(&cursor)).await.unwrap();
        assert_eq!((visit.messages.len(), visit.has_more), (count, has_more));
        found.extend(bytes(&visit));
        cursor = visit.cursor;
    }
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 25);
}

#[tokio::test]
async fn a_mailbox_that_is_numbered_anew_is_read_from_the_day_before() {
    let Some(dovecot) = Dovecot::start() else {
        skip("Dovecot is not installed (apt-get install dovecot-imapd)");
        return;
    };
    let server = dovecot.server();
    let first = look(&server, None).await.unwrap();
    dovecot.deliver(1, b"From: a@acme.example\n\nOne\n");
    let other = Cursor {
        uid_validity: first.cursor.uid_validity.wrapping_add(1),
        last_uid: 1_000,
        ..first.cursor.clone()
    };
    let visit = look(&server, Some(&other)).await.unwrap();
    assert_eq!(visit.cursor.uid_validity, first.cursor.uid_validity);
    // Maildir takes the time of arrival from the file, so the message is of today.
    assert_eq!(bytes(&visit), ["From: a@acme.example\n\nOne\n"]);
}

#[tokio::test]
async fn wrong_passwords_and_mailboxes_have_reasons() {
    let Some(dovecot) = Dovecot::start() else {
        skip("Dovecot is not installed (apt-get install dovecot-imapd)");
        return;
    };
    let wrong = ImapServer { password: Secret::new("wrong"), ..dovecot.server() };
    let error = look(&wrong, None).await.unwrap_err();
    assert!(matches!(&error, ImapError::Login(_)), "{error:?}");
    let wrong = ImapServer { mailbox: "Nowhere".to_owned(), ..dovecot.server() };
    let error = look(&wrong, None).await.unwrap_err();
    assert!(matches!(&error, ImapError::Mailbox { mailbox, .. } if mailbox == "Nowhere"), "{error:?}");
}

#[tokio::test]
async fn connections_are_encrypted_and_certificates_verified() {
    let Some(dovecot) = Dovecot::start() else {
        skip("Dovecot is not installed (apt-get install dovecot-imapd)");
        return;
    };
    let policy = Policy { allow: vec!["127.0.0.0/8".parse().unwrap()], ..Policy::new("Frontdesk tests") };
    let trusting = Outbound::builder(policy).roots_pem(dovecot.certificate.as_bytes()).build().unwrap();
    for (security, port) in [(Security::Tls, dovecot.tls_port), (Security::StartTls, dovecot.port)] {
        let server = ImapServer { security, port, ..dovecot.server() };
        let first = visit(&trusting, &server, None, BOUNDS, false, now()).await.unwrap();
        dovecot.deliver(port.into(), b"From: a@acme.example\n\nOne\n");
        let second = visit(&trusting, &server, Some(&first.cursor), BOUNDS, false, now()).await.unwrap();
        assert_eq!(bytes(&second), ["From: a@acme.example\n\nOne\n"], "{security:?}");
        // Without the certificate, no password is sent.
        let error = visit(&local(), &server, None, BOUNDS, false, now()).await.unwrap_err();
        assert!(
            matches!(&error, ImapError::Connection(OutboundError::Tls { .. })),
            "{security:?}: {error:?}"
        );
    }
}

#[tokio::test]
async fn the_mailbox_of_the_environment_is_read() {
    let Ok(url) = std::env::var("FRONTDESK_TEST_IMAP_URL") else {
        skip("FRONTDESK_TEST_IMAP_URL is not set");
        return;
    };
    let url: url::Url = url.parse().unwrap();
    let server = ImapServer {
        host: url.host_str().unwrap().to_owned(),
        port: url.port().unwrap_or(143),
        security: Security::None,
        user: url.username().to_owned(),
        password: Secret::new(url.password().unwrap_or_default()),
        mailbox: "INBOX".to_owned(),
    };
    look(&server, None).await.unwrap();
}

/// Says in the output that a test was skipped.
#[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
}

/// A server that has messages 1 to 3, the second of which ends the connection.
async fn fragile() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut stream = BufReader::new(stream);
                stream.get_mut().write_all(b"* OK ready\r\n").await.unwrap();
                let mut line = String::new();
                while stream.read_line(&mut line).await.unwrap_or(0) > 0 {
                    let (tag, command) = line.trim_end().split_once(' ').unwrap();
                    let untagged = match command {
                        text if text.starts_with("EXAMINE") => {
                            "* 3 EXISTS\r\n* OK [UIDVALIDITY 9] x\r\n* OK [UIDNEXT 4] x\r\n".to_owned()
                        }
                        text if text.starts_with("UID SEARCH") => "* SEARCH 3 1 2\r\n".to_owned(),
                        text if text.starts_with("UID FETCH 2 ") && text.contains("BODY") => return,
                        text if text.starts_with("UID FETCH") => {
                            let uid = text.split(' ').nth(2).unwrap();
                            if text.contains("BODY") {
                                format!("* {uid} FETCH (UID {uid} BODY[] {{2}}\r\nM{uid})\r\n")
                            } else {
                                format!("* {uid} FETCH (UID {uid} RFC822.SIZE 2)\r\n")
                            }
                        }
                        _ => String::new(),
                    };
                    let response = format!("{untagged}{tag} OK done\r\n");
                    stream.get_mut().write_all(response.as_bytes()).await.unwrap();
                    line.clear();
                }
            });
        }
    });
    port
}

#[tokio::test]
async fn a_message_that_cannot_be_fetched_is_skipped_after_three_visits() {
    let server = ImapServer {
        host: "127.0.0.1".to_owned(),
        port: fragile().await,
        security: Security::None,
        user: "shop".to_owned(),
        password: Secret::new("secret"),
        mailbox: "INBOX".to_owned(),
    };
    let mut cursor = Cursor { uid_validity: 9, last_uid: 0, read_at: now(), failing: None, renumbered: None };
    let mut found = Vec::new();
    for _ in 0..4 {
        let visit = look(&server, Some(&cursor)).await.unwrap();
        found.push(
            bytes(&visit).into_iter().map(|text| text.chars().take(11).collect()).collect::<Vec<String>>(),
        );
        // A cursor survives the database.
        cursor = serde_json::from_str(&serde_json::to_string(&visit.cursor).unwrap()).unwrap();
    }
    assert_eq!(found, [vec!["M1".to_owned()], vec![], vec!["Unavailable".to_owned()], vec!["M3".to_owned()]]);
    assert_eq!((cursor.last_uid, cursor.failing), (3, None));
}

#[tokio::test]
async fn hosts_that_are_no_mail_servers_are_refused() {
    let server = |host: &str, port: u16, security: Security| ImapServer {
        host: host.to_owned(),
        port,
        security,
        user: "shop".to_owned(),
        password: Secret::new("secret"),
        mailbox: "INBOX".to_owned(),
    };
    let look =
        async |server: ImapServer, allow: bool| visit(&guarded(), &server, None, BOUNDS, allow, now()).await;
    let unencrypted = look(server("mail.acme.example", 143, Security::None), false).await;
    assert!(matches!(unencrypted, Err(ImapError::Unencrypted)));
    for host in ["127.0.0.1", "localhost", "192.168.1.1", "169.254.169.254", "::1"] {
        let error = look(server(host, 993, Security::Tls), true).await.unwrap_err();
        assert!(matches!(error, ImapError::Blocked), "{host}: {error:?}");
    }
    let error = look(server("192.0.43.8", 22, Security::Tls), true).await.unwrap_err();
    assert!(matches!(error, ImapError::Blocked), "{error:?}");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let error = visit(&local(), &server("127.0.0.1", port, Security::None), None, BOUNDS, true, now())
        .await
        .unwrap_err();
    assert!(matches!(error, ImapError::Protocol(_)), "{error:?}");
}
