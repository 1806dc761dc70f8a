//! Owns two passes over a lowered document: which side sends a type, and where a type must go on the heap.

use crate::ir::{Api, Content, Shape, Type, TypeId};

/// Marks every type with the sides that send it.
pub(super) fn mark(api: &mut Api) {
    let mut requests = Vec::new();
    let mut responses = Vec::new();
    for operation in api.operations() {
        requests.extend(operation.body.iter().map(|body| body.ty.clone()));
        requests.extend(operation.parameters.iter().map(|parameter| parameter.element.ty.clone()));
        for answer in operation.successes.iter().chain(&operation.errors) {
            match &answer.content {
                Content::Nothing => {}
                Content::Body(ty) => responses.push(ty.clone()),
                Content::Response(id) => {
                    let response = api.response(*id);
                    responses.extend(response.body.clone());
                    responses.extend(response.headers.iter().map(|header| header.ty.clone()));
                }
            }
        }
    }
    for id in reachable(api, requests) {
        api.types[id.0].usage.request = true;
    }
    for id in reachable(api, responses) {
        api.types[id.0].usage.response = true;
    }
}

fn reachable(api: &Api, from: Vec<Type>) -> Vec<TypeId> {
    let mut found = vec![false; api.types.len()];
    let mut open = from;
    while let Some(ty) = open.pop() {
        match ty {
            Type::Named(id) | Type::Boxed(id) if !std::mem::replace(&mut found[id.0], true) => {
                open.extend(parts(&api.type_def(id).shape).cloned());
            }
            Type::List(element) | Type::Map(element) => open.push(element.ty),
            _ => {}
        }
    }
    found.iter().enumerate().filter(|(_, found)| **found).map(|(index, _)| TypeId(index)).collect()
}

fn parts(shape: &Shape) -> Box<dyn Iterator<Item = &Type> + '_> {
    match shape {
        Shape::Struct(shape) => Box::new(
            shape
                .fields
                .iter()
                .map(|field| &field.element.ty)
                .chain(shape.extra.iter().map(|extra| &extra.ty)),
        ),
        Shape::Enum(_) => Box::new(std::iter::empty()),
        Shape::Union(union) => Box::new(union.branches.iter().map(|branch| &branch.ty)),
    }
}

/// Boxes every field that closes a circle of types that hold each other directly. Lists and maps are on the heap already.
pub(super) fn break_cycles(api: &mut Api) {
    for index in 0..api.types.len() {
        let id = TypeId(index);
        let count = parts(&api.types[index].shape).count();
        for part in 0..count {
            let Some(Type::Named(target)) = parts(&api.types[index].shape).nth(part).cloned() else {
                continue;
            };
            if leads_to(api, target, id) {
                box_part(&mut api.types[index].shape, part, target);
            }
        }
    }
}

fn leads_to(api: &Api, from: TypeId, to: TypeId) -> bool {
    let mut seen = vec![false; api.types.len()];
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        if id == to {
            return true;
        }
        if std::mem::replace(&mut seen[id.0], true) {
            continue;
        }
        open.extend(parts(&api.types[id.0].shape).filter_map(|ty| match ty {
            Type::Named(id) => Some(*id),
            _ => None,
        }));
    }
    false
}

fn box_part(shape: &mut Shape, part: usize, target: TypeId) {
    let ty = match shape {
        Shape::Struct(shape) => match shape.fields.get_mut(part) {
            Some(field) => &mut field.element.ty,
            None => return,
        },
        Shape::Union(union) => &mut union.branches[part].ty,
        Shape::Enum(_) => return,
    };
    *ty = Type::Boxed(target);
}
