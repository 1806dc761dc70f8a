//! Names of union variants: from the document's names, or from what distinguishes the branch.

use super::{Part, words};
use crate::{
    ir::Type,
    lower::{Lowering, last_segment, names, text},
};
use frontdesk_document::NodeRef;
use std::collections::BTreeSet;

/// Values of an enumeration that still make a name.
const MOST_VALUES: usize = 3;

/// What a branch says, as far as its name may come from it.
struct Facets<'d> {
    /// The branch.
    node: NodeRef<'d>,
    /// What it refers to, itself or in its `allOf`.
    targets: Vec<NodeRef<'d>>,
    /// The schemas that it is made of.
    schemas: Vec<NodeRef<'d>>,
}

impl<'d> Facets<'d> {
    /// Its members, the branch's own first.
    fn members(&self) -> impl Iterator<Item = (&'d str, NodeRef<'d>)> {
        let lists = self.schemas.iter().filter_map(|schema| schema.get("properties"));
        lists.flat_map(NodeRef::entries).map(|(name, schema)| (name.text, schema))
    }

    /// The names of members that must be there.
    fn required(&self) -> impl Iterator<Item = &'d str> {
        let lists = self.schemas.iter().filter_map(|schema| schema.get("required"));
        lists.flat_map(NodeRef::items).filter_map(NodeRef::as_str)
    }

    /// The texts that a member may be, where they are listed.
    fn texts(&self, member: &str) -> Vec<&'d str> {
        let schemas = self.members().filter(|(name, _)| *name == member);
        schemas.flat_map(|(_, schema)| words::lists(schema)).flatten().filter_map(NodeRef::as_str).collect()
    }
}

impl<'d> Lowering<'d, '_> {
    /// The names of all variants, for the branches that the document has a word for. One that begins with the
    /// name of the choice does not say it again.
    pub(super) fn branch_names(&mut self, owner: &str, branches: &[Vec<Part<'d>>]) -> Vec<Option<String>> {
        let facets: Vec<Facets<'d>> = branches.iter().map(|branch| self.facets(branch)).collect();
        let names: Vec<Option<String>> = (0..facets.len()).map(|at| self.branch_name(at, &facets)).collect();
        let short = |name: &String| {
            let rest = name.strip_prefix(owner)?;
            rest.starts_with(|first: char| first.is_ascii_uppercase()).then(|| rest.to_owned())
        };
        let shortened: Vec<Option<String>> = names
            .iter()
            .map(|name| name.as_ref().map(|name| short(name).unwrap_or_else(|| name.clone())))
            .collect();
        let distinct: BTreeSet<&String> = shortened.iter().flatten().collect();
        if distinct.len() == names.iter().flatten().collect::<BTreeSet<_>>().len() {
            shortened
        } else {
            names
        }
    }

    fn facets(&self, branch: &[Part<'d>]) -> Facets<'d> {
        let node = branch[0].node;
        let mut facets = Facets { node, targets: Vec::new(), schemas: Vec::new() };
        // An `allOf` may lead back to itself.
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Ok(target) = node.resolve() else { continue };
            if facets.schemas.iter().any(|known| known.id() == target.id()) {
                continue;
            }
            if node.reference().is_some() || self.schemas.reserved.contains_key(&target.id()) {
                facets.targets.push(target);
            }
            facets.schemas.push(target);
            let parts: Vec<_> = target.get("allOf").into_iter().flat_map(NodeRef::items).collect();
            open.extend(parts.into_iter().rev());
        }
        facets
    }

    fn branch_name(&self, at: usize, all: &[Facets<'d>]) -> Option<String> {
        let branch = &all[at];
        let others = || all.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        let target = branch.node.resolve().ok()?;
        if branch.node.reference().is_some() || self.schemas.reserved.contains_key(&target.id()) {
            return Some(names::pascal(&last_segment(target)));
        }
        if let Some(title) = text(branch.node, "title") {
            return Some(names::pascal(title));
        }
        if let Some(value) = words::single(branch.node) {
            return value.as_str().map(names::pascal);
        }
        // A member whose value tells this branch from the others.
        for (member, _) in branch.members() {
            if let [value] = branch.texts(member)[..]
                && others().all(|other| !other.texts(member).contains(&value))
            {
                return Some(names::pascal(value));
            }
        }
        let targets = branch.targets.iter().filter(|target| {
            others().all(|other| other.targets.iter().all(|known| known.id() != target.id()))
        });
        if let Some(target) = targets.into_iter().next() {
            return Some(names::pascal(&last_segment(*target)));
        }
        let known: BTreeSet<&str> = others().flat_map(Facets::members).map(|(name, _)| name).collect();
        let demanded: BTreeSet<&str> = others().flat_map(Facets::required).collect();
        let own = branch.members().map(|(name, _)| name).find(|name| !known.contains(name));
        if let Some(name) = own.or_else(|| branch.required().find(|name| !demanded.contains(name))) {
            return Some(format!("With{}", names::pascal(name)));
        }
        for (member, _) in branch.members() {
            let values = branch.texts(member);
            if (2..=MOST_VALUES).contains(&values.len())
                && others().all(|other| other.texts(member).iter().all(|value| !values.contains(value)))
            {
                let values: Vec<String> = values.into_iter().map(names::pascal).collect();
                return Some(values.join("Or"));
            }
        }
        None
    }

    /// What the entries of a list are called.
    pub(super) fn item_name(&self, ty: &Type) -> Option<String> {
        let Type::List(item) = ty else { return None };
        match &item.ty {
            Type::Named(id) | Type::Boxed(id) => Some(self.types[id.0].name.clone()),
            other => plain(other).map(str::to_owned),
        }
    }
}

/// What a type of its own is called that is made for a branch which the document has no word for.
pub(super) fn by_type(node: NodeRef<'_>) -> &'static str {
    let Ok(target) = node.resolve() else { return "" };
    match text(target, "type").or_else(|| words::implied(target)) {
        Some("object") => "Object",
        Some("string") => "String",
        _ => "",
    }
}

/// Whether a branch is a list.
pub(super) fn is_list(node: NodeRef<'_>) -> bool {
    node.resolve().is_ok_and(|target| text(target, "type") == Some("array"))
}

/// The name of a variant that holds a plain type.
pub(super) fn plain(ty: &Type) -> Option<&'static str> {
    Some(match ty {
        Type::Bool => "Boolean",
        Type::I8 | Type::I16 | Type::I32 | Type::I64 | Type::U8 | Type::U16 | Type::U32 | Type::U64 => {
            "Integer"
        }
        Type::F32 | Type::F64 => "Number",
        Type::Decimal { .. } => "Decimal",
        Type::String | Type::Secret => "String",
        Type::Base64 => "Bytes",
        Type::Uuid => "Uuid",
        Type::Timestamp => "Timestamp",
        Type::Date => "Date",
        Type::Duration => "Duration",
        Type::Ipv4 => "Ipv4",
        Type::Ipv6 => "Ipv6",
        Type::List(_) => "List",
        Type::Map(_) => "Map",
        Type::Any | Type::Raw(_) => "Other",
        Type::Named(_) | Type::Boxed(_) | Type::File | Type::Foreign(_) => return None,
    })
}
