//! The parts of a document: operations, schemas, parameters and others, each once, with the directions in
//! which they are used.

use std::collections::{HashMap, HashSet, VecDeque};

use frontdesk_document::{Document, NodeId, NodeRef, Operation, methods};

use super::directions::Directions;

/// Returns the schemas of the successful responses of an operation.
pub(super) fn success_schemas<'d>(operation: &Operation<'d>) -> impl Iterator<Item = NodeRef<'d>> {
    operation
        .responses()
        .filter(|(status, _)| status.text.starts_with('2'))
        .filter_map(|(_, response)| object(response)?.get("content"))
        .flat_map(NodeRef::members)
        .filter_map(|(_, media)| media.get("schema"))
}

/// The relation of a schema to the object that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It has a name under `components.schemas`.
    Component,
    /// It is a property of an object.
    Property,
    /// It is inside another schema, a body, a parameter or a header.
    Inline,
}

/// A schema that is not a reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schema<'d> {
    pub(super) node: NodeRef<'d>,
    pub(super) place: Place,
    /// The directions in which its values are sent; none if no operation uses it.
    pub(super) directions: Directions,
}

/// An object that contains a schema or content, and examples of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder<'d> {
    pub(super) node: NodeRef<'d>,
    pub(super) kind: Role,
    pub(super) directions: Directions,
}

/// A named object under `components` of one of the files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component<'d> {
    pub(super) section: &'d str,
    pub(super) name: &'d str,
    /// The object itself, which may be a reference.
    pub(super) node: NodeRef<'d>,
}

/// The kind of an object, from its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    PathItem,
    Operation,
    Parameter,
    Header,
    Body,
    Media,
    Encoding,
    Response,
    Schema(Place),
    Example,
    Link,
    Callback,
    SecurityScheme,
    /// An object without references inside, such as `info` or a server.
    Plain,
}

/// The parts of a document that rules check.
#[derive(Debug)]
pub(super) struct Survey<'d> {
    pub(super) document: &'d Document,
    /// The operations that clients call.
    pub(super) operations: Vec<Operation<'d>>,
    pub(super) schemas: Vec<Schema<'d>>,
    /// Parameters, headers, media types, responses and bodies.
    pub(super) holders: Vec<Holder<'d>>,
    pub(super) examples: Vec<NodeRef<'d>>,
    pub(super) links: Vec<NodeRef<'d>>,
    /// The operations that the server calls at its clients: callbacks and webhooks.
    pub(super) events: Vec<NodeRef<'d>>,
    pub(super) components: Vec<Component<'d>>,
    /// The objects with `$ref`, and their targets.
    pub(super) references: Vec<(NodeRef<'d>, NodeRef<'d>)>,
    /// Every object that is not a reference, once, whatever its role.
    pub(super) objects: Vec<NodeRef<'d>>,
}

impl<'d> Survey<'d> {
    /// Collects the parts of a document.
    pub(super) fn of(document: &'d Document) -> Self {
        let mut walk = Walk {
            survey: Self {
                document,
                operations: Vec::new(),
                schemas: Vec::new(),
                holders: Vec::new(),
                examples: Vec::new(),
                links: Vec::new(),
                events: Vec::new(),
                components: Vec::new(),
                references: Vec::new(),
                objects: Vec::new(),
            },
            seen: HashMap::new(),
            files: HashSet::new(),
            waiting: VecDeque::new(),
        };
        walk.root(document.root());
        walk.drain();
        let found = walk.seen;
        let mut survey = walk.survey;
        let directions = |node: NodeRef<'d>| found.get(&node.id()).copied().unwrap_or_default();
        let mut met = HashSet::new();
        survey.objects.retain(|object| met.insert(object.id()));
        for schema in &mut survey.schemas {
            schema.directions = directions(schema.node);
        }
        for holder in &mut survey.holders {
            holder.directions = directions(holder.node);
        }
        survey
    }

    /// Returns the holders of a kind.
    pub(super) fn of_kind(&self, kind: Role) -> impl Iterator<Item = &Holder<'d>> {
        self.holders.iter().filter(move |holder| holder.kind == kind)
    }
}

struct Walk<'d> {
    survey: Survey<'d>,
    /// The directions in which each object was visited.
    seen: HashMap<NodeId, Directions>,
    /// The files whose `components` were visited.
    files: HashSet<&'d str>,
    waiting: VecDeque<(Role, NodeRef<'d>, Directions)>,
}

