//! Media types of request and response bodies: the format of each, and its schema.

use crate::shape::Shape;
use frontdesk_document::{Fate, NodeRef, keyword};
use frontdesk_runtime::codec::{Member, Style};
use frontdesk_runtime::server::media;
use std::collections::BTreeSet;

/// The format of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    Json,
    Form,
    Multipart,
    Events,
    Text,
    /// Bytes that are not inspected.
    Bytes,
}

impl BodyFormat {
    /// Whether the whole body is text, which must be UTF-8.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Json | Self::Form | Self::Events | Self::Text)
    }
}

/// One entry of a `content` map.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// The media type or media range, as the document writes it.
    pub(crate) media_type: &'static str,
    pub(crate) format: BodyFormat,
    /// The Media Type Object.
    pub(crate) node: NodeRef<'static>,
    /// The schema, which may be a reference.
    pub(crate) schema: Option<NodeRef<'static>>,
    pub(crate) shape: Shape,
    /// Encodings of form members that differ from the default.
    pub(crate) members: Vec<Member>,
}

impl Content {
    fn new(media_type: &'static str, node: NodeRef<'static>) -> Self {
        let schema = node.get("schema").filter(|schema| schema.is_object());
        let shape = schema.map_or(Shape::Any, Shape::of);
        let format = format(media_type, &shape);
        let members = if format == BodyFormat::Form { members(node) } else { Vec::new() };
        Self { media_type, format, node, schema, shape, members }
    }

    /// Returns the media types that the part of a multipart body may have, if the document lists them.
    pub(crate) fn media_types_of(&self, part: &str) -> Option<&'static str> {
        self.node.get("encoding")?.get(part)?.get("contentType")?.as_str()
    }

    /// Returns whether the oracle can validate values of this content.
    pub(crate) fn is_judged(&self) -> bool {
        self.schema.is_some() && self.format != BodyFormat::Bytes
    }

    /// Returns the keywords of the schema that limit values and that the oracle does not check as they are
    /// written, in alphabetical order.
    pub(crate) fn unchecked(&self) -> Vec<&'static str> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        open.extend(self.schema.filter(|_| self.is_judged()));
        while let Some(schema) = open.pop() {
            let Ok(schema) = schema.resolve() else { continue };
            if !seen.insert(schema.id()) {
                continue;
            }
            let below = |key| schema.get(key).into_iter();
            open.extend(["items", "additionalProperties", "not"].into_iter().flat_map(below));
            open.extend(["allOf", "anyOf", "oneOf"].into_iter().flat_map(below).flat_map(NodeRef::items));
            open.extend(below("properties").flat_map(NodeRef::entries).map(|(_, member)| member));
            let keywords = schema.entries().filter_map(|(key, _)| keyword(key.text));
            found.extend(
                keywords
                    .filter(|keyword| matches!(keyword.oracle, Fate::Ignored | Fate::Approximated))
                    .map(|keyword| keyword.name),
            );
        }
        found.into_iter().collect()
    }
}

/// Returns the contents of a request body or a response. JSON comes first, because it is the default for
/// callers without an `Accept` header.
pub(crate) fn contents(holder: NodeRef<'static>) -> Vec<Content> {
    let entries = holder.get("content").into_iter().flat_map(NodeRef::entries);
    let mut contents: Vec<Content> = entries.map(|(key, node)| Content::new(key.text.trim(), node)).collect();
    contents.sort_by_key(|content| content.format != BodyFormat::Json);
    contents
}

fn format(media_type: &str, shape: &Shape) -> BodyFormat {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if media::is_json(&essence)
        || essence.ends_with("/json")
        || essence.ends_with("+json")
        || essence == "json"
    {
        return BodyFormat::Json;
    }
    match essence.as_str() {
        "application/x-www-form-urlencoded" => BodyFormat::Form,
        "text/event-stream" => BodyFormat::Events,
        "*/*" | "application/*" | "*" => match shape {
            Shape::Text => BodyFormat::Text,
            Shape::Bytes => BodyFormat::Bytes,
            // For a media range, anything but text and bytes is assumed to be JSON.
            _ => BodyFormat::Json,
        },
        _ if essence.starts_with("multipart/") => BodyFormat::Multipart,
        _ if essence.starts_with("text/") && essence != "text/xml" => BodyFormat::Text,
        _ => BodyFormat::Bytes,
    }
}

fn members(node: NodeRef<'static>) -> Vec<Member> {
    let encodings = node.get("encoding").into_iter().flat_map(NodeRef::entries);
    encodings
        .map(|(key, encoding)| {
            let written = encoding.get("style").and_then(NodeRef::as_str);
            let json = encoding.get("contentType").and_then(NodeRef::as_str).is_some_and(media::is_json);
            let style = match written {
                None if json && encoding.get("explode").is_none() => Style::Json,
                Some("spaceDelimited") => Style::SpaceDelimited,
                Some("pipeDelimited") => Style::PipeDelimited,
                Some("deepObject") => Style::DeepObject,
                _ => Style::Form,
            };
            let explode = encoding.get("explode").and_then(NodeRef::as_bool).unwrap_or(style == Style::Form);
            let reserved = encoding.get("allowReserved").and_then(NodeRef::as_bool) == Some(true);
            match style {
                // Exploded entries are separate pairs, so there is nothing to join.
                Style::SpaceDelimited | Style::PipeDelimited if explode => {
                    Member { name: key.text, style: Style::Form, explode: true, reserved }
                }
                style => Member { name: key.text, style, explode, reserved },
            }
        })
        .collect()
}
