//! A server that sends exactly the bytes that a test wants, well-formed or not.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// One step of the server after a request has arrived.
#[derive(Clone)]
pub(crate) enum Step {
    /// Write these bytes.
    Send(Vec<u8>),
    /// Write these bytes repeatedly, with a pause in between, until the client disconnects.
    Repeat(Vec<u8>, Duration),
    /// Keep the connection open and silent.
    Hang,
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Server {
    /// Starts a server that responds to each request with the steps for its target.
    pub(crate) async fn start(answer: impl Fn(&str) -> Vec<Step> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let (answer, log) = (Arc::new(answer), Arc::clone(&requests));
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (answer, log) = (Arc::clone(&answer), Arc::clone(&log));
                tokio::spawn(async move { serve(socket, &*answer, &log).await });
            }
        });
        Self { address, requests, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Returns the requests so far, each with head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads one request, performs its steps and closes the connection.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: S,
    answer: &(impl Fn(&str) -> Vec<Step> + ?Sized),
    log: &Mutex<Vec<String>>,
) {
    let Some(request) = read_request(&mut socket).await else { return };
    let target = request.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(request);
    for step in answer(&target) {
        match step {
            Step::Send(bytes) => {
                if socket.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Step::Repeat(bytes, pause) => {
                while socket.write_all(&bytes).await.is_ok() {
                    tokio::time::sleep(pause).await;
                }
                return;
            }
            Step::Hang => std::future::pending().await,
        }
    }
    let _ = socket.shutdown().await;
}

async fn read_request<S: AsyncRead + Unpin>(socket: &mut S) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().unwrap());
            if bytes.len() >= end + 4 + length {
                return Some(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
        let mut chunk = [0; 4096];
        match socket.read(&mut chunk).await {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
        }
    }
}

/// Returns the steps of a complete response with a correct length.
pub(crate) fn reply(status: &str, headers: &str, body: &[u8]) -> Vec<Step> {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n");
    vec![Step::Send([head.as_bytes(), body].concat())]
}

pub(crate) fn redirect_to(location: &str) -> Vec<Step> {
    reply("302 Found", &format!("Location: {location}\r\n"), b"moved")
}
