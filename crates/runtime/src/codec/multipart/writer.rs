//! [`PartsWriter`]: encoding of members as the parts of a body.

use crate::codec::{ByteStream, File, text};
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde::Serialize;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The parts of a body that is being written.
#[derive(Debug)]
pub struct PartsWriter {
    boundary: String,
    pieces: Vec<ByteStream>,
    /// Text that has not been added to the pieces yet.
    pending: String,
    problem: Option<String>,
}

impl Default for PartsWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl PartsWriter {
    /// Starts without parts.
    pub fn new() -> Self {
        // The boundary is random: files are not searched for it while they stream, so their authors must not
        // be able to predict it.
        let random = || RandomState::new().build_hasher().finish();
        let boundary = format!("part-{:016x}{:016x}", random(), random());
        Self { boundary, pieces: Vec::new(), pending: String::new(), problem: None }
    }

    /// Adds a scalar as text; any other value as JSON.
    pub fn text<T: Serialize>(&mut self, name: &str, media_type: Option<&str>, value: T) {
        match text::scalar(&value) {
            Ok(Some(text)) => {
                self.head(name, None, concrete(media_type));
                self.pending.push_str(&text);
                self.pending.push_str("\r\n");
            }
            Ok(None) => self.json(name, media_type, value),
            Err(problem) => self.fail(&format!("{name} {problem}")),
        }
    }

    /// Adds a part with JSON.
    pub fn json<T: Serialize>(&mut self, name: &str, media_type: Option<&str>, value: T) {
        match serde_json::to_string(&value) {
            Ok(json) => {
                self.head(name, None, Some(concrete(media_type).unwrap_or("application/json")));
                self.pending.push_str(&json);
                self.pending.push_str("\r\n");
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
        self.head(name, Some(file_name), Some(media_type));
        self.flush();
        self.pieces.push(file.content);
        self.pending.push_str("\r\n");
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

    /// Returns the `Content-Type` and the body.
    pub(super) fn finish(mut self, media_type: &str) -> Result<(String, ByteStream), String> {
        if let Some(problem) = self.problem {
            return Err(problem);
        }
        let content_type = format!("{media_type}; boundary={}", self.boundary);
        self.pending.push_str(&format!("--{}--\r\n", self.boundary));
        self.flush();
        let length = self.pieces.iter().map(ByteStream::length).sum::<Option<u64>>();
        let body = ByteStream::new(stream::iter(self.pieces).flatten());
        Ok((
            content_type,
            match length {
                Some(length) => body.with_length(length),
                None => body,
            },
        ))
    }

    fn head(&mut self, name: &str, file_name: Option<&str>, media_type: Option<&str>) {
        let mut head =
            format!("--{}\r\nContent-Disposition: form-data; name=\"{}\"", self.boundary, quoted(name));
        if let Some(file_name) = file_name {
            head.push_str(&format!("; filename=\"{}\"", quoted(file_name)));
        }
        if let Some(media_type) = media_type {
            head.push_str(&format!("\r\nContent-Type: {media_type}"));
        }
        self.pending.push_str(&head);
        self.pending.push_str("\r\n\r\n");
    }

    fn flush(&mut self) {
        if !self.pending.is_empty() {
            self.pieces.push(Bytes::from(std::mem::take(&mut self.pending)).into());
        }
    }
}

/// Returns the media type, unless it is a range or a list, which is not valid in a `Content-Type`.
fn concrete(media_type: Option<&str>) -> Option<&str> {
    media_type.filter(|media_type| !media_type.contains(['*', ',']))
}

/// Escapes text within quotes, as the HTML standard ("Multipart form data") defines it.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}
