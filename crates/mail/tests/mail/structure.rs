//! Encodings, parts and fields as programs really write them.

use frontdesk_mail::{Limits, Unreadable, read};

use crate::{email, message};

#[test]
fn encodings_of_fields_and_text() {
    for (fields, body, subject, text) in [
        ("Subject: =?iso-8859-1?Q?Gr=FC=DFe?=", "x", "Grüße", "x"),
        ("Subject: =?utf-8?B?R3LDvMOfZQ==?=\n =?utf-8?B?IGFuIGFsbGU=?=", "x", "Grüße an alle", "x"),
        ("Subject: =?gb2312?B?xOO6ww==?=", "x", "你好", "x"),
        ("Subject: Grüße", "x", "Grüße", "x"),
        (
            "Subject: a\nContent-Type: text/plain; charset=iso-8859-15\nContent-Transfer-Encoding: quoted-printable",
            "5 =A4 f=FCr=\n dich",
            "a",
            "5 € für dich",
        ),
        (
            "Subject: a\nContent-Type: text/plain; charset=shift_jis\nContent-Transfer-Encoding: base64",
            "k/qWew==",
            "a",
            "日本",
        ),
        ("Subject: a\nContent-Type: text/plain; charset=iso-2022-jp", "\u{1b}$BF|K\\\u{1b}(B", "a", "日本"),
        (
            "Subject: a\nContent-Type: text/plain; charset=koi8-r\nContent-Transfer-Encoding: base64",
            "8NLJ18XU",
            "a",
            "Привет",
        ),
        (
            "Subject: a\nContent-Type: text/plain; charset=utf-7\nContent-Transfer-Encoding: 7bit",
            "Hi",
            "a",
            "Hi",
        ),
        ("Subject: a\nContent-Type: text/plain; charset=unknown-8bit", "Grüße", "a", "Grüße"),
        ("Subject: a\nContent-Type: text/plain; format=flowed", "Hello \nworld\n", "a", "Hello world"),
        ("Subject: a\r\n b", "x", "a b", "x"),
    ] {
        let email = message(&format!("{fields}\n\n{body}\n"));
        assert_eq!((email.subject.as_str(), email.text.as_str()), (subject, text), "{fields}");
    }
}

#[test]
fn eight_bit_fields_and_texts_without_an_encoding_are_windows_1252() {
    let bytes = b"From: J\xf6rg <joerg@acme.example>\r\nSubject: Gr\xfc\xdfe\r\n\r\nF\xfcr 5 \x80\r\n";
    let email = read(bytes, &Limits::default()).unwrap();
    assert_eq!(email.from.name.as_deref(), Some("Jörg"));
    assert_eq!((email.subject.as_str(), email.text.as_str()), ("Grüße", "Für 5 €"));
    let bytes = b"From: a@b.example\r\nSubject: \xf0\xd2\xc9\xd7\xc5\xd4\r\nContent-Type: text/plain; charset=\"koi8-r\"\r\n\r\n\xf0\xd2\xc9\xd7\xc5\xd4\r\n";
    let email = read(bytes, &Limits::default()).unwrap();
    assert_eq!((email.subject.as_str(), email.text.as_str()), ("Привет", "Привет"));
}

#[test]
fn text_and_html_of_one_message() {
    let email = message(
        "Subject: a\nContent-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: multipart/alternative; boundary=a\n\n--a\n\
         Content-Type: text/plain\n\nPlain\n--a\nContent-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html\n\n\
         <p>Rich<script>alert(1)</script><img src=\"cid:1@a\"><img src=\"https://tracker.example/1.gif\"></p>\n--r\nContent-Type: image/gif\n\
         Content-ID: <1@a>\nContent-Transfer-Encoding: base64\n\nR0lGODlhAQABAAAAACw=\n--r--\n--a--\n--m--\n",
    );
    assert_eq!(email.text, "Plain");
    assert_eq!(email.html.as_deref(), Some("<p>Rich<img src=\"cid:1@a\"><img></p>"));
    assert_eq!(email.attachments.len(), 1);
    assert_eq!(email.attachments[0].media_type, "image/gif");
}

