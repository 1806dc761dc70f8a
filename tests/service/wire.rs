//! Raw HTTP requests, for requests that the generated client cannot send.

use std::net::SocketAddr;

use bytes::Bytes;
use frontdesk_client::Raw;
use frontdesk_runtime::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A raw request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: frontdesk.example\r\nConnection: close\r\n");
        Self { head, body: Vec::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push_str(&format!("{name}: {value}\r\n"));
        self
    }

    pub(crate) fn key(self, key: &str) -> Self {
        self.header("Authorization", &format!("Bearer {key}"))
    }

    pub(crate) fn json(self, body: impl Into<String>) -> Self {
        self.body_of("application/json", body.into())
    }

    pub(crate) fn body_of(self, media_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let body = body.into();
        let request = self.header("Content-Type", media_type);
        Self { body: body.clone(), ..request.header("Content-Length", &body.len().to_string()) }
    }

    /// Returns the request without its body.
    pub(crate) fn head(&self) -> Vec<u8> {
        format!("{}\r\n", self.head).into_bytes()
    }

    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        [self.head().as_slice(), self.body()].concat()
    }

    pub(crate) async fn send(&self, address: SocketAddr) -> Raw {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(&self.bytes()).await.unwrap();
        answer(stream).await
    }
}

/// Reads the response on a connection that the service then closes.
pub(crate) async fn answer(mut stream: impl AsyncRead + Unpin) -> Raw {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    parse(&bytes).unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(&bytes)))
}

/// Reads a response that may arrive before the request is complete, up to its `Content-Length`.
pub(crate) async fn early_answer(mut stream: impl AsyncRead + Unpin) -> Raw {
    let mut bytes = Vec::new();
    loop {
        let count = stream.read_buf(&mut bytes).await.unwrap_or(0);
        let raw = parse(&bytes);
        let announced = raw.as_ref().and_then(|raw| raw.headers.get("content-length")?.to_str().ok());
        let announced = announced.and_then(|length| length.parse::<usize>().ok());
        if let Some(raw) = raw
            && (count == 0 || announced == Some(raw.body.len()))
        {
            return raw;
        }
        assert!(count > 0, "the connection ended before the answer: {:?}", String::from_utf8_lossy(&bytes));
    }
}

fn parse(bytes: &[u8]) -> Option<Raw> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let mut lines = std::str::from_utf8(&bytes[..end]).ok()?.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse::<StatusCode>().ok()?;
    let headers: HeaderMap = lines
        .map(|line| {
            let (name, value) = line.split_once(": ").unwrap();
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_str(value).unwrap())
        })
        .collect();
    Some(Raw { status, headers, body: Bytes::copy_from_slice(&bytes[end + 4..]) })
}

/// Returns the JSON body of a response.
pub(crate) fn json(raw: &Raw) -> Value {
    raw.json().unwrap_or_else(|error| panic!("{error}: {raw:?}"))
}

/// Returns a header of a response as text.
pub(crate) fn header<'r>(raw: &'r Raw, name: &str) -> &'r str {
    raw.headers.get(name).unwrap_or_else(|| panic!("no {name}: {raw:?}")).to_str().unwrap()
}
