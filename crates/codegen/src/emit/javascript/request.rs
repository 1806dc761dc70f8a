//! Requests: the type of what a function takes, and how the runtime sends it.

use super::{
    Context,
    lines::{DESCRIBED, array},
    text::{comment, literal},
    types::{Writer, described, member, shown},
};
use crate::{
    emit::idempotency,
    ir::{
        Api, Body, Coding, Credential, Form, Location, Operation, Parameter, Part, Payload, Shape, Style,
        Type,
    },
};
use std::collections::BTreeSet;

/// The parameters of an operation with the names that they have in a request, and its body.
pub(super) struct Request<'a> {
    operation: &'a Operation,
    parameters: Vec<(&'a Parameter, String)>,
    body: Option<&'a Body>,
}

impl<'a> Request<'a> {
    pub(super) fn of(operation: &'a Operation) -> Self {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let body = operation.body.as_ref().filter(|_| !is_bodiless(operation));
        if let Some(body) = body {
            taken.insert("body".to_owned());
            if body.payload.name.is_some() {
                taken.insert("contentType".to_owned());
            }
        }
        let named = operation.parameters.iter().filter(|parameter| !idempotency::is_key(parameter)).map(
            |parameter| {
                let mut key = parameter.wire.clone();
                if taken.contains(&key) {
                    let place = match parameter.location {
                        Location::Path => "path",
                        Location::Query => "query",
                        Location::Header => "header",
                        Location::Cookie => "cookie",
                    };
                    key = format!("{place}_{key}");
                }
                while !taken.insert(key.clone()) {
                    key.push('_');
                }
                (parameter, key)
            },
        );
        Self { operation, parameters: named.collect(), body }
    }

    /// Whether the function can be called without it.
    pub(super) fn is_optional(&self) -> bool {
        !self.parameters.iter().any(|(parameter, _)| parameter.required)
            && !self.body.is_some_and(|body| body.required)
    }

    /// Whether there is nothing to say in it.
    pub(super) fn is_empty(&self) -> bool {
        self.parameters.is_empty() && self.body.is_none()
    }

    /// Says that no call can have an effect, if the document requires a body that cannot be sent.
    pub(super) fn impossible(&self) -> Option<String> {
        let required = self.operation.body.as_ref().is_some_and(|body| body.required);
        (required && self.body.is_none()).then(|| {
            format!(
                "Browsers and `fetch` cannot make this call: they send no body with {}, and the document requires one.",
                self.operation.method
            )
        })
    }

    /// The name that a query parameter has.
    pub(super) fn query_key(&self, wire: &str) -> &str {
        let is_meant =
            |parameter: &Parameter| parameter.location == Location::Query && parameter.wire == wire;
        let found = self.parameters.iter().find(|(parameter, _)| is_meant(parameter));
        found.map_or("", |(_, key)| key)
    }

    /// The declaration of the type; nothing where there is nothing to say in it.
    pub(super) fn declaration(&self, writer: &mut Writer<'_>, name: &str, function: &str) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut members = String::new();
        for (parameter, key) in &self.parameters {
            let text = described(parameter.docs.as_deref(), &parameter.element);
            let mut tags = Vec::new();
            if let Some(default) = shown(parameter.default.as_ref(), &parameter.element) {
                tags.push(format!("@defaultValue `{default}`"));
            }
            if parameter.deprecated {
                tags.push("@deprecated The document advises against it.".to_owned());
            }
            let ty = writer.element(&parameter.element, false);
            members.push_str(&member(key, !parameter.required, &ty, &comment(&text, &tags, "  ")));
        }
        let docs = comment(&format!("Parameters of {{@link {function}}}."), &[], "");
        let Some(body) = self.body else {
            return format!("{docs}export interface {name} {{\n{members}}}\n");
        };
        let about = comment(&super::text::prose(body.docs.as_deref()), &[], "  ");
        let Some(forms) = several(&body.payload) else {
            let ty =
                body.payload.forms.first().map_or_else(|| "unknown".to_owned(), |form| writer.sent(form));
            members.push_str(&member("body", !body.required, &ty, &about));
            return format!("{docs}export interface {name} {{\n{members}}}\n");
        };
        let mut alternatives = Vec::new();
        for (index, form) in forms.iter().enumerate() {
            let (mark, media_type) = (if index == 0 { "?" } else { "" }, media_type(&form.media_type));
            alternatives.push(format!("{{ contentType{mark}: {media_type}; body: {} }}", writer.sent(form)));
        }
        if !body.required {
            alternatives.push("{ body?: undefined }".to_owned());
        }
        let alternatives = alternatives.join("\n  | ");
        if members.is_empty() {
            return format!("{docs}export type {name} =\n  | {alternatives};\n");
        }
        format!("{docs}export type {name} = {{\n{members}}} & (\n  | {alternatives}\n);\n")
    }

