//! Bodies of requests, one for each media type of an operation.

use frontdesk_contract::{Instances, Oracle};
use frontdesk_document::{NodeRef, Operation};
use serde_json::Value;

use super::encoding::{self, BOUNDARY};

/// A media type of a request.
#[derive(Clone, Debug)]
pub(super) struct Payload<'d> {
    /// The media type as the document writes it, which may be a range.
    pub(super) media_type: &'d str,
    /// The `Content-Type` of a request.
    pub(super) sent_as: String,
    /// The schema.
    pub(super) schema: Option<NodeRef<'d>>,
    format: Format,
    /// The encodings of the members of a form.
    encoding: Option<NodeRef<'d>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Form,
    Multipart,
    Text,
    Bytes,
}

/// Returns the media types of an operation's request.
pub(super) fn of(operation: Operation<'_>) -> Vec<Payload<'_>> {
    let content = operation.body().and_then(|body| body.get("content"));
    let members: Vec<(&str, NodeRef<'_>)> =
        content.into_iter().flat_map(NodeRef::members).map(|(name, node)| (name.trim(), node)).collect();
    let declared: Vec<String> = members.iter().map(|(name, _)| essence(name)).collect();
    members.iter().map(|(name, node)| Payload::of(name, *node, &declared)).collect()
}

/// Returns a media type without its parameters.
fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns a media type of this range that fits the values of the schema, and that no other of the declared
/// types names more exactly.
fn within(range: &str, schema: Option<NodeRef<'_>>, declared: &[String]) -> (Format, String) {
    const UNKNOWN: [&str; 3] =
        ["application/octet-stream", "application/x-differential", "x-differential/x-differential"];
    let schema = schema.and_then(|schema| schema.resolve().ok());
    let says = |key| schema.and_then(|schema| schema.get(key)).and_then(NodeRef::as_str);
    let main = range.split('/').next().unwrap_or_default();
    let (format, types): (Format, Vec<&str>) = match (main, says("type"), says("format")) {
        ("text", ..) => (Format::Text, vec!["text/plain", "text/csv", "text/x-differential"]),
        ("multipart", ..) => (Format::Multipart, vec!["multipart/form-data"]),
        // For any type at all, the schema says whether the body is bytes, text, or JSON.
        ("*", Some("string"), Some("binary")) => (Format::Bytes, UNKNOWN.to_vec()),
        ("*", Some("string"), _) => (Format::Text, [&["text/plain"], &UNKNOWN[..]].concat()),
        ("application", Some("string"), _) => (Format::Bytes, UNKNOWN[..2].to_vec()),
        ("*", ..) => (Format::Json, [&["application/json"], &UNKNOWN[1..]].concat()),
        ("application", ..) => (Format::Json, vec!["application/json", UNKNOWN[1]]),
        _ => return (Format::Bytes, format!("{main}/x-differential")),
    };
    let is_taken = |media_type: &str| {
        let is_json = |name: &str| name.ends_with("/json") || name.ends_with("+json");
        declared.iter().filter(|other| *other != range).any(|other| {
            let is_part =
                main == "*" && other.strip_suffix('*').is_some_and(|other| media_type.starts_with(other));
            other == media_type || is_json(other) && is_json(media_type) || is_part
        })
    };
    let chosen = types.iter().find(|media_type| !is_taken(media_type)).or(types.first());
    let chosen = chosen.copied().unwrap_or_default().to_owned();
    (format, if format == Format::Multipart { format!("{chosen}; boundary={BOUNDARY}") } else { chosen })
}

impl<'d> Payload<'d> {
    /// `declared` are all media types of the body, without their parameters.
    fn of(media_type: &'d str, node: NodeRef<'d>, declared: &[String]) -> Self {
        let essence = essence(media_type);
        let schema = node.get("schema").filter(|schema| schema.is_object());
        let (format, sent_as) = match essence.as_str() {
            _ if essence.contains('*') => within(&essence, schema, declared),
            "application/x-www-form-urlencoded" => (Format::Form, media_type.to_owned()),
            "multipart/form-data" => (Format::Multipart, format!("multipart/form-data; boundary={BOUNDARY}")),
            _ if essence.ends_with("/json") || essence.ends_with("+json") => {
                (Format::Json, media_type.to_owned())
            }
            _ if essence.starts_with("text/") => (Format::Text, media_type.to_owned()),
            _ => (Format::Bytes, media_type.to_owned()),
        };
        Self { media_type, sent_as, schema, format, encoding: node.get("encoding") }
    }

    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json && !self.media_type.contains('*')
    }

    pub(super) fn is_multipart(&self) -> bool {
        self.format == Format::Multipart
    }

    /// Returns a valid body; `None` if no value was found that the media type can express.
    pub(super) fn valid(&self, oracle: &Oracle, instances: Instances<'_>, seed: u64) -> Option<Vec<u8>> {
        const ATTEMPTS: u64 = 8;
        let Some(schema) = self.schema else {
            return self.write(&match self.format {
                Format::Form | Format::Multipart => serde_json::json!({ "a": "b" }),
                Format::Json | Format::Text | Format::Bytes => Value::from("text"),
            });
        };
        (0..ATTEMPTS).find_map(|attempt| {
            let value = instances.valid(schema, seed + attempt * 1_000).ok()?;
            self.write(&value).or_else(|| {
                let rest = self.expressible(value)?;
                oracle.is_valid(schema, &rest).then(|| self.write(&rest))?
            })
        })
    }

    /// Returns an object without the members that a form cannot express; `None` if it is not a form.
    fn expressible(&self, value: Value) -> Option<Value> {
        let Value::Object(mut members) = value else { return None };
        if self.format != Format::Form {
            return None;
        }
        for name in encoding::form(&Value::Object(members.clone()), self.encoding).err()? {
            members.remove(&name);
        }
        Some(Value::Object(members))
    }

    /// Returns bodies that break one keyword, with the keyword and its location.
    pub(super) fn broken(&self, oracle: &Oracle, most: usize) -> Vec<(&'static str, String, Vec<u8>)> {
        let Some(schema) = self.schema.filter(|_| self.format != Format::Bytes) else { return Vec::new() };
        let Ok(valid) = Instances::readable(oracle).valid(schema, 0) else { return Vec::new() };
        let mutants = Instances::new(oracle).invalid(schema, &valid, 0, most);
        let written = mutants
            .into_iter()
            .filter_map(|mutant| Some((mutant.keyword, mutant.pointer, self.write(&mutant.value)?)));
        written.collect()
    }

    fn write(&self, value: &Value) -> Option<Vec<u8>> {
        match self.format {
            Format::Json => Some(value.to_string().into_bytes()),
            Format::Form => encoding::form(value, self.encoding).ok(),
            Format::Multipart => {
                let stated = |name: &str| self.encoding?.get(name)?.get("contentType")?.as_str();
                encoding::multipart(value, |name| self.is_file(name), stated)
            }
            Format::Text | Format::Bytes => encoding::text(value).map(String::into_bytes),
        }
    }

    fn is_file(&self, name: &str) -> bool {
        let member = || {
            let schema = self.schema?.resolve().ok()?;
            let member = schema.get("properties")?.get(name)?.resolve().ok()?;
            let items = member.get("items").and_then(|items| items.resolve().ok());
            items.unwrap_or(member).get("format")?.as_str()
        };
        member() == Some("binary")
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_document::{Document, MemoryLoader};

    use super::*;

    #[test]
    fn a_range_is_sent_as_a_type_that_only_the_range_names() {
        let sent = |content: &str| -> Vec<(String, Format)> {
            let text = format!(
                "{{openapi: 3.0.3, info: {{title: T, version: '1'}}, paths: {{/a: {{post: {{requestBody: {{content: {{{content}}}}}, \
                 responses: {{'204': {{description: Done}}}}}}}}}}}}"
            );
            let (document, _) = Document::read("t.yaml", &MemoryLoader::new().with("t.yaml", &*text));
            let document = document.expect("it is a document");
            let payloads = document.operations().flat_map(of);
            payloads.map(|payload| (payload.sent_as.clone(), payload.format)).collect()
        };
        for (content, expected) in [
            ("text/*: {schema: {type: string}}", ["text/plain"].as_slice()),
            ("text/*: {}, text/plain: {}", &["text/csv", "text/plain"]),
            ("'*/*': {schema: {type: string, format: binary}}", &["application/octet-stream"]),
            ("'*/*': {schema: {type: string}}", &["text/plain"]),
            ("'*/*': {schema: {type: string}}, text/*: {}", &["application/octet-stream", "text/plain"]),
            ("'*/*': {schema: {type: object}}", &["application/json"]),
            ("'*/*': {}, application/a+json: {}", &["application/x-differential", "application/a+json"]),
            ("application/*: {schema: {type: string}}", &["application/octet-stream"]),
            ("image/*: {}", &["image/x-differential"]),
            ("multipart/*: {}", &["multipart/form-data; boundary=differential-boundary"]),
        ] {
            let types: Vec<String> = sent(content).into_iter().map(|(media_type, _)| media_type).collect();
            assert_eq!(types, expected, "{content}");
        }
        let formats = |content| sent(content).into_iter().map(|(_, format)| format).collect::<Vec<_>>();
        assert_eq!(formats("'*/*': {schema: {type: string}}"), [Format::Text]);
        assert_eq!(formats("'*/*': {schema: {type: object}}"), [Format::Json]);
    }
}
