//! Lowering of `content`: which media types become alternatives of a body, how each is serialized, and what
//! is left out.

use super::{
    Lowering, flag,
    media::{Family, FileMember, Says, collect_files, essence, family, is_json, says},
    names,
    schemas::Place,
    text,
};
use crate::ir::{Body, Coding, Constraint, Element, Form, Part, Payload, Shape, Style, Type, TypeId};
use frontdesk_document::{Key, NodeRef, Operation, Span, Version, event_data, is_union_of_events};
use std::collections::BTreeMap;

/// What a body and its parts are called.
#[derive(Clone, Debug)]
pub(super) struct BodyName {
    /// The enumeration of the alternatives, where they differ.
    pub(super) choice: String,
    /// An inline type, where there is one alternative.
    pub(super) inline: String,
}

/// A media type that is left out of every body that offers it, told once for a document.
#[derive(Clone, Debug)]
pub(super) struct LeftOut {
    span: Span,
    places: usize,
}

/// One entry of `content`.
struct Candidate<'d> {
    key: Key<'d>,
    node: NodeRef<'d>,
    /// The media type in lower case, without parameters.
    essence: String,
    kind: Family,
    schema: Option<NodeRef<'d>>,
    says: Says,
}

impl<'d> Lowering<'d, '_> {
    /// The body of a request.
    pub(super) fn body(&mut self, operation: Operation<'d>, owner: &str) -> Option<Body> {
        let node = operation.body()?;
        let choice = format!("{owner}Body");
        let inline = Self::component_body(node, "requestBodies").unwrap_or_else(|| choice.clone());
        let name = BodyName { choice, inline };
        let payload = node.get("content").and_then(|content| self.payload(content, &name));
        if payload.is_none() {
            self.warn_once(
                node,
                "missing-content",
                "the body has no media type, so nothing is known of it; it is left out",
                "add `content` with a media type and a `schema`",
            );
        }
        Some(Body { docs: super::docs(node), required: flag(node, "required"), payload: payload? })
    }

    /// The alternatives of a body; nothing where `content` lists none.
    pub(super) fn payload(&mut self, content: NodeRef<'d>, name: &BodyName) -> Option<Payload> {
        let candidates = self.candidates(content);
        // Every form of the same schema holds one type, so an inline one gets no second name.
        let mut lowered: Vec<(NodeRef<'d>, Element)> = Vec::new();
        // An inline type of one alternative leaves the plain name to the choice between all.
        let differ = candidates.iter().any(|candidate| {
            let decoded = matches!(candidate.kind, Family::Json | Family::Urlencoded | Family::Multipart);
            match (candidate.schema, candidates[0].schema) {
                (Some(schema), Some(first)) => !decoded || !same(schema, first),
                _ => true,
            }
        });
        let choice = (candidates.len() > 1 && differ).then(|| self.type_names.take(&name.choice, "Choice"));
        let mut variants = names::Scope::default();
        let mut forms = Vec::new();
        for candidate in &candidates {
            let variant = variants.take(&variant(candidate, &candidates), "Form");
            let known = candidate.schema.and_then(|schema| {
                lowered.iter().find(|(earlier, _)| same(*earlier, schema)).map(|(_, element)| element.clone())
            });
            let place = match &choice {
                Some(choice) => format!("{}{variant}Body", choice.strip_suffix("Body").unwrap_or(choice)),
                None => name.inline.clone(),
            };
            let coding = self.coding(candidate, known, &place);
            if let (Some(schema), Some(element)) = (candidate.schema, element_of(&coding)) {
                lowered.push((schema, element.clone()));
            }
            let needs_parameters = candidates
                .iter()
                .any(|other| other.essence == candidate.essence && other.key.text != candidate.key.text);
            let media_type = if needs_parameters {
                candidate.key.text.trim().to_owned()
            } else {
                candidate.essence.clone()
            };
            forms.push(Form { media_type, variant, coding });
        }
        if forms.is_empty() {
            return None;
        }
        let first = element_of(&forms[0].coding).cloned();
        let alike = forms.len() == 1
            || first.is_some()
                && forms
                    .iter()
                    .all(|form| self.is_shared(&form.coding) && element_of(&form.coding) == first.as_ref());
        // Only what was learnt on the way, such as files, can make schemas differ that are written alike.
        let name =
            if alike { None } else { choice.or_else(|| Some(self.type_names.take(&name.choice, "Choice"))) };
        Some(Payload { forms, name })
    }

    /// The media types that become alternatives, in the document's order.
    fn candidates(&mut self, content: NodeRef<'d>) -> Vec<Candidate<'d>> {
        let mut found: Vec<Candidate<'d>> = Vec::new();
        for (key, node) in content.entries().filter(|(key, _)| !key.text.starts_with("x-")) {
            let essence = essence(key.text);
            let schema = node.get("schema");
            let says = schema.map_or(Says::Nothing, |schema| says(schema));
            let kind = family(&essence, says);
            // Media types that differ only in parameters such as `charset`.
            let repeated = found.iter().any(|other| {
                other.essence == essence
                    && match (other.schema, schema) {
                        (Some(other), Some(schema)) => same(other, schema),
                        (None, None) => true,
                        _ => false,
                    }
            });
            if !repeated {
                found.push(Candidate { key, node, essence, kind, schema, says });
            }
        }
        let decoded: Vec<NodeRef<'d>> = found
            .iter()
            .filter(|candidate| {
                matches!(candidate.kind, Family::Json | Family::Urlencoded | Family::Multipart)
            })
            .filter_map(|candidate| candidate.schema)
            .collect();
        found.retain(|candidate| {
            let opaque = match candidate.kind {
                Family::Text => candidate.says == Says::More,
                Family::Other => matches!(candidate.says, Says::More | Says::Text { .. }),
                _ => false,
            };
            let elsewhere = |schema: NodeRef<'d>| opaque && decoded.iter().any(|other| same(*other, schema));
            let left_out = candidate.schema.is_some_and(elsewhere);
            if left_out {
                self.left_out
                    .entry(candidate.essence.clone())
                    .and_modify(|left_out| left_out.places += 1)
                    .or_insert(LeftOut { span: candidate.key.span, places: 1 });
            }
            !left_out
        });
        found
    }

    /// How one alternative is written, and what it holds.
    fn coding(&mut self, candidate: &Candidate<'d>, known: Option<Element>, place: &str) -> Coding {
        match candidate.kind {
            Family::Json => Coding::Json(self.body_element(candidate, known, place)),
            Family::Events => Coding::Events(self.event_element(candidate, known, place)),
            Family::Urlencoded => {
                let mut element = self.body_element(candidate, known, place);
                element.nullable = false;
                if element.ty == Type::Any {
                    element.ty = Type::Map(Box::new(Element::of(Type::Any)));
                }
                let fits = match &element.ty {
                    Type::Map(_) => true,
                    Type::Named(id) | Type::Boxed(id) => {
                        matches!(self.types[id.0].shape, Shape::Struct(_) | Shape::Union(_))
                    }
                    _ => false,
                };
                if !fits {
                    return self.opaque(candidate, "a form has members, and the schema is not an object");
                }
                self.tell_unchecked_members(&element, candidate.schema);
                let parts = self.urlencoded_parts(candidate, &element);
                Coding::Urlencoded(element, parts)
            }
            Family::Multipart => {
                let mut element = match candidate.schema {
                    Some(_) => self.body_element(candidate, known, place),
                    None => return self.bytes(candidate),
                };
                element.nullable = false;
                let id = match element.ty {
                    Type::Named(id) if matches!(self.types[id.0].shape, Shape::Struct(_)) => id,
                    _ => {
                        return self.opaque(
                            candidate,
                            "the parts of a multipart body are the properties of one object",
                        );
                    }
                };
                self.tell_unchecked_members(&element, candidate.schema);
                self.note_files(candidate, id);
                let parts = self.multipart_parts(candidate, id);
                Coding::Multipart(element, parts)
            }
            Family::Text => Coding::Text(self.text_constraints(candidate, place)),
            Family::Other => self.bytes(candidate),
        }
    }

    /// What a body of text must satisfy.
    fn text_constraints(&mut self, candidate: &Candidate<'d>, place: &str) -> Vec<Constraint> {
        match (candidate.says, candidate.schema) {
            (Says::More, _) => self.lose(
                candidate,
                "only its text is known: OpenAPI does not say how such a value is written as text",
            ),
            (Says::Text { bounded: true }, Some(schema)) => {
                let element = self.schema(schema, &Place::new(place));
                if element.ty == Type::String {
                    return element.constraints;
                }
                self.warn_once(
                    candidate.node,
                    "text-unchecked",
                    "the rules of the schema are not checked for a body of plain text",
                    "say in the description what is allowed, or send the text as a member of a JSON object",
                );
            }
            _ => {}
        }
        Vec::new()
    }

    fn bytes(&mut self, candidate: &Candidate<'d>) -> Coding {
        match candidate.says {
            Says::More => return self.opaque(candidate, "there is no decoder for this media type"),
            Says::Text { bounded: true } => self.warn_once(
                candidate.node,
                "text-unchecked",
                format!(
                    "a body of `{}` is bytes, and the rules of its text are not checked",
                    candidate.essence
                ),
                "use a media type of text, such as `text/plain`",
            ),
            Says::Nothing | Says::Text { bounded: false } | Says::Binary => {}
        }
        Coding::Bytes
    }

    fn opaque(&mut self, candidate: &Candidate<'d>, reason: &str) -> Coding {
        self.lose(candidate, reason);
        Coding::Bytes
    }

    /// Notes that the document says more of an alternative than the output does.
    fn lose(&mut self, candidate: &Candidate<'d>, reason: &str) {
        let index = self.untyped(
            candidate.node,
            format!("a body of `{}`", candidate.essence),
            reason.to_owned(),
            match candidate.kind {
                Family::Multipart => "describe an object with a property for each part",
                _ => "offer the same content as `application/json` as well",
            },
        );
        self.losses.push(index);
    }

    fn body_element(&mut self, candidate: &Candidate<'d>, known: Option<Element>, place: &str) -> Element {
        if let Some(element) = known {
            return element;
        }
        match candidate.schema {
            Some(schema) => self.schema(schema, &Place::new(place)),
            None => {
                self.warn_once(
                    candidate.node,
                    "missing-schema",
                    format!(
                        "nothing says what a body of `{}` holds; it is read as any value",
                        candidate.essence
                    ),
                    "add `schema`, with `{}` for any value",
                );
                Element::of(Type::Any)
            }
        }
    }

    /// What the data of an event holds. The other fields of an event are read and written for every stream,
    /// so a schema of the whole event says only what its data is.
    fn event_element(&mut self, candidate: &Candidate<'d>, known: Option<Element>, place: &str) -> Element {
        let Some(schema) = candidate.schema else { return self.body_element(candidate, known, place) };
        if let Some(data) = event_data(schema) {
            return self.schema(data, &Place::new(format!("{place}Data")));
        }
        if is_union_of_events(schema) {
            self.warn_once(
                schema,
                "whole-event",
                "the branches describe whole events; the value is read from the data of an event alone",
                "describe what `data` holds, with a branch for each kind of event",
            );
        }
        self.body_element(candidate, known, place)
    }

    /// How the members of a urlencoded form are written, where `encoding` says something else than the
    /// default.
    fn urlencoded_parts(&mut self, candidate: &Candidate<'d>, element: &Element) -> Vec<Part> {
        let mut parts = Vec::new();
        for (key, encoding) in candidate.node.get("encoding").into_iter().flat_map(NodeRef::entries) {
            if !self.is_member(element, key.text) {
                self.no_member(encoding, key.text);
                continue;
            }
            let style = match text(encoding, "style") {
                None | Some("form") => Style::Form,
                Some("spaceDelimited") => Style::SpaceDelimited,
                Some("pipeDelimited") => Style::PipeDelimited,
                Some("deepObject") => Style::DeepObject,
                Some(other) => {
                    self.warn_once(
                        encoding,
                        "invalid-style",
                        format!("the style `{other}` is not one for a form; `form` is taken"),
                        "use form, spaceDelimited, pipeDelimited or deepObject",
                    );
                    Style::Form
                }
            };
            let explode = encoding.get("explode").and_then(NodeRef::as_bool).unwrap_or(style == Style::Form);
            let (style, explode) = match style {
                Style::DeepObject => (style, true),
                Style::SpaceDelimited | Style::PipeDelimited if explode => (Style::Form, true),
                _ => (style, explode),
            };
            let content_type = text(encoding, "contentType")
                .filter(|_| encoding.get("style").is_none() && encoding.get("explode").is_none())
                .map(str::to_owned);
            let (style, explode) = match &content_type {
                Some(content_type) if is_json(content_type) => (Style::Json, false),
                _ => (style, explode),
            };
            let allow_reserved = flag(encoding, "allowReserved");
            if style != Style::Form || !explode || allow_reserved {
                parts.push(Part {
                    wire: key.text.to_owned(),
                    content_type,
                    states_type: true,
                    style,
                    explode,
                    allow_reserved,
                });
            } else if let Some(content_type) = content_type.filter(|said| essence(said) != "text/plain") {
                self.warn_once(
                    encoding,
                    "part-ignored",
                    format!("`contentType: {content_type}` of the member of a form is ignored: a form has text and JSON"),
                    "use a `multipart/form-data` body, in which parts have media types",
                );
            }
        }
        let encodings = candidate.node.get("encoding");
        let Type::Named(id) = &element.ty else { return parts };
        let Shape::Struct(shape) = &self.types[id.0].shape else { return parts };
        let untyped = shape.fields.iter().filter(|field| matches!(field.element.ty, Type::Any));
        parts.extend(
            untyped.filter(|field| encodings.and_then(|encodings| encodings.get(&field.wire)).is_none()).map(
                |field| Part {
                    wire: field.wire.clone(),
                    content_type: None,
                    states_type: false,
                    style: Style::JsonIfNested,
                    explode: true,
                    allow_reserved: false,
                },
            ),
        );
        parts
    }

    /// The media types of parts, where they are not plain text or bytes.
    fn multipart_parts(&mut self, candidate: &Candidate<'d>, id: TypeId) -> Vec<Part> {
        let encodings = candidate.node.get("encoding");
        for (key, encoding) in encodings.into_iter().flat_map(NodeRef::entries) {
            if !self.is_member(&Element::of(Type::Named(id)), key.text) {
                self.no_member(encoding, key.text);
            }
            if text(encoding, "contentType").is_some() && !self.is_field(id, key.text) {
                self.warn_once(
                    encoding,
                    "part-ignored",
                    format!(
                        "the media type of `{}` is not checked, because it is not a declared property",
                        key.text
                    ),
                    "declare the property",
                );
            }
            if let Some(style) =
                ["style", "explode", "allowReserved"].iter().find_map(|key| encoding.get(key))
                && self.document.version() == Version::V3_1
            {
                self.warn_once(
                    style,
                    "part-ignored",
                    "styles of the parts of a multipart body are not generated: each entry of a list is a part of its own, and a value with members is JSON",
                    "leave the style out, or send the value as text in a form of its own",
                );
            }
            if let Some(headers) = encoding.get("headers") {
                self.warn_once(
                    headers,
                    "part-ignored",
                    "headers of a part are not generated; everything else of the body is",
                    "give what they say a property of its own",
                );
            }
        }
        let Shape::Struct(shape) = &self.types[id.0].shape else { return Vec::new() };
        let (mut parts, mut unwritable) = (Vec::new(), Vec::new());
        for field in &shape.fields {
            let said = encodings
                .and_then(|encodings| encodings.get(&field.wire))
                .and_then(|encoding| text(encoding, "contentType"));
            let entry = match &field.element.ty {
                Type::List(entry) => &entry.ty,
                ty => ty,
            };
            let is_structured = !self.is_scalar(entry) && !self.is_file(id, &field.wire);
            // What holds a value with members can only be JSON, whatever it is called.
            if let (true, Some(foreign)) = (is_structured, said.filter(|said| !lists_json(said))) {
                unwritable.push((field.wire.clone(), foreign.to_owned()));
            }
            let content_type = match said {
                Some(said) if !is_structured || lists_json(said) => Some(said.to_owned()),
                _ if is_structured => Some("application/json".to_owned()),
                _ => None,
            };
            if content_type.is_some() {
                parts.push(Part {
                    wire: field.wire.clone(),
                    content_type,
                    states_type: said.is_some_and(|said| !is_structured || lists_json(said)),
                    style: Style::Form,
                    explode: true,
                    allow_reserved: false,
                });
            }
        }
        for (wire, said) in unwritable {
            if let Some(encoding) = encodings.and_then(|encodings| encodings.get(&wire)) {
                self.warn_once(
                    encoding,
                    "part-ignored",
                    format!("`contentType: {said}` of `{wire}` is ignored: its value has members, and is written as JSON"),
                    "use `application/json`, or make the property a string",
                );
            }
        }
        parts
    }

    /// Whether the type of a coding can stand for the body whichever coding it came in. One with files
    /// cannot.
    fn is_shared(&self, coding: &Coding) -> bool {
        match coding {
            Coding::Json(_) | Coding::Urlencoded(..) => true,
            Coding::Multipart(element, _) => {
                !matches!(element.ty, Type::Named(id) if self.files.contains_key(&id))
            }
            Coding::Text(_) | Coding::Bytes | Coding::Events(_) => false,
        }
    }

    fn is_file(&self, id: TypeId, wire: &str) -> bool {
        self.files.get(&id).is_some_and(|files| files.iter().any(|(file, _)| file == wire))
    }

    fn is_field(&self, id: TypeId, wire: &str) -> bool {
        matches!(&self.types[id.0].shape, Shape::Struct(shape) if shape.fields.iter().any(|field| field.wire == wire))
    }

    fn is_member(&self, element: &Element, wire: &str) -> bool {
        let Type::Named(id) = element.ty else { return true };
        match &self.types[id.0].shape {
            Shape::Struct(shape) => {
                shape.extra.is_some() || shape.fields.iter().any(|field| field.wire == wire)
            }
            _ => true,
        }
    }

    fn no_member(&mut self, encoding: NodeRef<'d>, wire: &str) {
        self.warn_once(
            encoding,
            "unused-encoding",
            format!("`encoding` names `{wire}`, which is not a property of the body; the entry is left out"),
            "correct the name, or remove the entry",
        );
    }

    /// Notes which members of a multipart body are files.
    fn note_files(&mut self, candidate: &Candidate<'d>, id: TypeId) {
        let (mut files, version) = (Vec::new(), self.document.version());
        if let Some(schema) = candidate.schema {
            collect_files(schema, candidate.node.get("encoding"), version, &mut files, 0);
        }
        if !files.is_empty() {
            let known = self.files.entry(id).or_default();
            for FileMember { wire, is_list, format } in files {
                if let Some(format) = format {
                    self.file_formats.entry(format).or_default().insert(id);
                }
                let file = (wire, is_list);
                if !known.contains(&file) {
                    known.push(file);
                }
            }
        }
    }

    /// Tells of the media types that were left out, each once.
    pub(super) fn tell_left_out(&mut self) {
        for (essence, left_out) in std::mem::take(&mut self.left_out) {
            let places = match left_out.places {
                1 => "a body that offers".to_owned(),
                places => format!("{places} bodies that offer"),
            };
            self.problems.push(
                frontdesk_document::Diagnostic::warning(
                    "media-type-left-out",
                    left_out.span,
                    format!(
                        "`{essence}` is left out of {places} the same content in a form that is generated"
                    ),
                )
                .hint("nothing to do, unless callers need just this form"),
            );
        }
    }
}

/// Whether two schemas are one, or are written alike.
fn same(left: NodeRef<'_>, right: NodeRef<'_>) -> bool {
    match (left.resolve(), right.resolve()) {
        (Ok(left), Ok(right)) => {
            left.id() == right.id() || left.len() == right.len() && left.to_json() == right.to_json()
        }
        _ => false,
    }
}

/// Whether one of the media types that a part may have is JSON.
fn lists_json(content_type: &str) -> bool {
    content_type
        .split(',')
        .any(|one| is_json(one) || matches!(essence(one).as_str(), "*/*" | "application/*"))
}

/// What a coding holds.
fn element_of(coding: &Coding) -> Option<&Element> {
    match coding {
        Coding::Json(element)
        | Coding::Urlencoded(element, _)
        | Coding::Multipart(element, _)
        | Coding::Events(element) => Some(element),
        Coding::Text(_) | Coding::Bytes => None,
    }
}

/// The variant of an alternative: by how it is written, or by its subtype where that does not tell it from
/// another.
fn variant(candidate: &Candidate<'_>, all: &[Candidate<'_>]) -> String {
    let single = all.iter().filter(|other| other.kind == candidate.kind).count() == 1;
    let plain = match candidate.kind {
        Family::Json if single || candidate.essence == "application/json" => Some("Json"),
        Family::Urlencoded => Some("Form"),
        Family::Multipart if single || candidate.essence == "multipart/form-data" => Some("Multipart"),
        Family::Text if candidate.essence == "text/plain" => Some("Text"),
        Family::Events => Some("Events"),
        Family::Other if candidate.essence == "application/octet-stream" => Some("Bytes"),
        _ => None,
    };
    if let Some(plain) = plain {
        return plain.to_owned();
    }
    let (kind, subtype) = candidate.essence.split_once('/').unwrap_or((candidate.essence.as_str(), ""));
    let subtype = subtype.trim_start_matches("vnd.").trim_start_matches("x-");
    match (kind, subtype) {
        ("*", _) => "Any".to_owned(),
        (kind, "*" | "") => names::pascal(kind),
        (_, subtype) => {
            let subtype = subtype.strip_suffix("+json").unwrap_or(subtype);
            names::pascal(subtype)
        }
    }
}

/// The members that are files, by the type that holds them.
pub(super) type Files = BTreeMap<TypeId, Vec<(String, bool)>>;
