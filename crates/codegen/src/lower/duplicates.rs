//! Deduplication of types: a schema that a document repeats in many places becomes one type, and each further place an alias of it.
//!
//! A place keeps the name that it would have alone, so a place that changes in a later version changes nobody else's names.
//! Types that only a duplicate uses are removed, because the type that it is an alias of has equal ones.

use super::files::{for_each_payload, multipart};
use crate::ir::{Api, Payload, Shape, Type, TypeDef, TypeId, Usage};
use heck::ToSnakeCase;
use std::collections::HashMap;

/// What must be equal in duplicates, apart from the types that they hold.
#[derive(PartialEq, Eq, Hash)]
struct Skeleton {
    usage: Usage,
    shape: Shape,
    /// The type itself, if it can have no duplicate.
    alone: Option<TypeId>,
}

/// Points every duplicate to the type that it equals, and removes types that are no longer used.
pub(super) fn find(api: &mut Api) {
    let classes = classes(api);
    let words: Vec<String> = api.types.iter().map(last_word).collect();
    let mut firsts: HashMap<usize, Vec<TypeId>> = HashMap::new();
    nullable_components(api, &classes);
    // A name that the document gives is better than one made of a place.
    for (index, class) in classes.iter().enumerate() {
        if api.types[index].component.is_some() && api.types[index].duplicate_of.is_none() {
            firsts.entry(*class).or_default().push(TypeId(index));
        }
    }
    // Then that of another component, which no single operation owns.
    let (shared, owned): (Vec<usize>, Vec<usize>) = (0..classes.len())
        .filter(|index| api.types[*index].component.is_none())
        .partition(|index| api.types[*index].shared);
    for index in shared.into_iter().chain(owned) {
        let def = &api.types[index];
        let candidates = firsts.entry(classes[index]).or_default();
        // A reader takes two for the same thing that stand in the same schema, or whose names end in the same word. Two
        // lists of the same values in unrelated places are a coincidence, and so is one value in two operations.
        let has_one_value = matches!(&def.shape, Shape::Enum(values) if values.values.len() == 1);
        let is_akin = |first: TypeId| {
            let other = &api.types[first.0];
            let apart = has_one_value && !def.shared && !other.shared;
            other.root_module == def.root_module || !apart && words[first.0] == words[index]
        };
        match candidates.iter().find(|first| is_akin(**first) && is_there(api, &api.types[first.0], def)) {
            Some(first) => api.types[index].duplicate_of = Some(*first),
            None => candidates.push(TypeId(index)),
        }
    }
    remove_unnamed(api);
}

/// Documents that cannot write `nullable` beside a reference write the schema out again, with `nullable` in it and in its name.
fn nullable_components(api: &mut Api, classes: &[usize]) {
    let components: HashMap<String, TypeId> = (0..api.types.len())
        .filter(|index| api.types[*index].component.is_some())
        .map(|index| (api.types[index].name.clone(), TypeId(index)))
        .collect();
    for index in 0..api.types.len() {
        let def = &api.types[index];
        // Also of one that adds it twice, so that no alias leads to another.
        let base = def.name.strip_prefix("Nullable").map(|base| base.trim_start_matches("Nullable"));
        let first = base.and_then(|base| components.get(base)).copied();
        let Some(first) = first.filter(|first| def.component.is_some() && classes[first.0] == classes[index])
        else {
            continue;
        };
        let groups = api.types[index].groups.clone();
        api.types[index].duplicate_of = Some(first);
        compile_with(api, first, &groups);
    }
}

/// Compiles a type, and what it holds, wherever one of the groups is.
fn compile_with(api: &mut Api, id: TypeId, groups: &[usize]) {
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let def = &mut api.types[id.0];
        let known = def.groups.len();
        def.groups.extend(groups);
        def.groups.sort_unstable();
        def.groups.dedup();
        if def.groups.len() > known {
            open.extend(def.shape.parts().filter_map(Type::named));
        }
    }
}

fn last_word(def: &TypeDef) -> String {
    def.name.to_snake_case().rsplit('_').next().unwrap_or_default().to_owned()
}

