//! Lowering of schemas: which become named types, and which are a type with constraints.

mod branches;
mod circles;
mod enums;
mod families;
mod finalize;
mod later;
mod merge;
mod objects;
mod scalars;
mod unions;
mod words;

pub(super) use self::finalize::{fits, is_plain, kept};
use self::merge::{Key, Part, View};
use super::{Lowering, docs, flag, last_segment, names, shown, text};
use crate::ir::{Constraint, Element, Shape, Struct, Type, TypeDef, TypeId, Usage};
use frontdesk_document::{Diagnostic, NodeId, NodeRef, Span, Version, keyword};
use std::collections::{BTreeMap, BTreeSet};

/// Longest name of an inline type that is composed; one beyond it comes from a composition that leads into
/// itself.
const LONGEST_NAME: usize = 160;

/// Most inline schemas within each other that have types: beyond them nobody would read the names, nor a
/// compiler the types.
const MOST_NESTED: usize = 32;

/// Most compositions of several schemas that become types of their own: parts that lead to each other through
/// their members or choices could go together in more ways than memory holds, and large documents in public
/// use have some hundreds.
const MOST_COMPOSED: usize = 5000;

/// Bytes of stack that lowering one schema needs at most, before it comes to the next one.
const STACK_OF_ONE: usize = 256 << 10;

/// Bytes of stack that are added where a chain of schemas needs more.
const MORE_STACK: usize = 4 << 20;

/// What a schema has become, or is becoming.
#[derive(Clone, Debug)]
pub(super) enum Seen {
    /// Done.
    Element(Element),
    /// A named type whose parts are being lowered; it may be named already.
    Type(TypeId),
    /// A schema without a name of its own: where something leads back to it, it gets one.
    Open,
}

/// What the lowering of schemas keeps for itself.
#[derive(Debug, Default)]
pub(super) struct Schemas {
    /// What each schema, or each composition of schemas, has become.
    seen: BTreeMap<Key, Seen>,
    /// The schemas whose keywords were looked at: one may be a part of thousands of compositions.
    checked: BTreeSet<NodeId>,
    /// How many of these are compositions.
    composed: usize,
    /// The names of component schemas, taken before any inline type asks for one.
    reserved: BTreeMap<NodeId, String>,
    /// Enumerations that are named in place, by that name.
    shared: BTreeMap<String, Vec<TypeId>>,
    /// Schemas with a discriminator, and the components that extend each by `allOf`.
    children: BTreeMap<NodeId, Vec<NodeId>>,
    /// Where each union is written, and where each branch is.
    unions: Vec<(TypeId, NodeId, Vec<NodeId>)>,
    /// Defaults and examples, which are judged when every type is complete.
    values: Vec<(TypeId, String, NodeId, &'static str)>,
    /// Formats that have been warned about.
    formats: BTreeSet<String>,
    /// The schemas whose type follows from their other keywords, and where they are.
    implied: BTreeMap<NodeId, Span>,
    /// Where `format` is `binary`. Whether it is lost is known when all bodies are.
    binary: Vec<NodeId>,
}

impl Schemas {
    /// Where a string has the format `binary`, in the order in which they were read.
    pub(super) fn binary_formats(&self) -> &[NodeId] {
        &self.binary
    }

    /// Whether a component has this name in Rust.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        self.reserved.values().any(|reserved| reserved == name)
    }
}

/// How an inline type is named, and where it lives.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The name it gets if it needs one.
    pub(super) name: String,
    /// The module of the type that uses it; `None` if it opens a module of its own.
    pub(super) root_module: Option<String>,
    /// How many inline schemas it stands within.
    pub(super) depth: usize,
}

impl Place {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), root_module: None, depth: 0 }
    }

    /// A place within this one.
    fn within(&self, word: &str) -> Self {
        Self {
            name: names::inline(&self.name, word),
            root_module: self.root_module.clone(),
            depth: self.depth + 1,
        }
    }
}

