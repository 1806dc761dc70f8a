//! Bodies of requests, one for each media type of an operation.

use frontdesk_contract::{Instances, Oracle};
use frontdesk_document::{NodeRef, Operation};
use serde_json::Value;

use super::case::Expected;
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
    content
        .into_iter()
        .flat_map(NodeRef::members)
        .map(|(name, node)| Payload::of(name.trim(), node))
        .collect()
}

impl<'d> Payload<'d> {
    fn of(media_type: &'d str, node: NodeRef<'d>) -> Self {
        let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let (format, sent_as) = match essence.as_str() {
            _ if essence.contains('*') => (Format::Json, "application/json".to_owned()),
            "application/x-www-form-urlencoded" => (Format::Form, media_type.to_owned()),
            "multipart/form-data" => (Format::Multipart, format!("multipart/form-data; boundary={BOUNDARY}")),
            _ if essence.ends_with("/json") || essence.ends_with("+json") => {
                (Format::Json, media_type.to_owned())
            }
            _ if essence.starts_with("text/") => (Format::Text, media_type.to_owned()),
            _ => (Format::Bytes, media_type.to_owned()),
        };
        let schema = node.get("schema").filter(|schema| schema.is_object());
        Self { media_type, sent_as, schema, format, encoding: node.get("encoding") }
    }

    pub(super) fn is_json(&self) -> bool {
        self.format == Format::Json && !self.media_type.contains('*')
    }

    pub(super) fn is_multipart(&self) -> bool {
        self.format == Format::Multipart
    }

    /// Returns what a valid body leads to: the media type of a range is open.
    pub(super) fn expected(&self) -> Expected {
        if self.media_type.contains('*') { Expected::Same } else { Expected::Reached }
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
