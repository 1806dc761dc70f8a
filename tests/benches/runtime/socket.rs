//! [`Served`]: a server on its own thread behind a socket, and the processor time that its requests cost.

use axum::{Router, body::Body, http::Request};
use frontdesk_tests::servers;
use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc,
    thread,
    time::Duration,
};

/// So many callers ask at a time, so that the server finds work whenever it looks for some.
const CALLERS: usize = 16;

/// A server that answers on this machine for as long as the benchmark runs.
pub(crate) struct Served {
    callers: Vec<TcpStream>,
    request: Vec<u8>,
    /// Bytes of an answer, head and body; all are alike.
    answer: usize,
    /// Where the system tells how long the server's thread has run.
    clock: String,
}

impl Served {
    pub(crate) fn start(server: Router, good: Request<Body>) -> Self {
        let (started, listening) = mpsc::channel();
        thread::spawn(move || serve(server, &started));
        let (address, clock): (SocketAddr, String) = listening.recv().expect("the server starts");
        let connect = || {
            let caller = TcpStream::connect(address).expect("the server listens");
            caller.set_nodelay(true).expect("a socket");
            caller
        };
        let mut callers: Vec<TcpStream> = (0..CALLERS).map(|_| connect()).collect();
        let request = bytes(good);
        let answer = callers.iter_mut().map(|caller| answered(caller, &request)).max().unwrap_or_default();
        Self { callers, request, answer, clock }
    }

    /// The processor time that the server takes for so many requests.
    pub(crate) fn timed(&mut self, runs: usize) -> Duration {
        let start = self.time();
        let mut answer = vec![0; self.answer];
        let mut left = runs;
        while left > 0 {
            let now = left.min(CALLERS);
            for caller in &mut self.callers[..now] {
                caller.write_all(&self.request).expect("the server reads");
            }
            for caller in &mut self.callers[..now] {
                caller.read_exact(&mut answer).expect("the server answers");
            }
            left -= now;
        }
        self.time().saturating_sub(start)
    }

    /// How long the server's thread has run, its system calls included.
    fn time(&self) -> Duration {
        let told = fs::read_to_string(&self.clock).expect("the kernel keeps statistics of its scheduler");
        let nanoseconds = told.split_whitespace().next().and_then(|first| first.parse().ok());
        Duration::from_nanos(nanoseconds.expect("the first number is the time on a processor"))
    }
}

fn serve(server: Router, started: &mpsc::Sender<(SocketAddr, String)>) {
    let thread = fs::read_link("/proc/thread-self").expect("a Linux system");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        started.send((address, format!("/proc/{}/schedstat", thread.display()))).expect("somebody waits");
        axum::serve(listener, server).await.expect("it never ends");
    });
}

/// The request as it goes over the wire.
fn bytes(request: Request<Body>) -> Vec<u8> {
    let (head, body) = request.into_parts();
    let target = head.uri.path_and_query().expect("a request has a path");
    let mut bytes = format!("{} {target} HTTP/1.1\r\n", head.method).into_bytes();
    for (name, value) in &head.headers {
        bytes.extend_from_slice(&[name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&servers::read(axum::response::Response::new(body)));
    bytes
}

/// Sends a request and measures its answer.
fn answered(caller: &mut TcpStream, request: &[u8]) -> usize {
    caller.write_all(request).expect("the server reads");
    let mut answer = Vec::new();
    let mut part = [0; 1 << 14];
    loop {
        let read = caller.read(&mut part).expect("the server answers");
        assert!(read > 0, "the server ended the connection: {}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&part[..read]);
        let text = String::from_utf8_lossy(&answer);
        let Some(head) = text.find("\r\n\r\n") else { continue };
        let length = text[..head].lines().find_map(|line| line.strip_prefix("content-length: "));
        let length: usize =
            length.and_then(|length| length.parse().ok()).expect("every answer tells its length");
        if answer.len() == head + 4 + length {
            assert!(text.starts_with("HTTP/1.1 2"), "{text}");
            return answer.len();
        }
    }
}
