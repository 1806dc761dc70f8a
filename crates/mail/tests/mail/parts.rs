//! Which parts of a message are its text: all that are shown, and what stands for a text that is missing.

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::message;

/// A multipart of these parts, each with its header fields.
fn multipart(kind: &str, parts: &[&str]) -> String {
    let boundary = format!("b{}", kind.len() + parts.concat().len());
    let parts: String = parts.iter().map(|part| format!("--{boundary}\n{part}\n")).collect();
    format!("Content-Type: multipart/{kind}; boundary={boundary}\n\n{parts}--{boundary}--")
}

fn plain(text: &str) -> String {
    format!("Content-Type: text/plain; charset=utf-8\n\n{text}")
}

fn html(text: &str) -> String {
    format!("Content-Type: text/html; charset=utf-8\n\n{text}")
}

const PDF: &str = "Content-Type: application/pdf; name=plan.pdf\nContent-Disposition: attachment; filename=plan.pdf\n\n%PDF-1.7";

#[test]
fn all_parts_that_are_shown_are_the_text() {
    let both = multipart("alternative", &[&plain("Five doors."), &html("<p>Five doors.</p>")]);
    let related = multipart(
        "related",
        &[&html("<p>Five doors.</p>"), "Content-Type: text/plain\nContent-ID: <a@b>\n\nnot shown"],
    );
    for (parts, text, has_html) in [
        (vec![html("<p>Five doors.</p>"), plain("List footer")], "Five doors.\n\nList footer", true),
        (vec![html("<p>Five doors.</p>"), PDF.to_owned(), plain("Footer")], "Five doors.\n\nFooter", true),
        (vec![plain("Five doors."), html("<p>More &lt;below&gt;</p>")], "Five doors.\n\nMore <below>", true),
        (
            vec![plain("Five doors."), PDF.to_owned(), plain("And one more")],
            "Five doors.\n\nAnd one more",
            false,
        ),
        (vec![plain("Five doors."), html("<p>Five doors.</p>")], "Five doors.", true),
        (vec![html("<b>One</b>"), html("<i>Two")], "One\n\nTwo", true),
        (vec![both.clone(), plain("Scanned")], "Five doors.\n\nScanned", true),
        (vec![plain("Before"), both.clone()], "Before\n\nFive doors.", true),
        (vec![related.clone(), html("<p>Scanned</p>")], "Five doors.\n\nScanned", true),
        (
            vec![multipart("mixed", &[&both, &plain("Inner")]), plain("Outer")],
            "Five doors.\n\nInner\n\nOuter",
            true,
        ),
    ] {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let email = message(&format!("Subject: a\n{}\n", multipart("mixed", &parts)));
        assert_eq!(email.text, text, "{parts:?}");
        assert_eq!(email.html.is_some(), has_html, "{parts:?}");
        // The HTML says the same as the text.
        for line in text.lines().filter(|line| !line.is_empty()) {
            let escaped = line.replace('<', "&lt;").replace('>', "&gt;");
            assert!(
                email.html.as_ref().is_none_or(|html| html.contains(&escaped)),
                "{line}: {:?}",
                email.html
            );
        }
    }
    // A named part is a file, unless it is the first one.
    let file =
        "Content-Type: text/plain; name=log.txt\nContent-Disposition: inline; filename=log.txt\n\nline";
    let email = message(&format!("Subject: a\n{}\n", multipart("mixed", &[&plain("See log"), file])));
    assert_eq!((email.text.as_str(), email.attachments.len()), ("See log", 1));
}

#[test]
fn the_html_is_read_if_the_plain_text_is_only_a_placeholder() {
    let rich = html("<p>I want to cancel order <b>8812</b> and get my 75 euros back.</p>");
    let said = "I want to cancel order 8812 and get my 75 euros back.";
    for notice in [
        "Your mail program does not support HTML.",
        "Ihr E-Mail-Programm unterstützt kein HTML.",
        "Votre logiciel de messagerie n'affiche pas le HTML.",
        "https://mail.shop.example/view/8812",
        "I want to cancel",
        "\n \n",
    ] {
        let email = message(&format!("Subject: a\n{}\n", multipart("alternative", &[&plain(notice), &rich])));
        assert_eq!(email.text, said, "{notice}");
        assert!(email.attachments.is_empty(), "{notice}");
    }
    let own = "I want to cancel order 8812 and get my 75 euros back. Call 0113 496 0042.";
    let email = message(&format!("Subject: a\n{}\n", multipart("alternative", &[&plain(own), &rich])));
    assert_eq!(email.text, own);
}

