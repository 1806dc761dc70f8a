//! Parser of server-sent events, as chat completions endpoints stream them.
//!
//! Only the data of events matters. Their names, ids and comments, which some servers send to keep the
//! connection open, are ignored.

/// Splits a stream of bytes, which may end anywhere in a line, into the data of events.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// Bytes of the line that is not finished yet.
    line: Vec<u8>,
    /// Lines of data of the event that is not finished yet.
    data: Vec<u8>,
    /// Whether the line before ended with a carriage return, which a line feed may belong to.
    after_return: bool,
}

impl Events {
    /// Adds bytes, and returns the data of all events that they finish.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut finished = Vec::new();
        for byte in bytes {
            let is_rest_of_end = *byte == b'\n' && self.after_return;
            self.after_return = *byte == b'\r';
            match byte {
                b'\n' if is_rest_of_end => {}
                b'\n' | b'\r' => finished.extend(self.end_line()),
                other => self.line.push(*other),
            }
        }
        finished
    }

    /// Returns the data of an event that the end of the stream has cut off before its empty line. Some
    /// servers omit it.
    pub(super) fn finish(mut self) -> Option<String> {
        self.end_line().or_else(|| self.end_event())
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return self.end_event();
        }
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data.extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
        None
    }

    fn end_event(&mut self) -> Option<String> {
        let data = std::mem::take(&mut self.data);
        (!data.is_empty()).then(|| String::from_utf8_lossy(&data).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, step: usize) -> Vec<String> {
        let mut events = Events::default();
        let mut found: Vec<String> =
            text.as_bytes().chunks(step).flat_map(|bytes| events.push(bytes)).collect();
        found.extend(events.finish());
        found
    }

    #[test]
    fn events_are_the_same_wherever_the_stream_is_cut() {
        let text = "\u{feff}: ping\n\ndata: {\"a\":\"é\"}\n\nevent: x\r\ndata:one\r\ndata: two\r\n\r\nid: 7\n\n\
                    data: [DONE]";
        for step in 1..text.len() {
            assert_eq!(all(text, step), ["{\"a\":\"é\"}", "one\ntwo", "[DONE]"], "{step}");
        }
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        assert_eq!(all("data: a\r\rdata: b\r\n\r\n", 3), ["a", "b"]);
    }
}
