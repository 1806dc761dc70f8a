//! Owns the lowering of paths: operations, their parameters and bodies, grouped by tag.

use super::{Lowering, docs, flag, names, schemas::Place, shown, text};
use crate::ir::{Body, Group, Location, Operation, Parameter, Stability};
use frontdesk_document::{Diagnostic, Key, NodeRef};
use openapiv3::Tag;

const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

impl<'d> Lowering<'d, '_> {
    pub(super) fn lower_groups(&mut self) -> Vec<Group> {
        let root = self.document.root();
        let mut groups = self.declared_tags(root);
        let mut ids = names::Scope::default();
        // The server's modules have a function of this name beside those of their operations.
        ids.take("mount", "");
        let paths = root.get("paths").into_iter().flat_map(NodeRef::entries);
        for (path, item) in paths.filter(|(path, _)| !path.text.starts_with("x-")) {
            let Some(item) = self.resolve(item) else { continue };
            for method in METHODS {
                let Some(operation) = item.get(method) else { continue };
                let tag = operation
                    .get("tags")
                    .and_then(|tags| tags.items().next())
                    .and_then(NodeRef::as_str)
                    .unwrap_or("default");
                let group = match groups.iter().position(|group| group.tag == tag) {
                    Some(group) => group,
                    None => {
                        groups.push(self.group(tag, None));
                        groups.len() - 1
                    }
                };
                let lowered = self.operation(path, item, method, operation, tag, &mut ids);
                groups[group].operations.push(lowered);
            }
        }
        groups.retain(|group| !group.operations.is_empty());
        for group in &mut groups {
            shorten(group);
        }
        groups
    }

    fn declared_tags(&mut self, root: NodeRef<'d>) -> Vec<Group> {
        let mut groups = Vec::new();
        for tag in root.get("tags").into_iter().flat_map(NodeRef::items) {
            match tag.typed::<Tag>() {
                Ok(tag) => groups.push(self.group(&tag.name, tag.description)),
                Err(problem) => self.problems.push(*problem),
            }
        }
        groups
    }

    fn group(&mut self, tag: &str, docs: Option<String>) -> Group {
        let name = self.type_names.take(&names::pascal(tag), "Group");
        let module = self.modules.take(&names::module(tag), "_group");
        Group { tag: tag.to_owned(), module, name, docs, operations: Vec::new() }
    }

    fn operation(
        &mut self,
        path: Key<'d>,
        item: NodeRef<'d>,
        method: &str,
        node: NodeRef<'d>,
        tag: &str,
        ids: &mut names::Scope,
    ) -> Operation {
        let id = text(node, "operationId").map_or_else(|| derived_id(method, path.text), str::to_owned);
        let wanted = text(node, "x-rust-name").unwrap_or(&id).to_owned();
        let wanted = match names::snake(&wanted).as_str() {
            // By convention `new` makes what it is called on.
            "new" => "new_".to_owned(),
            name => name.to_owned(),
        };
        let function = ids.take(&wanted, "_operation");
        if function != wanted {
            let place = node.get("operationId").unwrap_or(node);
            self.problems.push(
                Diagnostic::warning(
                    "doubled-operation-id",
                    shown(place),
                    format!(
                        "an earlier operation has the name of `{id}` in Rust; this one becomes `{function}`"
                    ),
                )
                .hint("rename one of the two, or give one an `x-rust-name`"),
            );
        }
        let base = names::pascal(function.trim_start_matches("r#"));
        let name = self.type_names.take_all(&base, "Request", &["", "Error", "Success"]);
        let parameters = self.parameters(path, item, node, &base);
        let body = self.body(node, &base);
        let (successes, errors) = self.answers(node, &base, tag);
        self.left_out(node);
        Operation {
            constant: names::constant(&function),
            short: function.clone(),
            function,
            name,
            id,
            method: method.to_ascii_uppercase(),
            path: path.text.to_owned(),
            summary: text(node, "summary").map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
            description: docs(node),
            deprecated: flag(node, "deprecated"),
            stability: match text(node, "x-stability-level") {
                Some("draft") => Stability::Draft,
                Some("alpha") => Stability::Alpha,
                Some("beta") => Stability::Beta,
                _ => Stability::Stable,
            },
            security: self.security(node),
            parameters,
            body,
            successes,
            errors,
        }
    }

    fn left_out(&mut self, node: NodeRef<'d>) {
        for key in ["callbacks", "servers"] {
            if let Some(part) = node.get(key) {
                self.warn_once(
                    part,
                    "part-ignored",
                    format!("`{key}` of an operation is not generated yet"),
                    "nothing to do: everything else of the operation is generated",
                );
            }
        }
    }

    /// The parameters of the operation, and those of its path that it does not override.
    fn parameters(
        &mut self,
        path: Key<'d>,
        item: NodeRef<'d>,
        node: NodeRef<'d>,
        owner: &str,
    ) -> Vec<Parameter> {
        let mut nodes: Vec<NodeRef<'d>> = Vec::new();
        for source in [node, item] {
            for parameter in source.get("parameters").into_iter().flat_map(NodeRef::items) {
                let Some(parameter) = self.resolve(parameter) else { continue };
                let key = |node: NodeRef<'d>| (text(node, "name"), text(node, "in"));
                if !nodes.iter().any(|earlier| key(*earlier) == key(parameter)) {
                    nodes.push(parameter);
                }
            }
        }
        let mut taken = names::Scope::default();
        for reserved in ["body", "caller", "call", "service"] {
            taken.take(reserved, "");
        }
        let mut parameters: Vec<Parameter> =
            nodes.into_iter().filter_map(|node| self.parameter(node, owner, &mut taken)).collect();
        self.path_parameters(path, &mut parameters, &mut taken);
        parameters.sort_by_key(|parameter| parameter.location);
        parameters
    }

    fn parameter(&mut self, node: NodeRef<'d>, owner: &str, taken: &mut names::Scope) -> Option<Parameter> {
        let (Some(wire), Some(location)) = (text(node, "name"), text(node, "in")) else {
            self.problems.push(
                Diagnostic::error("invalid-parameter", shown(node), "a parameter needs `name` and `in`")
                    .hint("add both; `in` is path, query or header"),
            );
            return None;
        };
        let location = match location {
            "path" => Location::Path,
            "query" => Location::Query,
            // OpenAPI 3.0, Parameter Object: header parameters of these names are ignored.
            "header"
                if ["accept", "content-type", "authorization"]
                    .contains(&wire.to_ascii_lowercase().as_str()) =>
            {
                return None;
            }
            "header" => Location::Header,
            other => {
                self.problems.push(
                    Diagnostic::error(
                        "unsupported-parameter",
                        shown(node),
                        format!("a parameter in `{other}` is not generated yet"),
                    )
                    .hint("path, query and header parameters are"),
                );
                return None;
            }
        };
        let default_style = if location == Location::Query { "form" } else { "simple" };
        let style = text(node, "style").unwrap_or(default_style);
        if style != default_style {
            self.problems.push(
                Diagnostic::error(
                    "unsupported-parameter",
                    shown(node.get("style").unwrap_or(node)),
                    format!("the style `{style}` is not generated yet"),
                )
                .hint(format!("leave it out, which means `{default_style}` here")),
            );
        }
        let Some(schema) = node.get("schema") else {
            self.problems.push(
                Diagnostic::error(
                    "unsupported-parameter",
                    shown(node),
                    "a parameter without `schema` is not generated yet",
                )
                .hint("replace `content` by `schema`"),
            );
            return None;
        };
        let mut element = self.schema(schema, &Place::new(names::inline(owner, wire)));
        element.ty = self.textual(schema, element.ty);
        // No text is `null`: a parameter that has no value is left out.
        element.nullable = false;
        Some(Parameter {
            wire: wire.to_owned(),
            rust: taken.take(&names::snake(wire), "_parameter"),
            docs: docs(node),
            location,
            required: location == Location::Path || flag(node, "required"),
            explode: node.get("explode").and_then(NodeRef::as_bool).unwrap_or(style == "form"),
            element,
        })
    }

    /// Path parameters follow the path; one that only the path names is read as text.
    fn path_parameters(&mut self, path: Key<'d>, parameters: &mut Vec<Parameter>, taken: &mut names::Scope) {
        let named: Vec<&str> = path
            .text
            .split('{')
            .skip(1)
            .filter_map(|part| part.split_once('}'))
            .map(|(name, _)| name)
            .collect();
        for name in &named {
            if !parameters
                .iter()
                .any(|parameter| parameter.location == Location::Path && parameter.wire == *name)
            {
                self.problems.push(
                    Diagnostic::warning(
                        "undeclared-path-parameter",
                        path.span,
                        format!("the path parameter `{name}` is not declared; it is read as text"),
                    )
                    .hint("declare it under `parameters` with `in: path` and `required: true`"),
                );
                parameters.push(Parameter {
                    wire: (*name).to_owned(),
                    rust: taken.take(&names::snake(name), "_parameter"),
                    docs: None,
                    location: Location::Path,
                    required: true,
                    explode: false,
                    element: crate::ir::Element {
                        ty: crate::ir::Type::String,
                        nullable: false,
                        constraints: Vec::new(),
                    },
                });
            }
        }
        parameters.retain(|parameter| {
            let used = parameter.location != Location::Path || named.contains(&parameter.wire.as_str());
            if !used {
                self.problems.push(
                    Diagnostic::error(
                        "unused-path-parameter",
                        path.span,
                        format!("the path has no place for the parameter `{}`", parameter.wire),
                    )
                    .hint(format!("write `{{{}}}` into the path, or remove the parameter", parameter.wire)),
                );
            }
            used
        });
        let position = |parameter: &Parameter| {
            named.iter().position(|name| *name == parameter.wire).unwrap_or(usize::MAX)
        };
        parameters.sort_by_key(|parameter| {
            (parameter.location, if parameter.location == Location::Path { position(parameter) } else { 0 })
        });
    }

    fn body(&mut self, operation: NodeRef<'d>, owner: &str) -> Option<Body> {
        let body = operation.get("requestBody")?;
        let body = self.resolve(body)?;
        let schema = self.json_schema(body.get("content")?, "request body")?;
        let element = self.schema(schema, &Place::new(format!("{owner}Body")));
        self.unchecked(schema, &element, "a body as a whole");
        let ty = self.body_type(schema, element);
        Some(Body { docs: docs(body), required: flag(body, "required"), ty })
    }
}

