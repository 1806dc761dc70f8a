//! The contract of this workspace, called by its generated client.

use crate::socket::{exchange, mock_of_file, start};
use frontdesk_client::model::operations::{chatbots, messages};
use frontdesk_client::model::{ChatbotUpdate, NewChatbot, NewMessage, NewReply, ThreadMessage};
use frontdesk_client::{Client, Error, RetryPolicy};
use frontdesk_runtime::{HeaderName, HeaderValue, Operation, Uuid};
use std::fmt::Debug;

const SPEC: &str = "spec/v1/openapi.yaml";

/// Generated answers that are looked at beside the example.
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

/// Calls an operation for its success and for every error that it declares: as the examples have them, and generated.
macro_rules! each_answer {
    ($operation:expr, $call:expr) => {{
        let operation: &Operation = $operation;
        let answer = $call.await.unwrap();
        assert_eq!(operation.statuses.first(), Some(&answer.status().as_u16()), "{}", operation.id);
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
async fn every_answer_is_what_the_client_reads() {
    let client = client().await;
    let id = Uuid::from_u128(0x0190_b6a5_5f0e_7c62_9c7e_0f3a_5b6d_7e8f);
    let new = || NewChatbot::new("Acme help desk", "Acme", ["https://acme.example"]);
    let thread = || NewReply::new("Delivery", [ThreadMessage::new("jo@acme.example", "Where is my parcel?")]);
    each_answer!(&chatbots::LIST_CHATBOTS, client.chatbots().list());
    each_answer!(&chatbots::CREATE_CHATBOT, client.chatbots().create(new()));
    each_answer!(&chatbots::GET_CHATBOT, client.chatbots().get(id));
    each_answer!(&chatbots::UPDATE_CHATBOT, client.chatbots().update(id, None));
    each_answer!(&chatbots::UPDATE_CHATBOT, client.chatbots().update(id, ChatbotUpdate::new().name("Acme")));
    each_answer!(&chatbots::DELETE_CHATBOT, client.chatbots().delete(id));
    each_answer!(&messages::SEND_MESSAGE, client.messages().send(id, NewMessage::new("When do you open?")));
    each_answer!(&messages::DRAFT_REPLY, client.messages().draft_reply(id, thread()));
}

#[tokio::test]
async fn a_refused_body_is_told_field_by_field() {
    let client = client().await;
    let error = client.chatbots().create(NewChatbot::new("", "Acme", [""; 0])).await.unwrap_err();
    let told = format!("{:?}", error.declared().unwrap());
    assert_eq!(error.status().map(|status| status.as_u16()), Some(422));
    assert!(told.contains("\"name\"") && told.contains("\"training_urls\""), "{told}");
    assert!(!told.contains("business_name"), "{told}");
}

#[tokio::test]
async fn the_document_says_nothing_that_has_to_be_warned_of() {
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
async fn steps_are_judged_in_the_order_of_the_service() {
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
        (messages, &[key, json, "Accept: text/html"], "{\"message\": \"a\"}", 406),
    ] {
        let answer = exchange(address, line, headers, body).await;
        assert_eq!(answer.status, status, "{line} {headers:?}: {answer:?}");
        assert_eq!(answer.header("allow").is_some(), status == 405, "{answer:?}");
        let told = !answer.lines("x-mock-violation").is_empty();
        assert_eq!(told, !matches!(answer.status, 200 | 405) && line != "GET /api/v2", "{answer:?}");
    }
}
