//! Takes out of the trees what leads nowhere, so that everything after reading sees a sound document.
//!
//! The interpretation of each place is part of its warning: a schema allows any value, a body is any JSON, an
//! object that is one of several is left out.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::broken::{Broken, What};
use crate::edit::Edit;
use crate::field_kinds::Reading;
use crate::forest::NodeId;
use crate::read::Reader;
use crate::role::Role;
use crate::source::FileId;
use crate::tree::Data;

/// Repairs every broken place.
pub(crate) fn repair(reader: &mut Reader<'_>) {
    texts(reader);
    let mut next = 0;
    let mut gone: HashMap<NodeId, usize> = HashMap::new();
    let mut removed = Removed::default();
    mend(reader, &mut removed);
    let mut leading: HashMap<NodeId, Vec<(NodeId, Role)>> = HashMap::new();
    for (from, role) in &reader.references {
        if let Some(target) = reader.targets.get(from).filter(|_| !reader.broken.is_empty()) {
            leading.entry(*target).or_default().push((*from, *role));
        }
    }
    while next < reader.broken.len() {
        let Broken { site, what, .. } = reader.broken[next];
        next += 1;
        let is_removed = match what {
            What::Kept => false,
            What::Misplaced => {
                without_reference(reader, site);
                false
            }
            What::Reference(role) => replace(reader, site, role, &mut removed),
        };
        if !is_removed {
            continue;
        }
        if let Some(parent) = reader.forest.parent(site) {
            reader.broken[next - 1].holder = parent;
        }
        gone.insert(site, next - 1);
        // What led to it leads nowhere now.
        let mut behind = leading.remove(&site).unwrap_or_default();
        behind.retain(|(from, _)| reader.targets.contains_key(from));
        for (from, role) in behind {
            reader.targets.remove(&from);
            let problem = reader.broken[next - 1].problem.clone();
            let broken = Broken::reference(&reader.forest, from, role, problem);
            reader.broken.push(broken);
        }
    }
    removed.detach(reader);
    // The node around a part that was left out may have been left out as well.
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

/// The nodes that are taken out, by their file and parent: all of one parent leave it at once, because each
/// departure visits all of its children.
#[derive(Default)]
struct Removed(BTreeMap<(FileId, u32), HashSet<u32>>);

impl Removed {
    fn detach(self, reader: &mut Reader<'_>) {
        let sources = std::sync::Arc::clone(&reader.forest.sources);
        for ((file, parent), nodes) in self.0 {
            if let (Some(source), Some(tree)) =
                (sources.get(file), reader.forest.trees[file.index()].as_mut())
            {
                Edit::new(tree, source.text()).detach(parent, &nodes);
            }
        }
    }
}

/// Makes values of the wrong kind what they are read as.
fn mend(reader: &mut Reader<'_>, removed: &mut Removed) {
    for (node, reading) in std::mem::take(&mut reader.misfits) {
        if reading == Reading::Absent {
            if let Some(parent) = reader.forest.parent(node) {
                removed.0.entry((node.file, parent.node)).or_default().insert(node.node);
            }
            continue;
        }
        let Some(tree) = reader.forest.trees[node.file.index()].as_mut() else { continue };
        let data = &mut tree.nodes[node.node as usize].data;
        *data = match (reading, *data) {
            (Reading::Flag(value), _) => Data::Bool(value),
            (_, Data::Integer(text) | Data::Number(text)) => Data::String(text),
            (_, other) => other,
        };
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
fn replace(reader: &mut Reader<'_>, site: NodeId, role: Role, removed: &mut Removed) -> bool {
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
            if let Some(parent) = reader.forest.parent(site) {
                removed.0.entry((site.file, parent.node)).or_default().insert(node);
            }
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