impl<'d> Walk<'d> {
    fn root(&mut self, root: NodeRef<'d>) {
        self.survey.objects.push(root);
        for key in ["info", "externalDocs"] {
            self.one(Role::Plain, root.get(key), Directions::NONE);
        }
        for key in ["servers", "tags"] {
            self.list(Role::Plain, root.get(key), Directions::NONE);
        }
        if let Some(paths) = root.get("paths").filter(|paths| paths.is_object()) {
            self.survey.objects.push(paths);
            let document = self.survey.document;
            for item in document.path_items() {
                self.one(Role::PathItem, Some(item.mount), Directions::REQUEST);
                self.survey.operations.extend(item.operations());
            }
        }
        for item in self.survey.document.webhooks() {
            self.one(Role::PathItem, Some(item.mount), Directions::RESPONSE);
        }
        self.components(root);
    }

    /// Visits the components of the file of a node.
    fn components(&mut self, node: NodeRef<'d>) {
        if !self.files.insert(node.file()) {
            return;
        }
        let mut root = node;
        while let Some(parent) = root.parent() {
            root = parent;
        }
        let Some(components) = root.get("components").filter(|components| components.is_object()) else {
            return;
        };
        self.survey.objects.push(components);
        for (section, entries) in components.members() {
            let role = match section {
                "schemas" => Role::Schema(Place::Component),
                "responses" => Role::Response,
                "parameters" => Role::Parameter,
                "examples" => Role::Example,
                "requestBodies" => Role::Body,
                "headers" => Role::Header,
                "securitySchemes" => Role::SecurityScheme,
                "links" => Role::Link,
                "callbacks" => Role::Callback,
                _ => continue,
            };
            for (name, node) in entries.members() {
                self.survey.components.push(Component { section, name, node });
                self.one(role, Some(node), Directions::NONE);
            }
        }
    }

    fn one(&mut self, role: Role, node: Option<NodeRef<'d>>, directions: Directions) {
        let Some(node) = node.filter(|node| node.is_object()) else { return };
        let mut target = node;
        if node.reference().is_some() && role != Role::Plain {
            match object(node) {
                Some(found) => target = found,
                None => return,
            }
            if self.seen.insert(node.id(), Directions::NONE).is_none() {
                self.survey.references.push((node, target));
            }
        }
        self.waiting.push_back((role, target, directions));
    }

    fn list(&mut self, role: Role, nodes: Option<NodeRef<'d>>, directions: Directions) {
        for node in nodes.into_iter().flat_map(NodeRef::items) {
            self.one(role, Some(node), directions);
        }
    }

    fn map(&mut self, role: Role, nodes: Option<NodeRef<'d>>, directions: Directions) {
        for (_, node) in nodes.into_iter().flat_map(NodeRef::members) {
            self.one(role, Some(node), directions);
        }
    }

    fn drain(&mut self) {
        while let Some((role, node, directions)) = self.waiting.pop_front() {
            match self.seen.get_mut(&node.id()) {
                Some(known) if known.holds(directions) => continue,
                Some(known) => *known = known.and(directions),
                None => {
                    self.seen.insert(node.id(), directions);
                    self.components(node);
                    self.record(role, node);
                }
            }
            self.expand(role, node, directions);
        }
    }

    /// Records an object at the first visit.
    fn record(&mut self, role: Role, node: NodeRef<'d>) {
        self.survey.objects.push(node);
        let directions = Directions::NONE;
        match role {
            Role::Schema(place) => {
                let place = if is_component(node) { Place::Component } else { place };
                self.survey.schemas.push(Schema { node, place, directions });
            }
            Role::Parameter | Role::Header | Role::Media | Role::Response | Role::Body => {
                self.survey.holders.push(Holder { node, kind: role, directions });
            }
            Role::Example => self.survey.examples.push(node),
            Role::Link => self.survey.links.push(node),
            Role::PathItem
            | Role::Operation
            | Role::Encoding
            | Role::Callback
            | Role::SecurityScheme
            | Role::Plain => {}
        }
    }

