//! Reads JSON (RFC 8259) in one pass over the bytes, keeping the place of every value.

use std::borrow::Cow;
use std::ops::Range;

use crate::builder::{Builder, Stop};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::scalar::fits_double;
use crate::source::offset_of;
use crate::tree::{Data, Text};

/// Reads the text of the builder's file into the builder.
pub(crate) fn read(builder: &mut Builder<'_>) -> Result<(), Stop> {
    let text = builder.source.text();
    Reader { text, bytes: text.as_bytes(), at: 0, builder }.run()
}

struct Reader<'r, 'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    builder: &'r mut Builder<'a>,
}

impl Reader<'_, '_> {
    fn run(&mut self) -> Result<(), Stop> {
        self.space();
        self.value()?;
        while self.builder.has_open() {
            self.space();
            let object = self.builder.in_object();
            let close = if object { b'}' } else { b']' };
            match self.peek() {
                Some(b',') => {
                    let comma = self.at;
                    self.at += 1;
                    self.space();
                    if self.peek() == Some(close) {
                        return Err(self.error_at(
                            comma..comma + 1,
                            "a comma before the closing bracket",
                            Some("remove the comma"),
                        ));
                    }
                    if object {
                        self.key()?;
                    }
                    self.value()?;
                }
                Some(byte) if byte == close => {
                    self.at += 1;
                    self.builder.close(Some(offset_of(self.at)));
                }
                Some(b'"' | b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                    return Err(self.error(
                        "a comma is missing between two values",
                        Some("write a comma before this value"),
                    ));
                }
                Some(_) => return Err(self.error(&format!("expected `,` or `{}`", char::from(close)), None)),
                None => return Err(self.unclosed()),
            }
        }
        self.space();
        if self.at < self.bytes.len() {
            return Err(self.error("text after the end of the value", Some("keep one value in a file")));
        }
        Ok(())
    }

    /// Returns the next key of an object and its colon.
    fn key(&mut self) -> Result<(), Stop> {
        if self.peek() != Some(b'"') {
            return Err(match self.peek() {
                None => self.unclosed(),
                Some(_) => self.error("an object key must be a string in double quotes", None),
            });
        }
        let start = self.at;
        let text = self.string()?;
        self.builder.key(text, &(offset_of(start)..offset_of(self.at)), false);
        self.space();
        if self.peek() != Some(b':') {
            return Err(match self.peek() {
                None => self.unclosed(),
                Some(_) => self.error("expected `:` after an object key", None),
            });
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// Returns a scalar, or the start of arrays and objects up to the first scalar in them.
    fn value(&mut self) -> Result<(), Stop> {
        // Nested opening brackets are read in a loop: the depth of the input must not become the depth of the
        // stack.
        loop {
            let start = self.at;
            let range = |end: usize| offset_of(start)..offset_of(end);
            match self.peek() {
                Some(byte @ (b'{' | b'[')) => {
                    let object = byte == b'{';
                    self.at += 1;
                    self.builder.open(object, &range(self.at))?;
                    self.space();
                    if self.peek() == Some(if object { b'}' } else { b']' }) {
                        self.at += 1;
                        self.builder.close(Some(offset_of(self.at)));
                        return Ok(());
                    }
                    if object {
                        self.key()?;
                    }
                }
                Some(b'"') => {
                    let text = self.string()?;
                    self.builder.scalar(Data::String(text), &range(self.at));
                    return Ok(());
                }
                Some(b'-' | b'0'..=b'9') => {
                    let data = self.number()?;
                    self.builder.scalar(data, &range(self.at));
                    return Ok(());
                }
                Some(b't' | b'f' | b'n') => {
                    let data = self.literal()?;
                    self.builder.scalar(data, &range(self.at));
                    return Ok(());
                }
                Some(b'/' | b'#') => {
                    return Err(self.error(
                        "JSON has no comments",
                        Some("remove the comment, or write the file in YAML"),
                    ));
                }
                Some(b'\'') => return Err(self.error("a string must be in double quotes", None)),
                Some(_) => return Err(self.error("expected a value", None)),
                None => return Err(self.unclosed()),
            }
        }
    }

    fn literal(&mut self) -> Result<Data, Stop> {
        for (word, data) in [("true", Data::Bool(true)), ("false", Data::Bool(false)), ("null", Data::Null)] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(data);
            }
        }
        Err(self.error("expected a value", Some("quote the text if it is a string")))
    }

