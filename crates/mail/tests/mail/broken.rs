//! A thousand broken messages, made from sound ones by the faults that programs have.

use base64::{Engine, engine::general_purpose::STANDARD};
use fastrand::Rng;
use frontdesk_mail::{Limits, Own, ThreadKeys, read};
use jiff::{SignedDuration, Timestamp};

use frontdesk_testkit::mails::{broken, sound};

const MESSAGES: u64 = 1_000;

#[test]
fn a_thousand_broken_messages_are_read_or_have_a_reason() {
    let (mut readable, mut unreadable) = (0, Vec::new());
    let now: Timestamp = "2026-05-03T10:00:00Z".parse().unwrap();
    for seed in 0..MESSAGES {
        let bytes = broken(seed);
        match read(&bytes, &Limits::default()) {
            Ok(email) => {
                readable += 1;
                assert!(email.reply.is_empty() == email.text.is_empty(), "seed {seed}: trimmed to nothing");
                assert!(
                    !email.text.contains('\0') && !email.subject.contains(char::is_control),
                    "seed {seed}"
                );
                assert!(email.from.address.contains('@'), "seed {seed}");
                assert!(
                    email.attachments.iter().all(|file| !file.name.contains(['/', '\\', '\0'])),
                    "seed {seed}"
                );
                ThreadKeys::of(&email, now, SignedDuration::from_hours(24));
                Own { address: "shop@shop.example", origin: "1" }.circle(&email);
            }
            Err(error) => {
                assert_ne!(error.code(), "damaged", "seed {seed}: the reader has failed");
                unreadable.push((seed, error.code()));
            }
        }
    }
    assert_eq!(readable + unreadable.len(), usize::try_from(MESSAGES).unwrap());
    // Most have a sender still, and some cannot.
    assert!(readable > 900 && !unreadable.is_empty(), "{readable} readable, {unreadable:?}");
}

#[test]
fn any_beginning_of_a_message_can_be_read() {
    let mut rng = Rng::with_seed(7);
    let bytes = sound(&mut rng);
    for length in 0..bytes.len().min(4_000) {
        let _ = read(&bytes[..length], &Limits::default());
    }
}

/// A step whose time grows with the square of the length would take hours.
#[test]
fn nesting_and_many_parts() {
    let head = "From: a@b.example\r\n";
    for (body, is_readable) in [
        ("Content-Type: message/rfc822\r\n\r\n".repeat(250), true),
        ("Content-Type: message/rfc822\r\n\r\n".repeat(100_000), false),
        ("Content - Type : message/rfc822\r\n\r\n".repeat(100_000), false),
        (
            (0..250)
                .map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n"))
                .collect(),
            true,
        ),
        (
            (0..100_000)
                .map(|n| format!("Content-Type: multipart/mixed; boundary=b{n}\r\n\r\n--b{n}\r\n"))
                .collect(),
            false,
        ),
        (
            format!(
                "Content-Type: multipart/mixed; boundary=b\r\n\r\n{}",
                "--b\r\n\r\nx\r\n".repeat(100_000)
            ),
            false,
        ),
        (
            format!(
                "Content-Type: multipart/digest; boundary=b\r\n\r\n{}",
                "--b\r\n\r\nSubject: x\r\n\r\nx\r\n".repeat(50_000)
            ),
            false,
        ),
        (format!("References: {}\r\n\r\nx", "<1@b.example>\r\n ".repeat(10_000)), true),
        (format!("References: {}\r\n\r\nx", "<1@b.example>\r\n ".repeat(100_000)), false),
        (format!("Content-Type: text/html\r\n\r\n{}", "<div>".repeat(200_000)), true),
        (format!("Content-Type: text/html\r\n\r\n{}", "<b><p>".repeat(150_000)), true),
        (format!("To: {}\r\n\r\nx", "(".repeat(200_000)), true),
        (format!("Subject: {}\r\n\r\nx", "=?utf-8?Q?a?= ".repeat(10_000)), true),
    ] {
        let outcome = read(format!("{head}{body}").as_bytes(), &Limits::default());
        let start = &body[..body.len().min(50)];
        assert_eq!(outcome.is_ok(), is_readable, "{start}: {:?}", outcome.err());
    }
}

#[test]
fn ten_megabytes_are_attached() {
    let content = vec![7_u8; 10 * 1024 * 1024];
    let encoded = STANDARD.encode(&content);
    let lines: Vec<&str> =
        encoded.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let text = format!(
        "From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nHello\r\n--b\r\nContent-Type: application/zip; name=a.zip\r\n\
         Content-Transfer-Encoding: base64\r\n\r\n{}\r\n--b--\r\n",
        lines.join("\r\n")
    );
    let email = read(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!((email.text.as_str(), email.attachments.len()), ("Hello", 1));
    assert!(email.attachments[0].bytes == content);
}