    fn expand(&mut self, role: Role, node: NodeRef<'d>, directions: Directions) {
        match role {
            Role::PathItem => {
                self.list(Role::Plain, node.get("servers"), directions);
                self.list(Role::Parameter, node.get("parameters"), directions);
                for (_, operation) in methods(node) {
                    if directions == Directions::RESPONSE {
                        self.survey.events.push(operation);
                    }
                    self.one(Role::Operation, Some(operation), directions);
                }
            }
            Role::Operation => {
                self.one(Role::Plain, node.get("externalDocs"), directions);
                self.list(Role::Plain, node.get("servers"), directions);
                self.list(Role::Parameter, node.get("parameters"), directions);
                self.one(Role::Body, node.get("requestBody"), directions);
                let answers = node.get("responses").filter(|answers| answers.is_object());
                self.survey.objects.extend(answers);
                for (status, answer) in answers.into_iter().flat_map(NodeRef::members) {
                    if !status.starts_with("x-") {
                        self.one(Role::Response, Some(answer), directions.reversed());
                    }
                }
                self.map(Role::Callback, node.get("callbacks"), directions.reversed());
            }
            Role::Callback => {
                for (expression, item) in node.members() {
                    if !expression.starts_with("x-") {
                        self.one(Role::PathItem, Some(item), directions);
                    }
                }
            }
            Role::Parameter | Role::Header => {
                self.one(Role::Schema(Place::Inline), node.get("schema"), directions);
                self.map(Role::Example, node.get("examples"), directions);
                self.map(Role::Media, node.get("content"), directions);
            }
            Role::Body => self.map(Role::Media, node.get("content"), directions),
            Role::Media => {
                self.one(Role::Schema(Place::Inline), node.get("schema"), directions);
                self.map(Role::Example, node.get("examples"), directions);
                self.map(Role::Encoding, node.get("encoding"), directions);
            }
            Role::Encoding => self.map(Role::Header, node.get("headers"), directions),
            Role::Response => {
                self.map(Role::Header, node.get("headers"), directions);
                self.map(Role::Media, node.get("content"), directions);
                self.map(Role::Link, node.get("links"), directions);
            }
            Role::Schema(_) => self.schema(node, directions),
            Role::Plain => {
                // `info` has a contact and a license; a server has variables.
                for key in ["contact", "license", "externalDocs"] {
                    self.one(Role::Plain, node.get(key), directions);
                }
                self.map(Role::Plain, node.get("variables"), directions);
            }
            Role::Example | Role::Link | Role::SecurityScheme => {}
        }
    }

    fn schema(&mut self, node: NodeRef<'d>, directions: Directions) {
        for keyword in ["allOf", "oneOf", "anyOf"] {
            self.list(Role::Schema(Place::Inline), node.get(keyword), directions);
        }
        for keyword in ["not", "items", "additionalProperties"] {
            self.one(Role::Schema(Place::Inline), node.get(keyword), directions);
        }
        for key in ["discriminator", "externalDocs", "xml"] {
            self.one(Role::Plain, node.get(key), Directions::NONE);
        }
        for (_, member) in node.get("properties").into_iter().flat_map(NodeRef::members) {
            let Some(target) = object(member) else { continue };
            let mut travels = directions;
            if flag(target, "readOnly") {
                travels = travels.without(Directions::REQUEST);
            }
            if flag(target, "writeOnly") {
                travels = travels.without(Directions::RESPONSE);
            }
            self.one(Role::Schema(Place::Property), Some(member), travels);
        }
    }
}

/// Returns whether a schema is directly under `components.schemas`.
fn is_component(node: NodeRef<'_>) -> bool {
    let holder = node.parent().filter(|holder| holder.key().is_some_and(|key| key.text == "schemas"));
    let components = holder.and_then(NodeRef::parent);
    components.is_some_and(|components| {
        components.key().is_some_and(|key| key.text == "components")
            && components.parent().is_some_and(|root| root.parent().is_none())
    })
}

/// Returns the object that a node is or refers to.
pub(super) fn object(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    if node.reference().is_none() {
        return Some(node).filter(|node| node.is_object());
    }
    node.resolve().ok().filter(|target| target.is_object())
}

/// Returns a member that is text.
pub(super) fn text<'d>(node: NodeRef<'d>, key: &str) -> Option<&'d str> {
    node.get(key).and_then(NodeRef::as_str)
}

/// Returns whether a member is `true`.
pub(super) fn flag(node: NodeRef<'_>, key: &str) -> bool {
    node.get(key).and_then(NodeRef::as_bool) == Some(true)
}

/// Returns whether a member is non-empty text.
pub(super) fn has_text(node: NodeRef<'_>, key: &str) -> bool {
    text(node, key).is_some_and(|text| !text.trim().is_empty())
}
