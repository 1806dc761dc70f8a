//! What the thread of a message is looked for by, and messages that go in a circle.

use frontdesk_mail::{Own, ThreadKeys};
use jiff::{SignedDuration, Timestamp};

use crate::message;

fn keys(rest: &str) -> ThreadKeys {
    let now: Timestamp = "2026-05-03T10:00:00Z".parse().unwrap();
    ThreadKeys::of(&message(rest), now, SignedDuration::from_hours(24 * 7))
}

#[test]
fn ids_come_before_the_subject() {
    let keys = keys(
        "In-Reply-To: <3@shop.example>\nReferences: <1@shop.example>\n <2@shop.example> <3@shop.example>\nSubject: RE: AW: Delivery  times\n\nHello\n",
    );
    assert_eq!(keys.message_ids, ["3@shop.example", "2@shop.example", "1@shop.example"]);
    let subject = keys.subject.unwrap();
    assert_eq!(
        (subject.sender.as_str(), subject.base_subject.as_str()),
        ("ada@acme.example", "delivery times")
    );
    assert_eq!(subject.since, "2026-04-26T10:00:00Z".parse().unwrap());
}

#[test]
fn messages_without_a_subject_and_those_of_programs_have_only_ids() {
    assert_eq!(keys("Subject: Re:\n\nHello\n").subject, None);
    assert_eq!(keys("\nHello\n").subject, None);
    assert_eq!(
        keys("Subject: Hello\nAuto-Submitted: auto-replied\nIn-Reply-To: 1@shop.example\n\nHello\n").subject,
        None
    );
    assert_eq!(keys("In-Reply-To: 1@shop.example\n\nHello\n").message_ids, ["1@shop.example"]);
    assert!(keys("In-Reply-To: your message of today\n\nHello\n").message_ids.is_empty());
}

#[test]
fn own_messages_and_circles_are_recognized() {
    let own = Own { address: "Shop@shop.example", origin: "channel-1" };
    let received = "Received: by a.example; Sun, 3 May 2026 10:00:00 +0000\n";
    assert_eq!(own.circle(&message("Subject: Hello\n\nHello\n")), None);
    assert_eq!(own.circle(&message("X-Frontdesk-Channel: channel-2\n\nHello\n")), None);
    assert!(own.circle(&message("X-Frontdesk-Channel: channel-1\n\nHello\n")).is_some());
    assert!(own.circle(&message(&format!("{}\nHello\n", received.repeat(51)))).is_some());
    assert_eq!(own.circle(&message(&format!("{}\nHello\n", received.repeat(50)))), None);
    assert!(own.circle(&crate::email("From: shop@SHOP.example\n\nHello\n")).is_some());
    // Forms of websites and mailing lists send under the address, and say who wrote.
    let written = crate::email("From: Form <shop@shop.example>\nReply-To: Ann <ann@x.example>\n\nHello\n");
    assert_eq!(own.circle(&written), None);
    let own_twice = crate::email("From: shop@shop.example\nReply-To: shop@shop.example\n\nHello\n");
    assert!(own.circle(&own_twice).is_some());
}
