//! The rewriting of one schema.

use std::collections::{HashMap, HashSet};

use crate::document::Document;
use crate::edit::Edit;
use crate::forest::NodeId;
use crate::reference::as_fragment;
use crate::source::FileId;
use crate::tree::{Data, NONE};
use crate::version::Version;

/// Keywords that identify a schema or comment on it, which nothing after reading uses.
const MARKS: [&str; 7] =
    ["$schema", "$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment"];

/// Keywords that accept `true` and `false` in OpenAPI 3.0 too, or whose `false` is rewritten together with
/// the schema around it.
const BOOLEAN: [&str; 4] = ["additionalProperties", "unevaluatedProperties", "unevaluatedItems", "items"];

/// A problem found while rewriting: the node, the message, and the hint.
type Foreign = (u32, String, &'static str);

/// The identity of a reference: its position and its target.
type Targets = HashMap<NodeId, NodeId>;

/// Rewrites the schemas of one file.
pub(super) struct Rewriter<'r> {
    pub(super) edit: Edit<'r>,
    pub(super) file: FileId,
    pub(super) version: Version,
    /// The document as it was read.
    pub(super) written: &'r Document,
    /// Every schema.
    pub(super) known: &'r HashSet<NodeId>,
    /// Nodes that references lead to.
    pub(super) referred: &'r HashSet<NodeId>,
    /// Schemas with a `$ref` and a `type` that the target has too.
    pub(super) repeated: &'r HashSet<NodeId>,
    pub(super) targets: &'r mut Targets,
    /// Forms of another version.
    pub(super) foreign: Vec<Foreign>,
}

