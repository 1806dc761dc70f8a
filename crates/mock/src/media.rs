//! Owns what the media types of a document mean: how a body is written, and with which schema.

use crate::shape::Shape;
use frontdesk_document::NodeRef;
use frontdesk_runtime::codec::{Member, Style};
use frontdesk_runtime::server::media;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Json,
    Form,
    Multipart,
    Events,
    Text,
    /// Bytes, which nobody looks into.
    Bytes,
}

/// One entry of a `content`.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// The media type as the document writes it; it may be a range.
    pub(crate) media_type: &'static str,
    pub(crate) family: Family,
    /// The Media Type Object.
    pub(crate) node: NodeRef<'static>,
    /// The schema, which may be a reference.
    pub(crate) schema: Option<NodeRef<'static>>,
    pub(crate) shape: Shape,
    /// Members of a form that are written otherwise than usual.
    pub(crate) members: Vec<Member>,
}

impl Content {
    fn new(media_type: &'static str, node: NodeRef<'static>) -> Self {
        let schema = node.get("schema").filter(|schema| schema.is_object());
        let shape = schema.map_or(Shape::Any, Shape::of);
        let family = family(media_type, &shape);
        let members = if family == Family::Form { members(node) } else { Vec::new() };
        Self { media_type, family, node, schema, shape, members }
    }

    /// Whether values of it are JSON values that the oracle can judge.
    pub(crate) fn is_judged(&self) -> bool {
        self.schema.is_some() && self.family != Family::Bytes
    }
}

/// What a request body or a response may be, JSON first: who does not say what they like gets that.
pub(crate) fn contents(holder: NodeRef<'static>) -> Vec<Content> {
    let entries = holder.get("content").into_iter().flat_map(NodeRef::entries);
    let mut contents: Vec<Content> = entries.map(|(key, node)| Content::new(key.text.trim(), node)).collect();
    contents.sort_by_key(|content| content.family != Family::Json);
    contents
}

fn family(media_type: &str, shape: &Shape) -> Family {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if media::is_json(&essence)
        || essence.ends_with("/json")
        || essence.ends_with("+json")
        || essence == "json"
    {
        return Family::Json;
    }
    match essence.as_str() {
        "application/x-www-form-urlencoded" => Family::Form,
        "text/event-stream" => Family::Events,
        "*/*" | "application/*" | "*" => match shape {
            Shape::Text => Family::Text,
            Shape::Bytes => Family::Bytes,
            // A range of media types: what has members can only be meant as JSON.
            _ => Family::Json,
        },
        _ if essence.starts_with("multipart/") => Family::Multipart,
        _ if essence.starts_with("text/") && essence != "text/xml" => Family::Text,
        _ => Family::Bytes,
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
                // Every entry stands for itself, so nothing is left to be joined.
                Style::SpaceDelimited | Style::PipeDelimited if explode => {
                    Member { name: key.text, style: Style::Form, explode: true, reserved }
                }
                style => Member { name: key.text, style, explode, reserved },
            }
        })
        .collect()
}
