//! Two passes over the lowered document: which operations use a type, and which types must be boxed.

use crate::ir::{Api, Content, Field, Operation, Payload, Shape, Type, TypeId};

/// Marks every type with the sides that send it and the groups that reach it, and every response with its
/// groups.
///
/// Events are sent by the service, so what they hold counts as answered. They belong to no group.
pub(super) fn mark(api: &mut Api) {
    for (def, requested) in requested(api).into_iter().enumerate() {
        api.types[def].usage.request = requested;
    }
    for (def, answered) in answered(api).into_iter().enumerate() {
        api.types[def].usage.response = answered;
    }
    for index in 0..api.groups.len() {
        let operations = &api.groups[index].operations;
        let from = operations
            .iter()
            .flat_map(|operation| operation.sent().chain(operation.answered(api)))
            .collect::<Vec<_>>();
        let reached = reachable(api, from, |_| true);
        let mut responses: Vec<_> = operations
            .iter()
            .flat_map(Operation::answers)
            .filter_map(|answer| match answer.content {
                Content::Response(id) => Some(id),
                Content::Nothing | Content::Body(_) => None,
            })
            .collect();
        responses.sort_unstable();
        responses.dedup();
        for (def, _) in reached.iter().enumerate().filter(|(_, reached)| **reached) {
            api.types[def].groups.push(index);
        }
        for id in responses {
            api.responses[id.0].groups.push(index);
        }
    }
}

/// Marks every type that responses other than successes carry. What stands behind a member that only requests
/// have does not count.
///
/// It comes after the search for duplicates: equal types are the same type, whichever response carries them.
pub(super) fn mark_errors(api: &mut Api) {
    let errors = api.operations().flat_map(|operation| &operation.errors);
    let payloads = errors.filter_map(|answer| answer.content.payload(&api.responses));
    let bodies = payloads.flat_map(Payload::elements).map(|element| &element.ty).collect();
    for (def, carried) in reachable(api, bodies, in_answers).into_iter().enumerate() {
        api.types[def].usage.error = carried;
    }
}

/// Which types requests carry, by index. What stands behind a member that only answers have does not count.
pub(super) fn requested(api: &Api) -> Vec<bool> {
    reachable(api, api.operations().flat_map(Operation::sent).collect(), in_requests)
}

/// Which types answers and events carry, by index. What stands behind a member that only requests have does
/// not count.
pub(super) fn answered(api: &Api) -> Vec<bool> {
    let events = api.webhooks.iter().filter_map(|webhook| webhook.payload.as_ref());
    let events = events.flat_map(Payload::elements).map(|element| &element.ty);
    let answers = api.operations().flat_map(|operation| operation.answered(api));
    reachable(api, answers.chain(events).collect(), in_answers)
}

/// Whether requests carry a member. One that is marked for both sides contradicts itself and stands on both.
pub(super) const fn in_requests(field: &Field) -> bool {
    !field.read_only || field.write_only
}

/// Whether answers carry a member, likewise.
pub(super) const fn in_answers(field: &Field) -> bool {
    !field.write_only || field.read_only
}

/// The named types that these hold, over members of this kind, by index.
fn reachable<'a>(api: &'a Api, mut open: Vec<&'a Type>, carries: impl Fn(&Field) -> bool) -> Vec<bool> {
    let mut found = vec![false; api.types.len()];
    while let Some(ty) = open.pop() {
        match ty {
            Type::Named(id) | Type::Boxed(id) if !std::mem::replace(&mut found[id.0], true) => {
                match &api.type_def(*id).shape {
                    Shape::Struct(shape) => {
                        let fields = shape.fields.iter().filter(|field| carries(field));
                        open.extend(fields.map(|field| &field.element.ty));
                        open.extend(shape.extra.iter().map(|extra| &extra.ty));
                    }
                    other => open.extend(other.parts()),
                }
            }
            Type::List(element) | Type::Map(element) => open.push(&element.ty),
            _ => {}
        }
    }
    found
}

/// Boxes every part through which types hold each other directly in a circle. Lists and maps are on the heap
/// already.
///
/// An edge needs a box only within one strongly connected component, and there only where it closes a circle:
/// a depth first walk boxes the edges that lead back to a type on the way, which leaves no circle. The time
/// is linear.
pub(super) fn break_cycles(api: &mut Api) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnTheWay,
        Done,
    }
    let mut states = vec![State::New; api.types.len()];
    for start in 0..api.types.len() {
        if states[start] != State::New {
            continue;
        }
        states[start] = State::OnTheWay;
        let mut way = vec![(start, held(&api.types[start].shape).into_iter())];
        while let Some((index, parts)) = way.last_mut() {
            let Some((part, target)) = parts.next() else {
                states[*index] = State::Done;
                way.pop();
                continue;
            };
            match states[target.0] {
                State::OnTheWay => box_part(&mut api.types[*index].shape, part, target),
                State::New => {
                    states[target.0] = State::OnTheWay;
                    way.push((target.0, held(&api.types[target.0].shape).into_iter()));
                }
                State::Done => {}
            }
        }
    }
}

/// The named types that a type holds directly, by the index of the part.
pub(super) fn held(shape: &Shape) -> Vec<(usize, TypeId)> {
    shape
        .parts()
        .enumerate()
        .filter_map(|(part, ty)| match ty {
            Type::Named(id) => Some((part, *id)),
            _ => None,
        })
        .collect()
}

/// Puts what a part holds on the heap.
pub(super) fn box_part(shape: &mut Shape, part: usize, target: TypeId) {
    let ty = match shape {
        Shape::Struct(shape) => match shape.fields.get_mut(part) {
            Some(field) => &mut field.element.ty,
            // The values of further members are in a map.
            None => return,
        },
        Shape::Union(union) => &mut union.branches[part].element.ty,
        Shape::Enum(_) | Shape::Newtype(_) | Shape::Id => return,
    };
    *ty = Type::Boxed(target);
}
