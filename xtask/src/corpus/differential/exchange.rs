//! Requests as bytes on a socket, and the responses to them.

use std::fmt;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The time limit of a response.
const TIME: Duration = Duration::from_secs(20);

/// A request, encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// Path and query, percent-encoded.
    pub target: String,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body; a request without a body has no `Content-Length`.
    pub body: Option<Vec<u8>>,
}

/// A response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Names in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// Returns the first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Returns what the program of a generated server says of the request.
    pub fn report(&self) -> Option<Value> {
        serde_json::from_str(self.header("x-report")?).ok()
    }

    /// Whether the generated server refused the request with a body that only a person can write.
    pub fn is_unwritten(&self) -> bool {
        self.report().is_some_and(|report| report["unwritten"] == true)
    }

    /// Returns all values of a header.
    pub fn all<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        self.headers.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// Sends a request on a connection of its own.
///
/// # Errors
///
/// Returns an error if there is no complete response within the time limit.
pub fn send(address: SocketAddr, request: &Request) -> Result<Response> {
    let mut stream = TcpStream::connect(address).context("the server cannot be reached")?;
    stream.set_read_timeout(Some(TIME))?;
    let mut head =
        format!("{} {} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n", request.method, request.target);
    for (name, value) in &request.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = &request.body {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    bytes.extend(request.body.iter().flatten());
    // A server may refuse before it has read the body, and then closes the connection.
    let sent = stream.write_all(&bytes);
    let mut received = Vec::new();
    let read = stream.read_to_end(&mut received);
    if received.is_empty() {
        sent.context("the request cannot be sent")?;
        read.context("there is no response")?;
    }
    parse(&received, request.method == "HEAD")
}

fn parse(bytes: &[u8], head_only: bool) -> Result<Response> {
    let end = find(bytes, b"\r\n\r\n").context("the response has no end of its head")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let status =
        lines.next().and_then(|line| line.split(' ').nth(1)).context("the response has no status")?;
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let status = status.parse().context("the status is not a number")?;
    let mut response = Response { status, headers, body: bytes[end + 4..].to_vec() };
    if response.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"))
        && !head_only
    {
        response.body = chunks(&response.body)?;
    }
    response.headers.retain(|(name, _)| !matches!(name.as_str(), "transfer-encoding" | "connection"));
    Ok(response)
}

fn chunks(mut bytes: &[u8]) -> Result<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = find(bytes, b"\r\n").context("a chunk has no size")?;
        let size = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16)
            .context("the size of a chunk is not a number")?;
        if size == 0 {
            return Ok(whole);
        }
        bytes = &bytes[end + 2..];
        ensure!(bytes.len() >= size + 2, "a chunk is incomplete");
        whole.extend(&bytes[..size]);
        bytes = &bytes[size + 2..];
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

impl fmt::Display for Request {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.method, self.target)?;
        for (name, value) in &self.headers {
            write!(formatter, " | {name}: {value}")?;
        }
        if let Some(body) = &self.body {
            write!(formatter, " | {}", String::from_utf8_lossy(body).escape_debug())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn chunks_become_one_body() {
        let text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n3\r\nabc\r\n1;x\r\nd\r\n0\r\n\r\n";
        let response = parse(text, false).expect("it is complete");
        assert_eq!((response.status, response.body.as_slice()), (200, b"abcd".as_slice()));
        assert_eq!(response.header("x-a"), Some("b"));
        assert!(parse(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", false).is_err());
    }
}
