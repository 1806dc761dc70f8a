//! Where in the document an item of the generated crates comes from.

use std::collections::BTreeMap;

use frontdesk_document::Document;

use super::{Package, Path};
use crate::emit::javascript::Names;
use crate::ir::{Api, Content, Location, Operation, ResponseId, Shape, Status, Streaming, TypeId};

/// A place of the document, as far as an item can be led back to one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file and the JSON pointer of the schema that a type was made of.
    pub schema: Option<(String, String)>,
    /// The member, value or branch of that schema, by its name on the wire.
    pub member: Option<String>,
    /// The operations that an item serves: method and path. An empty one stands for the document.
    pub operations: Vec<String>,
    /// The part of these operations, such as `query parameter limit` or `response 404`.
    pub part: Option<String>,
}

/// The origins of items, by crate, owner and member.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    known: BTreeMap<(Option<Package>, String, String), Origin>,
}

fn name(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

fn place(location: Location) -> &'static str {
    match location {
        Location::Path => "path",
        Location::Query => "query",
        Location::Header => "header",
        Location::Cookie => "cookie",
    }
}

fn status(status: Status) -> String {
    match status {
        Status::Code(code) => format!("response {code}"),
        Status::Class(class) => format!("response {class}XX"),
        Status::Default => "response default".to_owned(),
    }
}

impl Origins {
    pub(super) fn of(api: &Api, document: &Document) -> Self {
        let mut origins = Self::default();
        origins.types(api, document);
        origins.responses(api);
        for group in &api.groups {
            let operations = group.operations.iter().map(name).collect();
            let origin = Origin { operations, ..Origin::default() };
            origins.add(None, &group.name, "", origin.clone());
            origins.add(Some(Package::Server), &group.mount(), "", origin);
            for operation in &group.operations {
                origins.operation(operation, &group.name);
            }
        }
        for scheme in &api.schemes {
            let part = Some(format!("security scheme {}", scheme.wire));
            let origin = Origin { operations: vec![String::new()], part, ..Origin::default() };
            origins.add(Some(Package::Server), "Authenticator", &scheme.rust, origin);
        }
        origins
    }

    /// The origins of what the JavaScript client exports.
    pub(super) fn of_javascript(api: &Api, document: &Document) -> Self {
        let mut origins = Self::default();
        let names = Names::of(api);
        let package = Some(Package::JavaScript);
        for (index, def) in api.types.iter().enumerate() {
            let Some(id) = def.origin else { continue };
            let node = document.node(id);
            let whole =
                Origin { schema: Some((node.file().to_owned(), node.pointer())), ..Origin::default() };
            let owner = names.ty(TypeId(index));
            if let Shape::Struct(shape) = &def.shape {
                for field in &shape.fields {
                    let origin = Origin { member: Some(field.wire.clone()), ..whole.clone() };
                    origins.add(package, owner, &field.wire, origin);
                }
            }
            origins.add(package, owner, "", whole);
        }
        for (group, functions) in api.groups.iter().zip(&names.functions) {
            for (operation, function) in group.operations.iter().zip(functions) {
                let whole = Origin { operations: vec![name(operation)], ..Origin::default() };
                let part = |part: String| Origin { part: Some(part), ..whole.clone() };
                for owner in function.stream.iter().chain([&function.name, &function.request]) {
                    origins.add(package, owner, "", whole.clone());
                }
                for parameter in &operation.parameters {
                    let origin = part(format!("{} parameter {}", place(parameter.location), parameter.wire));
                    origins.add(package, &function.request, &parameter.wire, origin);
                }
                origins.add(package, &function.request, "body", part("request body".to_owned()));
                for owner in [&function.result, &function.stream_result] {
                    origins.add(package, owner, "", part("response".to_owned()));
                }
            }
        }
        origins
    }

    /// Where an item comes from, or else what it belongs to.
    pub(super) fn get(&self, path: &Path) -> Origin {
        let owner = path.owner.rsplit("::").next().unwrap_or_default();
        // The call of an operation stands in brackets: `Call<SendMessage>`.
        let inner = owner.split_once('<').map(|(_, inner)| inner.trim_end_matches('>'));
        let owner = inner.unwrap_or(owner);
        let name = path.member.trim_end_matches("()");
        let member = name.trim_end_matches('_');
        let look = |member: &str| {
            let key = |package| (package, owner.to_owned(), member.to_owned());
            self.known.get(&key(Some(path.package))).or_else(|| self.known.get(&key(None)))
        };
        look(name).or_else(|| look(member)).or_else(|| look("")).cloned().unwrap_or_default()
    }

