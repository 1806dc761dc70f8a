//! A scripted chat completions endpoint.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use url::Url;

/// What the server does with a request.
pub(crate) enum Say {
    /// Responds with a completion of this content.
    Content(String),
    /// Responds with a completion of this object.
    Object(Value),
    /// Responds with this status and body.
    Raw(&'static str, String),
    /// Responds with these parts of a stream, one after the other, and closes the connection.
    Stream(Vec<Part>),
    /// Does not respond and keeps the connection open.
    Hang,
}

/// A part of a streamed response.
pub(crate) enum Part {
    /// Sends a delta of the content.
    Delta(String),
    /// Sends these bytes as they are.
    Raw(String),
    /// Sends the reason for the end, the numbers of tokens, and the last event.
    End,
    /// Waits for this signal before it goes on.
    Wait(Arc<Notify>),
    /// Waits until the client has closed the connection, then sends this signal.
    Closed(Arc<Notify>),
}

impl Part {
    /// Returns a content as deltas of so many characters.
    pub(crate) fn deltas(content: &str, size: usize) -> Vec<Self> {
        let characters: Vec<char> = content.chars().collect();
        characters.chunks(size).map(|part| Self::Delta(part.iter().collect())).collect()
    }
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl Request {
    /// Returns the contents of all messages in one text.
    pub(crate) fn prompt(&self) -> String {
        let messages = self.body["messages"].as_array().unwrap();
        messages.iter().map(|message| message["content"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
    }
}

pub(crate) struct StandIn {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    task: JoinHandle<()>,
}

impl StandIn {
    /// Starts a server that does what `answer` returns for a request and its number, counted from 0.
    pub(crate) async fn start(answer: impl Fn(&Request, usize) -> Say + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<Mutex<Vec<Request>>>::default();
        let (log, answer) = (Arc::clone(&requests), Arc::new(answer));
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                tokio::spawn(async move { serve(socket, &log, &*answer).await });
            }
        });
        Self { port, requests, task }
    }

    /// Starts a server that responds to its first request with these parts of a stream.
    pub(crate) async fn streaming(parts: Vec<Part>) -> Self {
        let parts = Mutex::new(Some(parts));
        Self::start(move |_, _| Say::Stream(parts.lock().unwrap().take().unwrap())).await
    }

    /// Starts a server that responds to every request with this answer.
    pub(crate) async fn answering(answer: &str, citations: &[&str]) -> Self {
        let object = reply(answer, citations, "answer");
        Self::start(move |_, _| Say::Object(object.clone())).await
    }

    pub(crate) fn base_url(&self) -> Url {
        format!("http://127.0.0.1:{}/v1", self.port).parse().unwrap()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Returns the text of the object of a completion, its members in the order of the requested schema.
pub(crate) fn ordered_reply(answer: &str, citations: &[&str]) -> String {
    let (citations, answer) = (json!(citations), json!(answer));
    format!("{{\"action\":\"answer\",\"citations\":{citations},\"answer\":{answer},\"reason\":\"test\"}}")
}

/// Returns the object of a completion.
pub(crate) fn reply(answer: &str, citations: &[&str], action: &str) -> Value {
    json!({ "answer": answer, "citations": citations, "action": action, "reason": "test" })
}

async fn serve(
    mut socket: TcpStream,
    log: &Mutex<Vec<Request>>,
    answer: &(impl Fn(&Request, usize) -> Say + ?Sized),
) {
    let Some(request) = read(&mut socket).await else { return };
    let number = {
        let mut log = log.lock().unwrap();
        log.push(request.clone());
        log.len() - 1
    };
    let (status, body) = match answer(&request, number) {
        Say::Content(content) => ("200 OK", completion(&content)),
        Say::Object(object) => ("200 OK", completion(&object.to_string())),
        Say::Raw(status, body) => (status, body),
        Say::Stream(parts) => return stream(&mut socket, parts).await.unwrap_or_default(),
        Say::Hang => std::future::pending().await,
    };
    let response = format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: application/json\r\nLocation: /elsewhere\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = socket.write_all(response.as_bytes()).await;
    let _ = socket.shutdown().await;
}

async fn stream(socket: &mut TcpStream, parts: Vec<Part>) -> std::io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n: ping\n\n";
    socket.write_all(head.as_bytes()).await?;
    for part in parts {
        match part {
            Part::Delta(content) => {
                let event = json!({ "choices": [{ "index": 0, "delta": { "content": content } }] });
                socket.write_all(format!("data: {event}\n\n").as_bytes()).await?;
            }
            Part::Raw(text) => socket.write_all(text.as_bytes()).await?,
            Part::End => {
                let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
                let usage =
                    json!({ "choices": [], "usage": { "prompt_tokens": 10, "completion_tokens": 5 } });
                let text = format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n");
                socket.write_all(text.as_bytes()).await?;
            }
            Part::Wait(signal) => signal.notified().await,
            Part::Closed(signal) => {
                let mut rest = [0; 1024];
                while socket.read(&mut rest).await.is_ok_and(|count| count > 0) {}
                signal.notify_one();
            }
        }
    }
    socket.shutdown().await
}

fn completion(content: &str) -> String {
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": content } }],
        "usage": { "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 },
    })
    .to_string()
}

async fn read(socket: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        let mut chunk = [0; 8192];
        let count = socket.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = head.to_lowercase().lines().find_map(|line| {
            line.strip_prefix("content-length: ").map(|length| length.parse::<usize>().unwrap())
        })?;
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..]).unwrap();
            return Some(Request { head, body });
        }
    }
}
