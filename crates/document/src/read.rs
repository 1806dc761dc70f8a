//! Loads the root and every file it references, and checks what must hold before anyone uses the document.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::builder::{Builder, Stop};
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::forest::{Failure, Forest, NodeId};
use crate::limits::Limits;
use crate::loader::Loader;
use crate::reference;
use crate::role::{Role, Shape};
use crate::root;
use crate::source::{FileId, SourceFile, Span, offset_of};
use crate::tree::{Data, Tree};
use crate::unresolved;
use crate::{json, yaml};

/// Texts are addressed with 32 bits, with room for what escapes and aliases add.
const HARD_FILE_LIMIT: usize = 1 << 30;

/// References for which it is worth the time to guess what was meant; more are broken in another way than by a typo.
const MAX_GUESSES: usize = 200;

/// What reading gives: the trees, and the immediate target of each reference.
pub(crate) struct Reader<'l> {
    pub(crate) forest: Forest,
    pub(crate) targets: HashMap<NodeId, NodeId>,
    pub(crate) problems: Diagnostics,
    loader: &'l dyn Loader,
    limits: Limits,
    queue: Vec<(NodeId, Role)>,
    seen: HashSet<(NodeId, Role)>,
    /// Objects with a `$ref` that has a target, in the order in which they were found.
    references: Vec<NodeId>,
    /// References without a target so far.
    unresolved: usize,
}

impl<'l> Reader<'l> {
    pub(crate) fn new(loader: &'l dyn Loader, limits: Limits) -> Self {
        Self {
            forest: Forest::default(),
            targets: HashMap::new(),
            problems: Diagnostics::new(),
            loader,
            limits,
            queue: Vec::new(),
            seen: HashSet::new(),
            references: Vec::new(),
            unresolved: 0,
        }
    }

    /// Reads everything; the caller looks at the problems to see whether the document can be used.
    pub(crate) fn run(&mut self, root_path: &str) {
        let path = reference::join("", root_path);
        if let Some(file) = self.load(&path, None)
            && let Some(root) = self.forest.file_root(file)
            && root::check(&self.forest, root, &mut self.problems)
        {
            self.visit_later(root, Role::OpenApi);
            self.visit_all();
            self.check_cycles();
        }
        self.problems.set_sources(Arc::clone(&self.forest.sources));
        self.problems.sort();
    }

    /// Loads and parses the file at `path`; a problem of the file is reported once, at the first place that asks for it.
    fn load(&mut self, path: &str, site: Option<Span>) -> Option<FileId> {
        if let Some(known) = self.forest.paths.get(path) {
            return *known;
        }
        let file = self.load_text(path, site);
        self.forest.paths.insert(path.to_owned(), file);
        file
    }

