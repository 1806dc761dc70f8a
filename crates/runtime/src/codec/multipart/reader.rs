//! [`Parts`]: the parts of a received body.

use super::super::{ByteStream, File, media_type::is_listed, text};
use crate::{
    check::{Failure, UNKNOWN_MEMBER},
    whole_numbers,
};
use bytes::Bytes;
use memchr::memmem;
use serde::de::{DeserializeOwned, DeserializeSeed};
use std::collections::{BTreeMap, VecDeque};

/// The maximum number of parts. Without it, a small body could cause a lot of work.
const MOST_PARTS: usize = 10_000;
/// The maximum size of the head of a part, in bytes.
const LONGEST_HEAD: usize = 16 * 1024;

/// The parts of a received body, by name.
#[derive(Debug, Default)]
pub struct Parts {
    by_name: BTreeMap<String, VecDeque<Part>>,
    failures: Vec<Failure>,
    /// The media types that the next parts may have, if the document lists them.
    media_types: Option<&'static str>,
}

/// One part of a received body.
#[derive(Debug, Default)]
pub struct Part {
    file_name: Option<String>,
    content_type: Option<String>,
    content: Bytes,
    /// Whether a server receives the part.
    received: bool,
}

/// Marks a part that could not be read. The reason is recorded in [`Parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartError;

impl Part {
    /// Returns the part as a file.
    pub fn file(self) -> Result<File, String> {
        let content = ByteStream::from(self.content).received(self.received);
        Ok(File { name: self.file_name, content_type: self.content_type, content })
    }

    /// Reads the part as a scalar in text, or as JSON if that is its media type.
    pub fn text<T: DeserializeOwned>(self) -> Result<T, String> {
        if self.is_json() {
            return self.json();
        }
        let content = std::str::from_utf8(&self.content).map_err(|_| "must be text in UTF-8".to_owned())?;
        text::from_scalar(content)
    }

    /// Like [`text`](Self::text), with a deserialization seed. Returns the first interpretation that `fits`,
    /// or else the most literal one.
    pub fn text_with<T, S>(self, seed: S, fits: impl Fn(&T) -> bool) -> Result<T, String>
    where
        S: for<'de> DeserializeSeed<'de, Value = T> + Copy,
    {
        if self.is_json() {
            return self.read_json(|text| {
                let mut reader = serde_json::Deserializer::from_str(text);
                seed.deserialize(&mut reader).and_then(|value| reader.end().map(|()| value))
            });
        }
        let content = std::str::from_utf8(&self.content).map_err(|_| "must be text in UTF-8".to_owned())?;
        text::from_scalar_with(content, seed, fits)
    }

    /// Reads the part as JSON.
    pub fn json<T: DeserializeOwned>(self) -> Result<T, String> {
        self.read_json(|text| serde_json::from_str(text))
    }

    /// Whether the part holds this type in JSON.
    fn reads<T: DeserializeOwned>(&self) -> bool {
        self.read_json(|text| serde_json::from_str::<T>(text)).is_ok()
    }

    fn read_json<T>(&self, read: impl Fn(&str) -> Result<T, serde_json::Error>) -> Result<T, String> {
        let text = std::str::from_utf8(&self.content).map_err(|_| "must be JSON in UTF-8".to_owned())?;
        whole_numbers::read(text, read).map_err(|error| not_json(&error))
    }

    /// Returns the file name that the sender states, without any folder.
    pub fn file_name(&self) -> Option<&str> {
        self.file_name.as_deref()
    }

    /// Returns the media type that the sender states.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// Whether the sender states one of these media types, a list such as `image/png, image/*`, or none.
    pub fn is_sent_as(&self, media_types: &str) -> bool {
        self.content_type().is_none_or(|own| is_listed(media_types, own))
    }

    /// Returns the content unchanged.
    pub fn content(&self) -> &Bytes {
        &self.content
    }

    fn is_json(&self) -> bool {
        let essence = self.content_type.as_deref().unwrap_or_default().split(';').next().unwrap_or_default();
        let essence = essence.trim().to_ascii_lowercase();
        essence == "application/json" || essence.ends_with("+json")
    }
}

/// The reason why a part is not the expected JSON.
fn not_json(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Data => error.to_string(),
        _ => format!("must be valid JSON: {error}"),
    }
}

/// The parts that have not been read yet, sorted by name; those of one name in the order of the body.
impl IntoIterator for Parts {
    type Item = (String, Vec<Part>);
    type IntoIter = Box<dyn Iterator<Item = Self::Item> + Send>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.by_name.into_iter().map(|(name, parts)| (name, parts.into())))
    }
}

impl Parts {
    /// Sets the media types that the parts which are taken next may have: a list such as
    /// `image/png, image/*`. A part that states another one is recorded as a failure; one that states none is
    /// taken.
    pub fn sent_as(&mut self, media_types: Option<&'static str>) -> &mut Self {
        self.media_types = media_types;
        self
    }

    /// Sets whether a server receives the parts.
    pub(super) fn received(mut self, received: bool) -> Self {
        self.by_name.values_mut().flatten().for_each(|part| part.received = received);
        self
    }

