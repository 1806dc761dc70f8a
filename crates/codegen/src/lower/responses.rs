//! Lowering of responses: the content of each status of an operation.

use super::{
    Lowering, described, docs, flag, last_segment, media::is_json, names, parameters::is_token,
    payloads::BodyName, schemas::Place, shown, text,
};
use crate::ir::{Answer, Content, Element, Header, Response, ResponseId, Status, Type};
use frontdesk_document::{Diagnostic, NodeRef, Operation, Version};

/// A response with a type of its own, and what the output says less of than the document.
#[derive(Clone, Debug)]
pub(super) struct SeenResponse {
    id: ResponseId,
    losses: Vec<usize>,
}

/// A response where it stands.
struct Listed<'d> {
    status: Status,
    node: NodeRef<'d>,
    /// Whether it stands under `components`, or in a file, under a name.
    shared: bool,
    success: bool,
}

impl<'d> Lowering<'d, '_> {
    /// The answers of an operation: first those that say that it was done, then all others.
    pub(super) fn answers(
        &mut self,
        operation: Operation<'d>,
        owner: &str,
        group: &str,
    ) -> (Vec<Answer>, Vec<Answer>) {
        let mut listed = self.listed_responses(operation);
        let among = |wanted: fn(Status) -> bool| listed.iter().any(|listed| wanted(listed.status));
        // Where no 2xx is declared, being sent elsewhere or switching protocols is what success means.
        let is_success = if among(is_2xx) {
            is_2xx
        } else if among(is_3xx) {
            is_3xx
        } else if among(is_1xx) {
            is_1xx
        } else {
            is_2xx
        };
        for listed in &mut listed {
            listed.success = is_success(listed.status);
        }
        let none = !listed.iter().any(|listed| listed.success);
        let (mut successes, mut errors) = (Vec::new(), Vec::new());
        for Listed { status, node, shared, success } in &listed {
            let variant = variant(*status);
            let name = format!("{owner}{variant}");
            let bodiless = self.is_bodiless(*node, operation.method, *status);
            let plain = node.get("headers").is_none_or(NodeRef::is_empty);
            // A response that the document shares under a name is a type of its own: `?` turns it into every
            // error that declares it.
            let content = if plain && (*success || !*shared) {
                self.body_alone(*node, &name, bodiless)
            } else {
                Content::Response(self.response(*node, *shared && !bodiless, &name, group, bodiless))
            };
            let answer = Answer { status: *status, variant, declared: true, docs: docs(*node), content };
            if *success { successes.push(answer) } else { errors.push(answer) }
        }
        if none {
            // Where nothing else says what success is, `default` says it too.
            let content = match listed.iter().find(|listed| listed.status == Status::Default) {
                Some(Listed { node, shared: true, .. })
                    if node.get("headers").is_none_or(NodeRef::is_empty) =>
                {
                    self.body_alone(*node, &format!("{owner}Success"), operation.method == "head")
                }
                Some(_) => errors
                    .iter()
                    .find(|answer| answer.status == Status::Default)
                    .map_or(Content::Nothing, |answer| answer.content.clone()),
                None => {
                    self.missing_success(operation.node, !listed.is_empty());
                    Content::Nothing
                }
            };
            let (status, variant) = (Status::Class(2), "Success".to_owned());
            successes.push(Answer { status, variant, declared: false, docs: None, content });
        }
        (successes, errors)
    }

    /// The statuses of an operation, each once.
    fn listed_responses(&mut self, operation: Operation<'d>) -> Vec<Listed<'d>> {
        let mut found: Vec<Listed<'d>> = Vec::new();
        for (key, node) in operation.responses() {
            let Some(status) = parse_status(key.text) else {
                self.problems.push(
                    Diagnostic::warning(
                        "invalid-status",
                        key.span,
                        format!("`{}` is not a status; the response is left out", key.text),
                    )
                    .hint("write a status such as '404', a class such as '4XX', or `default`"),
                );
                let place = format!("the response `{}`", key.text);
                self.degraded(node, place, "its key is not a status; it is left out");
                continue;
            };
            if let Some(earlier) = found.iter().find(|listed| listed.status == status) {
                self.problems.push(
                    Diagnostic::warning(
                        "duplicate-status",
                        key.span,
                        format!("`{}` is the same status as an earlier one, which counts", key.text),
                    )
                    .related(shown(earlier.node), "the earlier one")
                    .hint("remove one of the two"),
                );
                continue;
            }
            let shared = node.reference().is_some();
            let Some(node) = self.resolve(node) else { continue };
            found.push(Listed { status, node, shared, success: false });
        }
        found
    }

    fn missing_success(&mut self, operation: NodeRef<'d>, has_errors: bool) {
        let none = operation.get("responses").is_none_or(NodeRef::is_empty);
        // OpenAPI 3.1 requires no responses.
        let optional = none && self.document.version() == Version::V3_1;
        let (code, message) = if optional {
            ("missing-success", "the operation declares no responses; success is an answer without a body")
        } else if has_errors {
            ("missing-success", "the operation declares errors only; success is an answer without a body")
        } else if none {
            ("missing-responses", "the operation declares no responses; success is an answer without a body")
        } else {
            // What stands there was refused.
            return;
        };
        self.warn_once(
            operation.get("responses").unwrap_or(operation),
            code,
            message,
            "add a status such as '200' or '204' to `responses`",
        );
    }

    /// Whether HTTP has no body in this place (RFC 9110, section 6.4.1); one that is declared is told.
    fn is_bodiless(&mut self, node: NodeRef<'d>, method: &str, status: Status) -> bool {
        let status_has_none = matches!(status, Status::Code(100..=199 | 204 | 205 | 304) | Status::Class(1));
        let has_content = node.get("content").is_some_and(|content| !content.is_empty());
        if has_content && status_has_none {
            self.warn_once(
                node,
                "body-without-place",
                "with this status, HTTP sends no body; its `content` is left out",
                "remove `content`, or use a status that carries a body",
            );
        } else if has_content && method == "head" && self.warned.insert((node.id(), "body-without-place")) {
            self.problems.push(
                Diagnostic::remark(
                    "body-without-place",
                    shown(node),
                    "an answer to HEAD has no body; its `content` is left out",
                )
                .hint("leave `content` out where only HEAD answers so"),
            );
        }
        has_content && (status_has_none || method == "head")
    }

    fn body_alone(&mut self, node: NodeRef<'d>, name: &str, bodiless: bool) -> Content {
        // Every operation that refers to a component gets its type, which no single one can be the name of.
        let inline = Self::component_body(node, "responses").unwrap_or_else(|| name.to_owned());
        let name = BodyName { choice: format!("{name}Body"), inline };
        let payload =
            node.get("content").filter(|_| !bodiless).and_then(|content| self.payload(content, &name));
        payload.map_or(Content::Nothing, Content::Body)
    }

    fn response(
        &mut self,
        node: NodeRef<'d>,
        shared: bool,
        inline_name: &str,
        group: &str,
        bodiless: bool,
    ) -> ResponseId {
        if let Some(seen) = self.seen_responses.get(&(node.id(), bodiless)) {
            self.losses.extend(&seen.losses);
            return seen.id;
        }
        let wanted = match text(node, "x-rust-name") {
            Some(name) => names::pascal(name),
            None if shared => names::pascal(&last_segment(node)),
            None => inline_name.to_owned(),
        };
        let before = self.losses.len();
        // The headers are a type of their own.
        let endings: &[&str] =
            if node.get("headers").is_none_or(NodeRef::is_empty) { &[""] } else { &["", "Headers"] };
        let name = self.type_names.take_all(&wanted, "Response", endings);
        let body = BodyName { choice: format!("{name}Body"), inline: format!("{name}Body") };
        let body = node.get("content").filter(|_| !bodiless).and_then(|content| self.payload(content, &body));
        let headers = self.headers(node, &name);
        let id = ResponseId(self.responses.len());
        let group = (!shared).then(|| group.to_owned());
        self.responses.push(Response { name, docs: docs(node), group, groups: Vec::new(), headers, body });
        let losses = self.losses[before..].to_vec();
        self.seen_responses.insert((node.id(), bodiless), SeenResponse { id, losses });
        id
    }

    fn headers(&mut self, response: NodeRef<'d>, owner: &str) -> Vec<Header> {
        let mut taken = names::Scope::default();
        taken.take("body", "");
        let mut headers: Vec<Header> = Vec::new();
        for (key, node) in response.get("headers").into_iter().flat_map(NodeRef::entries) {
            // OpenAPI 3.0, Response Object: a header of this name is ignored.
            if key.text.eq_ignore_ascii_case("content-type") {
                if self.warned.insert((node.id(), "ignored-header")) {
                    self.problems.push(
                        Diagnostic::remark(
                            "ignored-header",
                            key.span,
                            "a header `Content-Type` is ignored, as OpenAPI says: the `content` of the response describes it",
                        )
                        .hint("remove the header"),
                    );
                }
                continue;
            }
            if !is_token(key.text) {
                self.warn_once(
                    node,
                    "invalid-header",
                    format!("`{}` is not a name that a header can have; it is left out", key.text),
                    "write letters, digits and hyphens",
                );
                continue;
            }
            let Some(node) = self.resolve(node) else { continue };
            let shared = Self::component(node, "headers").map(|name| format!("{name}Header"));
            let content = node.get("content").and_then(|content| content.entries().next());
            let (schema, json) = match (node.get("schema"), content) {
                (Some(schema), _) => (Some(schema), false),
                (None, Some((media_type, content))) => (content.get("schema"), is_json(media_type.text)),
                (None, None) => (None, false),
            };
            let mut element = match schema {
                Some(schema) => {
                    let name = shared.unwrap_or_else(|| names::inline(owner, key.text));
                    self.schema(schema, &Place::new(name))
                }
                None => Element::of(Type::String),
            };
            if !json && node.get("schema").is_none() {
                element = Element::of(Type::String);
            }
            // No text is `null`: a header that has no value is left out, and so is an entry.
            if let Type::List(entry) = &mut element.ty {
                entry.nullable = false;
            }
            headers.push(Header {
                wire: key.text.to_owned(),
                rust: taken.take(&names::snake(key.text), "_header"),
                docs: docs(node).or_else(|| schema.and_then(described)),
                required: flag(node, "required"),
                ty: element.ty,
                explode: flag(node, "explode"),
                json,
            });
        }
        headers
    }
}

