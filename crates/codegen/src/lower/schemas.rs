//! Owns the lowering of schemas: which become named types, which are only a type with constraints.

mod compose;
mod scalars;

use super::{Lowering, docs, flag, last_segment, names, shown, text};
use crate::ir::{Constraint, Element, Field, Shape, Struct, Type, TypeDef, TypeId, Usage};
use frontdesk_document::{Diagnostic, Kind, NodeRef};

/// What a schema has become, or is becoming.
#[derive(Clone, Debug)]
pub(super) enum Seen {
    /// Done.
    Element(Element),
    /// A named type whose parts are being lowered; it may be named already.
    Type(TypeId),
    /// A schema without a name of its own, so it must not lead back to itself.
    Open,
}

/// How an inline type is named, and where it lives.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The name it gets if it needs one.
    pub(super) name: String,
    /// The module of the type that uses it; `None` if it opens a module of its own.
    pub(super) home: Option<String>,
}

impl Place {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), home: None }
    }
}

impl<'d> Lowering<'d, '_> {
    /// Component schemas are named first, so that an inline type can never take a name that the document gave.
    pub(super) fn reserve_component_names(&mut self, components: &[NodeRef<'d>]) {
        for &schema in components {
            if schema.reference().is_none() && is_named(schema) {
                let wanted = text(schema, "x-rust-name")
                    .map_or_else(|| names::pascal(&last_segment(schema)), names::pascal);
                let name = self.type_names.take(&wanted, "Model");
                self.reserved.insert(schema.id(), name);
            }
        }
    }

    /// Component schemas are generated even where no operation uses them: a user may.
    pub(super) fn lower_component_schemas(&mut self, components: &[NodeRef<'d>]) {
        for &schema in components {
            self.schema(schema, &Place::new(names::pascal(&last_segment(schema))));
        }
    }

    /// Lowers a schema or a reference to one.
    pub(super) fn schema(&mut self, node: NodeRef<'d>, place: &Place) -> Element {
        if node.reference().is_some() {
            let Some(target) = self.resolve(node) else { return any() };
            return self.schema(target, &Place::new(names::pascal(&last_segment(target))));
        }
        match self.seen.get(&node.id()) {
            Some(Seen::Element(element)) => return element.clone(),
            Some(Seen::Type(id)) => {
                return Element {
                    ty: Type::Named(*id),
                    nullable: flag(node, "nullable"),
                    constraints: Vec::new(),
                };
            }
            Some(Seen::Open) => {
                self.problems.push(
                    Diagnostic::error(
                        "endless-type",
                        shown(node),
                        "this schema contains itself without an object in between",
                    )
                    .hint("give one of the schemas on the way `type: object` with properties"),
                );
                return any();
            }
            None => {}
        }
        self.seen.insert(node.id(), Seen::Open);
        let element = self.fresh(node, place);
        self.seen.insert(node.id(), Seen::Element(element.clone()));
        element
    }

    fn fresh(&mut self, node: NodeRef<'d>, place: &Place) -> Element {
        if node.kind() != Kind::Object {
            self.problems.push(
                Diagnostic::error("invalid-schema", shown(node), "a schema must be an object")
                    .hint("write `type: string` or another schema, or `{}` for any value"),
            );
            return any();
        }
        let nullable = flag(node, "nullable");
        if let Some(element) = self.composed(node, place) {
            return Element { nullable: nullable || element.nullable, ..element };
        }
        if let Some(ty) = node.get("type")
            && ty.as_str().is_none()
        {
            self.problems.push(
                Diagnostic::error("unknown-type", shown(ty), "`type` must be one word")
                    .hint("write one type, and `nullable: true` beside it where `null` is allowed too"),
            );
            return any();
        }
        let (ty, constraints) = match text(node, "type") {
            Some("string") => self.string(node, place),
            Some("integer") => {
                let ty = self.integer(node);
                let bounds = self.bounds(node, &ty);
                (ty, bounds)
            }
            Some("number") => {
                self.no_enum(node);
                let ty = if text(node, "format") == Some("float") { Type::F32 } else { Type::F64 };
                let bounds = self.bounds(node, &ty);
                (ty, bounds)
            }
            Some("boolean") => {
                self.no_enum(node);
                (Type::Bool, Vec::new())
            }
            Some("array") => self.array(node, place),
            Some("object") => self.object(node, place),
            None if node.get("properties").is_some() || node.get("additionalProperties").is_some() => {
                self.object(node, place)
            }
            None if node.get("items").is_some() => self.array(node, place),
            None if node.get("enum").is_some() => self.string(node, place),
            None => (Type::Any, Vec::new()),
            Some(other) => {
                self.problems.push(
                    Diagnostic::error(
                        "unknown-type",
                        shown(node.get("type").unwrap_or(node)),
                        format!("`{other}` is no type of OpenAPI 3.0"),
                    )
                    .hint("use string, number, integer, boolean, array or object"),
                );
                (Type::Any, Vec::new())
            }
        };
        Element { ty, nullable, constraints }
    }

    fn object(&mut self, node: NodeRef<'d>, place: &Place) -> (Type, Vec<Constraint>) {
        for key in ["minProperties", "maxProperties"] {
            if let Some(bound) = node.get(key) {
                self.warn_once(
                    bound,
                    "bound-ignored",
                    format!("`{key}` is not checked"),
                    "bound the values of the map, or say it in the description",
                );
            }
        }
        self.closed(node);
        let members = properties(node);
        if members.is_empty() {
            let element = match node.get("additionalProperties") {
                Some(schema) if schema.kind() == Kind::Object => {
                    let place = Place { name: names::inline(&place.name, "value"), home: place.home.clone() };
                    let element = self.schema(schema, &place);
                    self.unchecked(schema, &element, "the values of a map");
                    element
                }
                _ => any(),
            };
            return (Type::Map(Box::new(element)), Vec::new());
        }
        let id = self.open(node, place);
        let required: Vec<_> =
            node.get("required").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::as_str).collect();
        let extra = node.get("additionalProperties").filter(|schema| schema.kind() == Kind::Object);
        self.fill_struct(id, &members, &required, extra);
        (Type::Named(id), Vec::new())
    }

    /// Gives a schema its name, before its parts are lowered, so that they can refer to it.
    fn open(&mut self, node: NodeRef<'d>, place: &Place) -> TypeId {
        let name = match self.reserved.get(&node.id()) {
            Some(name) => name.clone(),
            None => {
                let wanted = text(node, "x-rust-name").map_or_else(|| place.name.clone(), names::pascal);
                self.type_names.take(&wanted, "Model")
            }
        };
        let id = TypeId(self.types.len());
        let home = match &place.home {
            Some(home) if !self.reserved.contains_key(&node.id()) => home.clone(),
            _ => names::module(&name),
        };
        self.types.push(TypeDef {
            name,
            home,
            docs: docs(node),
            deprecated: flag(node, "deprecated"),
            shape: Shape::Struct(Struct { fields: Vec::new(), extra: None }),
            usage: Usage::default(),
        });
        self.seen.insert(node.id(), Seen::Type(id));
        id
    }

    /// Tells that further members of an object are taken although the document closes it.
    pub(super) fn closed(&mut self, node: NodeRef<'d>) {
        if let Some(closed) = node.get("additionalProperties")
            && closed.as_bool() == Some(false)
        {
            self.warn_once(
                closed,
                "closed-object",
                "further members are not refused, although `additionalProperties` is `false`",
                "leave it out: a closed object makes every later addition a breaking change",
            );
        }
    }

    fn fill_struct(
        &mut self,
        id: TypeId,
        members: &[(&'d str, NodeRef<'d>)],
        required: &[&str],
        extra: Option<NodeRef<'d>>,
    ) {
        let (owner, home) = (self.types[id.0].name.clone(), self.types[id.0].home.clone());
        let mut taken = names::Scope::default();
        if extra.is_some() {
            // What further members are called.
            taken.take("extra", "");
        }
        let mut fields = Vec::new();
        for (wire, schema) in members {
            let place = Place { name: names::inline(&owner, wire), home: Some(home.clone()) };
            let element = self.schema(*schema, &place);
            let wanted =
                text(*schema, "x-rust-name").filter(|_| schema.reference().is_none() && !is_named(*schema));
            self.side_only(*schema);
            fields.push(Field {
                wire: (*wire).to_owned(),
                rust: taken.take(&names::snake(wanted.unwrap_or(wire)), "_"),
                docs: docs(*schema).or_else(|| Self::target_docs(*schema)),
                deprecated: flag(*schema, "deprecated"),
                required: required.contains(wire),
                element,
            });
        }
        let extra = extra.map(|schema| {
            let place = Place { name: names::inline(&owner, "value"), home: Some(home) };
            let element = self.schema(schema, &place);
            self.unchecked(schema, &element, "further members");
            element
        });
        self.types[id.0].shape = Shape::Struct(Struct { fields, extra });
    }

    /// Says that rules are not checked in a place that has no code to check them.
    pub(in crate::lower) fn unchecked(&mut self, schema: NodeRef<'d>, element: &Element, place: &str) {
        let mut element = element;
        while element.constraints.is_empty()
            && let Type::List(entry) = &element.ty
        {
            element = entry;
        }
        if !element.constraints.is_empty() {
            self.warn_once(
                schema,
                "bound-ignored",
                format!("the rules for {place} are not checked"),
                "say in the description what is allowed, or give the value a place in an object with properties",
            );
        }
    }

    fn side_only(&mut self, schema: NodeRef<'d>) {
        for key in ["readOnly", "writeOnly"] {
            if flag(schema, key) {
                self.warn_once(
                    schema,
                    "side-ignored",
                    format!("a `{key}` property is part of the type on both sides"),
                    "use one schema for requests and another for responses",
                );
            }
        }
        if let Some(default) = schema.get("default") {
            self.warn_once(
                default,
                "default-ignored",
                "the default is not filled in for a field that is left out",
                "say in the description what absence means",
            );
        }
    }

    /// The description of a referenced schema, for a field that says nothing itself.
    fn target_docs(schema: NodeRef<'d>) -> Option<String> {
        let target = schema.get("allOf").and_then(|parts| parts.items().next()).unwrap_or(schema);
        target.reference()?;
        docs(target.resolve().ok()?)
    }

    fn array(&mut self, node: NodeRef<'d>, place: &Place) -> (Type, Vec<Constraint>) {
        let mut constraints = Vec::new();
        constraints.extend(self.size(node, "minItems").map(Constraint::MinItems));
        constraints.extend(self.size(node, "maxItems").map(Constraint::MaxItems));
        if flag(node, "uniqueItems") {
            constraints.push(Constraint::UniqueItems);
        }
        let element = match node.get("items") {
            Some(items) => self.schema(
                items,
                &Place { name: names::pascal(&names::singular(&place.name)), home: place.home.clone() },
            ),
            None => any(),
        };
        (Type::List(Box::new(element)), constraints)
    }
}

/// Whether a schema becomes a type with a name.
fn is_named(node: NodeRef<'_>) -> bool {
    match node.get("allOf").map(|parts| parts.items().count()) {
        Some(1) => return node.get("properties").is_some(),
        Some(_) => return true,
        None => {}
    }
    for key in ["oneOf", "anyOf"] {
        if let Some(branches) = node.get(key) {
            return branches.items().count() > 1;
        }
    }
    match text(node, "type") {
        Some("string") | None if node.get("enum").is_some() => true,
        Some("object") | None => !properties(node).is_empty(),
        _ => false,
    }
}

fn properties(node: NodeRef<'_>) -> Vec<(&str, NodeRef<'_>)> {
    node.get("properties")
        .into_iter()
        .flat_map(NodeRef::entries)
        .map(|(key, schema)| (key.text, schema))
        .collect()
}

fn any() -> Element {
    Element { ty: Type::Any, nullable: false, constraints: Vec::new() }
}
