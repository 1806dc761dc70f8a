//! Loads the root and every file it references, and checks the document before anyone uses it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::broken::Broken;
use crate::builder::{Builder, Stop};
use crate::codes;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::field_kinds::{self, Misfit, Reading};
use crate::forest::{Forest, NodeId};
use crate::limits::Limits;
use crate::loader::Loader;
use crate::reference;
use crate::role::{Role, Shape};
use crate::root;
use crate::source::{FileId, SourceFile, Span, offset_of};
use crate::tree::{Data, Tree};
use crate::version::Version;
use crate::{json, yaml};

/// Texts are addressed with 32 bits, with room for what escapes and aliases add.
const HARD_FILE_LIMIT: usize = 1 << 30;

/// What reading gives: the trees, and the immediate target of each reference.
pub(crate) struct Reader<'l> {
    pub(crate) forest: Forest,
    pub(crate) targets: HashMap<NodeId, NodeId>,
    pub(crate) forwards: HashMap<NodeId, NodeId>,
    pub(crate) problems: Diagnostics,
    pub(crate) version: Version,
    /// Places that could not be read as written.
    pub(crate) broken: Vec<Broken>,
    /// Values of another kind than their fields hold.
    pub(crate) misfits: BTreeMap<NodeId, Reading>,
    /// Objects with a `$ref` that has a target, in the order in which they were found.
    pub(crate) references: Vec<(NodeId, Role)>,
    pub(crate) loader: &'l dyn Loader,
    pub(crate) limits: Limits,
    queue: Vec<(NodeId, Role)>,
    seen: HashSet<(NodeId, Role)>,
    /// References without a target so far.
    pub(crate) unresolved: usize,
}

impl<'l> Reader<'l> {
    pub(crate) fn new(loader: &'l dyn Loader, limits: Limits) -> Self {
        Self {
            forest: Forest::default(),
            targets: HashMap::new(),
            forwards: HashMap::new(),
            problems: Diagnostics::new(),
            version: Version::default(),
            broken: Vec::new(),
            misfits: BTreeMap::new(),
            references: Vec::new(),
            loader,
            limits,
            queue: Vec::new(),
            seen: HashSet::new(),
            unresolved: 0,
        }
    }

    /// Reads everything; the caller looks at the problems to see whether the document can be used.
    pub(crate) fn run(&mut self, root_path: &str) {
        let path = reference::join("", root_path);
        if let Some(file) = self.load(&path, None)
            && let Some(root) = self.forest.file_root(file)
            && let Some(version) = root::check(&self.forest, root, self.limits.strict, &mut self.problems)
        {
            self.version = version;
            self.visit_later(root, Role::OpenApi);
            self.visit_all();
            self.check_cycles();
        }
        self.problems.set_sources(Arc::clone(&self.forest.sources));
        self.problems.sort();
    }

    /// Returns the schemas that were visited.
    pub(crate) fn visited_schemas(&self) -> Vec<NodeId> {
        let schemas = self.seen.iter().filter(|(_, role)| *role == Role::Schema);
        let mut schemas: Vec<NodeId> = schemas.map(|(node, _)| *node).collect();
        schemas.sort_unstable();
        schemas
    }

    /// Loads and parses the file at `path`; a problem of the file is reported once, at the first place that
    /// asks for it.
    pub(crate) fn load(&mut self, path: &str, site: Option<Span>) -> Option<FileId> {
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
        if site.is_some() && code == codes::UNREADABLE_FILE && !self.limits.strict {
            diagnostic =
                diagnostic.tolerated("all references into this file are read as ones without a target");
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
        let root = file == FileId::ROOT;
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
        // A document can be read without a file that is not valid YAML or JSON.
        if tree.is_none() && !root && !self.limits.strict {
            let reading = "the file is left out; references into it are read as ones without a target";
            let mut tolerated = Diagnostics::new();
            tolerated.extend(found.into_iter().map(|problem| problem.tolerated(reading)));
            found = tolerated;
        }
        self.problems.extend(found);
        tree
    }

    pub(crate) fn visit_later(&mut self, node: NodeId, role: Role) {
        if self.seen.insert((node, role)) {
            self.queue.push((node, role));
        }
    }

    /// Visits objects depth first in document order, so that files load in the order in which a reader meets
    /// them.
    fn visit_all(&mut self) {
        while let Some((node, role)) = self.queue.pop() {
            let first_new = self.queue.len();
            self.visit(node, role);
            self.queue[first_new..].reverse();
        }
    }

    fn visit(&mut self, node: NodeId, role: Role) {
        if !self.forest.is_object(node) {
            let misfit = field_kinds::check_entry(&self.forest, node, role);
            self.note_misfits(misfit);
            return;
        }
        if let Some((reference, keyword)) = self.reference_of(node, role) {
            if role.referable() {
                self.follow(node, reference, role, keyword);
                // In 3.1 the keywords beside the `$ref` of a schema count.
                if role != Role::Schema || self.version == Version::V3_0 {
                    return;
                }
            } else {
                self.misplaced(node, reference, role);
                return;
            }
        }
        match role {
            Role::Discriminator => self.visit_mapping(node),
            Role::Link => self.visit_link(node),
            _ => {}
        }
        let misfits = field_kinds::check(&self.forest, node, role, self.version);
        self.note_misfits(misfits);
        let members: Vec<NodeId> = self.forest.children(node).collect();
        for member in members {
            let Some(shape) = self.forest.key(member).and_then(|key| role.field(key, self.version)) else {
                continue;
            };
            match shape {
                Shape::One(role) => self.visit_later(member, role),
                Shape::List(_) | Shape::Map(_) => self.visit_many(member, shape),
            }
        }
    }

    /// Reports values of the wrong kind, and remembers how each is read.
    fn note_misfits(&mut self, found: impl IntoIterator<Item = Misfit>) {
        for Misfit { node, reading, problem } in found {
            let is_strict = self.limits.strict;
            self.problems.push(if is_strict { problem } else { problem.tolerated(reading.note()) });
            // A value may be reached in several ways, which agree on its kind.
            self.misfits.insert(node, reading);
        }
    }

    /// Returns the member of an object that refers to another one, with its key.
    fn reference_of(&self, node: NodeId, role: Role) -> Option<(NodeId, &'static str)> {
        let dynamic = role == Role::Schema && self.version == Version::V3_1;
        let keywords: &[&'static str] =
            if dynamic { &["$ref", "$dynamicRef", "$recursiveRef"] } else { &["$ref"] };
        keywords.iter().find_map(|keyword| Some((self.forest.member(node, keyword)?, *keyword)))
    }

    pub(crate) fn visit_many(&mut self, container: NodeId, shape: Shape) {
        let (Shape::One(role) | Shape::List(role) | Shape::Map(role)) = shape;
        let is_map = matches!(shape, Shape::Map(_));
        match self.forest.node(container).data {
            Data::Object { .. } => {
                // In a map, `$ref` may be the name of an entry; its value is then an object.
                let reference = self.forest.member(container, "$ref");
                if let Some(reference) =
                    reference.filter(|value| !is_map || self.forest.string(*value).is_some())
                {
                    self.misplaced_among(container, reference, shape);
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