#[test]
fn html_alone_gives_the_text() {
    let email = message(
        "Subject: a\nContent-Type: text/html; charset=utf-8\n\n<html><body><p>Hello<br>world</p></body></html>\n",
    );
    assert_eq!((email.text.as_str(), email.html.as_deref()), ("Hello\nworld", Some("<p>Hello<br>world</p>")));
}

#[test]
fn senders_and_ids() {
    let read = |text: &str| email(text);
    let first = read(
        "From: \"Doe, Jane\" <Jane@ACME.example>, bo@acme.example\nReply-To: help@acme.example\nMessage-ID: <A.1@acme.example>\nDate: Sun, 03 May 2026 12:00:00 +0200\n\nx\n",
    );
    assert_eq!(
        (first.from.name.as_deref(), first.from.address.as_str()),
        (Some("Doe, Jane"), "jane@acme.example")
    );
    assert_eq!(first.reply_to[0].address, "help@acme.example");
    assert_eq!(first.message_id.as_deref(), Some("A.1@acme.example"));
    assert_eq!(first.date, Some("2026-05-03T10:00:00Z".parse().unwrap()));
    for text in [
        "From:\nSender: ada@acme.example\nSubject: a\n\nx\n",
        "From: Ada\nReply-To: ada@acme.example\n\nx\n",
        "From: <ada@acme.example\n\nx\n",
        "From: ada@acme.example (Ada)\n\nx\n",
        "From: Ada <ADA@acme.example>\nDate: yesterday\nMessage-ID: nonsense\n\nx\n",
        "Return-Path: <ada@acme.example>\nSubject: a\n\nx\n",
        "From ada@acme.example Sun May  3 10:00:00 2026\nFrom: ada@acme.example\n\nx\n",
        "\u{feff}\nFrom: ada@acme.example\n\nx\n",
    ] {
        assert_eq!(read(text).from.address, "ada@acme.example", "{text}");
    }
    for text in [
        "From: Jo <\"jo doe\"@acme.example>\n\nx\n",
        "Return-Path: <b@c.example>\nFrom: \"jo doe\"@acme.example\n\nx\n",
    ] {
        assert_eq!(read(text).from.address, "\"jo doe\"@acme.example", "{text}");
    }
    assert_eq!(read("From: a@b.example\nDate: Thu, 01 Jan 1970 00:00:00 +0000\n\nx\n").date, None);
}

#[test]
fn unreadable_messages_have_reasons() {
    let limits = Limits { bytes: 1_000, parts: 5, header_bytes: 500, ..Limits::default() };
    let long_field = format!("From: a@b.example\r\nX-A: {}\r\n\r\nx", "a".repeat(600));
    let many = format!("From: a@b.example\r\n\r\n{}", "Content-Type: text/plain\r\n".repeat(6));
    for (bytes, code) in [
        (b"".to_vec(), "empty"),
        (b" \r\n\r\n".to_vec(), "empty"),
        (vec![b'a'; 1_001], "too_large"),
        (long_field.into_bytes(), "headers_too_large"),
        (many.into_bytes(), "too_many_parts"),
        (b"Hello, how are you?".to_vec(), "not_a_message"),
        (b"{\"from\": \"a@b.example\"}".to_vec(), "not_a_message"),
        (b"X-A: b\r\n\r\nHello".to_vec(), "not_a_message"),
        (b"Subject: a\r\n\r\nHello".to_vec(), "no_sender"),
        (b"From: nobody\r\n\r\nHello".to_vec(), "no_sender"),
        (vec![0; 500], "not_a_message"),
    ] {
        let error = read(&bytes, &limits).unwrap_err();
        assert_eq!(error.code(), code, "{:?}", String::from_utf8_lossy(&bytes[..bytes.len().min(60)]));
        assert!(!error.to_string().is_empty());
    }
    assert_eq!(Unreadable::Damaged.code(), "damaged");
}
