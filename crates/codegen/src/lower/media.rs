//! Media types and schemas of bodies before lowering: serialization, and whether the body is text, bytes or
//! structured.

use super::text;
use frontdesk_document::{NodeId, NodeRef, Version, schema_parts};

/// The rules of a schema that hold for text alone.
const TEXT_RULES: [&str; 3] = ["minLength", "maxLength", "pattern"];

/// How a media type is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    Json,
    Urlencoded,
    Multipart,
    Text,
    Events,
    Other,
}

/// What a schema says of a body, as far as bytes and text are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// Nothing: there is none, or it is empty.
    Nothing,
    /// A string; `bounded` where it has rules.
    Text { bounded: bool },
    /// Bytes.
    Binary,
    /// More than text or bytes can say.
    More,
}

/// The media type without parameters, in lower case.
pub(super) fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether a media type, as a document writes it, is JSON.
pub(super) fn is_json(media_type: &str) -> bool {
    is_json_essence(&essence(media_type))
}

fn is_json_essence(essence: &str) -> bool {
    essence.ends_with("/json") || essence.ends_with("+json") || essence == "json"
}

pub(super) fn family(essence: &str, says: Says) -> Family {
    if is_json_essence(essence) {
        return Family::Json;
    }
    match essence {
        "application/x-www-form-urlencoded" => Family::Urlencoded,
        "text/event-stream" => Family::Events,
        // A range of media types: what has members can only be meant as JSON.
        "*/*" | "application/*" | "*" if says == Says::More => Family::Json,
        _ if essence.starts_with("multipart/") => Family::Multipart,
        _ if essence.starts_with("text/") => Family::Text,
        _ => Family::Other,
    }
}

/// The schema itself, or the one that it leads to: references and `allOf` of one are followed a few steps.
fn followed(schema: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let mut schema = schema.resolve().ok()?;
    for _ in 0..8 {
        let single = schema.get("allOf").filter(|parts| parts.len() == 1);
        let Some(part) = single.and_then(|parts| parts.items().next()) else { break };
        schema = part.resolve().ok()?;
    }
    Some(schema)
}

/// What a schema says of a body that is text or bytes.
pub(super) fn says(whole: NodeRef<'_>) -> Says {
    let Some(schema) = followed(whole) else { return Says::Nothing };
    match text(schema, "type") {
        Some("string") if matches!(text(schema, "format"), Some("binary" | "byte" | "base64")) => {
            Says::Binary
        }
        Some("string") if schema.get("enum").is_none() => Says::Text { bounded: has_rules(whole) },
        Some(_) => Says::More,
        None if ["properties", "additionalProperties", "items", "allOf", "oneOf", "anyOf", "enum"]
            .iter()
            .any(|key| schema.get(key).is_some()) =>
        {
            Says::More
        }
        None if text(schema, "format") == Some("binary") => Says::Binary,
        None if TEXT_RULES.iter().any(|rule| schema.get(rule).is_some()) => Says::Text { bounded: true },
        None => Says::Nothing,
    }
}

/// A member of a multipart body that is a file.
pub(super) struct FileMember {
    pub(super) wire: String,
    pub(super) is_list: bool,
    /// The `format` that says so; an `encoding` may say it instead.
    pub(super) format: Option<NodeId>,
}

/// Whether a schema says nothing about the value, at most about its meaning.
fn is_empty(schema: NodeRef<'_>) -> bool {
    followed(schema).is_some_and(|schema| schema.entries().all(|(key, _)| is_annotation(key.text)))
}

/// Whether a schema of text says more than that it is text, beside a reference or where that leads to.
fn has_rules(schema: NodeRef<'_>) -> bool {
    let more = |schema: NodeRef<'_>| {
        schema
            .entries()
            .any(|(key, _)| !is_annotation(key.text) && !["type", "allOf", "$ref"].contains(&key.text))
    };
    schema_parts(schema).into_iter().any(more)
}

fn is_annotation(keyword: &str) -> bool {
    const ANNOTATIONS: &[&str] =
        &["title", "description", "deprecated", "readOnly", "writeOnly", "example", "examples", "$comment"];
    ANNOTATIONS.contains(&keyword) || keyword.starts_with("x-")
}

/// The members of an object that are files. Since OpenAPI 3.1, a member without a type is one too, because
/// its default media type is `application/octet-stream`.
pub(super) fn collect_files(
    schema: NodeRef<'_>,
    encodings: Option<NodeRef<'_>>,
    version: Version,
    files: &mut Vec<FileMember>,
    depth: usize,
) {
    let Ok(schema) = schema.resolve() else { return };
    if depth > 16 {
        return;
    }
    for part in schema.get("allOf").into_iter().flat_map(NodeRef::items) {
        collect_files(part, encodings, version, files, depth + 1);
    }
    for (key, member) in schema.get("properties").into_iter().flat_map(NodeRef::entries) {
        let Ok(member) = member.resolve() else { continue };
        let media_type = encodings
            .and_then(|encodings| encodings.get(key.text))
            .and_then(|encoding| text(encoding, "contentType"));
        let is_untyped = |schema: NodeRef<'_>| {
            version == Version::V3_1 && media_type.is_none_or(is_file) && is_empty(schema)
        };
        let (is_list, schema) = match member.get("items") {
            Some(items) if says(items) == Says::Binary && !is_base64(items) || is_untyped(items) => {
                (true, items)
            }
            _ => (false, member),
        };
        let is_file = match says(schema) {
            Says::Binary => !is_base64(schema),
            Says::Text { .. } => media_type.is_some_and(is_file),
            Says::Nothing => is_untyped(schema),
            Says::More => false,
        };
        if is_file {
            let format = followed(schema).and_then(|schema| schema.get("format")).map(NodeRef::id);
            files.push(FileMember { wire: key.text.to_owned(), is_list, format });
        }
    }
}

/// Whether a schema is text that stands for bytes, which a multipart body carries as text.
fn is_base64(schema: NodeRef<'_>) -> bool {
    followed(schema).is_some_and(|schema| matches!(text(schema, "format"), Some("byte" | "base64")))
}

/// Whether a part of one of these media types is a file rather than text.
fn is_file(content_type: &str) -> bool {
    content_type.split(',').map(essence).any(|essence| {
        ["image/", "audio/", "video/", "font/"].iter().any(|kind| essence.starts_with(kind))
            || ["application/octet-stream", "application/pdf", "application/zip", "application/gzip"]
                .contains(&essence.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::{Family, Says, family, is_file, is_json};

    #[test]
    fn media_types_fall_into_families() {
        for (media_type, says, expected) in [
            ("application/json", Says::Nothing, Family::Json),
            ("text/json", Says::More, Family::Json),
            ("application/vnd.api+json", Says::More, Family::Json),
            ("application/x-ndjson", Says::More, Family::Other),
            ("*/*", Says::More, Family::Json),
            ("*/*", Says::Binary, Family::Other),
            ("text/csv", Says::Nothing, Family::Text),
            ("text/event-stream", Says::More, Family::Events),
            ("multipart/mixed", Says::More, Family::Multipart),
            ("image/png", Says::Binary, Family::Other),
        ] {
            assert_eq!(family(media_type, says), expected, "{media_type}");
        }
        assert!(is_json("Application/JSON; charset=utf-8"));
    }

    #[test]
    fn some_media_types_of_parts_are_files() {
        assert!(is_file("image/png, image/jpeg") && is_file("application/octet-stream"));
        assert!(!is_file("application/json") && !is_file("text/plain; charset=utf-8"));
    }
}