    /// Takes the only part of this name, if there is one; a second one is recorded as a failure.
    pub fn take<T>(&mut self, name: &str, read: fn(Part) -> Result<T, String>) -> Option<T> {
        let mut parts = self.by_name.remove(name)?;
        if parts.len() > 1 {
            self.fail(name, "must be given once".to_owned());
        }
        self.read(name, parts.pop_front()?, read)
    }

    /// Takes the only part of this name, which is required.
    pub fn take_required<T>(
        &mut self,
        name: &str,
        read: fn(Part) -> Result<T, String>,
    ) -> Result<T, PartError> {
        if !self.by_name.contains_key(name) {
            self.fail(name, "is required".to_owned());
        }
        self.take(name, read).ok_or(PartError)
    }

    /// Takes every part of this name; `None` if there is none.
    pub fn take_all<T>(&mut self, name: &str, read: fn(Part) -> Result<T, String>) -> Option<Vec<T>> {
        let parts = self.by_name.remove(name)?;
        let many = parts.len() > 1;
        let mut entries = Vec::with_capacity(parts.len());
        for (index, part) in parts.into_iter().enumerate() {
            let place = if many { format!("{name}.{index}") } else { name.to_owned() };
            entries.extend(self.read(&place, part, read));
        }
        Some(entries)
    }

    /// Takes a list in JSON: one part that holds the list, or a part for each entry, as RFC 7578 asks for in
    /// section 4.3. `None` if there is no part.
    pub fn take_list<T: DeserializeOwned>(&mut self, name: &str) -> Option<Vec<T>> {
        let parts = self.by_name.get(name)?;
        if parts.len() == 1
            && let Some(part) = parts.front()
            && part.content.trim_ascii_start().starts_with(b"[")
            // A list may also be the only entry of a list of lists.
            && (part.reads::<Vec<T>>() || !part.reads::<T>())
        {
            return self.take(name, Part::json);
        }
        self.take_all(name, Part::json)
    }

    /// Takes a list in JSON, which is required.
    pub fn take_list_required<T: DeserializeOwned>(&mut self, name: &str) -> Result<Vec<T>, PartError> {
        if !self.by_name.contains_key(name) {
            self.fail(name, "is required".to_owned());
        }
        self.take_list(name).ok_or(PartError)
    }

    /// Refuses the remaining parts but for `skipped`, if a server receives them.
    pub fn closed(&mut self, skipped: &[&str]) {
        for (name, parts) in std::mem::take(&mut self.by_name) {
            if parts.iter().any(|part| part.received) && !skipped.contains(&name.as_str()) {
                self.fail(&name, UNKNOWN_MEMBER.to_owned());
            }
        }
    }

    /// Takes all remaining parts.
    pub(super) fn take_rest<T: DeserializeOwned>(&mut self) -> BTreeMap<String, T> {
        self.media_types = None;
        let mut rest = BTreeMap::new();
        for (name, mut parts) in std::mem::take(&mut self.by_name) {
            let value = if parts.len() == 1 {
                parts.pop_front().and_then(|part| self.read(&name, part, Part::text))
            } else {
                let entries = parts.into_iter().map(Part::text::<serde_json::Value>).collect();
                let list: Result<Vec<_>, _> = entries;
                let value = list.and_then(|list| {
                    T::deserialize(serde_json::Value::Array(list)).map_err(|error| error.to_string())
                });
                value.map_err(|rule| self.fail(&name, rule)).ok()
            };
            rest.extend(value.map(|value| (name, value)));
        }
        rest
    }

    pub(super) fn into_failures(self) -> Vec<Failure> {
        self.failures
    }

    fn read<T>(&mut self, name: &str, part: Part, read: fn(Part) -> Result<T, String>) -> Option<T> {
        if let Some(media_types) = self.media_types.filter(|media_types| !part.is_sent_as(media_types)) {
            let media_types: Vec<&str> = media_types.split(',').map(str::trim).collect();
            self.fail(name, format!("must be sent as {}", media_types.join(" or ")));
            return None;
        }
        read(part).map_err(|rule| self.fail(name, rule)).ok()
    }

    fn fail(&mut self, name: &str, rule: String) {
        if self.failures.len() < crate::check::Report::MOST {
            self.failures.push(Failure { path: name.to_owned(), message: rule });
        }
    }

    /// Splits a body into its parts. Their contents share the body's memory.
    pub(super) fn parse(boundary: &str, body: &Bytes) -> Result<Self, String> {
        let mut parts = Self::default();
        let delimiter = format!("\r\n--{boundary}");
        let finder = memmem::Finder::new(delimiter.as_bytes());
        // The first delimiter needs no line break before it.
        let first = body.starts_with(&delimiter.as_bytes()[2..]).then(|| delimiter.len() - 2);
        let mut delimiters = first
            .into_iter()
            .chain(finder.find_iter(body).map(|at| at + delimiter.len()))
            .filter_map(|end| after_delimiter(body, end));
        let (_, mut after) = delimiters.next().ok_or_else(|| broken("has no part"))?;
        let mut count = 0;
        while let After::Part(start) = after {
            let (before, next) = delimiters.next().ok_or_else(|| broken("ends before its last boundary"))?;
            count += 1;
            if count > MOST_PARTS {
                return Err(broken(&format!("has more than {MOST_PARTS} parts")));
            }
            // A part without content may share its line break with the delimiter after it.
            let end = (before - delimiter.len()).max(start);
            let (name, part) = parse_part(&body.slice(start..end))?;
            parts.by_name.entry(name).or_default().push_back(part);
            after = next;
        }
        Ok(parts)
    }
}

