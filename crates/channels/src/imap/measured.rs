//! What a mailbox may say in one step of the conversation.
//!
//! The protocol library makes room for a literal (`{SIZE}`, followed by so many bytes) as soon as it is
//! announced, reads lines of any length, and reads the beginning of a line again whenever more of it has
//! arrived. Therefore the bytes are looked at before the library gets them: lines together have a limit,
//! literals have another, and a literal is accepted where one was asked for only, in a response to `FETCH`.
//! Everything else ends the connection.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Why a server is not listened to any longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Excess {
    /// Its lines are longer than all that was asked for.
    #[error("the server sent more than was asked for")]
    Lines,
    /// It announced a larger literal than fits.
    #[error("the server announced {0} bytes, more than was asked for")]
    Literal(u64),
    /// It announced a literal where none belongs.
    #[error("the server sent a response that cannot be read")]
    Unexpected,
}

/// A connection to a mail server of which at most as much is read as the present step needs.
#[derive(Debug)]
pub(super) struct Measured<S> {
    stream: S,
    scanner: Scanner,
}

impl<S> Measured<S> {
    /// Measures a connection on which `lines` bytes may arrive before the first [`allow`](Self::allow).
    pub(super) fn new(stream: S, lines: u64) -> Self {
        Self { stream, scanner: Scanner { lines, ..Scanner::default() } }
    }

    /// Begins a step in which lines of together `lines` bytes and literals of together `literals` bytes may
    /// arrive.
    pub(super) fn allow(&mut self, lines: u64, literals: u64) {
        self.scanner.lines = lines;
        self.scanner.literals = literals;
    }

    /// Returns the connection.
    pub(super) fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Measured<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        let new = buffer.filled().get(before..).unwrap_or_default();
        Poll::Ready(this.scanner.scan(new).map_err(io::Error::other))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Measured<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Follows lines and literals.
#[derive(Debug, Default)]
struct Scanner {
    /// Bytes of lines that may follow.
    lines: u64,
    /// Bytes of literals that may be announced.
    literals: u64,
    /// Bytes of the present literal that follow.
    skip: u64,
    /// How far the beginning of the response says that it is one to `FETCH`.
    beginning: Beginning,
    /// How far the end of the line says that a literal follows.
    end: End,
}

/// The beginning of a response: `* NUMBER FETCH `.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    #[default]
    Star,
    FirstSpace,
    Number,
    /// So many bytes of the name are there.
    Name(usize),
    Fetch,
    Other,
}

const NAME: &[u8] = b"FETCH ";

impl Beginning {
    fn and(self, byte: u8) -> Self {
        match self {
            Self::Star if byte == b'*' => Self::FirstSpace,
            Self::FirstSpace if byte == b' ' => Self::Number,
            Self::Number if byte.is_ascii_digit() => Self::Number,
            Self::Number if byte == b' ' => Self::Name(0),
            Self::Name(there) if NAME.get(there).is_some_and(|name| name.eq_ignore_ascii_case(&byte)) => {
                if there + 1 == NAME.len() {
                    Self::Fetch
                } else {
                    Self::Name(there + 1)
                }
            }
            Self::Fetch => Self::Fetch,
            _ => Self::Other,
        }
    }
}

/// The end of a line: `{SIZE}` and a line break.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum End {
    #[default]
    Text,
    Open(u64),
    Closed(u64),
}

impl End {
    fn and(self, byte: u8) -> Self {
        match self {
            _ if byte == b'{' => Self::Open(0),
            Self::Open(size) if byte.is_ascii_digit() => {
                Self::Open(size.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
            }
            Self::Open(size) if byte == b'}' => Self::Closed(size),
            Self::Closed(size) if byte == b'\r' => Self::Closed(size),
            _ => Self::Text,
        }
    }
}

impl Scanner {
    fn scan(&mut self, mut bytes: &[u8]) -> Result<(), Excess> {
        loop {
            let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len());
            self.skip -= skipped as u64;
            bytes = bytes.get(skipped..).unwrap_or_default();
            let Some((byte, rest)) = bytes.split_first() else { return Ok(()) };
            self.take(*byte)?;
            bytes = rest;
        }
    }

    fn take(&mut self, byte: u8) -> Result<(), Excess> {
        self.lines = self.lines.checked_sub(1).ok_or(Excess::Lines)?;
        if byte != b'\n' {
            self.beginning = self.beginning.and(byte);
            self.end = self.end.and(byte);
            return Ok(());
        }
        match std::mem::take(&mut self.end) {
            End::Closed(_) if self.beginning != Beginning::Fetch => Err(Excess::Unexpected),
            End::Closed(size) => {
                self.literals = self.literals.checked_sub(size).ok_or(Excess::Literal(size))?;
                // The response goes on after the literal.
                self.skip = size;
                Ok(())
            }
            End::Text | End::Open(_) => {
                self.beginning = Beginning::default();
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scans a text in pieces of every size, with 200 bytes of lines and 10 of literals.
    fn scan(text: &str) -> Result<(), Excess> {
        let results = (1..=text.len()).map(|size| {
            let mut scanner = Scanner { lines: 200, literals: 10, ..Scanner::default() };
            text.as_bytes().chunks(size).try_for_each(|piece| scanner.scan(piece))
        });
        let results: Vec<_> = results.collect();
        assert!(results.iter().all(|result| *result == results[0]), "{text:?}: {results:?}");
        results[0]
    }

    #[test]
    fn literals_are_accepted_where_they_were_asked_for() {
        for (text, expected) in [
            ("* OK ready\r\n", Ok(())),
            ("* 1 FETCH (UID 1 BODY[] {10}\r\n0123456789)\r\nA OK\r\n", Ok(())),
            ("* 1 fetch (UID 1 BODY[] {6}\r\n{99}\r\n FLAGS {4}\r\n0123)\r\n", Ok(())),
            // What a literal contains is nobody's announcement.
            ("* 1 FETCH (BODY[] {10}\r\n* {99}\r\n\r\n)\r\n", Ok(())),
            ("* 1 FETCH (BODY[] {11}\r\n", Err(Excess::Literal(11))),
            ("* 1 FETCH (BODY[] {6}\r\n012345 {5}\r\n", Err(Excess::Literal(5))),
            ("* 1 FETCH (BODY[] {99999999999999999999999}\r\n", Err(Excess::Literal(u64::MAX))),
            ("* OK hello {5}\r\n", Err(Excess::Unexpected)),
            ("* LIST () \"/\" {5}\r\n", Err(Excess::Unexpected)),
            ("* 1 EXISTS {5}\r\n", Err(Excess::Unexpected)),
            ("* OK FETCH {5}\r\n", Err(Excess::Unexpected)),
            ("* OK {5} done\r\n", Ok(())),
            ("* 1 FETCH (FLAGS ())\r\n* OK {5}\r\n", Err(Excess::Unexpected)),
        ] {
            assert_eq!(scan(text), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_end_somewhere() {
        assert_eq!(scan(&"x".repeat(200)), Ok(()));
        assert_eq!(scan(&"x".repeat(201)), Err(Excess::Lines));
        assert_eq!(scan(&"* 1 EXISTS\r\n".repeat(16)), Ok(()));
        assert_eq!(scan(&"* 1 EXISTS\r\n".repeat(17)), Err(Excess::Lines));
    }
}