#[test]
fn other_formats_are_read_as_text() {
    let calendar = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nDTSTART:20261203T140000Z\nSUMMARY:Visit\n\
        LOCATION:Mill Lane 7\nEND:VEVENT\nEND:VCALENDAR";
    let invited = "Invitation: Visit\n2026-12-03 14:00 (UTC)\nMill Lane 7";
    let inner = "From: Bo <bo@acme.example>\nSubject: Broken door\n\nThe door does not close.";
    let forwarded = "---------- Forwarded message ----------\nFrom: Bo <bo@acme.example>\nSubject: Broken door\n\nThe door does not close.";
    for (part, text, files) in [
        (
            "Content-Type: text/rtf\n\n{\\rtf1\\ansi 30 caf\\'e9 tables\\par Ole}".to_owned(),
            "30 café tables\nOle",
            &["attachment.rtf"][..],
        ),
        (
            "Content-Type: text/enriched\n\nI want <bold>seven</bold> chairs.".to_owned(),
            "I want seven chairs.",
            &[],
        ),
        (format!("Content-Type: text/calendar; method=REQUEST\n\n{calendar}"), invited, &["attachment.ics"]),
        (
            multipart("alternative", &[&format!("Content-Type: text/calendar\n\n{calendar}")]),
            invited,
            &["attachment.ics"],
        ),
        (format!("Content-Type: message/rfc822\n\n{inner}"), forwarded, &["Broken door.eml"]),
        (multipart("digest", &[&format!("\n{inner}")]), forwarded, &["Broken door.eml"]),
        (
            multipart("mixed", &[&plain(" "), &format!("Content-Type: message/rfc822\n\n{inner}")]),
            forwarded,
            &["Broken door.eml"],
        ),
        (
            "Content-Type: text/plain\nContent-Disposition: attachment; filename=order.txt\n\nEleven gates"
                .to_owned(),
            "Eleven gates",
            &["order.txt"],
        ),
        (
            multipart("alternative", &["Content-Type: text/rtf\n\n{\\rtf1 Rich}", &plain("Plain")]),
            "Plain",
            &["attachment.rtf"],
        ),
    ] {
        // Also in a response: a forwarded message is not one that it quotes.
        for field in ["", "In-Reply-To: <1@shop.example>\n"] {
            let email = message(&format!("Subject: a\n{field}{part}\n"));
            assert_eq!((email.text.as_str(), email.reply.as_str()), (text, text), "{part}");
            let names: Vec<&str> = email.attachments.iter().map(|file| file.name.as_str()).collect();
            assert_eq!(names, files, "{part}");
        }
    }
}

#[test]
fn encodings_that_browsers_do_not_know() {
    for (charset, bytes, text) in [
        ("cp-850", &b"Stra\xe1e"[..], "Straße"),
        ("IBM850", b"Stra\xe1e", "Straße"),
        ("ibm437", b"f\x81r", "für"),
        ("iso-2022-kr", b"\x1b$)C\x0e>H3g\x0f", "안녕"),
        ("hz-gb-2312", b"~{Dc:C~}", "你好"),
        ("iso-10646-ucs-2", b"\0G\0r\0\xfc\0n", "Grün"),
        ("utf-32le", b"G\0\0\0\xfc\0\0\0", "Gü"),
    ] {
        let encoded = STANDARD.encode(bytes);
        let email = message(&format!(
            "Subject: =?{charset}?B?{encoded}?=\nContent-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: base64\n\n{encoded}\n"
        ));
        assert_eq!((email.subject.as_str(), email.text.as_str()), (text, text), "{charset}");
    }
    let email = message(
        "Subject: a\nContent-Type: text/plain; charset=utf-16\nContent-Transfer-Encoding: base64\n\nAEgAaQ==\n\n--\nScanned by a program.\n",
    );
    assert_eq!(email.text, "Hi\n--\nScanned by a program.");
}
