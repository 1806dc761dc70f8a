//! A scripted chat completions endpoint.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
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
    /// Does not respond and keeps the connection open.
    Hang,
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
