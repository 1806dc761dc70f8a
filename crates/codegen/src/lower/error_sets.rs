//! Sets of errors: operations that declare the same statuses with the same contents have one enumeration.

use super::names;
use crate::ir::{Answer, Api, Content, Element, ErrorSet, Form, Status, Type};
use std::collections::HashMap;

/// Finds the sets and names them: after the operation if only one operation has a set, otherwise after the
/// statuses. Another operation thus rarely renames the sets of others, and never the names that they export.
pub(super) fn find(api: &mut Api, type_names: &mut names::Scope) {
    let mut sets: Vec<ErrorSet> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut places: Vec<Vec<usize>> = Vec::new();
    for (group_index, group) in api.groups.iter().enumerate() {
        let mut indices = Vec::new();
        for (index, operation) in group.operations.iter().enumerate() {
            let errors = sorted(api, &operation.errors);
            let set = *known.entry(key(&errors)).or_insert_with(|| {
                sets.push(ErrorSet { name: String::new(), errors: errors.clone(), operations: Vec::new() });
                sets.len() - 1
            });
            for (shared, own) in sets[set].errors.iter_mut().zip(&errors) {
                if shared.docs != own.docs {
                    shared.docs = None;
                }
            }
            sets[set].operations.push((group_index, index));
            indices.push(set);
        }
        places.push(indices);
    }
    for index in 0..sets.len() {
        let name = match sets[index].operations[..] {
            [(group, operation)] => format!("{}Error", api.groups[group].operations[operation].name),
            _ => {
                let (before, rest) = sets.split_at(index);
                let alike = before.iter().find(|set| set.is_shared() && statuses(set) == statuses(&rest[0]));
                type_names.take(&shared_name(api, &rest[0], alike), "Set")
            }
        };
        sets[index].name = name;
    }
    for (group, indices) in api.groups.iter_mut().zip(places) {
        for (operation, set) in group.operations.iter_mut().zip(indices) {
            operation.error_set = set;
        }
    }
    api.error_sets = sets;
}

/// Returns errors in the order of a set, with the types that their aliases stand for.
fn sorted(api: &Api, errors: &[Answer]) -> Vec<Answer> {
    let originals = errors.iter().map(|answer| {
        let mut answer = answer.clone();
        if let Content::Body(payload) = &mut answer.content {
            payload.elements_mut().for_each(|element| resolve(api, element));
        }
        answer
    });
    let mut errors: Vec<Answer> = originals.collect();
    errors.sort_by_key(|answer| answer.status);
    errors
}

/// Leaves of a body what its type in Rust says, with aliases replaced by what they stand for.
fn resolve(api: &Api, element: &mut Element) {
    element.constraints.clear();
    match &mut element.ty {
        Type::Named(id) | Type::Boxed(id) => *id = api.original(*id),
        Type::List(entry) | Type::Map(entry) => resolve(api, entry),
        raw @ Type::Raw(_) => *raw = Type::Any,
        _ => {}
    }
}

/// Returns a text that only equal sets have.
fn key(errors: &[Answer]) -> String {
    let parts: Vec<(Status, &Content)> =
        errors.iter().map(|answer| (answer.status, &answer.content)).collect();
    format!("{parts:?}")
}

fn statuses(set: &ErrorSet) -> Vec<Status> {
    set.errors.iter().map(|answer| answer.status).collect()
}

/// Returns the name of a set that several operations have, such as `Errors401_404AndOther`; after an earlier
/// one with the same statuses, with the contents in which it differs.
fn shared_name(api: &Api, set: &ErrorSet, earlier: Option<&ErrorSet>) -> String {
    if set.errors.is_empty() {
        return "NoErrors".to_owned();
    }
    let mut numbers = Vec::new();
    let mut words = Vec::new();
    for answer in &set.errors {
        match answer.status {
            Status::Code(code) => numbers.push(code.to_string()),
            Status::Class(_) | Status::Default => words.push(answer.variant.as_str()),
        }
    }
    let mut name = format!("Errors{}", numbers.join("_"));
    if !words.is_empty() {
        name.push_str(if numbers.is_empty() { "" } else { "And" });
        name.push_str(&words.join("And"));
    }
    let differing = earlier.into_iter().flat_map(|earlier| set.errors.iter().zip(&earlier.errors));
    let differing = differing.filter(|(own, other)| own.content != other.content);
    let contents: Vec<String> = differing.map(|(own, _)| content_name(api, own)).collect();
    if !contents.is_empty() {
        name.push_str(&format!("With{}", contents.join("And")));
    }
    name
}

/// Returns what distinguishes an error from another one with its status.
fn content_name(api: &Api, answer: &Answer) -> String {
    match &answer.content {
        Content::Nothing => "Empty".to_owned(),
        Content::Response(id) => api.response(*id).name.clone(),
        Content::Body(payload) => match (&payload.name, payload.forms.first().and_then(Form::named)) {
            (Some(name), _) => name.clone(),
            (None, Some(id)) => api.type_def(id).name.clone(),
            (None, None) => format!("{}Body", answer.variant),
        },
    }
}
