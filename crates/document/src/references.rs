//! References of a document: their targets, and the problems of those without one.

use std::collections::{HashMap, HashSet};

use crate::broken::Broken;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::forest::{Failure, NodeId};
use crate::read::Reader;
use crate::reference;
use crate::role::{Role, Shape};
use crate::source::FileId;
use crate::tree::Data;
use crate::unresolved;
use crate::version::Version;

/// Number of references whose intended target is guessed; if more are broken, the reason is not a typo.
const MAX_GUESSES: usize = 200;

/// The fields of a document, to which no reference can lead.
const FIELDS: [&str; 8] =
    ["components", "externalDocs", "info", "paths", "security", "servers", "tags", "webhooks"];

impl Reader<'_> {
    /// A `$ref` in place of an object that cannot be referred to.
    pub(crate) fn misplaced(&mut self, object: NodeId, reference: NodeId, role: Role) {
        let place = match (role, self.forest.key(object)) {
            (Role::Plain, Some(key)) => format!("`{key}`"),
            _ => role.name().to_owned(),
        };
        let hint = match role.members() {
            Some(member) => format!("write the entries here; each may be {} with a `$ref`", member.name()),
            None => String::from("write the object here"),
        };
        if let Some(target) = self.stands_in(object, reference, &place, hint, true) {
            self.visit_later(target, role);
        }
    }

    /// A `$ref` in place of a map or list of objects that can be referred to one by one.
    pub(crate) fn misplaced_among(&mut self, container: NodeId, reference: NodeId, shape: Shape) {
        let (Shape::One(role) | Shape::List(role) | Shape::Map(role)) = shape;
        let is_map = matches!(shape, Shape::Map(_));
        let place = format!("a {} of {}", if is_map { "map" } else { "list" }, role.plural());
        let hint = if role.referable() {
            "write the entries here; each may have a `$ref`"
        } else {
            "write the entries here"
        };
        if let Some(target) = self.stands_in(container, reference, &place, hint.to_owned(), is_map) {
            self.visit_many(target, shape);
        }
    }

    /// Reports a misplaced `$ref`. It is followed nevertheless if its target is allowed in its place. Returns
    /// the nodes that must still be visited.
    fn stands_in(
        &mut self,
        site: NodeId,
        reference: NodeId,
        place: &str,
        hint: String,
        is_object: bool,
    ) -> Option<NodeId> {
        let problem = Diagnostic::error(
            codes::MISPLACED_REFERENCE,
            self.forest.key_span(reference),
            format!("`$ref` cannot stand in place of {place}"),
        )
        .note(
            "OpenAPI allows it for schemas, responses, parameters, examples, request bodies, headers, \
             security schemes, links, callbacks and path items",
        )
        .hint(hint);
        if self.limits.strict {
            self.problems.push(problem);
            return None;
        }
        let text = self.forest.string(reference).map(str::to_owned);
        let target = text.and_then(|text| self.quietly(reference, &text)).filter(|target| {
            let fits = match self.forest.node(*target).data {
                Data::Object { .. } => is_object,
                Data::Array { .. } => !is_object,
                _ => false,
            };
            fits && !self.leads_back(*target, site)
        });
        match target {
            Some(target) => {
                self.problems.push(problem.tolerated("what it leads to is read as if it were written here"));
                let known = self.forwards.insert(site, target).is_some();
                (!known).then_some(target)
            }
            None => {
                let reading = "it leads to nothing that could stand here and is left out";
                self.broken.push(Broken::misplaced(&self.forest, site, place, reading));
                self.problems.push(problem.tolerated(reading));
                None
            }
        }
    }

    /// Returns whether the replacement of `site` contains it, so that following would never end.
    fn leads_back(&self, target: NodeId, site: NodeId) -> bool {
        let mut node = Some(site);
        while let Some(current) = node {
            if current == target {
                return true;
            }
            node = self.forest.parent(current);
        }
        let mut current = target;
        while let Some(next) = self.forwards.get(&current) {
            current = *next;
            if current == site {
                return true;
            }
        }
        false
    }

    /// Returns the target of a text, if it has one; nothing is reported but files that cannot be read.
    fn quietly(&mut self, value: NodeId, text: &str) -> Option<NodeId> {
        self.find(value, text).ok()
    }

    /// Follows the reference of an object; one without a target is noted.
    pub(crate) fn follow(&mut self, site: NodeId, value: NodeId, role: Role, keyword: &str) {
        let before = self.problems.len();
        let found = match self.forest.string(value).map(str::to_owned) {
            Some(text) => {
                self.check_siblings(site, role);
                self.target(value, &text, keyword).and_then(|target| {
                    match self.wrong_target(value, target, role) {
                        Some(problem) => {
                            self.problems.push(problem);
                            None
                        }
                        None => Some(target),
                    }
                })
            }
            None => {
                self.problems.push(
                    Diagnostic::error(
                        codes::INVALID_REFERENCE,
                        self.forest.span(value),
                        "`$ref` must be a string",
                    )
                    .hint("write where the value is, such as `$ref: \"#/components/schemas/Pet\"`"),
                );
                None
            }
        };
        match found {
            Some(target) => {
                self.targets.insert(site, target);
                self.references.push((site, role));
                self.visit_later(target, role);
            }
            None => self.without_target(site, role, before),
        }
    }

    /// Notes a reference without a target. The problems since `before` are why it has none.
    fn without_target(&mut self, site: NodeId, role: Role, before: usize) {
        let reading = Broken::reading(role);
        let problem = self.problems.tolerate_since(before, reading, self.limits.strict);
        self.broken.push(Broken::reference(&self.forest, site, role, problem));
    }

    /// Returns the immediate target of a reference text; loads its file, and reports what fails.
    fn target(&mut self, value: NodeId, text: &str, keyword: &str) -> Option<NodeId> {
        if self.version == Version::V3_1
            && let Some(target) = self.in_schema_resource(value, text, keyword)
        {
            return Some(target);
        }
        let before = self.problems.len();
        match self.find(value, text) {
            Ok(target) => Some(target),
            Err(failure) => {
                // The file has been reported where it was first asked for, or in itself.
                let reported = matches!(failure, Failure::Unreadable)
                    && (self.limits.strict || self.problems.len() > before);
                if !reported {
                    self.unresolved(value, text, &failure);
                }
                None
            }
        }
    }

    /// Returns the immediate target of a reference text, or why there is none; loads its file.
    fn find(&mut self, value: NodeId, text: &str) -> Result<NodeId, Failure> {
        loop {
            match self.forest.locate(value.file, text) {
                Err(Failure::NotLoaded(path)) => {
                    let site = self.forest.span(value);
                    self.load(&path, Some(site));
                }
                Err(Failure::NotAsked(address)) => {
                    let path = self.loader.local(&address).map(|path| reference::join("", &path));
                    self.forest.local.insert(address, path);
                }
                found => return found,
            }
        }
    }

    /// Returns the target of a reference as JSON Schema 2020-12 has it: by an anchor, by the `$id` of a
    /// schema, or within the schema that has an `$id` around it.
    fn in_schema_resource(&self, value: NodeId, text: &str, keyword: &str) -> Option<NodeId> {
        let fragment = text.strip_prefix('#');
        if fragment == Some("") {
            let ancestor =
                |key: &str| self.ancestors(value).find(|node| self.forest.member(*node, key).is_some());
            let component = || {
                let mut around: Vec<NodeId> = self.ancestors(value).collect();
                around.reverse();
                let holds = around.get(2).is_some_and(|_| self.forest.key(around[1]) == Some("components"));
                around.get(3).copied().filter(|_| holds)
            };
            return match keyword {
                "$recursiveRef" => {
                    ancestor("$recursiveAnchor").or_else(|| ancestor("$id")).or_else(component)
                }
                _ => ancestor("$id"),
            };
        }
        if let Some(name) = fragment.filter(|name| !name.starts_with('/')) {
            return self
                .anchored_around(value, name)
                .or_else(|| self.forest.marked(value.file, &["$anchor", "$dynamicAnchor"], name));
        }
        if let Some(pointer) = fragment {
            // Authors mean the root of the file, even within a schema that has an `$id`.
            if self.forest.locate(value.file, text).is_ok() {
                return None;
            }
            let resource = self.ancestors(value).find(|node| self.forest.member(*node, "$id").is_some())?;
            return self.forest.below(resource, pointer);
        }
        let (address, pointer) = text.split_once('#').unwrap_or((text, ""));
        let files = (0..self.forest.trees.len()).filter_map(|index| u32::try_from(index).ok()).map(FileId);
        let mut files = files.into_iter();
        let named = files.clone().find_map(|file| self.forest.marked(file, &["$id"], address));
        let named = named.or_else(|| {
            // Both the reference and the `$id` may be relative to an `$id` around them.
            let wanted = reference::resolve(&self.base(value)?, address);
            files.find_map(|file| {
                let identifiers = self.forest.marks(file, &["$id"]);
                let mut schemas = identifiers.filter_map(|identifier| self.forest.parent(identifier));
                schemas.find(|schema| self.base_of(*schema).as_deref() == Some(wanted.as_str()))
            })
        });
        self.forest.below(named?, pointer)
    }

    /// Returns the URI that references in a schema are relative to, if an `$id` sets one.
    fn base(&self, value: NodeId) -> Option<String> {
        let identified = self.ancestors(value).find(|node| self.forest.member(*node, "$id").is_some())?;
        self.base_of(identified)
    }

    /// Returns the URI of a schema with an `$id`.
    fn base_of(&self, schema: NodeId) -> Option<String> {
        let own = self.forest.string(self.forest.member(schema, "$id")?)?.trim_end_matches('#');
        let around = self.base(schema).unwrap_or_default();
        Some(reference::resolve(&around, own))
    }

    /// Returns the schema with an anchor that a schema around the value defines: that one counts where
    /// nothing else gives the name another meaning.
    fn anchored_around(&self, value: NodeId, name: &str) -> Option<NodeId> {
        let is_anchored = |schema: &NodeId| {
            let marks = ["$anchor", "$dynamicAnchor"].into_iter();
            marks
                .filter_map(|mark| self.forest.member(*schema, mark))
                .any(|mark| self.forest.string(mark) == Some(name))
        };
        self.ancestors(value).find_map(|schema| {
            let definitions = self.forest.member(schema, "$defs");
            let mut definitions = definitions.into_iter().flat_map(|defs| self.forest.children(defs));
            is_anchored(&schema).then_some(schema).or_else(|| definitions.find(is_anchored))
        })
    }

    /// Returns the objects around a value, the innermost first.
    fn ancestors(&self, value: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.forest.parent(value), |node| self.forest.parent(*node))
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
        let is_schema = role == Role::Schema
            && self.version == Version::V3_1
            && matches!(self.forest.node(target).data, Data::Bool(_));
        if !self.forest.is_object(target) && !is_schema {
            return Some(wrong(self.forest.node(target).data.name()));
        }
        let tokens = self.forest.tokens(target);
        let is_root = target.file == FileId::ROOT;
        let section = match tokens.as_slice() {
            [] if is_root => return Some(wrong("the whole document")),
            [field] if is_root && FIELDS.contains(&field.as_str()) => {
                return Some(wrong(&format!("`{field}` of the document")));
            }
            [components, section] if is_root && components == "components" => {
                return Some(wrong(&format!("all `{section}` of the document")));
            }
            [components, section, _] if components == "components" => section,
            _ => return None,
        };
        let found = Role::of_section(section, self.version).filter(|found| *found != role)?;
        let diagnostic = wrong(found.name());
        Some(match role.section() {
            Some(section) => diagnostic.hint(format!("refer to an entry of `components/{section}`")),
            None => diagnostic,
        })
    }

    fn check_siblings(&mut self, site: NodeId, role: Role) {
        let later = self.version == Version::V3_1;
        if later && role == Role::Schema {
            return;
        }
        let mut siblings: Vec<NodeId> =
            self.forest.children(site).filter(|member| self.forest.key(*member) != Some("$ref")).collect();
        if role == Role::Schema {
            self.check_nullable(site, &mut siblings);
        }
        let Some(first) = siblings.first().copied() else { return };
        let names: Vec<&str> = siblings.iter().filter_map(|member| self.forest.key(*member)).collect();
        let described =
            names.iter().all(|name| matches!(*name, "summary" | "description") || name.starts_with("x-"));
        if later && described {
            return;
        }
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
            let version = self.version;
            diagnostic =
                diagnostic.related(beside, format!("OpenAPI {version} ignores the siblings of `$ref`"));
        }
        if diagnostic.code == codes::PATH_ITEM_SIBLINGS && !self.limits.strict {
            let reading = "the fields beside the `$ref` are ignored";
            self.broken.push(Broken::beside(&self.forest, site, reading));
            diagnostic = diagnostic.tolerated(reading);
        }
        self.problems.push(diagnostic);
    }

    /// Reports `nullable: true` beside a reference of OpenAPI 3.0, and takes it out of the siblings that are
    /// ignored.
    fn check_nullable(&mut self, site: NodeId, siblings: &mut Vec<NodeId>) {
        let is_meant = |member: &NodeId| {
            self.forest.key(*member) == Some("nullable")
                && matches!(self.forest.node(*member).data, Data::Bool(true))
        };
        let Some(at) = siblings.iter().position(is_meant) else { return };
        let span = self.forest.key_span(siblings.remove(at));
        let message = "`nullable` beside a `$ref` is read as if it counted; OpenAPI 3.0 ignores it";
        let mut diagnostic = Diagnostic::warning(codes::REFERENCE_SIBLINGS, span, message)
            .hint("list the `$ref` and `{type: object, nullable: true, enum: [null]}` in an `anyOf`, with the type of the schema");
        if let Some(reference) = self.forest.member(site, "$ref") {
            diagnostic = diagnostic.related(self.forest.key_span(reference), "the reference");
        }
        self.problems.push(diagnostic);
    }

    /// The values of a discriminator's mapping are names of schemas, or references.
    pub(crate) fn visit_mapping(&mut self, discriminator: NodeId) {
        let Some(mapping) = self.forest.member(discriminator, "mapping") else { return };
        let values: Vec<NodeId> = self.forest.children(mapping).collect();
        for value in values {
            let Some(text) = self.forest.string(value).map(str::to_owned) else { continue };
            let before = self.problems.len();
            let target = self.mapping_target(value, &text);
            let problem = target.and_then(|target| self.wrong_target(value, target, Role::Schema));
            if let Some(target) = target.filter(|_| problem.is_none()) {
                self.targets.insert(value, target);
                self.visit_later(target, Role::Schema);
            } else {
                self.problems.extend(problem);
                self.without_target(value, Role::Discriminator, before);
            }
        }
    }

    /// Returns the target of a mapping value. A text that can only be a name is treated as one, so that a
    /// misspelled name is not reported as a missing file.
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
            None => self.target(value, text, "$ref"),
        }
    }

    /// `components/schemas` of a file.
    fn schemas(&self, file: FileId) -> Option<NodeId> {
        let components = self.forest.member(self.forest.file_root(file)?, "components")?;
        self.forest.member(components, "schemas")
    }

    /// Returns the schema of this name in the file that names it, or in the root.
    fn named_schema(&self, file: FileId, name: &str) -> Option<NodeId> {
        [file, FileId::ROOT].into_iter().find_map(|file| self.forest.member(self.schemas(file)?, name))
    }

    /// A link may name its operation by a reference, which may lead to another machine.
    pub(crate) fn visit_link(&mut self, link: NodeId) {
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
        let before = self.problems.len();
        match self.target(value, &text, "$ref") {
            Some(target) => {
                self.targets.insert(value, target);
            }
            None => {
                self.problems.tolerate_since(before, "the link is kept as text", self.limits.strict);
            }
        }
    }

    /// Reports each circle of references once, at its first member.
    pub(crate) fn check_cycles(&mut self) {
        let mut checked: HashSet<NodeId> = HashSet::new();
        let references = self.references.clone();
        for (start, role) in &references {
            let mut way: Vec<NodeId> = Vec::new();
            let mut position: HashMap<NodeId, usize> = HashMap::new();
            let mut current = Some(*start);
            while let Some(node) = current {
                if checked.contains(&node) {
                    break;
                }
                if let Some(first) = position.get(&node) {
                    let before = self.problems.len();
                    let (diagnostic, at) = self.cycle(&way[*first..]);
                    self.problems.push(diagnostic);
                    self.targets.remove(&at);
                    self.without_target(at, *role, before);
                    break;
                }
                position.insert(node, way.len());
                way.push(node);
                current = self.targets.get(&node).copied();
            }
            checked.extend(way);
        }
    }

    /// Returns the problem of a circle, and the reference at which it is cut.
    fn cycle(&self, members: &[NodeId]) -> (Diagnostic, NodeId) {
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
        (diagnostic, ordered[0])
    }
}