    fn load_text(&mut self, path: &str, site: Option<Span>) -> Option<FileId> {
        if site.is_some() && self.forest.sources.len() >= self.limits.max_files {
            self.refuse_file(
                path,
                site,
                codes::FILE_TOO_LARGE,
                &format!("the document has more than {} files", self.limits.max_files),
            );
            return None;
        }
        let text = match self.loader.load(path) {
            Ok(text) => text,
            Err(error) => {
                self.refuse_file(
                    path,
                    site,
                    codes::UNREADABLE_FILE,
                    &format!("`{path}` cannot be read: {error}"),
                );
                return None;
            }
        };
        let limit = self.limits.max_file_bytes.min(HARD_FILE_LIMIT);
        if text.len() > limit {
            let message =
                format!("`{path}` has {} bytes, which is more than the limit of {limit}", text.len());
            self.refuse_file(path, site, codes::FILE_TOO_LARGE, &message);
            return None;
        }
        let text = text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text);
        let file = self.add_source(path, text);
        let tree = self.parse(file);
        let readable = tree.is_some();
        self.forest.trees[file.index()] = tree;
        readable.then_some(file)
    }

    fn add_source(&mut self, path: &str, text: String) -> FileId {
        self.forest.trees.push(None);
        Arc::make_mut(&mut self.forest.sources).add(SourceFile::new(path.to_owned(), text))
    }

    /// Reports a file without text where it is referenced, or at its own start if it is the root.
    fn refuse_file(&mut self, path: &str, site: Option<Span>, code: &'static str, message: &str) {
        let span = site.unwrap_or_else(|| {
            let file = self.add_source(path, String::new());
            self.forest.sources.span(file, 0..0)
        });
        let mut diagnostic = Diagnostic::error(code, span, message);
        if site.is_some() && code == codes::UNREADABLE_FILE {
            diagnostic = diagnostic.hint("paths are relative to the file that holds the reference");
        }
        self.problems.push(diagnostic);
    }

    fn parse(&mut self, file: FileId) -> Option<Tree> {
        let source = self.forest.sources.get(file)?;
        let text = source.text();
        let at = |range: std::ops::Range<usize>| {
            self.forest.sources.span(file, offset_of(range.start)..offset_of(range.end))
        };
        if let Some(bad) = text.bytes().position(|byte| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r'))
        {
            let diagnostic = Diagnostic::error(
                codes::INVALID_CHARACTER,
                at(bad..bad + 1),
                format!("the control character U+{:04X} is not allowed in a document", text.as_bytes()[bad]),
            )
            .hint("save the file as UTF-8 text");
            self.problems.push(diagnostic);
            return None;
        }
        let named_json = source.path().to_ascii_lowercase().ends_with(".json");
        let braced = text.trim_start().starts_with('{');
        let mut found = Diagnostics::new();
        let parsed = if text.trim().is_empty() {
            Ok(Tree::default())
        } else if named_json || braced {
            let as_json = parse_as(json::read, file, source, &self.limits, &mut found);
            // A YAML file may begin with a brace too.
            match as_json {
                Err(_) if !named_json => {
                    found = Diagnostics::new();
                    parse_as(yaml::read, file, source, &self.limits, &mut found)
                }
                other => other,
            }
        } else {
            parse_as(yaml::read, file, source, &self.limits, &mut found)
        };
        let tree = match parsed {
            Ok(tree) if tree.nodes.is_empty() => {
                found.push(
                    Diagnostic::error(codes::EMPTY_DOCUMENT, at(0..0), "the file holds no value")
                        .hint("an OpenAPI document begins with `openapi: 3.0.3`"),
                );
                None
            }
            Ok(tree) => Some(tree),
            Err(stop) => {
                found.push(*stop);
                None
            }
        };
        self.problems.extend(found);
        tree
    }

    fn visit_later(&mut self, node: NodeId, role: Role) {
        if self.seen.insert((node, role)) {
            self.queue.push((node, role));
        }
    }

    /// Visits objects depth first in document order, so that files load in the order in which a reader meets them.
    fn visit_all(&mut self) {
        while let Some((node, role)) = self.queue.pop() {
            let first_new = self.queue.len();
            self.visit(node, role);
            self.queue[first_new..].reverse();
        }
    }

    fn visit(&mut self, node: NodeId, role: Role) {
        if !self.forest.is_object(node) {
            return;
        }
        if let Some(reference) = self.forest.member(node, "$ref") {
            if role.referable() {
                self.follow(node, reference, role);
            } else {
                self.misplaced(node, reference, role);
            }
            return;
        }
        match role {
            Role::Discriminator => self.visit_mapping(node),
            Role::Link => self.visit_link(node),
            _ => {}
        }
        let members: Vec<NodeId> = self.forest.children(node).collect();
        for member in members {
            let Some(shape) = self.forest.key(member).and_then(|key| role.field(key)) else { continue };
            match shape {
                Shape::One(role) => self.visit_later(member, role),
                Shape::List(_) | Shape::Map(_) => self.visit_many(member, shape),
            }
        }
    }

    fn visit_many(&mut self, container: NodeId, shape: Shape) {
        let (Shape::One(role) | Shape::List(role) | Shape::Map(role)) = shape;
        let is_map = matches!(shape, Shape::Map(_));
        match self.forest.node(container).data {
            Data::Object { .. } => {
                // In a map, `$ref` may be the name of an entry; its value is then an object.
                let reference = self.forest.member(container, "$ref");
                if let Some(reference) =
                    reference.filter(|value| !is_map || self.forest.string(*value).is_some())
                {
                    self.misplaced_among(reference, is_map, role);
                    return;
                }
                if !is_map {
                    return;
                }
            }
            Data::Array { .. } if !is_map => {}
            _ => return,
        }
        let entries: Vec<NodeId> = self.forest.children(container).collect();
        for entry in entries {
            self.visit_later(entry, role);
        }
    }

    /// A `$ref` in place of an object that cannot be referred to.
    fn misplaced(&mut self, object: NodeId, reference: NodeId, role: Role) {
        let place = match (role, self.forest.key(object)) {
            (Role::Plain, Some(key)) => format!("`{key}`"),
            _ => role.name().to_owned(),
        };
        let hint = match role.members() {
            Some(member) => format!("write the entries here; each may be {} with a `$ref`", member.name()),
            None => String::from("write the object here"),
        };
        self.report_misplaced(reference, &place, hint);
    }

    /// A `$ref` in place of a map or list of objects that can be referred to one by one.
    fn misplaced_among(&mut self, reference: NodeId, is_map: bool, role: Role) {
        let place = format!("a {} of {}", if is_map { "map" } else { "list" }, role.plural());
        let hint = if role.referable() {
            "write the entries here; each may have a `$ref`"
        } else {
            "write the entries here"
        };
        self.report_misplaced(reference, &place, hint.to_owned());
    }

    fn report_misplaced(&mut self, reference: NodeId, place: &str, hint: String) {
        self.problems.push(
            Diagnostic::error(
                codes::MISPLACED_REFERENCE,
                self.forest.key_span(reference),
                format!("`$ref` cannot stand in place of {place}"),
            )
            .note(
                "OpenAPI 3.0 allows it for schemas, responses, parameters, examples, request bodies, headers, \
                 security schemes, links, callbacks and path items",
            )
            .hint(hint),
        );
    }

    fn follow(&mut self, site: NodeId, value: NodeId, role: Role) {
        let Some(text) = self.forest.string(value).map(str::to_owned) else {
            self.problems.push(
                Diagnostic::error(
                    codes::INVALID_REFERENCE,
                    self.forest.span(value),
                    "`$ref` must be a string",
                )
                .hint("write where the value is, such as `$ref: \"#/components/schemas/Pet\"`"),
            );
            return;
        };
        self.check_siblings(site, role);
        let Some(target) = self.target(value, &text) else { return };
        if let Some(problem) = self.wrong_target(value, target, role) {
            self.problems.push(problem);
            return;
        }
        self.targets.insert(site, target);
        self.references.push(site);
        self.visit_later(target, role);
    }

    /// The immediate target of a reference text; loads its file, and reports what fails.
    fn target(&mut self, value: NodeId, text: &str) -> Option<NodeId> {
        loop {
            match self.forest.locate(value.file, text) {
                Ok(target) => return Some(target),
                Err(Failure::NotLoaded(path)) => {
                    let site = self.forest.span(value);
                    self.load(&path, Some(site));
                }
                Err(Failure::NotAsked(address)) => {
                    let path = self.loader.local(&address).map(|path| reference::join("", &path));
                    self.forest.local.insert(address, path);
                }
                // The file has been reported where it was first asked for, or in itself.
                Err(Failure::Unreadable) => return None,
                Err(failure) => {
                    self.unresolved(value, text, &failure);
                    return None;
                }
            }
        }
    }

    fn unresolved(&mut self, value: NodeId, text: &str, failure: &Failure) {
        self.unresolved += 1;
        let guess = self.unresolved <= MAX_GUESSES;
        self.problems.push(unresolved::explain(&self.forest, value, text, failure, guess));
    }

    fn wrong_target(&self, value: NodeId, target: NodeId, role: Role) -> Option<Diagnostic> {
        let wrong = |what: &str| {
            Diagnostic::error(
                codes::WRONG_REFERENCE_TARGET,
                self.forest.span(value),
                format!("the reference must lead to {}, and leads to {what}", role.name()),
            )
            .related(self.forest.key_span(target), "leads here")
        };
        if !self.forest.is_object(target) {
            return Some(wrong(self.forest.node(target).data.name()));
        }
        let tokens = self.forest.tokens(target);
        let [components, section, _] = tokens.as_slice() else { return None };
        if components != "components" {
            return None;
        }
        let found = Role::of_section(section).filter(|found| *found != role)?;
        let diagnostic = wrong(found.name());
        Some(match role.section() {
            Some(section) => diagnostic.hint(format!("refer to an entry of `components/{section}`")),
            None => diagnostic,
        })
    }

    fn check_siblings(&mut self, site: NodeId, role: Role) {
        let siblings: Vec<NodeId> =
            self.forest.children(site).filter(|member| self.forest.key(*member) != Some("$ref")).collect();
        let Some(first) = siblings.first().copied() else { return };
        let names: Vec<&str> = siblings.iter().filter_map(|member| self.forest.key(*member)).collect();
        let described =
            names.iter().all(|name| matches!(*name, "summary" | "description") || name.starts_with("x-"));
        let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let ignored = if siblings.len() == 1 { "is ignored" } else { "are ignored" };
        let span = self.forest.key_span(first);
        let beside = self.forest.member(site, "$ref").map(|reference| self.forest.key_span(reference));
        let mut diagnostic = if role == Role::PathItem && !described {
            Diagnostic::error(
                codes::PATH_ITEM_SIBLINGS,
                span,
                format!("the path item has a `$ref` and fields of its own: {list}"),
            )
            .hint("move the fields into the path item that the reference leads to")
        } else if described {
            Diagnostic::remark(codes::REFERENCE_SIBLINGS, span, format!("{list} beside a `$ref` {ignored}"))
        } else {
            Diagnostic::warning(codes::REFERENCE_SIBLINGS, span, format!("{list} beside a `$ref` {ignored}"))
                .hint(if role == Role::Schema {
                    "write `allOf` with the `$ref` as its only entry beside the other fields"
                } else {
                    "remove the fields, or write the object out instead of referring to it"
                })
        };
        if let Some(beside) = beside {
            diagnostic = diagnostic.related(beside, "OpenAPI 3.0 ignores the siblings of `$ref`");
        }
        self.problems.push(diagnostic);
    }

    /// The values of a discriminator's mapping are names of schemas, or references.
    fn visit_mapping(&mut self, discriminator: NodeId) {
        let Some(mapping) = self.forest.member(discriminator, "mapping") else { return };
        let values: Vec<NodeId> = self.forest.children(mapping).collect();
        for value in values {
            let Some(text) = self.forest.string(value).map(str::to_owned) else { continue };
            if let Some(target) = self.mapping_target(value, &text) {
                if let Some(problem) = self.wrong_target(value, target, Role::Schema) {
                    self.problems.push(problem);
                } else {
                    self.targets.insert(value, target);
                    self.visit_later(target, Role::Schema);
                }
            }
        }
    }

    /// The target of a mapping value. A text that can only be a name is one, so that a misspelt name is not taken for a
    /// missing file.
    fn mapping_target(&mut self, value: NodeId, text: &str) -> Option<NodeId> {
        if let Some(schema) = self.named_schema(value.file, text) {
            return Some(schema);
        }
        let is_name = !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
            && ![".yaml", ".yml", ".json"].iter().any(|extension| text.ends_with(extension));
        match self.schemas(value.file).filter(|_| is_name) {
            Some(parent) => {
                let failure = Failure::Missing { parent, token: text.to_owned(), rest: Vec::new() };
                self.unresolved(value, text, &failure);
                None
            }
            None => self.target(value, text),
        }
    }

    /// `components/schemas` of a file.
    fn schemas(&self, file: FileId) -> Option<NodeId> {
        let components = self.forest.member(self.forest.file_root(file)?, "components")?;
        self.forest.member(components, "schemas")
    }

    /// The schema of this name in the file that names it, or in the root.
    fn named_schema(&self, file: FileId, name: &str) -> Option<NodeId> {
        [file, FileId::ROOT].into_iter().find_map(|file| self.forest.member(self.schemas(file)?, name))
    }

    /// A link may name its operation by a reference, which may lead to another machine.
    fn visit_link(&mut self, link: NodeId) {
        let Some(value) = self.forest.member(link, "operationRef") else { return };
        let Some(text) = self.forest.string(value).map(str::to_owned) else { return };
        if reference::parse(&text) == Err(reference::Malformed::Remote) {
            self.problems.push(
                Diagnostic::warning(
                    codes::REMOTE_REFERENCE,
                    self.forest.span(value),
                    "the operation of this link is described elsewhere, and the link is not followed",
                )
                .hint("use `operationId` for an operation of this document"),
            );
            return;
        }
        if let Some(target) = self.target(value, &text) {
            self.targets.insert(value, target);
        }
    }

    /// Reports each circle of references once, at its first member.
    fn check_cycles(&mut self) {
        let mut checked: HashSet<NodeId> = HashSet::new();
        for start in &self.references {
            let mut way: Vec<NodeId> = Vec::new();
            let mut position: HashMap<NodeId, usize> = HashMap::new();
            let mut current = Some(*start);
            while let Some(node) = current {
                if checked.contains(&node) {
                    break;
                }
                if let Some(first) = position.get(&node) {
                    let diagnostic = self.cycle(&way[*first..]);
                    self.problems.push(diagnostic);
                    break;
                }
                position.insert(node, way.len());
                way.push(node);
                current = self.targets.get(&node).copied();
            }
            checked.extend(way);
        }
    }

    fn cycle(&self, members: &[NodeId]) -> Diagnostic {
        let value_span = |node: NodeId| {
            self.forest
                .member(node, "$ref")
                .map_or_else(|| self.forest.span(node), |value| self.forest.span(value))
        };
        let first = members.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(index, _)| index);
        let ordered: Vec<NodeId> = members[first..].iter().chain(&members[..first]).copied().collect();
        let mut diagnostic = Diagnostic::error(
            codes::REFERENCE_CYCLE,
            value_span(ordered[0]),
            "the reference leads back to itself without reaching a value",
        )
        .hint("replace one of the references by the value that is meant");
        for (index, node) in ordered.iter().enumerate().skip(1) {
            let text = if index + 1 == ordered.len() { "which leads back" } else { "which leads on" };
            diagnostic = diagnostic.related(value_span(*node), text);
        }
        diagnostic
    }
}

fn parse_as(
    read: fn(&mut Builder<'_>) -> Result<(), Stop>,
    file: FileId,
    source: &SourceFile,
    limits: &Limits,
    problems: &mut Diagnostics,
) -> Result<Tree, Stop> {
    let mut builder = Builder::new(file, source, limits, problems);
    read(&mut builder)?;
    Ok(builder.finish())
}
