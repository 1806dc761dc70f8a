//! Answers of a model as server-sent events, over sockets from the model to the visitor.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    sync::Notify,
};

use super::harness::{Account, Installation, text};
use crate::wire::{Request, json};

const FIRST: &str = "Delivery within ten miles costs 4.90 pounds.";
const SECOND: &str = "Delivery is free for orders above 40 pounds.";
const INVENTED: &str = "Every parcel contains a golden rocket from Jupiter.";
/// Longest wait for something that must happen.
const PATIENCE: Duration = Duration::from_secs(30);

/// A website and a model on one port. The model writes the beginning of an answer, and then waits.
struct Outside {
    port: u16,
    /// Lets the model go on.
    go_on: Arc<Notify>,
    /// The model's client has closed the connection while the model waited.
    closed: Arc<Notify>,
}

impl Outside {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (go_on, closed) = <(Arc<Notify>, Arc<Notify>)>::default();
        let signals = (Arc::clone(&go_on), Arc::clone(&closed));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (go_on, closed) = signals.clone();
                tokio::spawn(async move { serve(socket, &go_on, &closed).await });
            }
        });
        Self { port, go_on, closed }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

async fn serve(mut socket: TcpStream, go_on: &Notify, closed: &Notify) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut bytes = [0; 4096];
    while !request.windows(4).any(|window| window == b"\r\n\r\n") {
        match socket.read(&mut bytes).await? {
            0 => return Ok(()),
            count => request.extend_from_slice(&bytes[..count]),
        }
    }
    if request.starts_with(b"POST ") {
        return write_answer(socket, go_on, closed).await;
    }
    let page = if request.starts_with(b"GET / ") {
        format!(
            "<!doctype html><html lang=\"en\"><title>Delivery</title><main><h1>Delivery</h1>\
             <p>{FIRST} {SECOND}</p></main></html>"
        )
    } else {
        String::new()
    };
    let status = if page.is_empty() { "404 Not Found" } else { "200 OK" };
    let head = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n",
        page.len()
    );
    socket.write_all((head + &page).as_bytes()).await?;
    socket.shutdown().await
}

async fn write_answer(mut socket: TcpStream, go_on: &Notify, closed: &Notify) -> std::io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n";
    socket.write_all(head.as_bytes()).await?;
    let content = format!(
        "{{\"action\":\"answer\",\"citations\":[\"S1\"],\"answer\":\"{FIRST} {INVENTED} {SECOND}\",\
         \"reason\":\"stated\"}}"
    );
    let pause = content.find("golden").unwrap();
    for (index, part) in [&content[..pause], &content[pause..]].into_iter().enumerate() {
        if index > 0 {
            let mut rest = [0; 4096];
            loop {
                tokio::select! {
                    () = go_on.notified() => break,
                    read = socket.read(&mut rest) => if !read.is_ok_and(|count| count > 0) {
                        closed.notify_one();
                        return Ok(());
                    },
                }
            }
        }
        for delta in part.split_inclusive(' ') {
            let event = json!({ "choices": [{ "index": 0, "delta": { "content": delta } }] });
            socket.write_all(format!("data: {event}\n\n").as_bytes()).await?;
        }
    }
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 90, "completion_tokens": 40 } });
    socket.write_all(format!("data: {usage}\n\ndata: [DONE]\n\n").as_bytes()).await?;
    socket.shutdown().await
}

/// A service with this model, and a chatbot that has read this website.
struct Scene {
    outside: Outside,
    installation: Installation,
    account: Account,
    chatbot: String,
}

impl Scene {
    async fn set() -> Self {
        let outside = Outside::start().await;
        let base_url = outside.url("/v1").parse().unwrap();
        let installation = Installation::start_with(|config| {
            config.assistant.base_url = Some(base_url);
            config.assistant.model = Some("small".into());
            config.assistant.allow_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.training.allow_networks = vec!["127.0.0.0/8".parse().unwrap()];
            config.training.delay = Duration::ZERO;
        })
        .await;
        let account = installation.database.account("acme", "growth");
        let body = json!({
            "name": "Helper", "business_name": "Acme", "language": "en", "training_urls": [outside.url("/")],
        });
        let request = Request::new("POST", "/api/v1/chatbots").key(&account.key).json(body.to_string());
        let chatbot = text(&json(&installation.send(request).await)["chatbot_id"]);
        let scene = Self { outside, installation, account, chatbot };
        scene
            .until(async || {
                let chatbot = scene.get("").await;
                assert_ne!(chatbot["status"], "failed", "{chatbot}");
                chatbot["status"] == "ready"
            })
            .await;
        scene
    }

