//! Lowering of parameters: names, locations, types and styles.

use super::{
    Lowering, described, docs, flag,
    media::is_json,
    names,
    paths::Template,
    schemas::{Place, fits},
    shown, text,
};
use crate::ir::{Element, EnumValue, Location, Parameter, Shape, StringEnum, Style, Type, TypeDef, TypeId};
use frontdesk_document::{Diagnostic, Listing, NodeRef, Operation};
use serde_json::Value;

/// Fields of requests and variables of the functions that read them, which no parameter can be named after.
const RESERVED: [&str; 5] = ["body", "caller", "call", "incoming", "service"];

impl<'d> Lowering<'d, '_> {
    /// Returns the parameters of the operation, and those of its path that it does not override.
    pub(super) fn parameters(
        &mut self,
        template: &Template,
        operation: Operation<'d>,
        owner: &str,
    ) -> Vec<Parameter> {
        let declared = self.declared_parameters(operation);
        let wires = declared.iter().filter_map(|node| text(*node, "name"));
        let fixed = template.names.iter().chain(template.query.iter().map(|(wire, _)| wire));
        let affixes = names::Affixes::among(wires.chain(fixed.map(String::as_str)).chain(RESERVED));
        let mut parameters = Vec::new();
        for node in &declared {
            parameters.extend(self.parameter(*node, owner, &affixes));
        }
        self.path_parameters(template, &declared, &mut parameters, &affixes);
        self.fixed_parameters(template, &mut parameters, &affixes, owner);
        settle_names(&mut parameters);
        let position = |parameter: &Parameter| match parameter.location {
            Location::Path => {
                template.names.iter().position(|name| *name == parameter.wire).unwrap_or(usize::MAX)
            }
            _ => 0,
        };
        parameters.sort_by_key(|parameter| (parameter.location, position(parameter)));
        parameters
    }

    /// Returns the declared parameters, and reports those that are listed twice.
    fn declared_parameters(&mut self, operation: Operation<'d>) -> Vec<NodeRef<'d>> {
        let declared = operation.parameters();
        for repeated in declared.iter().filter(|parameter| parameter.listing == Listing::Repeated) {
            let place = text(repeated.node, "in").unwrap_or_default();
            let name = text(repeated.node, "name").unwrap_or_default();
            let name = if place == "header" { name.to_ascii_lowercase() } else { name.to_owned() };
            self.warn_once(
                repeated.listed,
                "duplicate-parameter",
                format!("the parameter `{name}` in `{place}` is listed twice; the first one counts"),
                "remove one of the two",
            );
        }
        let counting = declared.into_iter().filter(|parameter| parameter.listing != Listing::Repeated);
        counting.map(|parameter| parameter.node).collect()
    }

    fn parameter(&mut self, node: NodeRef<'d>, owner: &str, affixes: &names::Affixes) -> Option<Parameter> {
        let (Some(wire), Some(place)) = (text(node, "name"), text(node, "in")) else {
            self.invalid_parameter(node, "a parameter needs `name` and `in`");
            return None;
        };
        let location = match place {
            "path" => Location::Path,
            "query" => Location::Query,
            "header" if self.is_ignored_header(node, wire) => return None,
            "header" => Location::Header,
            "cookie" => Location::Cookie,
            // Swagger 2.0 had bodies among the parameters.
            "body" | "formData" => return None,
            other => {
                self.invalid_parameter(node, &format!("a parameter cannot stand in `{other}`"));
                return None;
            }
        };
        if matches!(location, Location::Header | Location::Cookie) && !is_token(wire) {
            self.invalid_parameter(node, &format!("`{wire}` is not a name that a {place} can have"));
            return None;
        }
        let (schema, json) = match (node.get("schema"), node.get("content")) {
            (Some(schema), _) => (Some(schema), false),
            (None, Some(content)) => match content.entries().next() {
                Some((key, media_type)) => (media_type.get("schema"), is_json(key.text)),
                None => (None, false),
            },
            (None, None) => (None, false),
        };
        let mut element = match schema {
            Some(schema) => {
                let name =
                    self.shared_name(node).unwrap_or_else(|| names::inline(owner, &affixes.distinct(wire)));
                self.schema(schema, &Place::new(name))
            }
            None => {
                self.warn_once(
                    node,
                    "missing-schema",
                    format!("nothing says what the parameter `{wire}` holds; it is read as text"),
                    "add `schema`",
                );
                Element::of(Type::String)
            }
        };
        if !json && node.get("schema").is_none() && !self.is_scalar(&element.ty) {
            // `content` of another media type than JSON says how the text is made, which only the user knows.
            self.warn_once(
                node,
                "opaque-parameter",
                format!("the parameter `{wire}` is text of a media type other than JSON; it is kept as text"),
                "use `application/json`, or `schema` with a `style`",
            );
            element = Element::of(Type::String);
        }
        if let Some(schema) = schema {
            self.tell_unchecked_spelling(schema, &element, "a parameter");
        }
        // Text cannot be `null`: a parameter without a value is omitted, and so is an entry.
        element.nullable = false;
        if let Type::List(entry) = &mut element.ty {
            entry.nullable = false;
        }
        let (style, explode) =
            if json { (Style::Json, false) } else { self.style(node, wire, location, &element.ty) };
        let required = location == Location::Path || flag(node, "required");
        let default = match schema {
            Some(schema) if !required => self.parameter_default(schema, &element),
            _ => None,
        };
        Some(Parameter {
            wire: wire.to_owned(),
            rust: names::snake(&affixes.distinct(wire)),
            docs: docs(node).or_else(|| schema.and_then(described)),
            deprecated: flag(node, "deprecated") || schema.is_some_and(is_deprecated),
            location,
            required,
            style,
            explode,
            allow_reserved: location == Location::Query && flag(node, "allowReserved"),
            allow_empty: location == Location::Query && flag(node, "allowEmptyValue"),
            default,
            element,
        })
    }

    /// Returns the type name of a parameter that several operations may share: that of the component.
    fn shared_name(&self, node: NodeRef<'d>) -> Option<String> {
        let key = Self::component(node, "parameters")?;
        let name = ["Parameter", "Param"]
            .into_iter()
            .find_map(|ending| key.strip_suffix(ending).filter(|rest| !rest.is_empty()))
            .unwrap_or(&key);
        Some(if self.type_names.contains(name) { format!("{name}Parameter") } else { name.to_owned() })
    }

    fn invalid_parameter(&mut self, node: NodeRef<'d>, message: &str) {
        let place = format!("the parameter `{}`", text(node, "name").unwrap_or_default());
        self.degraded(node, place, "it has no `name`, or no place where it could stand; it is left out");
        self.warn_once(
            node,
            "invalid-parameter",
            format!("{message}; it is left out"),
            "a parameter has a `name` and stands `in` path, query, header or cookie; a body is described by `requestBody`",
        );
    }

    /// OpenAPI 3.0, Parameter Object: header parameters of these names are ignored.
    fn is_ignored_header(&mut self, node: NodeRef<'d>, wire: &str) -> bool {
        let instead = match wire.to_ascii_lowercase().as_str() {
            "authorization" => "`security`",
            "accept" => "the `content` of the responses",
            "content-type" => "the `content` of the request body",
            _ => return false,
        };
        if self.warned.insert((node.id(), "ignored-header")) {
            self.problems.push(
                Diagnostic::remark(
                    "ignored-header",
                    shown(node),
                    format!("a parameter for the header `{wire}` is ignored, as OpenAPI says: {instead} describes it"),
                )
                .hint("remove the parameter"),
            );
        }
        true
    }

    /// Returns the style of a parameter, if its location allows the declared one.
    fn style(&mut self, node: NodeRef<'d>, wire: &str, location: Location, ty: &Type) -> (Style, bool) {
        let (default, allowed): (Style, &[(&str, Style)]) = match location {
            Location::Path => (
                Style::Simple,
                &[("simple", Style::Simple), ("label", Style::Label), ("matrix", Style::Matrix)],
            ),
            Location::Query => (
                Style::Form,
                &[
                    ("form", Style::Form),
                    ("spaceDelimited", Style::SpaceDelimited),
                    ("pipeDelimited", Style::PipeDelimited),
                    ("deepObject", Style::DeepObject),
                ],
            ),
            Location::Header => (Style::Simple, &[("simple", Style::Simple)]),
            Location::Cookie => (Style::Form, &[("form", Style::Form)]),
        };
        let mut style = default;
        if let Some(written) = text(node, "style") {
            let found = allowed.iter().find(|(name, _)| *name == written).map(|(_, style)| *style);
            match found {
                // A scalar has no members that could be told by name, and none to be joined.
                Some(Style::DeepObject) if self.is_scalar(ty) => {
                    self.odd_style(
                        node,
                        &format!("the parameter `{wire}` has no members for the style `deepObject`"),
                    );
                }
                Some(Style::SpaceDelimited | Style::PipeDelimited) if self.is_scalar(ty) => {}
                Some(found) => style = found,
                None => self.odd_style(
                    node,
                    &format!("the style `{written}` is not one for a parameter in {}", place(location)),
                ),
            }
        }
        let explode = node.get("explode").and_then(NodeRef::as_bool).unwrap_or(style == Style::Form);
        match style {
            Style::DeepObject => return (style, true),
            // Every entry is a parameter of its own, so there is nothing to join.
            Style::SpaceDelimited | Style::PipeDelimited if explode => return (Style::Form, true),
            _ => {}
        }
        if self.is_nested(ty) {
            self.warn_once(
                node,
                "nested-parameter",
                format!(
                    "the value of `{wire}` is nested, for which OpenAPI gives no style; it is written as JSON"
                ),
                "describe it by `content` with `application/json`, or move the value into the body",
            );
            return (Style::Json, false);
        }
        (style, explode)
    }

    fn odd_style(&mut self, node: NodeRef<'d>, message: &str) {
        self.warn_once(
            node.get("style").unwrap_or(node),
            "invalid-style",
            format!("{message}; it is written in the default style"),
            "leave `style` out, or use one that OpenAPI 3.0 gives for the place",
        );
    }

    /// Returns the default value, if it is a value of the type.
    fn parameter_default(&mut self, schema: NodeRef<'d>, element: &Element) -> Option<Value> {
        let schema = self.resolve(schema)?;
        let node = schema.get("default")?;
        if node.is_null() {
            return None;
        }
        let value = node.to_json();
        if fits(&self.types, element, &value) {
            return Some(value);
        }
        self.default_mismatch(node);
        None
    }

    /// Whether a value of the type is a single text.
    pub(super) fn is_scalar(&self, ty: &Type) -> bool {
        is_scalar(&self.types, ty)
    }

    /// Whether the value has nested objects, which only the style `deepObject` can encode.
    fn is_nested(&self, ty: &Type) -> bool {
        let has_members = |ty: &Type| match ty {
            Type::List(_) | Type::Map(_) => true,
            Type::Named(id) | Type::Boxed(id) => {
                matches!(self.types[id.0].shape, Shape::Struct(_) | Shape::Newtype(_))
            }
            _ => false,
        };
        let is_object = |ty: &Type| has_members(ty) && !matches!(ty, Type::List(_));
        match ty {
            Type::List(entry) => has_members(&entry.ty),
            Type::Map(entry) => is_object(&entry.ty),
            Type::Named(id) | Type::Boxed(id) => match &self.types[id.0].shape {
                Shape::Struct(shape) => shape.fields.iter().any(|field| is_object(&field.element.ty)),
                _ => false,
            },
            _ => false,
        }
    }

    /// Adds path parameters in the order of the path; one that is only in the path is text.
    fn path_parameters(
        &mut self,
        template: &Template,
        declared: &[NodeRef<'d>],
        parameters: &mut Vec<Parameter>,
        affixes: &names::Affixes,
    ) {
        // Where the document says the name of a parameter of the path.
        let place = |wire: &str| {
            let is_meant = |node: &&NodeRef<'d>| {
                text(**node, "in") == Some("path") && text(**node, "name") == Some(wire)
            };
            declared.iter().find(is_meant).and_then(|node| node.get("name")).map(NodeRef::span)
        };
        for name in &template.names {
            let of_path = |parameter: &Parameter| parameter.location == Location::Path;
            if parameters.iter().any(|parameter| of_path(parameter) && parameter.wire == *name) {
                continue;
            }
            // A declared parameter that the path spells in another way is meant.
            let meant = parameters.iter_mut().find(|parameter| {
                of_path(parameter)
                    && !template.names.contains(&parameter.wire)
                    && loosely(&parameter.wire) == loosely(name)
            });
            let problem = |span, reading: &str| {
                let message = format!("the path parameter `{name}` is not declared; it {reading}");
                Diagnostic::warning("undeclared-path-parameter", span, message)
            };
            let misnamed =
                meant.as_ref().and_then(|parameter| Some((&parameter.wire, place(&parameter.wire)?)));
            self.problems.push(match misnamed {
                Some((wire, span)) => problem(span, &format!("is read as the declared `{wire}`"))
                    .related(template.span, format!("the path calls it `{name}`"))
                    .hint(format!("write `name: {name}`, or `{{{wire}}}` in the path")),
                None => problem(template.span, "is read as text")
                    .hint("declare it under `parameters` with `in: path` and `required: true`"),
            });
            match meant {
                Some(parameter) => parameter.wire.clone_from(name),
                None => parameters.push(Parameter {
                    wire: name.clone(),
                    rust: names::snake(&affixes.distinct(name)),
                    docs: None,
                    location: Location::Path,
                    required: true,
                    deprecated: false,
                    style: Style::Simple,
                    explode: false,
                    allow_reserved: false,
                    allow_empty: false,
                    default: None,
                    element: Element::of(Type::String),
                }),
            }
        }
        parameters.retain(|parameter| {
            let used = parameter.location != Location::Path || template.names.contains(&parameter.wire);
            if !used {
                let message = format!(
                    "the path has no place for the parameter `{}`, which is left out",
                    parameter.wire
                );
                let problem = match place(&parameter.wire) {
                    Some(span) => Diagnostic::warning("unused-path-parameter", span, message)
                        .related(template.span, "the path"),
                    None => Diagnostic::warning("unused-path-parameter", template.span, message),
                };
                self.problems.push(
                    problem.hint(format!(
                        "write `{{{}}}` into the path, or remove the parameter",
                        parameter.wire
                    )),
                );
            }
            used
        });
    }

    /// Returns the parameters in the path's query: constants with one value, unless the document declares
    /// them too.
    fn fixed_parameters(
        &mut self,
        template: &Template,
        parameters: &mut Vec<Parameter>,
        affixes: &names::Affixes,
        owner: &str,
    ) {
        for (wire, value) in &template.query {
            let declared =
                |parameter: &Parameter| parameter.location == Location::Query && parameter.wire == *wire;
            if parameters.iter().any(declared) {
                continue;
            }
            let name = self.type_names.take(&names::inline(owner, &affixes.distinct(wire)), "Model");
            let id = TypeId(self.types.len());
            let only =
                EnumValue { wire: value.clone(), rust: names::pascal(&names::in_words(value)), docs: None };
            let shape = Shape::Enum(StringEnum { values: vec![only], extensible: false });
            let root_module = names::module(&name);
            self.types.push(TypeDef::made(name, root_module, shape));
            parameters.push(Parameter {
                wire: wire.clone(),
                rust: names::snake(&affixes.distinct(wire)),
                docs: None,
                location: Location::Query,
                required: true,
                deprecated: false,
                style: Style::Form,
                explode: true,
                allow_reserved: false,
                allow_empty: false,
                default: None,
                element: Element::of(Type::Named(id)),
            });
        }
    }
}

