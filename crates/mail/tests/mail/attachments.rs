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

/// A wrapper with one property of the message, which is a text, and no files.
fn wrapped_text(kind: u16, id: u16, value: &[u8]) -> Vec<u8> {
    let mut properties = 2_u32.to_le_bytes().to_vec();
    // A number comes first.
    properties.extend([0x03, 0x00, 0x17, 0x00, 1, 0, 0, 0]);
    properties.extend(kind.to_le_bytes());
    properties.extend(id.to_le_bytes());
    properties.extend(1_u32.to_le_bytes());
    properties.extend(u32::try_from(value.len()).unwrap().to_le_bytes());
    properties.extend(value);
    properties.resize(properties.len().next_multiple_of(4), 0);
    let mut bytes = 0x223e_9f78_u32.to_le_bytes().to_vec();
    bytes.extend([1, 0]);
    bytes.extend(attribute(1, 0x0006_9007, &[0xe4, 4, 0, 0, 0, 0, 0, 0]));
    bytes.extend(attribute(1, 0x0006_9003, &properties));
    bytes
}

#[test]
fn the_text_in_winmail_dat_is_the_text_of_the_message() {
    let rich = b"{\\rtf1\\ansi\\ansicpg1252 8 caf\\'e9 tables\\par Ole}";
    let compressed = |magic: &[u8], content: &[u8]| {
        let sizes = [content.len() + 12, rich.len()].map(|size| u32::try_from(size).unwrap().to_le_bytes());
        [&sizes[0][..], &sizes[1], magic, &[0; 4], content].concat()
    };
    // Each eight bytes follow one that says that they are not compressed.
    let literal: Vec<u8> = rich.chunks(8).flat_map(|bytes| [&[0], bytes].concat()).collect();
    let utf16: Vec<u8> = "8 caf\u{e9} tables".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (kind, id, value, text) in [
        (0x001e, 0x1000, b"8 caf\xe9 tables\0".to_vec(), "8 café tables"),
        (0x001f, 0x1000, utf16, "8 café tables"),
        (0x001e, 0x1013, b"<p>8 caf&eacute; <b>tables</b></p>\0".to_vec(), "8 café tables"),
        (0x0102, 0x1013, b"<meta charset=utf-8><p>8 caf\xc3\xa9 tables</p>".to_vec(), "8 café tables"),
        (0x0102, 0x1009, compressed(b"MELA", rich), "8 café tables\nOle"),
        (0x0102, 0x1009, compressed(b"LZFu", &literal), "8 café tables\nOle"),
    ] {
        let wrapper = wrapped_text(kind, id, &value);
        for with_empty_text in [false, true] {
            let part = file("winmail.dat", "application/ms-tnef", &wrapper);
            let email = if with_empty_text {
                message(&mixed(&[part]).replace("Hello", " "))
            } else {
                message(&format!("Subject: Files\n{part}\n"))
            };
            assert_eq!(email.text, text, "{kind:x} {id:x}");
            assert_eq!(email.html.is_some(), id == 0x1013, "{kind:x} {id:x}");
            assert!(email.attachments.is_empty(), "{kind:x} {id:x}");
        }
        // The message has a text of its own.
        let email = message(&mixed(&[file("winmail.dat", "application/ms-tnef", &wrapper)]));
        assert_eq!(email.text, "Hello");
    }
    // A text that cannot be read, with and without a file beside it.
    for files in
        [Vec::new(), [attribute(2, 0x0006_9002, &[0; 14]), attribute(2, 0x0006_800f, b"Hello")].concat()]
    {
        let broken = [wrapped_text(0x0102, 0x1009, b"no compressed text"), files].concat();
        let email =
            message(&format!("Subject: Files\n{}\n", file("winmail.dat", "application/ms-tnef", &broken)));
        assert!(email.attachments.iter().any(|file| file.name == "winmail.dat"), "{:?}", email.attachments);
    }
}

#[test]
fn the_resources_of_a_mac_do_not_take_the_name_of_the_file() {
    let pair = format!(
        "Content-Type: multipart/appledouble; boundary=d\n\n--d\n{}\n--d\n{}\n--d--",
        file("Offer.pdf", "application/applefile", &[0, 5, 22, 7, 0, 2, 0, 0]),
        file("Offer.pdf", "application/pdf", b"%PDF-1.7 offer"),
    );
    let email = message(&mixed(&[pair]));
    let names: Vec<&str> = email.attachments.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["Offer.pdf.applefile", "Offer.pdf"]);
    assert_eq!(email.attachments[1].bytes, b"%PDF-1.7 offer");
}

#[test]
fn the_name_with_all_characters_counts() {
    for disposition in [
        "attachment; filename=\"r.pdf\"; filename*=UTF-8''Rechnung%20%E2%82%AC.pdf",
        "attachment; filename*=UTF-8''Rechnung%20%E2%82%AC.pdf; filename=\"r.pdf\"",
        "attachment; filename=r.pdf;\n filename*0*=UTF-8''Rechnung%20;\n filename*1*=%E2%82%AC.pdf",
    ] {
        let part = format!("Content-Type: application/pdf\nContent-Disposition: {disposition}\n\n%PDF-1.7");
        assert_eq!(message(&mixed(&[part])).attachments[0].name, "Rechnung €.pdf", "{disposition}");
    }
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