impl<'d> Lowering<'d, '_> {
    /// Component schemas are named first, so that an inline type can never take a name that the document
    /// gave.
    pub(super) fn reserve_component_names(&mut self, components: &[NodeRef<'d>]) {
        let given: Vec<String> = components.iter().map(|schema| last_segment(*schema)).collect();
        let affixes = names::Affixes::among(given.iter().map(String::as_str));
        let candidates: Vec<names::Candidate> = components
            .iter()
            .zip(&given)
            .map(|(schema, given)| {
                let wanted = text(*schema, "x-rust-name")
                    .map_or_else(|| names::pascal(&affixes.distinct(given)), names::pascal);
                let exact = wanted == *given;
                names::Candidate { wanted, exact, deprecated: false, suffix: "Model" }
            })
            .collect();
        for (schema, name) in components.iter().zip(self.type_names.take_each(&candidates)) {
            self.schemas.reserved.insert(schema.id(), name);
        }
        self.schemas.children = families::find(components);
    }

    /// Component schemas are generated even where no operation uses them: a user may.
    pub(super) fn lower_component_schemas(&mut self, components: &[NodeRef<'d>]) {
        for &schema in components {
            let name = self.schemas.reserved.get(&schema.id()).cloned();
            self.schema(schema, &Place::new(name.unwrap_or_else(|| names::pascal(&last_segment(schema)))));
        }
    }

    /// Lowers a schema or a reference to one.
    pub(super) fn schema(&mut self, node: NodeRef<'d>, place: &Place) -> Element {
        if node.reference().is_some() {
            let Some(target) = self.resolve(node) else { return any() };
            let name = self.schemas.reserved.get(&target.id()).cloned();
            let name = name.unwrap_or_else(|| names::pascal(&last_segment(target)));
            return self.schema(target, &Place::new(name));
        }
        self.parts(&[Part::whole(node)], place)
    }

    /// Lowers the schemas that one value must satisfy together; the first gives name and description.
    fn parts(&mut self, parts: &[Part<'d>], place: &Place) -> Element {
        let key: Key = parts.iter().map(|part| (part.node.id(), part.bare)).collect();
        match self.schemas.seen.get(&key) {
            Some(Seen::Element(element)) => return element.clone(),
            Some(Seen::Type(id)) => {
                let nullable = parts.iter().all(|part| flag(part.node, "nullable"));
                return Element { nullable, ..Element::of(Type::Named(*id)) };
            }
            Some(Seen::Open) => {
                let id = self.open(parts, &key, place);
                self.types[id.0].shape = Shape::Newtype(any());
                return Element::of(Type::Named(id));
            }
            None => {}
        }
        if place.depth > MOST_NESTED {
            return self.raw_with(
                parts[0].node,
                "it stands within too many others",
                "give one of the schemas around it a name under `components`",
            );
        }
        if parts.len() > 1 && place.name.len() > LONGEST_NAME {
            return self.raw(parts[0].node, "the composition leads into itself with ever more parts");
        }
        if parts.len() > 1 {
            self.schemas.composed += 1;
            if self.schemas.composed > MOST_COMPOSED {
                return self.raw(parts[0].node, "its parts and theirs go together in too many ways");
            }
        }
        self.schemas.seen.insert(key.clone(), Seen::Open);
        // Schemas that hold each other make a chain as long as the document likes.
        let mut element = stacker::maybe_grow(STACK_OF_ONE, MORE_STACK, || self.fresh(parts, &key, place));
        if let Some(Seen::Type(id)) = self.schemas.seen.get(&key).cloned()
            && (element.ty != Type::Named(id) || self.is_hollow(id))
        {
            if matches!(element.ty, Type::Named(_)) {
                self.problems.push(
                    Diagnostic::warning(
                        "endless-type",
                        shown(parts[0].node),
                        "this schema is composed of itself and nothing else; it is read as any JSON value",
                    )
                    .hint("remove the reference that closes the circle"),
                );
                let place = format!("the schema `{}`", parts[0].node.pointer());
                let reason = "it is composed of itself and nothing else".to_owned();
                element = Element::of(Type::Raw(self.untyped_told(parts[0].node, place, reason)));
            }
            let nullable = element.nullable;
            self.types[id.0].shape = Shape::Newtype(Element { nullable: false, ..element });
            element = Element { nullable, ..Element::of(Type::Named(id)) };
        }
        self.schemas.seen.insert(key, Seen::Element(element.clone()));
        element
    }

    /// Whether a type was named because something leads back to it, and nothing has become of it.
    fn is_hollow(&self, id: TypeId) -> bool {
        matches!(&self.types[id.0].shape, Shape::Newtype(element) if *element == any())
    }

    fn fresh(&mut self, parts: &[Part<'d>], key: &Key, place: &Place) -> Element {
        for part in parts {
            if !part.node.is_object() {
                self.warn_once(
                    part.node,
                    "invalid-schema",
                    "a schema must be an object; this one is read as any value",
                    "write `type: string` or another schema, or `{}` for any value; `true` and `false` are schemas of OpenAPI 3.1 only",
                );
                return any();
            }
        }
        let view = self.view(parts);
        if view.parts.is_empty() {
            return any();
        }
        for part in &view.parts {
            if self.schemas.checked.insert(part.id()) {
                self.later(*part);
                self.check_extensions(*part);
            }
        }
        // `nullable` of one part is ruled out by another one that has a type and does not repeat it.
        let outer_null = parts.iter().any(|part| flag(part.node, "nullable"))
            && (parts.len() == 1 || parts.iter().all(|part| words::wholly_takes_null(part.node, part.bare)));
        if let Some(foreign) = view.all("x-rust-type").find_map(|path| self.foreign(path)) {
            return Element { nullable: outer_null, ..Element::of(foreign) };
        }
        for not in view.all("not") {
            self.warn_once(
                not,
                "not-ignored",
                "`not` has no counterpart in a Rust type and is not checked",
                keyword("not").map_or("", |keyword| keyword.instead),
            );
        }
        // A component that is made of a schema written in place has the component's name; it is not an alias.
        let is_component =
            matches!(parts, [part] if !part.bare && self.schemas.reserved.contains_key(&part.node.id()));
        let own = |alias: &NodeRef<'d>| {
            is_component
                && alias
                    .parent()
                    .and_then(NodeRef::parent)
                    .is_some_and(|holder| holder.id() == parts[0].node.id())
        };
        if let Some(alias) = view.alias.filter(|alias| !own(alias)) {
            let named = self.schemas.reserved.get(&alias.id()).cloned();
            let place = named.map_or_else(|| place.clone(), Place::new);
            let element = self.parts(&[Part::whole(alias)], &place);
            let nullable = element.nullable && !view.alias_never_null;
            return Element { nullable: nullable || outer_null, ..element };
        }
        if let [part] = parts
            && !part.bare
            && let Some(element) = self.inherited(part.node, key, place)
        {
            return Element { nullable: outer_null, ..element };
        }
        let nullable = outer_null || view.choices.is_empty() && view.takes_null();
        if !view.choices.is_empty()
            && let Some(element) = self.choice(parts, &view, key, place)
        {
            return Element { nullable: nullable || element.nullable, ..element };
        }
        let kind = match self.kind(&view) {
            Ok(kind) => kind,
            Err(element) => return Element { nullable, ..element },
        };
        let mut element = match kind {
            "object" => self.object(parts, &view, key, place),
            "array" => self.array(&view, place),
            "string" => self.string(parts, &view, key, place),
            "integer" | "number" => self.number(&view, kind == "integer"),
            "boolean" => Element::of(Type::Bool),
            _ => any(),
        };
        if kind != "string" && view.lists().next().is_some() {
            self.fixed(&view, kind, &mut element);
        }
        element.nullable |= nullable;
        element
    }

    /// The type of which a value must be, by every part; raw JSON where they do not agree.
    fn kind(&mut self, view: &View<'d>) -> Result<&'static str, Element> {
        let mut found: Option<(&'static str, NodeRef<'d>)> = None;
        for ty in view.all("type") {
            let Some(kind) = word(ty) else { return Err(self.unknown_type(ty)) };
            found = match found {
                None => Some((kind, ty)),
                Some((first, _)) if first == kind || (first, kind) == ("integer", "number") => found,
                Some(("number", _)) if kind == "integer" => Some((kind, ty)),
                Some((first, at)) => {
                    // The places of both say more than the schema that holds them, which may be neither.
                    let holder = ty.parent().unwrap_or(at);
                    let reason =
                        format!("it is `{kind}` here and `{first}` in another part of the same `allOf`");
                    return Err(self.raw_with(holder, &reason, "give it the same type in every part"));
                }
            };
        }
        if let Some((kind, _)) = found {
            return Ok(kind);
        }
        if let Some(values) = view.lists().next() {
            let mut kinds = values.into_iter().filter(|value| !value.is_null()).map(enums::kind);
            let first = kinds.next();
            if let Some(first) = first
                && kinds.all(|kind| kind == first)
            {
                return Ok(first);
            }
            return Ok("any");
        }
        if let Some(kind) = view.parts.iter().find_map(|part| words::implied(*part)) {
            self.tell_implied(view, kind);
            return Ok(kind);
        }
        Ok(if view.required().is_empty() { "any" } else { "object" })
    }

    /// Tells of schemas that have no type, once for a document.
    pub(super) fn tell_implied_types(&mut self) {
        let implied = std::mem::take(&mut self.schemas.implied);
        let Some(span) = implied.values().min() else { return };
        let message = "this schema has no `type` and is read as the one that its other keywords are for; by the \
                       letter, values of other types are valid too";
        let mut remark = Diagnostic::remark("implied-type", *span, message);
        if implied.len() > 1 {
            remark = remark.note(format!("{} schemas have none", implied.len()));
        }
        self.problems.push(remark.hint("write the `type`"));
    }

    /// Notes a schema without a `type`, and reports the keywords that are not checked because the others say
    /// another type.
    fn tell_implied(&mut self, view: &View<'d>, kind: &str) {
        if let Some(first) = view.parts.first() {
            self.schemas.implied.entry(first.id()).or_insert_with(|| shown(*first));
        }
        for part in &view.parts {
            for (other, keyword, value) in words::of_kinds(*part) {
                if other == kind {
                    continue;
                }
                self.warn_once(
                    value,
                    "bound-ignored",
                    format!(
                        "the schema has no `type` and is read as `{kind}`, as another keyword says; `{keyword}` is not checked"
                    ),
                    "give the schema a `type`, or list a schema for each type in `anyOf`",
                );
            }
        }
    }

    /// Raw JSON for a `type` that is none.
    fn unknown_type(&mut self, ty: NodeRef<'d>) -> Element {
        let reason = match ty.as_str() {
            Some("null") => {
                self.warn_once(
                    ty,
                    "unknown-type",
                    "`null` is not a type of OpenAPI 3.0; `null` is accepted here and nothing else",
                    "write `nullable: true` in the schema of the other values",
                );
                return enums::only_null();
            }
            Some(_) => "its `type` is not a type of OpenAPI",
            None => "its `type` is not one word",
        };
        let (message, hint) = match ty.as_str() {
            Some(word) => (
                format!("`{word}` is not a type of OpenAPI; the value is read as any JSON"),
                "use string, number, integer, boolean, array or object",
            ),
            None => (
                "`type` must be one word, or in OpenAPI 3.1 a list of them; the value is read as any JSON"
                    .to_owned(),
                "write `type: string` or the like, or leave `type` out",
            ),
        };
        self.warn_once(ty, "unknown-type", message, hint);
        let holder = ty.parent().unwrap_or(ty);
        let index =
            self.untyped_told(holder, format!("the schema `{}`", holder.pointer()), reason.to_owned());
        Element::of(Type::Raw(index))
    }

    /// `x-rust-type`, where it is the path of a type; other forms are meant for other generators.
    fn foreign(&mut self, path: NodeRef<'d>) -> Option<Type> {
        let text = path.as_str()?;
        match syn::parse_str::<syn::TypePath>(text) {
            Ok(_) => Some(Type::Foreign(text.to_owned())),
            Err(_) => {
                self.warn_once(
                    path,
                    "invalid-rust-type",
                    format!("`{text}` is not the path of a Rust type; the schema's own type is generated"),
                    "write the full path, such as `my_crate::Money`",
                );
                None
            }
        }
    }

    /// Raw JSON, where the document says more than a type can.
    pub(super) fn raw(&mut self, node: NodeRef<'d>, reason: &str) -> Element {
        self.raw_with(node, reason, "state the properties of all branches as optional ones")
    }

    fn raw_with(&mut self, node: NodeRef<'d>, reason: &str, hint: &str) -> Element {
        let place = format!("the schema `{}`", node.pointer());
        let index = self.untyped(node, place, reason.to_owned(), hint);
        Element::of(Type::Raw(index))
    }

    /// Gives a schema its name, before its parts are lowered, so that they can refer to it.
    fn open(&mut self, parts: &[Part<'d>], key: &Key, place: &Place) -> TypeId {
        let node = parts[0].node;
        let reserved = match parts {
            [part] if !part.bare => self.schemas.reserved.get(&node.id()).cloned(),
            _ => None,
        };
        let own = reserved.is_some();
        let label = if own { last_segment(node) } else { place.name.clone() };
        let name = reserved.unwrap_or_else(|| {
            let wanted = text(node, "x-rust-name").map_or_else(|| place.name.clone(), names::pascal);
            self.type_names.take(&wanted, "Model")
        });
        let id = TypeId(self.types.len());
        let root_module = match &place.root_module {
            Some(root_module) if !own => root_module.clone(),
            _ => names::module(&name),
        };
        let link = node.get("externalDocs").and_then(|link| {
            let url = text(link, "url")?;
            Some((text(link, "description").unwrap_or(url).to_owned(), url.to_owned()))
        });
        self.types.push(TypeDef {
            name,
            label,
            root_module,
            holder: None,
            module: String::new(),
            docs: docs(node),
            link,
            deprecated: flag(node, "deprecated"),
            component: own.then(|| last_segment(node)),
            duplicate_of: None,
            shared: node.pointer().starts_with("#/components/"),
            origin: matches!(parts, [part] if !part.bare).then(|| node.id()),
            shape: Shape::Struct(Struct::default()),
            required: None,
            usage: Usage::default(),
            groups: Vec::new(),
        });
        self.schemas.seen.insert(key.clone(), Seen::Type(id));
        id
    }

    fn array(&mut self, view: &View<'d>, place: &Place) -> Element {
        let mut constraints = Vec::new();
        for (key, make) in
            [("minItems", Constraint::MinItems as fn(u64) -> Constraint), ("maxItems", Constraint::MaxItems)]
        {
            constraints.extend(self.sizes(view, key).into_iter().map(make));
        }
        if view.flag("uniqueItems") {
            constraints.push(Constraint::UniqueItems);
        }
        let tuple = view.first("prefixItems").filter(|_| self.document.version() == Version::V3_1);
        if let Some(tuple) = tuple {
            let place = format!("the entries of `{}`", tuple.parent().unwrap_or(tuple).pointer());
            let reason = "each has a schema of its own, by its position".to_owned();
            // That the keyword is not checked is reported with all such keywords.
            let entry = Element::of(Type::Raw(self.untyped_told(tuple, place, reason)));
            return Element { ty: Type::List(Box::new(entry)), nullable: false, constraints };
        }
        let items: Vec<Part<'d>> = view.all("items").map(Part::whole).collect();
        let one = names::pascal(&names::singular(&place.name));
        // Beside `assignees` there may be an `assignee`.
        let name = if self.type_names.contains(&one) { format!("{}Entry", place.name) } else { one };
        let place = Place { name, root_module: place.root_module.clone(), depth: place.depth + 1 };
        let element = self.together(&items, &place);
        Element { ty: Type::List(Box::new(element)), nullable: false, constraints }
    }

    /// Lowers what several parts say of one place.
    fn together(&mut self, parts: &[Part<'d>], place: &Place) -> Element {
        match parts {
            [] => any(),
            [part] if !part.bare => self.schema(part.node, place),
            _ => {
                let mut targets: Vec<Part<'d>> = Vec::new();
                for part in parts {
                    let Some(node) = self.resolve(part.node) else { continue };
                    if targets.iter().all(|target| target.node.id() != node.id()) {
                        targets.push(Part { node, ..*part });
                    }
                }
                match targets[..] {
                    [only] if !only.bare => self.schema(parts[0].node, place),
                    _ => self.parts(&targets, place),
                }
            }
        }
    }
}

/// The value of `type`, if it is one.
fn word(ty: NodeRef<'_>) -> Option<&'static str> {
    const KINDS: &[&str] = &["string", "integer", "number", "boolean", "array", "object"];
    ty.as_str().and_then(|word| KINDS.iter().find(|kind| **kind == word)).copied()
}

fn any() -> Element {
    Element::of(Type::Any)
}
