//! A listening mock, and raw requests that no client library would send.

use frontdesk_document::{Document, LoadError, Loader, MemoryLoader};
use frontdesk_mock::{Mock, Settings, serve};
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// The largest body that mocks of these tests read.
pub(crate) const LIMIT: usize = 200_000;

struct Workspace;

impl Loader for Workspace {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        fs_err::read_to_string(root.join(path)).map_err(|error| LoadError::Failed(error.to_string()))
    }
}

/// The mock of a document of this repository.
pub(crate) fn mock_of_file(path: &str) -> Mock {
    mock(Document::read(path, &Workspace).0)
}

/// The mock of a document as text.
pub(crate) fn mock_of_text(text: &str) -> Mock {
    mock(Document::read("openapi.yaml", &MemoryLoader::new().with("openapi.yaml", text)).0)
}

fn mock(document: Option<Document>) -> Mock {
    Mock::new(document.unwrap(), Settings { body_limit: LIMIT }).unwrap()
}

/// Starts a mock; it stops with the runtime of its test.
pub(crate) async fn start(mock: Mock) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, mock.into_router(), std::future::pending()));
    address
}

/// A raw response.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) status: u16,
    /// Names in lower case, in the order received.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Raw {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Returns all values of a header.
    pub(crate) fn lines(&self, name: &str) -> Vec<&str> {
        let lines = self.headers.iter().filter(|(own, _)| own == name);
        lines.map(|(_, value)| value.as_str()).collect()
    }

    /// Returns the value of a header that occurs at most once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.lines(name);
        assert!(lines.len() <= 1, "{name} of {self:?}");
        lines.first().copied()
    }
}

/// Sends a request line, headers and a body, and reads the whole response.
pub(crate) async fn exchange(address: SocketAddr, line: &str, headers: &[&str], body: &str) -> Raw {
    let mut request = format!("{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for header in headers {
        request.push_str(header);
        request.push_str("\r\n");
    }
    if !body.is_empty() {
        request.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    request.push_str("\r\n");
    request.push_str(body);
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap().parse().unwrap();
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    Raw { status, headers, body: body.to_owned() }
}