    fn number(&mut self) -> Result<Data, Stop> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.digits();
        if whole == 0 {
            return Err(self.error("a number needs a digit here", None));
        }
        if whole > 1 && self.bytes[self.at - whole] == b'0' {
            return Err(self.error_at(
                start..self.at,
                "a number must not begin with 0",
                Some("quote it if it is text"),
            ));
        }
        let mut integer = true;
        if self.peek() == Some(b'.') {
            integer = false;
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.error("a number needs a digit after the point", None));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            integer = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.error("a number needs a digit in its exponent", None));
            }
        }
        let written = &self.text[start..self.at];
        let text = Text::source(offset_of(start), offset_of(self.at - start));
        if !fits_double(written) {
            let range = offset_of(start)..offset_of(self.at);
            self.builder
                .unrepresentable(format!("the number `{written}` does not fit in a double"), &range)?;
            return Ok(Data::String(text));
        }
        Ok(if integer { Data::Integer(text) } else { Data::Number(text) })
    }

    fn digits(&mut self) -> usize {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        count
    }

    /// Reads a string, from its opening to its closing quote.
    fn string(&mut self) -> Result<Text, Stop> {
        let opening = self.at;
        self.at += 1;
        let start = self.at;
        let mut unescaped = Cow::Borrowed("");
        let mut literal = start;
        loop {
            let rest = &self.bytes[self.at..];
            let Some(length) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F)) else {
                return Err(self.error_at(
                    opening..opening + 1,
                    "the string is not closed",
                    Some("write `\"` at the end of the string"),
                ));
            };
            self.at += length;
            match self.bytes[self.at] {
                b'"' => break,
                b'\\' => {
                    let text = unescaped.to_mut();
                    text.push_str(&self.text[literal..self.at]);
                    let character = self.escape()?;
                    unescaped.to_mut().push(character);
                    literal = self.at;
                }
                _ => {
                    return Err(self.error(
                        "a control character in a string",
                        Some("write it as an escape, such as `\\n` or `\\t`"),
                    ));
                }
            }
        }
        let end = self.at;
        self.at += 1;
        if literal == start {
            return Ok(Text::source(offset_of(start), offset_of(end - start)));
        }
        let mut text = unescaped.into_owned();
        text.push_str(&self.text[literal..end]);
        Ok(self.builder.pool(&text))
    }

    /// One escape, from its backslash to its last character.
    fn escape(&mut self) -> Result<char, Stop> {
        let start = self.at;
        let Some(kind) = self.bytes.get(start + 1) else { return Err(self.unclosed()) };
        self.at += 2;
        Ok(match kind {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode_escape(start),
            _ => {
                let end = start + 1 + self.text[start + 1..].chars().next().map_or(1, char::len_utf8);
                return Err(self.error_at(
                    start..end,
                    "not an escape that JSON knows",
                    Some("write `\\\\` for a backslash"),
                ));
            }
        })
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, Stop> {
        let first = self.four_digits(start)?;
        let code = match first {
            0xD800..=0xDBFF if self.bytes[self.at..].starts_with(b"\\u") => {
                self.at += 2;
                let second = self.four_digits(start)?;
                if !(0xDC00..=0xDFFF).contains(&second) {
                    return Err(self.lone_surrogate(start));
                }
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            other => other,
        };
        char::from_u32(code).ok_or_else(|| self.lone_surrogate(start))
    }

    fn four_digits(&mut self, start: usize) -> Result<u32, Stop> {
        let digits = self
            .text
            .get(self.at..self.at + 4)
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let Some(value) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(self.error_at(start..start + 2, "`\\u` needs four hexadecimal digits", None));
        };
        self.at += 4;
        Ok(value)
    }

    fn lone_surrogate(&self, start: usize) -> Stop {
        self.error_at(
            start..self.at,
            "half of a surrogate pair is not a character",
            Some("write the character itself"),
        )
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn unclosed(&self) -> Stop {
        let mut stop = self.error("the text ends inside a value", Some("close every bracket and quote"));
        if let Some(open) = self.builder.open_span() {
            *stop = stop.related(open, "this is not closed");
        }
        stop
    }

    fn error(&self, message: &str, hint: Option<&str>) -> Stop {
        let length = self.text.get(self.at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        self.error_at(self.at..self.at + length, message, hint)
    }

    fn error_at(&self, range: Range<usize>, message: &str, hint: Option<&str>) -> Stop {
        let span = self.builder.span(&(offset_of(range.start)..offset_of(range.end)));
        let mut diagnostic =
            Diagnostic::error(codes::INVALID_JSON, span, format!("not valid JSON: {message}"));
        diagnostic.hint = hint.map(str::to_owned);
        Box::new(diagnostic)
    }
}