/// Whether one type is compiled wherever another is, so that an alias enables no further features.
fn is_there(api: &Api, first: &TypeDef, other: &TypeDef) -> bool {
    !api.features || other.groups.iter().all(|group| first.groups.contains(group))
}

/// Numbers that are equal for types that are equal, all that they hold included.
///
/// Types with equal skeletons start as equal; each round separates those that hold different types, until none does.
fn classes(api: &Api) -> Vec<usize> {
    let multipart = multipart(api);
    let mut skeletons = HashMap::new();
    let mut classes = Vec::with_capacity(api.types.len());
    for (index, def) in api.types.iter().enumerate() {
        let mut shape = def.shape.clone();
        for ty in shape.parts_mut() {
            match ty.innermost_mut() {
                Type::Named(id) | Type::Boxed(id) => *id = TypeId(0),
                // Its number is that of a place; in Rust it is one type.
                Type::Raw(number) => *number = 0,
                _ => {}
            }
        }
        let alone = Some(TypeId(index)).filter(|id| multipart.contains(id));
        let next = skeletons.len();
        classes.push(*skeletons.entry(Skeleton { usage: def.usage, shape, alone }).or_insert(next));
    }
    let mut count = skeletons.len();
    loop {
        let mut refined = HashMap::new();
        let mut finer = Vec::with_capacity(classes.len());
        for (index, def) in api.types.iter().enumerate() {
            let held: Vec<usize> =
                def.shape.parts().filter_map(Type::named).map(|id| classes[id.0]).collect();
            let next = refined.len();
            finer.push(*refined.entry((classes[index], held)).or_insert(next));
        }
        classes = finer;
        if refined.len() == count {
            return classes;
        }
        count = refined.len();
    }
}

/// Removes the types that neither the document, nor an operation, nor a remaining type names.
fn remove_unnamed(api: &mut Api) {
    let components = (0..api.types.len()).filter(|index| api.types[*index].component.is_some()).map(TypeId);
    let parameters = api.operations().flat_map(|operation| &operation.parameters);
    let parameters = parameters.map(|parameter| &parameter.element.ty);
    let headers = api.responses.iter().flat_map(|response| &response.headers).map(|header| &header.ty);
    let bodies = api.payloads().flat_map(Payload::elements).map(|element| &element.ty);
    let mut open: Vec<TypeId> =
        components.chain(parameters.chain(headers).chain(bodies).filter_map(Type::named)).collect();
    let mut kept = vec![false; api.types.len()];
    while let Some(id) = open.pop() {
        if !std::mem::replace(&mut kept[id.0], true) {
            let def = api.type_def(id);
            match def.duplicate_of {
                Some(duplicate) => open.push(duplicate),
                None => open.extend(def.shape.parts().filter_map(Type::named)),
            }
        }
    }
    let mut next = 0;
    let new: Vec<TypeId> = kept
        .iter()
        .map(|kept| {
            next += usize::from(*kept);
            // What a duplicate holds may go; it takes the shape of the type that it equals below.
            TypeId(next.saturating_sub(1))
        })
        .collect();
    let mut kept = kept.into_iter();
    api.types.retain(|_| kept.next().unwrap_or(true));
    renumber(api, &new);
}

fn renumber(api: &mut Api, new: &[TypeId]) {
    let renumber = |ty: &mut Type| {
        if let Type::Named(id) | Type::Boxed(id) = ty.innermost_mut() {
            *id = new[id.0];
        }
    };
    for def in &mut api.types {
        def.shape.parts_mut().for_each(renumber);
        def.duplicate_of = def.duplicate_of.map(|duplicate| new[duplicate.0]);
    }
    for operation in api.groups.iter_mut().flat_map(|group| &mut group.operations) {
        operation.parameters.iter_mut().for_each(|parameter| renumber(&mut parameter.element.ty));
    }
    api.responses
        .iter_mut()
        .flat_map(|response| &mut response.headers)
        .for_each(|header| renumber(&mut header.ty));
    for_each_payload(api, &mut |payload| {
        payload.elements_mut().for_each(|element| renumber(&mut element.ty));
    });
    for index in 0..api.types.len() {
        if let Some(duplicate) = api.types[index].duplicate_of {
            api.types[index].shape = api.types[duplicate.0].shape.clone();
        }
    }
}
