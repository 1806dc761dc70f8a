//! The module of a tag: a function for each operation, and the types that only its operations use.

use super::{
    Context,
    imports::runtime_imports,
    lines::{DESCRIBED, fits},
    names::Function,
    request::Request,
    response::{self, Wanted},
    text::{comment, line_comment, literal, paragraphs, prose},
    types::{Writer, declare},
};
use crate::{
    emit::{
        operations::common_payload,
        prose::{address, operation_text},
    },
    ir::{Api, Coding, Element, Operation, Pages, Shape, Stability, Type},
    render::markdown,
};
use std::collections::BTreeSet;

/// The module of a group, and its declarations.
pub(super) fn files(context: &Context<'_>, index: usize) -> Vec<(String, String)> {
    let group = &context.api.groups[index];
    let module = &context.names.modules[index];
    let mut writer = Writer::new(context);
    let (mut code, mut declared) = (Vec::new(), Vec::new());
    let mut calls = BTreeSet::new();
    for (operation, function) in group.operations.iter().zip(&context.names.functions[index]) {
        let request = Request::of(operation);
        let declaration = request.declaration(&mut writer, &function.request, &function.name);
        if !declaration.is_empty() {
            declared.push(declaration);
        }
        for (name, result, wanted) in functions(operation, function) {
            let part = Part { context, operation, request: &request, function, name, result, wanted };
            declared.push(response::declaration(context, &mut writer, operation, wanted, (result, name)));
            declared.push(part.declaration(&mut writer));
            code.push(part.code(&mut calls));
        }
    }
    declared.extend(context.modules.declared(module).filter_map(|id| declare(context.api, &mut writer, id)));
    let about = markdown(group.docs.as_deref().unwrap_or_default());
    let about = about.lines().map(line_comment).collect::<String>();
    let about = if about.is_empty() { about } else { format!("{about}\n") };
    let header = context.header("group");
    let module_header = context.module_header("group", module);
    let body = declared.join("\n");
    let imports = writer.imports(module, &body);
    let body = if body.is_empty() { "export {};\n".to_owned() } else { body };
    let code = if code.is_empty() { "export {};\n".to_owned() } else { code.join("\n") };
    vec![
        (format!("{module}.js"), format!("{module_header}{about}{}{code}", runtime_imports(&calls))),
        (format!("{module}.d.ts"), format!("{header}{about}{imports}{body}")),
    ]
}

/// The functions of an operation, with the names of their results.
fn functions<'f>(operation: &Operation, function: &'f Function) -> Vec<(&'f str, &'f str, Wanted)> {
    match (&function.stream, &operation.streaming) {
        (Some(stream), Some(_)) => vec![
            (&function.name, &function.result, Wanted::Whole),
            (stream, &function.stream_result, Wanted::Stream),
        ],
        _ => vec![(&function.name, &function.result, Wanted::All)],
    }
}

/// One function.
struct Part<'a> {
    context: &'a Context<'a>,
    operation: &'a Operation,
    request: &'a Request<'a>,
    function: &'a Function,
    name: &'a str,
    result: &'a str,
    wanted: Wanted,
}