    /// Reads something below the chatbot.
    async fn get(&self, path: &str) -> Value {
        let path = format!("/api/v1/chatbots/{}{path}", self.chatbot);
        json(&self.installation.get(&path, &self.account.key).await)
    }

    async fn until(&self, mut is_so: impl AsyncFnMut() -> bool) {
        let waited = async {
            while !is_so().await {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, waited).await.expect("it becomes so");
    }

    /// Asks for a stream.
    async fn ask(&self, question: &str) -> Events {
        let path = format!("/api/v1/chatbots/{}/messages", self.chatbot);
        let request = Request::new("POST", &path)
            .key(&self.account.key)
            .header("Accept", "text/event-stream")
            .json(json!({ "message": question }).to_string());
        let mut socket = TcpStream::connect(self.installation.running.address).await.unwrap();
        socket.write_all(&request.bytes()).await.unwrap();
        Events(BufReader::new(socket))
    }
}

/// The response while it arrives.
struct Events(BufReader<TcpStream>);

impl Events {
    /// Waits for the next event. `None` at the end.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(PATIENCE, self.0.read_line(&mut line)).await;
            if read.expect("an event").unwrap() == 0 {
                return None;
            }
            if let Some(data) = line.strip_prefix("data:") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// Waits for the end. Returns the text of the remaining parts, and the answer.
    async fn finish(mut self) -> (String, Value) {
        let (mut sent, mut answer) = (String::new(), Value::Null);
        while let Some(event) = self.next().await {
            match event["type"].as_str().unwrap() {
                "text" => sent.push_str(event["text"].as_str().unwrap()),
                "answer" => answer = event["answer"].clone(),
                other => panic!("{other}"),
            }
        }
        (sent, answer)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sentences_reach_the_visitor_while_the_model_writes() {
    let scene = Scene::set().await;
    let mut events = scene.ask("What does delivery cost?").await;
    // The model waits until it is told to go on, and so far it has written less than two sentences.
    assert_eq!(events.next().await.unwrap(), json!({ "type": "text", "text": FIRST }));
    scene.outside.go_on.notify_one();
    let (rest, answer) = events.finish().await;
    assert_eq!(rest, format!(" {SECOND}"));
    assert_eq!(answer["response"], format!("{FIRST} {SECOND}"));
    assert_eq!(
        (&answer["usage"]["credits_used"], answer["sources"].as_array().unwrap().len()),
        (&json!(1), 1)
    );
    let metrics = scene.installation.running.service().metrics.render(&[]);
    for line in [
        "frontdesk_model_answers_total{outcome=\"written\"} 1",
        "frontdesk_model_tokens_total{kind=\"completion\"} 40",
    ] {
        assert!(metrics.lines().any(|found| found == line), "no {line} in\n{metrics}");
    }

    // No model writes a refusal, which ends with the offer of a person: all parts together are the answer.
    let (sent, answer) = scene.ask("What are the symptoms of flu?").await.finish().await;
    assert!(sent.contains("person"), "{sent}");
    assert_eq!(answer["response"], sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_who_leaves_stops_the_model() {
    let scene = Scene::set().await;
    let mut events = scene.ask("What does delivery cost?").await;
    assert_eq!(events.next().await.unwrap()["text"], FIRST);
    drop(events);
    tokio::time::timeout(PATIENCE, scene.outside.closed.notified()).await.expect("the request is cancelled");
    scene.until(async || scene.get("/conversations").await["conversations"][0]["message_count"] == 2).await;
    let list = scene.get("/conversations").await;
    let id = text(&list["conversations"][0]["conversation_id"]);
    let conversation = scene.get(&format!("/conversations/{id}")).await;
    assert_eq!(conversation["messages"][1]["text"], FIRST, "{conversation}");
    let metrics = scene.installation.running.service().metrics.render(&[]);
    assert!(metrics.contains("frontdesk_model_answers_total{outcome=\"abandoned\"} 1"), "{metrics}");
}
