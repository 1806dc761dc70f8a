//! From a document to the [`Api`]: every name, every type, every rejection. Nothing after this stage can fail
//! because of the input.

mod ambiguous;
mod components;
mod constructors;
mod defects;
mod duplicates;
mod error_sets;
mod examples;
mod extensions;
mod files;
mod groups;
mod links;
mod media;
mod modules;
mod names;
mod operations;
mod pagination;
mod parameters;
mod paths;
mod payloads;
mod responses;
mod schemas;
mod security;
mod servers;
mod short_names;
mod sizes;
mod streaming;
mod swagger;
mod texts;
mod untyped;
mod usage;
mod variants;
mod webhooks;

use crate::GenerateError;
use crate::ir::{Api, Response, Scheme, TypeDef, TypeId, Untyped, Webhook};
use crate::settings::PaginationSetting;
use frontdesk_document::{Diagnostic, Diagnostics, Document, Kind, NodeId, NodeRef, Span};
use std::collections::{BTreeMap, BTreeSet};

/// Lowers a document. The diagnostics may hold warnings; if they hold an error, there is no [`Api`].
pub(crate) fn lower(
    document: &Document,
    name: &str,
    source: &str,
    problems: &mut Diagnostics,
) -> Option<Api> {
    let mut lowering = Lowering {
        document,
        problems,
        types: Vec::new(),
        type_names: names::Scope::of_types(),
        schemas: schemas::Schemas::default(),
        responses: Vec::new(),
        seen_responses: BTreeMap::new(),
        schemes: Vec::new(),
        webhooks: Vec::new(),
        event_names: names::Scope::default(),
        skipped: None,
        files: payloads::Files::new(),
        file_formats: BTreeMap::new(),
        left_out: BTreeMap::new(),
        unsent: None,
        untyped: Vec::new(),
        untyped_at: BTreeMap::new(),
        losses: Vec::new(),
        modules: names::Scope::of_modules(name),
        warned: BTreeSet::new(),
        constant_keys: Vec::new(),
        undefined_schemes: BTreeSet::new(),
        optional_schemes: false,
        ambiguous: BTreeSet::new(),
        defects: Vec::new(),
        degraded_at: BTreeMap::new(),
        degradations: Vec::new(),
        left_out_operations: Vec::new(),
        visited: Vec::new(),
    };
    let api = lowering.run(name, source);
    if lowering.problems.has_errors() { None } else { Some(api) }
}

/// Names methods of the client as pins say, by the ids of operations.
pub(crate) fn pin_methods(api: &mut Api, pins: &BTreeMap<String, String>) {
    short_names::pin_methods(&mut api.groups, pins);
}

/// Gives operations the pages that settings declare, in addition to those that the document does.
pub(crate) fn declare_pagination(
    api: &mut Api,
    settings: &BTreeMap<String, PaginationSetting>,
) -> Result<(), GenerateError> {
    pagination::declare(api, settings)
}

/// Whether a method of the client can have this name.
pub(crate) fn is_method(name: &str) -> bool {
    short_names::is_method(name)
}

