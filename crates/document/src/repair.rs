//! Takes out of the trees what leads nowhere, so that everything after reading sees a sound document.
//!
//! The interpretation of each place is part of its warning: a schema allows any value, a body is any JSON, an object
//! that is one of several is left out.

use std::collections::HashMap;

use crate::edit::Edit;
use crate::forest::{Forest, NodeId};
use crate::node::NodeRef;
use crate::read::Reader;
use crate::role::Role;
use crate::source::Span;
use crate::tree::Data;

/// A place of a document that could not be taken as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Defect<'d> {
    /// The innermost node that is still there: the place itself, or what it was left out of.
    pub holder: NodeRef<'d>,
    /// The pointer of the place in its file.
    pub place: &'d str,
    /// What is wrong with it.
    pub problem: &'d str,
    /// How it is read.
    pub reading: &'d str,
    /// Where it is written.
    pub span: Span,
    /// Whether operations are left out with it.
    pub leaves_out_operations: bool,
}

/// A place that could not be taken as it is written, while the document is read and after.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    site: NodeId,
    pub(crate) holder: NodeId,
    place: String,
    problem: String,
    reading: &'static str,
    span: Span,
    what: What,
}

/// What is done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A reference in place of an object of this role has no target.
    Reference(Role),
    /// A `$ref` stands where it cannot be followed.
    Misplaced,
    /// Nothing.
    Kept,
}

impl Broken {
    fn new(forest: &Forest, site: NodeId, problem: String, reading: &'static str, what: What) -> Self {
        let (place, span) = (forest.pointer(site), forest.key_span(site));
        Self { site, holder: site, place, problem, reading, span, what }
    }

    /// A reference without a target.
    pub(crate) fn reference(forest: &Forest, site: NodeId, role: Role, problem: String) -> Self {
        Self::new(forest, site, problem, Self::reading(role), What::Reference(role))
    }

    /// A `$ref` that stands where OpenAPI has none, and leads to nothing that could stand there.
    pub(crate) fn misplaced(forest: &Forest, site: NodeId, place: &str, reading: &'static str) -> Self {
        Self::new(forest, site, format!("`$ref` cannot stand in place of {place}"), reading, What::Misplaced)
    }

    /// Fields beside a `$ref` that are not read.
    pub(crate) fn beside(forest: &Forest, site: NodeId, reading: &'static str) -> Self {
        let problem = "a path item has a `$ref` and fields of its own".to_owned();
        Self::new(forest, site, problem, reading, What::Kept)
    }

    /// The public form, with its node.
    pub(crate) fn defect<'d>(&'d self, holder: NodeRef<'d>) -> Defect<'d> {
        Defect {
            holder,
            place: &self.place,
            problem: &self.problem,
            reading: self.reading,
            span: self.span,
            leaves_out_operations: matches!(self.what, What::Reference(Role::PathItem) | What::Kept),
        }
    }

    /// How an object of this role is read if its reference has no target.
    pub(crate) fn reading(role: Role) -> &'static str {
        match role {
            Role::Schema => "the schema is read as one that allows any value",
            Role::Response => "the response is read as one without a documented body",
            Role::RequestBody => "the body is read as any JSON value",
            Role::Header => "the header is read as text",
            Role::Parameter => "the parameter is left out",
            Role::PathItem => "the path item is left out, with all its operations",
            Role::SecurityScheme => "the scheme is read as one that is not defined",
            Role::Discriminator => "the value of the mapping is left out",
            _ => "it is left out",
        }
    }
}

