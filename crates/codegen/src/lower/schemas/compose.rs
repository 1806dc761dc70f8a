//! Owns the lowering of `allOf`, `oneOf` and `anyOf`.

use super::{Place, properties};
use crate::{
    ir::{Branch, Element, Shape, Type, Union},
    lower::{Lowering, last_segment, names, shown, text},
};
use frontdesk_document::{Diagnostic, Kind, NodeRef};
use std::collections::BTreeMap;

impl<'d> Lowering<'d, '_> {
    /// `allOf`, `oneOf`, `anyOf`, `not`.
    pub(super) fn composed(&mut self, node: NodeRef<'d>, place: &Place) -> Option<Element> {
        if let Some(not) = node.get("not") {
            self.warn_once(
                not,
                "not-ignored",
                "`not` has no counterpart in a Rust type and is not checked",
                "describe the values that are allowed instead",
            );
        }
        for key in ["allOf", "oneOf", "anyOf"] {
            if let Some(parts) = node.get(key).filter(|parts| parts.items().next().is_none()) {
                self.problems.push(
                    Diagnostic::error("invalid-schema", shown(parts), format!("`{key}` lists no schema"))
                        .hint("list at least one schema, or leave it out"),
                );
                return None;
            }
        }
        if let Some(parts) = node.get("allOf") {
            let parts: Vec<_> = parts.items().collect();
            if let [only] = parts[..]
                && node.get("properties").is_none()
            {
                return Some(self.schema(only, place));
            }
            return Some(self.merged(node, place));
        }
        let branches = node.get("oneOf").or_else(|| node.get("anyOf"))?;
        if let Some(beside) = node.get("properties") {
            self.warn_once(
                beside,
                "composition-ignored",
                "the properties beside `oneOf` or `anyOf` are not part of the type",
                "state them in each branch, or write the branches as optional properties",
            );
        }
        let branches: Vec<_> = branches.items().collect();
        if let [only] = branches[..] {
            return Some(self.schema(only, place));
        }
        let (ty, nullable) = self.union(node, &branches, place);
        Some(Element { ty, nullable, constraints: Vec::new() })
    }

    /// An object out of several: the fields of all, each required if any part requires it.
    fn merged(&mut self, node: NodeRef<'d>, place: &Place) -> Element {
        let id = self.open(node, place);
        let mut members = Vec::new();
        let mut required = Vec::new();
        let mut extra = None;
        self.members(node, &mut members, &mut required, &mut extra, 0);
        let mut by_name: BTreeMap<&str, NodeRef<'d>> = BTreeMap::new();
        let mut kept = Vec::new();
        for (name, schema) in members {
            match by_name.get(name) {
                Some(first) => {
                    let same = match (first.resolve(), schema.resolve()) {
                        (Ok(first), Ok(second)) => {
                            first.id() == second.id() || first.to_json() == second.to_json()
                        }
                        _ => true,
                    };
                    if !same {
                        self.problems.push(
                            Diagnostic::error(
                                "allof-conflict",
                                shown(schema),
                                format!("`allOf` gives the property `{name}` two different schemas"),
                            )
                            .related(shown(*first), "the first one")
                            .hint("keep the property in one part only, or make both schemas equal"),
                        );
                    }
                }
                None => {
                    by_name.insert(name, schema);
                    kept.push((name, schema));
                }
            }
        }
        self.fill_struct(id, &kept, &required, extra);
        Element { ty: Type::Named(id), nullable: false, constraints: Vec::new() }
    }

    fn members(
        &mut self,
        node: NodeRef<'d>,
        members: &mut Vec<(&'d str, NodeRef<'d>)>,
        required: &mut Vec<&'d str>,
        extra: &mut Option<NodeRef<'d>>,
        depth: usize,
    ) {
        if depth > 64 {
            self.problems.push(
                Diagnostic::error("endless-type", shown(node), "`allOf` leads back to itself")
                    .hint("remove the reference that closes the circle"),
            );
            return;
        }
        for part in node.get("allOf").into_iter().flat_map(NodeRef::items) {
            if let Some(part) = self.resolve(part) {
                self.members(part, members, required, extra, depth + 1);
            }
        }
        for composed in ["oneOf", "anyOf"] {
            if let Some(branches) = node.get(composed) {
                self.warn_once(
                    branches,
                    "composition-ignored",
                    format!("`{composed}` inside `allOf` is not part of the merged type"),
                    "state the properties of all branches as optional ones",
                );
            }
        }
        self.closed(node);
        members.extend(properties(node));
        let further = node.get("additionalProperties").filter(|schema| schema.kind() == Kind::Object);
        *extra = extra.or(further);
        required
            .extend(node.get("required").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::as_str));
    }

    /// The type, and whether one of its branches is `null`.
    fn union(&mut self, node: NodeRef<'d>, branches: &[NodeRef<'d>], place: &Place) -> (Type, bool) {
        let id = self.open(node, place);
        let home = self.types[id.0].home.clone();
        let owner = self.types[id.0].name.clone();
        if let Some(discriminator) = node.get("discriminator") {
            self.warn_once(
                discriminator,
                "discriminator-ignored",
                "branches are told apart by their required fields, not by the discriminator",
                "give every branch a required property with an `enum` of one value",
            );
        }
        let mut variants = names::Scope::default();
        let mut lowered: Vec<Branch> = Vec::new();
        let mut nullable = false;
        for (index, branch) in branches.iter().enumerate() {
            let wanted = match branch.reference() {
                Some(_) => branch.resolve().map_or_else(|_| String::new(), |target| last_segment(target)),
                None => text(*branch, "title")
                    .or_else(|| text(*branch, "type"))
                    .map_or_else(|| format!("option{}", index + 1), str::to_owned),
            };
            let name = names::pascal(&wanted);
            let element =
                self.schema(*branch, &Place { name: format!("{owner}{name}"), home: Some(home.clone()) });
            self.tell_apart(branches, index);
            self.unchecked(*branch, &element, "a branch of a union");
            nullable |= element.nullable;
            lowered.push(Branch { rust: variants.take(&name, "Variant"), ty: element.ty });
        }
        self.types[id.0].shape = Shape::Union(Union { branches: lowered });
        (Type::Named(id), nullable)
    }

    /// Warns where an earlier branch would swallow values of a later one.
    fn tell_apart(&mut self, branches: &[NodeRef<'d>], index: usize) {
        let Ok(later) = branches[index].resolve() else { return };
        for earlier in &branches[..index] {
            let Ok(earlier) = earlier.resolve() else { continue };
            if text(earlier, "type").is_some_and(|kind| kind != "object")
                || text(later, "type") != Some("object")
            {
                continue;
            }
            let declared: Vec<&str> = properties(later).into_iter().map(|(name, _)| name).collect();
            let mut needs =
                earlier.get("required").into_iter().flat_map(NodeRef::items).filter_map(NodeRef::as_str);
            if needs.all(|name| declared.contains(&name)) && needs_nothing_more(earlier, later) {
                let (first, second) = (last_segment(earlier), last_segment(later));
                if self.warned.insert((later.id(), "ambiguous-union")) {
                    self.problems.push(
                        Diagnostic::warning(
                            "ambiguous-union",
                            shown(branches[index]),
                            format!("a value of `{second}` may be read as `{first}`, which is tried first"),
                        )
                        .related(shown(earlier), "needs nothing that the other lacks")
                        .hint("give each branch a required property that the others do not have, or list the stricter branch first"),
                    );
                }
            }
        }
    }
}

/// Whether no enumeration of a required field tells the two apart.
fn needs_nothing_more(earlier: NodeRef<'_>, later: NodeRef<'_>) -> bool {
    let fixed = |node: NodeRef<'_>, name: &str| {
        let schema = node.get("properties")?.get(name)?.resolve().ok()?;
        Some(
            schema
                .get("enum")?
                .items()
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect::<Vec<_>>(),
        )
    };
    properties(earlier).into_iter().all(|(name, _)| match (fixed(earlier, name), fixed(later, name)) {
        (Some(first), Some(second)) => first.iter().any(|value| second.contains(value)),
        _ => true,
    })
}
