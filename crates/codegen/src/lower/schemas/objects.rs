//! Objects: structs with known fields, and maps.

use super::{Key, Part, Place, View, any};
use crate::{
    ir::{Constraint, Element, Field, Shape, Struct, Type},
    lower::{Lowering, described, flag, names, text},
};
use frontdesk_document::{NodeRef, closed_members};
use std::collections::BTreeMap;

/// What further members are called.
const EXTRA: &str = "extra";

impl<'d> Lowering<'d, '_> {
    pub(super) fn object(
        &mut self,
        parts: &[Part<'d>],
        view: &View<'d>,
        key: &Key,
        place: &Place,
    ) -> Element {
        let mut constraints = Vec::new();
        for (key, make) in [
            ("minProperties", Constraint::MinMembers as fn(u64) -> Constraint),
            ("maxProperties", Constraint::MaxMembers),
        ] {
            constraints.extend(self.sizes(view, key).into_iter().map(make));
        }
        let required = view.required();
        let mut order: Vec<&'d str> = Vec::new();
        let mut members: BTreeMap<&'d str, Vec<Part<'d>>> = BTreeMap::new();
        for (name, schema) in view.all("properties").flat_map(NodeRef::entries) {
            let found = members.entry(name.text).or_default();
            if found.is_empty() {
                order.push(name.text);
            }
            found.push(Part::whole(schema));
        }
        let extra: Vec<Part<'d>> =
            view.all("additionalProperties").filter(|schema| schema.is_object()).map(Part::whole).collect();
        let open = view.all("additionalProperties").any(|value| value.as_bool() == Some(true));
        let closed = view.all("additionalProperties").any(|value| value.as_bool() == Some(false))
            || view.parts.iter().any(|part| closed_members(*part).is_some());
        if order.is_empty() && required.is_empty() && !(closed && extra.is_empty()) {
            let element = self.together(&extra, &place.within("value"));
            return Element { ty: Type::Map(Box::new(element)), nullable: false, constraints };
        }
        let id = self.open(parts, key, place);
        let (owner, root_module) = (self.types[id.0].name.clone(), self.types[id.0].root_module.clone());
        let owner = Place { name: owner, root_module: Some(root_module), depth: place.depth };
        let has_extra = !extra.is_empty() || open;
        let needed = view.all("required").flat_map(NodeRef::items).filter_map(NodeRef::as_str);
        let affixes =
            names::Affixes::among(order.iter().copied().chain(needed).chain(has_extra.then_some(EXTRA)));
        self.closed_parts(view, &order);
        let mut candidates: Vec<names::Candidate> = Vec::new();
        let mut fields = Vec::new();
        for wire in order {
            let schemas = members.remove(wire).unwrap_or_default();
            let element = self.together(&schemas, &owner.within(&affixes.distinct(wire)));
            let of = |key: &str| schemas.iter().any(|schema| says(schema.node, key));
            let own = schemas.iter().map(|schema| schema.node).filter(|node| node.reference().is_none());
            let wanted = own.clone().find_map(|node| text(node, "x-rust-name"));
            for (keyword, node) in own.clone().flat_map(|node| {
                ["default", "example"].into_iter().filter_map(move |key| Some((key, node.get(key)?)))
            }) {
                self.schemas.values.push((id, wire.to_owned(), node.id(), keyword));
            }
            let deprecated = schemas.iter().any(|schema| flag(schema.node, "deprecated"));
            candidates.push(candidate(wire, wanted, &affixes, deprecated));
            fields.push(Field {
                wire: wire.to_owned(),
                rust: String::new(),
                docs: schemas.iter().rev().find_map(|schema| described(schema.node)),
                deprecated,
                required: required.contains(wire),
                read_only: of("readOnly"),
                write_only: of("writeOnly"),
                default: None,
                example: None,
                element,
            });
        }
        for name in view.all("required").flat_map(NodeRef::items) {
            let Some(wire) = name.as_str() else { continue };
            if fields.iter().any(|field| field.wire == wire) {
                continue;
            }
            let element = self.together(&extra, &owner.within(wire));
            if extra.is_empty() {
                self.warn_once(
                    name,
                    "undeclared-property",
                    format!("`{wire}` is required, but no property of this name is declared; it is read as any value"),
                    "declare it under `properties`, or take it out of `required`",
                );
            }
            candidates.push(candidate(wire, None, &affixes, false));
            fields.push(Field {
                wire: wire.to_owned(),
                rust: String::new(),
                docs: None,
                deprecated: false,
                required: true,
                read_only: false,
                write_only: false,
                default: None,
                example: None,
                element,
            });
        }
        let mut taken = names::Scope::default();
        if has_extra {
            taken.take(EXTRA, "");
        }
        for (field, name) in fields.iter_mut().zip(taken.take_each(&candidates)) {
            field.rust = name;
        }
        let extra = match (extra.is_empty(), open) {
            (false, _) => Some(self.together(&extra, &owner.within("value"))),
            (true, true) => Some(any()),
            (true, false) => None,
        };
        let closed = closed && extra.is_none();
        self.types[id.0].shape =
            Shape::Struct(Struct { fields, extra, closed, skipped: Vec::new(), constraints });
        Element::of(Type::Named(id))
    }

    /// Warns of a part that restricts the members which it does not declare, if other parts declare some of
    /// `members`. The restriction counts for its own part alone, so a validator applies it to the members of
    /// the others, which is hardly ever meant.
    fn closed_parts(&mut self, view: &View<'d>, members: &[&str]) {
        for part in &view.parts {
            let together = closed_members(*part);
            let keyword = if together.is_some() { "unevaluatedProperties" } else { "additionalProperties" };
            let Some(further) = part.get(keyword) else { continue };
            let is_closed = further.as_bool() == Some(false);
            if !is_closed && (!further.is_object() || further.is_empty()) {
                continue;
            }
            let own = part.get("properties");
            let is_own = |name: &str| {
                own.and_then(|own| own.get(name)).is_some()
                    || together.as_ref().is_some_and(|together| together.contains(name))
            };
            let Some(foreign) = members.iter().find(|name| !is_own(name)) else { continue };
            let message = if is_closed {
                format!(
                    "`{keyword}: false` counts only for the members declared beside it, so it refuses those of other parts, such as `{foreign}`; the generated type allows them"
                )
            } else {
                format!(
                    "`{keyword}` counts for every member that is not declared beside it, also for those of other parts, such as `{foreign}`; servers check it for undeclared members only"
                )
            };
            self.warn_once(further, "closed-part", message, "declare all members in one schema");
        }
    }
}

/// What a field asks to be called.
fn candidate(
    wire: &str,
    wanted: Option<&str>,
    affixes: &names::Affixes,
    deprecated: bool,
) -> names::Candidate {
    let name = wanted.map_or_else(|| names::snake(&affixes.distinct(wire)), names::snake);
    let exact = wanted.is_some() || name.trim_start_matches("r#") == wire;
    names::Candidate { wanted: name, exact, deprecated, suffix: "_" }
}

/// Whether a property is marked, where it stands or at the schema that it refers to.
fn says(node: NodeRef<'_>, key: &str) -> bool {
    flag(node, key) || node.resolve().is_ok_and(|target| flag(target, key))
}