/// Repairs every broken place.
pub(crate) fn repair(reader: &mut Reader<'_>) {
    texts(reader);
    let mut next = 0;
    let mut gone: HashMap<NodeId, usize> = HashMap::new();
    while next < reader.broken.len() {
        let Broken { site, what, .. } = reader.broken[next];
        next += 1;
        let removed = match what {
            What::Kept => false,
            What::Misplaced => {
                without_reference(reader, site);
                false
            }
            What::Reference(role) => replace(reader, site, role),
        };
        if !removed {
            continue;
        }
        if let Some(parent) = reader.forest.parent(site) {
            reader.broken[next - 1].holder = parent;
        }
        gone.insert(site, next - 1);
        // What led to it leads nowhere now.
        let behind: Vec<(NodeId, Role)> = reader
            .references
            .iter()
            .filter(|(from, _)| reader.targets.get(from) == Some(&site))
            .copied()
            .collect();
        for (from, role) in behind {
            reader.targets.remove(&from);
            let problem = reader.broken[next - 1].problem.clone();
            let broken = Broken::reference(&reader.forest, from, role, problem);
            reader.broken.push(broken);
        }
    }
    // The holder of what was left out may have been left out with it.
    for index in 0..reader.broken.len() {
        while let Some(outer) = gone.get(&reader.broken[index].holder) {
            let holder = reader.broken[*outer].holder;
            if holder == reader.broken[index].holder {
                break;
            }
            reader.broken[index].holder = holder;
        }
    }
}

/// Makes `title` and `version` texts where they are numbers.
fn texts(reader: &mut Reader<'_>) {
    let Some(root) = reader.forest.file_root(crate::source::FileId::ROOT) else { return };
    let Some(info) = reader.forest.member(root, "info") else { return };
    for field in ["title", "version"] {
        let Some(value) = reader.forest.member(info, field) else { continue };
        let data = reader.forest.node(value).data;
        if let (Data::Integer(text) | Data::Number(text), Some(tree)) =
            (data, reader.forest.trees[value.file.index()].as_mut())
        {
            tree.nodes[value.node as usize].data = Data::String(text);
        }
    }
}

/// Replaces an object whose reference has no target by one without it; returns whether the object is gone.
fn replace(reader: &mut Reader<'_>, site: NodeId, role: Role) -> bool {
    let keeps_siblings = role == Role::Schema && reader.version == crate::version::Version::V3_1;
    let sources = std::sync::Arc::clone(&reader.forest.sources);
    let (Some(source), Some(tree)) =
        (sources.get(site.file), reader.forest.trees[site.file.index()].as_mut())
    else {
        return false;
    };
    let mut edit = Edit::new(tree, source.text());
    let node = site.node;
    let rest: Vec<u32> = edit
        .children(node)
        .into_iter()
        .filter(|member| match edit.key(*member) {
            "$ref" | "$dynamicRef" | "$recursiveRef" => false,
            key => keeps_siblings || key == "description" || key.starts_with("x-"),
        })
        .collect();
    match role {
        Role::Schema => edit.set_members(node, rest),
        Role::Header => {
            let text = edit.word(node, "type", "string");
            let schema = edit.object(node, vec![text]);
            edit.rename(schema, "schema");
            edit.set_members(node, [vec![schema], rest].concat());
        }
        Role::Response => {
            let mut members = rest;
            if edit.find(&members, "description").is_none() {
                members.insert(0, edit.word(node, "description", ""));
            }
            edit.set_members(node, members);
        }
        Role::RequestBody => {
            let schema = edit.object(node, Vec::new());
            edit.rename(schema, "schema");
            let json = edit.object(node, vec![schema]);
            edit.rename(json, "application/json");
            let content = edit.object(node, vec![json]);
            edit.rename(content, "content");
            edit.set_members(node, [vec![content], rest].concat());
        }
        _ => {
            edit.detach(node);
            return true;
        }
    }
    false
}

/// Removes the `$ref` of an object or map that cannot have one.
fn without_reference(reader: &mut Reader<'_>, site: NodeId) {
    let sources = std::sync::Arc::clone(&reader.forest.sources);
    let (Some(source), Some(tree)) =
        (sources.get(site.file), reader.forest.trees[site.file.index()].as_mut())
    else {
        return;
    };
    let mut edit = Edit::new(tree, source.text());
    let rest: Vec<u32> =
        edit.children(site.node).into_iter().filter(|member| edit.key(*member) != "$ref").collect();
    edit.set_members(site.node, rest);
}