impl Rewriter<'_> {
    pub(super) fn id(&self, node: u32) -> NodeId {
        NodeId { file: self.file, node }
    }

    /// Rewrites a schema whose parts are rewritten already.
    pub(super) fn schema(&mut self, schema: u32) {
        match self.edit.data(schema) {
            Data::Bool(value) => self.boolean(schema, value),
            Data::Object { .. } if self.version == Version::V3_0 => self.earlier(schema),
            Data::Object { .. } => self.object(schema),
            _ => {}
        }
    }

    /// `true` allows every value, `false` none.
    fn boolean(&mut self, schema: u32, allows: bool) {
        let parent = self.edit.tree.node(schema).parent;
        let of_schema = parent != NONE && self.known.contains(&self.id(parent));
        if self.version == Version::V3_0 || of_schema && BOOLEAN.contains(&self.edit.key(schema)) {
            return;
        }
        self.allow(schema, allows);
    }

    /// Makes a node a schema that allows every value, or none.
    pub(super) fn allow(&mut self, schema: u32, allows: bool) {
        let mut members = Vec::new();
        if !allows {
            let any = self.edit.object(schema, Vec::new());
            self.edit.rename(any, "not");
            members.push(any);
        }
        self.edit.set_members(schema, members);
    }

    /// Forms of 3.1 in a document of 3.0.
    fn earlier(&mut self, schema: u32) {
        let mut members = self.edit.children(schema);
        let before = members.clone();
        let mut foreign = Vec::new();
        if let Some(ty) = self.edit.find(&members, "type")
            && matches!(self.edit.data(ty), Data::Array { .. })
        {
            foreign.push((
                ty,
                "a list of types is a form of OpenAPI 3.1".to_owned(),
                "write one type, and `nullable: true` beside it where `null` is allowed too",
            ));
            self.types(schema, &mut members);
        }
        for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if let Some(value) = self.edit.find(&members, exclusive)
                && self.edit.number(value).is_some()
            {
                foreign.push((
                    value,
                    format!("a number as `{exclusive}` is a form of OpenAPI 3.1"),
                    "write the number as `minimum` or `maximum`, and `true` here",
                ));
                self.exclusive(&mut members, exclusive, bound);
            }
        }
        if self.targets.contains_key(&self.id(schema))
            && let Some(nullable) = self.edit.find(&members, "nullable")
            && matches!(self.edit.data(nullable), Data::Bool(true))
        {
            members.retain(|member| matches!(self.edit.key(*member), "$ref" | "nullable"));
            self.beside_reference(schema, &mut members);
        }
        if !foreign.is_empty() || members != before {
            self.foreign.extend(foreign);
            self.finish(schema, members);
        }
    }

    fn object(&mut self, schema: u32) {
        let mut members = self.edit.children(schema);
        self.references(schema, &mut members);
        for mark in MARKS {
            self.edit.take(&mut members, mark);
        }
        self.earlier_forms(&members);
        self.examples(&mut members);
        self.constant(&mut members);
        self.exclusive(&mut members, "exclusiveMinimum", "minimum");
        self.exclusive(&mut members, "exclusiveMaximum", "maximum");
        self.content(schema, &mut members);
        self.arrays(&mut members);
        self.further_properties(&mut members);
        self.types(schema, &mut members);
        self.unions(&mut members);
        self.beside_reference(schema, &mut members);
        self.finish(schema, members);
    }

    fn finish(&mut self, schema: u32, mut members: Vec<u32>) {
        self.edit.order(&mut members);
        self.edit.set_members(schema, members);
    }

    /// References by other keywords, or by names, become pointers.
    fn references(&mut self, schema: u32, members: &mut Vec<u32>) {
        let Some(target) = self.targets.get(&self.id(schema)).copied() else { return };
        let found =
            ["$ref", "$dynamicRef", "$recursiveRef"].iter().find_map(|key| self.edit.find(members, key));
        let Some(reference) = found else { return };
        let text = self.edit.string(reference).unwrap_or_default();
        let by_pointer = self.edit.key(reference) == "$ref"
            && (text.contains("#/") || !text.contains('#'))
            && self.written.forest.locate(self.file, text).is_ok();
        if by_pointer {
            return;
        }
        // A copy is not in the document as it was written; the text by which it is reached says nothing then.
        if self.written.forest.has(target) {
            let pointer = as_fragment(&self.written.forest.pointer(target));
            let file = if target.file == self.file {
                String::new()
            } else {
                self.written.forest.source(target.file).path().to_owned()
            };
            self.edit.replace_by_text(reference, &format!("{file}{pointer}"));
        }
        self.edit.rename(reference, "$ref");
        members.retain(|member| {
            *member == reference || !matches!(self.edit.key(*member), "$dynamicRef" | "$recursiveRef")
        });
    }

    /// The keywords beside a `$ref` count: the reference becomes a part of the schema.
    fn beside_reference(&mut self, schema: u32, members: &mut Vec<u32>) {
        let id = self.id(schema);
        if !self.targets.contains_key(&id) || self.edit.find(members, "$ref").is_none() {
            return;
        }
        if self.repeated.contains(&id) {
            self.edit.take(members, "type");
        }
        if members.len() == 1 {
            return;
        }
        let (Some(reference), Some(target)) = (self.edit.take(members, "$ref"), self.targets.remove(&id))
        else {
            return;
        };
        let place = self.edit.tree.node(reference).key;
        let part = self.edit.object(reference, vec![reference]);
        self.targets.insert(self.id(part), target);
        self.add_part(members, part, place);
    }

    /// Adds a schema to `allOf`, in front of its others.
    pub(super) fn add_part(
        &mut self,
        members: &mut Vec<u32>,
        part: u32,
        place: Option<crate::tree::KeyData>,
    ) {
        if let Some(parts) = self.edit.find(members, "allOf") {
            let mut items = vec![part];
            items.extend(self.edit.children(parts));
            self.edit.set_items(parts, &items);
            return;
        }
        let parts = self.edit.list(part, "allOf", &[part]);
        if let (Some(place), Some(key)) = (place, self.edit.tree.nodes[parts as usize].key.as_mut()) {
            (key.start, key.end) = (place.start, place.end);
        }
        members.push(parts);
    }
}
