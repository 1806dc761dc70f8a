//! Messages of programs: automatic responses, lists, reports of mail servers.

use frontdesk_mail::{BounceKind, Nature};

use crate::message;

#[test]
fn programs_are_recognized_by_their_fields() {
    for (fields, nature) in [
        ("", Nature::Person),
        ("Auto-Submitted: no", Nature::Person),
        ("Auto-Submitted: auto-replied", Nature::Automatic),
        ("Auto-Submitted: auto-replied; owner-email=\"a@b.example\"", Nature::Automatic),
        ("auto-submitted:\n auto-generated", Nature::Automatic),
        ("Auto-Submitted: auto-notified", Nature::Automatic),
        ("Precedence: auto_reply", Nature::Automatic),
        ("Precedence: bulk\nAuto-Submitted: auto-replied", Nature::Automatic),
        ("Precedence: bulk", Nature::Bulk),
        ("Precedence: junk", Nature::Bulk),
        ("Precedence: first-class", Nature::Person),
        ("List-Id: <news.acme.example>", Nature::Bulk),
        ("List-Unsubscribe: <https://acme.example/u>", Nature::Bulk),
        ("X-Autoreply: yes", Nature::Automatic),
        ("X-Autoreply: no", Nature::Person),
        ("X-Autorespond: Re: Hello", Nature::Automatic),
        ("Delivered-To: Autoresponder", Nature::Automatic),
        ("Return-Path: <>", Nature::Automatic),
        ("Return-Path: <ada@acme.example>", Nature::Person),
        ("Subject: Automatische Antwort: Lieferung", Nature::Automatic),
        ("Subject: Out of Office: Delivery", Nature::Automatic),
        ("Subject: Can I work out of office?", Nature::Person),
        (
            "Content-Type: multipart/report; report-type=disposition-notification; boundary=b\n\n--b\nContent-Type: text/plain\n\nread\n--b--",
            Nature::Receipt,
        ),
        (
            "Content-Type: multipart/report; report-type=feedback-report; boundary=b\n\n--b\n\nspam\n--b--",
            Nature::Receipt,
        ),
    ] {
        let email = message(format!("{fields}\n\nHello\n").trim_start());
        assert_eq!(email.nature, nature, "{fields}");
        assert_eq!(email.may_be_answered_by_programs(), nature == Nature::Person, "{fields}");
    }
    for (value, suppresses) in [("All", true), ("OOF, AutoReply", true), ("DR, NDR", false), ("-1", true)] {
        let email = message(&format!("X-Auto-Response-Suppress: {value}\n\nHello\n"));
        assert_eq!((&email.nature, email.suppresses_responses), (&Nature::Person, suppresses), "{value}");
    }
}

/// The example of RFC 3464, appendix E, with the message that it is about.
fn report(action: &str, status: &str) -> String {
    format!(
        "Subject: Delivery report\nAuto-Submitted: auto-replied\nMIME-Version: 1.0\nContent-Type: multipart/report;\n \
         report-type=delivery-status; boundary=\"RAA14128\"\n\n--RAA14128\n\nThe message was not delivered.\n\n--RAA14128\n\
         content-type: message/delivery-status\n\nReporting-MTA: dns; cs.utk.example\nArrival-Date: Fri, 8 Jul 2026 22:12:09 -0400\n\n\
         Original-Recipient: rfc822;Louisl@larry.slip.umd.example\nFinal-Recipient: rfc822;louisl@larry.slip.umd.example\nAction: {action}\n\
         Status: {status}\nDiagnostic-Code: smtp; 550 5.1.1 no such\n user\n\n--RAA14128\ncontent-type: message/rfc822\n\n\
         Message-ID: <sent.1@shop.example>\nFrom: shop@shop.example\nTo: louisl@larry.slip.umd.example\nSubject: Your order\n\nHello\n--RAA14128--\n"
    )
}

#[test]
fn reports_name_the_message_and_what_became_of_it() {
    for (action, status, kind) in [
        ("failed", "5.1.1", BounceKind::Permanent),
        ("failed", "4.2.2", BounceKind::Temporary),
        ("failed (gone)", "5.0.0 (unknown)", BounceKind::Permanent),
        ("delayed", "4.4.1", BounceKind::Delayed),
        ("delivered", "2.0.0", BounceKind::Delivered),
        ("relayed", "2.1.9", BounceKind::Delivered),
        ("failed", "nonsense", BounceKind::Permanent),
    ] {
        let Nature::Bounce(bounce) = message(&report(action, status)).nature else {
            panic!("{action} {status}")
        };
        assert_eq!(bounce.kind, kind, "{action} {status}");
        assert_eq!(bounce.original_message_id.as_deref(), Some("sent.1@shop.example"));
        assert_eq!(bounce.recipients.len(), 1);
        assert_eq!(bounce.recipients[0].address.as_deref(), Some("louisl@larry.slip.umd.example"));
        assert_eq!(bounce.recipients[0].diagnostic.as_deref(), Some("550 5.1.1 no such user"));
    }
}

#[test]
fn reports_that_return_only_the_fields_name_the_message() {
    let headers = report("failed", "5.1.1")
        .replace("content-type: message/rfc822", "content-type: text/rfc822-headers");
    let Nature::Bounce(bounce) = message(&headers).nature else { panic!() };
    assert_eq!(bounce.original_message_id.as_deref(), Some("sent.1@shop.example"));
}

#[test]
fn reports_of_old_mail_servers_are_recognized() {
    let qmail = "From: MAILER-DAEMON@mail.example\nReturn-Path: <>\nSubject: failure notice\n\nHi. This is the qmail-send program.\n\n\
        <bo@acme.example>:\n192.0.2.1 does not like recipient. 550 5.1.1 user unknown\n\n--- Below this line is a copy of the message.\n\n\
        Return-Path: <shop@shop.example>\nMessage-ID: <sent.2@shop.example>\nSubject: Hello\n\nHello\n";
    let Nature::Bounce(bounce) = crate::email(qmail).nature else { panic!() };
    assert_eq!(
        (bounce.kind, bounce.original_message_id.as_deref()),
        (BounceKind::Permanent, Some("sent.2@shop.example"))
    );

    let exim = "From: Mail Delivery System <Mailer-Daemon@mail.example>\nX-Failed-Recipients: bo@acme.example\nAuto-Submitted: auto-replied\n\
        Subject: Mail delivery failed: returning message to sender\n\nA message that you sent could not be delivered. 452 4.2.2 mailbox full\n";
    let Nature::Bounce(bounce) = crate::email(exim).nature else { panic!() };
    assert_eq!(bounce.kind, BounceKind::Temporary);
    assert_eq!(bounce.recipients[0].address.as_deref(), Some("bo@acme.example"));
}

#[test]
fn a_person_who_writes_about_a_failed_delivery_is_no_bounce() {
    let email = message("Subject: Undeliverable: my parcel\n\nThe delivery failed again.\n");
    assert_eq!(email.nature, Nature::Person);
}
