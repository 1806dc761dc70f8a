//! The events of `ok/events`, signed by a sender and read by the client's receivers.

use std::time::{SystemTime, UNIX_EPOCH};

use events_client::webhooks::{
    receive_on_end, receive_on_event, receive_order_cancelled, receive_order_placed, receive_ping,
};
use events_model::{Event, OrderCancelledEvent};
use frontdesk_client::webhooks as contract;
use frontdesk_runtime::webhook::{self, SecretError, Signer, Verifier, WebhookError};
use frontdesk_runtime::{HeaderMap, Patch, Uuid};

const SECRET: &str = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const OTHER: &str = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=";
const ORDER: &str =
    r#"{"order":"00000000-0000-0000-0000-000000000007","items":[{"name":"Lamp","cents":1995}]}"#;

fn signed(body: &str) -> HeaderMap {
    Signer::new(SECRET).unwrap().headers("msg_1", body.as_bytes()).unwrap()
}

fn verifier() -> Verifier {
    Verifier::new(SECRET).unwrap()
}

#[test]
fn an_event_arrives_as_its_type() {
    let order = receive_order_placed(&verifier(), &signed(ORDER), ORDER.as_bytes()).unwrap();
    assert_eq!((order.order, order.items[0].cents), (Uuid::from_u128(7), Some(1995)));

    let body = r#"{"order":"00000000-0000-0000-0000-000000000007","reason":null,"later":1}"#;
    let cancelled = receive_order_cancelled(&verifier(), &signed(body), body.as_bytes()).unwrap();
    assert_eq!(cancelled, OrderCancelledEvent { order: Uuid::from_u128(7), reason: Patch::Null });

    let body = format!(r#"{{"topic":"orders","order":{ORDER}}}"#);
    let event = receive_on_event(&verifier(), &signed(&body), body.as_bytes()).unwrap();
    assert!(matches!(event, Event::OrderEvent(it) if it.order == order));
    let body = r#"{"topic":"stock","stock":{"item":{"name":"Lamp"},"left":-1}}"#;
    let event = receive_on_event(&verifier(), &signed(body), body.as_bytes()).unwrap();
    assert!(matches!(event, Event::StockEvent(it) if it.stock.left == -1));

    for receive in [receive_ping, receive_on_end] {
        receive(&verifier(), &signed(""), b"").unwrap();
    }
}

#[test]
fn an_event_of_somebody_else_is_refused() {
    let headers = Signer::new(OTHER).unwrap().headers("msg_1", ORDER.as_bytes()).unwrap();
    let outcome = receive_order_placed(&verifier(), &headers, ORDER.as_bytes());
    assert!(matches!(outcome, Err(WebhookError::Signature)), "{outcome:?}");
    // While secrets change, either is enough.
    let both = verifier().also(OTHER).unwrap();
    receive_order_placed(&both, &headers, ORDER.as_bytes()).unwrap();
    let headers =
        Signer::new(OTHER).unwrap().also(SECRET).unwrap().headers("msg_1", ORDER.as_bytes()).unwrap();
    receive_order_placed(&verifier(), &headers, ORDER.as_bytes()).unwrap();
    assert_eq!(Signer::new("whsec_c2hvcnQ=").unwrap_err(), SecretError);
}

#[test]
fn an_event_that_was_changed_is_refused() {
    let headers = signed(ORDER);
    for body in [ORDER.replace("1995", "1"), format!("{ORDER} "), String::new()] {
        let outcome = receive_order_placed(&verifier(), &headers, body.as_bytes());
        assert!(matches!(outcome, Err(WebhookError::Signature)), "{body}: {outcome:?}");
    }
    let mut headers = signed(ORDER);
    headers.insert(webhook::ID, "msg_2".parse().unwrap());
    let outcome = receive_order_placed(&verifier(), &headers, ORDER.as_bytes());
    assert!(matches!(outcome, Err(WebhookError::Signature)), "{outcome:?}");
    let outcome = receive_ping(&verifier(), &headers, b"");
    assert!(matches!(outcome, Err(WebhookError::Signature)), "a body does not matter: {outcome:?}");
}

#[test]
fn an_event_of_another_time_is_refused() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for time in [now - 301 - 60, now + 301 + 60, 0] {
        let mut headers = signed(ORDER);
        headers.insert(webhook::TIMESTAMP, time.to_string().parse().unwrap());
        let outcome = receive_order_placed(&verifier(), &headers, ORDER.as_bytes());
        assert!(matches!(outcome, Err(WebhookError::Stale)), "{time}: {outcome:?}");
    }
    // The time is signed, so that it cannot be made fresh again.
    let mut headers = signed(ORDER);
    headers.insert(webhook::TIMESTAMP, (now - 7).to_string().parse().unwrap());
    let outcome = receive_order_placed(&verifier(), &headers, ORDER.as_bytes());
    assert!(matches!(outcome, Err(WebhookError::Signature)), "{outcome:?}");
}

#[test]
fn every_header_is_needed() {
    for name in [webhook::ID, webhook::TIMESTAMP, webhook::SIGNATURE] {
        let mut headers = signed(ORDER);
        headers.remove(&name);
        let outcome = receive_order_placed(&verifier(), &headers, ORDER.as_bytes());
        assert!(matches!(&outcome, Err(WebhookError::Header(missing)) if *missing == name), "{outcome:?}");
    }
}

#[test]
fn a_signed_body_must_fit_the_document() {
    for body in ["", "{}", r#"{"order":"7","items":[]}"#, &format!("{ORDER}{ORDER}")] {
        let outcome = receive_order_placed(&verifier(), &signed(body), body.as_bytes());
        assert!(matches!(outcome, Err(WebhookError::Body(_))), "{body}: {outcome:?}");
    }
}

#[test]
fn an_event_of_an_unknown_type_is_kept_once_it_is_verified() {
    let body = r#"{"type":"invoice.paid","id":"evt_1","data":{"cents":1}}"#;
    let event = contract::receive(&verifier(), &signed(body), body.as_bytes()).unwrap();
    let contract::Event::Unknown { kind, body: kept } = event else { panic!("{event:?}") };
    assert_eq!((kind.as_str(), &kept[..]), ("invoice.paid", body.as_bytes()));
    for body in [r#"{"id":"evt_1"}"#, r#"{"type":7}"#, "[]"] {
        let event = contract::receive(&verifier(), &signed(body), body.as_bytes()).unwrap();
        assert!(matches!(&event, contract::Event::Unknown { kind, .. } if kind.is_empty()), "{event:?}");
    }
    // A known type whose content does not fit is an error.
    for body in [r#"{"type":"lead.created"}"#, "", "no JSON"] {
        let outcome = contract::receive(&verifier(), &signed(body), body.as_bytes());
        assert!(matches!(outcome, Err(WebhookError::Body(_))), "{body}: {outcome:?}");
    }
    // Nothing is read of a body before it is verified, so that the signature is what is wrong with each.
    for forged in [r#"{"type":"invoice.paid"}"#, r#"{"type":"lead.created"}"#, "no JSON", ""] {
        let outcome = contract::receive(&verifier(), &signed(body), forged.as_bytes());
        assert!(matches!(outcome, Err(WebhookError::Signature)), "{forged}: {outcome:?}");
    }
}