/// An operation's name where the document gives none.
fn derived_id(method: &str, path: &str) -> String {
    let mut words = vec![method.to_owned()];
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        match segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}')) {
            Some(parameter) => words.push(format!("by {parameter}")),
            None => words.push(segment.replace(['{', '}'], " ")),
        }
    }
    names::snake(&words.join(" "))
}

/// Drops the tag's own word from the client's methods, where the rest is still a name and stays unique.
fn shorten(group: &mut Group) {
    let tag: Vec<String> = group.module.trim_end_matches('_').split('_').map(str::to_owned).collect();
    let singular: Vec<String> = match tag.split_last() {
        Some((last, rest)) => rest.iter().cloned().chain([names::singular(last)]).collect(),
        None => return,
    };
    let shortened: Vec<String> = group
        .operations
        .iter()
        .map(|operation| {
            let words: Vec<&str> = operation.function.trim_start_matches("r#").split('_').collect();
            for own in [&tag, &singular] {
                if let Some(at) = words.windows(own.len()).position(|window| window == own.as_slice()) {
                    let rest: Vec<&str> =
                        words[..at].iter().chain(&words[at + own.len()..]).copied().collect();
                    // By convention `new` makes what it is called on.
                    if !rest.is_empty() && rest != ["new"] {
                        return names::snake(&rest.join("_"));
                    }
                }
            }
            operation.function.clone()
        })
        .collect();
    for (index, short) in shortened.iter().enumerate() {
        let unique = shortened.iter().filter(|other| *other == short).count() == 1
            && !group
                .operations
                .iter()
                .enumerate()
                .any(|(other, operation)| other != index && operation.function == *short);
        if unique {
            group.operations[index].short.clone_from(short);
        }
    }
}
