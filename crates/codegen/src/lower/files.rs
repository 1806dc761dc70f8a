//! Pass over the lowered document: gives multipart bodies types of their own, with files for binary members.

use super::{Lowering, names, payloads::Files};
use crate::ir::{Api, Coding, Content, Element, Form, Payload, Shape, Type, TypeDef, TypeId};
use frontdesk_document::NodeId;
use std::collections::{BTreeMap, BTreeSet};

/// Makes files of the members that multipart bodies send as such.
///
/// A type that nothing but multipart bodies uses is changed in place. One that stands elsewhere too, where
/// the same member is text, stays; the bodies get a copy of it, which is named `<Name>Form`. Returns the
/// types that stay.
pub(super) fn resolve(api: &mut Api, files: &Files, names: &mut names::Scope) -> BTreeSet<TypeId> {
    if files.is_empty() {
        return BTreeSet::new();
    }
    let elsewhere = used_elsewhere(api);
    let mut copies = BTreeMap::new();
    for (id, members) in files {
        let target = if elsewhere[id.0] {
            let copy = TypeId(api.types.len());
            let original = &api.types[id.0];
            let name = names.take(&format!("{}Form", original.name), "Body");
            let label = format!("{}Form", original.label);
            let def = TypeDef { name, label, ..original.clone() };
            api.types.push(def);
            copies.insert(*id, copy);
            copy
        } else {
            *id
        };
        let Shape::Struct(shape) = &mut api.types[target.0].shape else { continue };
        for (wire, list) in members {
            if let Some(field) = shape.fields.iter_mut().find(|field| field.wire == *wire) {
                let nullable = field.element.nullable;
                field.element = if *list {
                    let constraints = std::mem::take(&mut field.element.constraints);
                    Element { ty: Type::List(Box::new(Element::of(Type::File))), nullable, constraints }
                } else {
                    Element { ty: Type::File, nullable, constraints: Vec::new() }
                };
                field.default = None;
                field.example = None;
            }
        }
    }
    for_each_payload(api, &mut |payload| {
        for form in &mut payload.forms {
            if let Coding::Multipart(element, _) = &mut form.coding
                && let Type::Named(id) = element.ty
                && let Some(copy) = copies.get(&id)
            {
                element.ty = Type::Named(*copy);
            }
        }
    });
    copies.into_keys().collect()
}

impl Lowering<'_, '_> {
    /// Warns of the first string whose format `binary` is lost: it is not a file of a multipart body, or is
    /// also used elsewhere. `elsewhere` has the types of bodies that do.
    pub(super) fn tell_binary_text(&mut self, elsewhere: &BTreeSet<TypeId>) {
        let is_file = |format: &NodeId| {
            self.file_formats.get(format).is_some_and(|bodies| bodies.is_disjoint(elsewhere))
        };
        if let Some(lost) = self.schemas.binary_formats().iter().copied().find(|format| !is_file(format)) {
            self.warn_once(
                self.document.node(lost),
                "format-ignored",
                "`binary` stands for bytes in a part of a multipart body, or as a whole body; in other places such values are read as text",
                "write `format: byte` for bytes in base64",
            );
        }
    }
}

/// Which types stand in another place than as a whole multipart body.
fn used_elsewhere(api: &Api) -> Vec<bool> {
    let parts = api.types.iter().flat_map(|def| def.shape.parts());
    let parameters = api.operations().flat_map(|operation| &operation.parameters);
    let forms = api.payloads().flat_map(|payload| &payload.forms);
    let bodies = forms.filter_map(|form| match &form.coding {
        Coding::Json(element) | Coding::Urlencoded(element, _) | Coding::Events(element) => Some(&element.ty),
        Coding::Multipart(..) | Coding::Text(_) | Coding::Bytes => None,
    });
    let mut used = vec![false; api.types.len()];
    for id in
        parts.chain(parameters.map(|parameter| &parameter.element.ty)).chain(bodies).filter_map(Type::named)
    {
        used[id.0] = true;
    }
    used
}

/// The types that are whole multipart bodies.
pub(super) fn multipart(api: &Api) -> BTreeSet<TypeId> {
    let forms = api.payloads().flat_map(|payload| &payload.forms);
    forms.filter(|form| matches!(form.coding, Coding::Multipart(..))).filter_map(Form::named).collect()
}

/// Every body, to change it.
pub(super) fn for_each_payload(api: &mut Api, act: &mut dyn FnMut(&mut Payload)) {
    for operation in api.groups.iter_mut().flat_map(|group| &mut group.operations) {
        if let Some(body) = &mut operation.body {
            act(&mut body.payload);
        }
        for answer in operation.successes.iter_mut().chain(&mut operation.errors) {
            if let Content::Body(payload) = &mut answer.content {
                act(payload);
            }
        }
    }
    for response in &mut api.responses {
        if let Some(payload) = &mut response.body {
            act(payload);
        }
    }
    for webhook in &mut api.webhooks {
        if let Some(payload) = &mut webhook.payload {
            act(payload);
        }
    }
}
