//! Attached files, and `winmail.dat`.

use base64::{Engine, engine::general_purpose::STANDARD};
use frontdesk_mail::{Limits, read};

use crate::message;

fn mixed(parts: &[String]) -> String {
    let parts: String = parts.iter().map(|part| format!("--b\n{part}\n")).collect();
    format!(
        "Subject: Files\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nHello\n{parts}--b--\n"
    )
}

fn file(name: &str, kind: &str, bytes: &[u8]) -> String {
    format!(
        "Content-Type: {kind}; name=\"{name}\"\nContent-Disposition: attachment; filename=\"{name}\"\nContent-Transfer-Encoding: base64\n\n{}",
        STANDARD.encode(bytes)
    )
}

#[test]
fn files_have_safe_names_and_types_of_their_own() {
    let email = message(&mixed(&[
        file("menu.pdf", "application/octet-stream", b"%PDF-1.7 menu"),
        file("../menu.pdf", "application/pdf", b"%PDF-1.7 other"),
        file("photo.jpg", "image/jpeg", b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0\xb8\0\0\0"),
        file("list.csv", "text/csv", b"a,b\n1,2\n"),
        file("=?utf-8?B?w6RwZmVsLnR4dA==?=", "text/plain", b"x"),
    ]));
    let files: Vec<_> =
        email.attachments.iter().map(|file| (file.name.as_str(), file.media_type.as_str())).collect();
    assert_eq!(
        files,
        [
            ("menu.pdf", "application/pdf"),
            ("menu (2).pdf", "application/pdf"),
            ("photo.jpg", "application/vnd.microsoft.portable-executable"),
            ("list.csv", "text/csv"),
            ("äpfel.txt", "text/plain"),
        ]
    );
    assert_eq!(email.attachments[0].bytes, b"%PDF-1.7 menu");
    assert_eq!(email.text, "Hello");
}

#[test]
fn names_of_rfc_2231_and_pictures_in_the_text() {
    let email = message(&mixed(&[
        "Content-Type: text/plain\nContent-Disposition: attachment;\n filename*0*=utf-8''Preis%C3%BC;\n filename*1*=bersicht.txt\n\nx".to_owned(),
        "Content-Type: image/png\nContent-ID: <logo@acme.example>\nContent-Disposition: inline\nContent-Transfer-Encoding: base64\n\n\
         iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==".to_owned(),
    ]));
    assert_eq!(email.attachments[0].name, "Preisübersicht.txt");
    let picture = &email.attachments[1];
    assert_eq!((picture.name.as_str(), picture.media_type.as_str()), ("attachment.png", "image/png"));
    assert!(picture.is_inline && picture.content_id.as_deref() == Some("logo@acme.example"));
}

#[test]
fn large_and_many_files_are_listed() {
    let limits = Limits { attachments: 2, attachment_bytes: 100, ..Limits::default() };
    let files = [
        file("a.bin", "application/octet-stream", &[0; 50]),
        file("b.bin", "application/octet-stream", &[0; 101]),
        file("c.bin", "application/octet-stream", &[0; 50]),
        file("d.bin", "application/octet-stream", &[0; 50]),
    ];
    let text = format!("From: a@b.example\n{}", mixed(&files));
    let email = read(text.as_bytes(), &limits).unwrap();
    let names = |names: Vec<&str>| names.join(" ");
    assert_eq!(names(email.attachments.iter().map(|file| file.name.as_str()).collect()), "a.bin c.bin");
    let skipped: Vec<_> =
        email.skipped_attachments.iter().map(|file| (file.name.as_str(), file.bytes)).collect();
    assert_eq!(skipped, [("b.bin", 101), ("d.bin", 50)]);
}

#[test]
fn a_forwarded_message_is_a_file() {
    let email = message(&mixed(&[
        "Content-Type: message/rfc822\n\nFrom: bo@acme.example\nSubject: Broken lamp\n\nIt is broken."
            .to_owned(),
    ]));
    assert_eq!(email.attachments.len(), 1);
    let file = &email.attachments[0];
    assert_eq!((file.name.as_str(), file.media_type.as_str()), ("Broken lamp.eml", "message/rfc822"));
    assert!(file.bytes.starts_with(b"From: bo@acme.example"), "{}", String::from_utf8_lossy(&file.bytes));
    assert_eq!(email.text, "Hello");
}

/// An attribute of TNEF: level, id, length, value, checksum.
fn attribute(level: u8, id: u32, value: &[u8]) -> Vec<u8> {
    let mut bytes = vec![level];
    bytes.extend(id.to_le_bytes());
    bytes.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
    bytes.extend(value);
    bytes.extend(value.iter().fold(0_u16, |sum, byte| sum.wrapping_add((*byte).into())).to_le_bytes());
    bytes
}

fn winmail() -> Vec<u8> {
    let mut bytes = 0x223e_9f78_u32.to_le_bytes().to_vec();
    bytes.extend([1, 0]);
    bytes.extend(attribute(1, 0x0008_9006, &[0, 0, 1, 0]));
    bytes.extend(attribute(1, 0x0006_9007, &[0xe4, 4, 0, 0, 0, 0, 0, 0]));
    bytes.extend(attribute(1, 0x0002_800c, b"From Outlook: Gr\xfc\xdfe\0"));
    // The long name, after a property with a name of its own.
    let mut properties = 2_u32.to_le_bytes().to_vec();
    properties.extend([0x03, 0x00, 0x00, 0x80]);
    properties.extend([0; 16]);
    properties.extend([0; 8]);
    properties.extend([1, 0, 0, 0]);
    properties.extend([0x1e, 0x00, 0x07, 0x37]);
    properties.extend(1_u32.to_le_bytes());
    properties.extend(15_u32.to_le_bytes());
    properties.extend(b"Price list.pdf\0\0");
    for (title, properties, data) in
        [(&b"PRICEL~1.PDF\0"[..], Some(properties), &b"%PDF-1.7 prices"[..]), (b"note.txt\0", None, b"Hello")]
    {
        bytes.extend(attribute(2, 0x0006_9002, &[0; 14]));
        bytes.extend(attribute(2, 0x0001_8010, title));
        bytes.extend(attribute(2, 0x0006_800f, data));
        if let Some(properties) = properties {
            bytes.extend(attribute(2, 0x0006_9005, &properties));
        }
    }
    bytes
}

#[test]
fn the_files_of_winmail_dat_are_files_of_the_message() {
    let email =
        message(&format!("Subject: Files\n{}\n", file("winmail.dat", "application/ms-tnef", &winmail())));
    let files: Vec<_> =
        email.attachments.iter().map(|file| (file.name.as_str(), file.media_type.as_str())).collect();
    assert_eq!(files, [("Price list.pdf", "application/pdf"), ("note.txt", "text/plain")]);
    assert_eq!(email.text, "From Outlook: Grüße");
}

#[test]
fn a_damaged_winmail_dat_is_a_file_itself() {
    let whole = winmail();
    for length in 0..whole.len() {
        let email = message(&mixed(&[file("winmail.dat", "application/ms-tnef", &whole[..length])]));
        assert!(
            length == 0 || !email.attachments.is_empty() || email.text != "Hello" || length > 60,
            "{length}"
        );
    }
    let email = message(&mixed(&[file("winmail.dat", "application/ms-tnef", &whole[..20])]));
    assert_eq!(email.attachments[0].name, "winmail.dat");
}
