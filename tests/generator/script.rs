//! A server that answers as it is told, whatever it is asked, and remembers the requests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What to do with a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Act {
    /// Answer with this status line, these headers and this body.
    Answer(&'static str, &'static [&'static str], &'static str),
    /// Close the connection before an answer.
    Hang,
    /// Keep the connection open and never answer.
    Silence,
    /// Announce more bytes than are sent.
    Truncate,
    /// Begin a stream of events with this text, and keep it open without another byte.
    Stall(&'static str),
}

/// The server; it goes with the runtime of its test.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Script {
    /// Does one act a connection, in order; the last one for all that follow.
    pub(crate) async fn new(acts: &'static [Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            let mut acts = acts.iter().copied();
            let mut act = Act::Hang;
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                act = acts.next().unwrap_or(act);
                tokio::spawn(serve(stream, act, Arc::clone(&seen)));
            }
        });
        Self { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, act: Act, seen: Arc<Mutex<Vec<String>>>) {
    let mut request = Vec::new();
    while !is_complete(&request) {
        let mut part = [0; 4096];
        match stream.read(&mut part).await {
            Ok(0) | Err(_) => return,
            Ok(length) => request.extend_from_slice(&part[..length]),
        }
    }
    seen.lock().unwrap().push(String::from_utf8(request).unwrap());
    let answer = match act {
        Act::Answer(status, headers, body) => {
            let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
            let length = body.len();
            format!(
                "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
            )
        }
        Act::Truncate => "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{".to_owned(),
        Act::Stall(text) => {
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n";
            let _ = stream.write_all(format!("{head}{text}").as_bytes()).await;
            return std::future::pending().await;
        }
        Act::Hang => return,
        Act::Silence => return std::future::pending().await,
    };
    // The client may have gone away already.
    let _ = stream.write_all(answer.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse().ok()).unwrap_or(0) <= body.len()
}
