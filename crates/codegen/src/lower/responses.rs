//! Owns the lowering of responses: what each status of an operation carries.

use super::{Lowering, docs, flag, last_segment, names, schemas::Place, shown, text};
use crate::ir::{Answer, Content, Element, Header, Response, ResponseId, Shape, Status, Type};
use frontdesk_document::{Diagnostic, NodeRef};

impl<'d> Lowering<'d, '_> {
    /// The answers of an operation: first those with a 2xx status, then all others.
    pub(super) fn answers(
        &mut self,
        operation: NodeRef<'d>,
        owner: &str,
        group: &str,
    ) -> (Vec<Answer>, Vec<Answer>) {
        let Some(responses) = operation.get("responses") else {
            self.problems.push(
                Diagnostic::error(
                    "missing-responses",
                    shown(operation),
                    "the operation declares no responses",
                )
                .hint("add `responses` with at least one status"),
            );
            return (Vec::new(), Vec::new());
        };
        let (mut successes, mut errors) = (Vec::new(), Vec::new());
        for (key, node) in responses.entries() {
            if key.text.starts_with("x-") {
                continue;
            }
            let Some(status) = parse_status(key.text) else {
                self.problems.push(
                    Diagnostic::error("invalid-status", key.span, format!("`{}` is no status", key.text))
                        .hint("write a status such as '404', a class such as '4XX', or `default`"),
                );
                continue;
            };
            let Some(response) = self.resolve(node) else { continue };
            let variant = match status {
                Status::Code(code) => names::status(code),
                Status::Class(1) => "Informational".to_owned(),
                Status::Class(2) => "Success".to_owned(),
                Status::Class(3) => "Redirection".to_owned(),
                Status::Class(4) => "ClientError".to_owned(),
                Status::Class(_) => "ServerError".to_owned(),
                Status::Default => "Other".to_owned(),
            };
            let success = matches!(status, Status::Code(200..=299) | Status::Class(2));
            let shared = node.reference().is_some();
            let content = if success && response.get("headers").is_none() {
                match self.response_body(response, &format!("{owner}{variant}")) {
                    Some(ty) => Content::Body(ty),
                    None => Content::Nothing,
                }
            } else {
                Content::Response(self.response(response, shared, &format!("{owner}{variant}"), group))
            };
            let answer = Answer { status, variant, content };
            if success { successes.push(answer) } else { errors.push(answer) }
        }
        // Where nothing else says what success is, `default` says it too.
        if let [Answer { status: Status::Default, content, .. }] = &errors[..]
            && successes.is_empty()
        {
            let content = match content {
                Content::Response(id) if self.responses[id.0].headers.is_empty() => {
                    self.responses[id.0].body.clone().map_or(Content::Nothing, Content::Body)
                }
                other => other.clone(),
            };
            successes.push(Answer { status: Status::Class(2), variant: "Success".to_owned(), content });
        }
        (successes, errors)
    }

    fn response(&mut self, node: NodeRef<'d>, shared: bool, inline_name: &str, group: &str) -> ResponseId {
        if let Some(id) = self.seen_responses.get(&node.id()) {
            return *id;
        }
        let wanted = match text(node, "x-rust-name") {
            Some(name) => names::pascal(name),
            None if shared => names::pascal(&last_segment(node)),
            None => inline_name.to_owned(),
        };
        let name = self.type_names.take(&wanted, "Response");
        let body = self.response_body(node, &format!("{name}Body"));
        let mut taken = names::Scope::default();
        taken.take("body", "");
        let mut headers = Vec::new();
        for (key, header) in node.get("headers").into_iter().flat_map(NodeRef::entries) {
            // OpenAPI 3.0, Response Object: a header of this name is ignored.
            if key.text.eq_ignore_ascii_case("content-type") {
                continue;
            }
            let Some(header) = self.resolve(header) else { continue };
            let ty = match header.get("schema") {
                Some(schema) => self.schema(schema, &Place::new(names::inline(&name, key.text))).ty,
                None => Type::String,
            };
            headers.push(Header {
                wire: key.text.to_owned(),
                rust: taken.take(&names::snake(key.text), "_header"),
                docs: docs(header),
                required: flag(header, "required"),
                ty: self.textual(header, ty),
            });
        }
        let id = ResponseId(self.responses.len());
        let group = (!shared).then(|| group.to_owned());
        self.responses.push(Response { name, docs: docs(node), group, headers, body });
        self.seen_responses.insert(node.id(), id);
        id
    }

    fn response_body(&mut self, response: NodeRef<'d>, name: &str) -> Option<Type> {
        let schema = self.json_schema(response.get("content")?, "response")?;
        let element = self.schema(schema, &Place::new(name));
        Some(self.body_type(schema, element))
    }

    /// The type of a body; one that may be `null` has none of its own.
    pub(super) fn body_type(&mut self, schema: NodeRef<'d>, element: Element) -> Type {
        if !element.nullable {
            return element.ty;
        }
        self.warn_once(
            schema,
            "nullable-body",
            "a body that may be `null` is read as any JSON value",
            "leave the body out where there is nothing to say, with status 204 in an answer",
        );
        Type::Any
    }

    /// The schema of the JSON form of a body; other media types are refused.
    pub(super) fn json_schema(&mut self, content: NodeRef<'d>, of: &str) -> Option<NodeRef<'d>> {
        let mut found = None;
        for (key, media_type) in content.entries() {
            let essence = key.text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            if essence == "application/json" || essence.ends_with("+json") {
                found = found.or(Some(media_type));
            } else {
                self.problems.push(
                    Diagnostic::error(
                        "unsupported-media-type",
                        key.span,
                        format!("a {of} of the media type `{}` is not generated yet", key.text),
                    )
                    .hint("JSON bodies are; offer application/json as well, or leave this operation out"),
                );
            }
        }
        let media_type = found?;
        match media_type.get("schema") {
            Some(schema) => Some(schema),
            None => {
                self.problems.push(
                    Diagnostic::error(
                        "missing-schema",
                        shown(media_type),
                        format!("the {of} says no schema for its JSON body"),
                    )
                    .hint("add `schema`, with `{}` for any JSON value"),
                );
                None
            }
        }
    }

    /// A type that can stand in a header or a path: anything else is refused.
    pub(super) fn textual(&mut self, node: NodeRef<'d>, ty: Type) -> Type {
        let simple = |ty: &Type| match ty {
            Type::Any | Type::Map(_) | Type::Boxed(_) | Type::List(_) => false,
            Type::Named(id) => matches!(self.types[id.0].shape, Shape::Enum(_)),
            _ => true,
        };
        match ty {
            // An entry has no way to be `null` in text.
            Type::List(entry) if simple(&entry.ty) && entry.ty != Type::Secret => {
                Type::List(Box::new(Element { nullable: false, ..*entry }))
            }
            ty if simple(&ty) => ty,
            _ => self.not_textual(node),
        }
    }

    fn not_textual(&mut self, node: NodeRef<'d>) -> Type {
        self.problems.push(
            Diagnostic::error(
                "unsupported-parameter",
                shown(node),
                "only strings, numbers, booleans and lists of them can stand here yet",
            )
            .hint("give the schema a simple type, or move the value into the body"),
        );
        Type::String
    }
}

fn parse_status(text: &str) -> Option<Status> {
    if text == "default" {
        return Some(Status::Default);
    }
    let class = text.strip_suffix("XX").or_else(|| text.strip_suffix("xx"));
    match class {
        Some(class) => class.parse().ok().filter(|class| (1..=5).contains(class)).map(Status::Class),
        None => text.parse().ok().filter(|code| (100..=599).contains(code)).map(Status::Code),
    }
}