    fn add(&mut self, package: Option<Package>, owner: &str, member: &str, origin: Origin) {
        self.known.insert((package, owner.to_owned(), member.to_owned()), origin);
    }

    fn types(&mut self, api: &Api, document: &Document) {
        for def in &api.types {
            let Some(id) = def.origin else { continue };
            let node = document.node(id);
            let schema = Some((node.file().to_owned(), node.pointer()));
            let mut add = |rust: &str, wire: Option<&str>| {
                let member = wire.map(str::to_owned);
                let origin = Origin { schema: schema.clone(), member, ..Origin::default() };
                for owner in std::iter::once(&def.name).chain(&def.required) {
                    self.add(Some(Package::Model), owner, rust, origin.clone());
                }
            };
            add("", None);
            match &def.shape {
                Shape::Struct(shape) => {
                    shape.fields.iter().for_each(|field| add(&field.rust, Some(&field.wire)));
                }
                Shape::Enum(shape) => {
                    shape.values.iter().for_each(|value| add(&value.rust, Some(&value.wire)));
                }
                Shape::Union(_) | Shape::Newtype(_) | Shape::Id => {}
            }
        }
    }

    fn responses(&mut self, api: &Api) {
        for (index, response) in api.responses.iter().enumerate() {
            let mut operations = Vec::new();
            let mut part = None;
            for operation in api.operations() {
                for answer in operation.answers() {
                    if matches!(answer.content, Content::Response(id) if id == ResponseId(index)) {
                        operations.push(name(operation));
                        part.get_or_insert_with(|| status(answer.status));
                    }
                }
            }
            let origin = Origin { operations, part, ..Origin::default() };
            // Handlers build the response with its headers, and clients read the headers alone.
            for owner in [response.name.clone(), format!("{}Headers", response.name)] {
                for header in &response.headers {
                    let part = origin.part.as_ref().map(|part| format!("{part} › header {}", header.wire));
                    let origin = Origin { part, ..origin.clone() };
                    self.add(Some(Package::Model), &owner, &header.rust, origin);
                }
                self.add(Some(Package::Model), &owner, "", origin.clone());
            }
        }
    }

    fn operation(&mut self, operation: &Operation, group: &str) {
        let whole = Origin { operations: vec![name(operation)], ..Origin::default() };
        let part = |part: String| Origin { part: Some(part), ..whole.clone() };
        self.add(None, &operation.name, "", whole.clone());
        self.add(None, &operation.constant, "", whole.clone());
        self.add(Some(Package::Server), group, &operation.handler, whole.clone());
        self.add(Some(Package::Client), group, &operation.short, whole.clone());
        let mut calls = vec![
            operation.name.clone(),
            format!("{group}::{}", operation.handler),
            format!("{group}::{}", operation.short),
        ];
        if let Some(Streaming { short, name }) = &operation.streaming {
            self.add(None, name, "", whole.clone());
            self.add(Some(Package::Client), group, short, whole.clone());
            calls.extend([name.clone(), format!("{group}::{short}")]);
        }
        for owner in &calls {
            for parameter in &operation.parameters {
                let origin = part(format!("{} parameter {}", place(parameter.location), parameter.wire));
                self.add(None, owner, &parameter.rust, origin);
            }
            self.add(None, owner, "body", part("request body".to_owned()));
            self.add(None, owner, "caller", part("security".to_owned()));
            self.add(None, owner, "incoming", part("request head".to_owned()));
            self.add(None, owner, "->", part("response".to_owned()));
        }
        // The request of a handler is generic in the caller if there is one.
        self.add(
            Some(Package::Server),
            &format!("{group}::{}", operation.handler),
            "request",
            part("security".to_owned()),
        );
        for (kind, answers) in [("Error", &operation.errors), ("Success", &operation.successes)] {
            let owner = format!("{}{kind}", operation.name);
            self.add(None, &owner, "", part("response".to_owned()));
            for answer in answers {
                self.add(None, &owner, &answer.variant, part(status(answer.status)));
            }
        }
    }

    /// Where an argument, or what a function gives (`->`), comes from.
    pub(super) fn argument(&self, path: &Path, argument: &str) -> Origin {
        let own = self.get(path);
        if own.schema.is_some() {
            // `new` takes the members of its type.
            return self.get(&Path { member: argument.to_owned(), ..path.clone() });
        }
        let owner = path.owner.rsplit("::").next().unwrap_or_default();
        let call = format!("{owner}::{}", path.member.trim_end_matches("()"));
        let key = |owner: &str| (None, owner.to_owned(), argument.to_owned());
        let keyed = (Some(path.package), call.clone(), argument.to_owned());
        self.known.get(&keyed).or_else(|| self.known.get(&key(&call))).cloned().unwrap_or(own)
    }
}
