//! [`Parser`]: events from bytes that may be split anywhere.

use super::Event;
use crate::codec::StreamError;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Parser of an event stream (HTML standard, "Interpreting an event stream").
#[derive(Debug)]
pub(super) struct Parser {
    /// Received bytes, some of which are parsed already.
    buffer: Vec<u8>,
    /// The number of parsed bytes in the buffer.
    read: usize,
    /// The number of bytes in the buffer that are known to contain no line end after the parsed ones.
    searched: usize,
    /// The maximum size of an event, in bytes.
    limit: usize,
    started: bool,
    /// Whether the last line ended with CR, so that LF at the start of the next line belongs to it.
    after_cr: bool,
    kind: String,
    data: String,
    retry: Option<u64>,
    last_id: Option<String>,
}

impl Parser {
    pub(super) const fn new(limit: usize) -> Self {
        Self {
            buffer: Vec::new(),
            read: 0,
            searched: 0,
            limit,
            started: false,
            after_cr: false,
            kind: String::new(),
            data: String::new(),
            retry: None,
            last_id: None,
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.read);
        self.searched -= self.read;
        self.read = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete event, or `None` if more bytes are needed. An unfinished event at the end of
    /// the stream is dropped.
    pub(super) fn next(&mut self) -> Result<Option<Event<String>>, StreamError> {
        if !self.started {
            if self.buffer.len() < BOM.len() && BOM.starts_with(&self.buffer) {
                return Ok(None);
            }
            self.started = true;
            if self.buffer.starts_with(BOM) {
                self.read = BOM.len();
                self.searched = self.read;
            }
        }
        while let Some(line) = self.line() {
            if line.is_empty() {
                if let Some(event) = self.dispatch() {
                    return Ok(Some(event));
                }
            } else {
                self.field(&line);
            }
            if self.data.len() + self.kind.len() > self.limit {
                return Err(StreamError::too_long(self.limit as u64));
            }
        }
        if self.data.len() + (self.buffer.len() - self.read) > self.limit {
            return Err(StreamError::too_long(self.limit as u64));
        }
        Ok(None)
    }

    /// Returns the next complete line, without its line end.
    fn line(&mut self) -> Option<String> {
        if self.after_cr && self.read < self.buffer.len() {
            self.after_cr = false;
            if self.buffer[self.read] == b'\n' {
                self.read += 1;
                self.searched = self.searched.max(self.read);
            }
        }
        let Some(length) = self.buffer[self.searched..].iter().position(|byte| matches!(byte, b'\r' | b'\n'))
        else {
            self.searched = self.buffer.len();
            return None;
        };
        let end = self.searched + length;
        self.after_cr = self.buffer[end] == b'\r';
        let line = String::from_utf8_lossy(&self.buffer[self.read..end]).into_owned();
        self.read = end + 1;
        self.searched = self.read;
        Some(line)
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.kind),
            "data" => {
                self.data.push_str(value);
                self.data.push('\n');
            }
            "id" if !value.contains('\0') => self.last_id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.retry = value.parse().ok();
            }
            // A line that begins with a colon is a comment; unknown fields are ignored.
            _ => {}
        }
    }

    fn dispatch(&mut self) -> Option<Event<String>> {
        let kind = std::mem::take(&mut self.kind);
        let mut data = std::mem::take(&mut self.data);
        // A block without a `data` line is not an event, but its `retry` still applies to the next one.
        data.pop()?;
        Some(Event {
            kind: (!kind.is_empty()).then_some(kind),
            id: self.last_id.clone().filter(|id| !id.is_empty()),
            retry: self.retry.take(),
            data,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Event, Parser};

    /// Parses the bytes, which arrive in pieces of this size.
    fn read(bytes: &[u8], size: usize) -> Vec<Event<String>> {
        let mut parser = Parser::new(1000);
        let mut events = Vec::new();
        for piece in bytes.chunks(size) {
            parser.push(piece);
            while let Some(event) = parser.next().unwrap() {
                events.push(event);
            }
        }
        events
    }

    #[track_caller]
    fn expect(text: &str, expected: &[Event<&str>]) {
        for size in [1, 2, 3, 5, 7, 1000] {
            let got = read(text.as_bytes(), size);
            let got: Vec<Event<&str>> = got
                .iter()
                .map(|event| Event {
                    kind: event.kind.clone(),
                    id: event.id.clone(),
                    retry: event.retry,
                    data: event.data.as_str(),
                })
                .collect();
            assert_eq!(got, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn the_examples_of_the_standard_are_read() {
        expect("data: YHOO\ndata: +2\ndata: 10\n\n", &[Event::new("YHOO\n+2\n10")]);
        expect(
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
            &[Event::new("first event").with_id("1"), Event::new("second event")],
        );
        expect("data\n\ndata\ndata\n\ndata:", &[Event::new(""), Event::new("\n")]);
        expect("data:test\n\ndata: test\n\n", &[Event::new("test"), Event::new("test")]);
    }

    #[test]
    fn every_end_of_line_counts_once() {
        let expected = [Event::new("a\nb").with_kind("x"), Event::new("ü€😀")];
        for end in ["\n", "\r", "\r\n"] {
            expect(&"event: x\ndata: a\ndata: b\n\ndata: ü€😀\n\n:\n".replace('\n', end), &expected);
        }
        expect("data: a\r\n\ndata: b\r\r", &[Event::new("a"), Event::new("b")]);
    }

    #[test]
    fn a_mark_of_byte_order_is_skipped_once() {
        expect("\u{feff}data: a\n\n\u{feff}data: b\n\n", &[Event::new("a")]);
    }

    #[test]
    fn ids_last_and_must_not_hold_nul() {
        expect(
            "id: 1\ndata: a\n\nid: 2\0\ndata: b\n\nid: 3\n\ndata: c\n\n",
            &[Event::new("a").with_id("1"), Event::new("b").with_id("1"), Event::new("c").with_id("3")],
        );
    }

    #[test]
    fn retry_is_digits_only() {
        expect(
            "retry: 20\ndata: a\n\nretry: 2x\ndata: b\n\nretry: 5\n\ndata: c\n\n",
            &[
                Event { retry: Some(20), ..Event::new("a") },
                Event::new("b"),
                Event { retry: Some(5), ..Event::new("c") },
            ],
        );
    }

    #[test]
    fn broken_utf_8_is_replaced() {
        assert_eq!(read(b"data: a\xffb\n\n", 1), [Event::new("a\u{fffd}b".to_owned())]);
    }

    #[test]
    fn an_event_cannot_grow_without_bound() {
        for text in ["data: 0123456789".to_owned(), "data: 01\n".repeat(9), "x".repeat(11)] {
            let mut parser = Parser::new(10);
            parser.push(text.as_bytes());
            assert!(parser.next().unwrap_err().is_too_long(), "{text}");
        }
    }
}