struct Lowering<'d, 'p> {
    document: &'d Document,
    problems: &'p mut Diagnostics,
    types: Vec<TypeDef>,
    type_names: names::Scope,
    schemas: schemas::Schemas,
    responses: Vec<Response>,
    /// What each response has become: with its body, and without where HTTP has none.
    seen_responses: BTreeMap<(NodeId, bool), responses::SeenResponse>,
    schemes: Vec<Scheme>,
    webhooks: Vec<Webhook>,
    event_names: names::Scope,
    /// Events with parameters, which are not generated: the first, and how many there are.
    skipped: Option<(Span, usize)>,
    /// Members that multipart bodies send as files.
    files: payloads::Files,
    /// The types of the bodies in which a `format` makes a member a file.
    file_formats: BTreeMap<NodeId, BTreeSet<TypeId>>,
    /// Media types that no body is generated in, as the same content is offered in another.
    left_out: BTreeMap<String, payloads::LeftOut>,
    /// Bodies that browsers do not send, because of their methods: the first, and how many there are.
    unsent: Option<(Span, usize)>,
    /// Places that the document types and the output does not.
    untyped: Vec<Untyped>,
    /// The same, by the node that says more.
    untyped_at: BTreeMap<NodeId, usize>,
    /// Those that the operation at hand has met in its bodies.
    losses: Vec<usize>,
    /// The modules of the tags.
    modules: names::Scope,
    /// Places already warned about, so that a shared schema is told once.
    warned: BTreeSet<(NodeId, &'static str)>,
    /// The extension keys of operations that their constants have: `x-operation-constants`.
    constant_keys: Vec<&'d str>,
    /// Security schemes that requirements name and the document does not define.
    undefined_schemes: BTreeSet<String>,
    /// Whether the document defines schemes without saying which operations require them.
    optional_schemes: bool,
    /// Paths that were reported as ambiguous.
    ambiguous: BTreeSet<Span>,
    /// Defects of the document, with the operations that they degrade.
    defects: Vec<Untyped>,
    /// The same, by their nodes.
    degraded_at: BTreeMap<NodeId, usize>,
    /// Those that the operation at hand has met.
    degradations: Vec<usize>,
    /// Operations that are left out.
    left_out_operations: Vec<Untyped>,
    /// The operations that were lowered.
    visited: Vec<defects::Visited<'d>>,
}

impl<'d> Lowering<'d, '_> {
    fn run(&mut self, name: &str, source: &str) -> Api {
        let root = self.document.root();
        let info = root.get("info");
        let text =
            |key: &str| info.and_then(|info| info.get(key)).and_then(NodeRef::as_str).map(str::to_owned);
        let components = Self::component_schemas(self.document);
        self.reserve_component_names(&components);
        self.lower_schemes();
        self.find_optional_schemes();
        self.read_constant_keys();
        self.lower_component_schemas(&components);
        let mut groups = self.lower_groups(name);
        links::resolve(&mut groups);
        self.lower_webhooks();
        self.finalize();
        self.tell_left_out();
        self.tell_unsent();
        self.tell_implied_types();
        self.attribute_defects();
        let servers = self.servers(root);
        let mut api = Api {
            name: name.to_owned(),
            source: source.to_owned(),
            title: text("title").unwrap_or_else(|| name.to_owned()),
            version: text("version").unwrap_or_default(),
            description: text("description").or_else(|| text("summary")),
            servers,
            schemes: std::mem::take(&mut self.schemes),
            types: std::mem::take(&mut self.types),
            responses: std::mem::take(&mut self.responses),
            features: groups::has_features(&groups),
            by_id: links::by_id(&groups),
            groups,
            error_sets: Vec::new(),
            webhooks: std::mem::take(&mut self.webhooks),
            untyped: std::mem::take(&mut self.untyped),
            defects: std::mem::take(&mut self.defects),
            left_out: std::mem::take(&mut self.left_out_operations),
        };
        let texts_elsewhere = files::resolve(&mut api, &self.files, &mut self.type_names);
        self.tell_binary_text(&texts_elsewhere);
        variants::split(&mut api, &mut self.type_names);
        streaming::name_methods(&mut api, &mut self.type_names);
        usage::mark(&mut api);
        usage::break_cycles(&mut api);
        sizes::box_large(&mut api);
        untyped::attribute(&mut api);
        duplicates::find(&mut api);
        usage::mark_errors(&mut api);
        modules::name(&mut api);
        error_sets::find(&mut api, &mut self.type_names);
        constructors::name(&mut api, &mut self.type_names);
        examples::add(&mut api, &self.visited);
        api
    }

    /// Follows a reference; a reference that leads nowhere has been reported by the reader.
    fn resolve(&mut self, node: NodeRef<'d>) -> Option<NodeRef<'d>> {
        match node.resolve() {
            Ok(target) => Some(target),
            Err(problem) => {
                self.problems.push(*problem);
                None
            }
        }
    }

    /// Reports something that cannot be expressed, once for a node.
    fn warn_once(&mut self, node: NodeRef<'_>, code: &'static str, message: impl Into<String>, hint: &str) {
        if self.warned.insert((node.id(), code)) {
            self.problems.push(Diagnostic::warning(code, shown(node), message).hint(hint));
        }
    }
}

/// Where a problem with a node is shown: a value of one word itself, an object or array by its key.
fn shown(node: NodeRef<'_>) -> Span {
    match node.kind() {
        Kind::Object | Kind::Array if node.key().is_some() => node.key_span(),
        _ => node.span(),
    }
}

/// A member that is text.
fn text<'d>(node: NodeRef<'d>, key: &str) -> Option<&'d str> {
    node.get(key).and_then(NodeRef::as_str)
}

/// A member that is `true`.
fn flag(node: NodeRef<'_>, key: &str) -> bool {
    node.get(key).and_then(NodeRef::as_bool).unwrap_or(false)
}

/// A description, unless it is blank.
fn docs(node: NodeRef<'_>) -> Option<String> {
    text(node, "description").map(str::trim).filter(|docs| !docs.is_empty()).map(str::to_owned)
}

/// The description of a schema, or of the schema that it refers to.
fn described(schema: NodeRef<'_>) -> Option<String> {
    if let Some(own) = docs(schema) {
        return Some(own);
    }
    let target = schema.get("allOf").and_then(|parts| parts.items().next()).unwrap_or(schema);
    target.reference()?;
    docs(target.resolve().ok()?)
}

/// A title of several words. One word is the name of a type or of a value, and says no more than that.
fn title(node: NodeRef<'_>) -> Option<String> {
    let title = text(node, "title")?.trim();
    title.contains(char::is_whitespace).then(|| title.to_owned())
}

/// The last segment of a node's place, which names a component.
fn last_segment(node: NodeRef<'_>) -> String {
    let pointer = node.pointer();
    match pointer.rsplit_once('/') {
        Some((_, last)) => last.replace("~1", "/").replace("~0", "~"),
        // A whole file is named by its stem.
        None => {
            let file = node.file().rsplit('/').next().unwrap_or_default();
            file.split('.').next().unwrap_or_default().to_owned()
        }
    }
}