/// What a call returns beside a promise.
enum Kind<'a> {
    Plain,
    /// The entries of a list, and how its pages follow each other.
    Paged(&'a Element, &'a Pages, &'a [String]),
    /// The data of the events.
    Stream(&'a Element),
}

impl<'a> Part<'a> {
    fn kind(&self) -> Kind<'a> {
        let api = self.context.api;
        if let Some(data) = events(api, self.operation, self.wanted) {
            return Kind::Stream(data);
        }
        let pagination = self.operation.pagination.as_ref();
        let paged = pagination.and_then(|found| Some((entry(api, self.operation, &found.items)?, found)));
        match paged {
            Some((entry, found)) => Kind::Paged(entry, &found.pages, &found.items),
            None => Kind::Plain,
        }
    }

    fn declaration(&self, writer: &mut Writer<'_>) -> String {
        let ty = match self.kind() {
            Kind::Plain => format!("runtime.Call<{}>", self.result),
            Kind::Paged(entry, ..) => {
                format!("runtime.PagedCall<{}, {}>", self.result, writer.element(entry, true))
            }
            Kind::Stream(data) => {
                format!("runtime.StreamCall<{}, {}>", self.result, writer.element(data, true))
            }
        };
        let request = if self.request.is_empty() { "runtime.NoParameters" } else { &self.function.request };
        let mark = if self.request.is_optional() { "?" } else { "" };
        let arguments = [
            "api: runtime.Api".to_owned(),
            format!("request{mark}: {request}"),
            "options?: runtime.CallOptions".to_owned(),
        ];
        let (docs, name) = (self.docs(), self.name);
        let one_line = format!("export function {name}({}): {ty};\n", arguments.join(", "));
        if fits(&one_line) {
            docs + &one_line
        } else {
            format!("{docs}export function {name}(\n  {},\n): {ty};\n", arguments.join(",\n  "))
        }
    }

    fn docs(&self) -> String {
        let operation = self.operation;
        let (stability, sunset) = (operation.stability, operation.sunset.as_deref());
        let stability = match stability {
            Stability::Draft => "Draft: may be removed at any time.",
            Stability::Alpha => "Alpha: may change in any version.",
            Stability::Beta => "Beta: may change with a minor version.",
            Stability::Stable => "",
        };
        let stream = if self.wanted == Wanted::Stream { "Asks for a stream of events." } else { "" };
        let said = prose(Some(&operation_text(operation)));
        let impossible = self.request.impossible().unwrap_or_default();
        let text = paragraphs(&[&said, stream, &impossible, &address(operation), stability]);
        let mut tags = Vec::new();
        if operation.deprecated {
            let until = sunset.map(|date| format!(" It may be removed from {date}.")).unwrap_or_default();
            tags.push(format!("@deprecated The document advises against it.{until}"));
        }
        if let Some((text, url)) = &operation.link {
            tags.push(format!("@see {url} {text}").replace('\n', " "));
        }
        comment(&text, &tags, "")
    }

    fn code(&self, calls: &mut BTreeSet<&'static str>) -> String {
        let operation = self.operation;
        let mut lines = vec![
            format!("{DESCRIBED}method: {}", literal(&operation.method)),
            format!("{DESCRIBED}path: {}", literal(&operation.path)),
        ];
        if let Some(server) = operation.servers.first() {
            let url = server.variables.iter().fold(server.url.clone(), |url, variable| {
                url.replace(&format!("{{{}}}", variable.wire), &variable.default)
            });
            calls.insert("ownServer");
            lines.push(format!("{DESCRIBED}server: ownServer({})", literal(&url)));
        }
        lines.extend(self.request.description(self.context, calls));
        lines.extend(response::description(self.context.api, operation, self.wanted, calls));
        let (start, further) = match self.kind() {
            Kind::Plain => ("call", String::new()),
            Kind::Stream(_) => ("stream", String::new()),
            Kind::Paged(_, pages, items) => {
                ("paged", format!(", {}, {}", self.following(pages, calls), path(items)))
            }
        };
        calls.insert(start);
        let description: String = lines.iter().map(|line| format!("{line},\n")).collect();
        let name = self.name;
        format!(
            "export function {name}(api, request, options) {{\n  return {start}(api, request, options, {{\n{description}  }}{further});\n}}\n"
        )
    }

    fn following(&self, pages: &Pages, calls: &mut BTreeSet<&'static str>) -> String {
        let key = |parameter: &str| literal(self.request.query_key(parameter));
        let (name, arguments) = match pages {
            Pages::Cursor { parameter, next } => {
                ("byCursor", Some(format!("{}, {}", key(parameter), path(next))))
            }
            Pages::Number { parameter, first } => ("byNumber", Some(format!("{}, {first}", key(parameter)))),
            Pages::Offset { parameter } => ("byOffset", Some(key(parameter))),
            Pages::Address { next } => ("byAddress", Some(path(next))),
            Pages::Link => ("byLink", None),
            Pages::Single => ("onePage", None),
        };
        calls.insert(name);
        arguments.map_or_else(|| name.to_owned(), |arguments| format!("{name}({arguments})"))
    }
}

/// A path of members.
fn path(members: &[String]) -> String {
    let members: Vec<String> = members.iter().map(|member| literal(member)).collect();
    format!("[{}]", members.join(", "))
}

/// The data of the events, if a success is nothing but a stream of them.
fn events<'a>(api: &'a Api, operation: &'a Operation, wanted: Wanted) -> Option<&'a Element> {
    let [only] = &operation.successes[..] else { return None };
    let forms = &only.content.payload(&api.responses)?.forms;
    let mut data = None;
    for form in forms {
        match &form.coding {
            Coding::Events(element) => data = Some(element),
            _ if wanted == Wanted::All => return None,
            _ => {}
        }
    }
    data.filter(|_| wanted != Wanted::Whole)
}

/// The entries of a list in the body of a success.
fn entry<'a>(api: &'a Api, operation: &'a Operation, items: &[String]) -> Option<&'a Element> {
    let mut element = common_payload(api, operation)??.json()?;
    for member in items {
        let (Type::Named(id) | Type::Boxed(id)) = element.ty else { return None };
        let Shape::Struct(shape) = &api.type_def(id).shape else { return None };
        element = &shape.fields.iter().find(|field| field.wire == *member)?.element;
    }
    match &element.ty {
        Type::List(entry) => Some(entry),
        _ => None,
    }
}