/// Renames parameters with equal names.
fn settle_names(parameters: &mut [Parameter]) {
    let mut taken = names::Scope::default();
    for reserved in RESERVED {
        taken.take(reserved, "");
    }
    let candidates: Vec<names::Candidate> = parameters
        .iter()
        .map(|parameter| names::Candidate {
            exact: parameter.wire == parameter.rust.trim_start_matches("r#"),
            deprecated: parameter.deprecated,
            suffix: suffix(&parameter.rust, parameter.location),
            wanted: parameter.rust.clone(),
        })
        .collect();
    for (parameter, name) in parameters.iter_mut().zip(taken.take_each(&candidates)) {
        parameter.rust = name;
    }
}

/// Returns the suffix of a name that is taken by generated code, or by a parameter in another location.
fn suffix(name: &str, location: Location) -> &'static str {
    if RESERVED.contains(&name) {
        return "_parameter";
    }
    match location {
        Location::Path => "_path",
        Location::Query => "_query",
        Location::Header => "_header",
        Location::Cookie => "_cookie",
    }
}

/// Whether a schema that stands in the parameter itself is deprecated; that of a component belongs to its
/// type.
fn is_deprecated(schema: NodeRef<'_>) -> bool {
    schema.reference().is_none() && flag(schema, "deprecated")
}

fn place(location: Location) -> &'static str {
    match location {
        Location::Path => "the path",
        Location::Query => "the query",
        Location::Header => "a header",
        Location::Cookie => "a cookie",
    }
}

/// Whether a text is a token, as names of headers and cookies are (RFC 9110, section 5.6.2).
pub(super) fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// Returns a name without differences of spelling.
fn loosely(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether a value of the type is a single text.
pub(super) fn is_scalar(types: &[TypeDef], ty: &Type) -> bool {
    match ty {
        Type::List(_) | Type::Map(_) | Type::Any | Type::Raw(_) => false,
        Type::Named(id) | Type::Boxed(id) => match &types[id.0].shape {
            Shape::Enum(_) | Shape::Id => true,
            Shape::Struct(_) | Shape::Newtype(_) => false,
            Shape::Union(union) => union.branches.iter().all(|branch| match &branch.element.ty {
                Type::Named(inner) => matches!(types[inner.0].shape, Shape::Enum(_) | Shape::Id),
                Type::Boxed(_) => false,
                ty => is_scalar(types, ty),
            }),
        },
        _ => true,
    }
}
