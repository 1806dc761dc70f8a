//! [`Plain`]: which types are values that can be cloned, compared and written as JSON, and which hold a
//! stream.

use crate::ir::{Api, Coding, Content, Part, Payload, Response, Type, TypeId};
use std::collections::HashMap;

/// What must be known of every type before any of them is written; computed once a document.
#[derive(Debug)]
pub(in crate::emit) struct Plain<'a> {
    /// By type: whether a file is inside.
    files: Vec<bool>,
    /// The types that multipart bodies hold, and how their members are written there.
    multipart: HashMap<TypeId, &'a [Part]>,
}

impl<'a> Plain<'a> {
    pub(in crate::emit) fn of(api: &'a Api) -> Self {
        let mut plain = Self { files: vec![false; api.types.len()], multipart: HashMap::new() };
        // A type is marked in the round after one that it holds.
        loop {
            let found: Vec<usize> = (0..api.types.len())
                .filter(|index| {
                    !plain.files[*index] && api.types[*index].shape.parts().any(|ty| plain.holds(ty))
                })
                .collect();
            if found.is_empty() {
                break;
            }
            for index in found {
                plain.files[index] = true;
            }
        }
        for payload in api.payloads() {
            for form in &payload.forms {
                if let (Coding::Multipart(_, parts), Some(id)) = (&form.coding, form.named()) {
                    plain.multipart.entry(id).or_insert(parts);
                }
            }
        }
        plain
    }

    /// Whether values of the type are no more than JSON.
    pub(in crate::emit) fn is_plain(&self, id: TypeId) -> bool {
        !self.files[id.0]
    }

    /// How the members of the type are written in a multipart body, if one holds it.
    pub(in crate::emit) fn parts(&self, id: TypeId) -> Option<&'a [Part]> {
        self.multipart.get(&id).copied()
    }

    /// Whether what a payload holds can be cloned and compared.
    pub(in crate::emit) fn is_plain_payload(&self, payload: &Payload) -> bool {
        payload.forms.iter().all(|form| match &form.coding {
            Coding::Json(element) | Coding::Urlencoded(element, _) | Coding::Multipart(element, _) => {
                !self.holds(&element.ty)
            }
            Coding::Text(_) => true,
            Coding::Bytes | Coding::Events(_) => false,
        })
    }

    /// Whether what comes with a status can be cloned and compared.
    pub(in crate::emit) fn is_plain_content(&self, api: &Api, content: &Content) -> bool {
        match content {
            Content::Nothing => true,
            Content::Body(payload) => self.is_plain_payload(payload),
            Content::Response(id) => self.is_plain_response(api.response(*id)),
        }
    }

    /// Whether a response can be cloned and compared.
    pub(in crate::emit) fn is_plain_response(&self, response: &Response) -> bool {
        response.body.as_ref().is_none_or(|payload| self.is_plain_payload(payload))
    }

    fn holds(&self, ty: &Type) -> bool {
        match ty.innermost() {
            Type::File => true,
            Type::Named(id) | Type::Boxed(id) => self.files[id.0],
            _ => false,
        }
    }
}
