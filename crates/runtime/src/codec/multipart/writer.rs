//! [`PartsWriter`]: encoding of members as the parts of a body.

use crate::codec::{ByteStream, File, text};
use bytes::Bytes;
use memchr::memmem;
use serde::Serialize;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};

/// The parts of a body that is being written.
#[derive(Debug, Default)]
pub struct PartsWriter {
    parts: Vec<Written>,
    problem: Option<String>,
}

/// A part without the boundaries around it.
#[derive(Debug)]
struct Written {
    /// The header lines.
    head: String,
    content: ByteStream,
}

impl PartsWriter {
    /// Starts without parts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a scalar as text; any other value as JSON.
    pub fn text<T: Serialize>(&mut self, name: &str, media_type: Option<&str>, value: T) {
        match text::scalar(&value) {
            Ok(Some(text)) => self.part(name, None, concrete(media_type), text),
            Ok(None) => self.json(name, media_type, value),
            Err(problem) => self.fail(&format!("{name} {problem}")),
        }
    }

    /// Adds a part with JSON.
    pub fn json<T: Serialize>(&mut self, name: &str, media_type: Option<&str>, value: T) {
        match serde_json::to_string(&value) {
            Ok(json) => {
                let media_type = concrete(media_type).unwrap_or("application/json");
                self.part(name, None, Some(media_type), json);
            }
            Err(problem) => self.fail(&format!("{name} cannot be written as JSON: {problem}")),
        }
    }

    /// Adds a file. The file's own media type takes precedence over the given one.
    pub fn file(&mut self, name: &str, media_type: Option<&str>, file: File) {
        let own = file.content_type.as_deref().filter(|own| !own.contains(['\r', '\n']));
        let media_type = own.or_else(|| concrete(media_type)).unwrap_or("application/octet-stream");
        // Many readers treat a part as a file only if it has a file name.
        let file_name = file.name.as_deref().unwrap_or("file");
        self.part(name, Some(file_name), Some(media_type), file.content);
    }

    /// Adds a member of any type: a scalar as text, a list as one part for each entry, everything else as
    /// JSON.
    pub(super) fn member<T: Serialize>(&mut self, name: &str, value: &T) {
        match serde_json::to_value(value) {
            Ok(serde_json::Value::Array(entries)) => {
                for entry in entries {
                    self.text(name, None, entry);
                }
            }
            _ => self.text(name, None, value),
        }
    }

    /// Records why the body cannot be sent.
    pub(super) fn fail(&mut self, problem: &str) {
        self.problem.get_or_insert_with(|| problem.to_owned());
    }

    /// Returns the `Content-Type` and the body. With the same key, parts that are in memory become the same
    /// bytes every time.
    pub(crate) fn finish(self, media_type: &str, key: Option<&str>) -> Result<(String, ByteStream), String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let boundary = key.and_then(|key| boundary_of(key, &self.parts)).unwrap_or_else(random_boundary);
        let content_type = format!("{media_type}; boundary={boundary}");
        let mut streams = Vec::with_capacity(2 * self.parts.len() + 1);
        let mut line_break = "";
        for Written { head, content } in self.parts {
            streams.push(format!("{line_break}--{boundary}\r\n{head}\r\n\r\n").into());
            streams.push(content);
            line_break = "\r\n";
        }
        streams.push(format!("{line_break}--{boundary}--\r\n").into());
        Ok((content_type, ByteStream::joined(merged(streams))))
    }

    fn part(
        &mut self,
        name: &str,
        file_name: Option<&str>,
        media_type: Option<&str>,
        content: impl Into<ByteStream>,
    ) {
        let mut head = format!("Content-Disposition: form-data; name=\"{}\"", quoted(name));
        if let Some(file_name) = file_name {
            head.push_str(&format!("; filename=\"{}\"", quoted(file_name)));
        }
        if let Some(media_type) = media_type {
            head.push_str(&format!("\r\nContent-Type: {media_type}"));
        }
        self.parts.push(Written { head, content: content.into() });
    }
}

/// Returns a random boundary: content that is not in memory cannot be searched for the boundary, so its
/// authors must not be able to predict it.
fn random_boundary() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("part-{:016x}{:016x}", random(), random())
}

/// Returns the boundary that belongs to a key, which no part contains; `None` if a part is not in memory.
fn boundary_of(key: &str, parts: &[Written]) -> Option<String> {
    let contents: Vec<&Bytes> = parts.iter().map(|part| part.content.in_memory()).collect::<Option<_>>()?;
    let candidates = (0_u64..).map(|salt| {
        let half = |side: u8| {
            let mut hasher = DefaultHasher::new();
            (key, salt, side).hash(&mut hasher);
            hasher.finish()
        };
        format!("part-{:016x}{:016x}", half(0), half(1))
    });
    candidates.into_iter().find(|candidate| {
        let finder = memmem::Finder::new(candidate);
        contents.iter().all(|content| finder.find(content).is_none())
            && parts.iter().all(|part| finder.find(part.head.as_bytes()).is_none())
    })
}

/// Joins neighbors that are in memory, so that a body of texts is one piece.
fn merged(streams: Vec<ByteStream>) -> Vec<ByteStream> {
    const SMALL: usize = 16 << 10;

    let mut merged = Vec::new();
    let mut pending = Vec::new();
    for stream in streams {
        match stream.in_memory() {
            Some(bytes) if bytes.len() <= SMALL => pending.extend_from_slice(bytes),
            _ => {
                if !pending.is_empty() {
                    merged.push(std::mem::take(&mut pending).into());
                }
                merged.push(stream);
            }
        }
    }
    if !pending.is_empty() {
        merged.push(pending.into());
    }
    merged
}

/// Returns the media type, unless it is a range or a list, which is not valid in a `Content-Type`.
fn concrete(media_type: Option<&str>) -> Option<&str> {
    media_type.filter(|media_type| !media_type.contains(['*', ',']))
}

/// Escapes text within quotes, as the HTML standard ("Multipart form data") defines it.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
