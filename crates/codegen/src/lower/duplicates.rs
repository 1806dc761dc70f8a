//! Deduplication of types: a schema that a document repeats in many places becomes one type, and each further
//! place an alias of it.
//!
//! A place keeps the name that it would have alone, so a place that changes in a later version changes nobody
//! else's names. Types that only a duplicate uses are removed, because the type that it is an alias of has
//! equal ones.

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
        // A reader takes two for the same thing that stand in the same schema, or whose names end in the same
        // word. Two lists of the same values in unrelated places are a coincidence, and so is one value in
        // two operations.
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

/// Documents that cannot write `nullable` beside a reference write the schema out again, with `nullable` in
/// it and in its name.
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
        // Ids of two kinds are never the same, although they look alike.
        let alone = Some(TypeId(index)).filter(|id| multipart.contains(id) || def.shape == Shape::Id);
        let next = skeletons.len();
        classes.push(*skeletons.entry(Skeleton { usage: def.usage, shape, alone }).or_insert(next));
    }
    let held = |def: &TypeDef| def.shape.parts().filter_map(Type::named).map(|id| id.0).collect();
    refine(classes, skeletons.len(), &api.types.iter().map(held).collect::<Vec<_>>())
}

/// Separates types of one class that hold types of different classes, until there are none. Classes are
/// numbers below `count`.
///
/// Each round looks only at types that hold one whose class is new. A chain of schemas has as many rounds as
/// schemas, so looking at all types in each round would take the square of its length.
fn refine(mut classes: Vec<usize>, count: usize, held: &[Vec<usize>]) -> Vec<usize> {
    let mut holders: Vec<Vec<usize>> = vec![Vec::new(); held.len()];
    for (index, parts) in held.iter().enumerate() {
        for part in parts {
            holders[*part].push(index);
        }
    }
    let mut sizes = vec![0; count];
    for class in &classes {
        sizes[*class] += 1;
    }
    let mut open: Vec<usize> = (0..held.len()).collect();
    while !open.is_empty() {
        let parts = |index: &usize| held[*index].iter().map(|part| classes[*part]).collect::<Vec<_>>();
        let mut read: Vec<(usize, Vec<usize>, usize)> =
            open.iter().map(|index| (classes[*index], parts(index), *index)).collect();
        read.sort_unstable();
        open.clear();
        for of_class in read.chunk_by(|left, right| left.0 == right.0) {
            let mut groups: Vec<_> = of_class.chunk_by(|left, right| left.1 == right.1).collect();
            // Types of the class that were not looked at still belong together, and keep it. Without such
            // types the largest group does.
            if sizes[of_class[0].0] == of_class.len() {
                groups.sort_by_key(|group| group.len());
                groups.pop();
            }
            for group in groups {
                for (_, _, index) in group {
                    classes[*index] = sizes.len();
                    open.extend(&holders[*index]);
                }
                sizes[of_class[0].0] -= group.len();
                sizes.push(group.len());
            }
        }
        open.sort_unstable();
        open.dedup();
    }
    classes
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

#[cfg(test)]
mod tests {
    use super::refine;
    use std::collections::BTreeMap;

    /// The same by looking at every type in every round.
    fn refined_plainly(mut classes: Vec<usize>, held: &[Vec<usize>]) -> Vec<usize> {
        loop {
            let mut finer = BTreeMap::new();
            let numbers: Vec<usize> = held
                .iter()
                .enumerate()
                .map(|(index, parts)| {
                    let parts: Vec<usize> = parts.iter().map(|part| classes[*part]).collect();
                    let next = finer.len();
                    *finer.entry((classes[index], parts)).or_insert(next)
                })
                .collect();
            if numbers == classes {
                return classes;
            }
            classes = numbers;
        }
    }

    /// Numbers classes by their first type, so that equal partitions are equal lists.
    fn by_first(classes: &[usize]) -> Vec<usize> {
        classes.iter().map(|class| classes.iter().position(|other| other == class).unwrap_or(0)).collect()
    }

    #[test]
    fn types_are_separated_by_what_they_hold() {
        let mut state: usize = 7;
        let mut chance = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let (types, kinds) = (1 + chance(12), 1 + chance(3));
            let classes: Vec<usize> =
                (0..types).map(|index| index.min(kinds - 1).min(chance(kinds))).collect();
            let held: Vec<Vec<usize>> =
                (0..types).map(|_| (0..chance(3)).map(|_| chance(types)).collect()).collect();
            let refined = refine(classes.clone(), kinds, &held);
            assert_eq!(by_first(&refined), by_first(&refined_plainly(classes, &held)), "{held:?}");
        }
    }
}
