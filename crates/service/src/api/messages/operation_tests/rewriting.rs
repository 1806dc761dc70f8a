//! Questions that refer to earlier ones, with a model that rewrites them.

use std::sync::{Arc, Mutex};

use frontdesk_assistant::{Assistant, ModelConfig, ModelWriter};
use frontdesk_model::operations::messages;
use frontdesk_model::{Answer, AnswerEvent, SendMessageOkBody};
use frontdesk_outbound::{Outbound, Policy};
use frontdesk_runtime::server::Incoming;
use frontdesk_server::{Messages, SendMessage};
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{REPAIRS, Shop};
use crate::api;

const QUESTION: &str = "And how quickly?";
const STAND_ALONE: &str = "How quickly are secateurs sharpened?";

/// A stand-in for a model that rewrites questions as the test specifies, and answers with a quotation of the
/// first passage about repairs.
struct Endpoint {
    prompts: Arc<Mutex<Vec<String>>>,
    port: u16,
}

impl Endpoint {
    async fn start(rewritten: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let prompts = Arc::<Mutex<Vec<String>>>::default();
        let log = Arc::clone(&prompts);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let log = Arc::clone(&log);
                tokio::spawn(async move { serve(socket, &log, rewritten).await });
            }
        });
        Self { prompts, port }
    }

    fn prompts(&self) -> Vec<String> {
        self.prompts.lock().unwrap().clone()
    }
}

async fn serve(mut socket: TcpStream, log: &Mutex<Vec<String>>, rewritten: Option<&str>) {
    let Some(prompt) = read(&mut socket).await else { return };
    log.lock().unwrap().push(prompt.clone());
    let content = if prompt.contains("You rewrite the last question") {
        rewritten.map(|question| json!({ "question": question }))
    } else {
        Some(json!({ "action": "answer", "citations": ["S1"], "answer": REPAIRS, "reason": "stated" }))
    };
    let (status, body) = match content {
        Some(content) => {
            let message = json!({ "role": "assistant", "content": content.to_string() });
            let usage = json!({ "prompt_tokens": 70, "completion_tokens": 9 });
            ("200 OK", json!({ "choices": [{ "message": message }], "usage": usage }).to_string())
        }
        None => ("503 Service Unavailable", String::new()),
    };
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    let _ = socket.write_all((head + &body).as_bytes()).await;
    let _ = socket.shutdown().await;
}

/// Reads a request, and returns the contents of its messages.
async fn read(socket: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 8192]);
    loop {
        let count = socket.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        if let Ok(body) = serde_json::from_slice::<Value>(&bytes[end + 4..]) {
            let contents =
                body["messages"].as_array()?.iter().filter_map(|message| message["content"].as_str());
            return Some(contents.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// Opens a shop whose assistant asks the endpoint.
async fn shop(endpoint: &Endpoint) -> Shop {
    let mut shop = Shop::open().await;
    let base_url = format!("http://127.0.0.1:{}/v1", endpoint.port).parse().unwrap();
    let policy = Policy { allow: vec!["127.0.0.0/8".parse().unwrap()], ..Policy::new("test") };
    let writer = ModelWriter::new(ModelConfig::new(base_url, None, "small"), Outbound::new(policy).unwrap());
    let metrics = Arc::new(shop.service.metrics.model().clone());
    shop.service.answering.assistant = Arc::new(Assistant::with_model(writer.observed_by(metrics)));
    shop
}

#[tokio::test]
async fn a_follow_up_is_searched_for_as_what_it_means() {
    let endpoint = Endpoint::start(Some(STAND_ALONE)).await;
    let shop = shop(&endpoint).await;
    let first = shop.send(json!({ "message": "Are secateurs sharpened here?" })).await.unwrap();
    assert_eq!(endpoint.prompts().len(), 1);
    let body = json!({ "message": QUESTION, "conversation_id": first.conversation_id });
    let answer = shop.send(body).await.unwrap();
    assert_eq!((answer.response.as_str(), answer.usage.credits_used), (REPAIRS, 1));
    assert_eq!(answer.sources[0].url, "https://shop.example/repairs");
    let prompts = endpoint.prompts();
    assert_eq!(prompts.len(), 3);
    assert!(prompts[2].contains(QUESTION) && prompts[2].contains(STAND_ALONE), "{}", prompts[2]);
    let messages = shop
        .service
        .store
        .conversations()
        .messages(&shop.scope(), first.conversation_id.uuid(), 0, 10)
        .await
        .unwrap();
    assert_eq!(messages[2].body, QUESTION);
    let metrics = shop.service.metrics.render(&[]);
    for line in [
        "frontdesk_model_rewrites_total{outcome=\"written\"} 1",
        "frontdesk_model_tokens_total{kind=\"prompt\"} 210",
    ] {
        assert!(metrics.lines().any(|found| found == line), "no {line} in\n{metrics}");
    }
}

/// Sends a message as a visitor who asks for a stream, and returns the whole answer.
async fn stream(shop: &Shop, body: Value) -> Answer {
    let chatbot_id = shop.chatbot.chatbot_id;
    let path = format!("/api/v1/chatbots/{chatbot_id}/messages");
    let request = http::Request::post(path).header("accept", "text/event-stream").body(()).unwrap();
    let mut incoming = Incoming::from_parts(&messages::SEND_MESSAGE, request.into_parts().0);
    api::resolvers().resolve(&shop.service, Some(&shop.scope()), &mut incoming).await.unwrap();
    let (caller, body) = (shop.caller.clone(), serde_json::from_value(body).unwrap());
    let request =
        SendMessage { caller, chatbot_id: chatbot_id.into(), idempotency_key: None, body, incoming };
    let Ok(SendMessageOkBody::Events(events)) = shop.service.send_message(request).await else {
        panic!("no stream");
    };
    let events: Vec<_> = events.map(|event| event.unwrap().data).collect().await;
    match events.into_iter().next_back() {
        Some(AnswerEvent::AnswerCompletedEvent(event)) => event.answer,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_streamed_answer_is_searched_for_in_the_same_way() {
    let endpoint = Endpoint::start(Some(STAND_ALONE)).await;
    let shop = shop(&endpoint).await;
    let first = stream(&shop, json!({ "message": "Are secateurs sharpened here?" })).await;
    let answer =
        stream(&shop, json!({ "message": QUESTION, "conversation_id": first.conversation_id })).await;
    assert_eq!((answer.response.as_str(), answer.sources.len()), (REPAIRS, 1));
    let prompts = endpoint.prompts();
    assert_eq!(prompts.len(), 3);
    assert!(prompts[2].contains(QUESTION) && prompts[2].contains(STAND_ALONE), "{}", prompts[2]);
}

#[tokio::test]
async fn a_question_that_cannot_be_rewritten_is_searched_for_as_it_is() {
    for rewritten in [None, Some("What is the password of the owner?")] {
        let endpoint = Endpoint::start(rewritten).await;
        let shop = shop(&endpoint).await;
        let first = shop.send(json!({ "message": "Are secateurs sharpened here?" })).await.unwrap();
        let body =
            json!({ "message": "And secateurs, how quickly?", "conversation_id": first.conversation_id });
        let answer = shop.send(body).await.unwrap();
        assert_eq!(answer.sources[0].url, "https://shop.example/repairs");
        let prompts = endpoint.prompts();
        assert_eq!(prompts.len(), 3);
        assert!(!prompts[2].contains("as it is meant") && !prompts[2].contains("password"), "{}", prompts[2]);
    }
}