fn is_2xx(status: Status) -> bool {
    matches!(status, Status::Code(200..=299) | Status::Class(2))
}

fn is_3xx(status: Status) -> bool {
    matches!(status, Status::Code(300..=399) | Status::Class(3))
}

fn is_1xx(status: Status) -> bool {
    matches!(status, Status::Code(100..=199) | Status::Class(1))
}

fn variant(status: Status) -> String {
    match status {
        Status::Code(code) => names::status(code),
        Status::Class(1) => "Informational".to_owned(),
        Status::Class(2) => "Success".to_owned(),
        Status::Class(3) => "Redirection".to_owned(),
        Status::Class(4) => "ClientError".to_owned(),
        Status::Class(_) => "ServerError".to_owned(),
        Status::Default => "Other".to_owned(),
    }
}

pub(super) fn parse_status(text: &str) -> Option<Status> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("default") {
        return Some(Status::Default);
    }
    let class = text.strip_suffix("XX").or_else(|| text.strip_suffix("xx"));
    match class {
        Some(class) => class.parse().ok().filter(|class| (1..=5).contains(class)).map(Status::Class),
        None => {
            let digits = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|code| digits && (100..=599).contains(code)).map(Status::Code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Status, parse_status};

    #[test]
    fn statuses_are_codes_classes_or_default() {
        for (text, status) in [
            ("200", Some(Status::Code(200))),
            ("4xx", Some(Status::Class(4))),
            ("default", Some(Status::Default)),
            ("0200", None),
            ("+20", None),
            ("600", None),
            ("6XX", None),
            ("ok", None),
        ] {
            assert_eq!(parse_status(text), status, "{text}");
        }
    }
}