fn broken(problem: &str) -> String {
    format!("the multipart body {problem}")
}

/// The text after a delimiter.
enum After {
    /// A part, which starts at this position.
    Part(usize),
    /// The epilogue, which is ignored.
    End,
}

/// Returns the kind of the text after the delimiter that ends at this position, or `None` if a longer line
/// begins there.
fn after_delimiter(body: &Bytes, end: usize) -> Option<(usize, After)> {
    let rest = &body[end..];
    if rest.starts_with(b"--") {
        return Some((end, After::End));
    }
    let padding = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    rest[padding..].starts_with(b"\r\n").then(|| (end, After::Part(end + padding + 2)))
}

fn parse_part(part: &Bytes) -> Result<(String, Part), String> {
    let (head, content) = if part.starts_with(b"\r\n") {
        (&part[..0], part.slice(2..))
    } else {
        let window = &part[..part.len().min(LONGEST_HEAD)];
        match memmem::find(window, b"\r\n\r\n") {
            Some(end) => (&part[..end], part.slice(end + 4..)),
            None => return Err(broken("has a part whose head does not end, or is longer than 16 KiB")),
        }
    };
    let head = String::from_utf8_lossy(head);
    let (mut name, mut part) = (None, Part { content, ..Part::default() });
    for line in head.split("\r\n") {
        let Some((field, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        match field.trim().to_ascii_lowercase().as_str() {
            "content-disposition" => {
                let parameters = parameters(value);
                let get = |name: &str| parameters.iter().find(|(key, _)| key == name);
                name = get("name").map(|(_, value)| value.clone());
                let extended = get("filename*").and_then(|(_, value)| extended(value));
                let file_name = extended.or_else(|| get("filename").map(|(_, value)| value.clone()));
                part.file_name = file_name
                    .and_then(|name| name.rsplit(['/', '\\']).next().map(str::to_owned))
                    .filter(|name| !name.is_empty());
            }
            "content-type" => part.content_type = Some(value.to_owned()),
            "content-transfer-encoding"
                if !["7bit", "8bit", "binary"].contains(&value.to_ascii_lowercase().as_str()) =>
            {
                return Err(broken(
                    "has a part with a `Content-Transfer-Encoding`, which RFC 7578 has given up",
                ));
            }
            _ => {}
        }
    }
    let name = name.ok_or_else(|| broken("has a part without a name in its `Content-Disposition`"))?;
    Ok((name, part))
}

/// Returns the boundary of a `Content-Type`.
pub(super) fn boundary(content_type: &str) -> Option<String> {
    let (_, boundary) = parameters(content_type).into_iter().find(|(name, _)| name == "boundary")?;
    (1..=70).contains(&boundary.len()).then_some(boundary)
}

/// Parses the parameters of a header. Names become lower case.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = header.split_once(';').map_or("", |(_, rest)| rest);
    while !rest.is_empty() {
        let Some((name, after)) = rest.split_once('=') else { break };
        let name = name.trim_start_matches([';', ' ', '\t']).trim().to_ascii_lowercase();
        let after = after.trim_start();
        let value = match after.strip_prefix('"') {
            Some(quoted) => {
                let (value, behind) = unquote(quoted);
                rest = behind;
                value
            }
            None => {
                let (value, behind) = after.split_once(';').unwrap_or((after, ""));
                rest = behind;
                value.trim().to_owned()
            }
        };
        found.push((name, value));
    }
    found
}

/// Returns the text up to the closing quote, and the rest after it.
fn unquote(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (decode_quoted(&value), &text[at + 1..]),
            // Old browsers send whole Windows paths, in which backslashes escape nothing.
            '\\' => {
                let escaped = characters.next_if(|(_, next)| matches!(next, '"' | '\\'));
                value.push(escaped.map_or('\\', |(_, next)| next));
            }
            other => value.push(other),
        }
    }
    (decode_quoted(&value), "")
}

/// Decodes the three escape sequences that the HTML standard allows in names.
fn decode_quoted(text: &str) -> String {
    text.replace("%22", "\"")
        .replace("%0D", "\r")
        .replace("%0d", "\r")
        .replace("%0A", "\n")
        .replace("%0a", "\n")
}

/// Decodes an extended parameter value (RFC 8187) in UTF-8.
fn extended(value: &str) -> Option<String> {
    let (charset, rest) = value.split_once('\'')?;
    let (_, text) = rest.split_once('\'')?;
    charset.eq_ignore_ascii_case("utf-8").then(|| text::percent_decode(text, false).ok())?
}
