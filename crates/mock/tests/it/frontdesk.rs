//! Tests of this repository's contract, served by the mock and called by its generated client.

use crate::socket::{exchange, mock_of_file, start};
use frontdesk_client::model::operations::{chatbots, messages};
use frontdesk_client::model::{ChatbotUpdate, NewChatbot, NewMessage, NewReply, ThreadMessage};
use frontdesk_client::{Client, Error, RetryPolicy};
use frontdesk_runtime::{HeaderName, HeaderValue, Operation, Uuid};
use std::fmt::Debug;

const SPEC: &str = "spec/v1/openapi.yaml";

/// Generated responses that are checked besides the example.
const SEEDS: u64 = 12;

async fn client() -> Client {
    let address = start(mock_of_file(SPEC)).await;
    let builder = Client::builder(format!("http://{address}")).bearer("any");
    builder.retry(RetryPolicy::NEVER).build().unwrap()
}

fn prefer(text: &str) -> (HeaderName, HeaderValue) {
    (HeaderName::from_static("prefer"), HeaderValue::from_str(text).unwrap())
}

/// Whether an error is one that the document declares, read as its type.
fn assert_declared<T: Debug, E: Debug>(outcome: Result<T, Error<E>>, operation: &Operation, status: u16) {
    match outcome {
        Err(error) if error.declared().is_some() => {
            assert_eq!(error.status().map(|status| status.as_u16()), Some(status), "{}", operation.id);
        }
        other => panic!("{} {status}: {other:?}", operation.id),
    }
}

/// Calls an operation for its success and for every error that it declares: as the examples have them, and
/// generated.
macro_rules! each_response {
    ($operation:expr, $call:expr) => {{
        let operation: &Operation = $operation;
        let response = $call.await.unwrap();
        assert_eq!(operation.statuses.first(), Some(&response.status().as_u16()), "{}", operation.id);
        for seed in 0..SEEDS {
            let (name, value) = prefer(&format!("dynamic=true, seed={seed}"));
            $call.header(name, value).await.unwrap();
        }
        let errors = operation.statuses.iter().copied().filter(|status| *status >= 400);
        for status in errors {
            let (name, value) = prefer(&format!("code={status}"));
            assert_declared($call.header(name, value).await, operation, status);
            for seed in 0..SEEDS {
                let (name, value) = prefer(&format!("code={status}, dynamic=true, seed={seed}"));
                assert_declared($call.header(name, value).await, operation, status);
            }
        }
    }};
}

#[tokio::test]
async fn the_client_reads_every_response() {
    let client = client().await;
    let id = Uuid::from_u128(0x0190_b6a5_5f0e_7c62_9c7e_0f3a_5b6d_7e8f);
    let new = || NewChatbot::new("Acme help desk", "Acme", ["https://acme.example"]);
    let thread = || NewReply::new("Delivery", [ThreadMessage::new("jo@acme.example", "Where is my parcel?")]);
    each_response!(&chatbots::LIST_CHATBOTS, client.chatbots().list());
    each_response!(&chatbots::CREATE_CHATBOT, client.chatbots().create(new()));
    each_response!(&chatbots::GET_CHATBOT, client.chatbots().get(id.into()));
    each_response!(&chatbots::UPDATE_CHATBOT, client.chatbots().update(id.into(), None));
    each_response!(
        &chatbots::UPDATE_CHATBOT,
        client.chatbots().update(id.into(), ChatbotUpdate::new().name("Acme"))
    );
    each_response!(&chatbots::DELETE_CHATBOT, client.chatbots().delete(id.into()));
    each_response!(
        &messages::SEND_MESSAGE,
        client.messages().send(id.into(), NewMessage::new("When do you open?"))
    );
    each_response!(&messages::DRAFT_REPLY, client.messages().draft_reply(id.into(), thread()));
}

#[tokio::test]
async fn a_refused_body_is_told_field_by_field() {
    let client = client().await;
    let error = client.chatbots().create(NewChatbot::new("", "Acme", [""; 0])).await.unwrap_err();
    let reported = format!("{:?}", error.declared().unwrap());
    assert_eq!(error.status().map(|status| status.as_u16()), Some(422));
    assert!(reported.contains("\"name\"") && reported.contains("\"training_urls\""), "{reported}");
    assert!(!reported.contains("business_name"), "{reported}");
}

#[tokio::test]
async fn the_contract_causes_no_warnings() {
    let mock = mock_of_file(SPEC);
    let warnings = mock.warnings().render(mock.warnings().sources(), false);
    assert_eq!(warnings, "");
    assert!(
        mock.sample().is_some_and(|sample| sample.starts_with("/api/v1/chatbots'")),
        "{:?}",
        mock.sample()
    );
}

#[tokio::test]
async fn checks_run_in_the_order_of_the_service() {
    let address = start(mock_of_file(SPEC)).await;
    let (key, json) = ("Authorization: Bearer any", "Content-Type: application/json");
    let messages = "POST /api/v1/chatbots/0190b6a5-5f0e-7c62-9c7e-0f3a5b6d7e8f/messages";
    let large = format!("\"{}\"", "a".repeat(crate::socket::LIMIT));
    for (line, headers, body, status) in [
        ("GET /api/v2", &[] as &[&str], "", 404),
        ("PATCH /api/v1/chatbots", &[], "", 405),
        (messages, &[json], "{", 401),
        ("POST /api/v1/chatbots/nope/messages", &[key, json], "{", 404),
        (messages, &[key, json], &large, 413),
        (messages, &[key, "Content-Type: text/plain"], "{", 415),
        (messages, &[key], "{", 415),
        (messages, &[key, json], "{", 400),
        (messages, &[key, json], "{}", 422),
        (messages, &[key, json], "", 422),
        (messages, &[key, json], "{\"message\": \"a\"}", 200),
        // The operation does not declare 406.
        (messages, &[key, json, "Accept: text/html"], "{\"message\": \"a\"}", 200),
    ] {
        let response = exchange(address, line, headers, body).await;
        assert_eq!(response.status, status, "{line} {headers:?}: {response:?}");
        assert_eq!(response.header("allow").is_some(), status == 405, "{response:?}");
        let reported = !response.lines("x-mock-violation").is_empty();
        assert_eq!(reported, !matches!(response.status, 200 | 405) && line != "GET /api/v2", "{response:?}");
    }
}