    /// The members of the description that is passed to the runtime, a line each.
    pub(super) fn description(
        &self,
        context: &Context<'_>,
        calls: &mut BTreeSet<&'static str>,
    ) -> Vec<String> {
        let mut lines = Vec::new();
        let mut segments = Vec::new();
        let (mut query, mut headers, mut cookies) = (Vec::new(), Vec::new(), Vec::new());
        for (parameter, key) in &self.parameters {
            let wire = literal(&parameter.wire);
            let style = style(context.api, parameter);
            calls.extend(style);
            let key_text = literal(key);
            match parameter.location {
                Location::Path if style.is_none() && *key == parameter.wire => {}
                Location::Path | Location::Header => {
                    let list =
                        if parameter.location == Location::Path { &mut segments } else { &mut headers };
                    let style = style.map(|style| format!(", {style}")).unwrap_or_default();
                    list.push(format!("[{wire}, {key_text}{style}]"));
                }
                Location::Query | Location::Cookie => {
                    let list = if parameter.location == Location::Query { &mut query } else { &mut cookies };
                    list.push(match (style, parameter.allow_reserved) {
                        (None, false) if *key == parameter.wire => wire,
                        (None, false) => format!("[{wire}, {key_text}]"),
                        (style, true) => {
                            calls.insert("keepReserved");
                            format!("[{wire}, {key_text}, {}, keepReserved]", style.unwrap_or("undefined"))
                        }
                        (Some(style), false) => format!("[{wire}, {key_text}, {style}]"),
                    });
                }
            }
        }
        for (name, list) in [("segments", segments), ("query", query), ("headers", headers)] {
            if !list.is_empty() {
                lines.push(array(&format!("{DESCRIBED}{name}: "), &list));
            }
        }
        if !cookies.is_empty() {
            calls.insert("inCookies");
            lines.push(format!("{})", array(&format!("{DESCRIBED}cookies: inCookies("), &cookies)));
        }
        if idempotency::is_keyed(self.operation) {
            calls.insert("keyed");
            lines.push(format!("{DESCRIBED}key: keyed"));
        } else if self.operation.idempotent {
            lines.push(format!("{DESCRIBED}idempotent: true"));
        }
        let security: Vec<String> = self
            .operation
            .security
            .iter()
            .map(|schemes| {
                let names: Vec<String> = schemes
                    .iter()
                    .map(|used| &context.api.schemes[used.scheme])
                    .filter(|scheme| scheme.credential != Credential::Connection)
                    .map(|scheme| literal(&scheme.wire))
                    .collect();
                format!("[{}]", names.join(", "))
            })
            .collect();
        if !security.is_empty() {
            lines.push(array(&format!("{DESCRIBED}security: "), &security));
        }
        let Some(body) = self.body else { return lines };
        if let Some(forms) = several(&body.payload) {
            let forms: Vec<String> = forms
                .iter()
                .map(|form| format!("[{}, {}]", literal(&form.media_type), sender("", form, calls)))
                .collect();
            calls.insert("sendByType");
            lines.push(format!("{})", array(&format!("{DESCRIBED}body: sendByType("), &forms)));
        } else if let Some(form) = body.payload.forms.first() {
            lines.push(sender(&format!("{DESCRIBED}body: "), form, calls));
            if !is_usual(form) && !form.media_type.contains('*') {
                lines.push(format!("{DESCRIBED}type: {}", literal(&form.media_type)));
            }
        }
        lines
    }
}

/// Whether `fetch` sends no body with the method.
fn is_bodiless(operation: &Operation) -> bool {
    matches!(operation.method.as_str(), "GET" | "HEAD")
}

/// The forms of a body, where they differ in what they hold.
fn several(payload: &Payload) -> Option<&[Form]> {
    (payload.name.is_some() && payload.forms.len() > 1).then_some(&payload.forms)
}

/// A media type as a type; a range stands for every type in it.
fn media_type(text: &str) -> String {
    match text.split_once('*') {
        None => literal(text),
        Some(("", _)) => "string".to_owned(),
        Some((kind, _)) if kind.contains(['`', '$', '\\']) => "string".to_owned(),
        Some((kind, _)) => format!("`{kind}${{string}}`"),
    }
}

/// Whether the runtime sends the media type by itself.
fn is_usual(form: &Form) -> bool {
    let usual = match form.coding {
        Coding::Json(_) => "application/json",
        Coding::Urlencoded(..) => "application/x-www-form-urlencoded",
        Coding::Multipart(..) => return true,
        Coding::Text(_) => "text/plain",
        Coding::Bytes | Coding::Events(_) => "application/octet-stream",
    };
    form.media_type.eq_ignore_ascii_case(usual)
}

/// The function that writes a body, behind the start of a line.
fn sender(start: &str, form: &Form, calls: &mut BTreeSet<&'static str>) -> String {
    let (name, arguments) = match &form.coding {
        Coding::Json(_) => ("sendJson", None),
        Coding::Text(_) => ("sendText", None),
        Coding::Bytes | Coding::Events(_) => ("sendBytes", None),
        Coding::Urlencoded(_, parts) => {
            let styles = parts.iter().filter_map(|part| {
                let style = list_style(part.style, part.explode);
                calls.extend(style);
                let reserved = if part.allow_reserved { ", keepReserved" } else { "" };
                let written = format!("[{}, {}{reserved}]", literal(&part.wire), style?);
                if part.allow_reserved {
                    calls.insert("keepReserved");
                }
                Some(written)
            });
            ("sendForm", Some(styles.collect::<Vec<_>>()))
        }
        Coding::Multipart(_, parts) => {
            let typed = |part: &Part| {
                Some(format!("[{}, {}]", literal(&part.wire), literal(part.content_type.as_ref()?)))
            };
            ("sendMultipart", Some(parts.iter().filter_map(typed).collect()))
        }
    };
    calls.insert(name);
    match arguments {
        None => format!("{start}{name}"),
        Some(list) if list.is_empty() => format!("{start}{name}()"),
        // In a list of forms, an entry is one line.
        Some(list) if start.is_empty() => format!("{name}([{}])", list.join(", ")),
        Some(list) => format!("{})", array(&format!("{start}{name}("), &list)),
    }
}

/// The function that encodes a query parameter or a member of a form; nothing for the usual style.
fn list_style(style: Style, explode: bool) -> Option<&'static str> {
    match (style, explode) {
        (Style::DeepObject, _) => Some("brackets"),
        (Style::Json, _) => Some("asJson"),
        (Style::JsonIfNested, _) => Some("jsonIfNested"),
        (Style::SpaceDelimited, false) => Some("spaces"),
        (Style::PipeDelimited, false) => Some("pipes"),
        (_, false) => Some("commas"),
        (_, true) => None,
    }
}

/// The function that encodes a parameter; nothing for the usual style of its place.
fn style(api: &Api, parameter: &Parameter) -> Option<&'static str> {
    let kind = Kind::of(api, &parameter.element.ty);
    let is_scalar = kind == Kind::Scalar;
    match (parameter.location, parameter.style, parameter.explode) {
        (Location::Path, Style::Json, _) => Some("simpleJson"),
        (Location::Path, Style::Label, false) => Some("label"),
        (Location::Path, Style::Label, true) => Some("labelExploded"),
        (Location::Path, Style::Matrix, false) => Some("matrix"),
        (Location::Path, Style::Matrix, true) => Some("matrixExploded"),
        (Location::Path, ..) if is_scalar => None,
        (Location::Path, _, true) => Some("simpleExploded"),
        (Location::Path, _, false) => Some("simple"),
        (Location::Header, Style::Json, _) => Some("headerJson"),
        (Location::Header, ..) if is_scalar => None,
        (Location::Header, _, true) => Some("headerExploded"),
        (Location::Header, _, false) => Some("header"),
        (_, Style::Json | Style::JsonIfNested | Style::DeepObject, _) => {
            list_style(parameter.style, parameter.explode)
        }
        _ if is_scalar => None,
        (_, style, explode) => {
            // Entries of lists are usual, members of objects are not.
            list_style(style, explode).or((kind == Kind::Other).then_some("exploded"))
        }
    }
}

/// What a parameter holds, as far as its place in a URL depends on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Scalar,
    List,
    /// An object, or a value that may be one.
    Other,
}

impl Kind {
    fn of(api: &Api, ty: &Type) -> Self {
        let mut ty = ty;
        // A name may stand for another one; a circle of names has no end.
        for _ in 0..8 {
            match ty {
                Type::Named(id) | Type::Boxed(id) => match &api.type_def(*id).shape {
                    Shape::Enum(_) | Shape::Id => return Self::Scalar,
                    Shape::Newtype(element) => ty = &element.ty,
                    Shape::Struct(_) | Shape::Union(_) => return Self::Other,
                },
                Type::List(_) => return Self::List,
                Type::Map(_) | Type::Any | Type::Raw(_) | Type::Foreign(_) => return Self::Other,
                _ => return Self::Scalar,
            }
        }
        Self::Other
    }
}
